/* witness/walk.c: execute, remember what was there before, go back. */
#include "witness/walk.h"

#include "witness/check_priv.h"

enum { OLD_THREAD, OLD_OBJ, OLD_VAR, OLD_READS, OLD_SIGNALS };

bool au_checker_begin(au_checker *c) {
    if (!c->order)
        return false;
    au_witness_begin(c);
    au_vec_clear(&c->old);
    au_vec_clear(&c->old_signal);
    return true;
}

static void keep_thread(au_checker *c, uint32_t t) {
    au_vec_push(&c->old, ((struct au_wold){OLD_THREAD, t, {.thread = *au_witness_thread(c, t)}}));
}

static void keep_obj(au_checker *c, uint32_t o) {
    au_vec_push(&c->old, ((struct au_wold){OLD_OBJ, o, {.obj = *au_witness_obj(c, o)}}));
}

static void keep_reads(au_checker *c, uint32_t obj, uint32_t t) {
    uint64_t key = (uint64_t)obj << 16 | t, *n = au_map_find(&c->reads, key);
    struct au_wold old = {OLD_READS, 0, {.reads = {key, n ? *n : 0}}};
    au_vec_push(&c->old, old);
}

/* Before the event is executed. */
static void keep_all(au_checker *c, uint32_t e) {
    const au_columns *x = &c->t->events;
    uint32_t obj = x->obj[e], me = x->thread[e];
    au_op op = x->op[e];
    const au_wthread *t = au_witness_thread(c, me);
    keep_thread(c, me);
    if (au_op_is_access(op)) {
        struct au_wold old = {OLD_VAR, obj, {.var = c->var[obj]}};
        au_vec_push(&c->old, old);
    }
    if (op == AU_OP_FORK)
        keep_thread(c, obj);
    if (au_op_space(op) != AU_WIRE_SPACE_LOCK)
        return;
    keep_obj(c, obj);
    if (op == AU_OP_RDACQ || au_witness_obj(c, obj)->readers)
        keep_reads(c, obj, me);
    if (op == AU_OP_WAKE || op == AU_OP_SIGNAL || op == AU_OP_BROADCAST) {
        struct au_wold old = {OLD_SIGNALS, (uint32_t)c->signal.n, {.reads = {c->old_signal.n, 0}}};
        au_vec_append(&c->old_signal, c->signal.at, c->signal.n);
        au_vec_push(&c->old, old);
    }
    if (op == AU_OP_REL || op == AU_OP_UP) { /* with it a wait may begin */
        bool last = t->done + 1 == au_witness_length(c, me);
        uint32_t next = last ? e : au_witness_event(c, me, t->done + 2);
        if (x->op[next] == AU_OP_WAIT)
            keep_obj(c, x->obj[next]);
    }
}

/* The commonest "no", without a text for a person. */
static bool is_taken(au_checker *c, uint32_t e) {
    const au_columns *x = &c->t->events;
    au_op op = x->op[e];
    if ((op != AU_OP_ACQ && op != AU_OP_WRACQ && op != AU_OP_RDACQ) || c->kind[x->obj[e]].sem)
        return false;
    uint32_t holder = au_witness_obj(c, x->obj[e])->holder;
    return holder && holder != x->thread[e] + 1u;
}

bool au_checker_step(au_checker *c, uint32_t e, bool keep) {
    const au_columns *x = &c->t->events;
    uint32_t me = x->thread[e], obj = x->obj[e];
    au_op op = x->op[e];
    char why[128];
    uint64_t done = au_witness_thread(c, me)->done;
    if (done >= au_witness_length(c, me) || au_witness_event(c, me, done + 1) != e)
        return false;
    if (is_taken(c, e) || !au_witness_can(c, e, why, sizeof why))
        return false;
    if (keep && (op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW)) {
        const au_wvar *v = &c->var[obj];
        bool fresh = v->run == c->run;
        if ((fresh ? v->last : 0) != c->saw[e] || (fresh && v->tainted))
            return false;
    }
    if (keep && op == AU_OP_TRYFAIL && c->saw[e] && !au_witness_sees(c, e))
        return false;
    if (op == AU_OP_INIT && au_witness_obj(c, obj)->readers)
        return false; /* read holds of others would go: no way back from that */
    keep_all(c, e);
    au_witness_do(c, e);
    return true;
}

uint32_t au_checker_last(au_checker *c, uint32_t var) {
    return c->var[var].run == c->run ? c->var[var].last : 0;
}

size_t au_checker_mark(const au_checker *c) {
    return c->old.n;
}

void au_checker_rewind(au_checker *c, size_t mark) {
    while (c->old.n > mark) {
        const struct au_wold *o = &au_vec_pop(&c->old);
        switch (o->what) {
        case OLD_THREAD:
            c->thread[o->id] = o->as.thread;
            break;
        case OLD_OBJ:
            c->obj[o->id] = o->as.obj;
            break;
        case OLD_VAR:
            c->var[o->id] = o->as.var;
            break;
        case OLD_READS:
            *au_map_put(&c->reads, o->as.reads[0], NULL) = o->as.reads[1];
            break;
        case OLD_SIGNALS:
            au_vec_clear(&c->signal);
            au_vec_append(&c->signal, c->old_signal.at + o->as.reads[0], o->id);
            c->old_signal.n = o->as.reads[0];
            break;
        }
    }
}
