/* model/symbolic_check.c: the model's half of the self-check: run as observed, it sees and writes what
 * the trace says. (The other half, that the terms are the program's, is retrace/retrace.h's.) */
#include "base/deadline.h"
#include "model/run.h"
#include "model/symbolic_priv.h"

#include <inttypes.h>

typedef struct {
    const au_symbolic *s;
    const au_model *m;
    au_block e;
    uint32_t *first; /* by step: the first event that it stands for, AU_NONE */
    uint32_t *next;  /* by event - base: another one, AU_NONE */
    size_t base;
    au_error *err;
    au_status st;
    bool in_time; /* the time of the command ends it (base/deadline.h) */
    uint64_t asked;
} checker;

static uint32_t next_of(const checker *c, uint32_t event) {
    return c->next[event - c->base];
}

/* Which access of the step is the event's? */
static const au_access *access_of(const checker *c, const au_step *s, uint32_t event, bool write) {
    const char *name = au_intern_str(&c->s->trace->names.var, c->e.obj[event]);
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write == write && !strcmp(c->m->var.at[s->access[i].var].name, name))
            return &s->access[i];
    return NULL;
}

static bool differs(checker *c, uint32_t event, const char *does, uint32_t var, uint64_t value) {
    uint64_t told = (uint64_t)c->e.value[event] & au_mask(c->m->var.at[var].width);
    if (value == told)
        return false;
    c->st = au_judge_error(c->s->trace, event, c->err, AU_EINTERNAL,
                           "a bug of augur: the model %s %" PRIu64 ", the run %" PRIu64, does,
                           value, told);
    return true;
}

/* Was the event's variable written by an earlier event of the same step? */
static bool is_inner(const checker *c, uint32_t first, uint32_t event) {
    for (uint32_t e = first; e != event; e = next_of(c, e))
        if (c->e.obj[e] == c->e.obj[event] && au_plan_writes(c->s, e))
            return true;
    return false;
}

static bool overwritten(const checker *c, uint32_t event) {
    for (uint32_t e = next_of(c, event); e != AU_NONE; e = next_of(c, e))
        if (c->e.obj[e] == c->e.obj[event] && au_plan_writes(c->s, e))
            return true;
    return false;
}

static bool compare(void *ctx, const au_step *s, bool done, const uint64_t *value) {
    checker *c = ctx;
    uint32_t first = c->first[s->id];
    if (c->in_time && c->asked++ % 64 == 0 && au_deadline_over()) {
        c->st = au_error_set(c->err, AU_EUNSUPPORTED, "%s", au_deadline_why());
        return false;
    }
    for (uint32_t e = first; e != AU_NONE; e = next_of(c, e)) {
        au_op op = c->e.op[e];
        if (!au_op_is_access(op) || !au_block_has_value(&c->e, e))
            continue;
        bool writes = au_plan_writes(c->s, e);
        const au_access *a = access_of(c, s, e, done);
        if (!done && op != AU_OP_RMW && au_plan_reads(c->s, e) && !is_inner(c, first, e)) {
            if (!a) {
                c->st = au_judge_error(c->s->trace, e, c->err, AU_EINTERNAL,
                                       "a bug of augur: its step of the model does not read it");
                return false;
            }
            if (differs(c, e, "reads", a->var, value[a->var]))
                return false;
        }
        if (done && writes && !overwritten(c, e)) {
            if (!a) {
                c->st = au_judge_error(c->s->trace, e, c->err, AU_EINTERNAL,
                                       "a bug of augur: its step of the model does not write it");
                return false;
            }
            if (differs(c, e, "writes", a->var, value[a->var]))
                return false;
        }
    }
    return true;
}

static void checker_init(checker *c, const au_symbolic *s, const au_model *m,
                         const au_symbolic_map *map, au_error *err) {
    *c = (checker){.s = s, .m = m, .err = err, .base = map->first, .st = AU_OK};
    c->e = au_columns_block(&s->trace->events, 0, s->trace->events.n);
    c->first = au_alloc_array(m->step.n + 1, sizeof *c->first);
    c->next = au_alloc_array(map->last - map->first, sizeof *c->next);
    memset(c->first, 0xff, (m->step.n + 1) * sizeof *c->first);
    for (size_t e = map->last; e-- > map->first;) {
        uint32_t step = map->step_of[e - map->first];
        c->next[e - map->first] = AU_NONE;
        if (step == AU_NONE)
            continue;
        c->next[e - map->first] = c->first[step];
        c->first[step] = (uint32_t)e;
    }
}

static void checker_release(checker *c) {
    free(c->first);
    free(c->next);
}

au_status au_symbolic_check(const au_symbolic *s, const au_model *m, const au_symbolic_map *map,
                            au_error *err) {
    checker c;
    checker_init(&c, s, m, map, err);
    c.in_time = true;
    au_error why = AU_ERROR_NONE;
    au_status st = au_model_follow(m, compare, &c, NULL, &why);
    if (st)
        c.st =
            au_error_set(err, AU_EINTERNAL, "a bug of augur: the model of the run: %s", why.text);
    checker_release(&c);
    return c.st;
}

void au_symbolic_drop(const au_symbolic *s, au_model *m, const au_symbolic_map *map) {
    checker c;
    checker_init(&c, s, m, map, NULL);
    au_model_drop_stuck(m, compare, &c);
    checker_release(&c);
}
