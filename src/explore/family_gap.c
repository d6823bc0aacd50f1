/* explore/family_gap.c: what threads may tell each other behind the model's back.
 *
 * "Every interleaving was covered" is about what the model has: memory, synchronisation, branches. It is
 * said on a positive list: every call of a function without hooks, from the first thread that is made on, is
 *   harmless   modelled, or its result depends on its arguments alone; the runtime tells the memory it touches;
 *   telling    it only puts out (printf): two of them do not hear each other;
 *   hearing    its result may depend on what other calls did: alone it is as good as harmless, but with a call
 *              that tells or hears, in another thread or before it, it is a gap;
 * or it is a gap by itself: it may touch memory and tells nobody which, or its row says why (pthread_cancel).
 * Some have a hidden state of their own (clocks, handlers of signals, keys) and meet only their like. Which is which
 * says wire/libc.def ('class', '.gap', '.hidden'). Over all runs of the family: a branch that one run took may call
 * what another run's thread hears. What is gone by when threads start (a file that was read) counts for nothing,
 * but for what stays (another process, a mapping that is shared).
 *
 * Gaps that are no calls: atomics that are weaker than seq_cst, locks whose kind the model does not have, objects that are
 * destroyed while others may use them, wrong uses while other threads run, threads that the end of the program cut off. */
#include "base/demangle.h"
#include "base/limits.h"
#include "explore/family_priv.h"

#include "ir/code.h"
#include "retrace/retrace.h"
#include "wire/libc.h"
#include "wire/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Alone enough, if other threads may run; from AU_GAP_ALWAYS on, whenever it is called. */
static const char *const troubling[] = {
    [AU_GAP_ENDED] = "when a cancelled thread ends is not modelled",
    [AU_GAP_LOOKS] = "its result depends on another thread",
    [AU_GAP_SIGNAL] = "when a signal arrives is not modelled",
    [AU_GAP_TIME] = "it may time out",
    [AU_GAP_MAY_FAIL] = "it may fail",
    [AU_GAP_CHANGES] = "its result depends on what other threads change",
    [AU_GAP_PROCESS] = "what another process does is not covered",
    [AU_GAP_TIMER] = "when a timer's signal arrives is not modelled",
    [AU_GAP_NOTICE] = "when its notification arrives is not modelled",
    [AU_GAP_MAPPED] = "memory with several addresses is not covered",
    [AU_GAP_OPENMP] =
        "OpenMP: who gets which chunk of a loop and which task is as in the recording",
};

typedef enum { HARMLESS, TELLS, HEARS, TOUCHES } manner;

/* ---- the positive list ---- */

/* The runtime tells what memory it touches, or it touches none of the program's. */
static bool is_told(const char *name, const au_libc *row) {
    switch (row->does) {
    case AU_DOES_UNSTATED: /* families state it of all their functions */
    case AU_DOES_QUIET:
        return row->runtime >= AU_RUNTIME_STANDS || !au_libc_find(name);
    case AU_DOES_MEMORY:
    case AU_DOES_ALLOC:
    case AU_DOES_REALLOC:
    case AU_DOES_CALLBACK:
        return row->runtime >= AU_RUNTIME_STANDS || !row->args || !strpbrk(row->args, "rwbpPkf");
    default:
        return true;
    }
}

static bool is_harmless(const char *name) {
    au_libc row = au_libc_of(name);
    if (row.does == AU_DOES_SYNC && row.class != AU_CLASS_FIRST)
        return true;
    return row.does == AU_DOES_SPECIFIC || (row.class == AU_CLASS_HARMLESS && is_told(name, &row));
}

/* Of sin also sinf and sinl: rows of them all would be many. */
static bool is_harmless_kin(const char *name) {
    char shorter[32];
    size_t n = strlen(name);
    if (n < 2 || n > sizeof shorter || (name[n - 1] != 'f' && name[n - 1] != 'l'))
        return false;
    memcpy(shorter, name, n - 1);
    shorter[n - 1] = 0;
    const au_libc *row = au_libc_find(shorter);
    return !au_libc_find(name) && row && row->class == AU_CLASS_HARMLESS &&
           row->does == AU_DOES_PURE;
}

