/* funnel/check_long.c: the exact stage on a run that is too long for one model.
 *
 * Questions are asked in parts of the run around their events, each a model from the state
 * that the run had reached (model/symbolic.h: au_model_from_range): memory follows the part. What a part
 * shows, the program can do, after what was recorded before it; what it does not show stays open. */
#include "base/deadline.h"
#include "funnel/stages_priv.h"

#include <inttypes.h>
#include <stdlib.h>

/* Something to be asked. */
typedef struct {
    size_t low, high; /* its events lie in [low, high) */
    size_t finding;   /* SIZE_MAX: … */
    uint32_t fact;    /* … an assertion */
} question;

typedef AU_VEC(question) questions;

typedef struct {
    const au_plan *p;
    struct au_answers *answers;
    const au_trace *t;
    au_check_outcome *c;
    const au_symbolic *s;
    bool known; /* s is more than that there is nothing known */
    au_symbolic_plan *plan;
    questions todo;
    size_t asked, found, parts, far;
    size_t unsaid;       /* without an answer, and no finding says so */
    size_t left, cut;    /* for which there was no room; no time */
    au_checker *checker; /* of the whole trace, shared by all parts */
} longer;

static int by_place(const void *a, const void *b) {
    const question *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static bool has_room(longer *l) {
    bool room = l->todo.n < au_limit_value(AU_AT_LONG_QUESTIONS);
    l->left += !room;
    return room;
}

static void add_findings(longer *l) {
    for (size_t i = 0; i < l->c->findings.finding.n; i++) {
        const au_finding *f = &l->c->findings.finding.at[i];
        question q = {SIZE_MAX, 0, i, AU_NONE};
        if (f->standing != AU_IS_POSSIBLE ||
            (f->kind != AU_KIND_RACE && f->kind != AU_KIND_ATOMICITY))
            continue;
        for (uint32_t k = 0; k < f->n_events; k++) {
            q.low = f->event[k].number < q.low ? f->event[k].number : q.low;
            q.high = f->event[k].number + 1 > q.high ? f->event[k].number + 1 : q.high;
        }
        if (q.high - q.low >= AU_LIMIT_LONG_PART / 2)
            l->far++;
        else if (has_room(l))
            au_vec_push(&l->todo, q);
    }
}

/* Of assertions in loops a few executions, spread over the run. */
static void add_assertions(longer *l) {
    au_map times = {0}, asked = {0};
    uint64_t all = 0, some = 0;
    for (uint32_t i = 0; i < l->s->fact.n; i++) {
        const au_fact *f = &l->s->fact.at[i];
        if (f->kind == AU_FACT_ASSERT && f->after != AU_NONE)
            ++*au_map_put(&times, au_key2(f->file, f->line), NULL);
    }
    for (uint32_t i = 0; i < l->s->fact.n; i++) {
        const au_fact *f = &l->s->fact.at[i];
        if (f->kind != AU_FACT_ASSERT || f->after == AU_NONE)
            continue;
        uint64_t key = au_key2(f->file, f->line), n = *au_map_find(&times, key);
        uint64_t *seen = au_map_put(&asked, key, NULL);
        bool ask = n <= AU_LIMIT_LONG_ASSERTED || *seen % (n / AU_LIMIT_LONG_ASSERTED) == 0;
        ++*seen;
        all++;
        if (ask && has_room(l)) {
            au_vec_push(&l->todo, ((question){f->after, (size_t)f->after + 1, SIZE_MAX, i}));
            some++;
        }
    }
    if (some < all)
        au_check_limit(l->c, AU_AT_LONG_ASSERTED, some, all);
    au_map_release(&times);
    au_map_release(&asked);
}

/* The part as what the functions of open.h work on. */
static bool open_part(longer *l, size_t first, size_t last, au_opener *k) {
    au_error why = AU_ERROR_NONE;
    au_symbolic_map map;
    size_t events = l->t->events.n, facts = l->s->fact.n;
    *k = (au_opener){.p = l->p,
                     .answers = l->answers,
                     .t = l->t,
                     .s = l->known ? l->s : NULL,
                     .c = l->c,
                     .checker = l->checker};
    k->m = au_model_from_range(l->plan, first, last, NULL, &map, &why);
    if (k->m && au_symbolic_check(l->s, k->m, &map, &why)) {
        au_symbolic_map_release(&map);
        au_model_free(k->m);
        k->m = NULL;
    }
    if (!k->m) {
        au_check_inconclusive(l->c, "events %zu to %zu: %s", first + 1, last, why.text);
        return false;
    }
    k->from = map.first;
    k->step_of = au_alloc_array(events + 1, sizeof *k->step_of);
    memset(k->step_of, 0xff, events * sizeof *k->step_of);
    for (size_t e = map.first; e < map.last; e++)
        k->step_of[e] = au_symbolic_step(&map, e);
    k->fact_step = au_alloc_array(facts + 1, sizeof *k->fact_step);
    for (size_t i = 0; i < facts; i++)
        k->fact_step[i] = au_symbolic_fact(&map, i);
    au_symbolic_map_release(&map);
    au_opener_number(k);
    return true;
}

static void collect(const longer *l, au_opener *k, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const question *x = &l->todo.at[i];
        au_query q = au_query_about(AU_ASK_ASSERT, AU_NONE);
        if (x->fact != AU_NONE) {
            if (k->fact_step[x->fact] == AU_NONE)
                continue;
            q.step[0] = au_query_event(k->m, k->fact_step[x->fact]);
        } else if (!au_opener_query(k, &l->c->findings.finding.at[x->finding], &q)) {
            continue;
        }
        au_vec_push(&k->query, q);
        au_vec_push(&k->finding, x->finding);
    }
}

