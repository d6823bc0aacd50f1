/* lower/path.c: locks that lie in one of several objects, known by the way that leads to them.
 *
 * A lock in memory that stands for several objects (of a list, of an array) is no object of the model. What can
 * be said is: while this instruction accesses x, its thread holds the lock at x + 8, on every way that leads
 * there. Two such accesses exclude each other if the locks lie at one place whenever the accessed bytes
 * overlap (lower/guard.c). That is used to rule pairs of accesses out, and for nothing else: the model
 * itself, and so every later stage, goes on as if these locks were not there.
 *
 * Found by following every thread's code forward, copies of functions in place of calls, as the model has them. A
 * fact is: the lock at 'base + off' was taken, and that was not undone. Base is an expression (lower/path.h), which has its
 * value of this moment; a fact goes when a leaf of it is set again, and where ways meet only what holds on all of
 * them stays. Edges and returns that copy a value copy what is known of it.
 *
 * Facts of one class are about one taking of a lock; of two classes, about two takings. So an unlock of just
 * the address that a fact names undoes its class and no other: if two classes are of one lock, it is recursive and
 * was taken twice. (Taking a lock succeeds: source.h.) An unlock of any other address undoes what it may be about, by
 * points-to sets; unknown functions undo all.
 *
 * trylock gives a fact on condition of its result, which stands once a branch has asked for it. Waiting for a condition
 * gives the lock back and takes it again; between, the thread does nothing.
 *
 * A function with one copy for several calls starts with nothing, and leaves its callers what they had if nothing
 * in it unlocks: its slots are those of another execution then, and theirs are what they were. */
#include "lower/path.h"

#include "base/limits.h"
#include "lower/build.h"
#include "lower/guard.h"

#include <string.h>

typedef struct {
    uint32_t base, cond, class; /* cond: an expression; AU_NONE: held */
    uint64_t off;
    bool zero;           /* held if cond is zero; if not */
    bool alone;          /* not with other readers */
    uint32_t frame;      /* one call that took it, AU_NONE: several … */
    au_operand argument; /* … and its argument */
} fact;
typedef AU_VEC(
    fact) held; /* in the order of base, off, cond, zero; classes in the order they appear */

/* The beginning of a block, or of what follows a call ('after'). */
typedef struct {
    uint32_t frame, insn;
    bool after, queued;
    held in;
} place;

typedef struct {
    bld *b;
    src *s;
    au_src_values *v;
    au_map place_at; /* frame << 32 | after << 31 | insn: in 'place' + 1 */
    AU_VEC(place) place;
    AU_VEC(uint32_t) todo;
    au_map taken; /* locs of locks that are known by their paths */
    bool *undoes; /* by frame: it, or what it calls, may unlock one of those */
    bool told;    /* facts are not followed any more but told of accesses */
} paths;

/* --- facts ------------------------------------------------------------------------------------- */

static int compare(const fact *a, const fact *b) {
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    if (a->off != b->off)
        return a->off < b->off ? -1 : 1;
    if (a->cond != b->cond)
        return a->cond < b->cond ? -1 : 1;
    return a->zero - b->zero;
}

static void tidy_classes(held *h) {
    uint32_t name[AU_LIMIT_SRC_HELD + 1];
    uint32_t n = 0;
    for (size_t i = 0; i < h->n; i++) {
        uint32_t k = 0;
        while (k < n && name[k] != h->at[i].class)
            k++;
        if (k == n)
            name[n++] = h->at[i].class;
        h->at[i].class = k;
    }
}

static void add(held *h, fact f) {
    size_t i = 0;
    while (i < h->n && compare(&h->at[i], &f) < 0)
        i++;
    if (i < h->n && !compare(&h->at[i], &f))
        return;
    if (h->n >= AU_LIMIT_SRC_HELD) {
        au_limit_reached(AU_AT_SRC_HELD, 1);
        return;
    }
    au_vec_push(h, f);
    memmove(&h->at[i + 1], &h->at[i], (h->n - 1 - i) * sizeof *h->at);
    h->at[i] = f;
}

