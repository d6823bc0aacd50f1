/* solve/range.c: intervals of terms, and rounds over reads. */
#include "solve/range.h"

enum { MAX_ROUNDS = 4096 }; /* then what still grows is any value: nothing is lost */

enum { FEW = 8 }; /* writers that are looked at one by one */

typedef struct {
    const au_cssa *c;
    au_ranges *g;
    au_span *stored; /* by variable: whatever is stored in it, in this round */
    au_intervals *e;
    AU_VEC(au_span) name; /* by name: in this round */
} ranger;

/* A new round: terms are looked at with the reads as they are now. */
static void start_round(ranger *r) {
    const au_cssa *c = r->c;
    au_vec_reserve(&r->name, c->name.n + 1);
    r->name.n = c->name.n;
    for (uint32_t i = 0; i < c->name.n; i++) {
        const au_name *n = &c->name.at[i];
        bool known = n->kind == AU_NAME_READ && n->a < r->g->read.n;
        r->name.at[i] = known ? r->g->read.at[n->a] : au_interval_full(n->width ? n->width : 1);
    }
    au_intervals_over(r->e, r->name.at);
}

static void ranger_init(ranger *r, const au_cssa *c, au_ranges *g) {
    *r = (ranger){.c = c, .g = g, .e = au_intervals_new(c->terms)};
    r->stored = au_alloc_array(c->m->var.n + 1, sizeof *r->stored);
}

static void ranger_release(ranger *r) {
    au_intervals_free(r->e);
    au_vec_release(&r->name);
    free(r->stored);
}

static unsigned width_of(const au_cssa *c, const au_cssa_read *r) {
    return c->m->var.at[r->var].width;
}

static au_span of_initial(const au_cssa *c, const au_cssa_read *r) {
    return au_interval_value(c->m->var.at[r->var].init, width_of(c, r));
}

static au_span written_by(ranger *k, uint32_t write) {
    const au_cssa_write *w = &k->c->write.at[write];
    return w->value.n == UINT32_MAX ? au_interval_full(k->c->m->var.at[w->var].width)
                                    : au_intervals_of(k->e, w->value);
}

/* All stores of a variable together, for reads with many writers. */
static void find_stored(ranger *k) {
    const au_cssa *c = k->c;
    for (uint32_t v = 0; v < c->m->var.n; v++)
        k->stored[v] = au_interval_value(c->m->var.at[v].init, c->m->var.at[v].width);
    for (uint32_t i = 0; i < c->write.n; i++) {
        au_span *s = &k->stored[c->write.at[i].var];
        *s = au_interval_join(*s, written_by(k, i));
    }
}

/* What the read can see when its writers are as they are now. */
static au_span seen_by(ranger *k, const au_cssa_read *r) {
    const au_cssa *c = k->c;
    if (r->writer.n > FEW)
        return k->stored[r->var];
    bool any = false;
    au_span s = {0, 0};
    for (size_t i = 0; i < r->writer.n; i++) {
        au_span w = of_initial(c, r);
        if (r->writer.at[i] != AU_INITIAL) {
            const au_cssa_event *e = &c->event.at[r->writer.at[i]];
            for (uint32_t j = e->first_write; j < e->first_write + e->n_writes; j++)
                if (c->write.at[j].var == r->var)
                    w = written_by(k, j);
        }
        s = any ? au_interval_join(s, w) : w;
        any = true;
    }
    return s;
}

/* What range propagation knows of the read. Of one that is never executed it knows nothing. */
static void narrow(au_ranges *g, const au_cssa *c, size_t read) {
    const au_cssa_read *r = &c->read.at[read];
    if (!g->known || r->event == AU_FINAL || r->name == AU_NONE)
        return;
    const au_step *s = &c->m->step.at[c->event.at[r->event].step];
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        au_span k = g->known->seen[g->known->first_seen[s->id] + i], *at = &g->read.at[read];
        if (s->access[i].write || s->access[i].var != r->var || k.low > k.high)
            continue;
        au_span both = {k.low > at->low ? k.low : at->low, k.high < at->high ? k.high : at->high};
        if (both.low <= both.high)
            *at = both;
    }
}

void au_ranges_make(au_ranges *g, const au_cssa *c, bool all, const au_rpt *known) {
    *g = (au_ranges){.full = all, .known = known};
    if (all) {
        au_ranges_more(g, c);
        return;
    }
    ranger k;
    ranger_init(&k, c, g);
    size_t stores = 0; /* a constant starts a chain and is never in the middle of one */
    for (size_t i = 0; i < c->write.n; i++)
        stores += c->write.at[i].value.n != UINT32_MAX &&
                  !au_term_is_const(c->terms, c->write.at[i].value);
    for (size_t i = 0; i < c->read.n; i++)
        au_vec_push(&g->read, of_initial(c, &c->read.at[i]));
    /* In round 0 every read sees initial values only, whether it can or not: that is
     * more than nothing has been written. */
    bool grew = true;
    for (uint32_t round = 0; grew && round < stores + 2; round++) {
        start_round(&k);
        grew = false;
        find_stored(&k);
        for (size_t i = 0; i < c->read.n; i++) {
            const au_cssa_read *r = &c->read.at[i];
            if (r->name == AU_NONE)
                continue;
            au_span s = au_interval_join(g->read.at[i], seen_by(&k, r));
            if (round >= MAX_ROUNDS)
                s = au_interval_full(width_of(c, r)); /* still growing: give up on this one */
            if (s.low != g->read.at[i].low || s.high != g->read.at[i].high) {
                g->read.at[i] = s;
                grew = true;
            }
        }
        if (round > MAX_ROUNDS + 64 && grew) {
            for (size_t i = 0; i < c->read.n; i++)
                g->read.at[i] = au_interval_full(width_of(c, &c->read.at[i]));
            break;
        }
    }
    ranger_release(&k);
    for (size_t i = 0; i < c->read.n; i++)
        narrow(g, c, i);
}

void au_ranges_more(au_ranges *g, const au_cssa *c) {
    if (g->read.n == c->read.n)
        return;
    ranger k;
    ranger_init(&k, c, g);
    start_round(&k);
    find_stored(&k);
    for (size_t i = g->read.n; i < c->read.n; i++) {
        au_span s = g->full || c->read.at[i].name == AU_NONE
                        ? au_interval_full(width_of(c, &c->read.at[i]))
                        : seen_by(&k, &c->read.at[i]);
        au_vec_push(&g->read, s);
    }
    ranger_release(&k);
}

void au_ranges_release(au_ranges *g) {
    au_vec_release(&g->read);
}