/* How a recording tells that the program fails (trace/recording_events.c). */
static bool is_failure(const char *name) {
    return !strcmp(name, "assertion failed") || !strcmp(name, "trap") || !strcmp(name, "failure");
}

enum { LAST = UINT16_MAX };

/* Does this hold of an argument (LAST: of the last) of every call of the function in the program's code? */
static bool always(const au_family *f, const char *name, uint32_t arg, bool (*holds)(uint64_t)) {
    for (size_t i = 0; i < au_codes_count(f->codes); i++) {
        const au_code *c = au_codes_at(f->codes, i);
        for (size_t j = 0; j < c->n_calls; j++) {
            const struct au_code_call *x = &c->call[j];
            if (!x->name || strcmp(au_code_text(c, x->name), name))
                continue;
            uint32_t k = arg == LAST && x->n_args ? x->n_args - 1 : arg;
            au_operand at = k < x->n_args ? c->arg[x->arg + k].at : 0;
            if (at >= 0 || c->pool[~at].kind != AU_CONST_NUMBER || !holds(c->pool[~at].value))
                return false;
        }
    }
    return true;
}

/* Only reads, and only what nobody writes: texts of the program. */
static bool reads_constants(const au_code *c, const struct au_code_call *x, const char *args) {
    for (uint32_t i = 0; args[i]; i++) {
        if (args[i] == '-')
            continue;
        au_operand at = i < x->n_args ? c->arg[x->arg + i].at : 0;
        if (args[i] != 'r' || at >= 0 || c->pool[~at].kind != AU_CONST_GLOBAL ||
            !c->global[c->pool[~at].index].constant)
            return false;
    }
    return true;
}

static bool always_reads_constants(const au_family *f, const char *name, const au_libc *row) {
    if (row->does != AU_DOES_MEMORY || !row->args)
        return false;
    for (size_t i = 0; i < au_codes_count(f->codes); i++) {
        const au_code *c = au_codes_at(f->codes, i);
        for (size_t j = 0; j < c->n_calls; j++)
            if (c->call[j].name && !strcmp(au_code_text(c, c->call[j].name), name) &&
                !reads_constants(c, &c->call[j], row->args))
                return false;
    }
    return true;
}

static bool is_seq_cst(uint64_t order) {
    return (uint32_t)order == __ATOMIC_SEQ_CST;
}
static bool is_standard(uint64_t descriptor) {
    return (uint32_t)descriptor == 1 || (uint32_t)descriptor == 2;
}
static bool is_private(uint64_t flags) {
    return !(flags & MAP_SHARED) || flags & MAP_ANONYMOUS;
}

static manner manner_of(const au_family *f, const char *name) {
    if (is_failure(name) || is_harmless(name) || is_harmless_kin(name))
        return HARMLESS;
    au_libc row = au_libc_of(name);
    if (row.class == AU_CLASS_DEAF)
        return !row.descriptor || always(f, name, 0, is_standard) ? TELLS : HEARS;
    bool constants = always_reads_constants(f, name, &row);
    if (row.class == AU_CLASS_HARMLESS)
        return constants ? HARMLESS : TOUCHES;
    return constants || row.runtime >= AU_RUNTIME_STANDS || row.does == AU_DOES_PURE ||
                   row.does == AU_DOES_NONDET
               ? HEARS
               : TOUCHES;
}

/* ---- one run ---- */

typedef struct {
    au_family *f;
    const au_family_run *r;
    au_map made;     /* heap object: the thread that made it */
    uint64_t *freed; /* by thread: bytes of others' blocks */
    size_t *sent;    /* by thread: 1 + its first call that sends something, 0 */
} looker;

static const char *place(const looker *k, size_t event) {
    const au_columns *c = &k->r->t->events;
    if (c->loc[event] == AU_NONE || c->loc[event] < AU_LOC_NAMED)
        return "?";
    const char *s = au_intern_str(&k->r->t->names.loc, c->loc[event] - AU_LOC_NAMED);
    const char *slash = strrchr(s, '/');
    return slash ? slash + 1 : s;
}

