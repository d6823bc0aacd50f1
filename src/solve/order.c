/* solve/order.c: pairs, ladders, lazy transitivity. */
#include "solve/order_priv.h"

#include "base/error.h"

#include <string.h>

int au_order_before(const au_order *o, uint32_t a, uint32_t b) {
    const au_cssa_event *x = &o->c->event.at[a], *y = &o->c->event.at[b];
    if (x->thread == y->thread)
        return x->place < y->place ? AU_LIT_TRUE : AU_LIT_FALSE;
    if (o->from)
        return au_segments_before(o, a, b);
    if (x->thread < y->thread)
        return o->pair[x->thread * o->threads + y->thread]
                      [(size_t)o->rank[a] * o->line[y->thread].n + o->rank[b]];
    return -o->pair[y->thread * o->threads + x->thread]
                   [(size_t)o->rank[b] * o->line[x->thread].n + o->rank[a]];
}

/* The ordered events of a section: ranks low … high - 1. */
static void ranks_of(const au_order *o, const au_section *s, size_t *low, size_t *high) {
    const au_u32s *line = &o->line[s->thread];
    *low = o->rank[s->acq];
    *high = *low;
    while (*high < line->n && o->c->event.at[line->at[*high]].place <= s->last)
        ++*high;
}

/* Leaf sections of one lock are as one event: their pairs are all one. share[i]: the pair
 * that stands for it, or itself. No pair is in two: leaves do not nest. */
static void share_pairs(const au_order *o, uint32_t t, uint32_t u, const au_mutexes *x,
                        uint32_t *share) {
    size_t nu = o->line[u].n;
    for (size_t i = 0; i < x->section.n; i++) {
        const au_section *a = &x->section.at[i];
        for (size_t j = 0; j < x->section.n && a->thread == t && a->leaf; j++) {
            const au_section *b = &x->section.at[j];
            if (b->thread != u || b->obj != a->obj || !b->leaf)
                continue;
            size_t low_a, high_a, low_b, high_b;
            ranks_of(o, a, &low_a, &high_a);
            ranks_of(o, b, &low_b, &high_b);
            for (size_t p = low_a; p < high_a; p++)
                for (size_t q = low_b; q < high_b; q++)
                    share[p * nu + q] = (uint32_t)(low_a * nu + low_b);
        }
    }
}

static uint32_t root_of(uint32_t *share, uint32_t i) {
    while (share[i] != i)
        i = share[i] = share[share[i]];
    return i;
}

/* The same for transactions: pairs of the same two belong together. block[event]. */
static void share_blocks(const au_order *o, uint32_t t, uint32_t u, const uint32_t *block,
                         uint32_t *share) {
    size_t nt = o->line[t].n, nu = o->line[u].n;
    for (size_t i = 0; i < nt; i++)
        for (size_t j = 0; j < nu; j++) {
            uint32_t at = (uint32_t)(i * nu + j);
            if (i && block[o->line[t].at[i]] == block[o->line[t].at[i - 1]])
                share[root_of(share, at)] = root_of(share, (uint32_t)(at - nu));
            if (j && block[o->line[u].at[j]] == block[o->line[u].at[j - 1]])
                share[root_of(share, at)] = root_of(share, at - 1);
        }
    for (uint32_t i = 0; i < nt * nu; i++)
        share[i] = root_of(share, i);
}

/* Literals and ladders of two threads. */
static void make_pairs(au_order *o, uint32_t t, uint32_t u, const uint32_t *wish,
                       const au_mutexes *x, const uint32_t *block) {
    size_t nt = o->line[t].n, nu = o->line[u].n;
    int *p = au_alloc_array(nt * nu + 1, sizeof *p);
    uint32_t *share = au_alloc_array(nt * nu + 1, sizeof *share);
    o->pair[t * o->threads + u] = p;
    for (uint32_t i = 0; i < nt * nu; i++)
        share[i] = i;
    share_pairs(o, t, u, x, share);
    if (block)
        share_blocks(o, t, u, block, share);
    for (int round = 0; round < 2; round++) /* constants first, for all that share them */
        for (size_t i = 0; i < nt; i++)
            for (size_t j = 0; j < nu; j++) {
                uint32_t a = o->line[t].at[i], b = o->line[u].at[j];
                int *lit = &p[share[i * nu + j]];
                if (au_cssa_must(o->c, a, b))
                    *lit = AU_LIT_TRUE;
                else if (au_cssa_must(o->c, b, a))
                    *lit = AU_LIT_FALSE;
                else if (round && !*lit)
                    *lit = au_sat_wish(o->sat, wish[a] <= wish[b]);
            }
    for (size_t i = 0; i < nt * nu; i++)
        p[i] = p[share[i]];
    free(share);
    o->n_pairs += nt * nu;
    for (size_t i = 0; i < nt; i++)
        for (size_t j = 0; j < nu; j++) {
            const int *at = &p[i * nu + j]; /* shared literals: each clause once */
            if (j + 1 < nu && at[0] != at[1] &&
                !(i && at[-(ptrdiff_t)nu] == at[0] && at[1 - (ptrdiff_t)nu] == at[1]))
                au_sat_2(o->sat, -at[0], at[1]);
            if (i + 1 < nt && at[0] != at[nu] && !(j && at[-1] == at[0] && at[nu - 1] == at[nu]))
                au_sat_2(o->sat, -at[nu], at[0]);
        }
}

