/* model/model.c: building a program model. Its invariants are in check.c. */
#include "model/model.h"

#include "base/bits.h"
#include "base/error.h"

au_model *au_model_new(const char *file) {
    au_model *m = AU_NEW(au_model);
    au_arena_init(&m->arena);
    au_intern_init(&m->strings);
    m->terms = au_terms_new();
    m->file = au_arena_strndup(&m->arena, file, strlen(file));
    return m;
}

void au_model_free(au_model *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->thread.n; i++) {
        au_thread *t = &m->thread.at[i];
        for (size_t k = 0; k < t->node.n; k++)
            au_vec_release(&t->node.at[k].out);
        au_vec_release(&t->node);
    }
    for (size_t i = 0; i < m->obj.n; i++)
        au_vec_release(&m->obj.at[i].per);
    au_vec_release(&m->var);
    au_vec_release(&m->obj);
    au_vec_release(&m->thread);
    au_vec_release(&m->step);
    au_vec_release(&m->observed);
    au_vec_release(&m->call);
    au_terms_free(m->terms);
    au_intern_release(&m->strings);
    au_arena_release(&m->arena);
    free(m);
}

uint32_t au_model_add_var(au_model *m, const char *name, au_var_kind kind, unsigned width,
                          uint64_t init, uint32_t thread) {
    AU_BUG_IF(width < 1 || width > 64 || m->var.n >= AU_NONE);
    init = au_low_bits(init, width);
    au_var_info v = {au_arena_strndup(&m->arena, name, strlen(name)), kind, (uint8_t)width, thread,
                     init};
    au_vec_push(&m->var, v);
    return (uint32_t)m->var.n - 1;
}

uint32_t au_model_add_thread(au_model *m, const char *name) {
    au_thread t = {.name = au_arena_strndup(&m->arena, name, strlen(name)),
                   .exit = AU_NONE,
                   .started = AU_NONE,
                   .done = AU_NONE};
    AU_BUG_IF(m->thread.n >= AU_NONE - 1);
    au_vec_push(&m->thread, t);
    uint32_t id = (uint32_t)m->thread.n - 1;
    m->thread.at[id].entry = au_model_add_node(m, id);
    return id;
}

uint32_t au_model_add_node(au_model *m, uint32_t thread) {
    au_thread *t = &m->thread.at[thread];
    AU_BUG_IF(thread >= m->thread.n || t->node.n >= AU_NONE);
    au_node n = {.kind = AU_NODE_PLAIN, .merge = AU_NONE};
    au_vec_push(&t->node, n);
    return (uint32_t)t->node.n - 1;
}

au_step *au_model_add_step(au_model *m, uint32_t thread, uint32_t src, uint32_t dst,
                           au_step_kind kind) {
    AU_BUG_IF(thread >= m->thread.n || m->step.n >= AU_NONE);
    au_thread *t = &m->thread.at[thread];
    AU_BUG_IF(src >= t->node.n || dst >= t->node.n);
    uint32_t id = (uint32_t)m->step.n;
    au_step s = {.id = id,
                 .thread = thread,
                 .src = src,
                 .dst = dst,
                 .kind = kind,
                 .guard = au_term_bool(m->terms, true),
                 .cond = au_term_bool(m->terms, true),
                 .havoc = AU_NONE,
                 .obj = AU_NONE,
                 .obj2 = AU_NONE,
                 .choice = AU_NONE,
                 .block = AU_NONE,
                 .label = AU_NONE,
                 .loc = AU_NONE};
    au_vec_push(&m->step, s);
    au_vec_push(&t->node.at[src].out, id);
    return &au_vec_last(&m->step);
}

/* Room for one more of n: the arrays double whenever n is a power of two, the old
 * ones stay in the arena (they are at most as large together). */
#define GROW(m, array, n)                                                                          \
    do {                                                                                           \
        if (((n) & ((n)-1)) == 0) {                                                                \
            void *more_ = au_arena_alloc(&(m)->arena, ((n) ? (n)*2 : 1) * sizeof *(array));        \
            if (n)                                                                                 \
                memcpy(more_, (array), (n) * sizeof *(array));                                     \
            (array) = more_;                                                                       \
        }                                                                                          \
    } while (0)

