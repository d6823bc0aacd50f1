/* confirm/outcome.c: see outcome.h. */
#include "confirm/outcome.h"

#include "base/hash.h"
#include "base/printable.h"
#include "record/replay.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- memory ---- */

/* What is known of a cell while a recording is read. */
typedef struct {
    au_left_cell cell;
    uint32_t thread; /* that accessed it first, + 1 */
    bool shared, gone;
} cell;

typedef struct {
    au_map by_address; /* number in 'at' + 1 */
    AU_VEC(cell) at;
} memory;

static bool writes_value(uint8_t op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

static bool touches_range(uint8_t op) {
    return op == AU_SOP_RWRITE || op == AU_SOP_RCOPY || op == AU_OP_FREE || op == AU_OP_ALLOC;
}

/* Written as a whole with others, freed or allocated: what it holds is not followed. */
static void forget(memory *m, uint64_t from, uint64_t n) {
    if (n > m->at.n) { /* look at what there is, not at every address */
        for (size_t i = 0; i < m->at.n; i++)
            if (m->at.at[i].cell.address - from < n)
                m->at.at[i].gone = true;
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *at = au_map_find(&m->by_address, from + i);
        if (at)
            m->at.at[*at - 1].gone = true;
    }
}

static void take_event(memory *m, const au_stream_record *r) {
    if (touches_range(r->op)) {
        forget(m, r->address, r->len ? r->len : r->size);
        return;
    }
    bool writes = writes_value(r->op);
    if (!writes && r->op != AU_OP_READ && r->op != AU_OP_AREAD)
        return;
    if (!r->size || r->size > 8)
        return;
    uint64_t *at = au_map_put(&m->by_address, r->address, NULL);
    if (!*at) {
        au_vec_push(&m->at, ((cell){.cell = {.address = r->address}, .thread = r->thread + 1u}));
        *at = m->at.n;
        m->at.at[*at - 1].gone = true; /* until somebody writes it */
    }
    cell *c = &m->at.at[*at - 1];
    c->shared |= c->thread != r->thread + 1u;
    if (writes) {
        c->cell.value = r->value & (UINT64_MAX >> (64 - 8 * r->size));
        c->cell.size = r->size;
        c->gone = false;
    }
}

static int by_address(const void *a, const void *b) {
    const au_left_cell *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static au_status read_memory(au_outcome *o, const char *recording, au_error *err) {
    au_walk *w = au_walk_open(recording, NULL, NULL, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    memory m = {0};
    if (w)
        au_walk_ends(w);
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &r, err);
        if (st == AU_OK && r.tag == AU_TAG_EV)
            take_event(&m, &r);
    }
    for (size_t i = 0; st == AU_OK && i < m.at.n; i++)
        if (m.at.at[i].shared && !m.at.at[i].gone)
            au_vec_push(&o->cell, m.at.at[i].cell);
    if (o->cell.n)
        qsort(o->cell.at, o->cell.n, sizeof *o->cell.at, by_address);
    au_walk_free(w);
    au_map_release(&m.by_address);
    au_vec_release(&m.at);
    return st;
}

/* ---- one outcome ---- */

static void take_said(au_outcome *o, const char *name, au_tee *t) {
    au_vec_push(&o->said, ((au_said){au_strdup(name), t->at, t->n, t->seen}));
    *t = (au_tee){0};
}

au_status au_outcome_take(au_outcome *o, au_run_result *r, bool late, const char *recording,
                          au_error *err) {
    const au_launch_result *l = &r->launch;
    bool killed = WIFSIGNALED(l->status);
    *o = (au_outcome){.late = late};
    o->end = l->ended ? (uint8_t)(l->last.ended - 1) : killed ? AU_END_SIGNAL : AU_END_EXIT;
    o->status = l->ended ? l->last.status : killed ? WTERMSIG(l->status) : WEXITSTATUS(l->status);
    o->diverged = o->end == AU_END_DIVERGED || l->broken;
    take_said(o, "standard output", &r->said[1]);
    take_said(o, "standard error", &r->said[2]);
    for (size_t i = 0; i < r->left.n; i++) {
        au_left_file *f = &r->left.at[i];
        au_vec_push(&o->said, ((au_said){f->name, f->at, f->n, f->size}));
    }
    au_vec_release(&r->left);
    return recording ? read_memory(o, recording, err) : AU_OK;
}

void au_outcome_release(au_outcome *o) {
    for (size_t i = 0; i < o->said.n; i++) {
        free(o->said.at[i].name);
        free(o->said.at[i].at);
    }
    au_vec_release(&o->said);
    au_vec_release(&o->cell);
}

bool au_outcome_fails(const au_outcome *o) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    if (o->late || o->diverged)
        return false;
    bool fails = o->end == AU_END_ASSERT || o->end == AU_END_DEADLOCK;
    for (size_t i = 0; o->end == AU_END_SIGNAL && i < sizeof own / sizeof *own; i++)
        fails |= o->status == own[i];
    return fails;
}

