/* linear/atomicity_pairs.c: phase II, witnesses of different threads in pairs.
 *
 * For each variable, each ordered pair of threads that access it and each class: the
 * contexts of the one's AA (WW) against those of the other's W (R). A pair of contexts
 * is a representative. Behind it stand pairs of must-segments: the pair is ruled out
 * by must-happens-before only if all of them are ordered one way or the other. (If f
 * comes before e, it is not after it; if the event after e comes before f, the thread
 * does not stand at e when f happens. A position belongs to the segment of the event
 * after it, so both are questions about segments.) */
#include "base/bitset.h"
#include "base/deadline.h"
#include "linear/atomicity_priv.h"

#include <string.h>

enum { AWA, WRW, CLASSES };

/* When the time is over, so many more: what the trace showed so far is told. */
enum { STEPS_MORE = 1 << 20, WITNESSES_MORE = 1 << 23 };

typedef struct {
    uint32_t ctx, segment, wit;
} entry;

/* Witnesses of one (thread, variable, kind) with one context. */
typedef struct {
    uint32_t from, to; /* entries */
} group;

/* All witnesses of one (thread, variable, kind). */
typedef struct {
    uint32_t first;     /* group; the next list's is one past the last */
    uint32_t low, high; /* segments */
} list;

typedef struct {
    entry *entry;
    AU_VEC(group) group;
    AU_VEC(uint32_t) ctx; /* of each group */
    list *list;           /* by 4 * place + kind */
    uint32_t *place;      /* by slot; AU_NONE: nobody's accesses enclose any of the variable */
    uint32_t places;
} side;

typedef struct {
    uint16_t thread;
    uint8_t kinds; /* of its witnesses, as bits */
    uint32_t place;
} owner;

typedef struct {
    au_atomicity *a;
    au_findings *out;
    au_atomicity_result *r;
    au_found_fn *found;
    void *ctx;
    side *side; /* by thread */
    owner *owner;
    uint32_t *first_owner; /* by variable */
    bool must;             /* something is ordered */
    AU_VEC(bool) fits;
    enum { COUNT, EMIT_ALL, EMIT_FIRST, EMIT_REST } pass;
    bool late;      /* the command's time is over */
    uint64_t more;  /* steps that are done all the same */
    bool was_first; /* the (thread pair, variable, class) at hand has had one */
    uint64_t emitted;
    au_map told; /* 'all': triples of locations of the (thread pair, variable, class) at hand */
} pairs;

/* --- order the witnesses ------------------------------------------------------------ */

static int by_ctx(const void *x, const void *y) {
    const entry *a = x, *b = y;
    if (a->ctx != b->ctx)
        return a->ctx < b->ctx ? -1 : 1;
    return a->wit < b->wit ? -1 : a->wit > b->wit;
}

static const au_witness *witness(const au_athread *th, uint32_t i) {
    return i < th->wit[0].n ? &th->wit[0].at[i] : &th->wit[1].at[i - th->wit[0].n];
}

static uint32_t plain_key(const au_atomicity *a, uint32_t key) {
    return a->o.all ? (uint32_t)(a->combos.at[key] >> 32) : key;
}

/* Only of these variables two witnesses can go together. */
static void find_enclosed(const au_atomicity *a, au_bitset *enclosed) {
    au_bitset_init(enclosed, a->vars);
    for (size_t t = 0; t < a->thread.n; t++) {
        const au_athread *th = &a->thread.at[t];
        for (size_t i = 0; i < th->wit[1].n; i++)
            au_bitset_add(enclosed, th->slot.at[th->wit[1].at[i].slot].var);
    }
}

static void give_places(const au_athread *th, const au_bitset *enclosed, side *s) {
    s->place = au_alloc_array(th->slot.n + 1, sizeof *s->place);
    for (size_t i = 0; i < th->slot.n; i++)
        s->place[i] = au_bitset_has(enclosed, th->slot.at[i].var) ? s->places++ : AU_NONE;
}

