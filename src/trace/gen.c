/* trace/gen.c: the generator seen from outside: options, names, blocks, values. */
#include "trace/gen.h"

#include "trace/gen_priv.h"

#include <stdio.h>

void au_gen_options_init(au_gen_options *o) {
    *o = (au_gen_options){.events = AU_GEN_DEFAULT_EVENTS,
                          .threads = AU_GEN_DEFAULT,
                          .locks = AU_GEN_DEFAULT,
                          .vars = AU_GEN_DEFAULT,
                          .depth = AU_GEN_DEFAULT,
                          .shared = -1,
                          .seed = 1};
}

static uint32_t or_default(uint32_t given, uint32_t otherwise) {
    return given == AU_GEN_DEFAULT ? otherwise : given;
}

void au_gen_add_names(au_gen *g, uint8_t space, const char *prefix, uint32_t n) {
    au_intern *t = au_names_space(&g->names, space);
    for (uint32_t i = 0; i < n; i++) {
        char s[32];
        int len = snprintf(s, sizeof s, "%s%u", prefix, i);
        uint32_t id = au_intern_add(t, s, (size_t)len);
        if (space == AU_WIRE_SPACE_LOCK)
            au_names_set_sync(&g->names, id, AU_WIRE_OBJ_LOCK, 0);
    }
}

void au_gen_add_conds(au_gen *g, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char s[32];
        int len = snprintf(s, sizeof s, "c%u", i);
        uint32_t id = au_intern_add(&g->names.lock, s, (size_t)len);
        au_names_set_sync(&g->names, id, AU_WIRE_OBJ_COND, 0);
    }
}

/* How the variables of a random trace are dealt out: in proportion to the
 * accesses, but every thread that has private accesses needs a variable. */
static uint32_t private_vars(uint32_t vars, uint32_t threads, double shared) {
    if (shared >= 1 || vars == 0)
        return 0;
    if (shared <= 0)
        return vars;
    uint32_t mine = (uint32_t)((double)vars * (1 - shared));
    if (mine < threads)
        mine = threads;
    return mine < vars ? mine : vars - 1;
}

static au_gen_source *random_trace(au_gen *g, const au_gen_options *o, au_error *err) {
    au_gen_mix m = {0};
    m.events = o->events == AU_GEN_DEFAULT_EVENTS ? 1000000 : o->events;
    m.threads = or_default(o->threads, 4);
    m.locks = or_default(o->locks, 8);
    m.vars = or_default(o->vars, 64);
    m.depth = or_default(o->depth, 2);
    double shared = o->shared < 0 ? 0.5 : o->shared;
    if (!(shared <= 1)) {
        au_error_set(err, AU_EUSAGE, "the fraction of shared accesses is between 0 and 1");
        return NULL;
    }
    m.private_vars = private_vars(m.vars, m.threads, shared);
    m.shared_part = (uint32_t)(shared * 65536);
    m.acquire_part = 65536 / 10;
    m.release_part = 65536 / 8;
    m.atomic = o->atomic;
    m.seed = o->seed;
    return au_gen_stream(g, &m, err);
}

au_gen *au_gen_new(const au_gen_options *o, au_error *err) {
    au_gen *g = AU_NEW(au_gen);
    au_names_init(&g->names);
    au_columns_init(&g->col);
    au_columns_reserve(&g->col, AU_GEN_BLOCK);
    g->source = o->shape ? au_gen_shape(g, o, err) : random_trace(g, o, err);
    if (!g->source) {
        au_gen_free(g);
        return NULL;
    }
    if (o->values)
        g->last = au_alloc_array(g->names.var.n + 1, sizeof *g->last);
    return g;
}

void au_gen_free(au_gen *g) {
    if (!g)
        return;
    if (g->source)
        g->source->free(g->source);
    free(g->last);
    au_columns_release(&g->col);
    au_names_release(&g->names);
    free(g);
}

const au_names *au_gen_names(const au_gen *g) {
    return &g->names;
}

uint64_t au_gen_events(const au_gen *g) {
    return g->events;
}

/* Writes put small numbers that differ from the last one, so that it matters
 * which write a read sees. */
static void add_values(au_gen *g) {
    au_columns *c = &g->col;
    for (size_t i = 0; i < c->n; i++) {
        c->value[i] = 0;
        c->has_value[i] = au_op_is_access(c->op[i]);
        if (!c->has_value[i])
            continue;
        int64_t *last = &g->last[c->obj[i]];
        if (c->op[i] == AU_OP_WRITE)
            *last = (*last + 1 + c->thread[i]) % 1000003;
        c->value[i] = *last;
    }
}

void au_gen_next(au_gen *g, au_block *b) {
    au_columns *c = &g->col;
    g->first += c->n;
    c->n = 0;
    g->source->fill(g, g->source);
    AU_BUG_IF(c->n > AU_GEN_BLOCK || g->first + c->n > g->events);
    AU_BUG_IF(c->n == 0 && g->first != g->events);
    if (g->last)
        add_values(g);
    *b = (au_block){.n = c->n,
                    .first = g->first,
                    .op = c->op,
                    .thread = c->thread,
                    .obj = c->obj,
                    .loc = c->loc,
                    .value = g->last ? c->value : NULL,
                    .has_value = g->last ? c->has_value : NULL};
}
