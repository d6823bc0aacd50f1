/* funnel/weak_remedy.c: see weak_remedy.h. The checker of executions is asked again, of the model with other
 * orders. */
#include "funnel/weak_remedy.h"

#include "base/out.h"

#include <string.h>

enum { MOST_ENTRIES = 64, MOST_STEPS = 16 };

typedef struct {
    const au_model *of;
    const au_weak_finding *f;
    au_model m; /* of, but for its steps' orders */
    uint32_t step[MOST_STEPS];
    uint32_t n;
} trial;

static bool reads(const au_step *s) {
    return s->n_accesses && !s->access[0].write;
}

static bool writes(const au_step *s) {
    return s->n_accesses && s->access[s->n_accesses - 1].write;
}

/* Release, acquire or both; then seq_cst, which an access says by no order. */
static uint8_t stronger(const au_step *s, bool sc) {
    return sc ? AU_MO_NONE : !reads(s) ? AU_MO_REL : writes(s) ? AU_MO_ACQ_REL : AU_MO_ACQ;
}

/* Atomic accesses of the execution that are not seq_cst, each step once; false: too many. */
static bool find_steps(trial *t) {
    const au_execution *x = t->f->x;
    for (size_t i = 0; i < x->at.n; i++) {
        uint32_t id = x->at.at[i].step;
        const au_step *s = &t->of->step.at[id];
        bool known = !s->n_accesses || !au_step_is_atomic(s) || s->order == AU_MO_NONE;
        for (uint32_t k = 0; k < t->n; k++)
            known |= t->step[k] == id;
        if (known)
            continue;
        if (t->n == MOST_STEPS)
            return false;
        t->step[t->n++] = id;
    }
    return true;
}

static void set(trial *t, uint32_t which, bool sc) {
    au_step *s = &t->m.step.at[t->step[which]];
    s->order = stronger(s, sc);
}

static void reset(trial *t) {
    for (uint32_t i = 0; i < t->n; i++)
        t->m.step.at[t->step[i]].order = t->of->step.at[t->step[i]].order;
}

static bool is_forbidden(const trial *t) {
    au_weak_verdict v;
    au_check_weak(&t->m, t->f, &v);
    bool shown = v.shown;
    au_weak_verdict_release(&v);
    return !shown;
}

/* What the orders are now, where they are not those of the model. */
static const char *tell(const trial *t, au_arena *arena) {
    au_out *o = au_out_memory();
    bool first = true;
    for (uint32_t i = 0; i < t->n; i++) {
        const au_step *was = &t->of->step.at[t->step[i]], *is = &t->m.step.at[t->step[i]];
        if (was->order == is->order)
            continue;
        const char *label = au_step_label(t->of, was);
        au_out_str(o, first ? "" : ", and ");
        if (*label)
            au_out_printf(o, "%.40s of %.40s (", label, t->of->thread.at[was->thread].name);
        else
            au_out_printf(o, "the access of %.40s (", t->of->thread.at[was->thread].name);
        au_out_printf(
            o, "%.200s:%u) is %s, not %s",
            was->loc == AU_NONE ? t->of->file : au_intern_str(&t->of->strings, was->loc), was->line,
            is->order == AU_MO_NONE ? "sc" : au_memory_order_name((au_memory_order)is->order),
            au_memory_order_name((au_memory_order)was->order));
        first = false;
    }
    size_t n;
    const char *text = au_out_memory_data(o, &n);
    text = first ? NULL : au_arena_strndup(arena, text, n);
    au_out_abandon(o);
    return text;
}

/* One access, or two (b == a: one). */
static bool try(trial *t, uint32_t a, uint32_t b, bool sc) {
    reset(t);
    set(t, a, sc);
    set(t, b, sc);
    return is_forbidden(t);
}

static bool find(trial *t) {
    for (int sc = 0; sc < 2; sc++) {
        for (uint32_t a = 0; a < t->n; a++)
            if (try(t, a, a, sc))
                return true;
        for (uint32_t a = 0; a < t->n; a++)
            for (uint32_t b = a + 1; b < t->n; b++)
                if (try(t, a, b, sc))
                    return true;
    }
    for (uint32_t a = 0; a < t->n; a++)
        set(t, a, true);
    return t->n && is_forbidden(t);
}

const char *au_weak_remedy(const au_model *m, const au_weak_finding *f, au_arena *arena) {
    trial t = {.of = m, .f = f, .m = *m};
    const char *text = NULL;
    if (f->memory != AU_MEMORY_RC11 || f->x->at.n > MOST_ENTRIES || !find_steps(&t))
        return NULL;
    memset(&t.m.step, 0, sizeof t.m.step);
    au_vec_append(&t.m.step, m->step.at, m->step.n);
    if (find(&t))
        text = tell(&t, arena);
    au_vec_release(&t.m.step);
    return text;
}
