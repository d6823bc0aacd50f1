/* report/case.c: dossiers as data: making, copying, joining, numbering. */
#include "report/case.h"

#include "base/hash.h"
#include "report/case_words.h"
#include "report/common.h"

#include <stdlib.h>

static const char *const nothing = "";

void au_dossier_init(au_dossier *d) {
    *d = (au_dossier){.program = nothing,
                      .cwd = nothing,
                      .when = nothing,
                      .explored = nothing,
                      .claim = nothing,
                      .memory = nothing,
                      .beyond = nothing};
    d->shard.check = nothing;
    au_arena_init(&d->arena);
}

void au_case_release(au_case *c) {
    au_vec_release(&c->event);
    au_vec_release(&c->thread);
    au_vec_release(&c->schedule);
    au_vec_release(&c->value);
    au_vec_release(&c->sees);
    au_vec_release(&c->wrote);
    au_vec_release(&c->witness);
    au_vec_release(&c->observed);
    au_vec_release(&c->test);
    for (size_t i = 0; i < c->variant.n; i++)
        au_case_release(&c->variant.at[i]);
    au_vec_release(&c->variant);
}

void au_dossier_release(au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++)
        au_case_release(&d->at.at[i]);
    au_vec_release(&d->at);
    au_vec_release(&d->input);
    au_vec_release(&d->arg);
    au_vec_release(&d->funnel);
    au_vec_release(&d->inconclusive);
    au_vec_release(&d->open);
    au_vec_release(&d->note);
    au_vec_release(&d->suite);
    au_vec_release(&d->source);
    au_vec_release(&d->compiled);
    au_vec_release(&d->graph);
    au_vec_release(&d->number);
    au_vec_release(&d->shard.part);
    au_vec_release(&d->shard.option);
    au_vec_release(&d->shard.input);
    au_vec_release(&d->shard.answer);
    au_arena_release(&d->arena);
    *d = (au_dossier){0};
}

void au_dossier_drop_last(au_dossier *d) {
    au_case_release(&d->at.at[--d->at.n]);
}

void au_dossier_drop_first(au_dossier *d, size_t n) {
    for (size_t i = 0; i < n; i++)
        au_case_release(&d->at.at[i]);
    d->at.n -= n;
    memmove(d->at.at, d->at.at + n, d->at.n * sizeof *d->at.at);
}

const char *au_dossier_text_copy(au_dossier *d, const char *s) {
    return s && *s ? au_arena_strndup(&d->arena, s, strlen(s)) : nothing;
}

au_case_event au_case_event_none(void) {
    return (au_case_event){.thread = nothing,
                           .called = nothing,
                           .op = nothing,
                           .object = nothing,
                           .label = nothing,
                           .location = nothing,
                           .file = nothing,
                           .function = nothing,
                           .text = nothing,
                           .from_text = nothing};
}

au_case *au_dossier_add(au_dossier *d, au_kind kind) {
    au_case *c = au_vec_add(&d->at);
    *c = (au_case){.id = nothing,
                   .kind = kind,
                   .standing = AU_IS_POSSIBLE,
                   .var = nothing,
                   .what = nothing,
                   .why = nothing,
                   .message = nothing,
                   .fingerprint = nothing,
                   .earlier = nothing,
                   .remedy = nothing,
                   .memory = nothing,
                   .recording = nothing,
                   .replay_text = nothing,
                   .replay_command = nothing,
                   .triage = nothing,
                   .state = nothing,
                   .note = nothing,
                   .harm = nothing,
                   .harm_text = nothing};
    return c;
}

unsigned au_case_harm_rank(const au_case *c) {
    static const char *const name[] = {"none-seen", "state", "output", "fails"};
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(c->harm, name[i]))
            return i;
    return 0;
}

/* ---- copies ------------------------------------------------------------------------------ */

