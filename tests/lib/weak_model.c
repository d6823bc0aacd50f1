/* tests/lib/weak_model.c: see weak_model.h. */
#include "weak_model.h"

#include "base/hash.h"
#include "base/out.h"
#include "base/rng.h"

void au_choose_orders(au_model *m, uint64_t seed) {
    static const au_memory_order of_read[] = {AU_MO_NONE, AU_MO_RLX, AU_MO_ACQ},
                                 of_write[] = {AU_MO_NONE, AU_MO_RLX, AU_MO_REL},
                                 of_both[] = {AU_MO_NONE, AU_MO_RLX, AU_MO_ACQ, AU_MO_REL,
                                              AU_MO_ACQ_REL},
                                 of_fence[] = {AU_MO_NONE, AU_MO_ACQ_REL, AU_MO_SC};
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 91));
    for (size_t i = 0; i < m->step.n; i++) {
        au_step *s = &m->step.at[i];
        bool reads = false, writes = false;
        for (uint32_t k = 0; k < s->n_accesses; k++)
            *(s->access[k].write ? &writes : &reads) = true;
        if (s->kind == AU_STEP_NOP && !s->n_accesses)
            s->order = of_fence[au_rng_below(&r, 3)];
        else if (s->kind == AU_STEP_BRANCH || !s->n_accesses || !au_step_is_atomic(s))
            continue; /* both sides of a branch have one order: left alone */
        else if (reads && writes)
            s->order = of_both[au_rng_below(&r, 5)];
        else
            s->order = (reads ? of_read : of_write)[au_rng_below(&r, 3)];
    }
}

typedef struct {
    au_rng r;
    au_out *o;
    unsigned vars, regs; /* regs: of the thread so far */
    unsigned plain;      /* of ten accesses so many are not atomic */
    char prefix;         /* of its registers */
} maker;

static uint32_t below(maker *k, uint32_t n) {
    return (uint32_t)au_rng_below(&k->r, n);
}

static char var(maker *k) {
    return "xyz"[below(k, k->vars)];
}

static const char *one_of(maker *k, const char *const *names, uint32_t n) {
    return names[below(k, n)];
}

static void put_write(maker *k) {
    static const char *const order[] = {"rlx", "rlx", "rel", "sc", "rlx"};
    char v = var(k);
    uint32_t value = 1 + below(k, 2);
    if (below(k, 10) < k->plain)
        au_out_printf(k->o, "  %c := %u\n", v, value);
    else
        au_out_printf(k->o, "  [%s %c := %u]\n", one_of(k, order, 5), v, value);
}

static void put_read(maker *k) {
    static const char *const order[] = {"rlx", "rlx", "acq", "sc", "acq"};
    char v = var(k);
    unsigned reg = k->regs++;
    if (below(k, 10) < k->plain)
        au_out_printf(k->o, "  %c%u := %c\n", k->prefix, reg, v);
    else
        au_out_printf(k->o, "  [%s %c%u := %c]\n", one_of(k, order, 5), k->prefix, reg, v);
}

static void put_update(maker *k) {
    static const char *const order[] = {"rlx", "acq", "rel", "acq_rel", "sc"};
    char v = var(k);
    unsigned reg = k->regs++;
    au_out_printf(k->o, "  [%s %c%u := %c; %c := %c%u + 1]\n", one_of(k, order, 5), k->prefix, reg,
                  v, v, k->prefix, reg);
}

/* Reads that decide: they wait, stop their thread, or fail. */
static void put_decision(maker *k) {
    static const char *const order[] = {"rlx", "acq", "sc"};
    uint32_t which = below(k, 4), value = below(k, 3);
    char v = var(k);
    const char *o = one_of(k, order, 3);
    if (which == 0)
        au_out_printf(k->o, "  [%s assume %c != 0]\n", o, v);
    else if (which == 1)
        au_out_printf(k->o, "  [%s require %c == %u]\n", o, v, value);
    else if (which == 2)
        au_out_printf(k->o, "  [%s assert %c != %u]\n", o, v, value);
    else
        au_out_printf(k->o, "  assume %c != %u\n", v, value);
}

static void put_statement(maker *k, bool in_block);

static void put_if(maker *k) {
    au_out_printf(k->o, "  if (%c%u == %u) {\n", k->prefix, below(k, k->regs), below(k, 2));
    put_statement(k, true);
    if (below(k, 3) == 0) {
        au_out_str(k->o, "  } else {\n");
        put_statement(k, true);
    }
    au_out_str(k->o, "  }\n");
}

static void put_statement(maker *k, bool in_block) {
    static const char *const fence[] = {"acq", "rel", "acq_rel", "sc", "sc"};
    switch (below(k, in_block ? 9 : 12)) {
    case 0:
    case 1:
    case 2:
        put_write(k);
        break;
    case 3:
    case 4:
    case 5:
        put_read(k);
        break;
    case 6:
        put_update(k);
        break;
    case 7:
    case 8:
        au_out_printf(k->o, "  fence %s\n", one_of(k, fence, 5));
        break;
    case 9:
        put_decision(k);
        break;
    case 10:
        if (k->regs) {
            put_if(k);
            break;
        }
        put_read(k);
        break;
    default:
        au_out_str(k->o, "  acq m\n");
        put_statement(k, true);
        au_out_str(k->o, "  rel m\n");
        break;
    }
}

/* Something about what the thread read. */
static void put_assertion(maker *k) {
    uint32_t a = below(k, k->regs), b = below(k, k->regs);
    au_out_printf(k->o, "  assert %c%u != %u || %c%u != %u\n", k->prefix, a, below(k, 3), k->prefix,
                  b, below(k, 3));
}

static void put_last(maker *k, unsigned threads) {
    au_out_str(k->o, "thread C {\n");
    for (unsigned t = 0; t < threads; t++)
        au_out_printf(k->o, "  join T%u\n", t);
    au_out_printf(k->o, "  assert %c != %u\n}\n", var(k), below(k, 3));
}

char *au_weak_ctp(uint64_t seed) {
    maker k = {.o = au_out_memory()};
    au_rng_init(&k.r, au_hash_join(seed, 17));
    unsigned threads = 2 + !below(&k, 3), most = threads == 2 ? 4 : 3;
    k.vars = 1 + below(&k, 5) / 2;
    k.plain = below(&k, 2) * below(&k, 6);
    au_out_str(k.o, "shared x, y, z\nlock m\n");
    for (unsigned t = 0; t < threads; t++) {
        k.prefix = (char)('a' + t);
        k.regs = 0;
        au_out_printf(k.o, "thread T%u {\n", t);
        for (unsigned i = 1 + below(&k, most); i > 0; i--)
            put_statement(&k, false);
        if (k.regs && below(&k, 2))
            put_assertion(&k);
        au_out_str(k.o, "}\n");
    }
    if (!below(&k, 4))
        put_last(&k, threads);
    size_t n;
    const char *text = au_out_memory_data(k.o, &n);
    char *own = au_strndup(text, n);
    au_out_abandon(k.o);
    return own;
}
