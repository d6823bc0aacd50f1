/* confirm/turns.c: the turns in which a case is executed. */
#include "confirm/judge.h"

#include "report/schedule.h"

#include <string.h>

static au_status thread_of(const char *name, uint32_t *number, au_error *err) {
    if (au_schedule_thread(name, number))
        return AU_OK;
    return au_error_set(err, AU_EUNSUPPORTED, "'%s' is not a thread of a recorded program", name);
}

au_status au_case_turns(const au_case *c, au_turns *turns, au_error *err) {
    *turns = (au_turns){0};
    uint32_t *number = au_alloc_array(c->thread.n + 1, sizeof *number), ignored;
    au_status st = AU_OK;
    if (!c->schedule.n || (au_case_is_finding(c) && !c->event.n))
        st = au_case_has_no_schedule(c, err);
    for (size_t i = 0; i < c->thread.n && st == AU_OK; i++)
        st = thread_of(c->thread.at[i], &number[i], err);
    for (size_t i = 0; i < c->event.n && st == AU_OK; i++)
        st = thread_of(c->event.at[i].thread, &ignored, err);
    for (size_t i = 0; i < c->schedule.n && st == AU_OK; i++) {
        au_vec_push(turns, c->schedule.at[i]);
        au_vec_last(turns).thread = number[c->schedule.at[i].thread];
    }
    free(number);
    return st;
}

static uint64_t reached(const au_turns *turns, uint32_t thread) {
    uint64_t most = 0;
    for (size_t i = 0; i < turns->n; i++)
        if (turns->at[i].thread == thread && turns->at[i].upto > most)
            most = turns->at[i].upto;
    return most;
}

void au_turns_complete(au_turns *turns, const au_case *c) {
    bool reached_it = !strcmp(c->what, "reached"), fails = c->kind == AU_KIND_ASSERTION;
    uint32_t thread;
    if (fails && !reached_it && turns->n && au_schedule_thread(c->event.at[0].thread, &thread) &&
        au_vec_last(turns).thread == thread)
        au_vec_last(turns).upto += 2; /* the call that reports it, and that it failed */
    if (c->kind == AU_KIND_DEADLOCK || c->kind == AU_KIND_OUTPUT || (fails && !reached_it))
        return;
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        if (au_schedule_thread(e->thread, &thread) && reached(turns, thread) < e->index)
            au_vec_push(turns, ((au_turn){.upto = e->until > e->index ? e->until : e->index,
                                          .thread = thread}));
    }
}

au_status au_case_whole_turns(const au_case *c, au_turns *turns, au_error *err) {
    au_status st = au_case_turns(c, turns, err);
    if (st == AU_OK)
        au_turns_complete(turns, c);
    return st;
}

void au_turns_stop_before(au_turns *turns, const au_case *c) {
    const au_case_event *e = c->event.n ? &au_vec_last(&c->event) : NULL;
    uint32_t thread;
    if (!e || !au_schedule_thread(e->thread, &thread))
        return;
    if (turns->n > c->schedule.n)
        turns->n = c->schedule.n; /* a race stands before both of its accesses */
    for (size_t i = 0; i < turns->n; i++) {
        au_turn *t = &turns->at[i];
        if (t->thread != thread || t->upto < e->index)
            continue;
        t->upto = e->index - 1;
        /* Nothing is left of the turn? */
        turns->n = i;
        if (reached(turns, thread) < e->index - 1)
            turns->n = i + 1;
        return;
    }
}
