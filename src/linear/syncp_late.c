/* linear/syncp_late.c: races next to the sync-preserving ones.
 *
 * The classic race that happens-before hides, seen in the order
 *
 *     T1: acq m, w x, rel m     T2: acq m, rel m, w x
 *
 * is not sync-preserving: T1 has to be inside its section when T2's is over, so the
 * two sections change places. What makes it sound all the same is that T1's section
 * is the last thing that happens. So: let one of the two threads, from the acquire of
 * a lock that it holds at its access, run after everything else (its tail). That is a
 * correct reordering if
 *
 *   L1  every other section of a lock taken in the tail that is in the ideal is over, unless
 *       both are shared (the closure sees to it);
 *   L2  no other event of the ideal has one of the tail in its causal past;
 *   L3  a read in the tail sees the write it saw: none of the ideal's other writes to the
 *       variable comes after that write;
 *   L4  the tail has accesses and whole or open critical sections only, nothing else that
 *       depends on an order.
 *
 * The rest of the ideal stays in the order of the trace, for which C1 to C3 suffice. Costs
 * the length of the tail and looks at a bounded number of events: beyond, the pair is not
 * reported. */
#include "base/deadline.h"
#include "base/limits.h"
#include "linear/syncp_priv.h"

#include "base/big.h"

typedef struct {
    uint32_t event, pos; /* in the trace; in its thread */
    uint32_t thread;
} late_write;

struct au_syncp_late {
    const au_syncp *s;
    au_ideal *ideal;
    uint64_t *first; /* by variable: its writes in 'write'; made when first needed */
    late_write *write;
    uint64_t n_writes;
    uint32_t taken[AU_LIMIT_LATE_HELD]; /* locks taken in the tail and not yet given */
};

au_syncp_late *au_late_new(const au_syncp *s) {
    au_syncp_late *l = AU_NEW(au_syncp_late);
    l->s = s;
    l->ideal = au_ideal_new(s);
    return l;
}

void au_late_free(au_syncp_late *l) {
    if (!l)
        return;
    au_ideal_free(l->ideal);
    au_big_free(l->write, l->n_writes, sizeof *l->write);
    free(l->first);
    free(l);
}

static bool is_write(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW || op == AU_OP_ALLOC;
}

static void index_writes(au_syncp_late *l) {
    const au_columns *e = &l->s->trace->events;
    size_t vars = l->s->trace->names.var.n;
    au_deadline_step(e->n / 16); /* counted only: two short passes */
    l->first = au_alloc_array(vars + 2, sizeof *l->first);
    for (size_t i = 0; i < e->n; i++)
        if (is_write(e->op[i]))
            l->first[e->obj[i] + 2]++;
    for (size_t x = 0; x < vars; x++)
        l->first[x + 2] += l->first[x + 1];
    l->n_writes = l->first[vars + 1];
    l->write = au_big_grow(NULL, 0, l->n_writes, sizeof *l->write);
    au_big_touch(l->write, l->n_writes * sizeof *l->write);
    size_t at = 0;
    for (size_t i = 0; i < e->n; i++)
        if (is_write(e->op[i]))
            l->write[l->first[e->obj[i] + 1]++] =
                (late_write){(uint32_t)i, au_syncp_next_pos(l->s, i, &at), e->thread[i]};
}

/* L3 for one read of thread t, whose tail begins with event 'from' of the trace. */
static bool sees_the_same(au_syncp_late *l, size_t read, uint16_t t, size_t from) {
    const au_columns *e = &l->s->trace->events;
    if (!l->first)
        index_writes(l);
    uint32_t var = e->obj[read];
    uint64_t begin = l->first[var], end = l->first[var + 1];
    uint64_t low = begin, high = end; /* the first write after the read */
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        if (l->write[mid].event < read)
            low = mid + 1;
        else
            high = mid;
    }
    if (low > begin && l->write[low - 1].event >= from && l->write[low - 1].thread == t)
        return true; /* its own */
    const uint32_t *in = au_ideal_clock(l->ideal);
    for (uint64_t k = low; k < end; k++) {
        const late_write *w = &l->write[k];
        if (k - low == AU_LIMIT_LATE_WRITES)
            au_limit_reached(AU_AT_LATE_WRITES, 1);
        if (k - low == AU_LIMIT_LATE_WRITES || (w->pos <= in[w->thread] && w->thread != t))
            return false;
    }
    return true;
}

