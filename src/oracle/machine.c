/* oracle/machine.c: a model in executable form, under the chosen semantics.
 *
 *   ctp    every step as it is.
 *   mcm    only the observed steps. A step that is neither synchronisation nor an
 *          assert may run only when the shared variables it reads have the values
 *          they had, and writes the values it wrote (Wang et al., section 7.1, with
 *          asgn' the shared variables written). A local variable that only
 *          asserts look at belongs to the assert: its reads stay free.
 *   cam    guards and updates over data are gone: both sides of a branch are
 *          open, an assume holds, an assert whose condition is not constant may
 *          hold or fail. Synchronisation is real.
 *   locks  as cam, and of the synchronisation only locks remain: every thread
 *          runs from the start, a wait gives its lock up and takes it again. */
#include "oracle/oracle_priv.h"

#include <stdlib.h>
#include <string.h>

enum { OP_CONST = AU_T_CONST, OP_VAR = AU_T_VAR };

/* --- terms ---------------------------------------------------------------- */

/* One more instruction of the code that begins at 'first'; its number there. */
static uint32_t push(au_machine *k, uint32_t first, au_insn in) {
    au_vec_push(&k->insn, in);
    uint32_t n = (uint32_t)k->insn.n - first;
    if (n > k->room) {
        k->room = n < 16 ? 16 : 2 * n;
        k->result = au_realloc_array(k->result, k->room, sizeof *k->result);
    }
    return n - 1;
}

/* Requires: 'at' knows the kids. */
static uint32_t emit(au_machine *k, uint32_t first, au_term x, const au_map *at) {
    const au_terms *t = k->m->terms;
    au_term_op op = au_term_kind(t, x);
    au_insn in = {.op = (uint8_t)op, .width = (uint8_t)au_term_width(t, x)};
    for (unsigned i = 0; i < au_term_kids(t, x); i++)
        in.kid[i] = (uint32_t)*au_map_find(at, au_term_kid(t, x, i).n);
    if (op == AU_T_CONST)
        in.k = au_term_value(t, x);
    else if (op == AU_T_VAR)
        in.k = au_term_var(t, x);
    else if (op == AU_T_EXTRACT)
        in.low = (uint8_t)au_term_low(t, x);
    else if (op == AU_T_CONCAT)
        in.low = (uint8_t)au_term_width(t, au_term_kid(t, x, 1));
    else if (op == AU_T_SEXT || (op >= AU_T_EQ && op <= AU_T_SLE))
        in.low = (uint8_t)au_term_width(t, au_term_kid(t, x, 0)); /* width of the operands */
    return push(k, first, in);
}

static au_machine_code compile(au_machine *k, au_term x) {
    const au_terms *t = k->m->terms;
    au_machine_code c = {(uint32_t)k->insn.n, 0};
    AU_VEC(au_term) stack = {0};
    au_map at;
    au_map_init(&at);
    au_vec_push(&stack, x);
    while (stack.n) {
        au_term top = au_vec_last(&stack);
        bool ready = true;
        for (unsigned i = au_term_kids(t, top); i-- > 0;)
            if (!au_map_find(&at, au_term_kid(t, top, i).n)) {
                au_vec_push(&stack, au_term_kid(t, top, i));
                ready = false;
            }
        if (!ready)
            continue;
        if (!au_map_find(&at, top.n)) {
            uint32_t n = emit(k, c.first, top, &at);
            *au_map_put(&at, top.n, NULL) = n;
        }
        stack.n--;
    }
    au_vec_release(&stack);
    au_map_release(&at);
    c.n = (uint32_t)k->insn.n - c.first;
    return c;
}

static uint64_t mask(unsigned width) {
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static uint64_t divide(uint64_t a, uint64_t b, unsigned w, bool remainder) {
    int64_t x = au_oracle_signed(a, w), y = au_oracle_signed(b, w);
    if (y == 0)
        return remainder ? a : 0;
    if (y == -1) /* MIN / -1 overflows in C */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? x % y : x / y);
}

