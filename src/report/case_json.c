/* report/case_json.c: the JSON of docs/reports.md.
 *
 * Names of a traced program may hold any bytes: the writer makes valid JSON of them. Values
 * that a reader with floating-point numbers would spoil are told a second time as text ("exact"). */
#include "report/case.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/limits.h"
#include "report/case_kinds.h"
#include "report/case_lines.h"
#include "report/case_words.h"

static void put_text(au_json *j, const char *key, const char *s) {
    if (*s)
        au_json_put_string(j, key, s);
}

static void put_number(au_json *j, const char *key, uint64_t v) {
    if (v)
        au_json_put_u64(j, key, v);
}

static void put_value(au_json *j, int64_t v) {
    au_json_put_i64(j, "value", v);
    if (v > AU_CASE_EXACT || v < -AU_CASE_EXACT) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, v);
        au_json_put_string(j, "exact", text);
    }
}

static void put_texts(au_json *j, const char *key, const char *const *text, size_t n) {
    au_json_key(j, key);
    if (n > 1)
        au_json_array(j);
    else
        au_json_array_inline(j);
    for (size_t i = 0; i < n; i++)
        au_json_string(j, text[i]);
    au_json_end_array(j);
}

/* ---- cases ------------------------------------------------------------------------------- */

static void put_callers(au_json *j, const au_case_event *e) {
    au_json_key(j, "callers");
    au_json_array_inline(j);
    for (uint32_t i = 0; i < e->n_callers; i++) {
        au_json_object_inline(j);
        au_json_put_string(j, "function", e->caller[i].function);
        put_text(j, "file", e->caller[i].file);
        put_number(j, "line", e->caller[i].line);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_event(au_json *j, const au_case_event *e) {
    au_json_object_inline(j);
    au_json_put_string(j, "thread", e->thread);
    put_text(j, "thread_name", e->called);
    au_json_put_u64(j, "index", e->index);
    au_json_put_string(j, "op", e->op);
    put_text(j, "label", e->label);
    put_text(j, "object", e->object);
    put_text(j, "location", e->location);
    if (*e->file) {
        au_json_put_string(j, "file", e->file);
        au_json_put_u64(j, "line", e->line);
    }
    put_number(j, "until", e->until);
    put_number(j, "event", e->number);
    put_text(j, "function", e->function);
    if (e->has_value)
        put_value(j, e->value);
    if (e->n_held)
        put_texts(j, "held", e->held, e->n_held);
    if (e->n_callers)
        put_callers(j, e);
    if (e->frees)
        au_json_put_bool(j, "frees", true);
    put_number(j, "decisive", e->decisive);
    put_number(j, "skipped", e->skipped);
    put_text(j, "source", e->text);
    au_json_end_object(j);
}

static void put_events(au_json *j, const char *key, const au_case_events *v) {
    au_json_key(j, key);
    au_json_array(j);
    for (size_t i = 0; i < v->n; i++)
        put_event(j, &v->at[i]);
    au_json_end_array(j);
}

static void put_order(au_json *j, const char *key, const au_case_events *v, uint32_t cut,
                      uint64_t left_out) {
    char name[40];
    if (!v->n)
        return;
    put_events(j, key, v);
    if (!left_out)
        return;
    snprintf(name, sizeof name, "%s_cut", key);
    au_json_put_u64(j, name, cut);
    snprintf(name, sizeof name, "%s_left_out", key);
    au_json_put_u64(j, name, left_out);
}

static void put_schedule(au_json *j, const au_case *c) {
    au_json_key(j, "schedule");
    au_json_array_inline(j);
    for (size_t i = 0; i < c->schedule.n; i++) {
        const au_turn *t = &c->schedule.at[i];
        au_json_array(j);
        au_json_string(j, c->thread.at[t->thread]);
        au_json_u64(j, t->upto);
        if (t->mark)
            au_json_string(j, au_mark_name((au_turn_mark)t->mark));
        au_json_end_array(j);
    }
    au_json_end_array(j);
}

static void put_values(au_json *j, const au_case *c) {
    if (!c->value.n)
        return;
    au_json_key(j, "values");
    au_json_array(j);
    for (size_t i = 0; i < c->value.n; i++) {
        const au_case_value *v = &c->value.at[i];
        au_json_object_inline(j);
        au_json_put_string(j, "thread", v->thread);
        au_json_put_u64(j, "index", v->index);
        au_json_put_string(j, "op", v->write ? "write" : "read");
        au_json_put_string(j, "var", v->var);
        put_value(j, v->value);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_event_of(au_json *j, const char *key, const char *thread, uint64_t index) {
    au_json_key(j, key);
    if (!*thread) {
        au_json_string(j, "initial");
        return;
    }
    au_json_array_inline(j);
    au_json_string(j, thread);
    au_json_u64(j, index);
    au_json_end_array(j);
}

/* As 'augur oracle' has it. */
static void put_execution(au_json *j, const au_case *c) {
    au_json_key(j, "execution");
    au_json_object(j);
    au_json_key(j, "reads");
    au_json_array(j);
    for (size_t i = 0; i < c->sees.n; i++) {
        const au_case_sees *s = &c->sees.at[i];
        au_json_object_inline(j);
        put_event_of(j, "read", s->thread, s->index);
        au_json_put_string(j, "var", s->var);
        put_event_of(j, "sees", s->by, s->by_index);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_key(j, "writes");
    au_json_array(j);
    for (size_t i = 0; i < c->wrote.n; i++) {
        const au_case_wrote *w = &c->wrote.at[i];
        au_json_object_inline(j);
        au_json_put_string(j, "var", w->var);
        put_event_of(j, "write", w->thread, w->index);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_end_object(j);
}

static void put_replay(au_json *j, const au_case *c) {
    if (c->replay == AU_REPLAY_NOT_TRIED && !*c->replay_text && !*c->replay_command)
        return;
    au_json_key(j, "replay");
    au_json_object_inline(j);
    au_json_put_string(j, "outcome", au_case_replay_name(c->replay));
    put_text(j, "text", c->replay_text);
    if (c->disagrees)
        au_json_put_bool(j, "disagrees", true);
    put_text(j, "command", c->replay_command);
    au_json_end_object(j);
}

static void put_variants(au_json *j, const au_case *c);

/* The few lines of source that matter, in the order in which they run, and what to do. */
static void put_story(au_json *j, const au_dossier *d, const au_case *c) {
    au_case_lines lines;
    if (!d || !*d->program)
        return;
    au_json_put_string(j, "advice", au_case_advice(c));
    au_case_lines_make(&lines, d, c, AU_LIMIT_STORY_LINES);
    au_json_key(j, "story");
    au_json_array(j);
    for (size_t i = 0; i < lines.n; i++) {
        const au_case_line *l = &lines.at[i];
        au_json_object_inline(j);
        au_json_put_string(j, "thread", l->thread);
        au_json_put_string(j, "place", l->place);
        put_text(j, "source", l->source);
        put_text(j, "does", l->did);
        if (l->decisive)
            au_json_put_bool(j, "decisive", true);
        if (*l->file) {
            au_json_put_string(j, "file", l->file);
            au_json_put_u64(j, "line", l->line);
        }
        au_json_put_u64(j, "step", l->step);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_case_lines_release(&lines);
}

static bool has_variant(const au_case *c, au_kind kind) {
    for (size_t i = 0; i < c->variant.n; i++)
        if (c->variant.at[i].kind == kind)
            return true;
    return false;
}

/* d: where it belongs, for its story; NULL: alone. */
static void put_case(au_json *j, const au_dossier *d, const au_case *c) {
    au_json_object(j);
    au_json_put_string(j, "id", c->id);
    au_json_put_string(j, "kind", au_case_kind_name(c));
    if (c->narrow)
        au_json_put_string(j, "also", au_kind_name(c->kind));
    else if (c->kind == AU_KIND_LOST && has_variant(c, AU_KIND_ATOMICITY))
        au_json_put_string(j, "also", au_kind_name(AU_KIND_ATOMICITY));
    au_json_put_string(j, "status", au_standing_name(c->standing));
    put_text(j, "detail", au_case_detail(c));
    put_text(j, au_case_is_about_lock(c) ? "lock" : "var", c->var);
    put_text(j, c->kind == AU_KIND_ATOMICITY ? "pattern" : "what", c->what);
    put_text(j, "reason", c->why);
    put_text(j, "harm", c->harm);
    put_text(j, "harm_text", c->harm_text);
    put_events(j, "events", &c->event);
    put_schedule(j, c);
    put_values(j, c);
    if (c->spurious)
        au_json_put_bool(j, "spurious_wakeup", true);
    put_text(j, "memory", c->memory);
    if (c->x86)
        au_json_put_bool(j, "x86", c->x86 == AU_ON_X86_YES);
    put_text(j, "remedy", c->remedy);
    if (*c->memory)
        put_execution(j, c);
    au_json_put_string(j, "message", c->message);
    put_story(j, d, c);
    put_text(j, "fingerprint", c->fingerprint);
    put_text(j, "earlier_fingerprint", c->earlier);
    put_variants(j, c);
    put_order(j, "witness", &c->witness, c->witness_cut, c->witness_left_out);
    put_order(j, "observed", &c->observed, c->observed_cut, c->observed_left_out);
    put_text(j, "recording", c->recording);
    put_replay(j, c);
    put_text(j, "triage", c->triage);
    put_text(j, "note", c->note);
    put_text(j, "state", c->state);
    if (c->known)
        au_json_put_bool(j, "known", true);
    if (c->aside)
        au_json_put_bool(j, "aside", true);
    if (c->test.n) {
        au_json_key(j, "tests");
        au_json_array_inline(j);
        for (size_t i = 0; i < c->test.n; i++)
            au_json_string(j, c->test.at[i]);
        au_json_end_array(j);
    }
    au_json_end_object(j);
}

/* How many, and each of them: a finding without id and orders of events. */
static void put_variants(au_json *j, const au_case *c) {
    if (*c->earlier)
        au_json_put_u64(j, "variants", c->variant.n);
    if (!c->variant.n)
        return;
    au_json_key(j, "folded");
    au_json_array(j);
    for (size_t i = 0; i < c->variant.n; i++) {
        au_case v = c->variant.at[i];
        v.witness.n = v.observed.n = 0;
        put_case(j, NULL, &v);
    }
    au_json_end_array(j);
}

void au_case_json(const au_case *c, au_out *out) {
    au_json j;
    au_json_init(&j, out, false);
    put_case(&j, NULL, c);
}

/* ---- dossiers ---------------------------------------------------------------------------- */

static void put_funnel(au_json *j, const au_dossier *d) {
    au_json_key(j, "funnel");
    au_json_object(j);
    for (size_t k = 0; k < d->funnel.n; k++) {
        const au_case_funnel *f = &d->funnel.at[k];
        au_json_key(j, f->kind);
        au_json_object_inline(j);
        for (int s = 0; s < AU_STAGES; s++)
            if (f->left[s] != AU_STAGE_UNKNOWN)
                au_json_put_u64(j, au_stage_name(s), f->left[s]);
        put_text(j, "unit", f->unit);
        au_json_end_object(j);
    }
    au_json_end_object(j);
}

/* The columns of the paper's table A1, and what its tool did not have. */
static void put_nondet(au_json *j, const au_nondet_counts *n) {
    uint64_t feasible = n->shared + n->direct + n->chosen + n->solved;
    au_json_key(j, "nondeterminism");
    au_json_object(j);
    au_json_put_u64(j, "witnesses", n->all);
    au_json_put_u64(j, "cycle", n->cycle);
    au_json_put_u64(j, "no_choice", n->shared + n->direct);
    au_json_put_u64(j, "with_choices", n->chosen + n->refuted);
    au_json_put_u64(j, "choices_infeasible", n->refuted);
    au_json_put_u64(j, "graphs", n->graphs);
    au_json_put_u64(j, "cycles_learned", n->learned);
    au_json_put_u64(j, "on_shared_walks", n->shared);
    au_json_put_u64(j, "events_walked", n->walked);
    au_json_put_u64(j, "solver_feasible", n->solved);
    au_json_put_u64(j, "solver_infeasible", n->unsolved);
    au_json_put_u64(j, "feasible", feasible);
    au_json_put_u64(j, "infeasible", n->cycle + n->refuted + n->unsolved);
    au_json_put_u64(j, "undecided", n->open);
    au_json_put_u64(j, "same_value", n->same_value);
    au_json_put_u64(j, "not_looked_at", n->left);
    au_json_put_u64(j, "pairs", n->pairs);
    au_json_put_u64(j, "read_couples_broken", n->couples);
    au_json_end_object(j);
}

static void put_sources(au_json *j, const au_dossier *d) {
    if (!d->source.n)
        return;
    au_json_key(j, "sources");
    au_json_array(j);
    for (size_t i = 0; i < d->source.n; i++) {
        const au_case_source *s = &d->source.at[i];
        au_json_object(j);
        au_json_put_string(j, "file", s->file);
        au_json_put_u64(j, "first", s->first);
        put_texts(j, "lines", s->line, s->n);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_graphs(au_json *j, const au_dossier *d) {
    if (!d->graph.n)
        return;
    au_json_key(j, "graphs");
    au_json_array(j);
    for (size_t i = 0; i < d->graph.n; i++) {
        au_json_object(j);
        au_json_put_string(j, "name", d->graph.at[i].name);
        put_text(j, "finding", d->graph.at[i].finding);
        au_json_put_string(j, "svg", d->graph.at[i].svg);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_stats(au_json *j, const au_dossier *d) {
    au_json_key(j, "stats");
    au_json_object_inline(j);
    au_json_key(j, "seconds");
    au_json_double(j, d->seconds);
    au_json_put_u64(j, "peak_kib", d->peak_kib);
    for (size_t i = 0; i < d->number.n; i++) {
        au_json_key(j, d->number.at[i].name);
        au_json_double(j, d->number.at[i].value);
    }
    au_json_end_object(j);
}

/* ---- shards ------------------------------------------------------------------------------ */

uint64_t au_case_shard_sum(const au_case_shard *s) {
    uint64_t sum = s->answer.n;
    for (size_t i = 0; i < s->answer.n; i++) {
        const au_case_answer *a = &s->answer.at[i];
        sum = au_hash_join(sum, au_key2(a->call, a->question));
        sum = au_hash_join(sum, au_hash_bytes(a->digest, strlen(a->digest)));
        sum = au_hash_join(sum, au_hash_bytes(a->answer, strlen(a->answer)));
    }
    return sum;
}

static void put_parts(au_json *j, const au_dossier *d) {
    au_json_key(j, "parts");
    au_json_array(j);
    for (size_t i = 0; i < d->shard.part.n; i++) {
        const au_case_part *p = &d->shard.part.at[i];
        au_json_object_inline(j);
        au_json_put_u64(j, "number", p->number);
        au_json_put_string(j, "directory", p->directory);
        if (!d->timeless) {
            au_json_key(j, "seconds");
            au_json_double(j, p->seconds);
            au_json_put_u64(j, "peak_kib", p->peak_kib);
        }
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_shard(au_json *j, const au_dossier *d) {
    const au_case_shard *s = &d->shard;
    char sum[20];
    snprintf(sum, sizeof sum, "%016" PRIx64, au_case_shard_sum(s));
    au_json_key(j, "shard");
    au_json_object(j);
    au_json_put_u64(j, "of", s->of);
    au_json_put_string(j, "check", s->check);
    put_parts(j, d);
    put_texts(j, "options", s->option.at, s->option.n);
    au_json_key(j, "inputs");
    au_json_array(j);
    for (size_t i = 0; i < s->input.n; i++) {
        au_json_object_inline(j);
        au_json_put_string(j, "path", s->input.at[i].path);
        au_json_put_u64(j, "bytes", s->input.at[i].bytes);
        au_json_put_string(j, "hash", s->input.at[i].hash);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_key(j, "answers");
    au_json_array(j);
    for (size_t i = 0; i < s->answer.n; i++) {
        au_json_object_inline(j);
        au_json_put_u64(j, "call", s->answer.at[i].call);
        au_json_put_u64(j, "question", s->answer.at[i].question);
        au_json_put_string(j, "digest", s->answer.at[i].digest);
        au_json_put_string(j, "answer", s->answer.at[i].answer);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_put_string(j, "sum", sum);
    au_json_end_object(j);
}

static void put_open(void *ctx, const char *text) {
    au_json_string(ctx, text);
}

/* What was done and what was covered are one text. */
static void put_explored(au_json *j, const au_dossier *d) {
    char *claim = au_dossier_coverage(d);
    char *text = au_sprintf("%s%s%s", d->explored, *d->explored && *claim ? " " : "", claim);
    put_text(j, "explored", text);
    free(text);
    free(claim);
    au_json_put_bool(j, "exhaustive", au_dossier_is_exhaustive(d));
    au_json_key(j, "open");
    au_json_array(j);
    au_dossier_each_open(d, put_open, j);
    au_json_end_array(j);
}

void au_dossier_json(const au_dossier *d, au_out *out) {
    au_json j;
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    put_texts(&j, "input", d->input.at, d->input.n);
    au_json_key(&j, "trace");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "threads", d->threads);
    au_json_put_u64(&j, "events", d->events);
    au_json_put_u64(&j, "locks", d->locks);
    au_json_put_u64(&j, "vars", d->vars);
    au_json_end_object(&j);
    put_text(&j, "memory_model", d->memory);
    put_funnel(&j, d);
    if (d->has_nondet)
        put_nondet(&j, &d->nondet);
    au_json_key(&j, "findings");
    au_json_array(&j);
    for (size_t i = 0; i < d->at.n; i++)
        put_case(&j, d, &d->at.at[i]);
    au_json_end_array(&j);
    put_texts(&j, "inconclusive", d->inconclusive.at, d->inconclusive.n);
    if (d->note.n)
        put_texts(&j, "notes", d->note.at, d->note.n);
    if (d->suite.n)
        put_texts(&j, "suite", d->suite.at, d->suite.n);
    if (*d->program || d->disagreements)
        au_json_put_u64(&j, "disagreements", d->disagreements);
    put_text(&j, "program", d->program);
    if (*d->program)
        put_texts(&j, "args", d->arg.at, d->arg.n);
    put_text(&j, "cwd", d->cwd);
    put_text(&j, "when", d->when);
    put_explored(&j, d);
    put_sources(&j, d);
    put_graphs(&j, d);
    if (!d->timeless)
        put_stats(&j, d);
    if (d->shard.of)
        put_shard(&j, d);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}