static void copy_events(au_dossier *d, au_case_events *to, const au_case_events *from) {
    for (size_t i = 0; i < from->n; i++) {
        au_case_event e = from->at[i];
        e.thread = au_dossier_text_copy(d, e.thread);
        e.called = au_dossier_text_copy(d, e.called);
        e.op = au_dossier_text_copy(d, e.op);
        e.object = au_dossier_text_copy(d, e.object);
        e.label = au_dossier_text_copy(d, e.label);
        e.location = au_dossier_text_copy(d, e.location);
        e.file = au_dossier_text_copy(d, e.file);
        e.function = au_dossier_text_copy(d, e.function);
        e.text = au_dossier_text_copy(d, e.text);
        e.from_text = au_dossier_text_copy(d, e.from_text);
        const char **held = AU_ARENA_ARRAY(&d->arena, const char *, e.n_held);
        for (uint32_t k = 0; k < e.n_held; k++)
            held[k] = au_dossier_text_copy(d, e.held[k]);
        e.held = held;
        au_case_frame *caller = AU_ARENA_ARRAY(&d->arena, au_case_frame, e.n_callers);
        for (uint32_t k = 0; k < e.n_callers; k++)
            caller[k] =
                (au_case_frame){au_dossier_text_copy(d, e.caller[k].function),
                                au_dossier_text_copy(d, e.caller[k].file), e.caller[k].line};
        e.caller = caller;
        au_vec_push(to, e);
    }
}

void au_case_add_turn(au_dossier *d, au_case *c, au_intern *threads, const char *thread,
                      uint64_t upto, au_turn_mark mark) {
    uint32_t t = au_intern_add(threads, thread, strlen(thread));
    if (t == c->thread.n)
        au_vec_push(&c->thread, au_dossier_text_copy(d, thread));
    au_vec_push(&c->schedule, ((au_turn){.upto = upto, .thread = t, .mark = (uint16_t)mark}));
}

/* All of it but its variants. */
static au_case copy_of(au_dossier *into, const au_case *c) {
    au_case made = *c;
    made.id = au_dossier_text_copy(into, c->id);
    made.var = au_dossier_text_copy(into, c->var);
    made.what = au_dossier_text_copy(into, c->what);
    made.why = au_dossier_text_copy(into, c->why);
    made.message = au_dossier_text_copy(into, c->message);
    made.fingerprint = au_dossier_text_copy(into, c->fingerprint);
    made.earlier = au_dossier_text_copy(into, c->earlier);
    made.recording = au_dossier_text_copy(into, c->recording);
    made.replay_text = au_dossier_text_copy(into, c->replay_text);
    made.replay_command = au_dossier_text_copy(into, c->replay_command);
    made.triage = au_dossier_text_copy(into, c->triage);
    made.state = au_dossier_text_copy(into, c->state);
    made.note = au_dossier_text_copy(into, c->note);
    made.harm = au_dossier_text_copy(into, c->harm);
    made.harm_text = au_dossier_text_copy(into, c->harm_text);
    made.event = made.witness = made.observed = (au_case_events){0};
    memset(&made.thread, 0, sizeof made.thread);
    made.schedule = (au_turns){0};
    memset(&made.value, 0, sizeof made.value);
    memset(&made.sees, 0, sizeof made.sees);
    memset(&made.wrote, 0, sizeof made.wrote);
    made.memory = au_dossier_text_copy(into, c->memory);
    made.remedy = au_dossier_text_copy(into, c->remedy);
    memset(&made.variant, 0, sizeof made.variant);
    memset(&made.test, 0, sizeof made.test);
    for (size_t i = 0; i < c->test.n; i++)
        au_vec_push(&made.test, au_dossier_text_copy(into, c->test.at[i]));
    copy_events(into, &made.event, &c->event);
    copy_events(into, &made.witness, &c->witness);
    copy_events(into, &made.observed, &c->observed);
    for (size_t i = 0; i < c->thread.n; i++)
        au_vec_push(&made.thread, au_dossier_text_copy(into, c->thread.at[i]));
    au_vec_append(&made.schedule, c->schedule.at, c->schedule.n);
    for (size_t i = 0; i < c->value.n; i++) {
        au_case_value v = c->value.at[i];
        v.thread = au_dossier_text_copy(into, v.thread);
        v.var = au_dossier_text_copy(into, v.var);
        au_vec_push(&made.value, v);
    }
    for (size_t i = 0; i < c->sees.n; i++) {
        au_case_sees s = c->sees.at[i];
        s.thread = au_dossier_text_copy(into, s.thread);
        s.var = au_dossier_text_copy(into, s.var);
        s.by = au_dossier_text_copy(into, s.by);
        au_vec_push(&made.sees, s);
    }
    for (size_t i = 0; i < c->wrote.n; i++) {
        au_case_wrote w = c->wrote.at[i];
        w.thread = au_dossier_text_copy(into, w.thread);
        w.var = au_dossier_text_copy(into, w.var);
        au_vec_push(&made.wrote, w);
    }
    return made;
}

