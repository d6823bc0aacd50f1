/* trace/perfetto_write.c: events as a Chrome trace (JSON), for ui.perfetto.dev and
 * chrome://tracing.
 *
 * One process, one track a thread, and as the clock the number of the event: event
 * 7 is a slice from 7 to 8 microseconds. Around these slices stand spans: a lock
 * held, an atomic block, a condition waited for, a barrier. Arrows (flows) go from
 * fork to a thread's first event, from its last event to join, from signal to wake.
 *
 * What the viewers demand, and how it is kept:
 *   - spans of a track nest. Locks need not: where one is released from under others,
 *     these are closed, too, and opened again at the same instant, marked
 *     "continued". To keep the output linear in the input this is done for at most
 *     MAX_REOPENED others; past that the span stays open until it is on top, and its
 *     end says when the lock was really released;
 *   - every B has its E: what is open at the end of the trace is closed there;
 *   - a flow binds to the slice around it in time. Its ends are put in the middle of
 *     their slices, since viewers differ in how they order equal times.
 * Events need not stand in the order of time (the start of a join's arrow does not). */
#include "base/json.h"
#include "base/limits.h"
#include "trace/reader_priv.h"

enum { MAX_REOPENED = 16, PID = 1 }; /* see above: beyond it nothing is lost, it looks different */

typedef enum { NOTHING, HOLD, BLOCK, WAIT, BARRIER } span_kind;

typedef struct {
    span_kind kind;
    uint32_t obj;
    const char *verb;  /* "holds", … */
    uint64_t released; /* not 0: over since then, but not yet on top */
} span;

typedef struct {
    bool seen;
    uint64_t last;      /* time of its last event */
    uint64_t forked_at; /* 0: no arrow to draw */
    uint16_t forked_by;
    uint64_t waits_since;
    AU_VEC(span) spans;
} track;

typedef struct {
    uint64_t at;
    uint16_t thread;
    bool broadcast;
} signal_event;

/* Signals sent while someone waits. */
typedef struct {
    size_t waiters;
    AU_VEC(signal_event) sent;
} condition;

typedef struct {
    au_encoder e;
    au_json j;
    char *title;
    bool begun;
    uint64_t lost; /* signals without an arrow */
    uint64_t now, flows;
    AU_VEC(track) tracks;
    AU_VEC(condition) conditions;
} perfetto_encoder;

static void name_string(au_json *j, const au_intern *t, uint32_t id) {
    au_json_string_n(j, au_intern_str(t, id), au_intern_len(t, id));
}

/* "verb name" as one string; 'verb' alone if there is no name. */
static void label(perfetto_encoder *e, const char *verb, const au_intern *t, uint32_t id) {
    au_json_key(&e->j, "name");
    if (!t || id == AU_NONE) {
        au_json_string(&e->j, verb);
        return;
    }
    size_t v = strlen(verb), n = au_intern_len(t, id);
    char *s = au_alloc(v + 1 + n);
    memcpy(s, verb, v);
    s[v] = ' ';
    memcpy(s + v + 1, au_intern_str(t, id), n);
    au_json_string_n(&e->j, s, v + 1 + n);
    free(s);
}

/* An element of traceEvents up to its time; the caller closes it. */
static void open_event(perfetto_encoder *e, const char *phase, uint16_t thread, uint64_t at) {
    au_json_object_inline(&e->j);
    au_json_put_string(&e->j, "ph", phase);
    au_json_put_u64(&e->j, "pid", PID);
    au_json_put_u64(&e->j, "tid", (uint64_t)thread + 1);
    au_json_put_u64(&e->j, "ts", at);
}

static void metadata(perfetto_encoder *e, const char *what, uint64_t tid, const char *s, size_t n) {
    au_json_object_inline(&e->j);
    au_json_put_string(&e->j, "ph", "M");
    au_json_put_u64(&e->j, "pid", PID);
    au_json_put_u64(&e->j, "tid", tid);
    au_json_put_string(&e->j, "name", what);
    au_json_key(&e->j, "args");
    au_json_object(&e->j);
    if (s) {
        au_json_key(&e->j, "name");
        au_json_string_n(&e->j, s, n);
    } else {
        au_json_put_u64(&e->j, "sort_index", tid);
    }
    au_json_end_object(&e->j);
    au_json_end_object(&e->j);
}

