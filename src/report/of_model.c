#include "report/of_model.h"

#include "base/error.h"

#include <stdio.h>

static uint32_t step_loc(au_model_view *v, const au_step *s) {
    char buf[1024];
    if (!s->line)
        return AU_NONE;
    const char *file = s->loc == AU_NONE ? v->m->file : au_intern_str(&v->m->strings, s->loc);
    int n = snprintf(buf, sizeof buf, "%.1000s:%u", file, s->line);
    return AU_LOC_NAMED + au_intern_add(&v->names.loc, buf, (size_t)n);
}

void au_model_view_init(au_model_view *v, const au_model *m) {
    *v = (au_model_view){.m = m};
    AU_BUG_IF(m->thread.n > AU_MAX_THREADS);
    au_names_init(&v->names);
    for (size_t i = 0; i < m->thread.n; i++)
        au_intern_add(&v->names.thread, m->thread.at[i].name, strlen(m->thread.at[i].name));
    for (size_t i = 0; i < m->obj.n; i++) {
        au_intern_add(&v->names.lock, m->obj.at[i].name, strlen(m->obj.at[i].name));
        v->locks += m->obj.at[i].kind <= AU_OBJ_RWLOCK;
    }
    v->var = au_alloc_array(m->var.n + 1, sizeof *v->var);
    for (size_t i = 0; i < m->var.n; i++) {
        v->var[i] = AU_NONE;
        if (m->var.at[i].kind == AU_VAR_SHARED) {
            v->var[i] = au_intern_add(&v->names.var, m->var.at[i].name, strlen(m->var.at[i].name));
            v->vars++;
        }
    }
    v->number = au_alloc_array(m->step.n + 1, sizeof *v->number);
    for (size_t i = 0; i < m->step.n; i++) {
        v->number[i] = AU_NONE64;
        au_vec_push(&v->loc, step_loc(v, &m->step.at[i]));
    }
    for (size_t i = 0; i < m->observed.n; i++)
        v->number[m->observed.at[i]] = i;
}

void au_model_view_release(au_model_view *v) {
    au_names_release(&v->names);
    au_vec_release(&v->loc);
    free(v->var);
    free(v->number);
}

/* By what it does with the variable. */
static au_op access_op(const au_step *s, uint32_t var) {
    bool reads = false, writes = false;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == var) {
            reads |= !s->access[i].write;
            writes |= s->access[i].write;
        }
    if (reads && writes)
        return AU_OP_RMW;
    if (s->indivisible)
        return writes ? AU_OP_AWRITE : AU_OP_AREAD;
    return writes ? AU_OP_WRITE : AU_OP_READ;
}

static au_op sync_op(const au_model *m, const au_step *s) {
    static const au_op op[AU_STEP_KINDS] = {
        [AU_STEP_ACQ] = AU_OP_ACQ,       [AU_STEP_REL] = AU_OP_REL,
        [AU_STEP_RDACQ] = AU_OP_RDACQ,   [AU_STEP_WRACQ] = AU_OP_WRACQ,
        [AU_STEP_WAIT] = AU_OP_WAIT,     [AU_STEP_WAKE] = AU_OP_WAKE,
        [AU_STEP_SIGNAL] = AU_OP_SIGNAL, [AU_STEP_BROADCAST] = AU_OP_BROADCAST,
        [AU_STEP_ARRIVE] = AU_OP_ARRIVE, [AU_STEP_LEAVE] = AU_OP_LEAVE,
        [AU_STEP_FORK] = AU_OP_FORK,     [AU_STEP_JOIN] = AU_OP_JOIN,
    };
    bool sem = s->kind <= AU_STEP_REL && m->obj.at[s->obj].kind == AU_OBJ_SEM;
    return sem ? (s->kind == AU_STEP_ACQ ? AU_OP_DOWN : AU_OP_UP) : op[s->kind];
}

void au_model_view_event(const au_model_view *v, uint32_t step, uint64_t index, uint32_t var,
                         au_event_ref *e, au_event_text *t) {
    const au_step *s = &v->m->step.at[step];
    *e = (au_event_ref){.number = v->number[step],
                        .index = index,
                        .obj = AU_NONE,
                        .loc = v->loc.at[step],
                        .thread = (uint16_t)s->thread,
                        .op = AU_OP_FENCE};
    *t = (au_event_text){.label = au_step_label(v->m, s), .op = ""};
    if (s->kind >= AU_STEP_ACQ) {
        e->op = sync_op(v->m, s);
        e->obj = s->obj;
        return;
    }
    if (s->kind == AU_STEP_ASSERT || !s->n_accesses)
        t->op = au_step_kind_name(s->kind);
    if (var == AU_NONE && s->n_accesses)
        var = s->access[0].var;
    if (var != AU_NONE) {
        e->op = access_op(s, var);
        e->obj = v->var[var];
    }
}

int64_t au_model_view_value(const au_model *m, uint32_t var, uint64_t value) {
    unsigned spare = 64 - m->var.at[var].width;
    if (spare == 63)
        return (int64_t)value; /* a bit is 0 or 1 */
    return (int64_t)(value << spare) >> spare;
}