/* On purpose not au_term_apply_ (model/term_eval.c): a mistake there must show against the oracle. */
static uint64_t binary(const au_insn *in, uint64_t a, uint64_t b) {
    unsigned w = in->width, ow = in->low;
    switch (in->op) {
    case AU_T_ADD:
        return a + b;
    case AU_T_SUB:
        return a - b;
    case AU_T_MUL:
        return a * b;
    case AU_T_SDIV:
        return divide(a, b, w, false);
    case AU_T_SREM:
        return divide(a, b, w, true);
    case AU_T_UDIV:
        return b ? a / b : 0;
    case AU_T_UREM:
        return b ? a % b : a;
    case AU_T_AND:
        return a & b;
    case AU_T_OR:
        return a | b;
    case AU_T_XOR:
        return a ^ b;
    case AU_T_SHL:
        return b < w ? a << b : 0;
    case AU_T_LSHR:
        return b < w ? a >> b : 0;
    case AU_T_ASHR:
        return (uint64_t)(au_oracle_signed(a, w) >> (b < w ? b : w - 1));
    case AU_T_EQ:
        return a == b;
    case AU_T_ULT:
        return a < b;
    case AU_T_ULE:
        return a <= b;
    case AU_T_SLT:
        return au_oracle_signed(a, ow) < au_oracle_signed(b, ow);
    case AU_T_SLE:
        return au_oracle_signed(a, ow) <= au_oracle_signed(b, ow);
    case AU_T_CONCAT:
        return a << ow | b;
    default:
        AU_BUG_IF(true);
    }
    return 0;
}

uint64_t au_machine_eval(au_machine *k, au_machine_code c, const uint64_t *value) {
    uint64_t *v = k->result;
    const au_insn *in = k->insn.at + c.first;
    for (uint32_t i = 0; i < c.n; i++, in++) {
        uint64_t r;
        switch (in->op) {
        case OP_CONST:
            r = in->k;
            break;
        case OP_VAR:
            r = value[in->k];
            break;
        case AU_T_NOT:
            r = ~v[in->kid[0]];
            break;
        case AU_T_NEG:
            r = 0 - v[in->kid[0]];
            break;
        case AU_T_ZEXT:
            r = v[in->kid[0]];
            break;
        case AU_T_SEXT:
            r = (uint64_t)au_oracle_signed(v[in->kid[0]], in->low);
            break;
        case AU_T_EXTRACT:
            r = v[in->kid[0]] >> in->low;
            break;
        case AU_T_ITE:
            r = v[in->kid[0]] ? v[in->kid[1]] : v[in->kid[2]];
            break;
        default:
            r = binary(in, v[in->kid[0]], v[in->kid[1]]);
        }
        v[i] = r & mask(in->width);
    }
    return v[c.n - 1];
}

bool au_machine_holds(au_machine *k, au_machine_code c, const uint64_t *value) {
    return !c.n || (au_machine_eval(k, c, value) & 1);
}

/* --- steps ------------------------------------------------------------------ */

static bool is_data(const au_step *s) {
    return s->kind <= AU_STEP_HAVOC;
}

/* One statement may be several edges out of a node (the sides of a branch, whom
 * a signal wakes, a wake-up with or without a signal): the first stands for all. */
static uint32_t event_of(const au_model *m, const au_step *s) {
    const au_node *n = &m->thread.at[s->thread].node.at[s->src];
    for (size_t i = 0; i < n->out.n; i++)
        if (m->step.at[n->out.at[i]].kind == s->kind)
            return n->out.at[i];
    return s->id;
}

static bool on_lock(const au_model *m, const au_step *s) {
    if (s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN || s->obj == AU_NONE)
        return false;
    au_obj_kind k = m->obj.at[s->obj].kind;
    return k == AU_OBJ_LOCK || k == AU_OBJ_RLOCK || k == AU_OBJ_RWLOCK;
}

