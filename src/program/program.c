#include "program/program.h"

#include "base/out.h"
#include "base/vec.h"
#include "base/worker.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const policy_name[] = {
    [AU_POLICY_OS] = "os", [AU_POLICY_RANDOM] = "random", [AU_POLICY_PCT] = "pct"};
enum { POLICIES = sizeof policy_name / sizeof *policy_name };
static const char *const stdin_name[] = {[AU_STDIN_NONE] = "none",
                                         [AU_STDIN_NULL] = "null",
                                         [AU_STDIN_FILE] = "file",
                                         [AU_STDIN_PIPE] = "pipe"};
enum { STDIN_KINDS = sizeof stdin_name / sizeof *stdin_name };

const char *au_policy_name(uint32_t policy) {
    return policy < POLICIES ? policy_name[policy] : "?";
}

static int index_of(const char *const *names, int n, const char *s) {
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], s))
            return i;
    return -1;
}

int au_policy_by_name(const char *name) {
    return index_of(policy_name, POLICIES, name);
}

char **au_list_copy(char *const *list) {
    size_t n = 0;
    while (list[n])
        n++;
    char **copy = au_alloc_array(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = au_strdup(list[i]);
    return copy;
}

void au_list_free(char **list) {
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

/* ---- here ---- */

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int *au_open_fds(size_t *n) {
    AU_VEC(int) v = {0};
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        int fd = atoi(e->d_name);
        int flags = *e->d_name == '.' ? -1 : fcntl(fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC) && fd != AU_CONTROL_FD)
            au_vec_push(&v, fd);
    }
    if (d)
        closedir(d);
    if (v.n)
        qsort(v.at, v.n, sizeof *v.at, by_number);
    *n = v.n;
    return v.at;
}

static int kind_of_stdin(void) {
    struct stat st;
    if (fstat(STDIN_FILENO, &st))
        return AU_STDIN_NONE;
    if (S_ISREG(st.st_mode))
        return AU_STDIN_FILE;
    if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
        return AU_STDIN_NULL;
    return AU_STDIN_PIPE;
}

void au_program_init_here(au_program *p) {
    *p = (au_program){0};
    for (int i = 0; i < 3; i++)
        p->terminal[i] = isatty(i);
    p->stdin_kind = kind_of_stdin();
    p->fds = au_open_fds(&p->n_fds);
    struct rlimit r;
    p->stack_limit = getrlimit(RLIMIT_STACK, &r) ? 0 : r.rlim_cur;
    struct utsname u;
    p->kernel = au_strdup(uname(&u) ? "?" : u.release);
    p->cpus = au_cores();
}

void au_program_release(au_program *p) {
    free(p->path);
    free(p->exe);
    free(p->cwd);
    free(p->kernel);
    free(p->fds);
    au_list_free(p->argv);
    au_list_free(p->envp);
    au_list_free(p->libraries);
    *p = (au_program){0};
}

/* ---- into META ---- */

static void put_list(au_recording_out *w, const char *key, char *const *list) {
    au_out *o = au_out_memory();
    for (size_t i = 0; list && list[i]; i++) {
        for (const char *s = list[i]; *s; s++) {
            if (*s == '\\')
                au_out_str(o, "\\\\");
            else if (*s == '\n')
                au_out_str(o, "\\n");
            else
                au_out_char(o, *s);
        }
        au_out_char(o, '\n');
    }
    au_recording_meta(w, key, au_out_memory_data(o, NULL));
    au_out_abandon(o);
}

static void put_number(au_recording_out *w, const char *key, uint64_t v) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    au_recording_meta(w, key, text);
}

void au_program_put(const au_program *p, au_recording_out *w) {
    char text[32];
    au_recording_meta(w, "program", p->path);
    au_recording_meta(w, "exe", p->exe);
    snprintf(text, sizeof text, "%016" PRIx64, p->exe_hash);
    au_recording_meta(w, "exe-hash", text);
    put_list(w, "argv", p->argv);
    put_list(w, "env", p->envp);
    au_recording_meta(w, "cwd", p->cwd);
    put_list(w, "libraries", p->libraries);
    au_recording_meta(w, "schedule", au_policy_name(p->plan.policy));
    put_number(w, "seed", p->plan.seed);
    put_number(w, "switch-every", p->plan.switch_every);
    put_number(w, "pct-depth", p->plan.pct_depth);
    put_number(w, "max-events", p->plan.max_events);
    au_recording_meta(w, "randomized", p->plan.no_randomize ? "no" : "yes");
    au_recording_meta(w, "stdin", stdin_name[p->stdin_kind]);
    au_out *o = au_out_memory();
    for (int i = 0; i < 3; i++)
        if (p->terminal[i])
            au_out_printf(o, "%d ", i);
    au_recording_meta(w, "terminals", au_out_memory_data(o, NULL));
    au_out_abandon(o);
    o = au_out_memory();
    for (size_t i = 0; i < p->n_fds; i++)
        au_out_printf(o, "%d ", p->fds[i]);
    au_recording_meta(w, "descriptors", au_out_memory_data(o, NULL));
    au_out_abandon(o);
    if (p->stack_limit == RLIM_INFINITY)
        au_recording_meta(w, "stack-limit", "unlimited");
    else
        put_number(w, "stack-limit", p->stack_limit);
    au_recording_meta(w, "kernel", p->kernel);
    put_number(w, "cpus", p->cpus);
}

