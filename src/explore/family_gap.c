/* explore/family_gap.c: what threads may tell each other behind the model's back.
 *
 * "Every interleaving was covered" is about what the model has: memory, synchronisation, branches.
 * A program can also make the order of its threads visible through calls: one thread writes into a
 * pipe and another reads from it, two draw numbers from one generator inside libc, one
 * cancels the other. What such a call gives in another order is not known, so nothing
 * that depends on it is a goal; it is a gap, and is told.
 *
 * A call counts if other threads may run at the same time. Functions are of four kinds: harmless ones, whose
 * result depends on their arguments and on what the model has; those that only tell (write, printf):
 * two of them do not hear each other; those that make trouble by themselves (pthread_cancel); and all others,
 * known or not, which may hear what another thread's call did. Which is which says wire/libc.def ('class', '.gap'). Over all runs of the
 * family: a branch that one run took may call what another run's thread hears. */
#include "base/limits.h"
#include "explore/family_priv.h"

#include "ir/code.h"
#include "retrace/retrace.h"
#include "wire/libc.h"

#include <stdlib.h>
#include <string.h>

/* Alone enough, if other threads may run. */
static const char *const troubling[] = {
    [AU_GAP_ENDED] = "when a cancelled thread ends is not modelled",
    [AU_GAP_LOOKS] = "its result depends on another thread",
    [AU_GAP_SIGNAL] = "when a signal arrives is not modelled",
    [AU_GAP_TIME] = "it may time out",
    [AU_GAP_MAY_FAIL] = "it may fail",
    [AU_GAP_CHANGES] = "its result depends on what other threads change",
};

typedef enum { HARMLESS, TELLS, HEARS } manner;

/* Of sin also sinf and sinl: rows of them all would be many. */
static bool is_harmless(const char *name) {
    char shorter[32];
    size_t n = strlen(name);
    if (au_libc_of(name).class == AU_CLASS_HARMLESS)
        return true;
    if (n < 2 || n > sizeof shorter || (name[n - 1] != 'f' && name[n - 1] != 'l'))
        return false;
    memcpy(shorter, name, n - 1);
    shorter[n - 1] = 0;
    const au_libc *row = au_libc_find(shorter);
    return row && row->class == AU_CLASS_HARMLESS;
}

/* How a recording tells that the program fails (trace/recording_events.c). */
static bool is_failure(const char *name) {
    return !strcmp(name, "assertion failed") || !strcmp(name, "trap") || !strcmp(name, "failure");
}

static manner manner_of(const char *name) {
    if (is_failure(name))
        return HARMLESS;
    if (is_harmless(name))
        return HARMLESS;
    return au_libc_of(name).class == AU_CLASS_DEAF ? TELLS : HEARS;
}

/* ---- one run ---- */

typedef struct {
    au_family *f;
    const au_family_run *r;
    au_map made;     /* heap object: the thread that made it */
    uint64_t *freed; /* by thread: bytes of others' blocks */
} looker;

static const char *place(const looker *k, size_t event) {
    const au_columns *c = &k->r->t->events;
    if (c->loc[event] == AU_NONE || c->loc[event] < AU_LOC_NAMED)
        return "?";
    const char *s = au_intern_str(&k->r->t->names.loc, c->loc[event] - AU_LOC_NAMED);
    const char *slash = strrchr(s, '/');
    return slash ? slash + 1 : s;
}

/* The function that is called is code with hooks: it is followed. */
static bool enters(const au_columns *c, size_t i) {
    for (size_t k = i + 1; k < c->n; k++)
        if (c->thread[k] == c->thread[i])
            return c->op[k] == AU_OP_CALL;
    return false;
}

/* Two calls of different threads, one of which may hear what the other does. */
static void meet(looker *k, size_t event, const char *name, manner how) {
    au_family *f = k->f;
    const char *thread = k->r->path[k->r->t->events.thread[event]];
    if (!thread)
        thread = "?";
    for (size_t i = 0; i < f->call.n; i++) {
        const au_family_call *o = &f->call.at[i];
        if (!strcmp(o->thread, thread) || (how == TELLS && o->tells))
            continue;
        au_family_note_gap(f,
                           "'%s' of %s (%s) and '%s' of %s (%s) may communicate outside the model",
                           o->name, o->thread, o->place, name, thread, place(k, event));
        return;
    }
    /* One of each kind and thread is enough. */
    for (size_t i = 0; i < f->call.n; i++)
        if (!strcmp(f->call.at[i].thread, thread) && f->call.at[i].tells == (how == TELLS))
            return;
    au_vec_push(&f->call, ((au_family_call){au_strdup(thread), au_strdup(name),
                                            au_strdup(place(k, event)), how == TELLS}));
}

