/* lower/forward.c: loads of a global variable that give what the same function has stored there.
 *
 *     wthread = malloc(…);                       two functions of main's thread do so, one of them is executed
 *     for (…) (wthread + i)->offset = …;         … of what this one allocated
 *
 * Points-to sets (points.c) do not know which store comes last. This does, for a global that
 *   - is only loaded and stored, by its name: nobody has its address;
 *   - is stored by functions only that no thread but main's executes: they are reached from main, by calls of known functions, and not
 *     from any function whose address is taken (new threads, handlers and all that is called through a pointer begin there).
 * A load in such a function gives what a store before it put there, if that is the last one on every way to the load: no other store
 * and no call of what may store it lies between, and the slot that was stored is not set again.
 * Not with --entry: any function may be the first of a thread then. */
#include "lower/source_priv.h"

#include <string.h>

enum { AS_POINTER = 1, OTHERWISE = 2 };  /* uses of a constant */
enum { FROM_MAIN = 1, FROM_OTHERS = 2 }; /* who may execute a function */
#define UNSEEN INT64_MIN                 /* what a variable holds … */
#define NOT_KNOWN (INT64_MIN + 1)        /* … else the operand that was stored */
enum { MOST_STORED = 400 };

typedef struct {
    bool direct, defined;
    AU_VEC(uint32_t) writer; /* functions */
} variable;

typedef struct {
    src *s;
    uint32_t **id; /* by module, global: into 'var' */
    AU_VEC(variable) var;
    uint8_t *reached; /* by function */
    uint8_t *writes;  /* by function: it or what it calls stores the variable that is looked at */
    AU_VEC(uint32_t) * caller; /* by function */
    int64_t *in;               /* by instruction of the function, for the first ones of blocks */
    AU_VEC(uint32_t) todo;
    const au_code *c;
    uint32_t fn, now; /* now: the variable */
    int64_t state;
} finder;

/* --- variables --------------------------------------------------------------------------------------- */

static void name_variables(finder *x) {
    src *s = x->s;
    au_map known;
    au_map_init(&known);
    x->id = au_alloc_array(s->n_codes + 1, sizeof *x->id);
    for (uint32_t m = 0; m < s->n_codes; m++) {
        const au_code *c = s->code[m];
        x->id[m] = au_alloc_array(c->n_globals + 1u, sizeof **x->id);
        for (uint32_t g = 0; g < c->n_globals; g++) {
            const char *name = au_code_text(c, c->global[g].name);
            uint64_t h = au_hash_bytes(name, strlen(name));
            bool fresh;
            uint64_t *at = au_map_put(
                &known, c->global[g].internal ? au_hash_join(h, ((uint64_t)m << 32) + g + 1) : h,
                &fresh);
            if (fresh) {
                *at = x->var.n;
                au_vec_push(&x->var, ((variable){.direct = true}));
            }
            x->id[m][g] = (uint32_t)*at;
            x->var.at[*at].direct &= c->global[g].size == 8 && !c->global[g].tls;
            x->var.at[*at].defined |= c->global[g].defined;
        }
    }
    au_map_release(&known);
}

static void mark(const au_code *c, uint8_t *use, au_operand o, uint32_t slots, uint8_t how) {
    for (uint32_t k = 0; k < slots && o < 0 && (uint32_t)~o + k < c->n_consts; k++)
        use[(uint32_t)~o + k] |= how;
}

/* Of each constant how it is used. One that is not marked is part of a larger one. */
static void mark_uses(const au_code *c, uint8_t *use) {
    for (uint32_t at = 0; at < c->n_insns; at++) {
        const au_code_insn *i = &c->insn[at];
        bool access = i->op == AU_C_LOAD || i->op == AU_C_STORE;
        mark(c, use, i->a, 1, access ? AS_POINTER : OTHERWISE);
        mark(c, use, i->b, 1, OTHERWISE);
        mark(c, use, i->c, 1, OTHERWISE);
    }
    for (uint32_t k = 0; k < c->n_copies; k++)
        mark(c, use, c->copy[k].src, c->copy[k].n, OTHERWISE);
    for (uint32_t k = 0; k < c->n_args; k++)
        mark(c, use, c->arg[k].at, c->arg[k].slots, OTHERWISE);
    for (uint32_t k = 0; k < c->n_operands; k++)
        mark(c, use, c->operand[k], 1, OTHERWISE);
    for (uint32_t k = 0; k < c->n_calls; k++)
        mark(c, use, c->call[k].target, 1, OTHERWISE);
    for (uint32_t k = 0; k < c->n_wides; k++)
        for (uint32_t j = 0; j < c->wide[k].n_operands && j < 4; j++)
            mark(c, use, c->wide[k].operand[j], 1, OTHERWISE);
    for (uint32_t k = 0; k < c->n_relocs; k++)
        use[c->reloc[k].constant] |= OTHERWISE;
}

