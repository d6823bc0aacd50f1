/* model/ctp_trace.c: the 'trace' list is executed and becomes the observed run.
 *
 * An item a-b runs the thread of a from where it stands, which must be in the
 * statement labelled a, until the last step of the statement labelled b. A wait and
 * an arrive have two steps and may stop between them; then their label is named
 * again. The label of an atomic block means all of it, that of an if or while its
 * condition. */
#include "model/ctp_priv.h"
#include "model/run.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    au_ctp_lower *w;
    au_model *m;
    uint64_t *value;  /* of each variable */
    uint64_t *next;   /* scratch for updates */
    uint32_t *node;   /* of each thread */
    uint32_t *failed; /* of each thread: the assert that failed, AU_NONE */
} run;

static bool holds(const run *r, au_term x) {
    return au_term_eval(r->m->terms, x, r->value) != 0;
}

static void execute(run *r, const au_step *s) {
    au_model *m = r->m;
    au_vec_push(&m->observed, s->id);
    if (s->kind == AU_STEP_ASSERT && !holds(r, s->cond)) {
        r->failed[s->thread] = s->id;
        return;
    }
    for (uint32_t i = 0; i < s->n_updates; i++)
        r->next[i] = au_term_eval(m->terms, s->update[i].value, r->value);
    for (uint32_t i = 0; i < s->n_updates; i++)
        r->value[s->update[i].var] = r->next[i];
    if (s->havoc != AU_NONE)
        r->value[s->havoc] = 0;
    r->node[s->thread] = s->dst;
}

/* The step that thread t takes now, NULL if none can run. */
static const au_step *pick(const run *r, uint32_t t, bool spurious, uint32_t wakes) {
    const au_model *m = r->m;
    const au_thread *th = &m->thread.at[t];
    if (r->failed[t] != AU_NONE || (th->started != AU_NONE && !r->value[th->started]))
        return NULL;
    const au_node *n = &th->node.at[r->node[t]];
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &m->step.at[n->out.at[i]];
        if ((s->spurious && !spurious) || (wakes != AU_NONE && s->choice != wakes))
            continue;
        if (holds(r, s->guard))
            return s;
    }
    return NULL;
}

/* Why thread t cannot go on, for a person. */
static void reason(const run *r, uint32_t t, char *out, size_t room) {
    const au_model *m = r->m;
    const au_thread *th = &m->thread.at[t];
    const au_node *n = &th->node.at[r->node[t]];
    if (th->started != AU_NONE && !r->value[th->started]) {
        snprintf(out, room, "thread '%.60s' has not been forked", th->name);
        return;
    }
    const au_step *s = &m->step.at[n->out.at[0]];
    uint32_t lock = s->kind == AU_STEP_WAKE || s->kind == AU_STEP_WAIT ? s->obj2 : s->obj;
    const au_sync_obj *o = s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN && lock != AU_NONE
                               ? &m->obj.at[lock]
                               : NULL;
    const char *name = o ? o->name : "";
    uint64_t state = o && o->var[0] != AU_NONE ? r->value[o->var[0]] : 0;
    switch (s->kind) {
    case AU_STEP_WAKE:
        if (o->kind != AU_OBJ_SEM && !state) {
            snprintf(out, room, "condition '%.60s' was not signalled", m->obj.at[s->obj].name);
            return;
        } /* fall through */
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        if (o->kind == AU_OBJ_SEM)
            snprintf(out, room, "semaphore '%.60s' is %" PRId32, name, (int32_t)state);
        else if (state > 0 && state <= m->thread.n)
            snprintf(out, room, "lock '%.60s' is held by %.60s", name,
                     m->thread.at[state - 1].name);
        else
            snprintf(out, room, "lock '%.60s' is held by readers", name);
        return;
    case AU_STEP_REL:
    case AU_STEP_WAIT:
        snprintf(out, room, "lock '%.60s' is not held by %.60s", name, th->name);
        return;
    case AU_STEP_LEAVE:
        snprintf(out, room, "barrier '%.60s' is not full", name);
        return;
    case AU_STEP_FORK:
        snprintf(out, room, "thread '%.60s' runs already", m->thread.at[s->obj].name);
        return;
    case AU_STEP_JOIN:
        snprintf(out, room, "thread '%.60s' has not ended", m->thread.at[s->obj].name);
        return;
    default:
        snprintf(out, room, "its condition is false");
    }
}

/* Which copy of statement s the node belongs to; AU_NONE: to none. */
static uint32_t copy_of(const run *r, uint32_t t, uint32_t node, const au_ctp_stmt *s) {
    const au_ctp_origins *o = &r->w->origin.at[t];
    if (node >= o->n || !o->at[node].stmt)
        return AU_NONE;
    if (o->at[node].stmt == s)
        return o->at[node].instance;
    for (uint32_t a = o->at[node].atomic; a != AU_NONE; a = r->w->atomics.at[a].up)
        if (r->w->atomics.at[a].stmt == s)
            return a;
    return AU_NONE;
}

#define NAME(r, id) AU_CTP_NAME(&(r)->w->ast->lex, (id))

static bool cannot(run *r, uint32_t t, uint32_t label, uint32_t off) {
    char why[200];
    reason(r, t, why, sizeof why);
    return au_ctp_fail(&r->w->ast->lex, off, "'%.*s' cannot run here: %s", NAME(r, label), why);
}

