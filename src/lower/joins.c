/* lower/joins.c: loops that join all threads of another loop.
 *
 *     for (i = 0; i < n; i++) pthread_create(&t[i], …);          by its head, i and the condition
 *     for (j = 0; j < n; j++) pthread_join(t[j], …);
 *
 * The model has two of these threads, and t[j] is a summary: which of them a join waits for is not known there. But where the
 * second loop ends by its condition, all of them have ended. Let
 *   - i and j be phis of the heads of their loops that begin once and with the same value, and then are the same constant
 *     more: the sequence. Every way from a head back to it lead through a branch, its condition, by the same side. The two
 *     conditions and the places of the handles be the same expressions of i and of j; what else occurs in these has one
 *     value from before the first loop on, whose function is entered once;
 *   - so if m is the first of the sequence for which the condition does not hold, the first loop comes no further than m, and
 *     creates with m only where it creates before it asks; and the second one, where it takes the other side, has come to m.
 *     Let every way through it from the head to the branch (or, if the first one creates after it has asked, every way from
 *     there back to the head) lead through the join. Then it has joined all with which a thread was created;
 *   - nobody write the handles but this call, except before the first thread is created or after the last one is joined.
 *     So each join waits for the thread that was created with that i, unless there was none;
 *   - threads be created here no more, once the second loop has begun; nobody detach threads, cancel them, or join them but
 *     this thread: joins succeed.
 * So a thread of this call that was created has ended when the other side is taken: there the model joins it.
 *
 * Compilers ask before a loop whether it is entered at all. Where all ways to the call lead through a branch and then by one
 * side, and a later branch has the same condition of values that stand still, no thread was created if that one takes the
 * other side: the model joins them there, too, so that it does not go around the second loop with threads alive. */
#include "lower/build.h"
#include "lower/path.h"

#include <string.h>

typedef struct {
    bld *b;
    src *s;
    au_src_values *v;
    uint32_t frame; /* that is looked at; its function */
    const au_src_fn *f;
    const au_code *c;
    /* of a walk */
    uint8_t *into;
    uint32_t stop;
    bool hit; /* an edge leads to 'stop' */
    AU_VEC(uint32_t) todo;
} joins;

/* A loop, by a phi of its head. */
typedef struct {
    uint32_t phi, head;
    bool again, good;
    au_src_value begin;
    uint64_t more; /* each time */
    unsigned width;
    uint8_t *from; /* by instruction: reached from the head */
    /* that is looked at: the condition, its edges to the head and away */
    uint32_t branch, back, out;
    bool first; /* … and which of them is which */
} counter;

/* --- ways in the function ------------------------------------------------------------------------ */

static void go_on(void *ctx, uint32_t edge) {
    joins *x = ctx;
    uint32_t to = x->c->edge[edge].target;
    x->hit |= to == x->stop;
    if (to != x->stop && !x->into[to - x->f->f->first])
        au_vec_push(&x->todo, to);
}

/* All that is reached from here, without entering the block 'stop', without executing 'avoid'. The caller frees it. */
static uint8_t *reach(joins *x, uint32_t from, uint32_t stop, uint32_t avoid) {
    uint32_t first = x->f->f->first, end = first + x->f->f->n;
    uint8_t *into = au_alloc_array(x->f->f->n + 1, 1);
    x->into = into;
    x->stop = stop;
    x->hit = false;
    au_vec_push(&x->todo, from);
    while (x->todo.n) {
        uint32_t at = au_vec_pop(&x->todo), block = at < end ? x->c->block[at] : 0;
        for (; at < end && x->c->block[at] == block && !into[at - first] && at != avoid; at++) {
            into[at - first] = 1;
            au_src_each_edge(x->c, &x->c->insn[at], go_on, x);
        }
    }
    return into;
}

static bool reaches(joins *x, uint32_t from, uint32_t stop, uint32_t avoid, uint32_t to) {
    uint8_t *in = reach(x, from, stop, avoid);
    bool yes = in[to - x->f->f->first];
    free(in);
    return yes;
}

/* Some way from here, without 'avoid', leads to the head. */
static bool returns(joins *x, uint32_t from, uint32_t avoid, uint32_t head) {
    free(reach(x, from, head, avoid));
    return x->hit || from == head;
}

/* --- loops --------------------------------------------------------------------------------------- */

