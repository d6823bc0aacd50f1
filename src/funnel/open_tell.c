/* funnel/open_tell.c: findings of the exact stage that no linear stage has named. */
#include "funnel/open.h"

#include "base/out.h"

#include <inttypes.h>
#include <stdio.h>

enum { VALUES_NAMED = 4 };

void au_opener_stand(const au_opener *k, const au_query *q, au_finding *f) {
    bool sharp = au_opener_succeeds(k, q);
    f->standing = sharp ? AU_IS_POSSIBLE : AU_IS_PROVED;
    au_finding_because(f, sharp ? AU_WHY_SUCCEEDS : k->s ? AU_WHY_SAME_WAY : AU_WHY_SAME_VALUES);
}

/* --- races ---------------------------------------------------------------------------------- */

/* The event that is this side of a finding. */
static size_t side(const au_opener *k, const au_query *q, int i, bool write) {
    size_t e = au_opener_access(k, q->step[i], q->var, write);
    return e == SIZE_MAX ? au_opener_event(k, q->step[i], q->var) : e;
}

/* Both sides, the earlier event first; of several events of one step the write. */
void au_opener_sides(const au_opener *k, const au_query *q, au_event_ref *e) {
    size_t at[2] = {side(k, q, 0, true), side(k, q, 1, true)};
    bool turn = at[0] > at[1];
    e[turn] = au_opener_ref(k, at[0]);
    e[!turn] = au_opener_ref(k, at[1]);
    if (k->var[q->var] != AU_NONE)
        e[0].obj = e[1].obj = k->var[q->var];
}

/* Of the same line, and both or neither a free (a write without a value). */
static bool same_place(const au_opener *k, const au_event_ref *a, const au_event_ref *b) {
    const au_columns *e = &k->t->events;
    return a->loc == b->loc && (a->number >= e->n || b->number >= e->n ||
                                au_columns_blank(e, a->number) == au_columns_blank(e, b->number));
}

bool au_opener_alike(const au_opener *k, const au_event_ref *a, const au_event_ref *b) {
    return a[0].obj == b[0].obj && ((same_place(k, &a[0], &b[0]) && same_place(k, &a[1], &b[1])) ||
                                    (same_place(k, &a[0], &b[1]) && same_place(k, &a[1], &b[0])));
}

bool au_opener_told(const au_opener *k, const au_event_ref *e) {
    for (size_t i = 0; i < k->c->findings.finding.n; i++) {
        const au_finding *f = &k->c->findings.finding.at[i];
        if (f->kind != AU_KIND_RACE || f->n_events != 2)
            continue;
        if (f->event[0].number == e[0].number && f->event[1].number == e[1].number &&
            f->obj == e[0].obj)
            return true;
        if (!k->p->all && f->standing == AU_IS_PROVED && au_opener_alike(k, f->event, e))
            return true;
    }
    return false;
}

void au_opener_tell_race(au_opener *k, const au_query *q, const au_solution *s) {
    static const char *const detail[4] = {"RR", "RW", "WR", "WW"};
    au_event_ref e[2];
    au_opener_sides(k, q, e);
    if (au_opener_told(k, e))
        return;
    au_finding *f = au_findings_add(&k->c->findings, AU_KIND_RACE, 2);
    memcpy(f->event, e, sizeof e);
    f->obj = e[0].obj;
    f->detail = detail[au_opener_writes(e[0].op) << 1 | au_opener_writes(e[1].op)];
    au_opener_stand(k, q, f);
    if (!au_opener_proves(k, q, s, f))
        k->c->findings.finding.n--;
}

/* --- atomic blocks -------------------------------------------------------------------------- */

static bool is_like(const au_finding *f, const au_event_ref *e, const char *pattern) {
    return f->obj == e[0].obj && f->event[0].loc == e[0].loc && f->event[1].loc == e[1].loc &&
           f->event[2].loc == e[2].loc && !strcmp(f->detail, pattern);
}

void au_opener_tell_block(au_opener *k, const au_query *q, const au_solution *s,
                          const char *pattern) {
    au_event_ref e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = au_opener_ref(k, side(k, q, i, q->write[i]));
        if (k->var[q->var] != AU_NONE)
            e[i].obj = k->var[q->var];
    }
    for (size_t i = 0; i < k->c->findings.finding.n && !k->p->all; i++) {
        const au_finding *f = &k->c->findings.finding.at[i];
        if (f->kind == AU_KIND_ATOMICITY && f->n_events == 3 &&
            (f->standing == AU_IS_PROVED || au_opener_succeeds(k, q)) && is_like(f, e, pattern))
            return;
    }
    au_finding *f = au_findings_add(&k->c->findings, AU_KIND_ATOMICITY, 3);
    memcpy(f->event, e, sizeof e);
    f->obj = e[0].obj;
    f->detail = pattern;
    au_opener_stand(k, q, f);
    if (!au_opener_proves(k, q, s, f))
        k->c->findings.finding.n--;
}

