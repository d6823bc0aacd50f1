/* model/from_symbolic_values.c: what each access of a trace saw and wrote.
 *
 * Nearly always the trace says so. Where it does not:
 *   - what a variable held before its first event is what the program text says, or what the
 *     first read saw before any write; else it is not known;
 *   - a write without a value (a free, a store of more than 8 bytes) wrote what the next read saw
 *     before the next write; else it is not known;
 *   - a read without a value saw what was there.
 * What is not known becomes a number of its own, from plan.doubt[v] on: none that any event of the
 * variable has. Number 0 stands for everything that no event read in the run, so that nobody
 * has to see it; a further one for each that was read without being told (who read it must find the same). Where a
 * symbolic read could see one of them in another interleaving, the variable is 'doubted', and
 * the read's thread stops there.
 *
 * A read that saw something else than what was written last: code without hooks wrote it, nobody
 * knows where. Who saw it is cut off there. */
#include "model/symbolic_priv.h"

enum { START, KNOWN, PENDING, FOREIGN };

typedef struct {
    uint64_t now;
    uint32_t write;  /* PENDING: the write that wrote it */
    uint32_t reader; /* START, PENDING: untold reads of it, place in 'readers' + 1 */
    uint32_t untold; /* how many values no event tells, at most */
    uint8_t state;   /* START … */
    bool written;    /* its first access wrote it and what was there before is not known */
    bool alone;      /* PENDING: nobody else runs any more that could see it */
    bool reused;     /* something was done with it after an untold write */
    au_epoch first;  /* written: that access */
} var_state;

struct reader {
    uint32_t event, next;
};
typedef struct {
    au_symbolic_plan *p;
    au_block e;
    var_state *var;
    AU_VEC(struct reader) readers;
    au_clocks clocks;
} finder;

static bool has_value(const finder *f, size_t i) {
    return au_block_has_value(&f->e, i);
}

static uint64_t cut_to(const au_symbolic_plan *p, uint32_t var, uint64_t value) {
    return value & au_mask(p->width[var]);
}

/* ---- numbers that no event has --------------------------------------------------------------- */

/* Is v one of the n numbers from 'from' on (modulo the width)? */
static bool is_within(uint64_t v, uint64_t from, uint64_t n, unsigned width) {
    return ((v - from) & au_mask(width)) < n;
}

/* Of a byte: the first run of n numbers that none is of those seen; 256: none. */
static unsigned free_bytes(const uint64_t seen[4], unsigned n) {
    for (unsigned from = 0, k; from + n <= 256; from += k + 1) {
        for (k = 0; k < n && !(seen[(from + k) / 64] >> (from + k) % 64 & 1); k++)
            ;
        if (k == n)
            return from;
    }
    return 256;
}

static void choose_bytes(finder *f, bool *hopeless) {
    au_symbolic_plan *p = f->p;
    au_map at; /* variable: place in 'seen' */
    AU_VEC(struct { uint64_t bit[4]; }) seen = {0};
    au_map_init(&at);
    for (size_t i = 0; i < f->e.n; i++) {
        uint32_t v = f->e.obj[i];
        if (!au_op_is_access(f->e.op[i]) || p->width[v] > 8 || !f->var[v].untold)
            continue;
        bool fresh;
        uint64_t *k = au_map_put(&at, v, &fresh);
        if (fresh) {
            *k = seen.n;
            memset(au_vec_add(&seen), 0, sizeof *seen.at);
            uint64_t init = cut_to(p, v, p->s->init[v]);
            seen.at[*k].bit[init / 64] |= UINT64_C(1) << init % 64;
        }
        uint64_t value = has_value(f, i) ? cut_to(p, v, (uint64_t)f->e.value[i]) : 0;
        if (has_value(f, i))
            seen.at[*k].bit[value / 64] |= UINT64_C(1) << value % 64;
    }
    for (size_t v = 0; v < p->s->trace->names.var.n; v++) {
        const uint64_t *k = au_map_find(&at, v);
        if (!k)
            continue;
        unsigned from = free_bytes(seen.at[*k].bit, f->var[v].untold);
        hopeless[v] = from == 256 || p->width[v] < 8;
        p->doubt[v] = from & 255;
    }
    au_map_release(&at);
    au_vec_release(&seen);
}