/* The thread stands elsewhere than the item says. */
static bool elsewhere(run *r, uint32_t t, const au_ctp_item *it) {
    au_ctp_lex *x = &r->w->ast->lex;
    const char *thread = r->m->thread.at[t].name;
    if (r->failed[t] != AU_NONE)
        return au_ctp_fail(x, it->from_off, "'%.*s' cannot run here: %.60s failed an assert",
                           NAME(r, it->from), thread);
    if (r->node[t] == r->m->thread.at[t].exit)
        return au_ctp_fail(x, it->from_off, "'%.*s' cannot run here: %.60s has ended",
                           NAME(r, it->from), thread);
    const au_ctp_stmt *s = r->w->origin.at[t].at[r->node[t]].stmt;
    uint32_t line, col;
    au_ctp_where(x, s->off, &line, &col);
    return au_ctp_fail(x, it->from_off, "'%.*s' cannot run here: %.60s is at %u:%u",
                       NAME(r, it->from), thread, line, col);
}

static bool run_item(run *r, const au_ctp_item *it) {
    au_ctp_lower *w = r->w;
    au_ctp_lex *x = &w->ast->lex;
    const au_ctp_stmt *from = w->symbol.at[it->from].label, *to = w->symbol.at[it->to].label;
    if (!from || !to)
        return au_ctp_fail(x, from ? it->to_off : it->from_off, "unknown label '%.*s'",
                           NAME(r, from ? it->to : it->from));
    uint32_t t = from->thread, wakes = AU_NONE;
    if (to->thread != t)
        return au_ctp_fail(x, it->to_off, "'%.*s' and '%.*s' are labels of different threads",
                           NAME(r, it->from), NAME(r, it->to));
    if (from->empty || to->empty)
        return au_ctp_fail(x, from->empty ? it->from_off : it->to_off, "'%.*s' has no steps",
                           NAME(r, from->empty ? it->from : it->to));
    if (it->wakes != AU_NONE) {
        wakes = w->symbol.at[it->wakes].thread;
        if (from->kind != CTP_SIGNAL)
            return au_ctp_fail(x, it->from_off, "'%.*s' is not a signal", NAME(r, it->from));
        if (wakes == AU_NONE)
            return au_ctp_fail(x, it->wakes_off, "unknown thread '%.*s'", NAME(r, it->wakes));
    }
    if (r->failed[t] != AU_NONE || copy_of(r, t, r->node[t], from) == AU_NONE)
        return elsewhere(r, t, it);
    uint32_t taken = 0, of_last = 0; /* steps of this item, and of statement 'to' */
    for (;;) {
        uint32_t copy = copy_of(r, t, r->node[t], to);
        const au_step *s = pick(r, t, taken == 0, wakes);
        if (!s && wakes != AU_NONE && pick(r, t, false, AU_NONE))
            return au_ctp_fail(x, it->wakes_off, "thread '%.*s' does not wait for this signal",
                               NAME(r, it->wakes));
        if (!s) {
            uint32_t at = r->m->thread.at[t].node.at[r->node[t]].out.at[0];
            au_step_kind k = r->m->step.at[at].kind;
            if (copy != AU_NONE && of_last && (k == AU_STEP_WAKE || k == AU_STEP_LEAVE))
                return true; /* half done: to be named again */
            const au_ctp_stmt *stuck = w->origin.at[t].at[r->node[t]].stmt;
            uint32_t label = stuck->label != AU_NONE ? stuck->label : it->from;
            return cannot(r, t, label, it->from_off);
        }
        if (r->m->observed.n >= w->max_steps)
            return au_ctp_fail(x, it->from_off, "the trace has more than %u steps", w->max_steps);
        execute(r, s);
        taken++;
        of_last += copy != AU_NONE;
        if (copy != AU_NONE && it->cut && of_last == it->cut)
            return true;
        if (r->failed[t] != AU_NONE)
            return copy != AU_NONE ||
                   au_ctp_fail(x, it->from_off, "%.60s fails an assert before '%.*s'",
                               r->m->thread.at[t].name, NAME(r, it->to));
        bool ended = r->node[t] == r->m->thread.at[t].exit;
        if (copy != AU_NONE &&
            (ended || s->kind == AU_STEP_BRANCH || copy_of(r, t, r->node[t], to) != copy)) {
            /* a branch inside an atomic block is not the end of the block */
            if (ended || to->kind != CTP_ATOMIC || copy_of(r, t, r->node[t], to) != copy)
                break;
        }
        if (ended)
            return au_ctp_fail(x, it->to_off, "%.60s ends without coming to '%.*s'",
                               r->m->thread.at[t].name, NAME(r, it->to));
    }
    if (it->cut)
        return au_ctp_fail(x, it->to_off, "'%.*s' ends after %u of %u steps", NAME(r, it->to),
                           of_last, it->cut);
    return true;
}

bool au_ctp_observe(au_ctp_lower *w) {
    au_model *m = w->m;
    run r = {.w = w,
             .m = m,
             .value = au_alloc_array(m->var.n, sizeof *r.value),
             .next = NULL,
             .node = au_alloc_array(m->thread.n, sizeof *r.node),
             .failed = au_alloc_array(m->thread.n, sizeof *r.failed)};
    uint32_t most = 1;
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].n_updates > most)
            most = m->step.at[i].n_updates;
    r.next = au_alloc_array(most, sizeof *r.next);
    for (size_t i = 0; i < m->var.n; i++)
        r.value[i] = m->var.at[i].init;
    for (size_t i = 0; i < m->thread.n; i++) {
        r.node[i] = m->thread.at[i].entry;
        r.failed[i] = AU_NONE;
    }
    bool ok = true;
    for (size_t i = 0; i < w->ast->item.n && ok; i++)
        ok = run_item(&r, &w->ast->item.at[i]);
    free(r.value);
    free(r.next);
    free(r.node);
    free(r.failed);
    return ok;
}
