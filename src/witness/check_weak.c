/* witness/check_weak.c: an execution step by step, and what it shows (check_weak.h). */
#include "witness/check_weak_priv.h"

#include "base/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool au_wexec_no(au_wexec *x, uint32_t entry, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x->v->why, sizeof x->v->why, fmt, ap);
    va_end(ap);
    x->v->at = entry;
    return false;
}

static const au_step *step_of(const au_wexec *x, uint32_t entry) {
    return &x->m->step.at[x->f->x->at.at[entry].step];
}

/* The shared variable that it accesses, AU_NONE; *reads, *writes: how. False: more than one. */
static bool access_of(const au_step *s, uint32_t *var, bool *reads, bool *writes) {
    *var = AU_NONE;
    *reads = *writes = false;
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        if (*var != AU_NONE && *var != s->access[i].var)
            return false;
        *var = s->access[i].var;
        *(s->access[i].write ? writes : reads) = true;
    }
    return s->n_accesses < 2 || au_step_is_atomic(s);
}

/* ---- taking the steps ---- */

static bool started(const au_wexec *x, uint32_t thread) {
    uint32_t v = x->m->thread.at[thread].started;
    return v == AU_NONE || x->value[v];
}

/* Puts what the read sees where the step looks. */
static bool see(au_wexec *x, uint32_t entry, uint32_t var, bool reads) {
    uint32_t from = x->f->x->at.at[entry].from, v2;
    bool r2, w2;
    if (!reads)
        return from == AU_NONE || au_wexec_no(x, entry, "it sees a write and reads nothing");
    if (from == AU_FROM_START) {
        x->value[var] = x->m->var.at[var].init;
        return true;
    }
    if (from >= entry || !x->writes[from])
        return au_wexec_no(x, entry, "what it sees is no write that came before");
    access_of(step_of(x, from), &v2, &r2, &w2);
    if (v2 != var)
        return au_wexec_no(x, entry, "what it sees is a write of another variable");
    x->value[var] = x->wrote[from];
    return true;
}

static bool holds(const au_wexec *x, au_term t) {
    return au_term_eval(x->m->terms, t, x->value);
}

static bool in_vain(au_wexec *x, uint32_t entry, const au_step *s) {
    bool may = !s->blocking && s->kind != AU_STEP_BRANCH && s->kind < AU_STEP_ACQ &&
               x->m->thread.at[s->thread].node.at[s->src].out.n == 1;
    if (!may || holds(x, s->guard))
        return au_wexec_no(x, entry, "its guard does not stop its thread");
    x->stopped[s->thread] = true;
    return true;
}

static void assign(au_wexec *x, uint32_t entry, const au_step *s, bool *wrote, uint64_t *next) {
    for (uint32_t i = 0; i < s->n_updates; i++)
        next[i] = au_term_eval(x->m->terms, s->update[i].value, x->value);
    for (uint32_t i = 0; i < s->n_updates; i++) {
        uint32_t v = s->update[i].var;
        if (x->m->var.at[v].kind == AU_VAR_SHARED) {
            x->wrote[entry] = next[i];
            *wrote = true;
        } else {
            x->value[v] = next[i];
        }
    }
    if (s->havoc == AU_NONE)
        return;
    uint64_t any = au_low_bits(x->f->x->at.at[entry].havoc, x->m->var.at[s->havoc].width);
    if (x->m->var.at[s->havoc].kind == AU_VAR_SHARED) {
        x->wrote[entry] = any;
        *wrote = true;
    } else {
        x->value[s->havoc] = any;
    }
}

static bool take(au_wexec *x, uint32_t entry, uint64_t *next) {
    const au_step *s = step_of(x, entry);
    uint32_t var;
    bool reads, writes, wrote = false;
    if (!access_of(s, &var, &reads, &writes))
        return au_wexec_no(x, entry, "it accesses several variables at once");
    if (x->stopped[s->thread] || x->node[s->thread] != s->src || !started(x, s->thread))
        return au_wexec_no(x, entry, "its thread is not there");
    if (!see(x, entry, var, reads))
        return false;
    if (reads)
        x->v->value.at[entry] = x->value[var];
    if (x->f->x->at.at[entry].vain)
        return in_vain(x, entry, s);
    if (!holds(x, s->guard))
        return au_wexec_no(x, entry, "its condition does not hold");
    if (s->kind == AU_STEP_ASSERT && !holds(x, s->cond)) {
        x->failed[entry] = x->stopped[s->thread] = true;
        return true;
    }
    if (s->kind == AU_STEP_REL && x->m->obj.at[s->obj].kind == AU_OBJ_RWLOCK)
        x->as_writer[entry] = x->value[x->m->obj.at[s->obj].var[0]] == s->thread + 1;
    assign(x, entry, s, &wrote, next);
    if (wrote != writes)
        return au_wexec_no(x, entry, "what it writes is not known");
    x->writes[entry] = wrote;
    if (wrote && !reads)
        x->v->value.at[entry] = x->wrote[entry];
    x->v->spurious |= s->spurious;
    x->node[s->thread] = s->dst;
    return true;
}