/* Is it called by its name? Else it is named after the function that calls it. */
static bool by_name(const au_family *f, const char *name) {
    for (size_t i = 0; i < au_codes_count(f->codes); i++) {
        const au_code *c = au_codes_at(f->codes, i);
        for (size_t j = 0; j < c->n_calls; j++)
            if (c->call[j].name && !strcmp(au_code_text(c, c->call[j].name), name))
                return true;
    }
    return false;
}

/* Is 'linked' the linker's name of the function that the user calls 'written'? */
static bool is_same(const char *linked, const char *written) {
    char part[300];
    if (strncmp(linked, "_Z", 2))
        return !strcmp(linked, written);
    const char *colon = strrchr(written, ':');
    const char *last = colon ? colon + 1 : written;
    last += *last == '~';
    int n = (int)strcspn(last, "<( ");
    snprintf(part, sizeof part, "%d%.*s", n, n, last);
    return strstr(linked, part) || !strncmp(last, "operator", 8);
}

/* The function that is called is code with hooks: it is followed. Not if it calls such code back. */
static bool enters(const looker *k, size_t i, const char *name) {
    const au_columns *c = &k->r->t->events;
    for (size_t e = i + 1; e < c->n; e++)
        if (c->thread[e] == c->thread[i])
            return c->op[e] == AU_OP_CALL &&
                   (!by_name(k->f, name) ||
                    (c->obj[e] != AU_NONE &&
                     is_same(name, au_intern_str(&k->r->t->names.block, c->obj[e]))));
    return false;
}

static void note_meeting(looker *k, const au_family_call *o, size_t event, const char *name,
                         const char *thread) {
    au_family_note_gap(k->f,
                       "'%s' of %s (%s) and '%s' of %s (%s) may communicate outside the model",
                       o->name, o->thread, o->place, name, thread, place(k, event));
}

/* What a thread sends it may hear again itself: the value went outside of the model. */
static void meet_itself(looker *k, size_t event, const char *name, manner how, const char *thread) {
    size_t *sent = &k->sent[k->r->t->events.thread[event]];
    if (how == HEARS && *sent) {
        const char *first = au_intern_str(&k->r->t->names.block, k->r->t->events.obj[*sent - 1]);
        au_family_call o = {(char *)thread, (char *)first, (char *)place(k, *sent - 1), false, 0};
        note_meeting(k, &o, event, name, thread);
    }
    if (!*sent && (how == TELLS || au_libc_of(name).channel & AU_CHANNEL_SENDS))
        *sent = event + 1;
}

/* Two calls, one of which may hear what the other does. hidden: the state that it is about. */
static void meet(looker *k, size_t event, const char *name, manner how, uint8_t hidden) {
    au_family *f = k->f;
    bool tells = how == TELLS;
    const char *thread = k->r->path[k->r->t->events.thread[event]];
    if (!thread)
        thread = "?";
    if (!hidden)
        meet_itself(k, event, name, how, thread);
    for (size_t i = 0; i < f->call.n; i++) {
        const au_family_call *o = &f->call.at[i];
        if (o->hidden != hidden || (tells && o->tells) || !strcmp(o->thread, thread))
            continue;
        note_meeting(k, o, event, name, thread);
        return;
    }
    /* One of each kind and thread is enough. */
    for (size_t i = 0; i < f->call.n; i++) {
        const au_family_call *o = &f->call.at[i];
        if (!strcmp(o->thread, thread) && o->tells == tells && o->hidden == hidden)
            return;
    }
    au_vec_push(&f->call, ((au_family_call){au_strdup(thread), au_strdup(name),
                                            au_strdup(place(k, event)), tells, hidden}));
}

