/* lower/own.c: elements of arrays that are one thread's own, by what the thread was given.
 *
 *     for (i = 0; i < n; i++) {
 *         a[i].from = …;                                   the creator's, of an element that is nobody's yet
 *         pthread_create(&…, f, &a[i]);                    or (void *)i
 *     }
 *     void *f(void *p) { … p->done += n; … }               the thread's own; or a[(long)p].done
 *
 * Let a call create threads in a loop, with &a[i] or i for their argument, i being a phi of the loop's head that
 *   - begins where nothing comes back to from the head, in a function that is entered once: so it begins once;
 *   - is one more, or another constant more, wherever the head is come to again.
 * Every way from this call back to itself leads through the head. So no two executions of it have the same i. (Were it to
 * wrap, all elements between would have been accessed: beyond the array, which is undefined.) And a begins an
 * object wherever it may point: two values of it are one, or of objects that do not overlap. So threads of this call
 * have arguments that differ by whole elements, or are in different objects:
 *   - accesses of two of them, each within the element that its argument names, do not overlap;
 *   - an access of a[i] by the creator that is not reached from the call without passing the head has another i than any
 *     thread that has been created, for each i there was at most one. (An i of after the loop is greater than all.)
 *
 * Or the call is executed for one thread, with a number for its argument (loops with constant bounds are unrolled): threads
 * with different numbers access different elements.
 *
 * Or the argument is what malloc or calloc gave, executed anew before each execution of the call (every way from the call
 * back to it leads through that; where the function is entered again, it dominates the call): each thread has an
 * object of its own, and the creator one that is nobody's yet, where it has not come from the call without passing the
 * allocation. Memory that was given back and comes again is another object: whoever still stands before an access of the
 * former one uses freed memory.
 * The function that accesses may be a copy for one call that was handed the pointer: values are followed (lower/path.h). */
#include "lower/build.h"
#include "lower/path.h"

#include <string.h>

enum { AU_OWN_ALL = INT32_MAX }; /* bytes: as many as the object has */
enum { NO_OPERAND = INT32_MIN };

typedef struct {
    uint32_t frame, insn; /* the call */
    bool fresh;           /* the argument is an object of its own, given by 'phi' */
    bool pointer;         /* the argument is the element's address; else its index */
    uint64_t element;     /* pointer: bytes of it */
    uint64_t off;         /* pointer: what the argument adds to the element's address */
    uint32_t phi;         /* slot; fresh: of the allocation's result */
    unsigned width;       /* of it */
    uint8_t *after; /* by instruction of the function: reached from the call without the head */
} site;

typedef struct {
    src *s;
    au_src_values *v;
    AU_VEC(site) site;
    uint32_t *of_thread; /* by thread: site + 1 */
    uint64_t *number;    /* by thread: 1 + the constant that it was given; 0: none */
} owners;

/* --- sites ---------------------------------------------------------------------------------------- */

/* Wherever the array may be, it begins an object that is told from others. */
static bool begins_object(const owners *x, au_src_value array) {
    const src *s = x->s;
    uint32_t frame, slot;
    if (array.base == AU_NONE || array.base == AU_SRC_ZERO || array.off)
        return false;
    if (au_src_value_is_address(x->v, array.base))
        return true;
    if (!au_src_value_is_leaf(x->v, array.base, &frame, &slot))
        return false;
    const au_src_node *n = &s->node.at[s->frame.at[frame].node + slot];
    for (size_t i = 0; i < n->loc.n; i++) {
        const au_src_loc *l = &s->loc.at[n->loc.at[i]];
        const au_src_obj *o = &s->obj.at[l->obj];
        if (l->off || l->stride || o->collapsed || o->absorbed ||
            (o->kind != OBJ_GLOBAL && o->kind != OBJ_STACK && o->kind != OBJ_HEAP))
            return false;
    }
    return n->loc.n > 0;
}

