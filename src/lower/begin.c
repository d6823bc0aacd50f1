/* lower/begin.c: where a program begins: main, after the constructors of its modules, or the
 * functions that the user names; and what of its life is not followed, so that it is at least said. */
#include "lower/source_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- what is not followed --------------------------------------------------------- */

static const char *const unfollowed[] = {
    [AU_LEFT_CANCEL] = "a cancelled thread: it goes on in the model, and its join need not wait",
    [AU_LEFT_CANCEL_END] = "cleanup handlers of a cancelled thread are not run",
    [AU_LEFT_DATA_END] = "destructors of thread-specific data are not run",
    [AU_LEFT_THREAD_END] = "destructors of thread_local objects are not run",
    [AU_LEFT_EXIT] = "exit handlers are run where they are registered, if at all",
    [AU_LEFT_OBJECTS_END] = "destructors of global objects are not run",
    [AU_LEFT_HANDLER] = "signal handlers are run where they are registered, if at all",
    [AU_LEFT_TIMER] = "the expiry of a timer is not modelled",
    [AU_LEFT_FORK] = "the child process of fork is not modelled",
    [AU_LEFT_CLONE] = "the thread or process that clone creates is not modelled",
    [AU_LEFT_ATFORK] = "fork handlers are not run",
    [AU_LEFT_MAPPED] = "a file that is mapped: what it holds, and that it may be mapped again",
};

/* A destructor or handler that is null is none. */
static bool is_null(const au_code *c, const struct au_code_call *k, uint32_t arg) {
    if (arg >= k->n_args)
        return true;
    au_operand o = c->arg[k->arg + arg].at;
    return o < 0 && c->pool[~o].kind == AU_CONST_NUMBER && c->pool[~o].value <= 1; /* SIG_IGN */
}

static bool is_anonymous(const au_code *c, const struct au_code_call *k) {
    enum { FLAGS = 3 };
    au_operand o = k->n_args > FLAGS ? c->arg[k->arg + FLAGS].at : 0;
    return o < 0 && c->pool[~o].kind == AU_CONST_NUMBER && c->pool[~o].value & MAP_ANONYMOUS;
}

void au_src_name_unfollowed(src *s, uint32_t frame, uint32_t insn, const char *name,
                            const struct au_code_call *k) {
    const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
    const au_libc *l = au_libc_find(name);
    if (!l || !l->left_out)
        return;
    bool second = strstr(name, "key_create") || strstr(name, "signal") ||
                  !strcmp(name, "tss_create") || !strcmp(name, "sigaction");
    if (second && is_null(c, k, 1))
        return;
    if (l->left_out == AU_LEFT_MAPPED && is_anonymous(c, k))
        return;
    bool many = !strncmp(name, "__cxa", 5); /* of every object: said once */
    au_src_lost(s, many ? AU_NONE : frame, insn, "%s", unfollowed[l->left_out]);
}

static void find_cancelling(src *s) {
    for (size_t m = 0; m < s->n_codes; m++)
        for (uint32_t k = 0; k < s->code[m]->n_calls; k++) {
            const struct au_code_call *c = &s->code[m]->call[k];
            s->cancels |= c->name && !strcmp(au_code_text(s->code[m], c->name), "pthread_cancel");
        }
}

/* --- constructors ------------------------------------------------------------------ */

typedef struct {
    uint32_t fn, priority, place;
} constructor;
typedef AU_VEC(constructor) constructors;

enum { ROW = 24 }; /* {i32 priority, ptr function, ptr data} */

static int by_priority(const void *x, const void *y) {
    const constructor *a = x, *b = y;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Functions that llvm.global_ctors (or _dtors) of all modules list, in the order in which they run. */
static void listed(src *s, const char *array, constructors *into) {
    for (uint32_t m = 0; m < s->n_codes; m++) {
        const au_code *c = s->code[m];
        for (uint32_t g = 0; g < c->n_globals; g++) {
            const struct au_code_global *v = &c->global[g];
            if (!v->defined || strcmp(au_code_text(c, v->name), array))
                continue;
            for (uint32_t i = 0; i < v->n_relocs; i++) {
                const struct au_code_reloc *r = &c->reloc[v->reloc + i];
                const struct au_code_const *k = &c->pool[r->constant];
                if (r->offset % ROW != 8 || k->kind != AU_CONST_FUNCTION)
                    continue;
                constructor row = {au_src_fn_by_name(s, m, au_code_text(c, k->index)), 0,
                                   (uint32_t)into->n};
                for (unsigned j = 0; j < 4 && !v->zero; j++)
                    row.priority |= (uint32_t)c->bytes[v->data + r->offset - 8 + j] << 8 * j;
                if (row.fn != AU_NONE)
                    au_vec_push(into, row);
            }
        }
    }
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_priority);
}