/* Results that are not in the model: who was the last at a barrier, what an ended thread gave back. */
static bool looks_at_result(const au_code *c, const struct au_code_call *x, const char *name) {
    if (!x->name || strcmp(au_code_text(c, x->name), name))
        return false;
    if (!strcmp(name, "pthread_barrier_wait"))
        return x->result_used;
    au_operand to = x->n_args > 1 ? c->arg[x->arg + 1].at : 0;
    return to >= 0 || c->pool[~to].kind != AU_CONST_NUMBER || c->pool[~to].value;
}

static void result(looker *k, size_t event, const char *name) {
    for (size_t i = 0; i < au_codes_count(k->f->codes); i++) {
        const au_code *c = au_codes_at(k->f->codes, i);
        for (size_t j = 0; j < c->n_calls; j++)
            if (looks_at_result(c, &c->call[j], name)) {
                au_family_note_gap(k->f, "the result of '%s' (%s) is not modelled", name,
                                   place(k, event));
                return;
            }
    }
}

/* The recording says which calls went into code that nobody knows (trace/recording_opaque.c). */
static bool is_opaque(const au_columns *c, size_t event) {
    return c->any_value && c->has_value[event] && c->value[event];
}

static void call(looker *k, size_t event) {
    const char *name = au_intern_str(&k->r->t->names.block, k->r->t->events.obj[event]);
    if (is_opaque(&k->r->t->events, event)) {
        au_family_note_gap(k->f, "'%s' (%s) has no hooks, and what it does is not known", name,
                           place(k, event));
        return;
    }
    const au_libc *row = au_libc_find(name);
    if (row && row->gap) {
        au_family_note_gap(k->f, "'%s' (%s): %s", name, place(k, event), troubling[row->gap]);
        return;
    }
    if (row && row->result_counts)
        result(k, event, name);
    /* Whoever comes first is treated otherwise than the rest. */
    bool first_come = row && row->class == AU_CLASS_FIRST;
    manner how = first_come ? HEARS : manner_of(name);
    if (how != HARMLESS && (first_come || !enters(&k->r->t->events, event)))
        meet(k, event, name, how);
}

/* A thread uses again what it frees itself, also blocks of others, but not without end: then they go back to
 * their makers, and what those get next depends on when that is (rt/arena.c). */
static void heap(looker *k, size_t event) {
    const au_columns *c = &k->r->t->events;
    const au_names *names = &k->r->t->names;
    uint32_t thread = c->thread[event], v = c->obj[event];
    if (v == AU_NONE || strncmp(au_intern_str(&names->var, v), "heap(", 5))
        return;
    if (c->op[event] == AU_OP_ALLOC) {
        *au_map_put(&k->made, v, NULL) = thread;
        return;
    }
    const uint64_t *maker = au_map_find(&k->made, v);
    if (!maker || *maker == thread || v >= names->extent.n)
        return;
    uint64_t before = k->freed[thread];
    k->freed[thread] += names->extent.at[v].n;
    if (before <= AU_LIMIT_EXPLORE_HEAP && k->freed[thread] > AU_LIMIT_EXPLORE_HEAP)
        au_family_note_gap(
            k->f, "%s",
            au_limit_say_at(AU_AT_EXPLORE_HEAP, place(k, event), 0, 0, (char[AU_LIMIT_TEXT]){0}));
}

void au_family_find_gaps(au_family *f, const au_family_run *r) {
    const au_columns *c = &r->t->events;
    size_t threads = r->t->names.thread.n;
    looker k = {.f = f, .r = r};
    k.freed = au_alloc_array(threads, sizeof *k.freed);
    au_map_init(&k.made);
    uint64_t others = 0; /* made and not joined; if there are none, only the first thread runs */
    for (size_t i = 0; i < c->n; i++) {
        bool counts = others || c->thread[i];
        others += c->op[i] == AU_OP_FORK;
        others -= c->op[i] == AU_OP_JOIN && others;
        if (c->op[i] == AU_OP_XCALL && counts && c->obj[i] != AU_NONE)
            call(&k, i);
        else if (c->op[i] == AU_OP_ALLOC || c->op[i] == AU_OP_FREE)
            heap(&k, i);
    }
    au_map_release(&k.made);
    free(k.freed);
}