/* --- assertions --------------------------------------------------------------------------- */

typedef struct {
    const au_opener *k;
    const au_finding *f;
    au_out *out;
    unsigned named;
} namer;

static void put_value(au_out *out, int64_t v) {
    if (v > INT64_C(1) << 40 || v < -(INT64_C(1) << 40)) /* an address, most likely */
        au_out_printf(out, "0x%" PRIx64, (uint64_t)v);
    else
        au_out_printf(out, "%" PRId64, v);
}

/* A read that the condition depends on: what it sees now, and what it saw. */
static void name_value(void *ctx, uint32_t event) {
    namer *n = ctx;
    const au_columns *t = &n->k->t->events;
    if (event >= t->n || n->named >= VALUES_NAMED)
        return;
    for (uint32_t i = 0; i < n->f->n_seen; i++) {
        const au_access_seen *a = &n->f->seen[i];
        if (a->thread != t->thread[event] || a->index != n->k->index[event] || a->write)
            continue;
        uint32_t inside = n->k->inside[a->var];
        int64_t was = inside == AU_NONE || t->obj[event] != a->var || t->op[event] == AU_OP_RMW
                          ? a->value
                          : au_model_view_value(n->k->m, inside, (uint64_t)t->value[event]);
        au_out_str(n->out, n->named++ ? ", " : " with ");
        au_out_printf(n->out, "%s = ", au_intern_str(&n->k->t->names.var, a->var));
        put_value(n->out, a->value);
        if (was != a->value) {
            au_out_str(n->out, " (");
            put_value(n->out, was);
            au_out_str(n->out, " in the run)");
        }
        return;
    }
}

/* "assertion 'x == 2' fails with x = 1 (2 in the run)" */
static const char *what_fails(const au_opener *k, const au_fact *fact, const au_finding *f) {
    namer n = {k, f, au_out_memory(), 0};
    size_t length;
    au_out_printf(n.out, "assertion '%s' fails", au_intern_str(&k->s->strings, fact->text));
    au_term_each_var(k->s->terms, fact->cond, name_value, &n);
    const char *text = au_out_memory_data(n.out, &length);
    text = au_arena_strndup(&k->c->findings.arena, text, length);
    au_out_abandon(n.out);
    return text;
}

/* As the locations of the trace are written. */
static const char *place_of(const au_opener *k, const au_fact *fact) {
    char text[512];
    if (!fact->line)
        return "";
    snprintf(text, sizeof text, "%s:%" PRIu32, au_intern_str(&k->s->strings, fact->file),
             fact->line);
    return au_arena_strndup(&k->c->findings.arena, text, strlen(text));
}

/* The same assertion was told already, by this thread or another one. */
static bool is_told(const au_opener *k, const char *place, const char *what, size_t length) {
    for (size_t i = 0; i < k->c->findings.finding.n && !k->p->all; i++) {
        const au_finding *f = &k->c->findings.finding.at[i];
        if (f->kind == AU_KIND_ASSERTION && f->text && !strcmp(f->text[0].place, place) &&
            !strncmp(f->detail + strlen("assertion '"), what, length))
            return true;
    }
    return false;
}

void au_opener_tell_assertion(au_opener *k, const au_query *q, const au_solution *s) {
    uint32_t number = k->fact_of[au_query_event(k->m, q->step[0])];
    AU_BUG_IF(!k->s || number == AU_NONE);
    const au_fact *fact = &k->s->fact.at[number];
    const char *what = au_intern_str(&k->s->strings, fact->text), *place = place_of(k, fact);
    if (fact->after == AU_NONE || is_told(k, place, what, strlen(what)))
        return;
    au_finding *f = au_findings_add(&k->c->findings, AU_KIND_ASSERTION, 1);
    f->event[0] = au_opener_ref(k, fact->after);
    f->text = AU_ARENA_ARRAY(&k->c->findings.arena, au_event_text, 1);
    f->text[0] = (au_event_text){.label = "", .op = "assert", .place = place};
    f->standing = AU_IS_PROVED;
    if (au_opener_proves(k, q, s, f))
        f->detail = what_fails(k, fact, f);
    else
        k->c->findings.finding.n--;
}