static const char *name_of(const src *s, uint32_t fn) {
    return au_code_text(s->fn.at[fn].code, s->fn.at[fn].f->name);
}

static void name_listed(src *s, const char *list, const char *kind, const char *what) {
    constructors all = {0};
    listed(s, list, &all);
    for (size_t i = 0; i < all.n; i++)
        au_src_lost(s, AU_NONE, 0, "%s '%s'%s", kind, name_of(s, all.at[i].fn), what);
    au_vec_release(&all);
}

static void name_destructors(src *s) {
    name_listed(s, "llvm.global_dtors", "destructor", " is not run at exit");
}

/* They run one after the other, in the thread of main, before it. */
static void add_constructors(src *s, uint32_t thread) {
    constructors all = {0};
    listed(s, "llvm.global_ctors", &all);
    for (size_t i = 0; i < all.n; i++) {
        uint32_t frame = au_src_frame_before(s, thread, all.at[i].fn);
        const au_src_fn *f = &s->fn.at[all.at[i].fn]; /* argc, argv, envp: glibc gives them */
        for (uint32_t p = 0; p < f->f->n_params; p++)
            au_src_edge(s, s->handed,
                        s->frame.at[frame].node + (uint32_t)f->code->arg[f->f->param + p].at);
    }
    au_vec_release(&all);
    name_destructors(s);
}

static void name_constructors(src *s) {
    name_listed(s, "llvm.global_ctors", "constructor", " is not run before the entries");
    name_destructors(s);
}

/* --- where it begins -------------------------------------------------------------- */

static uint32_t find_entry(src *s, const char *name) {
    for (uint32_t i = 0; i < s->fn.n; i++)
        if (!strcmp(au_code_text(s->fn.at[i].code, s->fn.at[i].f->name), name))
            return i;
    return AU_NONE;
}

/* Several programs that share sources, or tests beside a program. */
static void name_other_mains(src *s, uint32_t first) {
    for (uint32_t i = first + 1; i < s->fn.n; i++)
        if (!strcmp(name_of(s, i), "main"))
            au_src_lost(s, AU_NONE, 0, "another 'main': give the files of one program at a time");
}

au_status au_src_begin(src *s) {
    find_cancelling(s);
    if (!s->o.n_entries) {
        uint32_t fn = find_entry(s, "main");
        if (fn == AU_NONE)
            return au_error_set(s->err, AU_EUSAGE,
                                "there is no 'main': name the functions to begin with (--entry)");
        name_other_mains(s, fn);
        uint32_t t = au_src_thread_add(s, fn, AU_NONE, AU_NONE, 0, false);
        add_constructors(s, t);
        const au_src_frame *f = &s->frame.at[s->thread.at[t].frame];
        for (uint32_t p = 0; p < s->fn.at[fn].f->n_params; p++)
            au_src_edge(s, s->handed,
                        f->node + (uint32_t)s->fn.at[fn].code->arg[s->fn.at[fn].f->param + p].at);
        return AU_OK;
    }
    name_constructors(s);
    for (size_t e = 0; e < s->o.n_entries; e++) {
        uint32_t fn = find_entry(s, s->o.entry[e]);
        if (fn == AU_NONE)
            return au_error_set(s->err, AU_EUSAGE, "there is no function '%s'", s->o.entry[e]);
        for (uint32_t k = 0; k < s->o.instances; k++) {
            uint32_t t = au_src_thread_add(s, fn, AU_NONE, AU_NONE, k, s->o.instances > 1);
            s->thread.at[t].looping = !s->o.entries_once;
            const au_src_fn *f = &s->fn.at[fn];
            uint32_t node = s->frame.at[s->thread.at[t].frame].node;
            s->frame.at[s->thread.at[t].frame].again = !s->o.entries_once;
            for (uint32_t p = 0; p < f->f->n_params; p++) {
                const struct au_code_arg *a = &f->code->arg[f->f->param + p];
                for (uint32_t j = 0; j < a->slots; j++)
                    au_src_edge(s, s->handed, node + (uint32_t)a->at + j);
            }
        }
    }
    return AU_OK;
}