/* The leaf below casts that keep values of so many bits apart. */
static bool plain_leaf(const owners *x, au_src_value of, unsigned least, uint32_t *frame,
                       uint32_t *slot) {
    unsigned width;
    while (of.base != AU_NONE && of.base != AU_SRC_ZERO && !of.off) {
        if (au_src_value_is_leaf(x->v, of.base, frame, slot))
            return true;
        if (!au_src_value_cast(x->v, of.base, &of, &width) || width < least)
            return false;
    }
    return false;
}

typedef struct {
    owners *x;
    site *k;
    const au_code *c;
    const au_src_fn *f;
    uint32_t from,
        head; /* the branch that is looked at; target of edges that set the phi, AU_NONE */
    bool good, again;
    uint8_t *from_head; /* by instruction: reached from the head; NULL: not known yet */
    uint8_t *into;      /* what a walk fills */
    uint32_t stop;      /* … and does not enter */
    uint32_t avoid;     /* … nor execute; AU_NONE */
    AU_VEC(uint32_t) todo;
} loop;

static bool is_next(const loop *l, au_operand o, unsigned depth);

typedef struct {
    const loop *l;
    uint32_t slot;
    unsigned depth;
    bool any, good;
} sources;

static void source_of(void *ctx, uint32_t edge) {
    sources *k = ctx;
    const au_code *c = k->l->c;
    const struct au_code_edge *e = &c->edge[edge];
    for (uint32_t i = 0; i < e->n_copies; i++) {
        const struct au_code_copy *p = &c->copy[e->copy + i];
        if (k->slot < p->dst || k->slot >= p->dst + p->n)
            continue;
        k->any = true;
        k->good &= p->n == 1 && is_next(k->l, p->src, k->depth + 1);
    }
}

/* The operand is the phi and a constant more, or a phi of such: slots are those of SSA and nothing before the loop comes
 * from its head, so since the head was last passed both the sum and the phi of it were set anew. */
static bool is_next(const loop *l, au_operand o, unsigned depth) {
    if (o < 0 || depth > 2 || o == (au_operand)l->k->phi)
        return false;
    sources k = {.l = l, .slot = (uint32_t)o, .depth = depth, .good = true};
    for (uint32_t at = l->f->f->first; at < l->f->f->first + l->f->f->n; at++) {
        const au_code_insn *i = &l->c->insn[at];
        if (l->f->live[at - l->f->f->first])
            au_src_each_edge(l->c, i, source_of, &k);
        if (i->dst != (uint32_t)o)
            continue;
        uint64_t n = i->op == AU_C_ADD && i->a == (au_operand)l->k->phi && i->b < 0 &&
                             l->c->pool[~i->b].kind == AU_CONST_NUMBER
                         ? l->c->pool[~i->b].value
                         : 0;
        return n > 0 && n < 1u << 16 && i->width == l->k->width;
    }
    return k.any && k.good;
}

static void look_at_edge(void *ctx, uint32_t edge) {
    loop *l = ctx;
    const struct au_code_edge *e = &l->c->edge[edge];
    for (uint32_t i = 0; i < e->n_copies; i++) {
        const struct au_code_copy *p = &l->c->copy[e->copy + i];
        if (l->k->phi < p->dst || l->k->phi >= p->dst + p->n)
            continue;
        l->good &= p->n == 1 && p->width && (l->head == AU_NONE || l->head == e->target);
        l->head = e->target;
        l->k->width = p->width;
        if (is_next(l, p->src, 0))
            l->again = true;
        else if (l->from_head) /* it begins */
            l->good &= !l->from_head[l->from - l->f->f->first];
    }
}

static void go_on(void *ctx, uint32_t edge) {
    loop *l = ctx;
    uint32_t to = l->c->edge[edge].target;
    if (to != l->stop && !l->into[to - l->f->f->first])
        au_vec_push(&l->todo, to);
}

/* All that is reached from here, without entering 'stop'. */
static void walk(loop *l, uint32_t from, uint32_t stop, uint8_t *into) {
    uint32_t first = l->f->f->first, end = first + l->f->f->n;
    l->into = into;
    l->stop = stop;
    au_vec_push(&l->todo, from);
    while (l->todo.n) {
        uint32_t at = au_vec_pop(&l->todo), block = at < end ? l->c->block[at] : 0;
        for (; at < end && l->c->block[at] == block && !into[at - first] && at != l->avoid; at++) {
            into[at - first] = 1;
            au_src_each_edge(l->c, &l->c->insn[at], go_on, l);
        }
    }
}