static void keep_updates(au_machine *k, const au_step *s, au_mstep *d,
                         bool (*keep)(au_machine *, uint32_t)) {
    d->update = AU_ARENA_ARRAY(k->arena, au_mupdate, s->n_updates);
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (keep(k, s->update[i].var))
            d->update[d->n_updates++] =
                (au_mupdate){s->update[i].var, compile(k, s->update[i].value)};
}

static bool keep_all(au_machine *k, uint32_t var) {
    (void)k;
    (void)var;
    return true;
}

static bool keep_sync(au_machine *k, uint32_t var) {
    return k->m->var.at[var].kind == AU_VAR_SYNC;
}

static au_machine_code guard_code(au_machine *k, au_term guard) {
    return au_term_is_true(k->m->terms, guard) ? (au_machine_code){0, 0} : compile(k, guard);
}

static void plain_step(au_machine *k, const au_step *s, au_mstep *d) {
    d->guard = d->own = guard_code(k, s->guard);
    d->cond = guard_code(k, s->cond);
    keep_updates(k, s, d, keep_all);
}

/* cam and locks */
static void valueless_step(au_machine *k, const au_step *s, au_mstep *d) {
    const au_model *m = k->m;
    if (s->kind == AU_STEP_ASSERT) {
        if (au_term_is_const(m->terms, s->cond))
            d->cond = guard_code(k, s->cond);
        else
            d->free_assert = true;
    }
    bool lock_part = on_lock(m, s) || s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE;
    if (k->ignores_sync && s->kind == AU_STEP_WAKE)
        d->present = s->spurious; /* needs no signal: just the lock */
    if (k->ignores_sync && s->kind == AU_STEP_SIGNAL)
        d->present = s->choice == AU_NONE;
    if (!is_data(s) && (!k->ignores_sync || lock_part)) {
        d->guard = guard_code(k, s->guard);
        keep_updates(k, s, d, keep_sync);
    }
    /* 'done' is set by whatever step reaches the exit. */
    if (is_data(s) && !k->ignores_sync)
        keep_updates(k, s, d, keep_sync);
}

static void note_var(void *ctx, uint32_t var) {
    ((bool *)ctx)[var] = true;
}

/* Locals that nothing but asserts looks at. */
static bool *only_asserted(const au_model *m) {
    bool *used = au_alloc_array(m->var.n, sizeof *used);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        au_term_each_var(m->terms, s->guard, note_var, used);
        for (uint32_t j = 0; j < s->n_updates; j++)
            au_term_each_var(m->terms, s->update[j].value, note_var, used);
    }
    for (size_t v = 0; v < m->var.n; v++)
        used[v] = !used[v] && m->var.at[v].kind == AU_VAR_LOCAL;
    return used;
}

static au_machine_code constant(au_machine *k, unsigned width, uint64_t v) {
    au_machine_code c = {(uint32_t)k->insn.n, 1};
    push(k, c.first, (au_insn){.op = OP_CONST, .width = (uint8_t)width, .k = v});
    return c;
}

/* mcm: pins an observed data step to what it read and wrote. */
static void pin_step(au_machine *k, const au_step *s, au_mstep *d, const uint64_t *before,
                     const uint64_t *after) {
    const au_model *m = k->m;
    *d = (au_mstep){.present = true, .event = d->event, .cond = d->cond, .own = d->own};
    uint32_t first = (uint32_t)k->insn.n, all = AU_NONE; /* all: that everything holds so far */
    /* The guard itself holds whenever the reads are as they were, unless it looks at
     * synchronisation (a try-lock that failed): so it stays. */
    if (!au_term_is_true(m->terms, s->guard)) {
        all = compile(k, s->guard).n - 1;
    }
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        if (s->access[i].write)
            continue;
        uint32_t v = s->access[i].var;
        uint8_t w = m->var.at[v].width;
        uint32_t saw = push(k, first, (au_insn){.op = OP_VAR, .width = w, .k = v});
        uint32_t was = push(k, first, (au_insn){.op = OP_CONST, .width = w, .k = before[v]});
        uint32_t same =
            push(k, first, (au_insn){.op = AU_T_EQ, .width = 1, .low = w, .kid = {saw, was}});
        all = all == AU_NONE
                  ? same
                  : push(k, first, (au_insn){.op = AU_T_AND, .width = 1, .kid = {all, same}});
    }
    d->guard = (au_machine_code){first, (uint32_t)k->insn.n - first};
    d->update = AU_ARENA_ARRAY(k->arena, au_mupdate, s->n_updates);
    for (uint32_t i = 0; i < s->n_updates; i++) {
        uint32_t v = s->update[i].var;
        d->update[d->n_updates++] = (au_mupdate){v, constant(k, m->var.at[v].width, after[v])};
    }
}