/* When the second of two sections of one lock begins, the first has ended. */
static void keep_apart(au_order *o, const au_mutexes *x, const int *exec) {
    for (size_t i = 0; i < x->section.n; i++)
        for (size_t j = 0; j < x->section.n; j++) {
            const au_section *a = &x->section.at[i], *b = &x->section.at[j];
            if (a->obj != b->obj || a->thread == b->thread)
                continue;
            int begun = au_order_before(o, a->acq, b->acq);
            int ended = a->rel == AU_NONE ? AU_LIT_FALSE : au_order_before(o, a->rel, b->acq);
            if (begun != ended)
                au_sat_3(o->sat, -exec[b->acq], -begun, ended);
        }
}

/* What is executed comes before a store that is not, if that is certain and they share the
 * variable: so the order alone says which stores have happened. */
static void executed_first(au_order *o, const au_mutexes *locks, const int *exec) {
    const au_cssa *c = o->c;
    au_u32s *touch = au_alloc_array(c->m->var.n + 1, sizeof *touch); /* by variable */
    for (uint32_t e = 0; e < c->event.n; e++) {
        const au_cssa_event *x = &c->event.at[e];
        for (uint32_t i = 0; i < x->n_reads; i++)
            au_vec_push(&touch[c->read.at[x->first_read + i].var], e);
        for (uint32_t i = 0; i < x->n_writes; i++) {
            au_u32s *t = &touch[c->write.at[x->first_write + i].var];
            if (!t->n || au_vec_last(t) != e)
                au_vec_push(t, e);
        }
    }
    for (uint32_t v = 0; v < c->m->var.n; v++) {
        for (size_t i = 0; i < touch[v].n; i++)
            for (size_t j = 0; j < c->stores[v].n; j++) {
                uint32_t a = touch[v].at[i], b = c->stores[v].at[j];
                if (c->event.at[a].thread != c->event.at[b].thread && c->event.at[b].certain &&
                    !au_mutexes_releases(locks, a, v))
                    au_sat_3(o->sat, -exec[a], exec[b], au_order_before(o, a, b));
            }
        au_vec_release(&touch[v]);
    }
    free(touch);
}

/* From here on the thread comes after more of the others than before. */
static bool is_later(const au_cssa *c, uint32_t e) {
    const uint32_t *must = c->last_must + (size_t)e * c->m->thread.n;
    return c->event.at[e].place &&
           memcmp(must, must - c->m->thread.n, c->m->thread.n * sizeof *must);
}

/* By event: the transaction it is in. Where a thread branches its events stand in a line all the
 * same, and sides that are not taken do no harm between others; so a transaction is
 * what lies between two boundaries in that line. What must come after another thread's event begins one, too: a thread may
 * stop right before it (an assume that fails has read all the same), and what it did until then need not come after that. */
static uint32_t *find_blocks(const au_cssa *c, const au_tsg *whole) {
    if (!whole)
        return NULL;
    uint32_t *block = au_alloc_array(c->event.n + 1, sizeof *block), now = 0;
    for (uint32_t e = 0; e < c->event.n; e++) {
        const au_cssa_event *x = &c->event.at[e];
        now += !x->place || whole->boundary[au_facts_src(&whole->facts, x->step)] || is_later(c, e);
        block[e] = now;
    }
    return block;
}

void au_order_init(au_order *o, const au_cssa *c, au_sat *s, const int *exec, const uint32_t *wish,
                   const au_mutexes *x, const au_tsg *whole, uint32_t bound) {
    *o = (au_order){.c = c, .sat = s, .threads = (uint32_t)c->m->thread.n, .bound = bound};
    o->rank = au_alloc_array(c->event.n + 1, sizeof *o->rank);
    o->line = au_alloc_array(o->threads + 1, sizeof *o->line);
    o->pair = au_alloc_array((size_t)o->threads * o->threads + 1, sizeof *o->pair);
    for (uint32_t e = 0; e < c->event.n; e++) {
        au_u32s *line = &o->line[c->event.at[e].thread];
        o->rank[e] = c->event.at[e].ordered ? (uint32_t)line->n : AU_NONE;
        if (c->event.at[e].ordered)
            au_vec_push(line, e);
    }
    if (bound != AU_NONE) {
        au_segments_init(o, exec, x);
        return;
    }
    uint32_t *block = find_blocks(c, whole);
    for (uint32_t t = 0; t < o->threads; t++)
        for (uint32_t u = t + 1; u < o->threads; u++)
            make_pairs(o, t, u, wish, x, block);
    free(block);
    executed_first(o, x, exec);
    keep_apart(o, x, exec);
}