static void take_answers(longer *l, au_opener *k, au_exact *e) {
    for (size_t i = 0; i < k->query.n; i++) {
        au_exact_answer *a = &e->answer[i];
        const au_query *q = &k->query.at[i];
        if (a->end == AU_EXACT_DISAGREE) {
            char *what = au_exact_question(k->m, q);
            l->c->disagreed = true;
            au_check_inconclusive(l->c, "%s: %s", what, a->why);
            free(what);
        }
        l->unsaid += a->end == AU_EXACT_OPEN && k->finding.at[i] == SIZE_MAX;
        if (a->end != AU_EXACT_FOUND || !a->solution.n)
            continue; /* elsewhere in the run it may happen all the same */
        l->found++;
        if (k->finding.at[i] == SIZE_MAX) {
            au_opener_tell_assertion(k, q, &a->solution.at[0]);
            continue;
        }
        au_finding *f = &l->c->findings.finding.at[k->finding.at[i]];
        if (au_opener_proves(k, q, &a->solution.at[0], f))
            au_opener_stand(k, q, f);
    }
}

static au_status ask_part(longer *l, size_t first, size_t last, size_t from, size_t to,
                          au_error *err) {
    au_opener k;
    if (!open_part(l, first, last, &k))
        return AU_OK;
    collect(l, &k, from, to);
    au_opener_learn(&k);
    au_exact e = {.plan = l->p,
                  .answers = l->answers,
                  .m = k.m,
                  .query = &k.query,
                  .ranges = au_opener_ranges(&k)};
    au_status st = au_exact_ask(&e, err);
    l->asked += k.query.n;
    l->parts++;
    if (st == AU_OK)
        take_answers(l, &k, &e);
    l->cut += e.cut;
    au_exact_release(&e);
    l->checker = k.checker;
    k.checker = NULL;
    au_opener_release(&k);
    return st;
}

/* As many questions in a part as it has room for, with something before the first of them. */
static au_status ask_all(longer *l, au_error *err) {
    au_status st = AU_OK;
    if (l->todo.n)
        qsort(l->todo.at, l->todo.n, sizeof *l->todo.at, by_place);
    for (size_t i = 0; i < l->todo.n && st == AU_OK;) {
        if (au_deadline_over()) {
            l->cut += l->todo.n - i;
            break;
        }
        size_t low = l->todo.at[i].low,
               first = low > AU_LIMIT_LONG_PART / 4 ? low - AU_LIMIT_LONG_PART / 4 : 0, to = i;
        while (to < l->todo.n &&
               l->todo.at[to].high <= first + AU_LIMIT_LONG_PART - AU_LIMIT_LONG_PART / 8)
            to++;
        st = ask_part(l, first, first + AU_LIMIT_LONG_PART, i, to, err);
        i = to;
    }
    return st;
}

/* Assertions are asked about here unless there is a model of what they depend on. */
au_status au_stage_long(au_check_run *r, au_error *err) {
    au_knowledge *known = &r->work->open->known;
    bool assertions = !r->work->open->made;
    const au_plan *p = r->plan;
    const au_trace *t = r->trace;
    au_check_outcome *c = &r->outcome;
    longer l = {.p = p, .answers = r->answers, .t = t, .c = c, .known = known->there};
    au_symbolic nothing = {0};
    au_symbolic_plan *own = NULL;
    au_error why = AU_ERROR_NONE;
    au_status st = AU_OK;
    if (p->whole || p->bound != AU_NONE || !p->window) {
        au_check_note(
            c, "exact stage skipped: a run of %zu events is too long for whole runs and bounds",
            t->events.n);
        return AU_OK;
    }
    if (l.known) {
        l.plan = au_knowledge_plan(known, &why);
    } else {
        au_symbolic_init(&nothing, t);
        l.plan = own = au_symbolic_plan_new(&nothing, &why);
    }
    l.s = l.known ? &known->s : &nothing;
    if (!l.plan) {
        au_check_note(c, "exact stage skipped: %s", why.text);
    } else {
        if (l.known && assertions && au_plan_wants(p, AU_PROP_ASSERT))
            add_assertions(&l);
        add_findings(&l);
        st = ask_all(&l, err);
        if (l.cut)
            au_check_cut(c, "%zu of %zu questions not answered", l.cut, l.todo.n);
        if (l.asked)
            au_check_note(c,
                          "long trace: the exact stage asked %zu questions in %zu parts of the run "
                          "and found %zu; the rest is undecided",
                          l.asked, l.parts, l.found);
        if (l.unsaid)
            au_opener_tell_unsaid(c, l.unsaid, l.asked);
        if (l.far)
            au_check_limit(c, AU_AT_LONG_PART, l.far, 0);
        if (l.left)
            au_check_limit(c, AU_AT_LONG_QUESTIONS, l.left, 0);
    }
    au_symbolic_plan_free(own);
    au_checker_free(l.checker);
    au_vec_release(&l.todo);
    if (!l.known)
        au_symbolic_release(&nothing);
    return st;
}
