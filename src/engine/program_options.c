/* engine/program_options.c: which program, in which environment and directory. */
#include "engine/program_options.h"

#include "base/vec.h"
#include "program/elf.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that execvp would take; NULL if there is none. Caller frees. */
static char *find_program(const char *name, au_error *err) {
    if (strchr(name, '/'))
        return au_strdup(name);
    const char *path = getenv("PATH");
    for (const char *s = path ? path : ""; *s;) {
        size_t n = strcspn(s, ":");
        char *full = au_sprintf("%.*s%s%s", (int)n, s, n ? "/" : "./", name);
        struct stat st;
        if (!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode))
            return full;
        free(full);
        s += n + (s[n] == ':');
    }
    if (!access(name, F_OK))
        au_error_set(err, AU_EIO, "there is no program '%s' in PATH; did you mean './%s'?", name,
                     name);
    else
        au_error_set(err, AU_EIO, "there is no program '%s' in PATH", name);
    return NULL;
}

/* Our environment with '--env K=V' put in its place and '--env K' taken out. */
static char **make_env(const au_opts *o) {
    extern char **environ;
    char **old = au_list_copy(environ);
    AU_VEC(char *) env = {0};
    for (size_t i = 0; old[i]; i++)
        au_vec_push(&env, old[i]);
    free(old);
    size_t n_list;
    char *const *list = au_opt_list(o, "env", &n_list);
    for (size_t k = 0; k < n_list; k++) {
        size_t n = strcspn(list[k], "=");
        bool set = list[k][n] == '=', done = false;
        if (set)
            au_program_trust(list[k]);
        size_t to = 0;
        for (size_t i = 0; i < env.n; i++) {
            if (strncmp(env.at[i], list[k], n) || env.at[i][n] != '=') {
                env.at[to++] = env.at[i];
                continue;
            }
            free(env.at[i]);
            if (set && !done)
                env.at[to++] = au_strdup(list[k]);
            done = true;
        }
        env.n = to;
        if (set && !done)
            au_vec_push(&env, au_strdup(list[k]));
    }
    au_vec_push(&env, NULL);
    return env.at;
}

static au_status find_exe(au_program *p, au_error *err) {
    struct stat st;
    if (stat(p->path, &st))
        return au_error_errno(err, "cannot run '%s'", p->path);
    au_elf e;
    au_status s = au_elf_open(&e, p->path, err);
    if (s != AU_OK)
        return s;
    p->exe_hash = e.hash;
    s = au_elf_recordable(&e, p->path, err);
    au_elf_close(&e);
    if (s == AU_OK && access(p->path, X_OK))
        s = au_error_errno(err, "cannot run '%s'", p->path);
    if (s == AU_OK && !(p->exe = realpath(p->path, NULL)))
        s = au_error_errno(err, "cannot run '%s'", p->path);
    return s;
}

/* With another directory a relative name would mean another file. */
static au_status find_cwd(const char *cwd, au_program *p, au_error *err) {
    if (cwd) {
        char *full = realpath(p->path, NULL);
        if (*p->path != '/' && full) {
            free(p->path);
            p->path = full;
        } else {
            free(full);
        }
    }
    p->cwd = realpath(cwd ? cwd : ".", NULL);
    struct stat st;
    if (!p->cwd || stat(p->cwd, &st))
        return au_error_errno(err, "cannot change to '%s'", cwd ? cwd : ".");
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return au_error_errno(err, "cannot change to '%s'", cwd);
    }
    return AU_OK;
}

au_status au_program_options(const au_opts *o, au_program *p, au_error *err) {
    au_program_init_here(p);
    p->argv = au_list_copy(au_operand_rest(o, 0));
    p->envp = make_env(o);
    p->path = find_program(au_operand(o, 0), err);
    if (!p->path)
        return err->status;
    au_status st = find_exe(p, err);
    if (st == AU_OK)
        st = find_cwd(au_opt_str(o, "cwd"), p, err);
    if (st == AU_OK)
        st = au_libraries_of(p->path, p->envp, p->cwd, &p->libraries, err);
    return st;
}

au_status au_program_of_file(const char *path, char *const *arg, au_program *p, au_error *err) {
    extern char **environ;
    AU_VEC(char *) argv = {0};
    au_program_init_here(p);
    p->stdin_kind = AU_STDIN_NULL;
    p->terminal[0] = p->terminal[1] = p->terminal[2] = false;
    au_vec_push(&argv, au_strdup(path));
    for (; *arg; arg++)
        au_vec_push(&argv, au_strdup(*arg));
    au_vec_push(&argv, NULL);
    p->argv = argv.at;
    p->envp = au_list_copy(environ);
    p->path = au_strdup(path);
    au_status st = find_exe(p, err);
    if (st == AU_OK)
        st = find_cwd(NULL, p, err);
    if (st == AU_OK)
        st = au_libraries_of(p->path, p->envp, p->cwd, &p->libraries, err);
    return st;
}

const char *au_program_name(const au_program *p) {
    const char *slash = strrchr(p->path, '/');
    return slash ? slash + 1 : p->path;
}
