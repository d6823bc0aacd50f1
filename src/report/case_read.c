/* report/case_read.c: dossiers from their JSON.
 *
 * Strict: what is there has the right type, and what a finding cannot do without is there; fields
 * that are not known are passed over, so that an older augur reads what a newer one wrote. All
 * sizes follow from the text's. */
#include "report/case_words.h"
#include "report/schedule.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

typedef struct {
    au_dossier *d;
    const char *name;
    const char *finding; /* the one being read, for messages; NULL */
    au_error *err;
    bool
        by_hand; /* a schedule file: of findings only what is needed to execute them must be there */
    bool bad;
} reading;

static void complain(reading *r, const char *what, const char *key) {
    if (r->bad)
        return;
    r->bad = true;
    if (r->finding)
        au_error_set(r->err, AU_EFORMAT, "%s: finding '%.40s': '%.40s' %s", r->name, r->finding,
                     key, what);
    else
        au_error_set(r->err, AU_EFORMAT, "%s: '%.40s' %s", r->name, key, what);
}

/* In words of its own. */
static void refuse(reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void refuse(reading *r, const char *fmt, ...) {
    char text[200];
    va_list ap;
    if (r->bad)
        return;
    r->bad = true;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    au_error_set(r->err, AU_EFORMAT, "%s: %s", r->name, text);
}

static const cJSON *get(const cJSON *o, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static const char *copy(reading *r, const cJSON *x) {
    return au_dossier_text_copy(r->d, x->valuestring);
}

static const char *text(reading *r, const cJSON *o, const char *key, bool needed) {
    const cJSON *x = get(o, key);
    if (!x && !needed)
        return "";
    if (!cJSON_IsString(x)) {
        complain(r, x ? "is not a string" : "is missing", key);
        return "";
    }
    return copy(r, x);
}

/* The name of a thread; NULL: it is none. By hand also its number. */
static const char *thread_of(reading *r, const cJSON *x) {
    char name[16];
    uint32_t number;
    if (!r->by_hand)
        return cJSON_IsString(x) ? copy(r, x) : NULL;
    if (cJSON_IsNumber(x) && x->valuedouble >= 0 && x->valuedouble < UINT32_MAX) {
        snprintf(name, sizeof name, "T%.0f", floor(x->valuedouble));
        return au_schedule_thread(name, &number) ? au_dossier_text_copy(r->d, name) : NULL;
    }
    return cJSON_IsString(x) && au_schedule_thread(x->valuestring, &number) ? copy(r, x) : NULL;
}

static bool count_of(const cJSON *x, uint64_t *v) {
    if (!cJSON_IsNumber(x) || !(x->valuedouble >= 0) || x->valuedouble > 9e15 ||
        x->valuedouble != floor(x->valuedouble))
        return false;
    *v = (uint64_t)x->valuedouble;
    return true;
}

static uint64_t count(reading *r, const cJSON *o, const char *key, bool needed) {
    const cJSON *x = get(o, key);
    uint64_t v = 0;
    if (!x && !needed)
        return 0;
    if (!count_of(x, &v))
        complain(r, x ? "is not a count" : "is missing", key);
    return v;
}

static uint32_t small(reading *r, const cJSON *o, const char *key) {
    uint64_t v = count(r, o, key, false);
    if (v > UINT32_MAX) {
        complain(r, "is too large", key);
        return 0;
    }
    return (uint32_t)v;
}

static bool flag(reading *r, const cJSON *o, const char *key) {
    const cJSON *x = get(o, key);
    if (x && !cJSON_IsBool(x))
        complain(r, "is neither true nor false", key);
    return cJSON_IsTrue(x);
}

static double number(reading *r, const cJSON *o, const char *key) {
    const cJSON *x = get(o, key);
    if (x && !cJSON_IsNumber(x) && !cJSON_IsNull(x))
        complain(r, "is not a number", key);
    return cJSON_IsNumber(x) ? x->valuedouble : 0;
}

/* A list, empty if it is missing. */
static const cJSON *list(reading *r, const cJSON *o, const char *key) {
    const cJSON *x = get(o, key);
    if (x && !cJSON_IsArray(x)) {
        complain(r, "is not a list", key);
        return NULL;
    }
    return x;
}

static const cJSON *object(reading *r, const cJSON *o, const char *key) {
    const cJSON *x = get(o, key);
    if (x && !cJSON_IsObject(x)) {
        complain(r, "is not an object", key);
        return NULL;
    }
    return x;
}

/* "value", exactly where "exact" is there. */
static bool value(reading *r, const cJSON *o, int64_t *v) {
    const cJSON *x = get(o, "value"), *exact = get(o, "exact");
    if (!x && !exact)
        return false;
    if (exact) {
        char *end = NULL;
        errno = 0;
        *v = cJSON_IsString(exact) ? strtoll(exact->valuestring, &end, 10) : 0;
        if (!end || end == exact->valuestring || *end || errno)
            complain(r, "is not a number as text", "exact");
        return true;
    }
    if (!cJSON_IsNumber(x) || !(fabs(x->valuedouble) <= 9.2e18) ||
        x->valuedouble != floor(x->valuedouble)) {
        complain(r, "is not a whole number", "value");
        return false;
    }
    *v = (int64_t)x->valuedouble;
    return true;
}

/* Which of the names it is, or n. */
static int one_of(const char *s, const char *(*name)(int), int n) {
    for (int i = 0; i < n; i++)
        if (!strcmp(s, name(i)))
            return i;
    return n;
}
static const char *kind_name(int k) {
    return au_kind_name((au_kind)k);
}
static const char *standing_name(int s) {
    return au_standing_name((au_standing)s);
}
static const char *replay_name(int k) {
    return au_case_replay_name((au_case_replay)k);
}

/* ---- cases ------------------------------------------------------------------------------- */

static void read_held(reading *r, const cJSON *o, au_case_event *e) {
    const cJSON *x, *held = list(r, o, "held");
    int n = cJSON_GetArraySize(held);
    const char **at = AU_ARENA_ARRAY(&r->d->arena, const char *, (size_t)n);
    e->held = at;
    cJSON_ArrayForEach(x, held) {
        if (!cJSON_IsString(x)) {
            complain(r, "has something else than names", "held");
            return;
        }
        at[e->n_held++] = copy(r, x);
    }
}

static void read_callers(reading *r, const cJSON *o, au_case_event *e) {
    const cJSON *x, *callers = list(r, o, "callers");
    int n = cJSON_GetArraySize(callers);
    au_case_frame *at = AU_ARENA_ARRAY(&r->d->arena, au_case_frame, (size_t)n);
    e->caller = at;
    cJSON_ArrayForEach(x, callers) {
        if (!cJSON_IsObject(x)) {
            complain(r, "has something else than calls", "callers");
            return;
        }
        at[e->n_callers++] = (au_case_frame){text(r, x, "function", true),
                                             text(r, x, "file", false), small(r, x, "line")};
    }
}

static void read_events(reading *r, const cJSON *o, const char *key, size_t decisive,
                        au_case_events *to) {
    const cJSON *x;
    cJSON_ArrayForEach(x, list(r, o, key)) {
        if (!cJSON_IsObject(x)) {
            complain(r, "has something else than events", key);
            return;
        }
        au_case_event e = au_case_event_none();
        if (r->by_hand && (!(e.thread = thread_of(r, get(x, "thread"))) ||
                           !count_of(get(x, "index"), &e.index) || !e.index)) {
            refuse(r, "an event of the finding has no thread and index");
            return;
        }
        e.thread = r->by_hand ? e.thread : text(r, x, "thread", true);
        e.called = text(r, x, "thread_name", false);
        e.index = count(r, x, "index", true);
        e.op = text(r, x, "op", !r->by_hand);
        e.label = text(r, x, "label", false);
        e.object = text(r, x, "object", false);
        e.location = text(r, x, "location", false);
        e.file = text(r, x, "file", false);
        e.line = small(r, x, "line");
        e.function = text(r, x, "function", false);
        e.text = text(r, x, "source", false);
        e.until = count(r, x, "until", false);
        e.number = count(r, x, "event", false);
        e.skipped = count(r, x, "skipped", false);
        e.frees = flag(r, x, "frees");
        e.decisive = small(r, x, "decisive");
        e.has_value = value(r, x, &e.value);
        if (e.decisive > decisive)
            complain(r, "names an event that the finding has not", "decisive");
        read_held(r, x, &e);
        read_callers(r, x, &e);
        au_vec_push(to, e);
    }
}

static uint32_t read_cut(reading *r, const cJSON *o, const char *key, const au_case_events *v) {
    uint32_t cut = small(r, o, key);
    if (cut && cut >= v->n)
        complain(r, "is behind the last event", key);
    return cut;
}

static void read_turns(reading *r, const cJSON *turns, au_case *c) {
    const cJSON *x;
    unsigned k = 0;
    au_intern threads;
    au_intern_init(&threads);
    cJSON_ArrayForEach(x, turns) {
        const cJSON *mark = cJSON_GetArrayItem(x, 2);
        const char *thread = cJSON_IsArray(x) ? thread_of(r, cJSON_GetArrayItem(x, 0)) : NULL;
        uint64_t upto;
        uint16_t m = AU_MARK_NONE;
        k++;
        if (!thread || !count_of(cJSON_GetArrayItem(x, 1), &upto) || (r->by_hand && !upto) ||
            (mark &&
             (!cJSON_IsString(mark) || !au_mark_of(mark->valuestring, &m) || (r->by_hand && !m)))) {
            if (r->by_hand)
                refuse(r, "turn %u of the schedule is not a pair like [\"T1\",14]", k);
            else
                complain(r, "has a turn that is not a pair like [\"T1\",14]", "schedule");
            break;
        }
        au_case_add_turn(r->d, c, &threads, thread, upto, (au_turn_mark)m);
    }
    au_intern_release(&threads);
}

static void read_values(reading *r, const cJSON *o, au_case *c) {
    const cJSON *x;
    cJSON_ArrayForEach(x, list(r, o, "values")) {
        au_case_value v = {.thread = text(r, x, "thread", true),
                           .index = count(r, x, "index", true),
                           .var = text(r, x, "var", true)};
        const char *op = text(r, x, "op", true);
        v.write = !strcmp(op, "write");
        if (!v.write && strcmp(op, "read"))
            complain(r, "is neither 'read' nor 'write'", "op");
        if (!value(r, x, &v.value))
            complain(r, "is missing", "value");
        au_vec_push(&c->value, v);
    }
}

/* ["T1", 2], or "initial": "" and 0. */
static const char *read_event_of(reading *r, const cJSON *o, const char *key, uint64_t *index) {
    const cJSON *x = get(o, key), *thread = cJSON_GetArrayItem(x, 0),
                *at = cJSON_GetArrayItem(x, 1);
    *index = 0;
    if (cJSON_IsString(x) && !strcmp(x->valuestring, "initial"))
        return "";
    if (!cJSON_IsArray(x) || cJSON_GetArraySize(x) != 2 || !cJSON_IsString(thread) ||
        !cJSON_IsNumber(at) || !(at->valuedouble >= 1 && at->valuedouble < 1e15)) {
        complain(r, "is no pair like [\"T1\",14]", key);
        return "";
    }
    *index = (uint64_t)at->valuedouble;
    return au_dossier_text_copy(r->d, thread->valuestring);
}

static void read_execution(reading *r, const cJSON *o, au_case *c) {
    const cJSON *e = object(r, o, "execution"), *x;
    if (!e)
        return;
    cJSON_ArrayForEach(x, list(r, e, "reads")) {
        au_case_sees s = {.var = text(r, x, "var", true)};
        s.thread = read_event_of(r, x, "read", &s.index);
        s.by = read_event_of(r, x, "sees", &s.by_index);
        au_vec_push(&c->sees, s);
    }
    cJSON_ArrayForEach(x, list(r, e, "writes")) {
        au_case_wrote w = {.var = text(r, x, "var", true)};
        w.thread = read_event_of(r, x, "write", &w.index);
        au_vec_push(&c->wrote, w);
    }
}

static void read_replay(reading *r, const cJSON *o, au_case *c) {
    const cJSON *x = object(r, o, "replay");
    if (!x)
        return;
    int k = one_of(text(r, x, "outcome", true), replay_name, AU_REPLAY_DIVERGED + 1);
    if (k > AU_REPLAY_DIVERGED)
        complain(r, "is unknown", "outcome");
    else
        c->replay = (au_case_replay)k;
    c->replay_text = text(r, x, "text", false);
    c->disagrees = flag(r, x, "disagrees");
    c->replay_command = text(r, x, "command", false);
}

typedef AU_VEC(const char *) texts;

static texts read_texts(reading *r, const cJSON *o, const char *key) {
    const cJSON *x;
    texts v = {0};
    cJSON_ArrayForEach(x, list(r, o, key)) {
        if (!cJSON_IsString(x)) {
            complain(r, "has something else than strings", key);
            break;
        }
        au_vec_push(&v, copy(r, x));
    }
    return v;
}

/* Into a vector of the dossier, whose type has no name. */
#define READ_TEXTS(r, o, key, into)                                                                \
    do {                                                                                           \
        texts v_ = read_texts(r, o, key);                                                          \
        for (size_t i_ = 0; i_ < v_.n; i_++)                                                       \
            au_vec_push(into, v_.at[i_]);                                                          \
        au_vec_release(&v_);                                                                       \
    } while (0)

static void read_variants(reading *r, const cJSON *o, size_t of);

/* within: it is a variant of a case, and has none itself. */
static void read_case(reading *r, const cJSON *o, bool within) {
    const cJSON *id = get(o, "id");
    r->finding = cJSON_IsString(id) ? id->valuestring : "?";
    if (!cJSON_IsObject(o)) {
        complain(r, "has something else than findings", "findings");
        return;
    }
    au_kind of = AU_KINDS;
    au_narrow narrow = au_narrow_by_name(text(r, o, "kind", true), &of);
    int kind = narrow ? one_of(text(r, o, "also", false), kind_name, AU_KINDS)
                      : one_of(text(r, o, "kind", true), kind_name, AU_KINDS);
    if (narrow && kind == AU_KINDS)
        kind = (int)of;
    int standing = r->by_hand && !get(o, "status")
                       ? AU_IS_POSSIBLE
                       : one_of(text(r, o, "status", true), standing_name, AU_IS_REFUTED + 1);
    if (kind == AU_KINDS || standing > AU_IS_REFUTED) {
        complain(r, "is unknown", kind == AU_KINDS ? "kind" : "status");
        return;
    }
    au_case *c = au_dossier_add(r->d, (au_kind)kind);
    c->narrow = narrow;
    c->standing = (au_standing)standing;
    c->id = r->by_hand && !id ? "?" : text(r, o, "id", true);
    c->var = text(r, o, au_case_is_about_lock(c) ? "lock" : "var", false);
    c->what = text(r, o, kind == AU_KIND_ATOMICITY ? "pattern" : "what", false);
    c->why = text(r, o, "reason", false);
    c->message = text(r, o, "message", false);
    c->fingerprint = text(r, o, "fingerprint", false);
    c->earlier = text(r, o, "earlier_fingerprint", false);
    read_events(r, o, "events", UINT32_MAX, &c->event);
    read_turns(r, list(r, o, "schedule"), c);
    read_values(r, o, c);
    c->spurious = flag(r, o, "spurious_wakeup");
    c->memory = text(r, o, "memory", false);
    c->x86 = !get(o, "x86") ? AU_ON_X86_UNKNOWN : flag(r, o, "x86") ? AU_ON_X86_YES : AU_ON_X86_NO;
    c->remedy = text(r, o, "remedy", false);
    read_execution(r, o, c);
    read_events(r, o, "witness", c->event.n, &c->witness);
    read_events(r, o, "observed", c->event.n, &c->observed);
    c->witness_cut = read_cut(r, o, "witness_cut", &c->witness);
    c->observed_cut = read_cut(r, o, "observed_cut", &c->observed);
    c->witness_left_out = count(r, o, "witness_left_out", false);
    c->observed_left_out = count(r, o, "observed_left_out", false);
    c->recording = text(r, o, "recording", false);
    read_replay(r, o, c);
    c->triage = text(r, o, "triage", false);
    c->note = text(r, o, "note", false);
    c->state = text(r, o, "state", false);
    c->known = flag(r, o, "known");
    c->aside = flag(r, o, "aside");
    c->harm = text(r, o, "harm", false);
    c->harm_text = text(r, o, "harm_text", false);
    READ_TEXTS(r, o, "tests", &c->test);
    if (!within)
        read_variants(r, o, r->d->at.n - 1);
    r->finding = NULL;
}

/* Each is read as a case, and put below the one that it belongs to. */
static void read_variants(reading *r, const cJSON *o, size_t of) {
    const cJSON *x;
    cJSON_ArrayForEach(x, list(r, o, "folded")) {
        read_case(r, x, true);
        if (r->d->at.n == of + 1)
            return; /* it was none */
        au_case one = au_vec_pop(&r->d->at);
        au_vec_push(&r->d->at.at[of].variant, one);
    }
}

/* ---- dossiers ---------------------------------------------------------------------------- */

static void read_funnel(reading *r, const cJSON *root) {
    const cJSON *x;
    cJSON_ArrayForEach(x, object(r, root, "funnel")) {
        if (!cJSON_IsObject(x)) {
            complain(r, "has something else than objects", "funnel");
            return;
        }
        au_case_funnel f = {.kind = au_dossier_text_copy(r->d, x->string),
                            .unit = text(r, x, "unit", false)};
        for (int s = 0; s < AU_STAGES; s++)
            f.left[s] =
                get(x, au_stage_name(s)) ? count(r, x, au_stage_name(s), true) : AU_STAGE_UNKNOWN;
        au_vec_push(&r->d->funnel, f);
    }
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

static void read_nondet(reading *r, const cJSON *root) {
    const cJSON *x = object(r, root, "nondeterminism");
    au_nondet_counts *n = &r->d->nondet;
    if (!x)
        return;
    r->d->has_nondet = true;
    n->all = count(r, x, "witnesses", true);
    n->cycle = count(r, x, "cycle", false);
    n->shared = count(r, x, "on_shared_walks", false);
    n->direct = less(count(r, x, "no_choice", false), n->shared);
    n->refuted = count(r, x, "choices_infeasible", false);
    n->chosen = less(count(r, x, "with_choices", false), n->refuted);
    n->graphs = count(r, x, "graphs", false);
    n->learned = count(r, x, "cycles_learned", false);
    n->walked = count(r, x, "events_walked", false);
    n->solved = count(r, x, "solver_feasible", false);
    n->unsolved = count(r, x, "solver_infeasible", false);
    n->open = count(r, x, "undecided", false);
    n->same_value = count(r, x, "same_value", false);
    n->left = count(r, x, "not_looked_at", false);
    n->pairs = count(r, x, "pairs", false);
    n->couples = count(r, x, "read_couples_broken", false);
}

static void read_sources(reading *r, const cJSON *root) {
    const cJSON *x;
    cJSON_ArrayForEach(x, list(r, root, "sources")) {
        au_case_source s = {.file = text(r, x, "file", true), .first = small(r, x, "first")};
        texts v = read_texts(r, x, "lines");
        const char **line = AU_ARENA_ARRAY(&r->d->arena, const char *, v.n);
        if (v.n)
            memcpy(line, v.at, v.n * sizeof *line);
        s.line = line;
        s.n = (uint32_t)v.n;
        if (!s.first || s.first > UINT32_MAX - s.n)
            complain(r, "is not the number of a line", "first");
        au_vec_release(&v);
        au_vec_push(&r->d->source, s);
    }
    cJSON_ArrayForEach(x, list(r, root, "graphs")) {
        au_case_graph g = {text(r, x, "name", true), text(r, x, "svg", true),
                           text(r, x, "finding", false)};
        au_vec_push(&r->d->graph, g);
    }
}

/* Apart again what the JSON has as one text. */
static void read_claim(reading *r, const cJSON *root) {
    au_dossier *d = r->d;
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(root, "exhaustive");
    const char *every = strstr(d->explored, "very interleaving of this input was covered");
    if (x && !every) {
        READ_TEXTS(r, root, "open", &d->open);
        d->complete = cJSON_IsTrue(x);
        d->beyond = d->open.n ? au_vec_last(&d->open) : d->beyond;
    }
    if (!x || !every || every == d->explored)
        return;
    every -= every - d->explored > 4 && !strncmp(every - 5, "Not e", 5) ? 5 : 1;
    d->claim = every;
    size_t n = (size_t)(every - d->explored);
    d->explored = au_arena_strndup(&d->arena, d->explored, n ? n - 1 : 0);
    READ_TEXTS(r, root, "open", &d->open);
    d->covered = cJSON_IsTrue(x) || !d->open.n;
}

static void read_head(reading *r, const cJSON *root) {
    au_dossier *d = r->d;
    const cJSON *trace = object(r, root, "trace"), *stats = object(r, root, "stats");
    READ_TEXTS(r, root, "input", &d->input);
    d->threads = count(r, trace, "threads", false);
    d->events = count(r, trace, "events", false);
    d->locks = count(r, trace, "locks", false);
    d->vars = count(r, trace, "vars", false);
    d->memory = text(r, root, "memory_model", false);
    read_funnel(r, root);
    read_nondet(r, root);
    READ_TEXTS(r, root, "inconclusive", &d->inconclusive);
    READ_TEXTS(r, root, "notes", &d->note);
    READ_TEXTS(r, root, "suite", &d->suite);
    d->disagreements = count(r, root, "disagreements", false);
    d->program = text(r, root, "program", false);
    READ_TEXTS(r, root, "args", &d->arg);
    d->cwd = text(r, root, "cwd", false);
    d->when = text(r, root, "when", false);
    d->explored = text(r, root, "explored", false);
    read_claim(r, root);
    read_sources(r, root);
    d->timeless = !stats;
    d->seconds = number(r, stats, "seconds");
    d->peak_kib = count(r, stats, "peak_kib", false);
}

static void read_parts(reading *r, const cJSON *shard) {
    const cJSON *x;
    au_case_shard *s = &r->d->shard;
    cJSON_ArrayForEach(x, list(r, shard, "parts")) {
        au_case_part p = {small(r, x, "number"), text(r, x, "directory", true),
                          number(r, x, "seconds"), count(r, x, "peak_kib", false)};
        if (!p.number || p.number > s->of ||
            (s->part.n && p.number <= au_vec_last(&s->part).number))
            complain(r, "is no shard of these, or not in their order", "number");
        if (r->bad)
            return;
        au_vec_push(&s->part, p);
    }
    if (!s->part.n)
        complain(r, "is missing", "parts");
}

/* What a check in shards needs to be put together again. */
static void read_shard(reading *r, const cJSON *root) {
    const cJSON *x, *shard = object(r, root, "shard");
    au_case_shard *s = &r->d->shard;
    char sum[20];
    if (!shard)
        return;
    s->of = small(r, shard, "of");
    if (!s->of)
        complain(r, "is missing", "of");
    s->check = text(r, shard, "check", true);
    read_parts(r, shard);
    READ_TEXTS(r, shard, "options", &s->option);
    cJSON_ArrayForEach(x, list(r, shard, "inputs")) {
        au_case_input in = {text(r, x, "path", true), text(r, x, "hash", true),
                            count(r, x, "bytes", true)};
        au_vec_push(&s->input, in);
    }
    cJSON_ArrayForEach(x, list(r, shard, "answers")) {
        au_case_answer a = {small(r, x, "call"), small(r, x, "question"),
                            text(r, x, "digest", true), text(r, x, "answer", true)};
        au_vec_push(&s->answer, a);
    }
    snprintf(sum, sizeof sum, "%016" PRIx64, au_case_shard_sum(s));
    if (!r->bad && strcmp(sum, text(r, shard, "sum", true)))
        complain(r, "are not those that were written", "answers");
}

/* NULL and *err if it is no JSON. */
static cJSON *parse(const char *s, size_t n, const char *name, au_error *err) {
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(s, n, &end, 0);
    while (root && end < s + n && strchr(" \t\r\n", *end) && *end)
        end++;
    if (root && end < s + n) {
        cJSON_Delete(root);
        root = NULL;
    }
    if (!root)
        au_error_set(err, AU_EFORMAT, "'%s' is not valid JSON (byte %zu)", name,
                     end && end >= s && end <= s + n ? (size_t)(end - s) + 1 : 1);
    return root;
}

au_status au_dossier_read(au_dossier *d, const char *s, size_t n, const char *name, au_error *err) {
    cJSON *root = parse(s, n, name, err);
    if (!root)
        return AU_EFORMAT;
    reading r = {.d = d, .name = name, .err = err};
    const cJSON *tool = get(root, "tool"), *x;
    if (!cJSON_IsObject(root) || !cJSON_IsString(tool) || strcmp(tool->valuestring, "augur")) {
        cJSON_Delete(root);
        return au_error_set(err, AU_EFORMAT, "'%s' is JSON, but not what augur writes", name);
    }
    if (!get(root, "findings"))
        complain(&r, "is missing", "findings");
    read_head(&r, root);
    read_shard(&r, root);
    cJSON_ArrayForEach(x, list(&r, root, "findings")) {
        if (r.bad)
            break;
        read_case(&r, x, false);
    }
    cJSON_Delete(root);
    return r.bad ? AU_EFORMAT : AU_OK;
}

au_status au_case_read(au_dossier *into, const char *s, size_t n, au_error *err) {
    cJSON *root = parse(s, n, "finding", err);
    if (!root)
        return AU_EFORMAT;
    reading r = {.d = into, .name = "finding", .err = err};
    size_t before = into->at.n;
    read_case(&r, root, false);
    cJSON_Delete(root);
    if (r.bad && into->at.n > before)
        au_dossier_drop_last(into);
    return r.bad ? AU_EFORMAT : AU_OK;
}

/* ---- schedules (report/schedule.h) ------------------------------------------------------- */

/* NULL: *err says why. */
static bool has_id(const cJSON *x, const char *id) {
    const cJSON *own = get(x, "id");
    return cJSON_IsString(own) && !strcmp(own->valuestring, id);
}

static const cJSON *pick(const cJSON *findings, const char *name, const char *id, au_error *err) {
    const cJSON *x, *found = NULL;
    unsigned n = 0;
    cJSON_ArrayForEach(x, findings) {
        const cJSON *v, *folded = get(x, "folded");
        n++;
        if (!id || has_id(x, id))
            found = x;
        cJSON_ArrayForEach(v, folded) if (id && has_id(v, id)) found = v;
    }
    if (!found && id && n)
        au_error_set(err, AU_EUSAGE, "there is no finding '%s' in '%s'", id, name);
    else if (!found)
        au_error_set(err, AU_EUSAGE, "there are no findings in '%s'", name);
    else if (!id && n > 1)
        au_error_set(err, AU_EUSAGE, "'%s' holds %u findings: choose one with '--finding'", name,
                     n);
    return !id && n > 1 ? NULL : found;
}

static au_status read_wanted(reading *r, const cJSON *root, const char *id) {
    const cJSON *findings = get(root, "findings"), *schedule = get(root, "schedule");
    const cJSON *finding = get(root, "kind") ? root : NULL;
    if (cJSON_IsArray(root) && id)
        return au_error_set(r->err, AU_EUSAGE, "'%s' holds a schedule, no findings", r->name);
    if (cJSON_IsArray(findings) && !(finding = pick(findings, r->name, id, r->err)))
        return r->err->status;
    if (cJSON_IsArray(findings)) /* of several runs? */
        READ_TEXTS(r, root, "input", &r->d->input);
    if (finding)
        read_case(r, finding, false);
    else if (cJSON_IsArray(root))
        read_turns(r, root, au_dossier_add(r->d, AU_KINDS));
    else if (schedule)
        read_turns(r, list(r, root, "schedule"), au_dossier_add(r->d, AU_KINDS));
    else
        return au_error_set(r->err, AU_EFORMAT, "'%s' holds neither findings nor a schedule",
                            r->name);
    const au_case *c = r->bad ? NULL : &r->d->at.at[0];
    if (c && finding && (!c->schedule.n || !c->event.n))
        return au_case_has_no_schedule(c, r->err);
    return r->bad ? AU_EFORMAT : AU_OK;
}

au_status au_schedule_json(au_dossier *d, const char *s, size_t n, const char *name, const char *id,
                           au_error *err) {
    cJSON *root = parse(s, n, name, err);
    if (!root)
        return AU_EFORMAT;
    reading r = {.d = d, .name = name, .err = err, .by_hand = true};
    au_status st = read_wanted(&r, root, id);
    cJSON_Delete(root);
    return st;
}