static void copy(held *to, const held *from) {
    au_vec_clear(to);
    au_vec_append(to, from->at, from->n);
}

/* Facts that hold in both. True: a has changed. */
static bool meet(held *a, const held *b) {
    held was = {0};
    uint32_t other[AU_LIMIT_SRC_HELD];
    size_t n = 0;
    if (!a->n)
        return false;
    copy(&was, a);
    for (size_t i = 0, j = 0; i < a->n; i++) {
        while (j < b->n && compare(&b->at[j], &a->at[i]) < 0)
            j++;
        if (j == b->n || compare(&b->at[j], &a->at[i]))
            continue;
        fact f = a->at[i];
        f.alone &= b->at[j].alone;
        if (f.frame != b->at[j].frame || f.argument != b->at[j].argument) {
            f.frame = AU_NONE;
            f.argument = 0;
        }
        other[n] = b->at[j].class;
        a->at[n++] = f;
    }
    a->n = n;
    /* One taking on one of the ways: it may be one. */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (a->at[i].class == a->at[j].class || other[i] == other[j]) {
                uint32_t gone = a->at[i].class, to = a->at[j].class;
                uint32_t gone_other = other[i], to_other = other[j];
                for (size_t k = 0; k < n; k++) {
                    if (a->at[k].class == gone)
                        a->at[k].class = to;
                    if (other[k] == gone_other)
                        other[k] = to_other;
                }
            }
    tidy_classes(a);
    bool changed = was.n != a->n;
    for (size_t i = 0; i < a->n && !changed; i++)
        changed = was.at[i].class != a->at[i].class || was.at[i].alone != a->at[i].alone ||
                  was.at[i].frame != a->at[i].frame || was.at[i].argument != a->at[i].argument;
    au_vec_release(&was);
    return changed;
}

static void drop_class(held *h, uint32_t class) {
    size_t keep = 0;
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].class != class)
            h->at[keep++] = h->at[i];
    h->n = keep;
}

/* These slots are set. */
static void forget(paths *x, held *h, uint32_t frame, uint32_t slot, uint32_t n) {
    for (uint32_t k = 0; k < n && h->n; k++) {
        uint32_t leaf = au_src_value_leaf(x->v, frame, slot + k, false);
        size_t keep = 0;
        for (size_t i = 0; i < h->n; i++)
            if (!au_src_value_mentions(x->v, h->at[i].base, leaf) &&
                !au_src_value_mentions(x->v, h->at[i].cond, leaf))
                h->at[keep++] = h->at[i];
        h->n = keep;
    }
}

/* What is known of the value, as facts about the leaf that gets it. */
static void rename_facts(paths *x, const held *h, au_src_value from, uint32_t leaf, held *out) {
    bool turned;
    uint32_t truth = au_src_value_truth(x->v, from, &turned);
    if (from.base == AU_NONE || from.base == AU_SRC_ZERO)
        return;
    for (size_t i = 0; i < h->n; i++) {
        fact f = h->at[i];
        if (f.base == from.base) {
            f.base = leaf;
            f.off -= from.off;
            au_vec_push(out, f);
        } else if (f.cond != AU_NONE && f.cond == truth) {
            f.cond = leaf;
            f.zero ^= turned;
            au_vec_push(out, f);
        }
    }
}

static void lock(paths *x, held *h, uint32_t frame, au_operand o, bool alone, uint32_t cond) {
    au_src_value at = au_src_value_of(x->v, frame, o);
    if (at.base == AU_NONE || at.base == AU_SRC_ZERO)
        return;
    fact f = {.base = at.base,
              .off = at.off,
              .cond = cond,
              .zero = cond != AU_NONE,
              .alone = alone,
              .frame = frame,
              .argument = o};
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].class >= f.class)
            f.class = h->at[i].class + 1;
    add(h, f); /* one that is there already stays what it is: taken once, at least */
    tidy_classes(h);
}

