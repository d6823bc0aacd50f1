/* tests/code/crossrun.c: what one recorded run says about another of the same program.
 *
 *     crossrun ONE OTHER
 *
 * ONE is retraced. Then the events of OTHER, thread by thread, are put beside those of ONE: as
 * long as a thread's facts hold of what it read in OTHER, it must go the same way there (the same
 * accesses of the same variables, or where a case split says), and write what the terms say. A
 * thread of which a fact does not hold, or a pinned read saw something else, is not
 * followed any further. Status 0: no contradiction, 1: one, 2: trouble. The last line counts
 * what was compared. */
#include "retrace/retrace.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    AU_VEC(uint32_t) event; /* of this thread */
} of_thread;
typedef struct {
    au_trace *t;
    of_thread *thread;
    size_t n_threads;
} run;

static int trouble(const au_error *err) {
    fprintf(stderr, "crossrun: %s\n", err->text);
    return 2;
}

static bool load(const char *path, const au_read_options *o, run *r, au_error *err) {
    r->t = au_trace_load(path, o, err);
    if (!r->t)
        return false;
    r->n_threads = r->t->names.thread.n;
    r->thread = au_alloc_array(r->n_threads + 1, sizeof *r->thread);
    for (size_t i = 0; i < r->t->events.n; i++)
        au_vec_push(&r->thread[r->t->events.thread[i]].event, (uint32_t)i);
    return true;
}

static const char *object(const au_trace *t, size_t e) {
    const au_intern *names = au_names_space_const(&t->names, au_op_space(t->events.op[e]));
    return names && t->events.obj[e] != AU_NONE ? au_intern_str(names, t->events.obj[e]) : "";
}

static bool has_value(const au_trace *t, size_t e) {
    return t->events.any_value && t->events.has_value[e];
}

typedef struct {
    const au_symbolic *s;
    const au_trace *one, *other;
    uint64_t *alt;    /* event of ONE: what it read in OTHER */
    uint64_t *memory; /* variable of OTHER: what it holds */
    uint8_t *told;    /* … if that is known */
    uint16_t *writer; /* … and who wrote it, + 1; 0: it is there from the start */
    uint64_t *own;    /* variable of ONE that in OTHER nobody shares: what it holds there */
    uint8_t *owned;   /* … if that is known */
    struct {
        size_t at;   /* its next event */
        bool over;   /* not followed any further */
        size_t fact; /* facts are looked at up to here */
    } * thread;
    uint32_t **fact; /* thread: its facts */
    size_t *n_facts;
    uint64_t reads, writes, terms, facts, stopped;
    bool wrong;
    const run *first;
} walk;

static bool eval(const walk *w, au_term x) {
    return au_term_eval(w->s->terms, x, w->alt);
}

/* Facts of the thread that stand after this event of ONE, or before it (AU_NONE: before its
 * first). False: one does not hold. */
static bool facts_until(walk *w, uint32_t thread, uint32_t after) {
    for (; w->thread[thread].fact < w->n_facts[thread]; w->thread[thread].fact++) {
        const au_fact *f = &w->s->fact.at[w->fact[thread][w->thread[thread].fact]];
        if (f->after != AU_NONE && (after == AU_NONE || f->after > after))
            return true;
        w->facts++;
        if (!eval(w, f->cond))
            return false;
    }
    return true;
}

static void stop(walk *w, uint32_t thread) {
    w->thread[thread].over = true;
    w->stopped++;
}

static unsigned width_of(const au_symbolic *s, uint32_t e) {
    /* of the variable's cells: any term of its accesses has it */
    return s->write[e].n == UINT32_MAX ? 0 : au_term_width(s->terms, s->write[e]);
}

static uint64_t cut(uint64_t v, unsigned width) {
    return width && width < 64 ? v & ((UINT64_C(1) << width) - 1) : v;
}

static const char *where(const walk *w, uint32_t e1) {
    const char *name = object(w->one, e1);
    for (size_t i = 0; i < w->s->elsewhere.n; i++) {
        const au_elsewhere *x = &w->s->elsewhere.at[i];
        if (x->event == e1 && eval(w, x->when))
            name = au_intern_str(&w->one->names.var, x->var);
    }
    return name;
}

static void contradict(walk *w, uint32_t e1, uint32_t e2, const char *what, uint64_t want) {
    if (!w->wrong)
        printf("T%u event %u (%s %s) is event %u (%s %s = %" PRId64 ") there: %s %" PRId64 "\n",
               w->one->events.thread[e1], e1 + 1, au_op_name(w->one->events.op[e1]),
               object(w->one, e1), e2 + 1, au_op_name(w->other->events.op[e2]),
               object(w->other, e2), has_value(w->other, e2) ? w->other->events.value[e2] : 0, what,
               (int64_t)want);
    w->wrong = true;
}

