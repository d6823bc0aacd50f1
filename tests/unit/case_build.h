/* Dossiers for the tests: an ordinary one, and one whose names want to do harm. */
#ifndef CASE_BUILD_H
#define CASE_BUILD_H

#include "report/case.h"

static inline au_case_event made_event(const char *thread, uint64_t index, const char *op,
                                       const char *object, const char *file, uint32_t line) {
    static char place[16][300];
    static unsigned next;
    au_case_event e = au_case_event_none();
    e.thread = thread;
    e.index = index;
    e.op = op;
    e.object = object;
    e.file = file;
    e.line = line;
    if (*file) {
        char *to = place[next++ % 16];
        snprintf(to, sizeof place[0], "%.250s:%u", file, line);
        e.location = to;
    }
    return e;
}

/* Race R1 of T1 and T2 on 'account.visits', with witness, values and sources. */
static inline void make_bank(au_dossier *d) {
    static const char *const held[] = {"lock"};
    static const au_case_frame caller[] = {{"transfer", "bank.c", 30}, {"start_thread", "", 0}};
    au_dossier_init(d);
    au_vec_push(&d->input, "bank.trace");
    d->program = "/home/me/bank";
    d->cwd = "/home/me";
    au_vec_push(&d->arg, "--fast");
    d->when = "2026-11-15T12:00:00Z";
    d->threads = 3;
    d->events = 64;
    d->locks = 1;
    d->vars = 3;
    d->seconds = 0.25;
    d->peak_kib = 1000;
    au_case_funnel f = {.kind = "race", .unit = "variables"};
    for (int s = 0; s < AU_STAGES; s++)
        f.left[s] = s == AU_STAGE_INTERVAL ? AU_STAGE_UNKNOWN : 3 - (unsigned)(s > 1);
    au_vec_push(&d->funnel, f);
    f.kind = "deadlock";
    au_vec_push(&d->funnel, f);
    au_case *c = au_dossier_add(d, AU_KIND_RACE);
    c->standing = AU_IS_PROVED;
    c->var = "account.visits";
    c->what = "WR";
    c->message = "race on 'account.visits': T1 writes at bank.c:21, T2 reads at bank.c:21";
    c->recording = "bank.trace";
    c->replay_command = "augur replay bank.trace --finding R1";
    au_case_event e = made_event("T1", 18, "write", "account.visits", "bank.c", 21);
    e.function = "deposit";
    e.text = "account.visits++;";
    e.decisive = 1;
    e.number = 12;
    au_vec_push(&c->event, e);
    e = made_event("T2", 17, "read", "account.visits", "bank.c", 21);
    e.function = "deposit";
    e.text = "account.visits++;";
    e.held = held;
    e.n_held = 1;
    e.caller = caller;
    e.n_callers = 2;
    e.decisive = 2;
    e.until = 18;
    au_vec_push(&c->event, e);
    au_vec_push(&c->thread, "T1");
    au_vec_push(&c->thread, "T2");
    au_vec_push(&c->schedule, ((au_turn){17, 0, AU_MARK_NONE, 0}));
    au_vec_push(&c->schedule, ((au_turn){16, 1, AU_MARK_SPURIOUS, 0}));
    au_vec_push(&c->value, ((au_case_value){"T1", "account.visits", 17, INT64_MIN, false}));
    e = made_event("T1", 3, "acquire", "lock", "bank.c", 14);
    e.function = "deposit";
    au_vec_push(&c->witness, e);
    e = c->event.at[0];
    e.has_value = true;
    e.value = INT64_C(0x7ffffffffffffff1);
    e.skipped = 40;
    au_vec_push(&c->witness, e);
    au_vec_push(&c->witness, c->event.at[1]);
    c->witness_cut = 1;
    c->witness_left_out = 40;
    au_vec_push(&c->observed, c->event.at[0]);
    static const char *const line[] = {"{", "    account.visits++;", "}"};
    au_vec_push(&d->source, ((au_case_source){"bank.c", 20, 3, line}));
    au_vec_push(&d->graph, ((au_case_graph){"causality graph", "<svg/>", ""}));
    au_case_mark(d, &d->at.at[0]);
    au_dossier_number(d);
}

#define HOSTILE                                                                                    \
    "<script>alert(\"x\")</script>'&]]>\x1b[31m\xff\xfe\xed\xa0\x80{0}[a](b)\n\t\x01\xef\xbf\xbf"

/* Every text is hostile, and there is one finding of every kind and standing. */
static inline void make_hostile(au_dossier *d) {
    static char longer[12001];
    memset(longer, 'x', sizeof longer - 1);
    au_dossier_init(d);
    au_vec_push(&d->input, HOSTILE);
    d->program = d->cwd = "/tmp/" HOSTILE;
    au_vec_push(&d->arg, HOSTILE);
    d->explored = HOSTILE;
    au_vec_push(&d->inconclusive, HOSTILE);
    au_vec_push(&d->note, HOSTILE);
    for (int k = 0; k < AU_KINDS; k++)
        for (int s = 0; s <= AU_IS_REFUTED; s++) {
            const char *name = s == AU_IS_POSSIBLE ? longer : HOSTILE;
            au_case *c = au_dossier_add(d, (au_kind)k);
            c->standing = (au_standing)s;
            c->var = c->what = c->why = c->message = c->replay_text = c->replay_command = name;
            c->replay = (au_case_replay)s;
            c->triage = s == AU_IS_PROVED ? "false-positive" : "";
            c->note = name;
            c->known = s == AU_IS_CONFIRMED;
            const char **held = AU_ARENA_ARRAY(&d->arena, const char *, 1);
            held[0] = name;
            au_case_frame *caller = AU_ARENA_ARRAY(&d->arena, au_case_frame, 1);
            caller[0] = (au_case_frame){name, name, 7};
            for (uint32_t i = 0; i < 3; i++) {
                au_case_event e = au_case_event_none();
                e.thread = i == 1 ? name : "T1";
                e.index = i + 1;
                e.op = i ? "write" : name;
                e.object = e.label = e.function = e.text = e.location = name;
                e.file = i == 2 ? "" : name;
                e.line = i == 2 ? 0 : 7;
                e.held = held;
                e.n_held = 1;
                e.caller = caller;
                e.n_callers = 1;
                e.decisive = i + 1;
                au_vec_push(&c->event, e);
                au_vec_push(&c->witness, e);
                au_vec_push(&c->observed, e);
            }
            au_vec_push(&c->thread, name);
            au_vec_push(&c->schedule, ((au_turn){.upto = 1}));
        }
    for (size_t i = 0; i < d->at.n; i++)
        au_case_mark(d, &d->at.at[i]);
    au_dossier_number(d);
    d->at.at[1].id = d->at.at[1].fingerprint = HOSTILE; /* from a file of somebody else's */
}

/* The caller frees it. */
static inline char *written(void (*how)(const au_dossier *, au_out *), const au_dossier *d) {
    au_out *out = au_out_memory();
    size_t n;
    how(d, out);
    const char *text = au_out_memory_data(out, &n);
    char *copy = au_strndup(text, n);
    assert_int_equal(strlen(copy), n); /* no NUL inside */
    au_out_abandon(out);
    return copy;
}

#endif
