/* front/libraries.c: which shared objects a program is linked with. The dynamic linker
 * itself is asked (as ldd does): it knows run paths, caches and preloads better than we. */
#include "base/vec.h"
#include "front/elf.h"
#include "front/program.h"

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

char **au_libraries_of(const char *path, char *const *envp, const char *cwd) {
    AU_VEC(char *) found = {0};
    int p[2];
    if (pipe2(p, O_CLOEXEC))
        return au_alloc_array(1, sizeof(char *));
    pid_t pid = fork();
    if (!pid)
        ask(path, envp, cwd, p[1]);
    close(p[1]);
    FILE *f = fdopen(p[0], "r");
    char line[8192];
    while (pid > 0 && f && fgets(line, sizeof line, f)) {
        char *lib = path_in(line);
        au_elf e;
        if (lib && au_elf_open(&e, lib, NULL) == AU_OK) {
            au_vec_push(&found, au_sprintf("%016" PRIx64 " %s", e.hash, lib));
            au_elf_close(&e);
        }
        free(lib);
    }
    if (f)
        fclose(f);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    au_vec_push(&found, NULL);
    return found.at;
}

const char *au_library_path(const char *item) {
    const char *space = strchr(item, ' ');
    return space ? space + 1 : item;
}
