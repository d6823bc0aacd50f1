/* program/libraries.c: which shared objects a program is linked with. The dynamic linker
 * itself is asked (as ldd does): it knows run paths, caches and preloads better than we. */
#include "base/vec.h"
#include "program/elf.h"
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void ask(const char *path, char *const *envp, const char *cwd, int to) {
    size_t n = 0;
    while (envp[n])
        n++;
    char **env = au_alloc_array(n + 2, sizeof *env);
    memcpy(env, envp, n * sizeof *env);
    static char list_only[] = "LD_TRACE_LOADED_OBJECTS=1";
    env[n] = list_only;
    char *argv[] = {(char *)(uintptr_t)path, NULL};
    int null = open("/dev/null", O_RDWR);
    if ((cwd && chdir(cwd)) || null < 0 || dup2(null, 0) < 0 || dup2(to, 1) < 0 ||
        dup2(null, 2) < 0)
        _exit(127);
    execve(path, argv, env);
    _exit(127);
}

/* "\tlibm.so.6 => /lib/…/libm.so.6 (0x…)" or "\t/lib64/ld-linux… (0x…)". */
static char *path_in(const char *line) {
    const char *arrow = strstr(line, " => ");
    const char *from = arrow ? arrow + 4 : line + strspn(line, " \t");
    const char *to = strrchr(from, '(');
    if (*from != '/' || !to)
        return NULL;
    while (to > from && to[-1] == ' ')
        to--;
    return au_strndup(from, (size_t)(to - from));
}

au_status au_libraries_of(const char *path, char *const *envp, const char *cwd, char ***list,
                          au_error *err) {
    AU_VEC(char *) found = {0};
    au_status st = AU_OK;
    int p[2], status = 0;
    *list = NULL;
    if (pipe2(p, O_CLOEXEC))
        return au_error_errno(err, "cannot list the libraries of '%s'", path);
    pid_t pid = fork();
    if (!pid)
        ask(path, envp, cwd, p[1]);
    FILE *f = pid > 0 ? fdopen(p[0], "r") : NULL;
    if (!f)
        st = au_error_errno(err, "cannot list the libraries of '%s'", path);
    close(p[1]);
    char line[8192];
    while (f && st == AU_OK && fgets(line, sizeof line, f)) {
        char *lib = path_in(line);
        au_elf e;
        if (lib && (st = au_elf_open(&e, lib, err)) == AU_OK) {
            au_vec_push(&found, au_sprintf("%016" PRIx64 " %s", e.hash, lib));
            au_elf_close(&e);
        }
        free(lib);
    }
    if (f && st == AU_OK && ferror(f))
        st = au_error_errno(err, "cannot list the libraries of '%s'", path);
    if (f)
        fclose(f);
    else
        close(p[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    /* A library that is missing is listed as such, with status 0. */
    if (st == AU_OK && status)
        st = au_error_set(
            err, AU_EIO,
            "cannot list the libraries of '%s': the dynamic linker %s; 'ldd %s' may tell more",
            path, WIFSIGNALED(status) ? "was killed" : "fails", path);
    au_vec_push(&found, NULL);
    *list = found.at;
    return st;
}

const char *au_library_path(const char *item) {
    const char *space = strchr(item, ' ');
    return space ? space + 1 : item;
}