const char *au_outcome_end(const au_outcome *o, char *text, size_t size) {
    if (o->late)
        return "the program does not end";
    if (o->end == AU_END_ASSERT)
        return "an assertion fails";
    if (o->end == AU_END_DEADLOCK)
        return "the program deadlocks";
    if (o->end == AU_END_SIGNAL)
        snprintf(text, size, "the program is ended by signal %" PRId64 " (%s)", o->status,
                 strsignal((int)o->status));
    else
        snprintf(text, size, "the program exits with status %" PRId64, o->status);
    return text;
}

/* ---- what was told ---- */

typedef struct {
    const char *at;
    size_t n;
} line;
typedef AU_VEC(line) lines;

static int by_bytes(const void *a, const void *b) {
    const line *x = a, *y = b;
    int c = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);
    return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

static lines lines_of(const au_said *s) {
    lines all = {0};
    for (size_t at = 0; at < s->n;) {
        const char *end = memchr(s->at + at, '\n', s->n - at);
        size_t n = end ? (size_t)(end - s->at) - at : s->n - at;
        au_vec_push(&all, ((line){s->at + at, n}));
        at += n + 1;
    }
    return all;
}

static char *quoted(const line *l) {
    char text[100];
    size_t n = au_printable(text, sizeof text, l->at, l->n, NULL);
    return au_sprintf("'%.*s'", (int)n, text);
}

/* "has 'b' instead of 'a'"; gone and come may be NULL. */
static char *change(const char *name, const line *gone, const line *come) {
    char *was = gone ? quoted(gone) : NULL, *is = come ? quoted(come) : NULL;
    char *text = was && is ? au_sprintf("%s has %s instead of %s", name, is, was)
                 : is      ? au_sprintf("%s has %s, which is not there in the run", name, is)
                           : au_sprintf("%s lacks %s", name, was ? was : "what it has in the run");
    free(was);
    free(is);
    return text;
}

/* What is left of both after what they have in common is taken away: the first of each in its stream's order. */
static char *other_lines(const au_said *was, const au_said *now) {
    lines a = lines_of(was), b = lines_of(now);
    const line *gone = NULL, *come = NULL;
    if (a.n)
        qsort(a.at, a.n, sizeof *a.at, by_bytes);
    if (b.n)
        qsort(b.at, b.n, sizeof *b.at, by_bytes);
    for (size_t i = 0, k = 0; i < a.n || k < b.n;) {
        int c = i == a.n ? 1 : k == b.n ? -1 : by_bytes(&a.at[i], &b.at[k]);
        if (c < 0 && (!gone || a.at[i].at < gone->at))
            gone = &a.at[i];
        if (c > 0 && (!come || b.at[k].at < come->at))
            come = &b.at[k];
        i += c <= 0;
        k += c >= 0;
    }
    char *text = gone || come ? change(now->name, gone, come) : NULL;
    au_vec_release(&a);
    au_vec_release(&b);
    return text;
}

