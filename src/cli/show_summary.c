/* cli/show_summary.c: a trace in numbers: by operation, thread, lock, variable.
 * Memory grows with the names, not with the events. */
#include "base/json.h"
#include "base/printable.h"
#include "cli/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What an operation does to the counts of its operand. */
enum { OTHER, READS, WRITES, ATOMICS, ACQUIRES, RELEASES, KINDS };

static int kind_of(au_op op) {
    switch (op) {
    case AU_OP_READ:
        return READS;
    case AU_OP_WRITE:
        return WRITES;
    case AU_OP_AREAD:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        return ATOMICS;
    case AU_OP_ACQ:
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
        return ACQUIRES;
    case AU_OP_REL:
    case AU_OP_UP:
        return RELEASES;
    default:
        return OTHER;
    }
}

typedef struct {
    uint64_t n[KINDS];
    uint64_t first, last; /* numbers of its first and last event, from 1 */
} thread_count;

/* A variable: READS, WRITES, ATOMICS; a lock: ACQUIRES, RELEASES; both: OTHER. */
typedef struct {
    uint64_t a, b, c;
    uint16_t thread; /* the first that used it */
    bool several;    /* another one did, too */
    bool written;    /* a lock always is */
    bool lock;       /* used as a lock, not as a semaphore, condition or barrier */
} object_count;

typedef AU_VEC(object_count) object_counts;

typedef struct {
    au_viewer v;
    const char *file;
    uint64_t events, ops[AU_OPS], with_value;
    AU_VEC(thread_count) thread;
    object_counts var, lock;
    uint8_t kind[AU_OPS], space[AU_OPS];
    size_t top;
    bool json, color;
} summary;

static uint64_t sum(const uint64_t *n, size_t k) {
    uint64_t s = 0;
    while (k--)
        s += *n++;
    return s;
}

/* As in trace/count.h: what nobody writes is not shared, however many read it. */
static bool is_shared(const object_count *c) {
    return c->several && c->written;
}

static uint64_t object_events(const object_count *c) {
    return c->a + c->b + c->c;
}

/* ---- counting ---- */

static void grow(object_counts *c, size_t n) {
    au_vec_reserve(c, n);
    while (c->n < n)
        au_vec_push(c, ((object_count){.thread = AU_NONE16}));
}

static inline void touch(object_count *c, uint16_t thread) {
    if (c->thread == thread)
        return;
    c->several |= c->thread != AU_NONE16;
    if (c->thread == AU_NONE16)
        c->thread = thread;
}

static bool is_lock_op(au_op op) {
    return op == AU_OP_ACQ || op == AU_OP_REL || (op >= AU_OP_REQ && op <= AU_OP_TRYFAIL);
}

static void count(summary *s, const au_block *b, size_t i) {
    au_op op = b->op[i];
    uint16_t thread = b->thread[i];
    int kind = s->kind[op];
    thread_count *t = &s->thread.at[thread];
    s->events++;
    s->ops[op]++;
    t->n[kind]++;
    t->last = b->first + i + 1;
    if (!t->first)
        t->first = t->last;
    s->with_value += au_op_is_access(op) && au_block_has_value(b, i);
    uint32_t obj = b->obj[i];
    if (obj == AU_NONE)
        return;
    if (s->space[op] == AU_WIRE_SPACE_VAR) {
        object_count *c = &s->var.at[obj];
        if (kind == OTHER) /* alloc, free */
            return;
        c->a += kind == READS;
        c->b += kind == WRITES;
        c->c += kind == ATOMICS;
        c->written |= kind != READS && op != AU_OP_AREAD;
        touch(c, thread);
    } else if (s->space[op] == AU_WIRE_SPACE_LOCK) {
        object_count *c = &s->lock.at[obj];
        c->a += kind == ACQUIRES;
        c->b += kind == RELEASES;
        c->c += kind == OTHER;
        c->written = true;
        c->lock |= is_lock_op(op);
        touch(c, thread);
    }
}

static void summary_block(au_viewer *v, const au_block *b, const au_names *names) {
    summary *s = (summary *)v;
    grow(&s->var, names->var.n);
    grow(&s->lock, names->lock.n);
    while (s->thread.n < names->thread.n)
        au_vec_push(&s->thread, (thread_count){0});
    bool all = !v->filter->any;
    for (size_t i = 0; i < b->n; i++)
        if (all || au_filter_keep(v->filter, b, i))
            count(s, b, i);
}

/* ---- what is shown, in which order ---- */