static void find_direct(finder *x) {
    for (uint32_t m = 0; m < x->s->n_codes; m++) {
        const au_code *c = x->s->code[m];
        uint8_t *use = au_alloc_array(c->n_consts + 1u, 1);
        mark_uses(c, use);
        for (uint32_t k = 0; k < c->n_consts; k++)
            if (c->pool[k].kind == AU_CONST_GLOBAL && (c->pool[k].value || use[k] != AS_POINTER))
                x->var.at[x->id[m][c->pool[k].index]].direct = false;
        free(use);
    }
}

/* The variable that the load or store is of; AU_NONE. */
static uint32_t accessed(const finder *x, uint32_t fn, const au_code_insn *i) {
    const au_src_fn *f = &x->s->fn.at[fn];
    if ((i->op != AU_C_LOAD && i->op != AU_C_STORE) || i->a >= 0 ||
        f->code->pool[~i->a].kind != AU_CONST_GLOBAL)
        return AU_NONE;
    return x->id[f->module][f->code->pool[~i->a].index];
}

/* --- functions --------------------------------------------------------------------------------------- */

static void link_function(finder *x, uint32_t fn) {
    const au_src_fn *f = &x->s->fn.at[fn];
    for (uint32_t at = f->f->first; at < f->f->first + f->f->n; at++) {
        const au_code_insn *i = &f->code->insn[at];
        uint32_t var = accessed(x, fn, i);
        if (var != AU_NONE && i->op == AU_C_STORE)
            au_vec_push(&x->var.at[var].writer, fn);
        uint32_t to = i->op == AU_C_CALL || i->op == AU_C_ANNOTATE
                          ? au_src_direct(x->s, fn, &f->code->call[i->aux])
                          : AU_NONE;
        if (to != AU_NONE)
            au_vec_push(&x->caller[to], fn);
    }
}

/* All that is called from there on. */
static void reach(finder *x, uint32_t from, uint8_t who) {
    au_vec_push(&x->todo, from);
    while (x->todo.n) {
        uint32_t fn = au_vec_pop(&x->todo);
        const au_src_fn *f = &x->s->fn.at[fn];
        if (x->reached[fn] & who)
            continue;
        x->reached[fn] |= who;
        for (uint32_t at = f->f->first; at < f->f->first + f->f->n; at++) {
            const au_code_insn *i = &f->code->insn[at];
            uint32_t to = i->op == AU_C_CALL || i->op == AU_C_ANNOTATE
                              ? au_src_direct(x->s, fn, &f->code->call[i->aux])
                              : AU_NONE;
            if (to != AU_NONE)
                au_vec_push(&x->todo, to);
        }
    }
}

static void find_who(finder *x) {
    src *s = x->s;
    for (uint32_t fn = 0; fn < s->fn.n; fn++) {
        link_function(x, fn);
        if (!strcmp(au_code_text(s->fn.at[fn].code, s->fn.at[fn].f->name), "main"))
            reach(x, fn, FROM_MAIN);
    }
    for (uint32_t m = 0; m < s->n_codes; m++)
        for (uint32_t k = 0; k < s->code[m]->n_consts; k++) {
            const struct au_code_const *p = &s->code[m]->pool[k];
            uint32_t fn = p->kind == AU_CONST_FUNCTION
                              ? au_src_fn_by_name(s, m, au_code_text(s->code[m], p->index))
                              : AU_NONE;
            if (fn != AU_NONE)
                reach(x, fn, FROM_OTHERS);
        }
}

/* Only main's thread stores it. */
static bool is_mains(const finder *x, const variable *v) {
    for (size_t i = 0; i < v->writer.n; i++)
        if (x->reached[v->writer.at[i]] != FROM_MAIN)
            return false;
    return v->direct && v->defined && v->writer.n;
}

static void find_writes(finder *x, const variable *v) {
    memset(x->writes, 0, x->s->fn.n);
    au_vec_append(&x->todo, v->writer.at, v->writer.n);
    while (x->todo.n) {
        uint32_t fn = au_vec_pop(&x->todo);
        if (x->writes[fn])
            continue;
        x->writes[fn] = 1;
        au_vec_append(&x->todo, x->caller[fn].at, x->caller[fn].n);
    }
}

/* --- one variable in one function ------------------------------------------------------------------- */

static bool comes_again(const finder *x, const struct au_code_call *k) {
    const au_libc *l = k->name ? au_src_library_find(au_src_call_name(x->s, x->fn, k)) : NULL;
    return l && l->does == AU_DOES_SETJMP;
}