/* --- deadlocks ------------------------------------------------------------------------------ */

/* The event that the thread cannot get past: of a wait, the waking up. */
static size_t waits_at(const au_opener *k, uint32_t step) {
    uint32_t statement = au_query_event(k->m, step);
    size_t e = k->event_of[statement];
    if (k->m->step.at[step].kind != AU_STEP_WAKE)
        return e;
    for (size_t i = 0; i < k->t->events.n; i++)
        if (k->t->events.op[i] == AU_OP_WAKE && k->step_of[i] != AU_NONE &&
            au_query_event(k->m, k->step_of[i]) == statement)
            return i;
    return SIZE_MAX;
}

/* Nobody stands still there: an order that is only assumed (trace/recording_channel.c). */
static bool is_assumed(const au_opener *k, size_t event) {
    const au_columns *e = &k->t->events;
    return e->op[event] == AU_OP_ONCE &&
           au_names_sync(&k->t->names, e->obj[event]).init == AU_WIRE_ONCE_ASSUMED;
}

/* Whoever comes first to a once of the program begins it, and no event says so. Has the one who was first in the run
 * begun where it waits now? The call of pthread_once that its event 'first' ends says: whether the wait lies in it. */
typedef enum { BEGUN, NOT_BEGUN, BEGUN_OR_NOT } begun;

static bool is_programs(const au_opener *k, size_t event) {
    const au_columns *e = &k->t->events;
    return e->op[event] == AU_OP_ONCE &&
           au_names_sync(&k->t->names, e->obj[event]).init == AU_WIRE_ONCE_BEGINS;
}

static begun has_begun(const au_opener *k, size_t first, size_t waits) {
    const au_columns *e = &k->t->events;
    for (size_t i = first; i-- > 0;) {
        if (e->thread[i] != e->thread[first])
            continue;
        if (is_programs(k, i))
            return BEGUN_OR_NOT; /* one inside of the other, perhaps */
        if (e->op[i] == AU_OP_XCALL &&
            !strcmp(au_intern_str(&k->t->names.block, e->obj[i]), "pthread_once"))
            return waits < i ? NOT_BEGUN : BEGUN;
    }
    return BEGUN_OR_NOT;
}

/* Of a thread that waits at event 'at' of a once, among all those that wait. */
static begun begins(const au_opener *k, size_t at, const au_solution *s) {
    const au_columns *e = &k->t->events;
    size_t first = 0;
    if (!is_programs(k, at))
        return BEGUN;
    while (e->op[first] != AU_OP_ONCE || e->obj[first] != e->obj[at])
        first++;
    for (size_t i = 0; i < s->event.n; i++) {
        size_t waits = waits_at(k, s->event.at[i].step);
        if (e->thread[waits] == e->thread[first])
            return has_begun(k, first, waits);
    }
    return BEGUN_OR_NOT;
}

void au_opener_tell_deadlock(au_opener *k, const au_query *q, const au_solution *s) {
    bool once = false;
    for (size_t i = 0; i < s->event.n; i++) {
        size_t e = waits_at(k, s->event.at[i].step);
        if (e == SIZE_MAX || is_assumed(k, e))
            return; /* the run itself stands there: told as what it is */
    }
    for (size_t i = 0; i < s->event.n; i++) {
        begun b = begins(k, waits_at(k, s->event.at[i].step), s);
        if (b == NOT_BEGUN)
            return; /* it would go on */
        once |= b == BEGUN_OR_NOT;
    }
    au_finding *f = au_findings_add(&k->c->findings, AU_KIND_DEADLOCK, (uint32_t)s->event.n);
    for (size_t i = 0; i < s->event.n; i++)
        f->event[i] = au_opener_ref(k, waits_at(k, s->event.at[i].step));
    au_opener_stand(k, q, f);
    if (!au_opener_proves(k, q, s, f)) {
        k->c->findings.finding.n--;
    } else if (once) {
        f->standing = AU_IS_POSSIBLE;
        au_finding_because(f, AU_WHY_FIRST);
    }
}

void au_opener_tell_unsaid(au_check_outcome *c, size_t n, size_t of) {
    au_check_inconclusive(c,
                          "%zu of %zu questions have no answer: the run is long, and no window of "
                          "it shows them, which is no proof (--window)",
                          n, of);
}
