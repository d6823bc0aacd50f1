/* cli/show_filter.c: which events 'augur show' prints. */
#include "cli/show.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One end of a range; *s steps over it. 0: there is none. */
static bool parse_end(const char **s, uint64_t *v) {
    *v = 0;
    if (!isdigit((unsigned char)**s))
        return true;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(*s, &end, 10);
    if (errno || !n)
        return false;
    *s = end;
    *v = n;
    return true;
}

/* "A..B", "A..", "..B" or "A". */
static au_status parse_range(const char *text, au_filter *f, au_error *err) {
    const char *s = text;
    uint64_t a, b = 0;
    bool ok = parse_end(&s, &a);
    if (ok && a && !*s) {
        b = a;
    } else if (ok && !strncmp(s, "..", 2)) {
        s += 2;
        ok = parse_end(&s, &b) && !*s && (a || b);
    } else {
        ok = false;
    }
    if (!ok)
        return au_error_set(err, AU_EUSAGE, "'%s' is not a range of event numbers (A..B, from 1)",
                            text);
    if (a && b && a > b)
        return au_error_set(err, AU_EUSAGE, "the range '%s' ends before it begins", text);
    if (a)
        f->first = a - 1;
    if (b)
        f->last = b - 1;
    return AU_OK;
}

au_status au_filter_init(au_filter *f, const au_opts *o, au_error *err) {
    *f = (au_filter){.last = UINT64_MAX, .ops = UINT64_MAX};
    f->thread.want = au_opt_list(o, "thread", &f->thread.n);
    f->var.want = au_opt_list(o, "var", &f->var.n);
    f->lock.want = au_opt_list(o, "lock", &f->lock.n);
    f->by_obj = f->var.n || f->lock.n;
    size_t n_ops;
    char *const *op = au_opt_list(o, "op", &n_ops);
    if (n_ops)
        f->ops = 0;
    for (size_t i = 0; i < n_ops; i++)
        f->ops |= UINT64_C(1) << au_op_by_name(op[i], strlen(op[i]));
    const char *range = au_opt_str(o, "range");
    f->any = f->thread.n || f->by_obj || n_ops || range;
    return range ? parse_range(range, f, err) : AU_OK;
}

void au_filter_release(au_filter *f) {
    au_vec_release(&f->thread.keep);
    au_vec_release(&f->var.keep);
    au_vec_release(&f->lock.keep);
}

static bool is_called(const char *want, const char *name, size_t len) {
    return strlen(want) == len && !memcmp(want, name, len);
}

/* called: by what the program calls its threads as well; NULL: these are no threads. */
static void grow(au_name_filter *f, const au_intern *names, const au_names *called) {
    if (!f->n || f->keep.n == names->n)
        return;
    au_vec_reserve(&f->keep, names->n);
    while (f->keep.n < names->n) {
        uint32_t id = (uint32_t)f->keep.n;
        size_t len = au_intern_len(names, id), i = 0;
        const char *own = called ? au_names_called(called, id) : "";
        while (i < f->n && !is_called(f->want[i], au_intern_str(names, id), len) &&
               (!*own || strcmp(f->want[i], own) != 0))
            i++;
        if (i < 64 && i < f->n)
            f->found |= UINT64_C(1) << i;
        au_vec_push(&f->keep, i < f->n);
    }
}

void au_filter_grow(au_filter *f, const au_names *names) {
    grow(&f->thread, &names->thread, names);
    grow(&f->var, &names->var, NULL);
    grow(&f->lock, &names->lock, NULL);
}

static au_status check(const au_name_filter *f, const au_intern *names, const char *what,
                       const char *file, au_error *err) {
    for (size_t i = 0; i < f->n && i < 64; i++) {
        if (f->found >> i & 1)
            continue;
        const char *near = NULL;
        unsigned best = 3;
        for (uint32_t id = 0; id < names->n && id < 10000; id++) {
            unsigned d = au_edit_distance(f->want[i], au_intern_str(names, id));
            if (d < best) {
                best = d;
                near = au_intern_str(names, id);
            }
        }
        return au_error_set(err, AU_EUSAGE, "no %s '%s' in '%s'%s%s%s", what, f->want[i], file,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return AU_OK;
}

au_status au_filter_check(const au_filter *f, const au_names *names, const char *file,
                          au_error *err) {
    au_status st = check(&f->thread, &names->thread, "thread", file, err);
    if (st == AU_OK)
        st = check(&f->var, &names->var, "variable", file, err);
    if (st == AU_OK)
        st = check(&f->lock, &names->lock, "lock", file, err);
    return st;
}