static bool reads(uint8_t op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}

/* Event e1 of ONE accesses what in OTHER only this thread uses, so that it is no event there.
 * False: what it sees there is not known, or not what it must be. */
static bool alone(walk *w, uint32_t e1) {
    const au_columns *n = &w->one->events;
    uint32_t v = n->obj[e1];
    uint8_t op = n->op[e1];
    if (reads(op)) {
        if (!w->owned[v])
            return false;
        if (au_bitset_has(&w->s->symbolic, e1))
            w->alt[e1] = w->own[v];
        else if (op == AU_OP_RMW || !has_value(w->one, e1) || (uint64_t)n->value[e1] != w->own[v])
            return false;
    }
    if (w->s->write[e1].n != UINT32_MAX) {
        w->own[v] = au_term_eval(w->s->terms, w->s->write[e1], w->alt);
        w->owned[v] = 1;
    } else if (op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW) {
        w->own[v] = (uint64_t)n->value[e1];
        w->owned[v] = has_value(w->one, e1);
    }
    /* as the trace has values: 4 bytes are signed */
    if (w->s->write[e1].n != UINT32_MAX && width_of(w->s, e1) == 32)
        w->own[v] = (uint64_t)(int64_t)(int32_t)w->own[v];
    return true;
}

static bool is_in(const au_trace *t, const char *name) {
    return au_intern_find(&t->names.var, name, strlen(name)) != AU_NONE;
}