enum { TRIES = 40 };

/* The numbers are given: does any event have one of those that may be needed? */
static void check_doubts(finder *f, bool *hopeless) {
    au_symbolic_plan *p = f->p;
    for (size_t v = 0; v < p->s->trace->names.var.n; v++) {
        p->doubt[v] = cut_to(p, (uint32_t)v, p->among->doubt[v]);
        if (f->var[v].untold &&
            is_within(p->s->init[v], p->doubt[v], f->var[v].untold, p->width[v]))
            p->flag[v] |= AU_VAR_CLASH;
    }
    for (size_t i = 0; i < f->e.n; i++) {
        uint32_t v = f->e.obj[i];
        if (au_op_is_access(f->e.op[i]) && f->var[v].untold && has_value(f, i) &&
            is_within((uint64_t)f->e.value[i], p->doubt[v], f->var[v].untold, p->width[v]))
            p->flag[v] |= AU_VAR_CLASH;
    }
    for (size_t v = 0; v < p->s->trace->names.var.n; v++)
        hopeless[v] = p->flag[v] & AU_VAR_CLASH || p->width[v] < 8;
}

static void choose_doubts(finder *f, bool *hopeless) {
    au_symbolic_plan *p = f->p;
    if (p->among && p->among->doubt) {
        check_doubts(f, hopeless);
        return;
    }
    size_t vars = p->s->trace->names.var.n;
    bool clash = true;
    for (size_t v = 0; v < vars; v++)
        p->doubt[v] = cut_to(p, (uint32_t)v, UINT64_C(0xd0b7d0b7d0b7d0b7));
    for (int tries = 0; clash && tries < TRIES; tries++) {
        clash = false;
        for (size_t i = 0; i < f->e.n; i++) {
            uint32_t v = f->e.obj[i];
            if (!au_op_is_access(f->e.op[i]) || p->width[v] <= 8 || !f->var[v].untold)
                continue;
            uint64_t value = has_value(f, i) ? (uint64_t)f->e.value[i] : p->s->init[v];
            if (!is_within(value, p->doubt[v], f->var[v].untold, p->width[v]) &&
                !is_within(p->s->init[v], p->doubt[v], f->var[v].untold, p->width[v]))
                continue;
            p->doubt[v] = cut_to(p, v, au_hash_join(p->doubt[v], (uint64_t)tries));
            clash = true;
            hopeless[v] = tries == TRIES - 1;
        }
    }
    choose_bytes(f, hopeless);
}

/* ---- told and not told ----------------------------------------------------------------------- */

static void set_seen(finder *f, uint32_t event, uint64_t value) {
    bool writes = f->e.op[event] == AU_OP_RMW;
    *au_map_put(writes ? &f->p->before : &f->p->value, event, NULL) = value;
}

/* What the variable holds turns out to be this. */
static void tell(finder *f, uint32_t v, uint64_t value, bool seen) {
    var_state *x = &f->var[v];
    if (x->state == START) {
        f->p->init[v] = value;
        if (seen)
            f->p->flag[v] |= AU_VAR_INIT;
    } else
        *au_map_put(&f->p->value, x->write, NULL) = value;
    for (uint32_t r = x->reader; r; r = f->readers.at[r - 1].next)
        set_seen(f, f->readers.at[r - 1].event, value);
    x->reader = 0;
    x->state = KNOWN;
    x->now = value;
}

/* … or nobody will ever know. */
static void give_up(finder *f, uint32_t v) {
    var_state *x = &f->var[v];
    if (x->state != START && x->state != PENDING)
        return;
    uint32_t number = x->reader ? ++f->p->doubts[v] : 0;
    tell(f, v, cut_to(f->p, v, f->p->doubt[v] + number), false);
}