static uint32_t real_loc(src *s, uint32_t loc) {
    const au_src_obj *o = &s->obj.at[s->loc.at[loc].obj];
    return o->absorbed    ? au_src_loc_of(s, (au_src_loc){.obj = s->outside, .stride = 1})
           : o->collapsed ? au_src_loc_of(s, (au_src_loc){.obj = s->loc.at[loc].obj, .stride = 1})
                          : loc;
}

/* The two arguments may be one address. */
static bool may_be(src *s, uint32_t f, au_operand a, uint32_t g, au_operand b) {
    size_t n = au_src_points(s, f, a).n, m = au_src_points(s, g, b).n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            au_src_set x = au_src_points(s, f, a), y = au_src_points(s, g, b);
            uint32_t l = real_loc(s, x.at ? x.at[i] : x.one);
            uint32_t k = real_loc(s, y.at ? y.at[j] : y.one);
            if (s->loc.at[l].obj == s->loc.at[k].obj &&
                au_src_loc_meets(&s->loc.at[l], 1, &s->loc.at[k], 1))
                return true;
        }
    return !n || !m;
}

/* It may be about a lock that is known by its path: one that is not an object of the model always is, and another if
 * it is one of several places that somebody locks. */
static bool concerns(paths *x, uint32_t frame, au_operand o) {
    if (!au_bld_lock_known(x->b, frame, o))
        return true;
    au_src_set set = au_src_points(x->s, frame, o);
    for (size_t i = 0; i < set.n; i++)
        if (au_map_find(&x->taken, set.at ? set.at[i] : set.one))
            return true;
    return false;
}

static void unlock(paths *x, held *h, uint32_t frame, au_operand o) {
    if (!concerns(x, frame, o))
        return;
    au_src_value at = au_src_value_of(x->v, frame, o);
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].cond == AU_NONE && h->at[i].base == at.base && h->at[i].off == at.off) {
            drop_class(h, h->at[i].class);
            tidy_classes(h);
            return;
        }
    bool other[AU_LIMIT_SRC_HELD] = {0}; /* by class: surely not this one */
    for (size_t i = 0; i < h->n; i++) {
        const fact *f = &h->at[i];
        if ((at.base != AU_NONE && f->base == at.base && f->off != at.off) ||
            (f->frame != AU_NONE && !may_be(x->s, f->frame, f->argument, frame, o)))
            other[f->class] = true;
    }
    size_t keep = 0;
    for (size_t i = 0; i < h->n; i++)
        if (other[h->at[i].class])
            h->at[keep++] = h->at[i];
    h->n = keep;
    tidy_classes(h);
}

/* --- ways -------------------------------------------------------------------------------------- */

static void come(paths *x, uint32_t frame, uint32_t insn, bool after, const held *h) {
    uint64_t key = (uint64_t)frame << 32 | (uint64_t)after << 31 | insn;
    bool fresh;
    if (x->told)
        return;
    uint64_t *at = au_map_put(&x->place_at, key, &fresh);
    if (fresh) {
        place p = {.frame = frame, .insn = insn, .after = after};
        copy(&p.in, h);
        au_vec_push(&x->place, p);
        *at = x->place.n;
    }
    place *p = &x->place.at[*at - 1];
    if ((fresh || meet(&p->in, h)) && !p->queued) {
        p->queued = true;
        au_vec_push(&x->todo, (uint32_t)*at - 1);
    }
}

static au_operand later(au_operand o, uint32_t k) {
    return o >= 0 ? o + (au_operand)k : o - (au_operand)k;
}

typedef struct {
    uint32_t slot;
    au_src_value is;
} given;