static void event(walk *w, uint32_t e2) {
    const au_columns *o = &w->other->events, *n = &w->one->events;
    uint32_t thread = o->thread[e2], var = o->obj[e2];
    uint8_t op = o->op[e2];
    bool access = au_op_is_access(op);
    bool known = access && w->told[var];
    uint64_t before = known ? w->memory[var] : 0;
    if (access) {
        w->told[var] = has_value(w->other, e2);
        w->memory[var] = w->told[var] ? (uint64_t)o->value[e2] : 0;
    }
    uint16_t writer = access ? w->writer[var] : 0;
    if (access && op != AU_OP_READ && op != AU_OP_AREAD)
        w->writer[var] = (uint16_t)(thread + 1);
    if (w->thread[thread].over)
        return;
    if (access && !is_in(w->one, object(w->other, e2))) {
        /* In ONE nobody shares it, there it is what the thread itself wrote. */
        if (reads(op) && writer != thread + 1)
            stop(w, thread);
        return;
    }
    const of_thread *list = &w->first->thread[thread];
    uint32_t e1;
    for (;;) {
        size_t at = w->thread[thread].at;
        uint32_t prev = at ? list->event.at[at - 1] : AU_NONE;
        if (!facts_until(w, thread, prev) || at >= list->event.n ||
            list->event.at[at] >= w->s->until) {
            stop(w, thread);
            return;
        }
        e1 = list->event.at[at];
        if (!au_op_is_access(n->op[e1]) || is_in(w->other, where(w, e1)))
            break;
        if (strcmp(where(w, e1), object(w->one, e1)) != 0 || !alone(w, e1)) {
            stop(w, thread);
            return;
        }
        w->thread[thread].at++;
    }
    uint8_t op1 = n->op[e1];
    /* what synchronisation gives (a try, a wait or none) no fact tells */
    bool exchange = (op == AU_OP_RMW && (op1 == AU_OP_READ || op1 == AU_OP_AREAD)) ||
                    (op1 == AU_OP_RMW && (op == AU_OP_READ || op == AU_OP_AREAD));
    if (!access || !au_op_is_access(op1) || strcmp(where(w, e1), object(w->other, e2)) != 0 ||
        (op != op1 && !(exchange && w->s->write[e1].n != UINT32_MAX))) {
        if (op == op1 && !access && strcmp(object(w->one, e1), object(w->other, e2)) == 0) {
            w->thread[thread].at++;
            return;
        }
        if (access && au_op_is_access(op1))
            contradict(w, e1, e2, "its facts hold, but it goes another way", 0);
        stop(w, thread);
        return;
    }
    w->thread[thread].at++;
    if (reads(op)) {
        bool symbolic = au_bitset_has(&w->s->symbolic, e1);
        bool failed = op != AU_OP_RMW; /* of an exchange: it tells what it saw */
        uint64_t saw = failed && has_value(w->other, e2) ? (uint64_t)o->value[e2] : before;
        if ((failed ? !has_value(w->other, e2) : !known)) {
            stop(w, thread);
            return;
        }
        w->reads++;
        if (symbolic) {
            w->alt[e1] = saw;
        } else if (op1 != AU_OP_RMW) {
            if (has_value(w->one, e1) && (uint64_t)n->value[e1] != saw) {
                stop(w, thread); /* it must keep its value: this is no run of the model */
                return;
            }
        } else { /* what it saw is nowhere: it may have been something else */
            stop(w, thread);
            return;
        }
    }
    bool wrote = op == AU_OP_RMW || op == AU_OP_WRITE || op == AU_OP_AWRITE || exchange;
    if (!wrote || !has_value(w->other, e2) || !has_value(w->one, e1))
        return;
    unsigned width = width_of(w->s, e1);
    uint64_t want = (uint64_t)n->value[e1];
    if (w->s->write[e1].n != UINT32_MAX) {
        want = au_term_eval(w->s->terms, w->s->write[e1], w->alt);
        w->terms++;
    }
    w->writes++;
    if (!facts_until(w, thread, e1)) { /* pinned by what it saw itself */
        stop(w, thread);
        return;
    }
    if (cut(want, width) != cut((uint64_t)o->value[e2], width))
        contradict(w, e1, e2, "it should write", want);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: crossrun ONE OTHER\n");
        return 2;
    }
    au_error err = AU_ERROR_NONE;
    au_retrace_options o = {.read = {.fold = true, .partial = true}, .split = 4};
    run one, other;
    char *note;
    au_codes *codes = au_codes_of_recording(argv[1], &o.read, &note, &err);
    free(note);
    if (!codes || !load(argv[1], &o.read, &one, &err) || !load(argv[2], &o.read, &other, &err))
        return trouble(&err);
    au_bitset open = {0};
    au_symbolic s;
    au_retrace_facts facts;
    au_open_variables(one.t, &open);
    au_symbolic_init(&s, one.t);
    if (au_retrace(argv[1], codes, &o, &open, &s, &facts, &err) != AU_OK)
        return trouble(&err);
    if (facts.mismatch) {
        printf("%s\n", facts.what);
        return 1;
    }
    size_t threads = one.n_threads > other.n_threads ? one.n_threads : other.n_threads;
    walk w = {.first = &one, .s = &s, .one = one.t, .other = other.t};
    w.alt = au_alloc_array(one.t->events.n + 1, sizeof *w.alt);
    w.memory = au_alloc_array(other.t->names.var.n + 1, sizeof *w.memory);
    w.told = au_alloc_array(other.t->names.var.n + 1, 1);
    w.writer = au_alloc_array(other.t->names.var.n + 1, sizeof *w.writer);
    w.own = au_alloc_array(one.t->names.var.n + 1, sizeof *w.own);
    w.owned = au_alloc_array(one.t->names.var.n + 1, 1);
    for (size_t v = 0; v < one.t->names.var.n; v++) {
        w.own[v] = s.init[v];
        w.owned[v] = au_bitset_has(&s.init_known, v);
    }
    w.thread = au_alloc_array(threads + 1, sizeof *w.thread);
    w.fact = au_alloc_array(threads + 1, sizeof *w.fact);
    w.n_facts = au_alloc_array(threads + 1, sizeof *w.n_facts);
    for (size_t v = 0; v < other.t->names.var.n; v++) { /* what is there from the start */
        const char *name = au_intern_str(&other.t->names.var, (uint32_t)v);
        uint32_t same = au_intern_find(&one.t->names.var, name, strlen(name));
        if (same != AU_NONE && au_bitset_has(&s.init_known, same)) {
            w.told[v] = 1;
            w.memory[v] = s.init[same];
        }
    }
    for (size_t i = 0; i < s.fact.n; i++)
        w.n_facts[s.fact.at[i].thread]++;
    for (size_t t = 0; t < threads; t++)
        w.fact[t] = au_alloc_array(w.n_facts[t] + 1, sizeof **w.fact), w.n_facts[t] = 0;
    for (size_t i = 0; i < s.fact.n; i++)
        w.fact[s.fact.at[i].thread][w.n_facts[s.fact.at[i].thread]++] = (uint32_t)i;
    for (size_t t = one.n_threads; t < threads; t++)
        w.thread[t].over = true;
    for (size_t i = 0; i < other.t->events.n && !w.wrong; i++)
        event(&w, (uint32_t)i);
    printf("reads %" PRIu64 " writes %" PRIu64 " terms %" PRIu64 " facts %" PRIu64
           " stopped %" PRIu64 " of %zu\n",
           w.reads, w.writes, w.terms, w.facts, w.stopped, threads);
    fflush(stdout);
    _Exit(w.wrong);
}