/* Byte by byte: the first line that differs. */
static char *other_bytes(const au_said *was, const au_said *now) {
    if (was->n == now->n && (!was->n || !memcmp(was->at, now->at, was->n)))
        return NULL;
    lines a = lines_of(was), b = lines_of(now);
    size_t i = 0;
    while (i < a.n && i < b.n && !by_bytes(&a.at[i], &b.at[i]))
        i++;
    char *text = other_lines(was, now);
    if (!text && i < a.n && i < b.n) {
        char *first = quoted(&a.at[i]), *other = quoted(&b.at[i]);
        text = au_sprintf("%s has the same lines in another order: %s where the run has %s",
                          now->name, other, first);
        free(first);
        free(other);
    } else if (!text) { /* the last one ends otherwise */
        text = au_sprintf("%s has the same lines, and ends otherwise", now->name);
    }
    au_vec_release(&a);
    au_vec_release(&b);
    return text;
}

static const au_said *said_in(const au_outcome *o, const char *name) {
    for (size_t i = 0; i < o->said.n; i++)
        if (!strcmp(o->said.at[i].name, name))
            return &o->said.at[i];
    return NULL;
}

/* A file that only one of them left. */
static char *only_in(const au_outcome *a, const au_outcome *b, const char *words, char **where) {
    for (size_t i = 0; i < a->said.n; i++)
        if (!said_in(b, a->said.at[i].name)) {
            if (where)
                *where = au_strdup(a->said.at[i].name);
            return au_sprintf("file '%s' %s", a->said.at[i].name, words);
        }
    return NULL;
}

static bool is_cut(const au_outcome *o) {
    return o->late || o->diverged || au_outcome_fails(o) || o->end == AU_END_LIMIT;
}

char *au_outcome_told_otherwise(const au_outcome *was, const au_outcome *now, au_compare how,
                                char **where) {
    char *text = NULL;
    if (where)
        *where = NULL;
    if (how == AU_COMPARE_NONE || is_cut(was) || is_cut(now))
        return NULL;
    for (size_t i = 0; i < now->said.n && !text; i++) {
        const au_said *s = said_in(was, now->said.at[i].name);
        if (!s)
            continue;
        text = how == AU_COMPARE_ORDER ? other_bytes(s, &now->said.at[i])
                                       : other_lines(s, &now->said.at[i]);
        if (text && where)
            *where = au_strdup(s->name);
    }
    if (!text)
        text = only_in(now, was, "is made, which the run does not make", where);
    if (!text)
        text = only_in(was, now, "is not made", where);
    if (!text && (was->end != now->end || was->status != now->status)) {
        char before[80], after[80];
        bool exits = was->end == AU_END_EXIT && now->end == AU_END_EXIT;
        text = exits ? au_sprintf("the exit status is %" PRId64 " instead of %" PRId64, now->status,
                                  was->status)
                     : au_sprintf("%s; in the run %s", au_outcome_end(now, after, sizeof after),
                                  au_outcome_end(was, before, sizeof before));
        if (where)
            *where = au_strdup("exit status");
    }
    return text;
}

char *au_outcome_left_otherwise(const au_outcome *was, const au_outcome *now, uint64_t address,
                                const char *name) {
    size_t others = 0;
    char *text = NULL;
    if (is_cut(was) || is_cut(now))
        return NULL;
    for (size_t i = 0, k = 0; i < was->cell.n && k < now->cell.n;) {
        const au_left_cell *a = &was->cell.at[i], *b = &now->cell.at[k];
        bool same = a->address == b->address;
        if (same && (a->size != b->size || a->value != b->value)) {
            unsigned shift = 64 - 8u * b->size;
            if (a->address == address && a->size == b->size)
                text = au_sprintf("'%s' ends as %" PRId64 " instead of %" PRId64, name,
                                  (int64_t)(b->value << shift) >> shift,
                                  (int64_t)(a->value << shift) >> shift);
            else
                others++;
        }
        bool less = a->address < b->address;
        i += same || less;
        k += same || !less;
    }
    if (!text && others)
        text = au_sprintf("%zu shared variable%s end%s with another value", others,
                          others == 1 ? "" : "s", others == 1 ? "s" : "");
    return text;
}