/* A phi that differs in all executions of the call. */
static bool counts(owners *x, site *k) {
    const src *s = x->s;
    const au_src_fn *f = &s->fn.at[s->frame.at[k->frame].fn];
    loop l = {
        .k = k, .x = x, .c = f->code, .f = f, .head = AU_NONE, .good = true, .avoid = AU_NONE};
    if (s->frame.at[k->frame].again || s->frame.at[k->frame].shared)
        return false;
    for (int round = 0; round < 2; round++) { /* head and width are known from the first on */
        l.good = true;
        for (uint32_t at = f->f->first; at < f->f->first + f->f->n; at++)
            if (f->live[at - f->f->first]) {
                l.from = at;
                au_src_each_edge(f->code, &f->code->insn[at], look_at_edge, &l);
            }
        if (l.head == AU_NONE)
            return false;
        if (!l.from_head) {
            l.from_head = au_alloc_array(f->f->n + 1, 1);
            walk(&l, l.head, AU_NONE, l.from_head);
        }
    }
    free(l.from_head);
    au_vec_release(&l.todo);
    if (!l.good || !l.again || f->code->insn[k->insn].op != AU_C_CALL ||
        f->code->call[f->code->insn[k->insn].aux].invoke)
        return false;
    k->after = au_alloc_array(f->f->n + 1, 1);
    walk(&l, k->insn + 1, l.head, k->after);
    au_vec_release(&l.todo);
    return !k->after[k->insn - f->f->first];
}

static au_operand argument_of(const src *s, uint32_t frame, uint32_t insn) {
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    const struct au_code_call *c = &f->code->call[f->code->insn[insn].aux];
    const au_libc *l = c->name ? au_src_library_find(au_code_text(f->code, c->name)) : NULL;
    const char *a =
        l && l->does == AU_DOES_SYNC && l->sync == AU_SYNC_CREATE ? strchr(l->args, 'a') : NULL;
    if (!a || (uint32_t)(a - l->args) >= c->n_args)
        return NO_OPERAND;
    return f->code->arg[c->arg + (uint32_t)(a - l->args)].at;
}

/* The call that gave it, memory that is new each time; AU_NONE. */
static uint32_t allocation(const src *s, uint32_t frame, uint32_t slot) {
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    for (uint32_t at = f->f->first; at < f->f->first + f->f->n; at++) {
        const au_code_insn *i = &f->code->insn[at];
        if (i->dst != slot)
            continue;
        const struct au_code_call *c = i->op == AU_C_CALL ? &f->code->call[i->aux] : NULL;
        if (!c || !c->name || c->invoke || au_src_direct(s, s->frame.at[frame].fn, c) != AU_NONE)
            return AU_NONE;
        const char *name = au_code_text(f->code, c->name);
        return !strcmp(name, "malloc") || !strcmp(name, "calloc") ? at : AU_NONE;
    }
    return AU_NONE;
}

/* Each execution of the call hands out another object. */
static bool is_fresh(owners *x, site *k, au_src_value at) {
    const src *s = x->s;
    const au_src_fn *f = &s->fn.at[s->frame.at[k->frame].fn];
    uint32_t frame;
    if (!au_src_value_is_leaf(x->v, at.base, &frame, &k->phi) || frame != k->frame ||
        s->frame.at[frame].recursive || f->code->insn[k->insn].op != AU_C_CALL ||
        f->code->call[f->code->insn[k->insn].aux].invoke)
        return false;
    loop l = {.x = x, .k = k, .c = f->code, .f = f, .avoid = allocation(s, frame, k->phi)};
    if (l.avoid == AU_NONE)
        return false;
    k->fresh = true;
    k->after = au_alloc_array(f->f->n + 1, 1);
    walk(&l, k->insn + 1, AU_NONE, k->after);
    au_vec_release(&l.todo);
    return !k->after[k->insn - f->f->first];
}