typedef struct {
    uint64_t events;
    uint32_t id;
} ranked;
typedef AU_VEC(ranked) ranking;

/* The busiest first, among equals the one that came first. */
static int by_rank(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->events != y->events)
        return x->events < y->events ? 1 : -1;
    return x->id < y->id ? -1 : 1;
}

/* r->n is then what is shown; returns how many there are. */
static size_t rank(ranking *r, size_t top) {
    if (r->n)
        qsort(r->at, r->n, sizeof *r->at, by_rank);
    size_t all = r->n;
    if (top && r->n > top)
        r->n = top;
    return all;
}

static void rank_objects(ranking *r, const object_counts *c) {
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].thread != AU_NONE16)
            au_vec_push(r, ((ranked){object_events(&c->at[i]), (uint32_t)i}));
}

static void rank_threads(ranking *r, const summary *s) {
    for (size_t i = 0; i < s->thread.n; i++)
        if (s->thread.at[i].first)
            au_vec_push(r, ((ranked){sum(s->thread.at[i].n, KINDS), (uint32_t)i}));
}

static size_t shared_objects(const object_counts *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += is_shared(&c->at[i]);
    return n;
}

static uint64_t accesses(const summary *s) {
    return s->ops[AU_OP_READ] + s->ops[AU_OP_WRITE] + s->ops[AU_OP_AREAD] + s->ops[AU_OP_AWRITE] +
           s->ops[AU_OP_RMW];
}

static const char *values_text(const summary *s) {
    return !s->with_value ? "none" : s->with_value >= accesses(s) ? "all" : "some";
}

static const char *format_text(au_format f) {
    switch (f) {
    case AU_FORMAT_BINARY:
        return "binary";
    case AU_FORMAT_STD:
        return "std";
    case AU_FORMAT_RAPIDBIN:
        return "rapidbin";
    case AU_FORMAT_VALUES:
        return "values";
    default:
        return "unknown";
    }
}

typedef struct {
    size_t threads, vars, blocks;
    size_t locks, shared_locks, others; /* others: semaphores, conditions, barriers … */
    bool complete;
    const char *format;
} head;

/* ---- text ---- */

/* Rows of cells, printed when the widest of each column is known. */
typedef struct {
    AU_VEC(char *) cell;
    size_t columns;
} table;

static void cell_text(table *t, const char *s) {
    au_vec_push(&t->cell, au_strdup(s));
}

static void cell_name(table *t, const au_intern *names, uint32_t id) {
    char text[256];
    au_printable(text, sizeof text, au_intern_str(names, id), au_intern_len(names, id), NULL);
    cell_text(t, text);
}

static void cell_number(table *t, uint64_t v) {
    au_vec_push(&t->cell, au_sprintf("%" PRIu64, v));
}

/* Characters, not bytes. */
static size_t shown_width(const char *s) {
    size_t n = 0;
    for (; *s; s++)
        n += (*s & 0xc0) != 0x80;
    return n;
}

/* The first column to the left, numbers to the right. */
static void print_table(au_out *out, table *t) {
    size_t width[16] = {0};
    AU_BUG_IF(t->columns > 16 || t->cell.n % t->columns);
    for (size_t i = 0; i < t->cell.n; i++) {
        size_t n = shown_width(t->cell.at[i]);
        if (n > width[i % t->columns])
            width[i % t->columns] = n;
    }
    for (size_t i = 0; i < t->cell.n; i++) {
        size_t k = i % t->columns, pad = width[k] - shown_width(t->cell.at[i]);
        au_out_str(out, "  ");
        if (k)
            au_out_printf(out, "%*s", (int)pad, "");
        au_out_str(out, t->cell.at[i]);
        if (!k)
            au_out_printf(out, "%*s", (int)pad, "");
        if (k + 1 == t->columns)
            au_out_char(out, '\n');
    }
    for (size_t i = 0; i < t->cell.n; i++)
        free(t->cell.at[i]);
    au_vec_release(&t->cell);
}

static void title(const summary *s, const char *what, size_t shown, size_t all) {
    au_out_printf(s->v.out, "\n%s%s", s->color ? "\033[1m" : "", what);
    if (shown < all)
        au_out_printf(s->v.out, " (%zu of %zu)", shown, all);
    au_out_printf(s->v.out, "%s\n", s->color ? "\033[0m" : "");
}

static void headings(table *t, const char *const *name, size_t n) {
    t->columns = n;
    for (size_t i = 0; i < n; i++)
        cell_text(t, name[i]);
}

