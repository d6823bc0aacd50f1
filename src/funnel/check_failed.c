/* funnel/check_failed.c: what the recorded run itself did wrong. A prediction is about other orders; a
 * failed assertion or a deadlock of the run needs none: the run is the schedule. */
#include "base/limits.h"
#include "confirm/judge.h"
#include "funnel/stages_priv.h"
#include "record/replay.h"
#include "retrace/stacks.h"
#include "trace/recording.h"
#include "witness/check.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The whole run in turns of events; n == 0: too many. */
static au_schedule whole_run(const au_trace *t, au_arena *arena) {
    size_t n = 0;
    for (size_t e = 0; e < t->events.n; e++)
        n += !e || t->events.thread[e] != t->events.thread[e - 1];
    au_schedule s = {n <= AU_LIMIT_RUN_TURNS ? AU_ARENA_ARRAY(arena, au_turn, n + 1) : NULL, 0};
    uint64_t *done = au_alloc_array(t->names.thread.n, sizeof *done);
    for (size_t e = 0; e < t->events.n && s.turn; e++) {
        uint16_t who = t->events.thread[e];
        if (!s.n || s.turn[s.n - 1].thread != who)
            s.turn[s.n++].thread = who;
        s.turn[s.n - 1].upto = ++done[who];
    }
    free(done);
    return s;
}

/* The run's own turns, in hook counts: what is no event of the trace (the time that a thread asks for, a wake-up) keeps its
 * place, too. False: they cannot be read, or are too many. */
static bool own_turns(const char *path, const au_trace *t, au_arena *arena, au_schedule *s) {
    au_error ignored = AU_ERROR_NONE;
    au_walk *w = path ? au_walk_open(path, NULL, NULL, &ignored) : NULL;
    if (!w)
        return false;
    au_walk_ends(w);
    au_turns turns = {0};
    au_stream_record x = {.tag = AU_TAG_END};
    bool good = true;
    while (good && au_walk_next(w, &x, &ignored) == AU_OK && x.tag != AU_TAG_PAD) {
        if (x.tag != AU_TAG_EV)
            continue;
        if (!turns.n || au_vec_last(&turns).thread != x.thread)
            au_vec_push(&turns, ((au_turn){.thread = x.thread}));
        au_vec_last(&turns).upto = x.index;
        good = turns.n <= AU_LIMIT_RUN_TURNS && x.thread < t->names.thread.n;
    }
    good = good && x.tag == AU_TAG_PAD && turns.n;
    if (good) {
        *s = (au_schedule){AU_ARENA_ARRAY(arena, au_turn, turns.n), (uint32_t)turns.n};
        memcpy(s->turn, turns.at, turns.n * sizeof *turns.at);
    }
    au_vec_release(&turns);
    au_walk_free(w);
    return good;
}

static au_event_ref last_event(const au_trace *t, uint32_t thread) {
    au_event_ref e = {
        .number = AU_NONE64, .thread = (uint16_t)thread, .obj = AU_NONE, .loc = AU_NONE};
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.thread[i] == thread)
            e = (au_event_ref){.number = i,
                               .index = e.index + 1,
                               .obj = t->events.obj[i],
                               .loc = t->events.loc[i],
                               .thread = (uint16_t)thread,
                               .op = t->events.op[i]};
    return e;
}

/* Every thread got as far as it got: what no analysis asked for counts, too. */
static void to_the_end(au_finding *f, const au_recording_facts *facts) {
    for (uint32_t i = f->schedule.n; i-- > 0;) {
        au_turn *t = &f->schedule.turn[i];
        bool last = true;
        for (uint32_t j = i + 1; j < f->schedule.n; j++)
            last &= f->schedule.turn[j].thread != t->thread;
        if (last && t->thread < facts->thread.n && facts->thread.at[t->thread].hooks > t->upto)
            t->upto = facts->thread.at[t->thread].hooks;
    }
}

static au_finding *add(au_check_run *r, au_kind kind, const au_event_ref *event, uint32_t n) {
    const au_trace *t = r->trace;
    au_check_outcome *c = &r->outcome;
    au_finding *f = au_findings_add(&c->findings, kind, n);
    memcpy(f->event, event, n * sizeof *event);
    f->standing = AU_IS_PROVED;
    au_finding_because(f, AU_WHY_RECORDED);
    f->schedule = whole_run(t, &c->findings.arena);
    if (t->events.n && !f->schedule.n)
        au_finding_because(f, AU_WHY_RUN_LONG);
    if (t->hooks.thread.n)
        au_hooks_tell(&t->hooks, f, &c->findings.arena);
    own_turns(r->path, t, &c->findings.arena, &f->schedule);
    to_the_end(f, r->facts);
    c->looked_for[kind] = true;
    return f;
}

