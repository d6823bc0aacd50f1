/* tests/code/instrument.c: au_llvm_instrument from the command line.
 * usage: instrument MODULE IN.bc OUT.bc [--drop-debug] [--clean FILE] */
#include "llvm/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: instrument MODULE IN.bc OUT.bc [--drop-debug] [--clean FILE]\n");
        return 2;
    }
    struct au_llvm_options o = {.api = AU_LLVM_API};
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "--drop-debug") == 0)
            o.flags |= AU_LLVM_DROP_DEBUG;
        else if (strcmp(argv[i], "--clean") == 0 && i + 1 < argc)
            o.clean = argv[++i];
    }
    void *so = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        fprintf(stderr, "instrument: %s\n", dlerror());
        return 2;
    }
    au_llvm_instrument_fn *run;
    au_llvm_free_fn *drop;
    *(void **)&run = dlsym(so, "au_llvm_instrument");
    *(void **)&drop = dlsym(so, "au_llvm_free");
    if (!run || !drop)
        return 2;
    char *message = NULL;
    int status = run(argv[2], argv[3], &o, &message);
    if (status) {
        fprintf(stderr, "instrument: %s\n", message);
        drop(message);
    }
    return status;
}