au_case *au_dossier_copy(au_dossier *into, const au_case *c) {
    au_case made = copy_of(into, c);
    for (size_t i = 0; i < c->variant.n; i++)
        au_vec_push(&made.variant, copy_of(into, &c->variant.at[i]));
    au_vec_push(&into->at, made);
    return &au_vec_last(&into->at);
}

/* ---- joining ----------------------------------------------------------------------------- */

/* "11 possible findings unreachable …" of one run and "14 …" of another are 25. */
static bool add_up(au_dossier *d, const char *text) {
    size_t n = strspn(text, "0123456789");
    for (size_t k = 0; n && n < 10 && text[n] == ' ' && k < d->note.n; k++) {
        const char *told = d->note.at[k];
        size_t m = strspn(told, "0123456789");
        if (!m || m > 10 || strcmp(told + m, text + n))
            continue;
        char *sum =
            au_sprintf("%llu%s", strtoull(told, NULL, 10) + strtoull(text, NULL, 10), text + n);
        d->note.at[k] = au_dossier_text_copy(d, sum);
        free(sum);
        return true;
    }
    return false;
}

static void join_texts(au_dossier *d, const char *const *text, size_t n, bool notes) {
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t k = 0; k < (notes ? d->note.n : d->inconclusive.n); k++)
            there |= !strcmp(notes ? d->note.at[k] : d->inconclusive.at[k], text[i]);
        if (there || (notes && add_up(d, text[i])))
            continue;
        if (notes)
            au_vec_push(&d->note, au_dossier_text_copy(d, text[i]));
        else
            au_vec_push(&d->inconclusive, au_dossier_text_copy(d, text[i]));
    }
}

/* What was left after a stage, in all runs together. */
static void join_funnel(au_dossier *d, const au_case_funnel *f) {
    size_t k = 0;
    while (k < d->funnel.n && strcmp(d->funnel.at[k].kind, f->kind))
        k++;
    if (k == d->funnel.n) {
        au_case_funnel made = *f;
        made.kind = au_dossier_text_copy(d, f->kind);
        made.unit = au_dossier_text_copy(d, f->unit);
        au_vec_push(&d->funnel, made);
        return;
    }
    for (int s = 0; s < AU_STAGES; s++)
        if (f->left[s] != AU_STAGE_UNKNOWN) {
            uint64_t *left = &d->funnel.at[k].left[s];
            *left = *left == AU_STAGE_UNKNOWN ? f->left[s] : *left + f->left[s];
        }
}