static bool make_site(owners *x, const au_src_thread *t, site *k) {
    au_operand a = argument_of(x->s, t->by_frame, t->by_insn);
    if (a < 0 || x->s->fn.at[x->s->frame.at[t->by_frame].fn].jumps)
        return false;
    *k = (site){.frame = t->by_frame, .insn = t->by_insn};
    au_src_value at = au_src_value_of(x->v, t->by_frame, a), array, index = at;
    uint32_t frame;
    if (is_fresh(x, k, at))
        return true;
    free(k->after);
    k->after = NULL;
    k->fresh = false;
    k->pointer = au_src_value_element(x->v, at.base, &array, &index, &k->element);
    if (k->pointer &&
        (!begins_object(x, array) || at.off >= k->element || (int64_t)k->element <= 0))
        return false;
    k->off = at.off;
    if (!plain_leaf(x, index, 1, &frame, &k->phi) || frame != t->by_frame || !counts(x, k))
        return false;
    /* … and no cast on the way makes two of its values one. */
    uint32_t same;
    return plain_leaf(x, index, k->width, &frame, &same);
}

/* All threads of this kind were given the same. */
static void find_number(owners *x, uint32_t t) {
    const src *s = x->s;
    const au_src_thread *th = &s->thread.at[t];
    au_operand a = argument_of(s, th->by_frame, th->by_insn);
    const struct au_code_const *k =
        a < 0 && a != NO_OPERAND ? &s->fn.at[s->frame.at[th->by_frame].fn].code->pool[~a] : NULL;
    if (k && k->kind == AU_CONST_NUMBER && k->value < INT32_MAX)
        x->number[t] = k->value + 1;
}

static void find_sites(owners *x) {
    src *s = x->s;
    for (uint32_t t = 0; t < s->thread.n; t++) {
        const au_src_thread *th = &s->thread.at[t];
        bool one = true; /* nobody else makes threads of this kind, of which these would be some */
        size_t made = 0;
        for (size_t i = 0; i < s->created.n; i++)
            made += s->created.at[i].thread == t;
        if (th->by_frame != AU_NONE && made == 1)
            find_number(x, t);
        if (th->by_frame == AU_NONE || th->like != AU_NONE || !th->several)
            continue;
        for (uint32_t u = 0; u < s->thread.n; u++)
            one &= s->thread.at[u].like != t;
        if (!one || made != 1)
            continue;
        for (size_t i = 0; i < x->site.n && !x->of_thread[t]; i++)
            if (x->site.at[i].frame == th->by_frame && x->site.at[i].insn == th->by_insn)
                x->of_thread[t] = (uint32_t)i + 1;
        site k = {0};
        if (x->of_thread[t])
            continue;
        if (make_site(x, th, &k)) {
            au_vec_push(&x->site, k);
            x->of_thread[t] = (uint32_t)x->site.n;
        } else {
            free(k.after);
        }
    }
}

/* --- accesses --------------------------------------------------------------------------------------- */

/* The access stays within an element of so many bytes. */
static bool within(uint64_t off, uint64_t bytes, uint64_t element) {
    return bytes && off < element && bytes <= element - off;
}

/* The address is in the object that this slot points to: elements stay in theirs. */
static bool is_in(const owners *x, au_src_value at, uint32_t frame, uint32_t slot) {
    uint32_t base = at.base, of, is;
    for (uint32_t up; (up = au_src_value_array(x->v, base)) != AU_NONE;)
        base = up;
    return au_src_value_is_leaf(x->v, base, &of, &is) && of == frame && is == slot;
}

/* By a thread of the site, through what it was given. */
static bool is_own(const owners *x, const site *k, uint32_t thread, au_src_value at, uint64_t bytes,
                   uint64_t *element) {
    const src *s = x->s;
    const au_src_thread *t = &s->thread.at[thread];
    const au_src_fn *f = &s->fn.at[t->fn];
    au_src_value array, index;
    uint32_t frame, slot;
    if (!f->f->n_params)
        return false;
    uint32_t param = (uint32_t)f->code->arg[f->f->param].at;
    if (k->fresh) {
        *element = 0;
        return is_in(x, at, t->frame, param);
    }
    if (k->pointer) {
        *element = k->element;
        return au_src_value_is_leaf(x->v, at.base, &frame, &slot) && frame == t->frame &&
               slot == param && within(at.off + k->off, bytes, k->element);
    }
    return au_src_value_element(x->v, at.base, &array, &index, element) &&
           begins_object(x, array) && within(at.off, bytes, *element) &&
           plain_leaf(x, index, k->width, &frame, &slot) && frame == t->frame && slot == param;
}