static bool has_joined_all(const finder *f, uint32_t thread) {
    for (uint32_t u = 0; u < f->clocks.n; u++)
        if (u != thread && f->clocks.clock[u].n > u &&
            au_clocks_knows(&f->clocks, thread, u) < f->clocks.clock[u].at[u])
            return false;
    return true;
}

/* An RMW that adds a constant tells what it found. */
static bool undo(const finder *f, uint32_t event, uint64_t *found) {
    const au_symbolic *s = f->p->s;
    au_term x = s->write[event];
    if (f->e.op[event] != AU_OP_RMW || !has_value(f, event) || x.n == UINT32_MAX ||
        au_term_kind(s->terms, x) != AU_T_ADD)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        au_term a = au_term_kid(s->terms, x, i), b = au_term_kid(s->terms, x, 1 - i);
        if (au_term_kind(s->terms, a) != AU_T_VAR || au_term_var(s->terms, a) != event ||
            !au_term_is_const(s->terms, b))
            continue;
        *found =
            cut_to(f->p, f->e.obj[event], (uint64_t)f->e.value[event] - au_term_value(s->terms, b));
        return true;
    }
    return false;
}

static void look(finder *f, uint32_t event, uint32_t v) {
    var_state *x = &f->var[v];
    bool told = has_value(f, event) && f->e.op[event] != AU_OP_RMW;
    uint64_t value = told ? cut_to(f->p, v, (uint64_t)f->e.value[event]) : 0;
    if (x->state == KNOWN && told && value != x->now)
        x->state = FOREIGN;
    if (x->state == FOREIGN) {
        if (f->p->flag[v] & AU_VAR_STEPS)
            *au_map_put(&f->p->cut, event, NULL) = 1;
        set_seen(f, event, told ? value : x->now);
        x->now = told ? value : x->now;
    } else if (x->state == START && undo(f, event, &value)) {
        tell(f, v, value, true);
        set_seen(f, event, value);
    } else if (x->state != KNOWN && told) {
        tell(f, v, value, true);
    } else if (x->state != KNOWN) {
        au_vec_push(&f->readers, ((struct reader){event, x->reader}));
        x->reader = (uint32_t)f->readers.n;
    } else if (!told) {
        set_seen(f, event, x->now);
    }
}

static void store(finder *f, uint32_t event, uint32_t v) {
    var_state *x = &f->var[v];
    uint16_t who = f->e.thread[event];
    if (x->state == START && !x->reader) {
        x->written = true;
        x->first = au_clocks_now(&f->clocks, who);
    }
    x->reused |= x->state == PENDING;
    give_up(f, v);
    if (has_value(f, event)) {
        x->state = KNOWN;
        x->now = cut_to(f->p, v, (uint64_t)f->e.value[event]);
    } else if (au_map_find(&f->p->s->freed, event)) {
        x->state = KNOWN;
        x->now = cut_to(f->p, v, *au_map_find(&f->p->s->freed, event));
        *au_map_put(&f->p->value, event, NULL) = x->now;
    } else {
        x->state = PENDING;
        x->write = event;
        x->alone = has_joined_all(f, who);
    }
}

static void access_var(finder *f, uint32_t event) {
    uint32_t v = f->e.obj[event];
    var_state *x = &f->var[v];
    if (x->written && !au_clocks_before(&f->clocks, x->first, f->e.thread[event]))
        f->p->flag[v] |= AU_VAR_DOUBTED;
    if (f->e.op[event] != AU_OP_WRITE && f->e.op[event] != AU_OP_AWRITE)
        look(f, event, v);
    if (f->e.op[event] != AU_OP_READ && f->e.op[event] != AU_OP_AREAD)
        store(f, event, v);
}

/* How many untold values there can be: one for the start, one for each write without a value. */
static void count_untold(finder *f) {
    const au_symbolic *s = f->p->s;
    for (size_t v = 0; v < s->trace->names.var.n; v++)
        f->var[v].untold = f->p->flag[v] & AU_VAR_STEPS ? 2 : 0;
    for (size_t i = 0; i < f->e.n; i++)
        if (au_op_is_access(f->e.op[i]) && !has_value(f, i) && f->var[f->e.obj[i]].untold)
            f->var[f->e.obj[i]].untold++;
}