/* Results that are not in the model: who was the last at a barrier, what an ended thread gave back. */
static bool looks_at_result(const au_code *c, const struct au_code_call *x, const char *name) {
    if (!x->name || strcmp(au_code_text(c, x->name), name))
        return false;
    const au_libc *row = au_libc_find(name);
    if (!row || row->sync != AU_SYNC_JOIN)
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

/* Does another thread touch what this event does? */
static bool is_shared(const au_columns *c, size_t event) {
    for (size_t i = 0; i < c->n; i++)
        if (au_op_is_access(c->op[i]) && c->obj[i] == c->obj[event] &&
            c->thread[i] != c->thread[event])
            return true;
    return false;
}

/* The time is read to say until when the next call waits, and nothing else becomes of it. */
static bool is_deadline(const looker *k, size_t event) {
    const au_columns *c = &k->r->t->events;
    for (size_t i = event + 1; i < c->n; i++) {
        if (c->thread[i] != c->thread[event])
            continue;
        if (c->op[i] == AU_OP_XCALL && c->obj[i] != AU_NONE) {
            const au_libc *row = au_libc_find(au_intern_str(&k->r->t->names.block, c->obj[i]));
            return row && row->deadline;
        }
        if (au_op_is_access(c->op[i]) && c->op[i] != AU_OP_READ && is_shared(c, i))
            return false;
    }
    return false;
}

static void note_weak(au_family *f) {
    au_family_note_gap(f, "weak memory: atomics weaker than seq_cst ran, and only sequentially "
                          "consistent memory is modelled");
}

/* "'f' (a.c:12) has no hooks …", of what is called there. */
static void note_call(looker *k, size_t event, const char *rest) {
    char *name = au_demangle(au_intern_str(&k->r->t->names.block, k->r->t->events.obj[event]));
    au_family_note_gap(k->f, "'%s' (%s) has no hooks%s", name, place(k, event), rest);
    free(name);
}

/* While other threads may run ('others'), or when they have run. */
static void call(looker *k, size_t event, bool others) {
    const char *name = au_intern_str(&k->r->t->names.block, k->r->t->events.obj[event]);
    if (is_opaque(&k->r->t->events, event)) {
        note_call(k, event, ", and what it does is not known");
        return;
    }
    const au_libc *row = au_libc_find(name);
    if (row && row->gap && others && row->gap < AU_GAP_ALWAYS)
        au_family_note_gap(k->f, "'%s' (%s): %s", name, place(k, event), troubling[row->gap]);
    if (row && row->result_counts && others)
        result(k, event, name);
    /* The compiler's functions for large atomics: their order is an argument, the last one. */
    if (!strncmp(name, "__atomic_", 9) && !always(k->f, name, LAST, is_seq_cst))
        note_weak(k->f);
    /* Whoever comes first is treated otherwise than the rest. */
    bool first_come = row && row->class == AU_CLASS_FIRST;
    manner how = first_come ? HEARS : manner_of(k->f, name);
    if (row && row->hidden) {
        if (others && !(row->hidden == AU_HIDDEN_CLOCK && is_deadline(k, event)))
            meet(k, event, name, HEARS, row->hidden);
        return;
    }
    if (how == HARMLESS || (first_come && !others) || (!first_come && enters(k, event, name)))
        return;
    if (how == TOUCHES)
        note_call(k, event, ": what it reads and writes is not modelled");
    else
        meet(k, event, name, how, 0);
}

/* Whenever it is called. */
static void lasting(looker *k, size_t event) {
    const char *name = au_intern_str(&k->r->t->names.block, k->r->t->events.obj[event]);
    const au_libc *row = au_libc_find(name);
    k->f->outside |= row && row->left_out == AU_LEFT_HANDLER; /* whoever sends that signal */
    if (!row || row->gap < AU_GAP_ALWAYS)
        return;
    k->f->openmp |= row->gap == AU_GAP_OPENMP;
    if (row->gap == AU_GAP_MAPPED && row->does == AU_DOES_ALLOC &&
        always(k->f, name, 3, is_private))
        return;
    k->f->outside = true;
    au_family_note_gap(k->f, "'%s' (%s): %s", name, place(k, event), troubling[row->gap]);
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

/* ---- synchronisation ---- */

/* Does a thread that was not joined by then use the object, too? Whether it does so before or after is
 * not modelled. */
static void destroyed(looker *k, size_t event) {
    const au_columns *c = &k->r->t->events;
    const au_names *names = &k->r->t->names;
    au_bitset joined;
    au_bitset_init(&joined, names->thread.n);
    for (size_t i = 0; i < event; i++)
        if (c->op[i] == AU_OP_JOIN)
            au_bitset_add(&joined, c->obj[i]);
    for (size_t i = 0; i < c->n; i++)
        if (au_op_space(c->op[i]) == AU_WIRE_SPACE_LOCK && c->obj[i] == c->obj[event] &&
            c->op[i] != AU_OP_INIT && c->thread[i] != c->thread[event] &&
            !au_bitset_has(&joined, c->thread[i])) {
            au_family_note_gap(k->f,
                               "'%s' is destroyed (%s) while %s may use it: what that gives is "
                               "not modelled",
                               au_intern_str(&names->lock, c->obj[event]), place(k, event),
                               k->r->path[c->thread[i]] ? k->r->path[c->thread[i]] : "?");
            break;
        }
    au_bitset_release(&joined);
}

/* Kinds of locks that the model takes for others. */
static void kinds(looker *k) {
    const au_names *names = &k->r->t->names;
    for (uint32_t i = 0; i < names->lock.n; i++) {
        struct au_sync_info s = au_names_sync(names, i);
        const char *name = au_intern_str(&names->lock, i);
        if (s.kind == AU_WIRE_OBJ_RWLOCK && s.init)
            au_family_note_gap(k->f, "'%s' prefers writers: not modelled", name);
        if (au_sync_is_robust(s))
            au_family_note_gap(k->f, "'%s' is robust: that its owner died is not modelled", name);
    }
}

/* Threads that were still running when the program returned from main or exited. What they would have done is
 * part of this run's behaviours, and no check of it has that. */
static void cut_off(looker *k) {
    const au_columns *c = &k->r->t->events;
    if (!k->r->facts.ended || k->r->facts.end != AU_END_EXIT)
        return;
    au_bitset over;
    au_bitset_init(&over, k->r->t->names.thread.n);
    for (size_t i = 0; i < c->n; i++)
        if (c->op[i] == AU_OP_EXIT)
            au_bitset_add(&over, c->thread[i]);
    for (size_t i = 0; i < c->n; i++)
        if (c->op[i] == AU_OP_FORK && !au_bitset_has(&over, c->obj[i])) {
            const char *thread = k->r->path[c->obj[i]];
            au_family_note_gap(k->f, "thread %s (made at %s) was cut off by the end of the program",
                               thread ? thread : "?", place(k, i));
            break;
        }
    au_bitset_release(&over);
}

void au_family_find_gaps(au_family *f, const au_family_run *r) {
    const au_columns *c = &r->t->events;
    size_t threads = r->t->names.thread.n;
    looker k = {.f = f, .r = r};
    k.freed = au_alloc_array(threads, sizeof *k.freed);
    k.sent = au_alloc_array(threads, sizeof *k.sent);
    au_map_init(&k.made);
    /* made and not joined; if there are none, only the first thread runs */
    uint64_t others = 0, made = 0;
    for (size_t i = 0; i < c->n; i++) {
        bool counts = others || c->thread[i];
        made += c->op[i] == AU_OP_FORK;
        others += c->op[i] == AU_OP_FORK;
        others -= c->op[i] == AU_OP_JOIN && others;
        if (c->op[i] == AU_OP_XCALL && c->obj[i] != AU_NONE) {
            lasting(&k, i);
            if (made)
                call(&k, i, counts);
        } else if (c->op[i] == AU_OP_ALLOC || c->op[i] == AU_OP_FREE) {
            heap(&k, i);
        } else if (c->op[i] == AU_OP_DESTROY && counts) {
            destroyed(&k, i);
        } else if (c->op[i] == AU_OP_LOCKERR && counts) {
            au_family_note_gap(f, "'%s' is used wrongly (%s): what that gives is not modelled",
                               au_intern_str(&r->t->names.lock, c->obj[i]), place(&k, i));
        }
    }
    if (made) {
        kinds(&k);
        cut_off(&k);
        if (r->facts.weak)
            note_weak(f);
    }
    au_map_release(&k.made);
    free(k.freed);
    free(k.sent);
}