/* By a thread that was given a constant, of the element with this number. */
static bool is_numbered(const owners *x, uint32_t thread, au_src_value at, uint64_t bytes,
                        uint64_t *element) {
    const au_src_thread *t = &x->s->thread.at[thread];
    const au_src_fn *f = &x->s->fn.at[t->fn];
    au_src_value array, index;
    uint32_t frame, slot;
    return x->number[thread] && f->f->n_params &&
           au_src_value_element(x->v, at.base, &array, &index, element) &&
           begins_object(x, array) && within(at.off, bytes, *element) &&
           plain_leaf(x, index, 32, &frame, &slot) && frame == t->frame &&
           slot == (uint32_t)f->code->arg[f->f->param].at;
}

/* By the creator, of the element that the next call hands out. */
static bool is_next_one(const owners *x, const site *k, uint32_t frame, uint32_t insn,
                        au_src_value at, uint64_t bytes, uint64_t *element) {
    const src *s = x->s;
    au_src_value array, index;
    uint32_t of, slot;
    while (frame != k->frame && au_src_frame_follows(s, frame)) {
        insn = s->frame.at[frame].insn;
        frame = s->frame.at[frame].parent;
    }
    if (frame != k->frame || insn == k->insn ||
        k->after[insn - s->fn.at[s->frame.at[frame].fn].f->first])
        return false;
    *element = 0;
    if (k->fresh)
        return is_in(x, at, frame, k->phi);
    return au_src_value_element(x->v, at.base, &array, &index, element) &&
           (!k->pointer || *element == k->element) && begins_object(x, array) &&
           within(at.off, bytes, *element) && plain_leaf(x, index, k->width, &of, &slot) &&
           of == frame && slot == k->phi;
}

static uint32_t guard_of(owners *x, uint32_t frame, uint32_t insn, au_operand o, uint64_t bytes,
                         uint32_t had) {
    src *s = x->s;
    uint32_t thread = s->frame.at[frame].thread;
    au_src_value at = au_src_value_of(x->v, frame, o);
    au_src_guard g = {.bytes = bytes};
    for (uint32_t i = 0; i < x->site.n && !g.site; i++) {
        const site *k = &x->site.at[i];
        if (x->of_thread[thread] == i + 1 && is_own(x, k, thread, at, bytes, &g.element))
            g.site = i + 1;
        else if (thread == s->frame.at[k->frame].thread &&
                 is_next_one(x, k, frame, insn, at, bytes, &g.element)) {
            g.site = i + 1;
            g.creator = true;
        }
    }
    if (!g.site && is_numbered(x, thread, at, bytes, &g.element)) {
        g.site = AU_GUARD_NUMBERED;
        g.number = x->number[thread];
    }
    if (!g.site)
        return had;
    if (had) { /* with the locks that are held */
        g.bytes = s->out->guards.at.at[had - 1].bytes;
        g.lock.at = s->out->guards.at.at[had - 1].lock.at;
        g.lock.n = s->out->guards.at.at[had - 1].lock.n;
        g.inside.at = s->out->guards.at.at[had - 1].inside.at;
        g.inside.n = s->out->guards.at.at[had - 1].inside.n;
        g.place.at = s->out->guards.at.at[had - 1].place.at;
        g.place.n = s->out->guards.at.at[had - 1].place.n;
    }
    return au_guard_add(&s->out->guards, &g);
}