/* "bank.c:12", where the thread stood; "": not known. */
static const char *stood_at(const au_stack *s, au_arena *arena) {
    char text[4200];
    if (!s || !s->frame.n || !*au_vec_last(&s->frame).file || !au_vec_last(&s->frame).line)
        return "";
    int n = snprintf(text, sizeof text, "%.4096s:%u", au_vec_last(&s->frame).file,
                     au_vec_last(&s->frame).line);
    return au_arena_strndup(arena, text, (size_t)n);
}

static const au_stack *stack_of(const au_stacks *s, uint32_t thread) {
    for (size_t i = 0; s && i < s->thread.n; i++)
        if (s->thread.at[i].thread == thread)
            return &s->thread.at[i];
    return NULL;
}

/* An assertion that was predicted to fail where the run itself failed one is the same bug: it goes, and what it
 * says was checked stays. NULL: nothing said so. */
static const char *drop_predicted(au_check_outcome *c, const char *place) {
    size_t kept = 0;
    const char *what = NULL;
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        const au_finding *f = &c->findings.finding.at[i];
        bool same = f->kind == AU_KIND_ASSERTION && f->text && !strcmp(f->text[0].op, "assert") &&
                    !strcmp(f->text[0].place, place);
        if (!same)
            c->findings.finding.at[kept++] = *f;
        else if (!what)
            what = f->detail;
    }
    c->findings.finding.n = kept;
    return what;
}

/* "assertion 'x > 3' fails with …" -> "an assertion failed in the recorded run itself: 'x > 3'" */
static const char *failed_text(const char *predicted, au_arena *arena) {
    static const char plain[] = "an assertion failed in the recorded run itself",
                      head[] = "assertion '";
    const char *end = predicted ? strstr(predicted, "' fails") : NULL;
    if (!end || strncmp(predicted, head, sizeof head - 1) != 0)
        return plain;
    const char *at = predicted + sizeof head - 2;
    char *text = au_sprintf("%s: %.*s'", plain, (int)(end - at), at);
    const char *copy = au_arena_strndup(arena, text, strlen(text));
    free(text);
    return copy;
}

static void tell_assertion(au_check_run *r, const au_stacks *stacks, bool all, size_t *before) {
    const au_trace *t = r->trace;
    au_check_outcome *c = &r->outcome;
    uint32_t thread = t->events.n ? t->events.thread[t->events.n - 1] : 0;
    au_event_ref e = last_event(t, thread);
    if (e.number == AU_NONE64)
        return;
    const char *place = stood_at(stack_of(stacks, thread), &c->findings.arena);
    const char *predicted = *place && !all ? drop_predicted(c, place) : NULL;
    *before = c->findings.finding.n;
    au_finding *f = add(r, AU_KIND_ASSERTION, &e, 1);
    f->event[0].obj = AU_NONE;
    f->text = AU_ARENA_ARRAY(&c->findings.arena, au_event_text, 1);
    f->text[0] = (au_event_text){.label = "", .op = "assert", .place = place};
    f->detail = failed_text(predicted, &c->findings.arena);
}

/* Signals that a program brings upon itself. */
static bool is_crash(int64_t sig) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (sig == own[i])
            return true;
    return false;
}

/* A crash is an assertion of the machine's. */
static void tell_crash(au_check_run *r, const au_stacks *stacks) {
    au_check_outcome *c = &r->outcome;
    size_t before = c->findings.finding.n;
    char text[160];
    tell_assertion(r, stacks, true, &before);
    if (c->findings.finding.n == before)
        return;
    au_finding *f = &au_vec_last(&c->findings.finding);
    int n = snprintf(text, sizeof text, AU_CRASH_TEXT "%d (%s), in the recorded run itself",
                     (int)r->facts->status, strsignal((int)r->facts->status));
    f->detail = au_arena_strndup(&c->findings.arena, text, (size_t)n);
    f->text[0].op = "crash";
}

static bool waits(au_op op) {
    return op == AU_OP_REQ || op == AU_OP_WAIT || op == AU_OP_ARRIVE;
}

static bool joins(const au_stack *s) {
    return s->calling && strstr(s->calling, "join");
}