void au_plan_values(au_symbolic_plan *p) {
    const au_symbolic *s = p->s;
    size_t vars = s->trace->names.var.n;
    finder f = {.p = p, .e = au_columns_block(&s->trace->events, 0, s->trace->events.n)};
    bool *hopeless = au_alloc_array(vars, sizeof *hopeless);
    f.var = au_alloc_array(vars, sizeof *f.var);
    p->init = au_alloc_array(vars, sizeof *p->init);
    p->doubt = au_alloc_array(vars, sizeof *p->doubt);
    p->doubts = au_alloc_array(vars, sizeof *p->doubts);
    au_map_init(&p->value);
    au_map_init(&p->before);
    au_map_init(&p->cut);
    au_clocks_init(&f.clocks, s->trace);
    count_untold(&f);
    choose_doubts(&f, hopeless);
    for (uint32_t v = 0; v < vars; v++)
        if (au_bitset_has(&s->init_known, v)) {
            f.var[v].state = KNOWN;
            f.var[v].now = p->init[v] = cut_to(p, v, s->init[v]);
            p->flag[v] |= AU_VAR_INIT;
        } else if (p->among && p->among->init_known && au_bitset_has(p->among->init_known, v)) {
            f.var[v].state = KNOWN;
            f.var[v].now = p->init[v] = cut_to(p, v, p->among->init[v]);
        }
    size_t next = 0;
    for (uint32_t i = 0; i < f.e.n; i++) {
        if (au_op_is_access(f.e.op[i]) || f.e.op[i] == AU_OP_FORK || f.e.op[i] == AU_OP_JOIN)
            au_clocks_event(&f.clocks, s->trace, i);
        if (au_op_is_access(f.e.op[i]))
            access_var(&f, i);
        /* Another place of this access: as much an access as the others. */
        for (; next < s->elsewhere.n && s->elsewhere.at[next].event == i; next++) {
            var_state *x = &f.var[s->elsewhere.at[next].var];
            x->reused |= x->state == PENDING;
            if (x->state == START ||
                (x->written && !au_clocks_before(&f.clocks, x->first, f.e.thread[i])))
                p->flag[s->elsewhere.at[next].var] |= AU_VAR_DOUBTED;
        }
    }
    for (uint32_t v = 0; v < vars; v++) {
        f.var[v].reused |= f.var[v].state == PENDING && !f.var[v].alone;
        give_up(&f, v);
        if (f.var[v].reused || p->doubts[v])
            p->flag[v] |= AU_VAR_DOUBTED;
    }
    /* No number is left for what is not known: nobody goes on who looks. */
    for (uint32_t i = 0; i < f.e.n; i++)
        if (au_op_is_access(f.e.op[i]) && hopeless[f.e.obj[i]] && au_plan_reads(s, i) &&
            p->flag[f.e.obj[i]] & AU_VAR_STEPS &&
            (p->flag[f.e.obj[i]] & AU_VAR_DOUBTED || p->doubts[f.e.obj[i]]))
            *au_map_put(&p->cut, i, NULL) = 1;
    au_clocks_release(&f.clocks);
    au_vec_release(&f.readers);
    free(f.var);
    free(hopeless);
}

uint64_t au_plan_value(const au_symbolic_plan *p, size_t event) {
    const au_columns *e = &p->s->trace->events;
    if (e->any_value && e->has_value[event])
        return cut_to(p, e->obj[event], (uint64_t)e->value[event]);
    const uint64_t *v = au_map_find(&p->value, event);
    return v ? *v : 0;
}

uint64_t au_plan_seen(const au_symbolic_plan *p, size_t event) {
    if (p->s->trace->events.op[event] != AU_OP_RMW)
        return au_plan_value(p, event);
    const uint64_t *v = au_map_find(&p->before, event);
    return v ? *v : 0;
}