/* The one pointer through which a call reads, or writes, no more than so many bytes. */
static bool call_touches(const src *s, uint32_t frame, uint32_t insn, bool write, au_operand *o,
                         uint64_t *bytes) {
    uint32_t fn = s->frame.at[frame].fn;
    const au_code *c = s->fn.at[fn].code;
    const struct au_code_call *k = &c->call[c->insn[insn].aux];
    if (!k->name || au_src_direct(s, fn, k) != AU_NONE)
        return false;
    const au_libc *l = au_src_library_find(au_src_call_name(s, fn, k));
    if (l && l->does == AU_DOES_FREE && write && k->n_args == 1) { /* all of an object */
        *o = c->arg[k->arg].at;
        *bytes = AU_OWN_ALL;
        return true;
    }
    if (!l || l->does != AU_DOES_MEMORY || !l->most)
        return false;
    size_t n = strlen(l->args), most = strlen(l->most);
    unsigned found = 0;
    for (uint32_t a = 0; a < k->n_args && n; a++) {
        char what = a < n && l->args[a] != '*'       ? l->args[a]
                    : l->args[n - 1] == '*' && n > 1 ? l->args[n - 2]
                                                     : '-';
        if (what != 'b' && what != 'p' && what != 'P' && what != (write ? 'w' : 'r'))
            continue;
        found++;
        if (what == 'p' || what == 'P' || a >= most || l->most[a] == '-')
            return false;
        au_operand by = c->arg[k->arg + (uint32_t)(l->most[a] - '0')].at;
        if (by >= 0 || c->pool[~by].kind != AU_CONST_NUMBER)
            return false;
        *o = c->arg[k->arg + a].at;
        *bytes = c->pool[~by].value;
    }
    return found == 1;
}

static void tell(owners *x, uint32_t frame, uint32_t insn) {
    src *s = x->s;
    const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
    const au_code_insn *i = &c->insn[insn];
    const uint64_t *had = au_map_find(&s->guard_at, au_key2(frame, insn));
    uint32_t read = had ? (uint32_t)(*had >> 32) : 0, write = had ? (uint32_t)*had : 0;
    uint32_t were[2] = {read, write};
    uint64_t bytes = i->width ? (i->width + 7u) / 8 : i->aux;
    au_operand o;
    switch (i->op) {
    case AU_C_LOAD:
    case AU_C_STORE:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        read = guard_of(x, frame, insn, i->a, bytes, read);
        write = guard_of(x, frame, insn, i->a, bytes, write);
        break;
    case AU_C_COPY:
    case AU_C_SET:
        if (i->c >= 0 || c->pool[~i->c].kind != AU_CONST_NUMBER)
            return;
        write = guard_of(x, frame, insn, i->a, c->pool[~i->c].value, write);
        if (i->op == AU_C_COPY)
            read = guard_of(x, frame, insn, i->b, c->pool[~i->c].value, read);
        break;
    case AU_C_CALL:
        if (call_touches(s, frame, insn, true, &o, &bytes))
            write = guard_of(x, frame, insn, o, bytes, write);
        if (call_touches(s, frame, insn, false, &o, &bytes))
            read = guard_of(x, frame, insn, o, bytes, read);
        break;
    default:
        return;
    }
    if (read != were[0] || write != were[1])
        *au_map_put(&s->guard_at, au_key2(frame, insn), NULL) = (uint64_t)read << 32 | write;
}

void au_bld_owners(bld *b) {
    src *s = b->s;
    owners x = {.s = s, .v = au_src_values_new(s)};
    x.of_thread = au_alloc_array(s->thread.n + 1, sizeof *x.of_thread);
    x.number = au_alloc_array(s->thread.n + 1, sizeof *x.number);
    find_sites(&x);
    for (uint32_t f = 0; f < s->frame.n && !au_src_late(s); f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        uint32_t thread = s->frame.at[f].thread;
        bool concerned = x.of_thread[thread] || x.number[thread];
        for (size_t i = 0; i < x.site.n && !concerned; i++)
            concerned = s->frame.at[x.site.at[i].frame].thread == thread;
        for (uint32_t k = 0; k < g->f->n && concerned; k++)
            if (g->live[k])
                tell(&x, f, g->f->first + k);
    }
    for (size_t i = 0; i < x.site.n; i++)
        free(x.site.at[i].after);
    au_vec_release(&x.site);
    free(x.of_thread);
    free(x.number);
    au_src_values_free(x.v);
}