static void join_sources(au_dossier *d, const au_case_source *s) {
    for (size_t i = 0; i < d->source.n; i++)
        if (!strcmp(d->source.at[i].file, s->file) && d->source.at[i].first <= s->first &&
            s->first + s->n <= d->source.at[i].first + d->source.at[i].n)
            return;
    const char **line = AU_ARENA_ARRAY(&d->arena, const char *, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        line[i] = au_dossier_text_copy(d, s->line[i]);
    au_vec_push(&d->source,
                ((au_case_source){au_dossier_text_copy(d, s->file), s->first, s->n, line}));
}

static void join_graphs(au_dossier *d, const au_dossier *from) {
    for (size_t i = 0; i < from->graph.n; i++) {
        const au_case_graph *g = &from->graph.at[i];
        bool there = false;
        for (size_t k = 0; k < d->graph.n && *g->finding; k++)
            there |= !strcmp(d->graph.at[k].finding, g->finding) &&
                     !strcmp(d->graph.at[k].name, g->name);
        if (!there)
            au_vec_push(&d->graph, ((au_case_graph){au_dossier_text_copy(d, g->name),
                                                    au_dossier_text_copy(d, g->svg),
                                                    au_dossier_text_copy(d, g->finding)}));
    }
}

static void join_nondet(au_dossier *d, const au_dossier *from) {
    if (from->has_nondet && !d->has_nondet)
        d->nondet = from->nondet; /* counts of one run: those of several do not add up */
    d->has_nondet |= from->has_nondet;
}

/* Is what 'a' says of a finding better than what 'b' says? */
static bool more_certain(const au_case *a, const au_case *b) {
    if (a->standing != b->standing)
        return a->standing < b->standing;
    return !b->schedule.n && a->schedule.n;
}

static void join_tests(au_dossier *d, au_case *c, const char *const *test, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t k = 0; k < c->test.n && !there; k++)
            there = !strcmp(c->test.at[k], test[i]);
        if (!there)
            au_vec_push(&c->test, au_dossier_text_copy(d, test[i]));
    }
}

/* The place of the case with this fingerprint, SIZE_MAX: none. */
static size_t place_of(const au_map *index, const au_dossier *d, const au_case *c) {
    const uint64_t *k = au_map_find(index, au_hash_bytes(c->fingerprint, strlen(c->fingerprint)));
    if (!*c->fingerprint || !k || strcmp(d->at.at[*k - 1].fingerprint, c->fingerprint))
        return SIZE_MAX;
    return *k - 1;
}

static void join_cases(au_dossier *into, const au_dossier *from) {
    au_map index;
    au_map_init(&index);
    for (size_t i = 0; i < into->at.n; i++) {
        const char *f = into->at.at[i].fingerprint;
        uint64_t *k = au_map_put(&index, au_hash_bytes(f, strlen(f)), NULL);
        if (!*k)
            *k = i + 1;
    }
    for (size_t i = 0; i < from->at.n; i++) {
        const au_case *c = &from->at.at[i];
        size_t there = place_of(&index, into, c);
        if (there == SIZE_MAX) {
            au_dossier_copy(into, c);
            *au_map_put(&index, au_hash_bytes(c->fingerprint, strlen(c->fingerprint)), NULL) =
                into->at.n;
            continue;
        }
        join_tests(into, &into->at.at[there], c->test.at, c->test.n);
        if (more_certain(c, &into->at.at[there])) {
            au_case *old = &into->at.at[there], was = *old;
            au_case *made = au_dossier_copy(into, c);
            old = &into->at.at[there];
            *old = *made;
            into->at.n--;
            if (!*old->triage) { /* what people said stays said */
                old->triage = was.triage;
                old->note = was.note;
            }
            old->known |= was.known;
            join_tests(into, old, was.test.at, was.test.n);
            au_case_release(&was);
        }
    }
    au_map_release(&index);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

void au_case_contradict(au_dossier *d, au_case *c) {
    c->standing = AU_IS_POSSIBLE;
    c->why = au_why_text(AU_WHY_DISAGREES);
    c->disagrees = true;
    d->disagreements++;
}

bool au_case_is_contradicted(const au_case *c) {
    bool other = c->replay == AU_REPLAY_NOT_SHOWN || c->replay == AU_REPLAY_DIVERGED;
    return c->disagrees || (other && (!strcmp(c->why, au_why_text(AU_WHY_ANSWERS)) ||
                                      !strcmp(c->why, au_why_text(AU_WHY_FOREIGN))));
}

bool au_dossier_is_contradicted(const au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        bool any = au_case_is_contradicted(c);
        for (size_t k = 0; k < c->variant.n; k++)
            any |= au_case_is_contradicted(&c->variant.at[k]);
        if (any && !c->known)
            return true;
    }
    return false;
}

