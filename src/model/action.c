/* model/action.c: see action.h. */
#include "model/action.h"

#include "base/bits.h"
#include "model/sync.h"

/* ---- names ---------------------------------------------------------------------------------- */

static au_term rename_var(void *ctx, uint32_t v, unsigned width) {
    const au_renaming *r = ctx;
    AU_BUG_IF(r->var[v] == AU_NONE);
    return au_term_of_var(r->to, r->var[v], width);
}

au_term au_rename_term(const au_renaming *r, au_term x) {
    return au_term_translate(r->to, r->from, x, rename_var, (void *)(uintptr_t)r, r->memo);
}

static uint32_t rename_number(const uint32_t *number, uint32_t n) {
    return n == AU_NONE ? AU_NONE : number[n];
}

/* Without its terms, updates and accesses. */
static au_action rename_kind(const au_renaming *r, const au_action *a) {
    au_action to = *a;
    bool of_thread = a->kind == AU_STEP_FORK || a->kind == AU_STEP_JOIN;
    to.havoc = rename_number(r->var, a->havoc);
    to.obj = rename_number(of_thread ? r->thread : r->obj, a->obj);
    to.obj2 = rename_number(r->obj, a->obj2);
    to.guard = to.cond = au_term_bool(r->to, true);
    to.update = NULL;
    to.access = NULL;
    to.n_updates = to.n_accesses = 0;
    return to;
}

/* done: a variable whose update is left out, AU_NONE. */
static au_action rename(const au_renaming *r, const au_action *a, uint32_t done) {
    au_action to = rename_kind(r, a);
    if (au_action_is_sync(a))
        return to;
    to.guard = au_rename_term(r, a->guard);
    to.cond = au_rename_term(r, a->cond);
    to.update = AU_ARENA_ARRAY(r->arena, au_update, a->n_updates);
    to.access = AU_ARENA_ARRAY(r->arena, au_access, a->n_accesses);
    for (uint32_t i = 0; i < a->n_updates; i++)
        if (a->update[i].var != done)
            to.update[to.n_updates++] =
                (au_update){r->var[a->update[i].var], au_rename_term(r, a->update[i].value)};
    for (uint32_t i = 0; i < a->n_accesses; i++)
        to.access[to.n_accesses++] = (au_access){r->var[a->access[i].var], a->access[i].write};
    return to;
}

static au_action of_step(const au_step *s) {
    return (au_action){.kind = s->kind,
                       .guard = s->guard,
                       .cond = s->cond,
                       .update = s->update,
                       .access = s->access,
                       .n_updates = s->n_updates,
                       .n_accesses = s->n_accesses,
                       .order = s->order,
                       .blocking = s->blocking,
                       .indivisible = s->indivisible,
                       .plain = s->plain,
                       .havoc = s->havoc,
                       .obj = s->obj,
                       .obj2 = s->obj2,
                       .timed = s->timed,
                       .block = s->block};
}

au_action au_action_read(const au_renaming *r, const au_model *m, const au_step *s) {
    au_action a = of_step(s);
    return rename(r, &a, m->thread.at[s->thread].done);
}

au_action au_action_read_kind(const au_renaming *r, const au_step *s) {
    au_action a = of_step(s);
    return rename_kind(r, &a);
}

au_action au_action_rename(const au_renaming *r, const au_action *a) {
    return rename(r, a, AU_NONE);
}

au_status au_same_variable(const au_var_info *here, const au_var_info *before, const char *run,
                           const char *other, au_error *err) {
    if (before->width != here->width)
        return au_error_set(err, AU_EUNSUPPORTED, "'%s' has %u bits in '%s' and %u in %s%s%s",
                            here->name, here->width, run, before->width, other ? "'" : "",
                            other ? other : "an earlier run", other ? "'" : "");
    if (before->init != here->init)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' begins with %lld in '%s' and with %lld in an earlier run",
                            here->name, (long long)au_signed(here->init, here->width), run,
                            (long long)au_signed(before->init, here->width));
    return AU_OK;
}

