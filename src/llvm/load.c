/* llvm/load.c: see load.h. */
#include "llvm/load.h"

#include "base/alloc.h"
#include "llvm/api.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* What LLVM takes from malloc by itself: llvm::install_bad_alloc_error_handler. */
typedef void bad_alloc_fn(void *ctx, const char *why, bool report);
static void no_memory(void *ctx, const char *why, bool report) {
    (void)ctx, (void)why, (void)report;
    au_out_of_memory(0);
}
static void catch_no_memory(void *dl) {
    void (*install)(bad_alloc_fn *, void *);
    /* ISO C has no conversion from object to function pointers; POSIX wants this one. */
    *(void **)&install = dlsym(dl, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
    au_llvm_on_oom_fn *on_oom;
    *(void **)&on_oom = dlsym(dl, "au_llvm_on_oom");
    static bool installed;
    if (install && !installed)
        install(no_memory, NULL);
    installed = true;
    if (on_oom)
        on_oom(au_out_of_memory);
}

/* libLLVM's constructors take memory before there is a handler to install, and abort without it. */
static void on_abort(int sig) {
    (void)sig;
    au_out_of_memory(0);
}

void *au_llvm_load(const char *path) {
    struct sigaction before, now = {.sa_handler = on_abort};
    sigemptyset(&now.sa_mask);
    bool watched = !sigaction(SIGABRT, &now, &before);
    void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (watched)
        sigaction(SIGABRT, &before, NULL);
    if (dl)
        catch_no_memory(dl);
    return dl;
}