/* ---- from META ---- */

struct from {
    au_meta_get *get;
    void *ctx;
    au_error *err;
    au_status status;
};

static const char *need(struct from *f, const char *key) {
    const char *v = f->get(f->ctx, key);
    if (!v && f->status == AU_OK)
        f->status = au_error_set(f->err, AU_EFORMAT,
                                 "the trace has no '%s': it is not a recording of a program", key);
    return v ? v : "";
}

static uint64_t need_number(struct from *f, const char *key, int base) {
    const char *v = need(f, key);
    char *end;
    uint64_t x = strtoull(v, &end, base);
    if ((end == v || *end || *v == '-') && f->status == AU_OK)
        f->status =
            au_error_set(f->err, AU_EFORMAT, "the trace's '%s' is '%s', not a number", key, v);
    return x;
}

static char **need_list(struct from *f, const char *key) {
    const char *v = need(f, key);
    AU_VEC(char *) list = {0};
    au_out *o = au_out_memory();
    size_t n, done = 0;
    for (; *v; v++) {
        if (*v == '\n') {
            const char *item = au_out_memory_data(o, &n) + done;
            au_vec_push(&list, au_strdup(item));
            au_out_char(o, 0);
            done = n + 1;
        } else if (*v == '\\' && v[1]) {
            v++;
            au_out_char(o, *v == 'n' ? '\n' : *v);
        } else {
            au_out_char(o, *v);
        }
    }
    au_out_abandon(o);
    au_vec_push(&list, NULL);
    return list.at;
}

static void need_fds(struct from *f, au_program *p) {
    AU_VEC(int) fds = {0};
    const char *v = need(f, "descriptors");
    for (char *end; *v; v = end) {
        long x = strtol(v, &end, 10);
        if (end == v)
            break;
        if (x >= 0 && x < 1 << 20 && (!fds.n || x > au_vec_last(&fds)))
            au_vec_push(&fds, (int)x);
    }
    p->fds = fds.at;
    p->n_fds = fds.n;
}

au_status au_program_get(au_program *p, au_meta_get *get, void *ctx, au_error *err) {
    struct from f = {get, ctx, err, AU_OK};
    *p = (au_program){0};
    p->path = au_strdup(need(&f, "program"));
    p->exe = au_strdup(need(&f, "exe"));
    p->exe_hash = need_number(&f, "exe-hash", 16);
    p->argv = need_list(&f, "argv");
    p->envp = need_list(&f, "env");
    p->cwd = au_strdup(need(&f, "cwd"));
    p->libraries = need_list(&f, "libraries");
    int policy = au_policy_by_name(need(&f, "schedule"));
    p->plan.policy = policy < 0 ? AU_POLICY_OS : (uint32_t)policy;
    p->plan.seed = need_number(&f, "seed", 10);
    p->plan.switch_every = need_number(&f, "switch-every", 10);
    p->plan.pct_depth = (uint32_t)need_number(&f, "pct-depth", 10);
    p->plan.max_events = need_number(&f, "max-events", 10);
    p->plan.no_randomize = !strcmp(need(&f, "randomized"), "no");
    int kind = index_of(stdin_name, STDIN_KINDS, need(&f, "stdin"));
    p->stdin_kind = kind < 0 ? AU_STDIN_NONE : kind;
    for (const char *v = need(&f, "terminals"); *v; v++)
        if (*v >= '0' && *v <= '2')
            p->terminal[*v - '0'] = true;
    need_fds(&f, p);
    const char *limit = need(&f, "stack-limit");
    p->stack_limit =
        !strcmp(limit, "unlimited") ? RLIM_INFINITY : need_number(&f, "stack-limit", 10);
    p->kernel = au_strdup(need(&f, "kernel"));
    p->cpus = (unsigned)need_number(&f, "cpus", 10);
    if (f.status == AU_OK && (!p->argv[0] || !*p->path))
        f.status = au_error_set(err, AU_EFORMAT, "the trace names no program");
    if (f.status != AU_OK)
        au_program_release(p);
    return f.status;
}