static void sort_side(const au_atomicity *a, const au_athread *th, side *s) {
    size_t all = th->wit[0].n + th->wit[1].n, n = 0, buckets = (size_t)s->places * AU_WITS;
    for (uint32_t i = 0; i < all; i++)
        n += s->place[witness(th, i)->slot] != AU_NONE;
    uint32_t *end = au_alloc_array(buckets + 1, sizeof *end);
    s->entry = au_alloc_array(n + 1, sizeof *s->entry);
    s->list = au_alloc_array(buckets + 1, sizeof *s->list);
    for (uint32_t i = 0; i < all; i++) {
        const au_witness *w = witness(th, i);
        if (s->place[w->slot] != AU_NONE)
            end[s->place[w->slot] * AU_WITS + w->kind + 1]++;
    }
    for (size_t i = 0; i < buckets; i++)
        end[i + 1] += end[i];
    for (uint32_t i = 0; i < all; i++) { /* afterwards end[b] is where bucket b ends */
        const au_witness *w = witness(th, i);
        const au_key *k = &th->keys.at[plain_key(a, w->key)];
        if (s->place[w->slot] != AU_NONE)
            s->entry[end[s->place[w->slot] * AU_WITS + w->kind]++] = (entry){k->ctx, k->segment, i};
    }
    for (size_t b = 0; b < buckets; b++) {
        uint32_t from = b ? end[b - 1] : 0, to = end[b];
        list *l = &s->list[b];
        *l = (list){(uint32_t)s->group.n, UINT32_MAX, 0};
        bool sorted = true;
        for (uint32_t i = from; i < to; i++) {
            uint32_t segment = s->entry[i].segment;
            sorted &= i == from || s->entry[i - 1].ctx <= s->entry[i].ctx;
            l->low = segment < l->low ? segment : l->low;
            l->high = segment > l->high ? segment : l->high;
        }
        if (!sorted)
            qsort(s->entry + from, to - from, sizeof(entry), by_ctx);
        for (uint32_t i = from; i < to; i++)
            if (i == from || s->entry[i].ctx != s->entry[i - 1].ctx) {
                au_vec_push(&s->group, ((group){i, i + 1}));
                au_vec_push(&s->ctx, s->entry[i].ctx);
            } else {
                au_vec_last(&s->group).to = i + 1;
            }
    }
    s->list[buckets].first = (uint32_t)s->group.n;
    free(end);
}

static uint8_t kinds_of(const side *s, uint32_t place) {
    const list *l = &s->list[(size_t)place * AU_WITS];
    uint8_t kinds = 0;
    for (int k = 0; k < AU_WITS; k++)
        kinds |= (uint8_t)((l[k + 1].first > l[k].first) << k);
    return kinds;
}

static void sort_owners(pairs *p) {
    au_atomicity *a = p->a;
    p->first_owner = au_alloc_array((size_t)a->vars + 2, sizeof *p->first_owner);
    uint32_t *at = p->first_owner + 1; /* becomes first_owner when filled */
    size_t n = 0;
    for (size_t t = 0; t < a->thread.n; t++)
        for (size_t s = 0; s < a->thread.at[t].slot.n; s++)
            if (p->side[t].place[s] != AU_NONE) {
                at[a->thread.at[t].slot.at[s].var + 1]++;
                n++;
            }
    for (uint32_t v = 1; v <= a->vars; v++)
        at[v] += at[v - 1];
    p->owner = au_alloc_array(n + 1, sizeof *p->owner);
    for (size_t t = 0; t < a->thread.n; t++)
        for (size_t s = 0; s < a->thread.at[t].slot.n; s++) {
            uint32_t place = p->side[t].place[s];
            if (place != AU_NONE)
                p->owner[at[a->thread.at[t].slot.at[s].var]++] =
                    (owner){(uint16_t)t, kinds_of(&p->side[t], place), place};
        }
}

/* --- pairs ----------------------------------------------------------------------------- */

/* So much was done. False: the time is over. */
static bool step(pairs *p, uint64_t n) {
    if (!au_deadline_step(n))
        return true;
    if (p->pass == COUNT || p->more < n)
        p->late = true;
    else
        p->more -= n;
    return !p->late;
}

static bool enough(const pairs *p) {
    if (p->late)
        return true;
    return p->pass != COUNT && p->a->o.max_findings && p->emitted >= p->a->o.max_findings;
}

static bool ordered(const pairs *p, owner E, const entry *e, owner F, const entry *f) {
    return au_must_before(p->a->must, F.thread, f->segment, E.thread, e->segment) ||
           au_must_before(p->a->must, E.thread, e->segment, F.thread, f->segment);
}