static void begin(perfetto_encoder *e) {
    if (e->begun)
        return;
    e->begun = true;
    au_json_init(&e->j, e->e.out, true);
    au_json_object(&e->j);
    au_json_put_string(&e->j, "displayTimeUnit", "ms");
    au_json_key(&e->j, "otherData");
    au_json_object_inline(&e->j);
    au_json_put_string(&e->j, "tool", "augur");
    au_json_put_string(&e->j, "version", AU_VERSION);
    au_json_put_string(&e->j, "clock", "one microsecond an event");
    au_json_end_object(&e->j);
    au_json_key(&e->j, "traceEvents");
    au_json_array(&e->j);
    metadata(e, "process_name", 0, e->title, strlen(e->title));
}

static void flow_end(perfetto_encoder *e, const char *phase, const char *name, uint16_t thread,
                     uint64_t at) {
    au_json_object_inline(&e->j);
    au_json_put_string(&e->j, "ph", phase);
    au_json_put_u64(&e->j, "pid", PID);
    au_json_put_u64(&e->j, "tid", (uint64_t)thread + 1);
    /* not a double: it would lose the half from 2^52 on, and digits before */
    au_json_key(&e->j, "ts");
    au_json_u64(&e->j, at);
    au_out_str(e->e.out, ".5");
    au_json_put_string(&e->j, "name", name);
    au_json_put_string(&e->j, "cat", "flow");
    au_json_put_u64(&e->j, "id", e->flows);
    if (*phase == 'f')
        au_json_put_string(&e->j, "bp", "e");
    au_json_end_object(&e->j);
}

static void flow(perfetto_encoder *e, const char *name, uint16_t from, uint64_t from_at,
                 uint16_t to, uint64_t to_at) {
    e->flows++;
    flow_end(e, "s", name, from, from_at);
    flow_end(e, "f", name, to, to_at);
}

static void begin_span(perfetto_encoder *e, uint16_t thread, const span *s, uint64_t at,
                       bool continued) {
    open_event(e, "B", thread, at);
    label(e, s->verb, s->kind == BLOCK ? &e->e.names->block : &e->e.names->lock, s->obj);
    au_json_put_string(&e->j, "cat", s->kind == BLOCK ? "atomic" : "sync");
    if (continued) {
        au_json_key(&e->j, "args");
        au_json_object(&e->j);
        au_json_put_bool(&e->j, "continued", true);
        au_json_end_object(&e->j);
    }
    au_json_end_object(&e->j);
}

static void end_span(perfetto_encoder *e, uint16_t thread, const span *s, uint64_t at) {
    open_event(e, "E", thread, at);
    if (s->released) {
        au_json_key(&e->j, "args");
        au_json_object(&e->j);
        au_json_put_u64(&e->j, "released", s->released);
        au_json_end_object(&e->j);
    }
    au_json_end_object(&e->j);
}

static void close_span(perfetto_encoder *e, uint16_t thread, span_kind kind, uint32_t obj,
                       uint64_t at) {
    track *t = &e->tracks.at[thread];
    size_t n = t->spans.n, k = n;
    while (k > 0) {
        const span *s = &t->spans.at[k - 1];
        if (s->kind == kind && !s->released && (kind == BLOCK || s->obj == obj))
            break;
        k--;
    }
    if (!k--)
        return;
    if (n - 1 - k > MAX_REOPENED) {
        t->spans.at[k].released = at - 1;
        return;
    }
    for (size_t i = n; i > k; i--)
        end_span(e, thread, &t->spans.at[i - 1], at);
    t->spans.n = k;
    for (size_t i = k + 1; i < n; i++) {
        span s = t->spans.at[i];
        if (s.released)
            continue;
        begin_span(e, thread, &s, at, true);
        t->spans.at[t->spans.n++] = s;
    }
    while (t->spans.n && au_vec_last(&t->spans).released) {
        end_span(e, thread, &au_vec_last(&t->spans), at);
        t->spans.n--;
    }
}

static void open_span(perfetto_encoder *e, uint16_t thread, span_kind kind, const char *verb,
                      uint32_t obj, uint64_t at) {
    span s = {.kind = kind, .obj = obj, .verb = verb};
    begin_span(e, thread, &s, at, false);
    au_vec_push(&e->tracks.at[thread].spans, s);
}

