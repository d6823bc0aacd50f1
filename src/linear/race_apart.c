/* linear/race_apart.c: see race_apart.h. */
#include "linear/race_apart.h"

#include "base/aside.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "linear/hb.h"
#include "linear/syncp_priv.h"

#include <unistd.h>

enum { SLICE = 1 << 20 }; /* events between two looks at the clock */
enum { APART = 1 << 18 }; /* events: fewer are not worth a process */
enum { MOST = 16 };       /* processes */
/* What a process tells, one after the other. */
enum { RACE = 1, END };

typedef struct {
    uint32_t what;
    uint32_t e1, e2;     /* RACE */
    uint32_t threads;    /* … followed by so many numbers, the cut's */
    uint32_t late, kept; /* … */
} record;

typedef struct {
    const au_race_options *o;
    const au_syncp *s;
    const au_suspects *suspects;
    struct au_race_part part;
    au_aside *aside;
    au_out *to; /* in the child */
    uint32_t told;
} share;

typedef struct {
    const au_trace *trace;
    const au_race_options *o;
    au_aside *aside; /* suspects, then the happens-before pass; NULL: nobody does that beside us */
    size_t taken;    /* of what it wrote: the suspects */
} first_part;

/* --- by one process ------------------------------------------------------------------ */

static au_status run_hb(const au_trace *t, const au_race_options *o, au_findings *out,
                        au_error *err) {
    au_race_options quiet = *o;
    quiet.found = NULL;
    au_hb *h = au_hb_new(&t->names, &quiet, out);
    au_status st = AU_OK;
    for (size_t at = 0; at < t->events.n && st == AU_OK && !au_deadline_over(); at += SLICE) {
        size_t to = t->events.n - at < SLICE ? t->events.n : at + SLICE;
        au_block some = au_columns_block(&t->events, at, to);
        st = au_hb_block(h, &some, err);
    }
    au_hb_free(h);
    return st;
}

/* --- in another process -------------------------------------------------------------- */

static void put_race(void *ctx, uint32_t e1, uint32_t e2, const au_cut *cut) {
    share *x = ctx;
    record r = {.what = RACE, .e1 = e1, .e2 = e2, .threads = cut->threads, .late = cut->late};
    r.kept = cut->kept;
    au_out_write(x->to, &r, sizeof r);
    au_out_write(x->to, cut->upto, cut->threads * sizeof *cut->upto);
    if (++x->told % 64 == 0)
        au_out_flush(x->to, NULL);
}

static void do_first(void *ctx, au_out *out) {
    const first_part *p = ctx;
    au_suspects x;
    au_suspects_find(&x, p->trace);
    au_out_write(out, &x, sizeof x);
    au_out_write(out, x.accesses, x.vars * sizeof *x.accesses);
    au_out_flush(out, NULL);
    au_suspects_release(&x);
    au_findings found;
    au_error err = AU_ERROR_NONE;
    au_findings_init(&found);
    au_status st = run_hb(p->trace, p->o, &found, &err);
    for (size_t i = 0; i < found.finding.n && st == AU_OK; i++)
        au_out_write(out, found.finding.at[i].event, 2 * sizeof(au_event_ref));
    au_findings_release(&found);
    if (st != AU_OK)
        _exit(1); /* whoever needs it does it again, and says why */
}

static void do_share(void *ctx, au_out *out) {
    share *x = ctx;
    au_race_stats stats = {0};
    uint64_t bit[AU_LIMITS];
    x->to = out;
    x->part.sink = put_race;
    x->part.ctx = x;
    au_syncp_walk(x->s, x->o, x->suspects, &x->part, &stats);
    for (int l = 0; l < AU_LIMITS; l++)
        bit[l] = au_limit_taken((au_limit)l);
    record r = {.what = END};
    au_out_write(out, &r, sizeof r);
    au_out_write(out, &stats, sizeof stats);
    au_out_write(out, bit, sizeof bit);
}

/* --- what it told -------------------------------------------------------------------- */

typedef struct {
    const char *at;
    size_t left;
} told;

static bool take(told *d, void *into, size_t n) {
    if (d->left < n)
        return false;
    if (n)
        memcpy(into, d->at, n);
    d->at += n;
    d->left -= n;
    return true;
}

static void get_suspects(au_suspects *x, first_part *p) {
    uint32_t vars = (uint32_t)p->trace->names.var.n;
    if (p->aside && au_aside_read(p->aside, 0, x, sizeof *x) && x->vars == vars) {
        x->accesses = au_alloc_array(vars, sizeof *x->accesses);
        p->taken = sizeof *x + vars * sizeof *x->accesses;
        if (au_aside_read(p->aside, sizeof *x, x->accesses, vars * sizeof *x->accesses))
            return;
        free(x->accesses);
    }
    au_suspects_find(x, p->trace);
}