static int64_t behind(const finder *x, const au_code_insn *i, int64_t state) {
    if (accessed(x, x->fn, i) == x->now && i->op == AU_C_STORE)
        return i->width == 64 ? i->b : NOT_KNOWN;
    if (i->op == AU_C_CALL || i->op == AU_C_ANNOTATE) {
        const struct au_code_call *k = &x->c->call[i->aux];
        uint32_t to = au_src_direct(x->s, x->fn, k);
        if ((to != AU_NONE && x->writes[to]) || comes_again(x, k))
            return NOT_KNOWN;
    }
    if (state >= 0 && i->dst != AU_NONE && (uint64_t)state >= i->dst &&
        (uint64_t)state < (uint64_t)i->dst + au_src_dst_slots(x->c, i))
        return NOT_KNOWN;
    return i->op == AU_C_EV_FRAME && i->a == state ? NOT_KNOWN : state;
}

static void along(void *ctx, uint32_t edge) {
    finder *x = ctx;
    const struct au_code_edge *e = &x->c->edge[edge];
    int64_t state = x->state;
    for (uint32_t k = 0; k < e->n_copies; k++) {
        const struct au_code_copy *p = &x->c->copy[e->copy + k];
        if (state >= p->dst && state < (int64_t)p->dst + p->n)
            state = NOT_KNOWN;
    }
    int64_t *in = &x->in[e->target - x->s->fn.at[x->fn].f->first];
    if (*in == state || *in == NOT_KNOWN)
        return;
    *in = *in == UNSEEN ? state : NOT_KNOWN;
    au_vec_push(&x->todo, e->target);
}

/* Goes through a block; 'tell': puts down what is known at its loads. */
static void through(finder *x, uint32_t block, bool tell) {
    const au_code_function *f = x->s->fn.at[x->fn].f;
    x->state = x->in[block - f->first];
    for (uint32_t at = block; at < f->first + f->n && x->c->block[at] == block; at++) {
        const au_code_insn *i = &x->c->insn[at];
        bool load = tell && i->op == AU_C_LOAD && i->width == 64 && x->state > NOT_KNOWN;
        if (load && accessed(x, x->fn, i) == x->now)
            *au_map_put(&x->s->forward, au_key2(x->fn, at), NULL) =
                (uint64_t)(uint32_t)(int32_t)x->state + 1;
        x->state = behind(x, i, x->state);
        if (!tell)
            au_src_each_edge(x->c, i, along, x);
    }
}

static void look_into(finder *x, uint32_t fn) {
    const au_code_function *f = x->s->fn.at[fn].f;
    x->fn = fn;
    x->c = x->s->fn.at[fn].code;
    x->in = au_alloc_array(f->n + 1u, sizeof *x->in);
    for (uint32_t k = 0; k < f->n; k++)
        x->in[k] = UNSEEN;
    x->in[0] = NOT_KNOWN;
    au_vec_push(&x->todo, f->first);
    while (x->todo.n)
        through(x, au_vec_pop(&x->todo), false);
    for (uint32_t k = 0; k < f->n; k++)
        if (x->in[k] != UNSEEN)
            through(x, f->first + k, true);
    free(x->in);
}

void au_src_forward_find(src *s) {
    if (s->o.n_entries)
        return;
    finder x = {.s = s};
    x.reached = au_alloc_array(s->fn.n + 1, 1);
    x.writes = au_alloc_array(s->fn.n + 1, 1);
    x.caller = au_alloc_array(s->fn.n + 1, sizeof *x.caller);
    name_variables(&x);
    find_direct(&x);
    find_who(&x);
    uint32_t stored = 0;
    for (uint32_t v = 0; v < x.var.n && stored < MOST_STORED && !au_src_late(s); v++) {
        if (!is_mains(&x, &x.var.at[v]))
            continue;
        stored++;
        x.now = v;
        find_writes(&x, &x.var.at[v]);
        const variable *of = &x.var.at[v];
        for (size_t i = 0; i < of->writer.n; i++)
            if (!i || of->writer.at[i] != of->writer.at[i - 1])
                look_into(&x, of->writer.at[i]);
    }
    for (uint32_t m = 0; m < s->n_codes; m++)
        free(x.id[m]);
    for (uint32_t fn = 0; fn < s->fn.n; fn++)
        au_vec_release(&x.caller[fn]);
    for (uint32_t v = 0; v < x.var.n; v++)
        au_vec_release(&x.var.at[v].writer);
    free(x.id);
    free(x.reached);
    free(x.writes);
    free(x.caller);
    au_vec_release(&x.var);
    au_vec_release(&x.todo);
}

bool au_src_forwarded(const src *s, uint32_t fn, uint32_t insn, au_operand *stored) {
    const uint64_t *at = au_map_find(&s->forward, au_key2(fn, insn));
    if (!at || !*at)
        return false;
    *stored = (au_operand)(int32_t)(uint32_t)(*at - 1);
    return true;
}
