/* explore/family_turns.c: a schedule of the merged model's steps as turns of the program.
 *
 * A thread's number is when it is made: the schedule's forks count. How many hooks a thread has
 * executed is a matter of its way, and every spot of the tree knows it. What a thread
 * does on its own after its last step (a branch, private memory) has no place in a schedule: the
 * program does it when its thread runs next, and whoever had the last turn goes on
 * (wire/control.h). So where the last steps are a thread's own decisions, what others did since its
 * last hook is left out: it is not needed for them. */
#include "explore/family_priv.h"

typedef struct {
    const au_family *f;
    au_turns *out;
    uint32_t *number; /* by thread of the model; AU_NONE: not made yet */
    uint64_t *done;   /* … hooks so far */
    uint32_t *spot;   /* … where it stands */
    uint32_t next;    /* thread number */
} teller;

static void add_turn(teller *k, uint32_t thread, uint64_t until, uint32_t flags) {
    if (until <= k->done[thread])
        return;
    k->done[thread] = until;
    if (k->out->n && !flags) {
        struct au_turn *last = &au_vec_last(k->out);
        if (last->thread == k->number[thread] && !last->flags) {
            last->until = until;
            return;
        }
    }
    au_vec_push(k->out, ((struct au_turn){k->number[thread], flags, until}));
}

/* It looks at nothing but what its thread holds, and has no hook. */
static bool is_private(const au_family *f, const au_step *s) {
    const au_taken *x = &f->built.of_step[s->id];
    if (s->kind != AU_STEP_ASSERT && s->kind != AU_STEP_BRANCH && s->kind != AU_STEP_ASSUME)
        return false;
    if (x->item == AU_NONE)
        return !x->part;
    return (!x->part && !f->tree.item.at[x->item].fails && !f->tree.item.at[x->item].n_accesses);
}

/* The schedule without what others did after the last thread's last hook. */
static size_t needed(const au_family *f, const au_solution *s) {
    const au_model *m = f->built.m;
    size_t n = s->shown;
    if (!n)
        return 0;
    uint32_t who = m->step.at[s->schedule.at[n - 1]].thread;
    for (size_t i = n; i-- > 0;) {
        const au_step *p = &m->step.at[s->schedule.at[i]];
        if ((p->thread == who && !is_private(f, p)) || (p->kind == AU_STEP_FORK && p->obj == who))
            return i + 1;
    }
    return 0;
}

au_status au_family_turns(const au_family *f, const au_solution *s, au_turns *turns,
                          au_error *err) {
    const au_model *m = f->built.m;
    teller k = {.f = f, .out = turns, .next = 1};
    au_status st = AU_OK;
    k.number = au_alloc_array(m->thread.n, sizeof *k.number);
    k.done = au_alloc_array(m->thread.n, sizeof *k.done);
    k.spot = au_alloc_array(m->thread.n, sizeof *k.spot);
    memset(k.number, 0xff, m->thread.n * sizeof *k.number);
    for (uint32_t i = 0; i < m->thread.n; i++) {
        k.spot[i] = f->tree.thread.at[f->built.thread[i]].root;
        if (!m->thread.at[i].forked)
            k.number[i] = 0;
    }
    size_t n = needed(f, s);
    for (size_t i = 0; i < n && !st; i++) {
        const au_step *p = &m->step.at[s->schedule.at[i]];
        const au_taken *x = &f->built.of_step[p->id];
        if (k.number[p->thread] == AU_NONE) {
            st = au_error_set(err, AU_EINTERNAL, "a bug of augur: thread '%s' runs unmade",
                              m->thread.at[p->thread].name);
            break;
        }
        if (p->kind == AU_STEP_JOIN) /* its last events are no steps */
            add_turn(&k, p->obj, f->tree.spot.at[k.spot[p->obj]].length, 0);
        if (x->item == AU_NONE)
            continue;
        const au_item *it = &f->tree.item.at[x->item];
        bool half = (it->kind == AU_STEP_WAIT || it->kind == AU_STEP_ARRIVE) && !x->part;
        bool alone = p->kind == AU_STEP_WAKE && x->part == 2;
        uint32_t to = alone && it->timed && it->next[1] != AU_NONE ? it->next[1] : it->next[0];
        if (!half)
            k.spot[p->thread] = to;
        uint64_t until = f->tree.spot.at[to].hooks;
        if (it->kind == AU_STEP_WAIT && x->part && until == it->hooks)
            until += 2; /* nobody woke up there yet: it wakes and takes its lock */
        add_turn(&k, p->thread, half ? it->hooks : until,
                 !alone      ? 0
                 : it->timed ? AU_TURNF_TIMEOUT
                             : AU_TURNF_SPURIOUS);
        if (p->kind == AU_STEP_FORK)
            k.number[p->obj] = k.next++;
    }
    /* Where a thread was cut off in every run, it does at least what it did there. */
    uint32_t last = s->shown ? m->step.at[s->schedule.at[s->shown - 1]].thread : AU_NONE;
    const au_spot_at *at = last == AU_NONE ? NULL : &f->tree.spot.at[k.spot[last]];
    if (!st && at && at->item == AU_NONE && at->flags == AU_SPOT_CUT && k.number[last] != AU_NONE)
        add_turn(&k, last, at->length, 0);
    free(k.number);
    free(k.done);
    free(k.spot);
    return st;
}