/* The happens-before pass, told or done here. */
static au_status get_hb(first_part *p, au_findings *hb, au_error *err) {
    told d = {0};
    bool done = p->aside && au_aside_wait(p->aside, &d.at, &d.left) && d.left >= p->taken;
    if (!done)
        return au_deadline_over() && p->aside ? AU_OK : run_hb(p->trace, p->o, hb, err);
    d.at += p->taken;
    d.left -= p->taken;
    au_event_ref e[2];
    while (take(&d, e, sizeof e)) {
        au_finding *f = au_findings_add(hb, AU_KIND_RACE, 2);
        f->obj = e[0].obj;
        f->detail = au_race_detail(e[0].op, e[1].op);
        memcpy(f->event, e, sizeof e);
    }
    return AU_OK;
}

static bool is_whole(told d, uint32_t threads) {
    record r;
    char skip[sizeof(uint32_t)];
    while (take(&d, &r, sizeof r) && r.what != END)
        for (uint32_t k = 0; r.what == RACE && k < threads; k++)
            if (!take(&d, skip, sizeof skip))
                return false;
    return d.left == sizeof(au_race_stats) + AU_LIMITS * sizeof(uint64_t) && r.what == END;
}

static void add_stats(au_race_stats *to, const au_race_stats *n) {
    to->racy += n->racy;
    to->late += n->late;
    to->closures += n->closures;
    to->coarse += n->coarse;
}

static void add_told(told d, au_race_teller *teller, au_race_stats *stats) {
    uint32_t threads = teller->s->n_threads;
    uint32_t *upto = au_alloc_array(threads + 1, sizeof *upto);
    record r;
    while (take(&d, &r, sizeof r) && r.what == RACE && take(&d, upto, threads * sizeof *upto)) {
        au_cut cut = {.upto = upto, .threads = threads, .late = r.late, .kept = r.kept};
        au_race_tell(teller, r.e1, r.e2, &cut);
    }
    au_race_stats n;
    uint64_t bit[AU_LIMITS];
    if (take(&d, &n, sizeof n) && take(&d, bit, sizeof bit)) {
        add_stats(stats, &n);
        for (int l = 0; l < AU_LIMITS; l++)
            if (bit[l])
                au_limit_reached((au_limit)l, bit[l]);
    }
    free(upto);
}

/* --- all of them --------------------------------------------------------------------- */

/* Ranges of variables in order, with about as many accesses each. */
static void divide(share *x, unsigned n, const au_suspects *suspects) {
    uint64_t accesses = 0, done = 0;
    for (uint32_t v = 0; v < suspects->vars; v++)
        accesses += suspects->accesses[v];
    for (uint32_t i = 0, v = 0; i < n; i++) {
        x[i].part.from = v;
        while (v < suspects->vars &&
               (i + 1 == n || done + suspects->accesses[v] / 2 < accesses / n * (i + 1)))
            done += suspects->accesses[v++];
        x[i].part.to = v;
    }
}

/* One process's share, told or done here. */
static void put_share(share *x, au_race_teller *teller, au_race_stats *stats) {
    told d = {0};
    bool ended = x->aside && au_aside_wait(x->aside, &d.at, &d.left);
    if (x->aside && ((ended && is_whole(d, x->s->n_threads)) || au_deadline_over())) {
        add_told(d, teller, stats);
    } else {
        x->part.sink = au_race_tell;
        x->part.ctx = teller;
        au_syncp_walk(x->s, x->o, x->suspects, &x->part, stats);
    }
    au_aside_free(x->aside);
}

static void walk_all(const au_syncp *s, const au_race_options *o, unsigned n, first_part *first,
                     au_findings *out, au_race_stats *stats) {
    share x[MOST] = {0};
    au_suspects suspects;
    au_race_teller teller;
    get_suspects(&suspects, first);
    *stats = (au_race_stats){.candidates = suspects.candidates,
                             .must_hb = suspects.must_hb,
                             .lockset = suspects.lockset};
    au_race_teller_init(&teller, s, o, out);
    for (unsigned i = 0; i < n; i++)
        x[i] = (share){.o = o, .s = s, .suspects = &suspects};
    divide(x, n, &suspects);
    for (unsigned i = 1; i < n; i++)
        x[i].aside = au_aside_start(do_share, &x[i]);
    for (unsigned i = 0; i < n; i++)
        put_share(&x[i], &teller, stats);
    au_suspects_release(&suspects);
}

au_syncp *au_races_list(const au_trace *t, const au_race_options *o, au_findings *out,
                        au_findings *hb, au_race_stats *stats, au_error *err) {
    uint64_t from = o->apart_from ? o->apart_from : (uint64_t)APART;
    unsigned n = o->jobs < 1 || t->events.n < from ? 1 : o->jobs < MOST ? o->jobs : MOST;
    first_part first = {.trace = t, .o = o};
    if (n > 1)
        first.aside = au_aside_start(do_first, &first);
    au_syncp *s = au_syncp_new(t, err);
    if (s) {
        walk_all(s, o, n, &first, out, stats);
        if (get_hb(&first, hb, err) != AU_OK) {
            au_syncp_free(s);
            s = NULL;
        }
    }
    au_aside_free(first.aside);
    return s;
}