/* --- the observed run -------------------------------------------------------- */

/* The sides of a branch read the same: what one saw counts for the other. */
static void note_reads(au_machine *k, const au_step *s, const uint32_t *writer) {
    uint32_t *seen = AU_ARENA_ARRAY(k->arena, uint32_t, s->n_accesses);
    for (uint32_t i = 0; i < s->n_accesses; i++)
        seen[i] = writer[s->access[i].var];
    const au_node *n = &k->m->thread.at[s->thread].node.at[s->src];
    for (size_t i = 0; i < n->out.n; i++)
        if (k->step[n->out.at[i]].event == k->step[s->id].event)
            k->of_read[n->out.at[i]] = seen;
}

/* Hands on what it read to nothing but asserts. */
static bool is_for_asserts(const au_model *m, const au_step *s, const bool *asserted) {
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (m->var.at[s->update[i].var].kind != AU_VAR_SYNC && !asserted[s->update[i].var])
            return false;
    return s->kind == AU_STEP_ASSERT || s->kind == AU_STEP_ASSIGN;
}

/* A term of the model itself, evaluated once. */
static uint64_t value_now(au_machine *k, au_term x, const uint64_t *value) {
    size_t n = k->insn.n;
    au_machine_code c = compile(k, x);
    uint64_t v = au_machine_eval(k, c, value);
    k->insn.n = n;
    return v;
}

/* Runs the observed steps once, the model itself with its values whatever the
 * semantics: who wrote what each read saw, whether all threads come to their ends (a
 * failed assert is the last step of its thread and yet no end, except where asserts
 * do not stop), and, for mcm, the values. Steps outside the run are gone under mcm. */
static void walk_observed(au_machine *k) {
    const au_model *m = k->m;
    bool pin = k->o->semantics == AU_SEM_MCM;
    bool *asserted = only_asserted(m), *seen = au_alloc_array(m->step.n, sizeof *seen);
    uint64_t *from = au_alloc_array(m->var.n, sizeof *from);
    uint64_t *to = au_alloc_array(m->var.n, sizeof *to);
    uint32_t *writer = au_alloc_array(m->var.n, sizeof *writer);
    uint32_t *node = au_alloc_array(m->thread.n, sizeof *node);
    for (size_t v = 0; v < m->var.n; v++)
        from[v] = m->var.at[v].init;
    for (size_t t = 0; t < m->thread.n; t++)
        node[t] = m->thread.at[t].entry;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        seen[s->id] = true;
        if (!is_data(s))
            seen[k->step[s->id].event] = true;
        note_reads(k, s, writer);
        memcpy(to, from, m->var.n * sizeof *to);
        for (uint32_t j = 0; j < s->n_updates; j++)
            to[s->update[j].var] = value_now(k, s->update[j].value, from);
        if (s->havoc != AU_NONE)
            to[s->havoc] = 0;
        if (pin && is_data(s) && !is_for_asserts(m, s, asserted))
            pin_step(k, s, &k->step[s->id], from, to);
        bool fails = !value_now(k, s->cond, from);
        if (!fails || k->o->whole)
            node[s->thread] = s->dst;
        if (fails)
            continue; /* nothing of it has happened */
        memcpy(from, to, m->var.n * sizeof *from);
        for (uint32_t a = 0; a < s->n_accesses; a++)
            if (s->access[a].write)
                writer[s->access[a].var] = s->id + 1;
    }
    k->observed_ends = true;
    for (size_t t = 0; t < m->thread.n; t++) {
        const au_thread *th = &m->thread.at[t];
        bool started = th->started == AU_NONE || from[th->started];
        k->observed_ends &= !started || node[t] == th->exit;
    }
    k->final_writer = AU_ARENA_ARRAY(k->arena, uint32_t, m->var.n);
    memcpy(k->final_writer, writer, m->var.n * sizeof *writer);
    /* Synchronisation stays as it is: whom a signal wakes, and what wakes a waiter, are open. */
    for (size_t i = 0; i < m->step.n && pin; i++)
        k->step[i].present &= seen[is_data(&m->step.at[i]) ? i : k->step[i].event];
    free(asserted);
    free(seen);
    free(from);
    free(to);
    free(writer);
    free(node);
}