void au_dossier_join(au_dossier *into, const au_dossier *from) {
    for (size_t i = 0; i < from->input.n; i++) {
        bool there = false;
        for (size_t k = 0; k < into->input.n; k++)
            there |= !strcmp(into->input.at[k], from->input.at[i]);
        if (!there)
            au_vec_push(&into->input, au_dossier_text_copy(into, from->input.at[i]));
    }
    if (!*into->program) {
        into->program = au_dossier_text_copy(into, from->program);
        into->cwd = au_dossier_text_copy(into, from->cwd);
        au_vec_clear(&into->arg);
        for (size_t i = 0; i < from->arg.n; i++)
            au_vec_push(&into->arg, au_dossier_text_copy(into, from->arg.at[i]));
    }
    if (!*into->when)
        into->when = au_dossier_text_copy(into, from->when);
    if (!*into->explored)
        into->explored = au_dossier_text_copy(into, from->explored);
    if (!*into->claim && *from->claim) {
        into->claim = au_dossier_text_copy(into, from->claim);
        into->covered = from->covered;
        for (size_t i = 0; i < from->open.n; i++)
            au_vec_push(&into->open, au_dossier_text_copy(into, from->open.at[i]));
    }
    into->threads = larger(into->threads, from->threads);
    into->events += from->events;
    into->disagreements += from->disagreements;
    into->locks = larger(into->locks, from->locks);
    into->vars = larger(into->vars, from->vars);
    into->seconds += from->seconds;
    into->peak_kib = larger(into->peak_kib, from->peak_kib);
    for (size_t i = 0; i < from->funnel.n; i++)
        join_funnel(into, &from->funnel.at[i]);
    join_nondet(into, from);
    join_texts(into, from->inconclusive.at, from->inconclusive.n, false);
    join_texts(into, from->note.at, from->note.n, true);
    for (size_t i = 0; i < from->source.n; i++)
        join_sources(into, &from->source.at[i]);
    join_graphs(into, from);
    join_cases(into, from);
    au_dossier_number(into);
}

/* ---- numbers ----------------------------------------------------------------------------- */

typedef struct {
    au_case c;
    size_t at;
} placed;

static int by_certainty(const void *x, const void *y) {
    const placed *a = x, *b = y;
    if (a->c.kind != b->c.kind)
        return a->c.kind < b->c.kind ? -1 : 1;
    if (a->c.standing != b->c.standing)
        return a->c.standing < b->c.standing ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

void au_dossier_number(au_dossier *d) {
    size_t number[AU_KINDS] = {0};
    placed *p = au_alloc_array(d->at.n, sizeof *p);
    for (size_t i = 0; i < d->at.n; i++)
        p[i] = (placed){d->at.at[i], i};
    if (d->at.n)
        qsort(p, d->at.n, sizeof *p, by_certainty);
    for (size_t i = 0; i < d->at.n; i++) {
        char id[24];
        d->at.at[i] = p[i].c;
        au_finding_id(p[i].c.kind, ++number[p[i].c.kind], id, sizeof id);
        d->at.at[i].id = au_dossier_text_copy(d, id);
        for (size_t k = 0; k < p[i].c.variant.n; k++) {
            char *of = au_sprintf("%s.%zu", id, k + 1);
            p[i].c.variant.at[k].id = au_dossier_text_copy(d, of);
            free(of);
        }
    }
    free(p);
}

const au_case *au_dossier_called(const au_dossier *d, const char *id) {
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        if (!strcmp(c->id, id))
            return c;
        for (size_t k = 0; k < c->variant.n; k++)
            if (!strcmp(c->variant.at[k].id, id))
                return &c->variant.at[k];
    }
    return NULL;
}

/* ---- words ------------------------------------------------------------------------------- */

const char *au_case_replay_name(au_case_replay r) {
    static const char *const name[] = {[AU_REPLAY_NOT_TRIED] = "not tried",
                                       [AU_REPLAY_CONFIRMED] = "confirmed",
                                       [AU_REPLAY_NOT_SHOWN] = "not shown",
                                       [AU_REPLAY_DIVERGED] = "diverged"};
    return name[r];
}
