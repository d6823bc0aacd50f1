/* cc/link.c: linker jobs.
 *
 * A program gets the whole runtime right behind the start files, so that its definitions
 * come before everybody else's, and its symbols are exported dynamically: shared libraries
 * (libstdc++ first of all) must call our pthread_create, and shared objects that were built
 * by `augur cc` find their hooks there. Shared objects get nothing and keep the hooks
 * undefined. A relocatable link (-r) is left alone. */
#include "cc/driver_priv.h"

#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

au_link_kind au_link_understand(const au_job *j) {
    const char *name = base_name(j->arg.at[0]);
    bool linker = !strncmp(name, "ld", 2) || strstr(name, "-ld") || !strcmp(name, "mold") ||
                  !strcmp(name, "lld") || !strncmp(name, "collect2", 8);
    if (!linker || au_job_has(j, "-cc1"))
        return AU_LINK_NONE;
    bool shared = false;
    for (size_t i = 1; i < j->arg.n; i++) {
        const char *s = j->arg.at[i];
        if (!strcmp(s, "-o"))
            i++;
        else if (!strcmp(s, "-r") || !strcmp(s, "--relocatable") || !strcmp(s, "-i"))
            return AU_LINK_UNTOUCHED;
        else if (!strcmp(s, "-shared") || !strcmp(s, "--shared") || !strcmp(s, "-Bshareable"))
            shared = true;
    }
    return shared ? AU_LINK_SHARED : AU_LINK_PROGRAM;
}

bool au_link_has_libc(const au_job *j) {
    for (size_t i = 1; i < j->arg.n; i++) {
        const char *s = j->arg.at[i], *name = base_name(s);
        if (!strcmp(s, "-lc") || !strncmp(name, "libc.so", 7) || !strcmp(name, "libc.a"))
            return true;
    }
    return false;
}

const char *au_link_refusal(const au_job *j) {
    size_t m = au_job_option(j, "-m");
    if (m && strcmp(j->arg.at[m], "elf_x86_64"))
        return "only programs for x86_64 (64 bits) can be recorded";
    /* clang passes "-static" and "-static" "-pie" this way to the linker */
    if (au_link_understand(j) == AU_LINK_PROGRAM &&
        (au_job_has(j, "-static") || au_job_has(j, "-Bstatic-pie")) && au_link_has_libc(j) &&
        !au_job_has(j, "-dynamic-linker"))
        return "a statically linked program cannot be recorded: calls of the C library cannot be "
               "wrapped; link without '-static'";
    return NULL;
}

/* "-z" "defs", "-zdefs", "--no-undefined" (one or two dashes): how many arguments, 0 if none. */
static size_t no_undefined(const au_job *j, size_t i) {
    const char *s = j->arg.at[i];
    if (!strcmp(s, "-z") && i + 1 < j->arg.n && !strcmp(j->arg.at[i + 1], "defs"))
        return 2;
    return !strcmp(s, "-zdefs") || !strcmp(s, "--no-undefined") || !strcmp(s, "-no-undefined");
}

bool au_link_insists(const au_job *j) {
    for (size_t i = 1; i < j->arg.n; i++)
        if (no_undefined(j, i))
            return true;
    return false;
}

/* What the user wants stripped is needed by a debugger that looks at a replay. */
static bool strips(const char *s) {
    return !strcmp(s, "-s") || !strcmp(s, "-S") || !strcmp(s, "--strip-all") ||
           !strcmp(s, "--strip-debug");
}

/* Behind "-o" "x" and the start files that follow it. */
static size_t place(const au_job *j) {
    size_t i = au_job_option(j, "-o");
    if (!i)
        return 1;
    for (i++; i < j->arg.n; i++) {
        const char *name = base_name(j->arg.at[i]);
        size_t n = strlen(name);
        if (n < 4 || strcmp(name + n - 2, ".o") || !strstr(name, "crt"))
            break;
    }
    return i;
}

static void add_runtime(au_arg_list *out, const char *runtime) {
    au_line_add(out, "--whole-archive");
    au_line_add(out, runtime);
    au_line_add(out, "--no-whole-archive");
}

/* "--exclude-libs" "ALL" and its forms hide what archives define, the runtime too; in a
 * program they do nothing else. How many arguments, 0 if none. */
static size_t hides_archives(const au_job *j, size_t i) {
    const char *s = j->arg.at[i];
    s += *s == '-' && s[1] == '-'; /* one dash or two */
    if (strncmp(s, "-exclude-libs", 13))
        return 0;
    return s[13] == '=' ? 1 : !s[13] && i + 1 < j->arg.n ? 2 : 0;
}

void au_link_program(au_arg_list *out, const au_job *j, const char *runtime, const char *exports) {
    size_t at = place(j);
    char *list = au_sprintf("--dynamic-list=%s", exports);
    for (size_t i = 0; i <= j->arg.n; i++) {
        if (i == at) {
            au_line_add(out, au_arena_strndup(out->arena, list, strlen(list)));
            add_runtime(out, runtime);
        }
        size_t hides = i < j->arg.n ? hides_archives(j, i) : 0;
        if (hides)
            i += hides - 1;
        else if (i < j->arg.n && !strips(j->arg.at[i]))
            au_line_add(out, j->arg.at[i]);
    }
    free(list);
}

void au_link_shared(au_arg_list *out, const au_job *j) {
    for (size_t i = 0; i < j->arg.n; i++) {
        size_t k = i ? no_undefined(j, i) : 0;
        if (k)
            i += k - 1;
        else if (!strips(j->arg.at[i]))
            au_line_add(out, j->arg.at[i]);
    }
}

/* "--defsym=__augur_x=0" for every hook in the file, which has one name a line. */
static au_status define_hooks(au_arg_list *out, const char *exports, au_error *err) {
    FILE *f = fopen(exports, "r");
    if (!f)
        return au_error_errno(err, "cannot open '%s'", exports);
    char line[256], name[200];
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " %199[A-Za-z0-9_];", name) != 1 || strncmp(name, "__augur_", 8))
            continue;
        char *arg = au_sprintf("--defsym=%s=0", name);
        au_line_add(out, au_arena_strndup(out->arena, arg, strlen(arg)));
        free(arg);
    }
    fclose(f);
    return AU_OK;
}

au_status au_link_trial(au_arg_list *out, const au_job *j, const char *exports, const char *output,
                        au_error *err) {
    size_t o = au_job_option(j, "-o");
    for (size_t i = 0; i < j->arg.n; i++)
        au_line_add(out, o && i == o ? output : j->arg.at[i]);
    if (!o) {
        au_line_add(out, "-o");
        au_line_add(out, output);
    }
    return define_hooks(out, exports, err);
}
