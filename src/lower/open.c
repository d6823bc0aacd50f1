/* lower/open.c: sources and programs to decoded modules. */
#include "base/alloc.h"
#include "base/deadline.h"
#include "base/temporary.h"
#include "cc/driver.h"
#include "lower/source.h"
#include "lower/units.h"
#include "retrace/retrace.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
                         const char *to, const au_unit *own, char *const *option, size_t n_options,
                         au_error *err) {
    size_t n_own = own ? own->n_options : 0;
    char **arg = au_alloc_array(n_options + n_own + n_files + OLD_C + 8, sizeof *arg);
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
    for (size_t i = 0; i < n_own; i++)
        arg[n++] = own->option[i];
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
    au_units unit;
    char *const *option;
    size_t n_options;
    char *dir;    /* for objects, when the first is made */
    char **path;  /* by unit: its object, NULL: it is one itself */
    bool *failed; /* by unit: it could not be opened */
    AU_VEC(remark) remark;
} files;

static au_status begin(files *x, const char *const *file, size_t n, char *const *option,
                       size_t n_options, au_error *err) {
    *x = (files){.option = option, .n_options = n_options};
    au_status st = au_units_of(file, n, &x->unit, err);
    x->path = au_alloc_array(x->unit.n + 1, sizeof *x->path);
    x->failed = au_alloc_array(x->unit.n + 1, sizeof *x->failed);
    return st;
}

static void end(files *x) {
    for (size_t i = 0; i < x->unit.n; i++)
        free(x->path[i]);
    au_temporary_remove(x->dir);
    au_vec_release(&x->remark);
    free(x->path);
    free(x->failed);
    free(x->dir);
    au_units_release(&x->unit);
}

static void say(files *x, const char *what, const char *file, bool lost) {
    remark r = {what, file, lost};
    au_vec_push(&x->remark, r);
}

static au_status to_object(files *x, size_t i, bool cxx, output what, au_error *err) {
    const au_unit *u = &x->unit.at[i];
    const char *const file = u->file;
    return compile(&file, 1, cxx, what, x->path[i], u, x->option, x->n_options, err);
}

static au_status open_one(files *x, size_t i, au_error *err) {
    bool cxx;
    struct stat there;
    const char *file = x->unit.at[i].file;
    if (stat(file, &there))
        return au_error_errno(err, "cannot read '%s'", file);
    if (!au_unit_is_source(file, &cxx))
        return AU_OK;
    if (!x->dir && !(x->dir = au_temporary_directory("augur-scan-", err)))
        return AU_EIO;
    x->path[i] = au_sprintf("%s/%zu.o", x->dir, i);
    au_status st = to_object(x, i, cxx, TO_OBJECT, err);
    if (st != AU_EFORMAT)
        return st;
    /* Perhaps it is the assembler: of another machine, in headers that were merged into it. */
    au_error second = AU_ERROR_NONE;
    if (to_object(x, i, cxx, TO_OBJECT_WITHOUT_ASM, &second) != AU_OK)
        return st;
    *err = (au_error)AU_ERROR_NONE;
    say(x, "assembler that does not compile for this machine is skipped in", file, false);
    return AU_OK;
}

static au_source *read_all(files *x, const au_source_options *o, au_error *err) {
    const char **from = au_alloc_array(x->unit.n + 1, sizeof *from);
    size_t n = 0;
    for (size_t i = 0; i < x->unit.n; i++)
        if (!x->failed[i])
            from[n++] = x->path[i] ? x->path[i] : x->unit.at[i].file;
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
    files x;
    au_error first = AU_ERROR_NONE;
    au_status st = begin(&x, file, n, option, n_options, err);
    size_t left = x.unit.n;
    for (size_t i = 0; i < x.unit.n && st == AU_OK; i++) {
        if (au_deadline_over()) {
            st = au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
            break;
        }
        au_error one = AU_ERROR_NONE;
        au_status is = open_one(&x, i, &one);
        if (is == AU_OK && x.unit.at[i].again)
            say(&x, "another compilation, with options of its own, of", x.unit.at[i].file, true);
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
        say(&x, "a file that cannot be read or compiled:", x.unit.at[i].file, true);
        x.failed[i] = true;
    }
    au_source *s = st == AU_OK ? read_all(&x, o, err) : NULL;
    end(&x);
    return s;
}

/* Options of one file are none of another: each becomes an object first. */
static au_status link_objects(files *x, const char **part, au_error *err) {
    bool cxx;
    for (size_t i = 0; i < x->unit.n; i++) {
        part[i] = x->unit.at[i].file;
        if (!au_unit_is_source(part[i], &cxx))
            continue;
        if (!x->dir && !(x->dir = au_temporary_directory("augur-scan-", err)))
            return AU_EIO;
        x->path[i] = au_sprintf("%s/%zu.o", x->dir, i);
        au_status st = to_object(x, i, cxx, TO_OBJECT, err);
        if (st != AU_OK)
            return st;
        part[i] = x->path[i];
    }
    return AU_OK;
}

au_status au_source_link(const char *const *file, size_t n, char *const *option, size_t n_options,
                         const char *program, au_error *err) {
    files x;
    bool any = false, own = false, cxx;
    au_status st = begin(&x, file, n, option, n_options, err);
    const char **part = au_alloc_array(x.unit.n + 1, sizeof *part);
    for (size_t i = 0; i < x.unit.n; i++) {
        part[i] = x.unit.at[i].file;
        any |= au_unit_is_source(part[i], &cxx) && cxx;
        own |= x.unit.at[i].n_options > 0;
    }
    for (size_t i = 0; i < x.unit.n && st == AU_OK; i++)
        if (au_unit_is_narrow(part[i]))
            st = au_error_set(err, AU_EUNSUPPORTED,
                              "'%s' was preprocessed for a machine of 32 bits, whose locks and "
                              "other types of the library are smaller than they are here: scan "
                              "the file that it was made of",
                              part[i]);
    if (st == AU_OK && own)
        st = link_objects(&x, part, err);
    if (st == AU_OK)
        st = compile(part, x.unit.n, any, TO_PROGRAM, program, NULL, option, n_options, err);
    free(part);
    end(&x);
    return st;
}