static void slice(perfetto_encoder *e, const au_block *b, size_t i, uint64_t at) {
    au_op op = b->op[i];
    uint8_t space = au_op_space(op);
    const au_intern *operands = au_names_space_const(e->e.names, space);
    static const char *const key[AU_WIRE_SPACES] = {[AU_WIRE_SPACE_THREAD] = "thread",
                                                    [AU_WIRE_SPACE_VAR] = "variable",
                                                    [AU_WIRE_SPACE_LOCK] = "object",
                                                    [AU_WIRE_SPACE_BLOCK] = "block"};
    open_event(e, "X", b->thread[i], at);
    au_json_put_u64(&e->j, "dur", 1);
    label(e, au_op_name(op), operands, b->obj[i]);
    au_json_put_string(&e->j, "cat",
                       space == AU_WIRE_SPACE_VAR     ? "access"
                       : space == AU_WIRE_SPACE_BLOCK ? "atomic"
                                                      : "sync");
    au_json_key(&e->j, "args");
    au_json_object(&e->j);
    au_json_put_string(&e->j, "op", au_op_name(op));
    if (operands && b->obj[i] != AU_NONE) {
        au_json_key(&e->j, key[space]);
        name_string(&e->j, operands, b->obj[i]);
    }
    if (au_block_has_value(b, i))
        au_json_put_i64(&e->j, "value", b->value[i]);
    if (b->loc[i] < AU_LOC_NAMED) {
        au_json_put_u64(&e->j, "location", b->loc[i]);
    } else if (b->loc[i] != AU_NONE) {
        au_json_key(&e->j, "location");
        name_string(&e->j, &e->e.names->loc, b->loc[i] - AU_LOC_NAMED);
    }
    au_json_end_object(&e->j);
    au_json_end_object(&e->j);
}

static track *track_of(perfetto_encoder *e, uint32_t thread) {
    while (e->tracks.n <= thread)
        au_vec_push(&e->tracks, ((track){0}));
    return &e->tracks.at[thread];
}

static condition *condition_of(perfetto_encoder *e, uint32_t obj) {
    while (e->conditions.n <= obj)
        au_vec_push(&e->conditions, ((condition){0}));
    return &e->conditions.at[obj];
}

static void send_signal(perfetto_encoder *e, condition *c, uint16_t thread, uint64_t at,
                        bool broadcast) {
    if (!c->waiters)
        return; /* lost */
    if (c->sent.n == AU_LIMIT_PERFETTO_SIGNALS) {
        memmove(c->sent.at, c->sent.at + 1, --c->sent.n * sizeof *c->sent.at);
        e->lost++;
    }
    au_vec_push(&c->sent, ((signal_event){at, thread, broadcast}));
}

/* The trace does not say which signal woke whom: the first one since the wait began
 * that no other waiter took is a possible answer. */
static void wake(perfetto_encoder *e, uint16_t thread, uint32_t obj, uint64_t at) {
    condition *c = condition_of(e, obj);
    for (size_t i = 0; i < c->sent.n; i++) {
        signal_event s = c->sent.at[i];
        if (s.at <= e->tracks.at[thread].waits_since)
            continue;
        flow(e, "wake", s.thread, s.at, thread, at);
        if (!s.broadcast)
            memmove(c->sent.at + i, c->sent.at + i + 1, (--c->sent.n - i) * sizeof *c->sent.at);
        break;
    }
    if (c->waiters && !--c->waiters)
        au_vec_clear(&c->sent);
}

/* What goes before the event's own slice. */
static void before_slice(perfetto_encoder *e, au_op op, uint16_t thread, uint32_t obj,
                         uint64_t at) {
    switch (op) {
    case AU_OP_ACQ:
        open_span(e, thread, HOLD, "holds", obj, at);
        break;
    case AU_OP_RDACQ:
        open_span(e, thread, HOLD, "holds (shared)", obj, at);
        break;
    case AU_OP_WRACQ:
        open_span(e, thread, HOLD, "holds (exclusive)", obj, at);
        break;
    case AU_OP_BEGIN:
        open_span(e, thread, BLOCK, "atomic", obj, at);
        break;
    case AU_OP_WAIT:
        open_span(e, thread, WAIT, "waits for", obj, at);
        break;
    case AU_OP_ARRIVE:
        open_span(e, thread, BARRIER, "waits at", obj, at);
        break;
    default:
        break;
    }
}