/* Copies of an edge are done one after the other; all values are those before the first. */
static void take_edge(paths *x, uint32_t frame, uint32_t edge, const held *h) {
    const au_code *c = x->s->fn.at[x->s->frame.at[frame].fn].code;
    const struct au_code_edge *e = &c->edge[edge];
    held on = {0}, more = {0};
    copy(&on, h);
    AU_VEC(given) all = {0};
    for (uint32_t k = 0; k < e->n_copies && h->n; k++) {
        const struct au_code_copy *p = &c->copy[e->copy + k];
        for (uint32_t j = 0; j < p->n; j++) {
            au_operand from = later(p->src, j);
            given g = {p->dst + j, au_src_value_of(x->v, frame, from)};
            size_t to = all.n;
            for (size_t i = 0; i < all.n; i++) {
                if (from >= 0 && all.at[i].slot == (uint32_t)from)
                    g.is = all.at[i].is;
                if (all.at[i].slot == g.slot)
                    to = i;
            }
            if (to == all.n)
                au_vec_push(&all, g);
            else
                all.at[to] = g;
        }
    }
    for (size_t i = 0; i < all.n; i++)
        forget(x, &on, frame, all.at[i].slot, 1);
    for (size_t i = 0; i < all.n; i++) {
        /* what is left mentions no phi of this edge … */
        rename_facts(x, h, all.at[i].is, au_src_value_leaf(x->v, frame, all.at[i].slot, true),
                     &more);
    }
    for (size_t i = 0; i < more.n; i++) { /* … but these, each in one place */
        unsigned old = 0;
        for (size_t k = 0; k < all.n; k++) {
            uint32_t leaf = au_src_value_leaf(x->v, frame, all.at[k].slot, false);
            old += au_src_value_mentions(x->v, more.at[i].base, leaf);
            old += au_src_value_mentions(x->v, more.at[i].cond, leaf);
        }
        if (old == 1)
            add(&on, more.at[i]);
    }
    tidy_classes(&on);
    come(x, frame, c->edge[edge].target, false, &on);
    au_vec_release(&on);
    au_vec_release(&more);
    au_vec_release(&all);
}

typedef struct {
    paths *x;
    uint32_t frame;
    const held *h;
} way;

static void visit_edge(void *ctx, uint32_t edge) {
    way *w = ctx;
    take_edge(w->x, w->frame, edge, w->h);
}

/* With what the branch tells about results of trylock. */
static void take_branch(paths *x, uint32_t frame, const au_code_insn *i, bool yes, const held *h) {
    bool turned;
    uint32_t truth = au_src_value_truth(x->v, au_src_value_of(x->v, frame, i->a), &turned);
    held on = {0};
    for (size_t k = 0; k < h->n; k++) {
        fact f = h->at[k];
        if (f.cond != AU_NONE && f.cond == truth) {
            if (f.zero != (yes == turned))
                continue;
            f.cond = AU_NONE;
            f.zero = false;
        }
        add(&on, f);
    }
    tidy_classes(&on);
    take_edge(x, frame, (uint32_t)(yes ? i->b : i->c), &on);
    au_vec_release(&on);
}

static void give_back(paths *x, uint32_t frame, const au_code_insn *i, const held *h) {
    src *s = x->s;
    const au_src_frame *r = &s->frame.at[frame];
    if (!au_src_frame_follows(s, frame))
        return;
    const au_code *c = s->fn.at[s->frame.at[r->parent].fn].code;
    const au_code_insn *at = &c->insn[r->insn];
    held on = {0}, more = {0};
    copy(&on, h);
    if (at->dst != AU_NONE) {
        forget(x, &on, r->parent, at->dst, au_src_dst_slots(c, at));
        if (i->aux == 1 && c->call[at->aux].result_width)
            rename_facts(x, &on, au_src_value_of(x->v, frame, i->a),
                         au_src_value_leaf(x->v, r->parent, at->dst, true), &more);
    }
    size_t keep = 0; /* nobody can name its values any more */
    for (size_t k = 0; k < on.n; k++)
        if (!au_src_value_is_of(x->v, on.at[k].base, frame) &&
            !au_src_value_is_of(x->v, on.at[k].cond, frame))
            on.at[keep++] = on.at[k];
    on.n = keep;
    for (size_t k = 0; k < more.n; k++)
        if (!au_src_value_is_of(x->v, more.at[k].base, frame) &&
            !au_src_value_is_of(x->v, more.at[k].cond, frame))
            add(&on, more.at[k]);
    tidy_classes(&on);
    come(x, r->parent, r->insn, true, &on);
    au_vec_release(&on);
    au_vec_release(&more);
}

