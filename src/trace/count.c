/* trace/count.c: one entry a thread, lock and variable. */
#include "trace/count.h"

struct var {
    uint64_t reads, writes;
    uint32_t thread; /* the only one so far, or AU_NONE */
    bool shared_by_two;
};
static const struct var untouched = {.thread = AU_NONE};

struct au_counter {
    uint64_t events, by_op[AU_OPS];
    AU_VEC(struct var) var;
    AU_VEC(uint8_t) thread;
    AU_VEC(uint8_t) lock;
};

au_counter *au_counter_new(void) {
    return AU_NEW(au_counter);
}

void au_counter_free(au_counter *c) {
    if (!c)
        return;
    au_vec_release(&c->var);
    au_vec_release(&c->thread);
    au_vec_release(&c->lock);
    free(c);
}

/* Ids are dense (event.h), so the tables are no larger than the trace's own. */
#define GROW_TO(v, id, fill)                                                                       \
    while ((v)->n <= (id))                                                                         \
    au_vec_push((v), (fill))

static void count_access(au_counter *c, au_op op, uint32_t thread, uint32_t id) {
    GROW_TO(&c->var, id, untouched);
    struct var *v = &c->var.at[id];
    if (v->thread == AU_NONE && !v->reads && !v->writes)
        v->thread = thread;
    else if (v->thread != thread)
        v->shared_by_two = true;
    v->reads += op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
    v->writes += op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

void au_counter_add(au_counter *c, const au_block *b) {
    c->events += b->n;
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        c->by_op[op]++;
        GROW_TO(&c->thread, b->thread[i], 0);
        c->thread.at[b->thread[i]] = 1;
        if (au_op_is_access(op)) {
            count_access(c, op, b->thread[i], b->obj[i]);
        } else if (op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ) {
            GROW_TO(&c->lock, b->obj[i], 0);
            c->lock.at[b->obj[i]] = 1;
        } else if (op == AU_OP_FORK) {
            GROW_TO(&c->thread, b->obj[i], 0);
            c->thread.at[b->obj[i]] = 1;
        }
    }
}

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t mul(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

void au_counter_get(const au_counter *c, au_counts *out) {
    *out = (au_counts){.events = c->events};
    memcpy(out->by_op, c->by_op, sizeof out->by_op);
    const uint64_t *n = c->by_op;
    out->lock_events = n[AU_OP_ACQ] + n[AU_OP_REL] + n[AU_OP_RDACQ] + n[AU_OP_WRACQ];
    out->accesses =
        n[AU_OP_READ] + n[AU_OP_WRITE] + n[AU_OP_AREAD] + n[AU_OP_AWRITE] + n[AU_OP_RMW];
    out->atomic_blocks = n[AU_OP_BEGIN];
    out->wait_notify = n[AU_OP_WAIT] + n[AU_OP_SIGNAL] + n[AU_OP_BROADCAST];
    for (size_t i = 0; i < c->thread.n; i++)
        out->threads += c->thread.at[i];
    for (size_t i = 0; i < c->lock.n; i++)
        out->locks += c->lock.at[i];
    for (size_t i = 0; i < c->var.n; i++) {
        const struct var *v = &c->var.at[i];
        out->vars += v->reads || v->writes;
        if (!v->shared_by_two || !v->writes)
            continue;
        out->shared_vars++;
        out->shared_accesses += v->reads + v->writes; /* a read-modify-write is both */
        out->witnesses = add(out->witnesses, mul(3, mul(v->reads + 1, v->writes)));
    }
}
