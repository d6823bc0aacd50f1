/* explore/family_turns.c: a schedule of the merged model's steps as turns of the program.
 *
 * A thread's number is when it is made: the schedule's forks count. How many hooks a thread has
 * executed is a matter of its way, and every spot of the tree knows it. What a thread
 * does on its own after its last step (a branch, private memory) has no place in a schedule: the
 * program does it when its thread runs next, and whoever had the last turn goes on
 * (wire/control.h). So where the last steps are a thread's own decisions, what others did since its
 * last hook is left out: it is not needed for them. */
#include "explore/family_priv.h"

void au_family_add_turn(au_family_teller *k, uint32_t thread, uint64_t until, au_turn_mark mark) {
    if (until <= k->done[thread])
        return;
    k->done[thread] = until;
    if (k->out->n && !mark) {
        au_turn *last = &au_vec_last(k->out);
        if (last->thread == k->number[thread] && !last->mark) {
            last->upto = until;
            return;
        }
    }
    au_vec_push(k->out,
                ((au_turn){.upto = until, .thread = k->number[thread], .mark = (uint16_t)mark}));
}

/* It looks at nothing but what its thread holds, and has no hook. */
static bool is_private(const au_family *f, const au_step *s) {
    const au_taken *x = &f->built.of_step[s->id];
    if (s->kind != AU_STEP_ASSERT && s->kind != AU_STEP_BRANCH && s->kind != AU_STEP_ASSUME)
        return false;
    if (x->item == AU_NONE)
        return !x->part;
    return (!x->part && !f->tree.item.at[x->item].fails &&
            !f->tree.item.at[x->item].does.n_accesses);
}

size_t au_family_needed(const au_family *f, const uint32_t *step, size_t n) {
    const au_model *m = f->built.m;
    if (!n)
        return 0;
    uint32_t who = m->step.at[step[n - 1]].thread;
    for (size_t i = n; i-- > 0;) {
        const au_step *p = &m->step.at[step[i]];
        if ((p->thread == who && !is_private(f, p)) || (p->kind == AU_STEP_FORK && p->obj == who))
            return i + 1;
    }
    return 0;
}

au_status au_family_go(au_family_teller *k, const au_step *p, au_error *err) {
    const au_family *f = k->f;
    const au_taken *x = &f->built.of_step[p->id];
    if (k->number[p->thread] == AU_NONE)
        return au_error_set(err, AU_EINTERNAL, "a bug of augur: thread '%s' runs unmade",
                            f->built.m->thread.at[p->thread].name);
    if (p->kind == AU_STEP_JOIN) /* its last events are no steps */
        au_family_add_turn(k, p->obj, f->tree.spot.at[k->spot[p->obj]].length, AU_MARK_NONE);
    if (x->item == AU_NONE)
        return AU_OK;
    const au_item *it = &f->tree.item.at[x->item];
    bool half = (it->does.kind == AU_STEP_WAIT || it->does.kind == AU_STEP_ARRIVE) && !x->part;
    bool alone = p->kind == AU_STEP_WAKE && x->part == 2;
    uint32_t to = alone && it->timed && it->next[1] != AU_NONE ? it->next[1] : it->next[0];
    if (!half)
        k->spot[p->thread] = to;
    uint64_t until = f->tree.spot.at[to].hooks;
    if (it->does.kind == AU_STEP_WAIT && x->part && until == it->hooks)
        until += 2; /* nobody woke up there yet: it wakes and takes its lock */
    au_turn_mark how = !alone ? AU_MARK_NONE : it->timed ? AU_MARK_TIMEOUT : AU_MARK_SPURIOUS;
    au_family_add_turn(k, p->thread, half ? it->hooks : until, how);
    if (p->kind == AU_STEP_FORK)
        k->number[p->obj] = k->next++;
    return AU_OK;
}

void au_family_teller_init(au_family_teller *k, const au_family *f, au_turns *turns) {
    const au_model *m = f->built.m;
    *k = (au_family_teller){.f = f, .out = turns, .next = 1};
    k->number = au_alloc_array(m->thread.n, sizeof *k->number);
    k->done = au_alloc_array(m->thread.n, sizeof *k->done);
    k->spot = au_alloc_array(m->thread.n, sizeof *k->spot);
    memset(k->number, 0xff, m->thread.n * sizeof *k->number);
    for (uint32_t i = 0; i < m->thread.n; i++) {
        k->spot[i] = f->tree.thread.at[f->built.thread[i]].root;
        if (!m->thread.at[i].forked)
            k->number[i] = 0;
    }
}

void au_family_teller_release(au_family_teller *k) {
    free(k->number);
    free(k->done);
    free(k->spot);
}

au_status au_family_turns(const au_family *f, const au_solution *s, bool beyond, au_turns *turns,
                          au_error *err) {
    const au_model *m = f->built.m;
    au_family_teller k;
    au_family_teller_init(&k, f, turns);
    au_status st = AU_OK;
    size_t n = au_family_needed(f, s->schedule.at, s->shown);
    for (size_t i = 0; i < n && !st; i++)
        st = au_family_go(&k, &m->step.at[s->schedule.at[i]], err);
    /* Where a thread was cut off in every run, it does at least what it did there. */
    uint32_t last = s->shown ? m->step.at[s->schedule.at[s->shown - 1]].thread : AU_NONE;
    const au_spot_at *at = last == AU_NONE ? NULL : &f->tree.spot.at[k.spot[last]];
    if (beyond && !st && at && at->item == AU_NONE && at->flags == AU_SPOT_CUT &&
        k.number[last] != AU_NONE)
        au_family_add_turn(&k, last, at->length, AU_MARK_NONE);
    au_family_teller_release(&k);
    return st;
}