static bool take_all(au_wexec *x) {
    uint32_t most = 0;
    for (size_t i = 0; i < x->m->step.n; i++)
        most = x->m->step.at[i].n_updates > most ? x->m->step.at[i].n_updates : most;
    uint64_t *next = au_alloc_array(most + 1, sizeof *next);
    bool good = true;
    for (uint32_t i = 0; i < x->entries && good; i++)
        good = x->f->x->at.at[i].step < x->m->step.n
                   ? take(x, i, next)
                   : au_wexec_no(x, i, "the model has no such step");
    free(next);
    return good;
}

/* ---- events and relations ---- */

static au_memory_order order_of(const au_step *s) {
    if (s->order != AU_MO_NONE)
        return (au_memory_order)s->order;
    return s->n_accesses && au_step_is_atomic(s) ? AU_MO_SC : AU_MO_NONE;
}

static void add_events(au_wexec *x) {
    for (uint32_t i = 0; i < x->entries; i++) {
        const au_step *s = step_of(x, i);
        uint32_t var;
        bool reads, writes;
        access_of(s, &var, &reads, &writes);
        au_wev e = {true, false, false, false, s->thread, i, var, order_of(s)};
        e.object = s->kind >= AU_STEP_ACQ;
        e.fence = !e.object && var == AU_NONE && s->order != AU_MO_NONE;
        e.there = reads || e.object || e.fence;
        x->event[au_wev_read(i)] = e;
        e.there = x->writes[i];
        e.write = true;
        e.object = e.fence = false;
        x->event[au_wev_write(i)] = e;
    }
}

/* Every write once, those of a variable next to each other. */
static bool order_writes(au_wexec *x) {
    const au_execution *q = x->f->x;
    uint32_t count = 0, last = AU_NONE;
    bool *done = au_alloc_array(x->m->var.n + 1, sizeof *done), good = true;
    for (uint32_t i = 0; i < x->entries; i++)
        count += x->writes[i];
    memset(x->place, 0xff, x->entries * sizeof *x->place);
    for (uint32_t i = 0; i < q->write.n && good; i++) {
        uint32_t e = q->write.at[i];
        good = e < x->entries && x->writes[e] && x->place[e] == AU_NONE;
        uint32_t var = good ? x->event[au_wev_write(e)].var : AU_NONE;
        if (good && var != last) {
            good = !done[var];
            done[var] = true;
        }
        last = var;
        if (good)
            x->place[e] = i;
    }
    free(done);
    return (good && count == q->write.n) ||
           au_wexec_no(x, 0, "the orders of its writes are not complete");
}

static void relate(au_wexec *x) {
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++) {
            const au_wev *p = &x->event[a], *q = &x->event[b];
            if (!p->there || !q->there || a == b)
                continue;
            if (p->thread == q->thread && a < b)
                au_wexec_add(x, x->sb, a, b);
            if (p->var == AU_NONE || p->var != q->var)
                continue;
            uint32_t from = x->f->x->at.at[p->entry].from; /* of p, if it reads */
            if (p->write && q->write && x->place[p->entry] < x->place[q->entry])
                au_wexec_add(x, x->mo, a, b);
            if (!p->write && q->write && from < AU_FROM_START && from == q->entry)
                au_wexec_add(x, x->rf, b, a);
            if (!p->write && q->write && p->entry != q->entry &&
                (from == AU_FROM_START || x->place[from] < x->place[q->entry]))
                au_wexec_add(x, x->rb, a, b);
        }
    au_wexec_objects(x);
}

/* ---- what it shows ---- */

static bool both_next(const au_wexec *x) {
    const au_weak_finding *f = x->f;
    bool writes = false, plain = false;
    for (int i = 0; i < 2; i++) {
        if (f->step[i] >= x->m->step.n)
            return false;
        const au_step *s = &x->m->step.at[f->step[i]];
        if (x->stopped[s->thread] || x->node[s->thread] != s->src || !started(x, s->thread) ||
            !s->n_accesses || s->access[0].var != f->var)
            return false;
        plain |= !au_step_is_atomic(s);
        for (uint32_t k = 0; k < s->n_accesses; k++)
            writes |= s->access[k].write;
    }
    return writes && plain && x->m->step.at[f->step[0]].thread != x->m->step.at[f->step[1]].thread;
}

static bool is_entry(const au_wexec *x, uint32_t e) {
    return e < x->entries;
}