/* --- calls ------------------------------------------------------------------------------------- */

static bool is_sync(const au_libc *l, au_libc_sync a, au_libc_sync b) {
    return l && l->does == AU_DOES_SYNC && (l->sync == a || l->sync == b);
}

typedef enum {
    TO_CODE,    /* one of au_src_calls, perhaps an unknown one */
    TO_LIBRARY, /* *l */
    TO_QUIET,
    TO_AGAIN,
    TO_NOWHERE,
    TO_UNKNOWN
} callee;

static callee callee_of(const src *s, uint32_t fn, const struct au_code_call *c,
                        const au_libc **l) {
    *l = NULL;
    if (au_src_direct(s, fn, c) != AU_NONE || c->kind == AU_CALL_INDIRECT ||
        (c->kind == AU_CALL_SILENT && !c->name))
        return TO_CODE;
    const char *name = c->name ? au_src_call_name(s, fn, c) : "";
    const au_libc *known = au_libc_find(name);
    if (known && known->does == AU_DOES_SETJMP)
        return TO_AGAIN;
    if (known && (known->does == AU_DOES_LONGJMP || known->does == AU_DOES_THROW))
        return TO_NOWHERE;
    if (!strcmp(name, "asm"))
        return TO_UNKNOWN;
    *l = au_src_library_find(name);
    return *l                           ? TO_LIBRARY
           : c->fails || c->noreturn    ? TO_NOWHERE
           : au_src_library_quiet(name) ? TO_QUIET
                                        : TO_UNKNOWN;
}

/* What the call enters may unlock. */
static bool rows_undo(const paths *x, uint32_t frame, uint32_t insn) {
    for (const au_src_call *r = au_src_calls(x->s, frame, insn); r;
         r = r->next ? &x->s->call.at[r->next - 1] : NULL)
        if (x->undoes[r->frame])
            return true;
    return false;
}

static void enter(paths *x, uint32_t frame, uint32_t insn, const held *h) {
    src *s = x->s;
    const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
    const au_code_insn *i = &c->insn[insn];
    const struct au_code_call *k = &c->call[i->aux];
    const au_src_call *rows = au_src_calls(s, frame, insn);
    bool direct = au_src_direct(s, s->frame.at[frame].fn, k) != AU_NONE;
    held t = {0};
    if (!direct && (!rows || au_map_find(&s->outside_call, au_key2(frame, insn))))
        come(x, frame, insn, true, &t);
    for (const au_src_call *r = rows; r; r = r->next ? &s->call.at[r->next - 1] : NULL) {
        const au_src_fn *g = &s->fn.at[r->fn];
        copy(&t, h);
        if (!au_src_frame_follows(s, r->frame)) {
            if (x->undoes[r->frame])
                au_vec_clear(&t);
            if (i->dst != AU_NONE)
                forget(x, &t, frame, i->dst, au_src_dst_slots(c, i));
            tidy_classes(&t);
            come(x, frame, insn, true, &t);
            continue;
        }
        size_t keep = 0; /* of an earlier call */
        for (size_t j = 0; j < t.n; j++)
            if (!au_src_value_is_of(x->v, t.at[j].base, r->frame) &&
                !au_src_value_is_of(x->v, t.at[j].cond, r->frame))
                t.at[keep++] = t.at[j];
        t.n = keep;
        tidy_classes(&t);
        come(x, r->frame, g->f->first, false, &t);
    }
    au_vec_release(&t);
}