au_status au_other_object(const char *name, const char *run, au_error *err) {
    return au_error_set(err, AU_EUNSUPPORTED,
                        "'%s' is another kind of object, or begins with another count, in "
                        "'%s' than in an earlier run",
                        name, run);
}

/* ---- comparing ------------------------------------------------------------------------------- */

bool au_action_alike(const au_action *a, const au_action *b) {
    if (a->kind != b->kind || a->order != b->order || a->blocking != b->blocking ||
        a->indivisible != b->indivisible || (a->indivisible && a->plain != b->plain) ||
        a->havoc != b->havoc || a->obj != b->obj || a->obj2 != b->obj2 || a->timed != b->timed ||
        !au_term_same(a->cond, b->cond) || a->n_updates != b->n_updates ||
        a->n_accesses != b->n_accesses || (a->block == AU_NONE) != (b->block == AU_NONE))
        return false;
    for (uint32_t i = 0; i < a->n_updates; i++)
        if (a->update[i].var != b->update[i].var ||
            !au_term_same(a->update[i].value, b->update[i].value))
            return false;
    for (uint32_t i = 0; i < a->n_accesses; i++)
        if (a->access[i].var != b->access[i].var || a->access[i].write != b->access[i].write)
            return false;
    return true;
}

/* ---- building ---------------------------------------------------------------------------------- */

static void build_plain(au_model *m, uint32_t thread, uint32_t src, uint32_t dst,
                        const au_action *a) {
    au_step *s = au_model_add_step(m, thread, src, dst, a->kind);
    s->guard = a->guard;
    s->cond = a->cond;
    s->order = a->order;
    s->blocking = a->blocking;
    s->indivisible = a->indivisible;
    s->plain = a->plain;
    s->havoc = a->havoc;
    for (uint32_t i = 0; i < a->n_updates; i++)
        au_step_add_update(m, s, a->update[i].var, a->update[i].value);
    for (uint32_t i = 0; i < a->n_accesses; i++)
        au_step_add_access(m, s, a->access[i].var, a->access[i].write);
}

static void build_sync(au_model *m, uint32_t thread, uint32_t src, uint32_t dst,
                       const au_action *a) {
    uint32_t first = (uint32_t)m->step.n;
    switch (a->kind) {
    case AU_STEP_ACQ:
        au_sync_acq(m, thread, src, dst, a->obj);
        break;
    case AU_STEP_REL:
        au_sync_rel(m, thread, src, dst, a->obj);
        break;
    case AU_STEP_RDACQ:
        au_sync_rdacq(m, thread, src, dst, a->obj);
        break;
    case AU_STEP_WRACQ:
        au_sync_wracq(m, thread, src, dst, a->obj);
        break;
    case AU_STEP_WAIT:
        au_sync_timed(m, au_sync_wait(m, thread, src, dst, a->obj, a->obj2), a->timed);
        break;
    case AU_STEP_SIGNAL:
    case AU_STEP_BROADCAST:
        au_sync_signal(m, thread, src, dst, a->obj, a->kind == AU_STEP_BROADCAST);
        break;
    case AU_STEP_ARRIVE:
        au_sync_arrive(m, thread, src, dst, a->obj);
        break;
    case AU_STEP_FORK:
        au_sync_fork(m, thread, src, dst, a->obj);
        break;
    case AU_STEP_JOIN:
        au_sync_join(m, thread, src, dst, a->obj);
        break;
    default:
        AU_BUG_IF(true);
    }
    if (m->step.at[first].blocking && !a->blocking)
        au_sync_try(m, first);
}

void au_action_build(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, const au_action *a) {
    if (au_action_is_sync(a))
        build_sync(m, thread, src, dst, a);
    else
        build_plain(m, thread, src, dst, a);
}