static bool shows_race(const au_wexec *x) {
    const au_weak_finding *f = x->f;
    if (f->memory != AU_MEMORY_RC11)
        return both_next(x);
    if (!is_entry(x, f->entry[0]) || !is_entry(x, f->entry[1]))
        return false;
    for (int i = 0; i < 4; i++) {
        uint32_t a = 2 * f->entry[0] + (i & 1), b = 2 * f->entry[1] + (i >> 1);
        if (x->event[a].var == f->var && au_wexec_race(x, a, b))
            return true;
    }
    return false;
}

static bool is_last(const au_wexec *x, uint32_t entry, uint32_t var) {
    for (uint32_t i = 0; i < x->entries; i++)
        if (x->writes[i] && x->event[au_wev_write(i)].var == var &&
            (entry == AU_NONE || x->place[i] > x->place[entry]))
            return false;
    return entry == AU_NONE || (x->writes[entry] && x->event[au_wev_write(entry)].var == var);
}

static bool has_ended(const au_wexec *x) {
    for (uint32_t t = 0; t < x->m->thread.n; t++)
        if (started(x, t) && (x->stopped[t] || x->node[t] != x->m->thread.at[t].exit))
            return false;
    return true;
}

static bool shows_read(const au_wexec *x) {
    const au_weak_finding *f = x->f;
    uint32_t from = f->entry[0];
    if (from != AU_NONE && !is_entry(x, from))
        return false;
    if (f->entry[1] == AU_NONE)
        return has_ended(x) && is_last(x, from, f->var);
    if (!is_entry(x, f->entry[1]))
        return false;
    const au_wev *e = &x->event[au_wev_read(f->entry[1])];
    return e->there && e->var == f->var &&
           x->f->x->at.at[f->entry[1]].from == (from == AU_NONE ? AU_FROM_START : from);
}

static bool shows(au_wexec *x) {
    const au_weak_finding *f = x->f;
    bool good = f->shows == AU_WEAK_FAILS  ? is_entry(x, f->entry[0]) && x->failed[f->entry[0]]
                : f->shows == AU_WEAK_RACE ? shows_race(x)
                                           : shows_read(x);
    return good || au_wexec_no(x, x->entries, "it does not show what it is said to");
}

/* ---- all ---- */

static void open_room(au_wexec *x) {
    uint32_t n = x->entries + 1;
    x->n = 2 * x->entries;
    x->words = x->n / 64 + 1;
    x->event = au_alloc_array(2 * (size_t)n, sizeof *x->event);
    x->writes = au_alloc_array(n, sizeof *x->writes);
    x->failed = au_alloc_array(n, sizeof *x->failed);
    x->as_writer = au_alloc_array(n, sizeof *x->as_writer);
    x->wrote = au_alloc_array(n, sizeof *x->wrote);
    x->place = au_alloc_array(n, sizeof *x->place);
    x->value = au_alloc_array(x->m->var.n + 1, sizeof *x->value);
    x->node = au_alloc_array(x->m->thread.n + 1, sizeof *x->node);
    x->stopped = au_alloc_array(x->m->thread.n + 1, sizeof *x->stopped);
    uint64_t **rel[] = {&x->sb, &x->rf, &x->mo, &x->rb, &x->sync, &x->line, &x->hb, &x->eco};
    for (size_t i = 0; i < sizeof rel / sizeof *rel; i++)
        *rel[i] = au_alloc_array((size_t)x->n * x->words + 1, sizeof **rel[i]);
    for (size_t v = 0; v < x->m->var.n; v++)
        x->value[v] = x->m->var.at[v].init;
    for (size_t t = 0; t < x->m->thread.n; t++)
        x->node[t] = x->m->thread.at[t].entry;
}

static void close_room(au_wexec *x) {
    uint64_t *rel[] = {x->sb, x->rf, x->mo, x->rb, x->sync, x->line, x->hb, x->eco};
    for (size_t i = 0; i < sizeof rel / sizeof *rel; i++)
        free(rel[i]);
    free(x->event);
    free(x->writes);
    free(x->failed);
    free(x->as_writer);
    free(x->wrote);
    free(x->place);
    free(x->value);
    free(x->node);
    free(x->stopped);
}

void au_check_weak(const au_model *m, const au_weak_finding *f, au_weak_verdict *v) {
    au_wexec x = {.m = m, .f = f, .v = v, .entries = (uint32_t)f->x->at.n};
    *v = (au_weak_verdict){0};
    for (uint32_t i = 0; i < x.entries; i++)
        au_vec_push(&v->value, 0);
    open_room(&x);
    if (take_all(&x)) {
        add_events(&x);
        if (order_writes(&x)) {
            relate(&x);
            v->shown = au_wexec_allowed(&x) && shows(&x);
        }
    }
    close_room(&x);
}