/* Can any of these witnesses be ordered? The earliest of the one against the latest of
 * the other is the best chance. */
static bool may_be_ordered(const pairs *p, owner E, const list *e, owner F, const list *f) {
    return p->must && (au_must_before(p->a->must, F.thread, f->low, E.thread, e->high) ||
                       au_must_before(p->a->must, E.thread, e->low, F.thread, f->high));
}

/* A violation to count, and perhaps to tell. */
static void violation(pairs *p, int class, owner E, const entry *e, owner F, const entry *f) {
    bool first = !p->was_first;
    p->was_first = true;
    if (p->pass == COUNT) {
        if (class == AWA)
            p->r->awa++;
        else
            p->r->wrw++;
    } else if (p->pass == EMIT_ALL || (p->pass == EMIT_FIRST) == first) {
        if (!enough(p)) {
            const au_athread *te = &p->a->thread.at[E.thread], *tf = &p->a->thread.at[F.thread];
            const au_finding *x = au_atomicity_tell(p->a, p->out, E.thread, witness(te, e->wit),
                                                    F.thread, witness(tf, f->wit));
            p->emitted++;
            au_vec_push(&p->a->first, first);
            if (p->found)
                p->found(p->ctx, x);
        }
    }
}

static void all_locations(pairs *p, int class, owner E, const group *ge, owner F, const group *gf) {
    const au_athread *te = &p->a->thread.at[E.thread], *tf = &p->a->thread.at[F.thread];
    for (uint32_t i = ge->from; i < ge->to && step(p, 1 + gf->to - gf->from); i++)
        for (uint32_t j = gf->from; j < gf->to; j++) {
            const entry *e = &p->side[E.thread].entry[i], *f = &p->side[F.thread].entry[j];
            if (ordered(p, E, e, F, f))
                continue;
            /* 'locs' is the same number for the same pair of locations of this thread */
            uint32_t locs = (uint32_t)p->a->combos.at[witness(te, e->wit)->key];
            uint32_t loc = tf->single.at[witness(tf, f->wit)->first].loc;
            bool fresh;
            au_map_put(&p->told, au_key2(locs, loc), &fresh);
            if (fresh)
                violation(p, class, E, e, F, f);
        }
}

/* A pair of witnesses behind the pair of groups that is not ordered. */
static bool find_unordered(pairs *p, owner E, const group *ge, owner F, const group *gf,
                           const entry **e, const entry **f) {
    for (uint32_t i = ge->from; i < ge->to && step(p, 1 + gf->to - gf->from); i++)
        for (uint32_t j = gf->from; j < gf->to; j++) {
            *e = &p->side[E.thread].entry[i];
            *f = &p->side[F.thread].entry[j];
            if (!ordered(p, E, *e, F, *f))
                return true;
        }
    return false;
}

static void pair_of_threads(pairs *p, int class, owner E, owner F) {
    const side *se = &p->side[E.thread], *sf = &p->side[F.thread];
    const list *le = &se->list[(size_t)E.place * AU_WITS + (class == AWA ? AU_WIT_AA : AU_WIT_WW)];
    const list *lf = &sf->list[(size_t)F.place * AU_WITS + (class == AWA ? AU_WIT_W : AU_WIT_R)];
    size_t ne = le[1].first - le->first, nf = lf[1].first - lf->first;
    if (!ne || !nf)
        return;
    uint64_t *left = p->r->funnel.left;
    bool must = may_be_ordered(p, E, le, F, lf);
    p->was_first = false;
    if (p->a->o.all)
        au_map_clear(&p->told);
    if (p->pass == COUNT)
        left[AU_STAGE_CANDIDATES] += ne * nf;
    au_vec_reserve(&p->fits, ne);
    for (uint32_t j = lf->first; j < lf[1].first && !enough(p); j++) {
        const group *gf = &sf->group.at[j];
        if (!step(p, ne))
            return;
        size_t n =
            au_lockctx_match(p->a->ctx, sf->ctx.at[j], se->ctx.at + le->first, ne, p->fits.at);
        if (!must && p->pass == COUNT && !p->a->o.all) {
            left[AU_STAGE_MUST_HB] += ne;
            left[AU_STAGE_LOCKSET] += n;
            *(class == AWA ? &p->r->awa : &p->r->wrw) += n;
            continue;
        }
        for (size_t i = 0; i < ne; i++) {
            const group *ge = &se->group.at[le->first + i];
            const entry *e = &se->entry[ge->from], *f = &sf->entry[gf->from];
            if ((p->pass != COUNT && !p->fits.at[i]) ||
                (must && !find_unordered(p, E, ge, F, gf, &e, &f)))
                continue;
            if (p->pass == COUNT) {
                left[AU_STAGE_MUST_HB]++;
                left[AU_STAGE_LOCKSET] += p->fits.at[i];
            }
            if (p->fits.at[i] && p->a->o.all)
                all_locations(p, class, E, ge, F, gf);
            else if (p->fits.at[i])
                violation(p, class, E, e, F, f);
            if (p->pass == EMIT_FIRST && p->was_first)
                return;
        }
    }
}