/* The instruction that sets the slot; AU_NONE: none, or not one. */
static uint32_t setter(const joins *x, au_operand o) {
    uint32_t found = AU_NONE;
    for (uint32_t k = 0; k < x->f->f->n && o >= 0; k++) {
        const au_code_insn *i = &x->c->insn[x->f->f->first + k];
        if (i->dst == AU_NONE || (uint32_t)o < i->dst ||
            (uint32_t)o >= i->dst + au_src_dst_slots(x->c, i))
            continue;
        if (found != AU_NONE)
            return AU_NONE;
        found = x->f->f->first + k;
    }
    return found;
}

typedef struct {
    joins *x;
    counter *k;
    uint32_t from;
} edges;

static void look_at_edge(void *ctx, uint32_t edge) {
    edges *e = ctx;
    joins *x = e->x;
    counter *k = e->k;
    const struct au_code_edge *g = &x->c->edge[edge];
    bool sets = false;
    for (uint32_t i = 0; i < g->n_copies; i++) {
        const struct au_code_copy *p = &x->c->copy[g->copy + i];
        if (k->phi < p->dst || k->phi >= p->dst + p->n)
            continue;
        k->good &= p->n == 1 && p->width && !sets && (k->head == AU_NONE || k->head == g->target) &&
                   (!k->width || k->width == p->width);
        sets = true;
        k->head = g->target;
        k->width = p->width;
        uint32_t by = setter(x, p->src);
        const au_code_insn *a = by == AU_NONE ? NULL : &x->c->insn[by];
        au_src_value n = a && a->op == AU_C_ADD && a->a == (au_operand)k->phi
                             ? au_src_value_of(x->v, x->frame, a->b)
                             : (au_src_value){AU_NONE, 0};
        if (n.base == AU_SRC_ZERO && n.off) {
            k->good &= a->width == p->width && (!k->again || k->more == n.off);
            k->again = true;
            k->more = n.off;
        } else {
            au_src_value begin = au_src_value_of(x->v, x->frame, p->src);
            k->good &= k->begin.base == AU_NONE ||
                       (begin.base == k->begin.base && begin.off == k->begin.off);
            k->begin = begin;
            k->good &= !k->from || !k->from[e->from - x->f->f->first];
        }
    }
    k->good &= sets || k->head == AU_NONE || g->target != k->head;
}

/* The caller frees k->from. */
static bool is_counter(joins *x, uint32_t phi, counter *k) {
    *k = (counter){.phi = phi, .head = AU_NONE, .begin = {AU_NONE, 0}};
    for (int round = 0; round < 2; round++) { /* the head is known from the first on */
        k->good = true;
        for (uint32_t n = 0; n < x->f->f->n; n++) {
            edges e = {x, k, x->f->f->first + n};
            if (x->f->live[n])
                au_src_each_edge(x->c, &x->c->insn[e.from], look_at_edge, &e);
        }
        if (k->head == AU_NONE)
            return false;
        if (!k->from)
            k->from = reach(x, k->head, AU_NONE, AU_NONE);
    }
    return k->good && k->again && k->begin.base != AU_NONE;
}

/* Is this the loop's condition? Then it is the one that is looked at. */
static bool is_condition(joins *x, counter *k, uint32_t insn) {
    const au_code_insn *i = &x->c->insn[insn];
    if (i->op != AU_C_CONDBR || !k->from[insn - x->f->f->first])
        return false;
    uint8_t *in = reach(x, k->head, k->head, insn);
    bool around = x->hit;
    free(in);
    bool b = returns(x, x->c->edge[i->b].target, AU_NONE, k->head);
    bool c = returns(x, x->c->edge[i->c].target, AU_NONE, k->head);
    k->branch = insn;
    k->first = b;
    k->back = (uint32_t)(b ? i->b : i->c);
    k->out = (uint32_t)(b ? i->c : i->b);
    return !around && b != c;
}

/* --- what is the same in both ---------------------------------------------------------------------- */

typedef struct {
    joins *x;
    const counter *first;
    bool good;
    uint32_t slot, from;
} settled;

static void sets_slot(void *ctx, uint32_t edge) {
    settled *k = ctx;
    const au_code *c = k->x->c;
    for (uint32_t i = 0; i < c->edge[edge].n_copies; i++) {
        const struct au_code_copy *p = &c->copy[c->edge[edge].copy + i];
        if (k->slot >= p->dst && k->slot < p->dst + p->n)
            k->good &= !k->first->from[k->from - k->x->f->f->first];
    }
}

