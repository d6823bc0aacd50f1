/* oracle/weak_exec.c: an execution as bytes, and the relations that every memory model is made of. */
#include "oracle/weak.h"

#include <stdlib.h>
#include <string.h>

/* Operations in all lines: one of a variable or at most two objects (a wait) for each event. */
enum { PLACES = 2 * AU_WEAK_MOST };

void au_weak_exec_init(au_weak_exec *x, const au_model *m) {
    memset(x, 0, sizeof *x);
    x->m = m;
    x->line[0] = au_alloc_array(PLACES, sizeof *x->line[0]);
    x->line[1] = au_alloc_array(au_weak_lines(m) + 1, sizeof *x->line[1]);
}

void au_weak_exec_release(au_weak_exec *x) {
    free(x->line[0]);
    free(x->line[1]);
}

void au_weak_exec_copy(au_weak_exec *to, const au_weak_exec *x) {
    to->n = x->n;
    memcpy(to->event, x->event, x->n * sizeof *x->event);
    memcpy(to->thread, x->thread, sizeof x->thread);
    memcpy(to->first, x->first, sizeof x->first);
    memcpy(to->line[0], x->line[0], PLACES * sizeof *x->line[0]);
    memcpy(to->line[1], x->line[1], (au_weak_lines(x->m) + 1) * sizeof *x->line[1]);
}

void au_weak_add(au_weak_exec *x, uint32_t thread, au_weak_event e) {
    uint32_t at = x->first[thread + 1];
    AU_BUG_IF(x->n >= AU_WEAK_MOST);
    memmove(&x->event[at + 1], &x->event[at], (x->n - at) * sizeof *x->event);
    memmove(&x->thread[at + 1], &x->thread[at], (x->n - at) * sizeof *x->thread);
    x->event[at] = e;
    x->thread[at] = (uint8_t)thread;
    for (size_t t = thread + 1; t <= x->m->thread.n; t++)
        x->first[t]++;
    x->n++;
}

void au_weak_order(au_weak_exec *x, uint32_t thread, uint32_t line, uint32_t place) {
    uint32_t lines = au_weak_lines(x->m), at = x->line[1][line] + place, all = x->line[1][lines];
    AU_BUG_IF(all >= PLACES || at > x->line[1][line + 1]);
    memmove(&x->line[0][at + 1], &x->line[0][at], (all - at) * sizeof *x->line[0]);
    x->line[0][at] = au_weak_ref(thread, (uint32_t)(x->first[thread + 1] - x->first[thread]) - 1);
    for (uint32_t i = line + 1; i <= lines; i++)
        x->line[1][i]++;
}

/* ---- as bytes ---- */

static size_t put(char *to, size_t at, const void *from, size_t n) {
    if (to && n)
        memcpy(to + at, from, n);
    return at + n;
}

static size_t write_bytes(const au_weak_exec *x, char *to) {
    uint32_t lines = au_weak_lines(x->m);
    size_t n = put(to, 0, x->first, x->m->thread.n + 1);
    for (uint32_t i = 0; i < x->n; i++) {
        const au_weak_event *e = &x->event[i];
        n = put(to, n, &e->step, sizeof e->step);
        n = put(to, n, &e->from, sizeof e->from);
        n = put(to, n, &e->does, sizeof e->does);
        n = put(to, n, &e->value, sizeof e->value);
    }
    n = put(to, n, x->line[1], (lines + 1) * sizeof *x->line[1]);
    return put(to, n, x->line[0], x->line[1][lines] * sizeof *x->line[0]);
}

uint32_t au_weak_put(au_intern *all, const au_weak_exec *x) {
    size_t n = write_bytes(x, NULL);
    char *bytes = au_alloc_array(n, 1);
    write_bytes(x, bytes);
    uint32_t id = au_intern_add(all, bytes, n);
    free(bytes);
    return id;
}

static const char *take(void *to, const char *from, size_t n) {
    if (n)
        memcpy(to, from, n);
    return from + n;
}

void au_weak_get(const au_intern *all, uint32_t id, au_weak_exec *x) {
    const char *p = au_intern_str(all, id);
    uint32_t lines = au_weak_lines(x->m), threads = (uint32_t)x->m->thread.n;
    p = take(x->first, p, threads + 1);
    x->n = x->first[threads];
    for (uint32_t i = 0; i < x->n; i++) {
        au_weak_event *e = &x->event[i];
        p = take(&e->step, p, sizeof e->step);
        p = take(&e->from, p, sizeof e->from);
        p = take(&e->does, p, sizeof e->does);
        p = take(&e->value, p, sizeof e->value);
    }
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = x->first[t]; i < x->first[t + 1]; i++)
            x->thread[i] = (uint8_t)t;
    p = take(x->line[1], p, (lines + 1) * sizeof *x->line[1]);
    take(x->line[0], p, x->line[1][lines] * sizeof *x->line[0]);
}

/* ---- relations ---- */