static void sync(paths *x, uint32_t frame, uint32_t insn, const au_libc *l, held *h) {
    const au_code *c = x->s->fn.at[x->s->frame.at[frame].fn].code;
    const au_code_insn *i = &c->insn[insn];
    const struct au_code_call *k = &c->call[i->aux];
    if (!k->n_args)
        return;
    au_operand o = c->arg[k->arg].at;
    uint32_t result = AU_NONE;
    switch ((au_libc_sync)l->sync) {
    case AU_SYNC_LOCK:
    case AU_SYNC_WRLOCK:
    case AU_SYNC_RDLOCK:
        if (!au_bld_lock_known(x->b, frame, o))
            lock(x, h, frame, o, l->sync != AU_SYNC_RDLOCK, AU_NONE);
        break;
    case AU_SYNC_TRYLOCK:
    case AU_SYNC_TRYWRLOCK:
    case AU_SYNC_TRYRDLOCK:
        if (i->dst == AU_NONE || au_bld_lock_known(x->b, frame, o))
            break;
        result = au_src_value_leaf(x->v, frame, i->dst, true);
        lock(x, h, frame, o, l->sync != AU_SYNC_TRYRDLOCK, result);
        break;
    case AU_SYNC_UNLOCK:
    case AU_SYNC_RWUNLOCK:
        unlock(x, h, frame, o);
        break;
    default:
        break;
    }
}

/* False: it does not come to what follows, or from elsewhere. */
static bool call(paths *x, uint32_t frame, uint32_t insn, held *h) {
    src *s = x->s;
    uint32_t fn = s->frame.at[frame].fn;
    const au_code *c = s->fn.at[fn].code;
    const au_code_insn *i = &c->insn[insn];
    const struct au_code_call *k = &c->call[i->aux];
    const au_libc *l;
    callee to = callee_of(s, fn, k, &l);
    if (k->invoke && k->unwind != AU_NONE) {
        held none = {0};
        take_edge(x, frame, k->unwind, &none);
    }
    if (to == TO_CODE) {
        enter(x, frame, insn, h);
        return false;
    }
    if (to == TO_NOWHERE || (l && l->does == AU_DOES_NORETURN) ||
        is_sync(l, AU_SYNC_EXIT, AU_SYNC_EXIT))
        return false;
    if (to == TO_UNKNOWN || to == TO_AGAIN || rows_undo(x, frame, insn))
        au_vec_clear(h);
    if (i->dst != AU_NONE) {
        forget(x, h, frame, i->dst, au_src_dst_slots(c, i));
        tidy_classes(h);
    }
    if (l && l->does == AU_DOES_SYNC)
        sync(x, frame, insn, l, h);
    return true;
}

/* --- accesses ---------------------------------------------------------------------------------- */

typedef struct {
    au_src_guard *g;
    const fact *f;
} lock_ctx;

static void lock_in(void *ctx, uint32_t obj, int64_t off) {
    lock_ctx *k = ctx;
    int64_t at;
    if (!__builtin_add_overflow(off, (int64_t)k->f->off, &at))
        au_vec_push(&k->g->inside, ((au_guard_inside){obj, at, k->f->alone}));
}

static uint32_t guard_of(paths *x, uint32_t frame, au_operand o, uint64_t bytes, const held *h) {
    src *s = x->s;
    au_src_value at = au_src_value_of(x->v, frame, o);
    au_src_guard g = {.bytes = bytes};
    for (uint32_t base = at.base; base != AU_NONE && base != AU_SRC_ZERO;
         base = au_src_value_array(x->v, base))
        for (size_t i = 0; i < h->n; i++) {
            const fact *f = &h->at[i];
            if (f->cond != AU_NONE || f->base != base)
                continue;
            if (base == at.base)
                au_vec_push(&g.lock, ((au_guard_lock){(int64_t)(f->off - at.off), f->alone}));
            lock_ctx k = {&g, f};
            au_src_value_places(x->v, base, lock_in, &k);
        }
    size_t n = g.lock.n || g.inside.n ? au_src_points(s, frame, o).n : 0;
    for (size_t i = 0; i < n; i++) {
        au_src_set set = au_src_points(s, frame, o);
        au_src_loc l = s->loc.at[real_loc(s, set.at ? set.at[i] : set.one)];
        au_vec_push(&g.place, ((au_guard_place){l.obj, l.off, l.stride}));
    }
    uint32_t id = n ? au_guard_add(&s->out->guards, &g) : 0;
    au_vec_release(&g.lock);
    au_vec_release(&g.inside);
    au_vec_release(&g.place);
    return id;
}