static void run(pairs *p, int pass) {
    enum { R = 1 << AU_WIT_R, W = 1 << AU_WIT_W, AA = 1 << AU_WIT_AA, WW = 1 << AU_WIT_WW };
    p->pass = pass;
    for (uint32_t v = 0; v < p->a->vars && !enough(p); v++) {
        uint32_t from = p->first_owner[v], to = p->first_owner[v + 1];
        for (uint32_t i = from; i < to && step(p, 1 + to - from); i++) {
            owner e = p->owner[i];
            for (uint32_t j = from; j < to && e.kinds & (AA | WW); j++) {
                owner f = p->owner[j];
                if (i != j && e.kinds & AA && f.kinds & W)
                    pair_of_threads(p, AWA, e, f);
                if (i != j && e.kinds & WW && f.kinds & R)
                    pair_of_threads(p, WRW, e, f);
            }
        }
    }
}

void au_atomicity_pairs(au_atomicity *a, au_findings *out, au_atomicity_result *r,
                        au_found_fn *found, void *ctx) {
    *r = (au_atomicity_result){.truncated = a->truncated,
                               .contexts = au_lockctx_count(a->ctx),
                               .blocks = a->mode,
                               .not_nested = a->not_nested.at,
                               .n_not_nested = a->not_nested.n};
    au_funnel_init(&r->funnel);
    r->funnel.unit = "representatives";
    for (int s = AU_STAGE_CANDIDATES; s <= AU_STAGE_LOCKSET; s++)
        r->funnel.left[s] = 0;
    size_t witnesses = 0;
    for (size_t t = 0; t < a->thread.n; t++)
        witnesses += a->thread.at[t].wit[0].n + a->thread.at[t].wit[1].n;
    if (au_deadline_step(witnesses) && witnesses > WITNESSES_MORE)
        return;
    pairs p = {.a = a, .out = out, .r = r, .found = found, .ctx = ctx, .more = STEPS_MORE};
    p.must = au_must_orders(a->must);
    p.side = au_alloc_array(a->thread.n + 1, sizeof *p.side);
    au_bitset enclosed;
    find_enclosed(a, &enclosed);
    for (size_t t = 0; t < a->thread.n; t++) {
        give_places(&a->thread.at[t], &enclosed, &p.side[t]);
        sort_side(a, &a->thread.at[t], &p.side[t]);
    }
    au_bitset_release(&enclosed);
    sort_owners(&p);
    run(&p, COUNT);
    uint64_t total = r->awa + r->wrw, limit = a->o.max_findings;
    if (p.late) { /* not all were counted */
        p.late = false;
        run(&p, EMIT_FIRST);
    } else if (!limit || total <= limit) {
        run(&p, EMIT_ALL);
    } else {
        run(&p, EMIT_FIRST);
        if (p.emitted < limit)
            run(&p, EMIT_REST);
        r->left_out = total - p.emitted;
    }
    for (size_t t = 0; t < a->thread.n; t++) {
        free(p.side[t].entry);
        free(p.side[t].list);
        free(p.side[t].place);
        au_vec_release(&p.side[t].group);
        au_vec_release(&p.side[t].ctx);
    }
    au_map_release(&p.told);
    au_vec_release(&p.fits);
    free(p.side);
    free(p.owner);
    free(p.first_owner);
}