/* The leaf has one value from before the first loop on. Leaves of other frames are those of callers: they stand still. */
static bool is_settled(void *ctx, uint32_t frame, uint32_t slot) {
    settled *k = ctx;
    const au_src_fn *f = k->x->f;
    if (frame != k->x->frame)
        return true;
    k->good = true;
    k->slot = slot;
    for (uint32_t n = 0; n < f->f->n && k->good; n++) {
        const au_code_insn *i = &k->x->c->insn[f->f->first + n];
        k->from = f->f->first + n;
        if (i->dst != AU_NONE && slot >= i->dst && slot < i->dst + au_src_dst_slots(k->x->c, i))
            k->good &= !k->first->from[n];
        au_src_each_edge(k->x->c, i, sets_slot, k);
    }
    return k->good;
}

static bool alike(joins *x, const counter *a, au_src_value of_a, const counter *b,
                  au_src_value of_b) {
    settled k = {.x = x, .first = a};
    return au_src_value_alike(x->v, of_a, of_b, au_src_value_leaf(x->v, x->frame, a->phi, true),
                              au_src_value_leaf(x->v, x->frame, b->phi, true), is_settled, &k);
}

/* The phi that an element's address has for an index, casts aside. */
static bool index_phi(const joins *x, au_src_value at, uint32_t *phi) {
    au_src_value array, index;
    uint64_t bytes;
    unsigned width;
    uint32_t frame;
    if (!au_src_value_element(x->v, at.base, &array, &index, &bytes))
        return false;
    while (au_src_value_cast(x->v, index.base, &index, &width))
        ;
    return au_src_value_is_leaf(x->v, index.base, &frame, phi) && frame == x->frame &&
           setter(x, (au_operand)*phi) == AU_NONE;
}

/* --- the handles ------------------------------------------------------------------------------------ */

static bool is_of(const src *s, au_src_set set, uint32_t obj) {
    for (size_t i = 0; i < set.n; i++)
        if (s->loc.at[set.at ? set.at[i] : set.one].obj == obj)
            return true;
    return false;
}

static bool only_written_by(joins *x, uint32_t create, uint32_t join, au_operand handle) {
    src *s = x->s;
    au_src_set set = au_src_points(s, x->frame, handle);
    for (size_t i = 0; i < set.n; i++) {
        const au_src_obj *o = &s->obj.at[s->loc.at[set.at ? set.at[i] : set.one].obj];
        if (o->escaped || o->absorbed || o->collapsed || o->vague ||
            (o->kind != OBJ_GLOBAL && o->kind != OBJ_STACK && o->kind != OBJ_HEAP))
            return false;
    }
    uint8_t *after = reach(x, create + 1, AU_NONE, AU_NONE);
    au_src_touches t = {0};
    bool good = set.n > 0;
    for (uint32_t f = 0; f < s->frame.n && good && !au_src_late(s); f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t k = 0; k < g->f->n && good; k++) {
            uint32_t at = g->f->first + k;
            if (!g->live[k] || (f == x->frame && at == create))
                continue;
            au_vec_clear(&t);
            au_src_touches_of(s, f, at, &t);
            bool writes = false;
            for (size_t i = 0; i < t.n && !writes; i++)
                writes = t.at[i].write && is_of(s, set, s->loc.at[t.at[i].loc].obj);
            if (writes)
                good = f == x->frame && (!after[k] || !reaches(x, at + 1, AU_NONE, AU_NONE, join));
        }
    }
    au_vec_release(&t);
    free(after);
    return good && !s->failed;
}

/* --- all of it ----------------------------------------------------------------------------------------- */

static const au_libc *sync_at(const joins *x, uint32_t insn, const struct au_code_call **call) {
    const au_code_insn *i = &x->c->insn[insn];
    if (i->op != AU_C_CALL)
        return NULL;
    *call = &x->c->call[i->aux];
    if (!(*call)->name || (*call)->invoke ||
        au_src_direct(x->s, x->s->frame.at[x->frame].fn, *call) != AU_NONE)
        return NULL;
    const au_libc *l = au_src_library_find(au_code_text(x->c, (*call)->name));
    return l && l->does == AU_DOES_SYNC ? l : NULL;
}

/* The loops have the same condition, and the second one joins whatever the first one created with. */
static bool same_condition(joins *x, counter *a, uint32_t create, counter *b, uint32_t join) {
    uint32_t first = x->f->f->first;
    for (uint32_t p = 0; p < x->f->f->n; p++)
        for (uint32_t q = 0; q < x->f->f->n && is_condition(x, a, first + p); q++)
            if (is_condition(x, b, first + q) && a->first == b->first &&
                alike(x, a, au_src_value_of(x->v, x->frame, x->c->insn[a->branch].a), b,
                      au_src_value_of(x->v, x->frame, x->c->insn[b->branch].a))) {
                bool early = reaches(x, a->head, a->head, a->branch, create);
                return !reaches(x, b->head, b->head, join, b->branch) ||
                       (!early && !returns(x, x->c->edge[b->back].target, join, b->head));
            }
    return false;
}