void au_order_release(au_order *o) {
    au_segments_release(o);
    for (size_t i = 0; i < (size_t)o->threads * o->threads; i++)
        free(o->pair[i]);
    for (uint32_t t = 0; t < o->threads; t++)
        au_vec_release(&o->line[t]);
    free(o->pair);
    free(o->line);
    free(o->rank);
}

/* --- solutions -------------------------------------------------------------------- */

typedef struct {
    au_order *o;
    au_u32s *path;  /* by thread: its executed events */
    uint32_t *slot; /* by event: its number in its path */
    uint32_t *last; /* [event * threads + u]: how many of u's executed ones come before */
} solution;

/* How many events of path u come before e: the literals are monotone. */
static uint32_t count_before(solution *x, uint32_t e, uint32_t u) {
    const au_u32s *p = &x->path[u];
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (au_sat_value(x->o->sat, au_order_before(x->o, p->at[mid], e)))
            low = mid + 1;
        else
            high = mid;
    }
    return (uint32_t)low;
}

static void find_breaks(const solution *x, au_breaks *b) {
    uint32_t n = x->o->threads;
    for (uint32_t t = 0; t < n; t++)
        for (size_t i = 0; i < x->path[t].n; i++) {
            uint32_t e = x->path[t].at[i];
            for (uint32_t v = 0; v < n; v++) {
                uint32_t before = x->last[(size_t)e * n + v];
                if (v == t || !before)
                    continue;
                uint32_t p = x->path[v].at[before - 1];
                for (uint32_t u = 0; u < n; u++) {
                    uint32_t of_p = x->last[(size_t)p * n + u];
                    if (u != v && of_p && of_p > (u == t ? i : x->last[(size_t)e * n + u]))
                        au_vec_push(b, ((au_break){x->path[u].at[of_p - 1], p, e}));
                }
            }
        }
}

static uint32_t all_before(const solution *x, uint32_t e) {
    uint32_t n = 0, own = x->o->c->event.at[e].thread;
    for (uint32_t u = 0; u < x->o->threads; u++)
        n += u == own ? x->slot[e] : x->last[(size_t)e * x->o->threads + u];
    return n;
}

void au_order_look(au_order *o, const au_bitset *executed, au_u32s *into, au_breaks *b) {
    const au_cssa *c = o->c;
    if (o->from) {
        o->rounds++;
        au_segments_look(o, executed, into);
        return;
    }
    solution x = {.o = o};
    x.path = au_alloc_array(o->threads + 1, sizeof *x.path);
    x.slot = au_alloc_array(c->event.n + 1, sizeof *x.slot);
    x.last = au_alloc_array(c->event.n * o->threads + 1, sizeof *x.last);
    size_t total = 0;
    for (uint32_t t = 0; t < o->threads; t++)
        for (size_t i = 0; i < o->line[t].n; i++) {
            uint32_t e = o->line[t].at[i];
            if (!au_bitset_has(executed, e))
                continue;
            x.slot[e] = (uint32_t)x.path[t].n;
            au_vec_push(&x.path[t], e);
            total++;
        }
    for (uint32_t t = 0; t < o->threads; t++)
        for (size_t i = 0; i < x.path[t].n; i++)
            for (uint32_t u = 0; u < o->threads; u++)
                if (u != t)
                    x.last[(size_t)x.path[t].at[i] * o->threads + u] =
                        count_before(&x, x.path[t].at[i], u);
    find_breaks(&x, b);
    if (!b->n) {
        au_vec_clear(into);
        au_vec_reserve(into, total);
        into->n = total;
        for (size_t i = 0; i < total; i++)
            into->at[i] = AU_NONE;
        for (uint32_t t = 0; t < o->threads; t++)
            for (size_t i = 0; i < x.path[t].n; i++) {
                uint32_t at = all_before(&x, x.path[t].at[i]);
                AU_BUG_IF(at >= total || into->at[at] != AU_NONE);
                into->at[at] = x.path[t].at[i];
            }
    }
    o->rounds++;
    for (uint32_t t = 0; t < o->threads; t++)
        au_vec_release(&x.path[t]);
    free(x.path);
    free(x.slot);
    free(x.last);
}

void au_order_cut(au_order *o, const au_breaks *b) {
    for (size_t i = 0; i < b->n; i++)
        au_sat_3(o->sat, -au_order_before(o, b->at[i].q, b->at[i].p),
                 -au_order_before(o, b->at[i].p, b->at[i].e),
                 au_order_before(o, b->at[i].q, b->at[i].e));
    o->cuts += b->n;
}