/* --- havoc ------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum { ALL_VALUES = 4 }; /* up to so many bits every value is tried */

/* Every constant of the model with its neighbours, and the ends of the type:
 * what a comparison could tell apart. */
static void choose_havoc_values(au_machine *k, unsigned w) {
    AU_VEC(uint64_t) v = {0};
    const uint64_t ends[] = {0, 1, UINT64_MAX, UINT64_C(1) << (w - 1),
                             (UINT64_C(1) << (w - 1)) - 1};
    au_vec_append(&v, ends, sizeof ends / sizeof *ends);
    for (uint64_t i = 0; w <= ALL_VALUES && i < UINT64_C(1) << w; i++)
        au_vec_push(&v, i);
    /* numbers of other widths are met through casts */
    for (size_t i = 0; i < k->insn.n; i++)
        if (k->insn.at[i].op == OP_CONST && (k->insn.at[i].width == w || w != 32))
            for (int d = -1; d <= 1; d++)
                au_vec_push(&v, k->insn.at[i].k + (uint64_t)(int64_t)d);
    for (size_t i = 0; i < v.n; i++)
        v.at[i] &= mask(w);
    qsort(v.at, v.n, sizeof *v.at, by_value);
    k->havoc[w].value = AU_ARENA_ARRAY(k->arena, uint64_t, v.n);
    for (size_t i = 0; i < v.n; i++)
        if (!i || v.at[i] != v.at[i - 1])
            k->havoc[w].value[k->havoc[w].n++] = v.at[i];
    k->havoc_guess |= w > ALL_VALUES;
    au_vec_release(&v);
}

void au_machine_init(au_machine *k, const au_model *m, const au_oracle_options *o, au_arena *a) {
    *k = (au_machine){.m = m, .o = o, .arena = a};
    k->ignores_values = o->semantics == AU_SEM_CAM || o->semantics == AU_SEM_LOCKS;
    k->ignores_sync = o->semantics == AU_SEM_LOCKS;
    k->step = AU_ARENA_ARRAY(a, au_mstep, m->step.n);
    k->of_read = AU_ARENA_ARRAY(a, uint32_t *, m->step.n);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        k->step[i].present = true;
        k->step[i].event = event_of(m, s);
        if (k->ignores_values)
            valueless_step(k, s, &k->step[i]);
        else
            plain_step(k, s, &k->step[i]);
    }
    for (size_t i = 0; i < m->step.n && !k->ignores_values; i++) {
        uint32_t v = m->step.at[i].havoc;
        if (v != AU_NONE && !k->havoc[m->var.at[v].width].n)
            choose_havoc_values(k, m->var.at[v].width);
    }
    walk_observed(k);
}

void au_machine_release(au_machine *k) {
    au_vec_release(&k->insn);
    free(k->result);
}