/* By frame and instruction: what guards its reads << 32 | its writes. */
static void tell(paths *x, uint32_t frame, uint32_t insn, const held *h) {
    const au_code *c = x->s->fn.at[x->s->frame.at[frame].fn].code;
    const au_code_insn *i = &c->insn[insn];
    uint64_t bytes = i->width ? (i->width + 7u) / 8 : i->aux;
    uint64_t read = 0, write = 0;
    switch (i->op) {
    case AU_C_LOAD:
    case AU_C_STORE:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        read = write = guard_of(x, frame, i->a, bytes, h);
        break;
    case AU_C_COPY:
    case AU_C_SET:
        if (i->c >= 0 || c->pool[~i->c].kind != AU_CONST_NUMBER || c->pool[~i->c].value > INT32_MAX)
            return;
        write = guard_of(x, frame, i->a, c->pool[~i->c].value, h);
        if (i->op == AU_C_COPY)
            read = guard_of(x, frame, i->b, c->pool[~i->c].value, h);
        break;
    default:
        return;
    }
    if (read || write)
        *au_map_put(&x->s->guard_at, au_key2(frame, insn), NULL) = read << 32 | write;
}

/* --- all of it --------------------------------------------------------------------------------- */

static void walk(paths *x, uint32_t id) {
    src *s = x->s;
    uint32_t frame = x->place.at[id].frame, at = x->place.at[id].insn;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    const au_code *c = f->code;
    uint32_t block = c->block[at];
    held h = {0};
    way w = {x, frame, &h};
    copy(&h, &x->place.at[id].in);
    if (x->place.at[id].after) {
        const struct au_code_call *k = &c->call[c->insn[at].aux];
        if (k->invoke) {
            if (k->normal != AU_NONE)
                take_edge(x, frame, k->normal, &h);
            at = UINT32_MAX - 1;
        }
        at++;
    }
    for (; at < f->f->first + f->f->n && c->block[at] == block; at++) {
        const au_code_insn *i = &c->insn[at];
        if (x->told && h.n)
            tell(x, frame, at, &h);
        switch (i->op) {
        case AU_C_CALL:
        case AU_C_ANNOTATE: {
            const struct au_code_call *k = &c->call[i->aux];
            bool on = call(x, frame, at, &h);
            if (on && k->invoke && k->normal != AU_NONE)
                take_edge(x, frame, k->normal, &h);
            if (!on || k->invoke)
                goto done;
            break;
        }
        case AU_C_CONDBR:
            take_branch(x, frame, i, true, &h);
            take_branch(x, frame, i, false, &h);
            goto done;
        case AU_C_BR:
        case AU_C_SWITCH:
        case AU_C_INDIRECTBR:
            au_src_each_edge(c, i, visit_edge, &w);
            goto done;
        case AU_C_RET:
            give_back(x, frame, i, &h);
            goto done;
        case AU_C_RESUME:
        case AU_C_UNREACHABLE:
            goto done;
        default:
            if (h.n && i->dst != AU_NONE) {
                forget(x, &h, frame, i->dst, au_src_dst_slots(c, i));
                tidy_classes(&h);
            }
        }
    }
done:
    au_vec_release(&h);
}

typedef void call_fn(paths *x, uint32_t frame, uint32_t insn, const struct au_code_call *k,
                     callee to, const au_libc *l);

