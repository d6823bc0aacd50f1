/* solve/unreached.c: see unreached.h. */
#include "solve/unreached.h"

/* Beyond this it would take seconds, and hundreds of megabytes. Nothing is lost: the solver is asked instead. */
enum { MOST_STEPS = 20000, MOST_NODES = 3000, MOST_RANGES = 3000000 };
#define MOST_WORK UINT64_C(3000000000)
/* … without products, quotients, … of what is read: what ranges rule out there is found soon, or not at all. */
#define PLAIN_WORK UINT64_C(300000000)
/* Where ranges are not likely to pay, a few milliseconds. */
enum { BRIEF_STEPS = 400, BRIEF_NODES = 150, BRIEF_WORK = 1000000 };

struct au_unreached {
    const au_model *m;
    au_tsg *g;
    au_rpt *r;
    bool *next, *done; /* by statement: some step of it can come next; can be executed */
};

bool au_unreached_pays(const au_model *m) {
    const au_terms *t = m->terms;
    for (uint32_t i = 0; i < au_terms_count(t); i++) {
        au_term x = {i};
        au_term_op op = au_term_kind(t, x);
        bool quotient = op >= AU_T_SDIV && op <= AU_T_UREM;
        bool product = op == AU_T_MUL || (op >= AU_T_SHL && op <= AU_T_ASHR);
        if (quotient || (product && !au_term_is_const(t, au_term_kid(t, x, 0)) &&
                         !au_term_is_const(t, au_term_kid(t, x, 1))))
            return true;
    }
    return false;
}

au_unreached *au_unreached_new(const au_model *m, bool whole, bool brief) {
    return au_unreached_of(m, AU_TSG_MAT_PRIME, whole, brief);
}

au_unreached *au_unreached_of(const au_model *m, au_tsg_kind kind, bool whole, bool brief) {
    uint32_t most = MOST_RANGES / (uint32_t)(m->var.n + m->thread.n + 1);
    uint32_t nodes = brief ? BRIEF_NODES : MOST_NODES;
    if (m->step.n > (brief ? BRIEF_STEPS : MOST_STEPS) || !most || m->var.n > MOST_RANGES)
        return NULL;
    au_tsg *g = au_tsg_new(m, &(au_tsg_options){.kind = kind,
                                                .lean = kind == AU_TSG_MAT_PRIME,
                                                .most_nodes = most < nodes ? most : nodes});
    if (!g)
        return NULL;
    au_rpt *r = au_rpt_new(g, &(au_rpt_options){.asserts_pass = whole,
                                                .worklist = brief,
                                                .most_work = brief                  ? BRIEF_WORK
                                                             : au_unreached_pays(m) ? MOST_WORK
                                                                                    : PLAIN_WORK});
    if (!r) {
        au_tsg_free(g);
        return NULL;
    }
    au_unreached *u = AU_NEW(au_unreached);
    u->m = m;
    u->g = g;
    u->r = r;
    u->next = au_alloc_array(m->step.n + 1, sizeof *u->next);
    u->done = au_alloc_array(m->step.n + 1, sizeof *u->done);
    for (uint32_t s = 0; s < m->step.n; s++) {
        uint32_t statement = au_query_event(m, s);
        u->next[statement] |= u->r->reached[au_facts_src(&g->facts, s)];
        u->done[statement] |= u->r->executed[s];
    }
    return u;
}

void au_unreached_free(au_unreached *u) {
    if (!u)
        return;
    au_rpt_free(u->r);
    au_tsg_free(u->g);
    free(u->next);
    free(u->done);
    free(u);
}

const au_rpt *au_unreached_ranges(const au_unreached *u) {
    return u->r;
}

static bool can(const au_unreached *u, const bool *what, uint32_t step) {
    return step == AU_NONE || what[au_query_event(u->m, step)];
}

bool au_unreached_rules_out(const au_unreached *u, const au_query *q) {
    const au_facts *f = &u->g->facts;
    switch (q->kind) {
    case AU_ASK_ASSERT:
        return !u->r->fails[q->step[0]];
    case AU_ASK_RACE:
        return !can(u, u->next, q->step[0]) || !can(u, u->next, q->step[1]) ||
               !au_facts_meet(f, au_facts_src(f, q->step[0]), au_facts_src(f, q->step[1]));
    case AU_ASK_ATOMICITY:
        return !can(u, u->done, q->step[0]) || !can(u, u->done, q->step[1]) ||
               !can(u, u->done, q->step[2]);
    case AU_ASK_LOST:
    case AU_ASK_STALE:
        return !can(u, u->done, q->step[0]) || !can(u, u->next, q->step[2]);
    case AU_ASK_MISUSE:
    case AU_ASK_REACH:
        return !can(u, u->next, q->step[0]);
    case AU_ASK_NONDET:
        return !can(u, u->done, q->step[0]) || !can(u, u->done, q->writer);
    default:
        return false;
    }
}