/* A call that does not return is not an event of its own: its function is what can be told. */
static void name_waits(const au_stacks *stacks, au_finding *f, au_arena *arena) {
    f->text = AU_ARENA_ARRAY(arena, au_event_text, f->n_events);
    for (uint32_t i = 0; i < f->n_events; i++) {
        const au_stack *s = stack_of(stacks, f->event[i].thread);
        f->text[i] = (au_event_text){.label = "", .op = "", .place = ""};
        if (!s || !s->calling || waits(f->event[i].op))
            continue;
        f->text[i] =
            (au_event_text){.label = au_arena_strndup(arena, s->calling, strlen(s->calling)),
                            .op = "wait",
                            .place = stood_at(s, arena)};
        f->event[i].obj = AU_NONE; /* the last event's, not what it waits for */
    }
}

/* The threads that stand at a wait, also those that did nothing before it; those that only join them are left
 * out. */
static void tell_deadlock(au_check_run *r, const au_stacks *stacks) {
    const au_trace *t = r->trace;
    const au_recording_facts *facts = r->facts;
    au_check_outcome *c = &r->outcome;
    AU_VEC(au_event_ref) e = {0};
    for (int all = 0; all < 2 && !e.n; all++)
        for (uint32_t i = 0; i < t->names.thread.n; i++) {
            au_event_ref last = last_event(t, i);
            const au_stack *s = stack_of(stacks, i);
            bool calls = s && s->calling && !s->ended && !joins(s);
            bool there = last.number != AU_NONE64 && last.op != AU_OP_EXIT;
            if (calls || (there && (all || waits(last.op))))
                au_vec_push(&e, last);
        }
    if (e.n) {
        au_finding *f = add(r, AU_KIND_DEADLOCK, e.at, (uint32_t)e.n);
        for (uint32_t i = 0; i < f->n_events; i++) {
            /* It stands before what would have come next. */
            if (f->event[i].thread < facts->thread.n)
                f->event[i].index = facts->thread.at[f->event[i].thread].hooks + 1;
            f->event[i].number = AU_NONE64;
            f->until[i] = 0;
        }
        name_waits(stacks, f, &c->findings.arena);
    }
    au_vec_release(&e);
}

/* By somebody who had seen enough of it: no question stays open for that. */
static bool is_told(int64_t sig) {
    return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT;
}

static void tell(au_check_run *r, const au_stacks *stacks) {
    const au_trace *t = r->trace;
    const au_recording_facts *facts = r->facts;
    au_check_outcome *c = &r->outcome;
    if (!facts || !facts->ended)
        return;
    size_t before = c->findings.finding.n;
    if (facts->end == AU_END_ASSERT && t)
        tell_assertion(r, stacks, r->plan->all, &before);
    else if (facts->end == AU_END_DEADLOCK && t)
        tell_deadlock(r, stacks);
    else if (facts->end == AU_END_SIGNAL && is_crash(facts->status) && t)
        tell_crash(r, stacks);
    if (c->findings.finding.n > before)
        return;
    /* "Nothing found" would be the wrong answer. */
    if (facts->end == AU_END_DEADLOCK)
        au_check_inconclusive(c, "the recorded run itself ended in a deadlock; 'augur replay' "
                                 "repeats it and shows every thread's stack");
    else if (facts->end == AU_END_ASSERT)
        au_check_inconclusive(c, "an assertion failed in the recorded run itself; 'augur replay' "
                                 "repeats it");
    else if (facts->end == AU_END_SIGNAL && is_told(facts->status))
        au_check_note(c,
                      "the recorded run was ended by signal %d; what it did until then was checked",
                      (int)facts->status);
    else if (facts->end == AU_END_SIGNAL)
        au_check_inconclusive(c,
                              "the recorded run itself was ended by signal %d; 'augur replay' "
                              "repeats it",
                              (int)facts->status);
}

/* Stacks are read from the recording once more: only if it ended badly, and is not too long. */
au_status au_stage_failed(au_check_run *r, au_error *err) {
    (void)err;
    au_stacks stacks = {0};
    au_error ignored = AU_ERROR_NONE;
    bool failed = r->trace && r->facts && r->facts->ended &&
                  (r->facts->end == AU_END_ASSERT || r->facts->end == AU_END_DEADLOCK ||
                   r->facts->end == AU_END_SIGNAL);
    bool is_long = failed && r->facts->hooks > AU_LIMIT_STACK_EVENTS;
    if (is_long)
        au_check_limit(&r->outcome, AU_AT_STACK_EVENTS, 0, 0);
    bool read = failed && !is_long && au_stacks_retrace(&stacks, r->path, &ignored) == AU_OK;
    tell(r, read ? &stacks : NULL);
    if (read)
        au_stacks_release(&stacks);
    return AU_OK;
}
