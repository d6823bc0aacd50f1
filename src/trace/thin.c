/* trace/thin.c: which events are kept, and when they come out (thin.h).
 *
 * What a thread cannot be stopped inside of, a step, is collected until its next step begins; then it is known whether
 * it is accesses only. Of those, each group has a first, which is kept at once, and perhaps a last, which later ones replace.
 * When the epoch ends, the lasts are kept, too. Kept events carry their number in the run and wait until no
 * earlier one can come: that is before the first event of every present epoch and step. */
#include "trace/thin_priv.h"

#include "base/error.h"

#include <stdlib.h>

enum { WORTH = 1 << 14, MOST = 1 << 17 };

au_thin *au_thin_new(const au_epochs *ends, uint64_t most) {
    au_thin *t = AU_NEW(au_thin);
    t->ends = ends;
    t->most = most ? most : MOST;
    t->worth = t->most < WORTH ? t->most : WORTH;
    return t;
}

void au_thin_free(au_thin *t) {
    if (!t)
        return;
    for (size_t i = 0; i < t->thread.n; i++) {
        au_vec_release(&t->thread.at[i].group);
        au_vec_release(&t->thread.at[i].step);
        au_vec_release(&t->thread.at[i].version);
        free(t->thread.at[i].slot);
    }
    au_vec_release(&t->thread);
    au_vec_release(&t->var);
    au_vec_release(&t->kept);
    free(t);
}

static au_thin_thread *thread_at(au_thin *t, uint16_t thread) {
    while (t->thread.n <= thread)
        *au_vec_add(&t->thread) = (au_thin_thread){.low = AU_NONE64, .epoch = ++t->epochs};
    return &t->thread.at[thread];
}

/* ---- variables ------------------------------------------------------------------------------ */