void au_step_add_update(au_model *m, au_step *s, uint32_t var, au_term value) {
    AU_BUG_IF(var >= m->var.n || au_term_width(m->terms, value) != m->var.at[var].width);
    GROW(m, s->update, (size_t)s->n_updates);
    s->update[s->n_updates++] = (au_update){var, value};
}

void au_step_add_access(au_model *m, au_step *s, uint32_t var, bool write) {
    AU_BUG_IF(var >= m->var.n);
    GROW(m, s->access, (size_t)s->n_accesses);
    s->access[s->n_accesses++] = (au_access){var, write};
}

au_term au_model_var_term(au_model *m, uint32_t var) {
    AU_BUG_IF(var >= m->var.n);
    return au_term_of_var(m->terms, var, m->var.at[var].width);
}

const char *au_step_label(const au_model *m, const au_step *s) {
    return s->label == AU_NONE ? "" : au_intern_str(&m->strings, s->label);
}

const char *au_step_kind_name(au_step_kind k) {
    static const char *const name[AU_STEP_KINDS] = {
        [AU_STEP_ASSIGN] = "assign", [AU_STEP_ASSUME] = "assume",
        [AU_STEP_ASSERT] = "assert", [AU_STEP_BRANCH] = "branch",
        [AU_STEP_NOP] = "nop",       [AU_STEP_HAVOC] = "havoc",
        [AU_STEP_ACQ] = "acq",       [AU_STEP_REL] = "rel",
        [AU_STEP_RDACQ] = "rdacq",   [AU_STEP_WRACQ] = "wracq",
        [AU_STEP_WAIT] = "wait",     [AU_STEP_WAKE] = "wake",
        [AU_STEP_SIGNAL] = "signal", [AU_STEP_BROADCAST] = "broadcast",
        [AU_STEP_ARRIVE] = "arrive", [AU_STEP_LEAVE] = "leave",
        [AU_STEP_FORK] = "fork",     [AU_STEP_JOIN] = "join",
    };
    return name[k];
}

const char *au_obj_kind_name(au_obj_kind k) {
    static const char *const name[] = {
        [AU_OBJ_LOCK] = "lock", [AU_OBJ_RLOCK] = "rlock", [AU_OBJ_RWLOCK] = "rwlock",
        [AU_OBJ_SEM] = "sem",   [AU_OBJ_COND] = "cond",   [AU_OBJ_BARRIER] = "barrier",
    };
    return name[k];
}

const char *au_memory_order_name(au_memory_order o) {
    static const char *const name[AU_MO_COUNT] = {"", "rlx", "acq", "rel", "acq_rel", "sc"};
    return name[o];
}

bool au_model_is_weak(const au_model *m) {
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].order != AU_MO_NONE && m->step.at[i].n_accesses)
            return true;
    return false;
}

void au_step_copy_marks(au_step *n, const au_step *s) {
    n->order = s->order;
    n->blocking = s->blocking;
    n->indivisible = s->indivisible;
    n->plain = s->plain;
    n->spurious = s->spurious;
    n->timed = s->timed;
    n->havoc = s->havoc;
    n->obj = s->obj;
    n->obj2 = s->obj2;
    n->choice = s->choice;
    n->block = s->block;
    n->line = s->line;
    n->col = s->col;
}

struct look {
    const au_model *m;
    bool at_sync;
};

static void look_at(void *ctx, uint32_t var) {
    struct look *x = ctx;
    x->at_sync |= x->m->var.at[var].kind == AU_VAR_SYNC;
}

bool au_model_looks_at_locks(const au_model *m) {
    struct look x = {m, false};
    for (size_t i = 0; i < m->step.n && !x.at_sync; i++) {
        const au_step *s = &m->step.at[i];
        if (s->kind >= AU_STEP_ACQ)
            continue;
        au_term_each_var(m->terms, s->guard, look_at, &x);
        au_term_each_var(m->terms, s->cond, look_at, &x);
        for (uint32_t k = 0; k < s->n_updates; k++)
            if (m->var.at[s->update[k].var].kind != AU_VAR_SYNC)
                au_term_each_var(m->terms, s->update[k].value, look_at, &x);
    }
    return x.at_sync;
}