/* Does the loop around this join join all threads of the call? *edge: where it has. */
static bool joins_all(joins *x, uint32_t create, counter *a, au_operand handle, uint32_t join,
                      uint32_t *edge) {
    const struct au_code_call *call;
    const au_libc *l = sync_at(x, join, &call);
    if (!l || l->sync != AU_SYNC_JOIN || l->args[0] == 'd' || !call->n_args)
        return false;
    uint32_t load = setter(x, x->c->arg[call->arg].at), phi;
    if (load == AU_NONE || x->c->insn[load].op != AU_C_LOAD || x->c->insn[load].width != 64)
        return false;
    au_src_value at = au_src_value_of(x->v, x->frame, x->c->insn[load].a);
    counter b = {0};
    bool good = index_phi(x, at, &phi) && is_counter(x, phi, &b) && b.more == a->more &&
                b.width == a->width && alike(x, a, a->begin, &b, b.begin) &&
                alike(x, a, au_src_value_of(x->v, x->frame, handle), &b, at) &&
                !b.from[create - x->f->f->first] && same_condition(x, a, create, &b, join) &&
                only_written_by(x, create, join, handle);
    *edge = b.out;
    free(b.from);
    return good;
}

static void push(joins *x, uint32_t edge, uint32_t create) {
    au_vec_push(&x->b->all_joined, ((au_bld_joined){x->frame, edge, create}));
}

/* Branches that say, after the first loop, that it was not entered. */
static void not_entered(joins *x, uint32_t create, const counter *a) {
    uint32_t first = x->f->f->first;
    for (uint32_t p = 0; p < x->f->f->n; p++) {
        const au_code_insn *i = &x->c->insn[first + p];
        if (i->op != AU_C_CONDBR || !x->f->live[p] || a->from[p] ||
            reaches(x, first, AU_NONE, first + p, create))
            continue;
        bool yes = reaches(x, x->c->edge[i->b].target, AU_NONE, AU_NONE, create);
        if (yes == reaches(x, x->c->edge[i->c].target, AU_NONE, AU_NONE, create))
            continue;
        for (uint32_t q = 0; q < x->f->f->n; q++) {
            const au_code_insn *j = &x->c->insn[first + q];
            if (j->op == AU_C_CONDBR && a->from[q] &&
                alike(x, a, au_src_value_of(x->v, x->frame, i->a), a,
                      au_src_value_of(x->v, x->frame, j->a)))
                push(x, (uint32_t)(yes ? j->c : j->b), create);
        }
    }
}

static void look_at_create(joins *x, uint32_t create) {
    const struct au_code_call *call;
    const au_libc *l = sync_at(x, create, &call);
    const char *h = l && l->sync == AU_SYNC_CREATE ? strchr(l->args, 'h') : NULL;
    if (!h || (uint32_t)(h - l->args) >= call->n_args)
        return;
    au_operand handle = x->c->arg[call->arg + (uint32_t)(h - l->args)].at;
    uint32_t phi, edge;
    counter a = {0};
    bool some = false;
    if (index_phi(x, au_src_value_of(x->v, x->frame, handle), &phi) && is_counter(x, phi, &a))
        for (uint32_t k = 0; k < x->f->f->n; k++)
            if (x->f->live[k] && joins_all(x, create, &a, handle, x->f->f->first + k, &edge)) {
                push(x, edge, create);
                some = true;
            }
    if (some)
        not_entered(x, create, &a);
    free(a.from);
}

void au_bld_joins(bld *b) {
    src *s = b->s;
    joins x = {.b = b, .s = s, .v = au_src_values_new(s)};
    for (size_t t = 0; t < s->thread.n && !b->detaches && !s->cancels; t++) {
        const au_src_thread *th = &s->thread.at[t];
        bool seen = false; /* another thread of the same call */
        for (size_t u = 0; u < t && !seen; u++)
            seen =
                s->thread.at[u].by_frame == th->by_frame && s->thread.at[u].by_insn == th->by_insn;
        if (th->by_frame == AU_NONE || !th->several || seen)
            continue;
        x.frame = th->by_frame;
        const au_src_frame *r = &s->frame.at[x.frame];
        if (r->again || r->shared || r->recursive || s->thread.at[r->thread].looping ||
            b->joins != r->thread)
            continue;
        x.f = &s->fn.at[r->fn];
        x.c = x.f->code;
        if (!x.f->jumps)
            look_at_create(&x, th->by_insn);
    }
    au_vec_release(&x.todo);
    au_src_values_free(x.v);
}