/* Goes up whenever an access conflicts with another thread's since the last time. */
static uint32_t version_at(au_thin *t, uint32_t var, uint16_t thread, bool write) {
    while (t->var.n <= var)
        *au_vec_add(&t->var) = (au_thin_var){0};
    au_thin_var *v = &t->var.at[var];
    bool own = v->written && v->writer == thread;
    if (!write) {
        v->others |= !own;
    } else if (!own || v->others) {
        v->version++;
        v->writer = thread;
        v->written = true;
        v->others = false;
    }
    return v->version;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static size_t hash_of(uint32_t var, uint32_t loc, uint8_t op, uint8_t shape) {
    return (size_t)au_hash_join((uint64_t)var << 32 | loc, op | (unsigned)shape << 8);
}

static void grow(au_thin_thread *x) {
    free(x->slot);
    x->slots = x->slots ? x->slots * 2 : 64;
    x->slot = au_alloc_array(x->slots, sizeof *x->slot);
    for (size_t i = 0; i < x->group.n; i++) {
        au_thin_group *g = &x->group.at[i];
        size_t k = hash_of(g->var, g->loc, g->op, g->shape) & (x->slots - 1);
        while (x->slot[k])
            k = (k + 1) & (x->slots - 1);
        x->slot[k] = (uint32_t)i + 1;
        g->slot = (uint32_t)k;
    }
}

static inline bool is_in(const au_thin_group *g, const au_thin_entry *e) {
    return g->var == e->obj && g->loc == e->loc && g->op == e->op && g->shape == e->shape;
}

/* The group of this access; *fresh: there was none. */
static au_thin_group *group_of(au_thin_thread *x, const au_thin_entry *e, bool *fresh) {
    uint32_t *recent = &x->recent[e->loc & (AU_THIN_RECENT - 1)];
    if (*recent < x->group.n && is_in(&x->group.at[*recent], e))
        return &x->group.at[*recent];
    if (x->group.n * 2 >= x->slots)
        grow(x);
    size_t k = hash_of(e->obj, e->loc, e->op, e->shape) & (x->slots - 1);
    for (; x->slot[k]; k = (k + 1) & (x->slots - 1)) {
        au_thin_group *g = &x->group.at[x->slot[k] - 1];
        if (is_in(g, e)) {
            *recent = x->slot[k] - 1;
            return g;
        }
    }
    au_thin_group *g = au_vec_add(&x->group);
    *g = (au_thin_group){
        .var = e->obj, .loc = e->loc, .op = e->op, .shape = e->shape, .slot = (uint32_t)k};
    x->slot[k] = (uint32_t)x->group.n;
    *recent = (uint32_t)x->group.n - 1;
    *fresh = true;
    return g;
}

static void keep(au_thin *t, const au_thin_entry *e) {
    au_vec_push(&t->kept, *e);
}

static void keep_last(au_thin *t, uint16_t thread, au_thin_group *g) {
    if (!g->has_last)
        return;
    keep(t, &(au_thin_entry){.number = g->number,
                             .hook = g->hook,
                             .before = g->before,
                             .after = g->after,
                             .obj = g->var,
                             .loc = g->loc,
                             .thread = thread,
                             .op = g->op});
    g->has_last = false;
    t->left_out--;
}

static void end_epoch(au_thin *t, uint16_t thread) {
    au_thin_thread *x = &t->thread.at[thread];
    for (size_t i = 0; i < x->group.n; i++) {
        keep_last(t, thread, &x->group.at[i]);
        x->slot[x->group.at[i].slot] = 0;
    }
    au_vec_clear(&x->group);
    x->low = AU_NONE64;
    x->epoch = ++t->epochs;
}

static void access(au_thin *t, au_thin_thread *x, const au_thin_entry *e, uint32_t version) {
    bool fresh = false;
    au_thin_group *g = group_of(x, e, &fresh);
    x->touched = (uint32_t)(g - x->group.at);
    if (fresh || g->version != version) {
        keep_last(t, e->thread, g);
        g->version = version;
        keep(t, e);
        return;
    }
    if (x->low == AU_NONE64)
        x->low = x->step.at[0].number; /* a step comes out as one */
    g->has_last = true;
    g->number = e->number;
    g->hook = e->hook;
    g->before = e->before;
    g->after = e->after;
    t->left_out++; /* unless it stays the last */
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Has one of the step's hooks to be the last of its epoch? */
static bool ends_here(const au_thin *t, au_thin_thread *x, uint16_t thread) {
    if (thread >= t->ends->thread.n)
        return false;
    const au_epoch_ends *v = &t->ends->thread.at[thread];
    bool here = false;
    for (; x->next_end < v->n && v->at[x->next_end] <= x->last; x->next_end++)
        here |= v->at[x->next_end] >= x->first;
    return here;
}

static void end_step(au_thin *t, uint16_t thread) {
    au_thin_thread *x = &t->thread.at[thread];
    if (!x->open)
        return;
    x->open = false;
    bool plain = true, last = ends_here(t, x, thread);
    if (x->step.n == 1 && x->step.at[0].op != AU_THIN_REPLY && au_op_is_access(x->step.at[0].op)) {
        au_thin_entry *e = x->step.at; /* nearly all */
        e->before = (uint32_t)(e->hook - x->first);
        e->after = (uint32_t)(x->last - e->hook);
        access(t, x, e, x->version.at[0]);
        if (last)
            end_epoch(t, thread);
        x->step.n = x->version.n = 0;
        return;
    }
    for (size_t i = 0; i < x->step.n; i++) {
        au_thin_entry *e = &x->step.at[i];
        plain &= e->op != AU_THIN_REPLY && au_op_is_access(e->op);
        e->before = (uint32_t)(e->hook - x->first);
        e->after = (uint32_t)(x->last - e->hook);
    }
    if (!plain)
        end_epoch(t, thread);
    for (size_t i = 0; i < x->step.n; i++)
        if (plain)
            access(t, x, &x->step.at[i], x->version.at[i]);
        else
            keep(t, &x->step.at[i]);
    if (last)
        end_epoch(t, thread);
    au_vec_clear(&x->step);
    au_vec_clear(&x->version);
}

bool au_thin_close(au_thin *t, uint16_t thread, uint32_t *group) {
    au_thin_thread *x = thread_at(t, thread);
    bool one = x->open && x->step.n <= 1, any = x->step.n > 0;
    uint64_t epoch = x->epoch;
    end_step(t, thread);
    *group = any ? x->touched : AU_NONE;
    return one && x->epoch == epoch;
}

uint64_t au_thin_until(const au_thin *t, uint16_t thread) {
    if (thread >= t->ends->thread.n)
        return AU_NONE64;
    const au_epoch_ends *v = &t->ends->thread.at[thread];
    size_t next = t->thread.at[thread].next_end;
    return next < v->n ? v->at[next] : AU_NONE64;
}

void au_thin_hook(au_thin *t, uint16_t thread, uint64_t hook, const au_columns *c, bool glued) {
    au_thin_thread *x = thread_at(t, thread);
    if (!glued || !x->open) {
        end_step(t, thread);
        x->first = hook;
        x->open = true;
    }
    x->last = hook;
    for (size_t i = 0; i < c->n; i++) {
        au_op op = c->op[i];
        bool access = au_op_is_access(op);
        au_thin_entry e = {.number = t->number++,
                           .hook = hook,
                           .obj = c->obj[i],
                           .loc = c->loc[i],
                           .thread = thread,
                           .op = op,
                           .shape = c->n == 1 ? AU_SHAPE_WHOLE
                                    : i == 0  ? AU_SHAPE_FIRST
                                              : AU_SHAPE_OTHER,
                           .value = access ? 0 : c->value[i],
                           .has_value = !access && c->has_value[i]};
        bool write = op != AU_OP_READ && op != AU_OP_AREAD;
        au_vec_push(&x->step, e);
        au_vec_push(&x->version, access ? version_at(t, e.obj, thread, write) : 0);
    }
}

void au_thin_nothing(au_thin *t, uint16_t thread, uint64_t hook) {
    au_thin_thread *x = thread_at(t, thread);
    end_step(t, thread);
    x->first = x->last = hook;
    x->open = true;
}

void au_thin_access(au_thin *t, uint16_t thread, uint64_t hook, uint8_t op, uint32_t var,
                    uint32_t loc) {
    au_thin_thread *x = thread_at(t, thread);
    end_step(t, thread);
    x->first = x->last = hook;
    x->open = true;
    *au_vec_add(&x->step) = (au_thin_entry){.number = t->number++,
                                            .hook = hook,
                                            .obj = var,
                                            .loc = loc,
                                            .thread = thread,
                                            .op = op,
                                            .shape = AU_SHAPE_WHOLE};
    uint32_t version = version_at(t, var, thread, op == AU_OP_WRITE);
    au_vec_push(&x->version, version);
}

void au_thin_reply(au_thin *t, uint16_t thread, au_libc_reply kind) {
    au_thin_thread *x = thread_at(t, thread);
    au_thin_entry e = {
        .number = t->number++, .hook = x->last, .obj = kind, .thread = thread, .op = AU_THIN_REPLY};
    if (x->open) { /* it may go on */
        au_vec_push(&x->step, e);
        au_vec_push(&x->version, 0);
    } else {
        end_epoch(t, thread);
        keep(t, &e);
    }
}

void au_thin_turn(au_thin *t, uint16_t from, uint16_t to, bool at_point) {
    thread_at(t, from)->at_point = at_point;
    t->running = to;
}

/* Nobody keeps others waiting longer. */
static void end_epochs(au_thin *t) {
    for (size_t i = 0; i < t->thread.n; i++) {
        if (i != t->running && t->thread.at[i].at_point)
            end_step(t, (uint16_t)i);
        end_epoch(t, (uint16_t)i);
    }
}

/* ---- out ------------------------------------------------------------------------------------- */

void au_thin_end(au_thin *t) {
    for (size_t i = 0; i < t->thread.n; i++) {
        end_step(t, (uint16_t)i);
        end_epoch(t, (uint16_t)i);
    }
    t->over = true;
}

bool au_thin_has(const au_thin *t) {
    return t->over || t->kept.n - t->out >= t->worth;
}

uint64_t au_thin_left_out(const au_thin *t) {
    return t->left_out;
}

static int by_number(const void *a, const void *b) {
    const au_thin_entry *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* No event before this number can come any more. */
static uint64_t horizon(const au_thin *t) {
    uint64_t low = AU_NONE64;
    for (size_t i = 0; i < t->thread.n; i++) {
        const au_thin_thread *x = &t->thread.at[i];
        if (x->low < low)
            low = x->low;
        if (x->step.n && x->step.at[0].number < low)
            low = x->step.at[0].number;
    }
    return low;
}

/* What was added since may belong anywhere behind 'out', but most of it near the end. */
static void sort(au_thin *t) {
    if (t->sorted == t->kept.n)
        return;
    if (t->out) {
        memmove(t->kept.at, t->kept.at + t->out, (t->kept.n - t->out) * sizeof *t->kept.at);
        t->kept.n -= t->out;
        t->sorted -= t->out;
        t->out = 0;
    }
    uint64_t least = AU_NONE64;
    for (size_t i = t->sorted; i < t->kept.n; i++)
        if (t->kept.at[i].number < least)
            least = t->kept.at[i].number;
    size_t from = t->sorted;
    while (from && t->kept.at[from - 1].number > least)
        from--;
    qsort(t->kept.at + from, t->kept.n - from, sizeof *t->kept.at, by_number);
    t->sorted = t->kept.n;
}

size_t au_thin_take(au_thin *t, au_columns *c, au_hooks *h, size_t most) {
    if (t->kept.n - t->out >= t->most)
        end_epochs(t);
    uint64_t low = horizon(t);
    size_t taken = 0, i;
    sort(t);
    for (i = t->out; i < t->kept.n && taken < most && t->kept.at[i].number < low;) {
        const au_thin_entry *e = &t->kept.at[i];
        if (e->op == AU_THIN_REPLY) {
            au_hooks_reply(h, e->thread, (au_libc_reply)e->obj);
            i++;
            continue;
        }
        size_t n = 0; /* events of this hook */
        for (; i + n < t->kept.n && e[n].op != AU_THIN_REPLY && e[n].thread == e->thread &&
               e[n].hook == e->hook;
             n++)
            au_columns_push(c, e[n].op, e[n].thread, e[n].obj, e[n].loc,
                            e[n].has_value ? &e[n].value : NULL);
        au_hooks_place(h, e->thread, e->hook, n, e->hook - e->before, e->hook + e->after);
        taken += n;
        i += n;
    }
    t->out = i;
    /* Who waits for a long epoch does not look again before there is twice as much. */
    size_t rest = t->kept.n - t->out;
    size_t more = rest > WORTH ? rest : WORTH;
    t->worth = rest + (more < t->most ? more : t->most);
    if (!t->over && taken >= most)
        t->worth = 0;
    return taken;
}