bool au_relation_close(au_relation *r, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            if (au_related(r, i, k))
                r->row[i] |= r->row[k];
    for (uint32_t i = 0; i < n; i++)
        if (au_related(r, i, i))
            return false;
    return true;
}

static au_memory_order order_of(const au_step *s) {
    if (s->order != AU_MO_NONE)
        return (au_memory_order)s->order;
    return s->n_accesses && au_step_is_atomic(s) ? AU_MO_SC : AU_MO_NONE;
}

/* mo, and what each read is before: the writes after the one that it sees. */
static void order_writes(const au_weak_exec *x, au_weak_relations *r) {
    for (uint32_t v = 0; v < x->m->var.n; v++) {
        uint32_t n;
        const uint16_t *line = au_weak_line(x, v, &n);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++)
                au_relate(&r->mo, au_weak_number(x, line[i]), au_weak_number(x, line[j]));
        for (uint32_t e = 0; e < x->n && n; e++) {
            if (r->var[e] != v || !(x->event[e].does & AU_WEAK_READS))
                continue;
            bool after = x->event[e].from == AU_WEAK_INITIAL;
            for (uint32_t i = 0; i < n; i++) {
                uint32_t w = au_weak_number(x, line[i]);
                if (after && w != e)
                    au_relate(&r->rb, e, w);
                after |= line[i] == x->event[e].from;
            }
        }
    }
}

/* ---- synchronisation by objects ---- */

typedef enum { GIVES, TAKES, TAKES_TO_WRITE, NEITHER } role;

/* What an operation in the line of a lock or semaphore does to it. */
static role role_of(const au_weak_event *e, const au_step *s) {
    if (e->does & AU_WEAK_VAIN)
        return NEITHER;
    switch (s->kind) {
    case AU_STEP_REL:
    case AU_STEP_WAIT:
        return GIVES;
    case AU_STEP_RDACQ:
        return TAKES;
    case AU_STEP_ACQ:
    case AU_STEP_WRACQ:
    case AU_STEP_WAKE:
        return TAKES_TO_WRITE;
    default:
        return NEITHER;
    }
}

/* Whoever gives it back synchronises with all that take it later. Readers of a rwlock do so with
 * writers only. */
static void sync_lock(const au_weak_exec *x, au_weak_relations *r, au_obj_kind kind,
                      const uint16_t *line, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = au_weak_number(x, line[i]);
        const au_weak_event *e = &x->event[a];
        if (role_of(e, &x->m->step.at[e->step]) != GIVES)
            continue;
        bool reader = kind == AU_OBJ_RWLOCK && !e->value;
        for (uint32_t j = i + 1; j < n; j++) {
            uint32_t b = au_weak_number(x, line[j]);
            role does = role_of(&x->event[b], &x->m->step.at[x->event[b].step]);
            if (does == TAKES_TO_WRITE || (does == TAKES && !reader))
                au_relate(&r->sync, a, b);
        }
    }
}

/* A signal synchronises with the wake-up that it causes. */
static void sync_condition(const au_weak_exec *x, au_weak_relations *r, const uint16_t *line,
                           uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = au_weak_number(x, line[i]), by = AU_NONE;
        const au_step *s = &x->m->step.at[x->event[b].step];
        if (s->kind != AU_STEP_WAKE || s->spurious)
            continue;
        for (uint32_t j = i; j-- > 0;) { /* back to the wait: the first signal after it */
            uint32_t a = au_weak_number(x, line[j]);
            const au_step *q = &x->m->step.at[x->event[a].step];
            if (q->kind == AU_STEP_WAIT && q->thread == s->thread)
                break;
            if (q->kind == AU_STEP_BROADCAST ||
                (q->kind == AU_STEP_SIGNAL && q->choice == s->thread))
                by = a;
        }
        if (by != AU_NONE)
            au_relate(&r->sync, by, b);
    }
}

/* All arrivals of a round synchronise with all that leave it. */
static void sync_barrier(const au_weak_exec *x, au_weak_relations *r, uint32_t size,
                         const uint16_t *line, uint32_t n) {
    uint32_t round_of[64] = {0}, arrived = 0;
    uint32_t round[AU_WEAK_MOST];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = au_weak_number(x, line[i]), t = x->thread[a];
        bool arrives = x->m->step.at[x->event[a].step].kind == AU_STEP_ARRIVE;
        if (arrives)
            round_of[t] = arrived++ / size;
        round[a] = round_of[t];
        for (uint32_t j = 0; j < i && !arrives; j++) {
            uint32_t b = au_weak_number(x, line[j]);
            if (x->m->step.at[x->event[b].step].kind == AU_STEP_ARRIVE && round[b] == round[a])
                au_relate(&r->sync, b, a);
        }
    }
}

