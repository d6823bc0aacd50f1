/* lower/open.c: sources and programs to decoded modules. */
#include "base/alloc.h"
#include "base/deadline.h"
#include "base/temporary.h"
#include "cc/driver.h"
#include "lower/source.h"
#include "retrace/retrace.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_source(const char *path, bool *cxx) {
    static const char *const c[] = {".c", ".i", NULL};
    static const char *const cc[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".ii", NULL};
    const char *dot = strrchr(path, '.');
    *cxx = false;
    if (!dot || strchr(dot, '/'))
        return false;
    for (size_t i = 0; c[i]; i++)
        if (!strcmp(dot, c[i]))
            return true;
    for (size_t i = 0; cc[i]; i++)
        if (!strcmp(dot, cc[i]))
            return *cxx = true;
    return false;
}

/* Errors of today's clang that compilers let pass when much of C was written. */
static const char *const old_c[] = {"-Wno-error=implicit-function-declaration",
                                    "-Wno-error=implicit-int",
                                    "-Wno-error=int-conversion",
                                    "-Wno-error=incompatible-function-pointer-types",
                                    "-Wno-error=return-mismatch",
                                    "-Wno-error=return-type"};
enum { OLD_C = sizeof old_c / sizeof *old_c };

typedef enum { TO_OBJECT, TO_OBJECT_WITHOUT_ASM, TO_PROGRAM } output;

/* A program of files, the options behind them (libraries may be among them); else one file, to an object. */
static au_status compile(const char *const *file, size_t n_files, bool cxx, output what,
                         const char *to, char *const *option, size_t n_options, au_error *err) {
    char **arg = au_alloc_array(n_options + n_files + OLD_C + 8, sizeof *arg);
    bool link = what == TO_PROGRAM;
    const char *path = link ? to : file[0];
    size_t n = 0;
    if (!link)
        arg[n++] = (char *)"-c";
    arg[n++] = (char *)"-g";
    for (size_t i = 0; i < OLD_C && !cxx; i++)
        arg[n++] = (char *)old_c[i];
    for (size_t i = 0; i < n_files && link; i++)
        arg[n++] = (char *)file[i];
    for (size_t i = 0; i < n_options; i++)
        arg[n++] = option[i];
    for (size_t i = 0; i < n_files && !link; i++)
        arg[n++] = (char *)file[i];
    arg[n++] = (char *)"-o";
    arg[n++] = (char *)to;
    au_driver_options d = {.cxx = cxx, .no_asm = what == TO_OBJECT_WITHOUT_ASM, .arg = arg, .n = n};
    au_driver_result r = au_driver_run(&d, err);
    free(arg);
    au_status st = AU_OK;
    switch (r.end) {
    case AU_DRIVER_DONE:
        if (r.status)
            st = au_error_set(err, AU_EFORMAT, "'%s' cannot be %s", path,
                              link ? "linked" : "compiled");
        break;
    case AU_DRIVER_EXEC:
        for (char **s = r.exec; *s; s++)
            free(*s);
        free(r.exec);
        st = au_error_set(err, AU_EUSAGE, "clang does not compile '%s' with these options", path);
        break;
    case AU_DRIVER_SIGNAL:
        st = au_error_set(err, AU_EIO, "stopped while compiling '%s'", path);
        break;
    case AU_DRIVER_FAILED:
        st = err ? err->status : AU_EIO;
        break;
    }
    return st;
}

/* What the user should know of the files. */
typedef struct {
    const char *what;
    const char *file;
    bool lost;
} remark;

typedef struct {
    const char *const *file;
    size_t n;
    char *const *option;
    size_t n_options;
    char *dir;   /* for objects, when the first is made */
    char **path; /* by file: its object, NULL: it is one itself */
    AU_VEC(remark) remark;
} files;