/* L3 and L4 for the tail of t, events 'from' … 'to'-1 of the trace. */
static bool tail_is_fine(au_syncp_late *l, uint16_t t, size_t from, size_t to) {
    const au_columns *e = &l->s->trace->events;
    uint32_t taken = 0;
    if (to - from > au_limit_value(AU_AT_LATE_TAIL)) {
        au_limit_reached(AU_AT_LATE_TAIL, 1);
        return false;
    }
    au_deadline_step((to - from) / 16);
    for (size_t k = from; k < to; k++) {
        if (e->thread[k] != t)
            continue;
        au_op op = e->op[k];
        if (op == AU_OP_REL) {
            uint32_t m = taken;
            while (m && l->taken[m - 1] != e->obj[k])
                m--;
            if (!m)
                return false; /* of a section that began before the tail */
            l->taken[m - 1] = l->taken[--taken];
        } else if (op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ) {
            if (taken == AU_LIMIT_LATE_HELD)
                au_limit_reached(AU_AT_LATE_HELD, 1);
            if (taken == AU_LIMIT_LATE_HELD ||
                au_names_sync(&l->s->trace->names, e->obj[k]).kind == AU_WIRE_OBJ_SEM)
                return false;
            l->taken[taken++] = e->obj[k];
        } else if (op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW) {
            if (!sees_the_same(l, k, t, from))
                return false;
        } else if (op != AU_OP_WRITE && op != AU_OP_AWRITE && op != AU_OP_BEGIN &&
                   op != AU_OP_END && op != AU_OP_REQ && op != AU_OP_FENCE) {
            return false;
        }
    }
    return true;
}

/* The pair, with the section x of e's thread last. */
static bool try_section(au_syncp_late *l, size_t e, size_t other, const au_syncp_section *x) {
    const au_syncp *s = l->s;
    uint16_t t = s->trace->events.thread[e];
    au_ideal_start_late(l->ideal, t, x->acq);
    au_ideal_include_before(l->ideal, e);
    au_ideal_include_before(l->ideal, other);
    if (!au_ideal_close(l->ideal) || au_ideal_contains(l->ideal, e) ||
        au_ideal_contains(l->ideal, other))
        return false;
    const uint32_t *in = au_ideal_clock(l->ideal);
    for (uint32_t u = 0; u < s->n_threads; u++) /* L2 */
        if (u != t && au_clock_row(s, au_clock_at(s, (uint16_t)u, in[u]))[t] >= x->acq)
            return false;
    return tail_is_fine(l, t, x->order, e);
}

/* The sections around e, innermost first. */
static bool try_access(au_syncp_late *l, size_t e, size_t other) {
    const au_thread_past *p = &l->s->thread[l->s->trace->events.thread[e]];
    uint32_t pos = au_syncp_pos(l->s, e);
    size_t low = 0, high = p->section.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->section.at[mid].acq < pos)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t k = low, steps = 0; k-- > 0; steps++) {
        if (steps == AU_LIMIT_LATE_SECTIONS) {
            au_limit_reached(AU_AT_LATE_SECTIONS, 1);
            break;
        }
        if (p->section.at[k].rel > pos && try_section(l, e, other, &p->section.at[k]))
            return true;
    }
    return false;
}

const au_ideal *au_late_race(au_syncp_late *l, size_t e1, size_t e2) {
    return try_access(l, e1, e2) || try_access(l, e2, e1) ? l->ideal : NULL;
}