static void text_threads(const summary *s, const au_names *names) {
    static const char *const columns[] = {"thread",   "events",   "reads", "writes", "atomics",
                                          "acquires", "releases", "other", "first",  "last"};
    ranking r = {0};
    rank_threads(&r, s);
    size_t all = rank(&r, s->top);
    title(s, "threads", r.n, all);
    table t = {0};
    headings(&t, columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < r.n; k++) {
        const thread_count *c = &s->thread.at[r.at[k].id];
        cell_name(&t, &names->thread, r.at[k].id);
        cell_number(&t, r.at[k].events);
        for (int kind = READS; kind <= RELEASES; kind++)
            cell_number(&t, c->n[kind]);
        cell_number(&t, c->n[OTHER]);
        cell_number(&t, c->first);
        cell_number(&t, c->last);
    }
    print_table(s->v.out, &t);
    au_vec_release(&r);
}

static void text_objects(const summary *s, const char *what, const object_counts *c,
                         const au_intern *names, const char *const *columns) {
    ranking r = {0};
    rank_objects(&r, c);
    size_t all = rank(&r, s->top);
    if (all) {
        title(s, what, r.n, all);
        table t = {0};
        headings(&t, columns, 6);
        for (size_t k = 0; k < r.n; k++) {
            const object_count *n = &c->at[r.at[k].id];
            cell_name(&t, names, r.at[k].id);
            cell_number(&t, r.at[k].events);
            cell_number(&t, n->a);
            cell_number(&t, n->b);
            cell_number(&t, n->c);
            cell_text(&t, is_shared(n) ? "yes" : "no");
        }
        print_table(s->v.out, &t);
    }
    au_vec_release(&r);
}

static void text_summary(const summary *s, const head *h, const au_reader *r) {
    const au_names *names = au_reader_names(r);
    static const char *const lock_columns[] = {"lock",     "events", "acquires",
                                               "releases", "other",  "shared"};
    static const char *const var_columns[] = {"variable", "accesses", "reads",
                                              "writes",   "atomics",  "shared"};
    au_out *out = s->v.out;
    au_out_printf(out, "trace      %s (%s%s)\n", s->file, h->format,
                  h->complete ? "" : ", incomplete");
    au_out_printf(out, "events     %" PRIu64 "%s\n", s->events,
                  s->v.filter->any ? " selected" : "");
    au_out_printf(out, "threads    %zu\n", h->threads);
    au_out_printf(out, "locks      %zu (%zu shared)\n", h->locks, h->shared_locks);
    if (h->others)
        au_out_printf(out, "other      %zu synchronisation objects\n", h->others);
    au_out_printf(out, "variables  %zu (%zu shared)\n", h->vars, shared_objects(&s->var));
    au_out_printf(out, "values     %s\n", values_text(s));
    au_show_recording_text(r, out);

    title(s, "operations", 0, 0);
    table t = {.columns = 2};
    for (au_op op = 0; op < AU_OPS; op++)
        if (s->ops[op]) {
            cell_text(&t, au_op_name(op));
            cell_number(&t, s->ops[op]);
        }
    print_table(out, &t);
    text_threads(s, names);
    text_objects(s, h->others ? "locks and other objects" : "locks", &s->lock, &names->lock,
                 lock_columns);
    text_objects(s, "variables", &s->var, &names->var, var_columns);
}

/* ---- json ---- */