static void each_call(paths *x, call_fn *fn) {
    const src *s = x->s;
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t at = g->f->first; at < g->f->first + g->f->n; at++) {
            const au_code_insn *i = &g->code->insn[at];
            const au_libc *l;
            if ((i->op != AU_C_CALL && i->op != AU_C_ANNOTATE) || !g->live[at - g->f->first])
                continue;
            const struct au_code_call *k = &g->code->call[i->aux];
            callee to = callee_of(s, s->frame.at[f].fn, k, &l);
            fn(x, f, at, k, to, l);
        }
    }
}

static au_operand first_argument(const paths *x, uint32_t frame, const struct au_code_call *k) {
    return x->s->fn.at[x->s->frame.at[frame].fn].code->arg[k->arg].at;
}

static void find_taken(paths *x, uint32_t frame, uint32_t insn, const struct au_code_call *k,
                       callee to, const au_libc *l) {
    (void)insn, (void)to;
    if (!l || l->does != AU_DOES_SYNC || !k->n_args || l->sync < AU_SYNC_LOCK ||
        l->sync > AU_SYNC_TRYWRLOCK || l->sync == AU_SYNC_UNLOCK ||
        au_bld_lock_known(x->b, frame, first_argument(x, frame, k)))
        return;
    au_src_set set = au_src_points(x->s, frame, first_argument(x, frame, k));
    for (size_t i = 0; i < set.n; i++)
        au_map_put(&x->taken, set.at ? set.at[i] : set.one, NULL);
}

static void find_undoing(paths *x, uint32_t frame, uint32_t insn, const struct au_code_call *k,
                         callee to, const au_libc *l) {
    bool direct = au_src_direct(x->s, x->s->frame.at[frame].fn, k) != AU_NONE;
    if (to == TO_UNKNOWN || to == TO_AGAIN ||
        (to == TO_CODE && !direct && !au_src_calls(x->s, frame, insn)) ||
        au_map_find(&x->s->outside_call, au_key2(frame, insn)) ||
        (is_sync(l, AU_SYNC_UNLOCK, AU_SYNC_RWUNLOCK) && k->n_args &&
         concerns(x, frame, first_argument(x, frame, k))))
        x->undoes[frame] = true;
}

static void undo_in_callers(paths *x) {
    const src *s = x->s;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t f = (uint32_t)s->frame.n; f-- > 0;)
            for (size_t i = 0; i < s->frame.at[f].callee.n && !x->undoes[f]; i++)
                more |= x->undoes[f] = x->undoes[s->frame.at[f].callee.at[i]];
    }
}

void au_bld_paths(bld *b) {
    src *s = b->s;
    paths x = {.b = b, .s = s};
    au_map_init(&x.taken);
    each_call(&x, find_taken);
    if (!x.taken.n) {
        au_map_release(&x.taken);
        return;
    }
    x.undoes = au_alloc_array(s->frame.n + 1, sizeof *x.undoes);
    each_call(&x, find_undoing);
    undo_in_callers(&x);
    x.v = au_src_values_new(s);
    au_map_init(&x.place_at);
    held none = {0};
    for (uint32_t f = 0; f < s->frame.n; f++) /* where threads begin, and who is called by many */
        if (!au_src_frame_follows(s, f))
            come(&x, f, s->fn.at[s->frame.at[f].fn].f->first, false, &none);
    while (x.todo.n && !au_src_late(s)) {
        uint32_t id = au_vec_pop(&x.todo);
        x.place.at[id].queued = false;
        walk(&x, id);
    }
    x.told = true;
    for (uint32_t i = 0; i < x.place.n && !au_src_late(s); i++)
        walk(&x, i);
    for (size_t i = 0; i < x.place.n; i++)
        au_vec_release(&x.place.at[i].in);
    au_vec_release(&x.place);
    au_vec_release(&x.todo);
    au_map_release(&x.place_at);
    au_map_release(&x.taken);
    au_src_values_free(x.v);
    free(x.undoes);
}