static au_status open_one(files *x, size_t i, au_error *err) {
    bool cxx;
    struct stat there;
    if (stat(x->file[i], &there))
        return au_error_errno(err, "cannot read '%s'", x->file[i]);
    if (!is_source(x->file[i], &cxx))
        return AU_OK;
    if (!x->dir && !(x->dir = au_temporary_directory("augur-scan-", err)))
        return AU_EIO;
    x->path[i] = au_sprintf("%s/%zu.o", x->dir, i);
    au_status st =
        compile(&x->file[i], 1, cxx, TO_OBJECT, x->path[i], x->option, x->n_options, err);
    if (st != AU_EFORMAT)
        return st;
    /* Perhaps it is the assembler: of another machine, in headers that were merged into it. */
    au_error second = AU_ERROR_NONE;
    if (compile(&x->file[i], 1, cxx, TO_OBJECT_WITHOUT_ASM, x->path[i], x->option, x->n_options,
                &second) != AU_OK)
        return st;
    *err = (au_error)AU_ERROR_NONE;
    remark r = {"assembler that does not compile for this machine is skipped in", x->file[i],
                false};
    au_vec_push(&x->remark, r);
    return AU_OK;
}

static au_source *read_all(files *x, const au_source_options *o, au_error *err) {
    const char **from = au_alloc_array(x->n + 1, sizeof *from);
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        if (x->file[i])
            from[n++] = x->path[i] ? x->path[i] : x->file[i];
    char *note;
    au_codes *codes = au_codes_of_files(from, n, &note, err);
    au_source *s = NULL;
    if (codes) {
        size_t count = au_codes_count(codes);
        const struct au_code **code = au_alloc_array(count + 1, sizeof *code);
        for (size_t i = 0; i < count; i++)
            code[i] = au_codes_at(codes, i);
        s = au_source_of_codes(code, count, o, err);
        if (s && note) {
            au_source_over row = {
                .what = au_arena_strndup(&s->arena, note, strlen(note)), .file = "", .count = 1};
            au_vec_push(&s->over, row);
        }
        free(code);
        free(note);
        au_codes_free(codes);
    }
    for (size_t i = 0; s && i < x->remark.n; i++) {
        const remark *r = &x->remark.at[i];
        char *what = au_sprintf("%s '%s'", r->what, r->file);
        au_source_over row = {.what = au_arena_strndup(&s->arena, what, strlen(what)),
                              .file = "",
                              .count = 1,
                              .lost = r->lost};
        au_vec_push(&s->over, row);
        free(what);
    }
    free(from);
    return s;
}

au_source *au_source_read(const char *const *file, size_t n, char *const *option, size_t n_options,
                          const au_source_options *o, au_error *err) {
    const char **list = au_alloc_array(n + 1, sizeof *list);
    files x = {.file = list, .n = n, .option = option, .n_options = n_options};
    x.path = au_alloc_array(n + 1, sizeof *x.path);
    au_error first = AU_ERROR_NONE;
    au_status st = AU_OK;
    size_t left = n;
    for (size_t i = 0; i < n; i++)
        list[i] = file[i];
    for (size_t i = 0; i < n && st == AU_OK; i++) {
        if (au_deadline_over()) {
            st = au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
            break;
        }
        au_error one = AU_ERROR_NONE;
        au_status is = open_one(&x, i, &one);
        if (is == AU_OK)
            continue;
        if (!first.status)
            first = one;
        /* What the others do is worth a look, and what is missing is said. */
        bool his = is == AU_EFORMAT || (is == AU_EIO && !x.path[i]);
        if (!his || !--left) {
            if (err)
                *err = first;
            st = is;
            break;
        }
        remark r = {"a file that cannot be read or compiled:", file[i], true};
        au_vec_push(&x.remark, r);
        list[i] = NULL;
    }
    au_source *s = st == AU_OK ? read_all(&x, o, err) : NULL;
    for (size_t i = 0; i < n; i++)
        free(x.path[i]);
    au_temporary_remove(x.dir);
    au_vec_release(&x.remark);
    free(x.path);
    free(list);
    free(x.dir);
    return s;
}

au_status au_source_link(const char *const *file, size_t n, char *const *option, size_t n_options,
                         const char *program, au_error *err) {
    bool any = false, cxx;
    for (size_t i = 0; i < n; i++)
        any |= is_source(file[i], &cxx) && cxx;
    return compile(file, n, any, TO_PROGRAM, program, option, n_options, err);
}