/* A fork is before all of the new thread, a join after all of the one that ended. */
static void sync_threads(const au_weak_exec *x, au_weak_relations *r) {
    for (uint32_t e = 0; e < x->n; e++) {
        const au_step *s = &x->m->step.at[x->event[e].step];
        if ((s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN) ||
            (x->event[e].does & AU_WEAK_VAIN))
            continue;
        for (uint32_t i = x->first[s->obj]; i < x->first[s->obj + 1]; i++)
            au_relate(&r->sync, s->kind == AU_STEP_FORK ? e : i, s->kind == AU_STEP_FORK ? i : e);
        for (uint32_t i = 0; i < x->n && s->kind == AU_STEP_FORK; i++) {
            const au_step *q = &x->m->step.at[x->event[i].step];
            if (q->obj != s->obj || i == e)
                continue;
            if (q->kind == AU_STEP_JOIN) /* of a thread without an event, too */
                au_relate(&r->sync, e, i);
            if (q->kind == AU_STEP_FORK) /* in vain: it was started already */
                au_relate(&r->line, e, i);
        }
    }
}

static void order_objects(const au_weak_exec *x, au_weak_relations *r) {
    for (uint32_t o = 0; o < x->m->obj.n; o++) {
        uint32_t n;
        const uint16_t *line = au_weak_line(x, au_weak_line_of(x->m, o), &n);
        const au_sync_obj *obj = &x->m->obj.at[o];
        for (uint32_t i = 1; i < n; i++)
            au_relate(&r->line, au_weak_number(x, line[i - 1]), au_weak_number(x, line[i]));
        if (obj->kind == AU_OBJ_COND)
            sync_condition(x, r, line, n);
        else if (obj->kind == AU_OBJ_BARRIER)
            sync_barrier(x, r, (uint32_t)obj->init, line, n);
        else
            sync_lock(x, r, obj->kind, line, n);
    }
    sync_threads(x, r);
    for (uint32_t e = 0; e < x->n; e++)
        r->line.row[e] |= r->sync.row[e];
}

void au_weak_relations_of(const au_weak_exec *x, au_weak_relations *r) {
    memset(r, 0, sizeof *r);
    for (uint32_t e = 0; e < x->n; e++) {
        const au_step *s = &x->m->step.at[x->event[e].step];
        r->var[e] = s->n_accesses ? s->access[0].var : AU_NONE;
        r->order[e] = (uint8_t)order_of(s);
        for (uint32_t later = e + 1; later < x->first[x->thread[e] + 1]; later++)
            au_relate(&r->sb, e, later);
        if ((x->event[e].does & AU_WEAK_READS) && x->event[e].from != AU_WEAK_INITIAL)
            au_relate(&r->rf, au_weak_number(x, x->event[e].from), e);
    }
    order_writes(x, r);
    order_objects(x, r);
}

/* ---- happens-before ---- */

static bool releases(const au_weak_relations *r, uint32_t e) {
    return r->order[e] == AU_MO_REL || r->order[e] == AU_MO_ACQ_REL || r->order[e] == AU_MO_SC;
}
static bool acquires(const au_weak_relations *r, uint32_t e) {
    return r->order[e] == AU_MO_ACQ || r->order[e] == AU_MO_ACQ_REL || r->order[e] == AU_MO_SC;
}

static bool is_atomic(const au_weak_relations *r, uint32_t e) {
    return r->var[e] != AU_NONE && r->order[e] != AU_MO_NONE;
}

/* Events that release by the atomic write w: itself, and release fences before it. */
static uint64_t releasing(const au_weak_exec *x, const au_weak_relations *r, uint32_t w) {
    uint64_t who = releases(r, w) ? UINT64_C(1) << w : 0;
    for (uint32_t f = x->first[x->thread[w]]; f < w; f++)
        if ((x->event[f].does & AU_WEAK_FENCE) && releases(r, f))
            who |= UINT64_C(1) << f;
    return who;
}

/* The atomic read e and what it sees: back along the release sequence, which (C++20) is a write and
 * the read-modify-writes that see one another from there on. */
static void synchronise(const au_weak_exec *x, au_weak_relations *r, uint32_t e) {
    uint64_t from = 0, to = acquires(r, e) ? UINT64_C(1) << e : 0;
    for (uint32_t f = e + 1; f < x->first[x->thread[e] + 1]; f++)
        if ((x->event[f].does & AU_WEAK_FENCE) && acquires(r, f))
            to |= UINT64_C(1) << f;
    for (uint16_t ref = x->event[e].from; ref != AU_WEAK_INITIAL;) {
        uint32_t w = au_weak_number(x, ref);
        if (!is_atomic(r, w))
            break;
        from |= releasing(x, r, w);
        if (!(x->event[w].does & AU_WEAK_READS))
            break;
        ref = x->event[w].from;
    }
    for (uint32_t a = 0; a < x->n; a++)
        if (from >> a & 1)
            r->hb.row[a] |= to;
}

bool au_weak_happens(const au_weak_exec *x, au_weak_relations *r) {
    for (uint32_t e = 0; e < x->n; e++)
        r->hb.row[e] = r->sb.row[e] | r->sync.row[e];
    for (uint32_t e = 0; e < x->n; e++)
        if (is_atomic(r, e) && (x->event[e].does & AU_WEAK_READS))
            synchronise(x, r, e);
    return au_relation_close(&r->hb, x->n);
}