/* What goes after it: the ends of spans, and arrows. */
static void after_slice(perfetto_encoder *e, au_op op, uint16_t thread, uint32_t obj, uint64_t at) {
    switch (op) {
    case AU_OP_REL:
        close_span(e, thread, HOLD, obj, at + 1);
        break;
    case AU_OP_END:
        close_span(e, thread, BLOCK, obj, at + 1);
        break;
    case AU_OP_LEAVE:
        close_span(e, thread, BARRIER, obj, at + 1);
        break;
    case AU_OP_WAIT:
        condition_of(e, obj)->waiters++;
        e->tracks.at[thread].waits_since = at;
        break;
    case AU_OP_WAKE:
        wake(e, thread, obj, at);
        close_span(e, thread, WAIT, obj, at + 1);
        break;
    case AU_OP_SIGNAL:
    case AU_OP_BROADCAST:
        send_signal(e, condition_of(e, obj), thread, at, op == AU_OP_BROADCAST);
        break;
    case AU_OP_FORK: {
        track *child = track_of(e, obj);
        child->forked_at = at;
        child->forked_by = thread;
        break;
    }
    case AU_OP_JOIN: {
        track *child = track_of(e, obj);
        if (child->seen)
            flow(e, "join", (uint16_t)obj, child->last, thread, at);
        break;
    }
    default:
        break;
    }
}

static au_status put(au_encoder *a, const au_block *b, au_error *err) {
    (void)err;
    perfetto_encoder *e = (perfetto_encoder *)a;
    begin(e);
    for (size_t i = 0; i < b->n; i++) {
        uint16_t thread = b->thread[i];
        uint64_t number = b->first + i + 1;
        uint64_t at = e->now = number > e->now ? number : e->now + 1;
        track *t = track_of(e, thread);
        bool first = !t->seen;
        t->seen = true;
        t->last = at;
        if (first) {
            const au_intern *names = &a->names->thread;
            metadata(e, "thread_name", (uint64_t)thread + 1, au_intern_str(names, thread),
                     au_intern_len(names, thread));
            metadata(e, "thread_sort_index", (uint64_t)thread + 1, NULL, 0);
        }
        before_slice(e, b->op[i], thread, b->obj[i], at);
        slice(e, b, i, at);
        t = track_of(e, thread);
        if (first && t->forked_at)
            flow(e, "fork", t->forked_by, t->forked_at, thread, at);
        after_slice(e, b->op[i], thread, b->obj[i], at);
    }
    return AU_OK;
}

static au_status finish(au_encoder *a, au_error *err) {
    (void)err;
    perfetto_encoder *e = (perfetto_encoder *)a;
    begin(e);
    for (size_t t = 0; t < e->tracks.n; t++)
        for (size_t i = e->tracks.at[t].spans.n; i > 0; i--)
            end_span(e, (uint16_t)t, &e->tracks.at[t].spans.at[i - 1], e->now + 1);
    au_json_end_array(&e->j);
    if (e->lost) {
        au_json_key(&e->j, "metadata");
        au_json_object_inline(&e->j);
        au_json_put_string(
            &e->j, "note",
            au_limit_say(AU_AT_PERFETTO_SIGNALS, e->lost, 0, (char[AU_LIMIT_TEXT]){0}));
        au_json_end_object(&e->j);
    }
    au_json_end_object(&e->j);
    au_out_char(a->out, '\n');
    return AU_OK;
}

static void free_encoder(au_encoder *a) {
    perfetto_encoder *e = (perfetto_encoder *)a;
    for (size_t i = 0; i < e->tracks.n; i++)
        au_vec_release(&e->tracks.at[i].spans);
    for (size_t i = 0; i < e->conditions.n; i++)
        au_vec_release(&e->conditions.at[i].sent);
    au_vec_release(&e->tracks);
    au_vec_release(&e->conditions);
    free(e->title);
    free(e);
}

au_encoder *au_encode_perfetto(au_out *out, const au_names *names, const char *title) {
    perfetto_encoder *e = AU_NEW(perfetto_encoder);
    e->e = (au_encoder){
        .put = put, .finish = finish, .free = free_encoder, .out = out, .names = names};
    e->title = au_strdup(title ? title : "augur");
    return &e->e;
}