static void json_objects(au_json *j, const summary *s, const char *what, const object_counts *c,
                         const au_intern *names, const char *const *keys) {
    ranking r = {0};
    rank_objects(&r, c);
    rank(&r, s->top);
    au_json_key(j, what);
    au_json_array(j);
    for (size_t k = 0; k < r.n; k++) {
        const object_count *n = &c->at[r.at[k].id];
        au_json_object_inline(j);
        au_json_key(j, "name");
        au_json_string_n(j, au_intern_str(names, r.at[k].id), au_intern_len(names, r.at[k].id));
        au_json_put_u64(j, "events", r.at[k].events);
        au_json_put_u64(j, keys[0], n->a);
        au_json_put_u64(j, keys[1], n->b);
        au_json_put_u64(j, keys[2], n->c);
        au_json_put_bool(j, "shared", is_shared(n));
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_vec_release(&r);
}

static void json_threads(au_json *j, const summary *s, const au_names *names) {
    static const char *const keys[KINDS] = {"other",   "reads",    "writes",
                                            "atomics", "acquires", "releases"};
    ranking r = {0};
    rank_threads(&r, s);
    rank(&r, s->top);
    au_json_key(j, "by_thread");
    au_json_array(j);
    for (size_t k = 0; k < r.n; k++) {
        uint32_t id = r.at[k].id;
        const thread_count *c = &s->thread.at[id];
        au_json_object_inline(j);
        au_json_key(j, "name");
        au_json_string_n(j, au_intern_str(&names->thread, id), au_intern_len(&names->thread, id));
        au_json_put_u64(j, "events", r.at[k].events);
        for (int kind = READS; kind <= RELEASES; kind++)
            au_json_put_u64(j, keys[kind], c->n[kind]);
        au_json_put_u64(j, keys[OTHER], c->n[OTHER]);
        au_json_put_u64(j, "first", c->first);
        au_json_put_u64(j, "last", c->last);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_vec_release(&r);
}

static void json_summary(const summary *s, const head *h, const au_reader *r) {
    const au_names *names = au_reader_names(r);
    static const char *const lock_keys[] = {"acquires", "releases", "other"};
    static const char *const var_keys[] = {"reads", "writes", "atomics"};
    au_json j;
    au_json_init(&j, s->v.out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_key(&j, "input");
    au_json_array_inline(&j);
    au_json_string(&j, s->file);
    au_json_end_array(&j);
    au_json_put_string(&j, "format", h->format);
    au_json_key(&j, "trace");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "threads", h->threads);
    au_json_put_u64(&j, "events", s->events);
    au_json_put_u64(&j, "locks", h->locks);
    au_json_put_u64(&j, "vars", h->vars);
    au_json_end_object(&j);
    au_json_put_u64(&j, "shared_locks", h->shared_locks);
    au_json_put_u64(&j, "other_objects", h->others);
    au_json_put_u64(&j, "shared_vars", shared_objects(&s->var));
    au_json_put_string(&j, "values", values_text(s));
    au_json_put_bool(&j, "complete", h->complete);
    au_json_put_bool(&j, "filtered", s->v.filter->any);
    au_json_key(&j, "ops");
    au_json_object_inline(&j);
    for (au_op op = 0; op < AU_OPS; op++)
        if (s->ops[op])
            au_json_put_u64(&j, au_op_name(op), s->ops[op]);
    au_json_end_object(&j);
    au_show_recording_json(r, &j);
    json_threads(&j, s, names);
    json_objects(&j, s, "by_lock", &s->lock, &names->lock, lock_keys);
    json_objects(&j, s, "by_var", &s->var, &names->var, var_keys);
    au_json_end_object(&j);
    au_out_char(s->v.out, '\n');
}

/* Of a whole trace all names of threads and variables count (a thread may be forked
 * and never run); of a selection only what was met in it. */
static head make_head(const summary *s, const au_reader *r, const au_names *names) {
    head h = {.format = au_reader_facts(r) ? "recording" : format_text(au_reader_format(r)),
              .complete = !au_reader_incomplete(r)};
    for (size_t i = 0; i < s->lock.n; i++) {
        const object_count *c = &s->lock.at[i];
        h.locks += c->lock;
        h.shared_locks += c->lock && c->several;
        h.others += !c->lock && c->thread != AU_NONE16;
    }
    if (!s->v.filter->any) {
        h.threads = names->thread.n;
        h.vars = names->var.n;
        return h;
    }
    for (size_t i = 0; i < s->thread.n; i++)
        h.threads += s->thread.at[i].first != 0;
    for (size_t i = 0; i < s->var.n; i++)
        h.vars += s->var.at[i].thread != AU_NONE16;
    return h;
}

static void summary_end(au_viewer *v, const au_reader *r) {
    summary *s = (summary *)v;
    const au_names *names = au_reader_names(r);
    head h = make_head(s, r, names);
    if (s->json)
        json_summary(s, &h, r);
    else
        text_summary(s, &h, r);
}

static void summary_free(au_viewer *v) {
    summary *s = (summary *)v;
    au_vec_release(&s->thread);
    au_vec_release(&s->var);
    au_vec_release(&s->lock);
    free(s);
}

au_viewer *au_view_summary(const au_opts *o) {
    summary *s = AU_NEW(summary);
    s->v = (au_viewer){.block = summary_block, .end = summary_end, .free = summary_free};
    s->file = au_operand(o, 0);
    s->top = (size_t)au_opt_int(o, "top");
    s->json = !strcmp(au_opt_str(o, "format"), "json");
    s->color = au_cli_color(o, STDOUT_FILENO);
    for (au_op op = 0; op < AU_OPS; op++) {
        s->kind[op] = (uint8_t)kind_of(op);
        s->space[op] = au_op_space(op);
    }
    return &s->v;
}
