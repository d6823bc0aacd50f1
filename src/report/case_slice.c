/* report/case_slice.c: see case_slice.h.
 *
 * From each decisive event back: of every variable that its thread used last, the write of another thread that came last, what
 * the thread saw of it before (a look that is no longer true) and after. From such a write back the same once more. Besides:
 * what happened to the variable or block of the finding, who took the locks that are held, who waited and was woken, who
 * started the threads. What the decisive line speaks of counts more than what it does not name. */
#include "report/case_slice.h"

#include "report/case_lines.h"
#include "report/case_words.h"

enum { LOOKS = 14, DEPTH = 2, TOUCHES = 4 };

typedef struct {
    const au_case *c;
    const au_case_events *v;
    const char *said[4]; /* texts of the decisive lines */
    size_t n_said;
    int *worth;
} slicer;

static void raise(slicer *s, size_t i, int worth) {
    if (worth >= AU_WORTH_DECISIVE && !s->v->at[i].decisive)
        worth = AU_WORTH_DECISIVE - 1;
    if (s->worth[i] < worth)
        s->worth[i] = worth;
}

static bool reads(const au_case_event *e) {
    return !strcmp(e->op, "read") || !strcmp(e->op, "atomic-read") ||
           !strcmp(e->op, "atomic-update");
}

static bool writes(const au_case_event *e) {
    return au_case_is_access(e) && (strcmp(e->op, "read") && strcmp(e->op, "atomic-read")) &&
           strcmp(e->op, "read-acquire") && strcmp(e->op, "write-acquire");
}

static bool is(const au_case_event *e, const char *op) {
    return !strcmp(e->op, op);
}

static bool takes(const au_case_event *e) {
    return is(e, "acquire") || is(e, "read-acquire") || is(e, "write-acquire");
}

static bool same(const char *a, const char *b) {
    return !strcmp(a, b);
}

/* Does a decisive line name the last member of the variable? */
static bool is_said(const slicer *s, const char *var) {
    size_t n = strlen(var);
    while (n && (var[n - 1] == ')' || var[n - 1] == '(' || var[n - 1] == ']'))
        n--; /* 'cache.entries_.size()', 'acct[3]' */
    const char *to = var + n, *from = to;
    while (from > var && from[-1] != '.' && from[-1] != ':' && from[-1] != '[')
        from--;
    if (same(from, "size()") && from > var + 1) {
        to = from - 1;
        for (from = to; from > var && from[-1] != '.' && from[-1] != ':';)
            from--;
    }
    for (size_t i = 0; i < s->n_said && to > from + 1; i++)
        if (memmem(s->said[i], strlen(s->said[i]), from, (size_t)(to - from)))
            return true;
    return false;
}

/* Memory that a library allocated for itself says little. */
static bool is_inner(const char *var) {
    return !strncmp(var, "heap(", 5) || !strncmp(var, "std::", 5);
}

static void slice(slicer *s, size_t p, int base, unsigned depth);

/* Where the thread was started: what happened before is nothing between threads. */
static size_t start_of(const slicer *s, const char *thread) {
    for (size_t i = 0; i < s->v->n; i++)
        if (is(&s->v->at[i], "fork") && same(s->v->at[i].object, thread))
            return i;
    return 0;
}

/* What the thread of p made of one variable before p, and who else wrote it. */
static void follow(slicer *s, size_t p, const char *var, int base, unsigned depth) {
    const au_case_events *v = s->v;
    const char *thread = v->at[p].thread;
    size_t w = p, before, after, start = start_of(s, thread);
    while (w-- > start)
        if (same(v->at[w].object, var) && writes(&v->at[w]) && !same(v->at[w].thread, thread))
            break;
    if (w == SIZE_MAX || w < start)
        return;
    base += is_said(s, var) ? 25 : is_inner(var) ? -12 : 0;
    for (before = w; before-- > 0;)
        if (same(v->at[before].object, var) && same(v->at[before].thread, thread)) {
            base += reads(&v->at[before]) ? 10 : 0; /* a look that is no longer true */
            if (reads(&v->at[before]))
                raise(s, before, base);
            break;
        }
    raise(s, w, base);
    for (after = w + 1; after < p; after++)
        if (same(v->at[after].object, var) && same(v->at[after].thread, thread) &&
            reads(&v->at[after])) {
            raise(s, after, base);
            break;
        }
    if (depth)
        slice(s, w, base - 20, depth - 1);
}

/* Who woke the thread that was waiting at i? */
static void follow_wake(slicer *s, size_t i, int base) {
    const au_case_events *v = s->v;
    raise(s, i, base);
    for (size_t k = i; k-- > 0;)
        if (same(v->at[k].object, v->at[i].object) &&
            (is(&v->at[k], "signal") || is(&v->at[k], "broadcast"))) {
            raise(s, k, base - 5);
            return;
        }
}

static void slice(slicer *s, size_t p, int base, unsigned depth) {
    const au_case_events *v = s->v;
    const char *seen[LOOKS];
    size_t n = 0;
    bool woken = false;
    size_t most =
        s->c->kind == AU_KIND_DEADLOCK ? 2 : LOOKS; /* what the loop around the wait tests */
    for (size_t i = p + 1; i-- > 0 && n < most;) {
        const au_case_event *e = &v->at[i];
        if (!same(e->thread, v->at[p].thread) || !*e->object)
            continue;
        if (is(e, "wake") && !woken && base > 40) {
            woken = true;
            follow_wake(s, i, base - 10);
        }
        bool told = !au_case_is_access(e);
        for (size_t k = 0; k < n && !told; k++)
            told = same(seen[k], e->object);
        if (told)
            continue;
        follow(s, p, e->object, base - (int)n, depth);
        seen[n++] = e->object;
    }
}

/* ---- by kind ---- */

static bool is_freed_block(const slicer *s, const char *object) {
    size_t n = s->c->narrow ? au_case_block_name(s->c->var) : 0;
    return n && !strncmp(object, s->c->var, n) && au_case_block_name(object) == n;
}

static bool is_one_of(const au_case *c, const char *thread) {
    for (size_t i = 0; i < c->event.n; i++)
        if (same(c->event.at[i].thread, thread))
            return true;
    return false;
}

/* The last lines that touched what it is about, each thread's. */
static void touch(slicer *s, size_t first) {
    const au_case_events *v = s->v;
    uint32_t line = 0;
    int worth = 45;
    for (size_t i = first; i-- > 0 && worth > 45 - 4 * TOUCHES;) {
        const au_case_event *e = &v->at[i];
        bool about = *s->c->var && same(e->object, s->c->var);
        if (!au_case_is_access(e) || !(about || is_freed_block(s, e->object)) ||
            !is_one_of(s->c, e->thread))
            continue;
        raise(s, i, worth);
        worth -= e->line != line ? 4 : 0;
        line = e->line;
    }
}

/* Who took the locks that the thread of a decisive event holds there. */
static void held(slicer *s, size_t p, const au_case_event *decisive, int worth) {
    for (uint32_t h = 0; h < decisive->n_held; h++)
        for (size_t i = p; i-- > 0;) {
            const au_case_event *e = &s->v->at[i];
            if (takes(e) && same(e->thread, decisive->thread) &&
                same(e->object, decisive->held[h])) {
                raise(s, i, worth);
                break;
            }
        }
}

/* What was done with a lock before it was misused. */
static void used(slicer *s, size_t p) {
    for (size_t i = p, n = 0; i-- > 0 && n < TOUCHES;)
        if (*s->c->var && same(s->v->at[i].object, s->c->var)) {
            raise(s, i, 40);
            n++;
        }
}

/* Whom the signal at p woke instead. */
static void woken_by(slicer *s, size_t p) {
    for (size_t i = p + 1; i < s->v->n; i++)
        if (is(&s->v->at[i], "wake") && same(s->v->at[i].object, s->v->at[p].object)) {
            raise(s, i, 80);
            return;
        }
}

/* The last signals of what is waited for. */
static void signals(slicer *s, size_t p, const char *object) {
    for (size_t i = p, n = 0; i-- > 0 && n < 1;) {
        const au_case_event *e = &s->v->at[i];
        if (*object && same(e->object, object) && (is(e, "signal") || is(e, "broadcast"))) {
            raise(s, i, 90);
            slice(s, i, 50, 0);
            woken_by(s, i);
            n++;
        }
    }
}

static void started(slicer *s, const char *thread) {
    for (size_t i = 0; i < s->v->n; i++)
        if (is(&s->v->at[i], "fork") && same(s->v->at[i].object, thread))
            raise(s, i, 8);
}

/* How much does it matter what the thread saw before? A race is two lines, and a lock that is held says all. */
static int base_of(const au_case *c, const au_case_event *e) {
    if (c->kind == AU_KIND_ASSERTION || c->kind == AU_KIND_OUTPUT)
        return 70;
    if (c->narrow == AU_NARROW_LOST_WAKEUP)
        return *e->object && strstr(c->message, e->object) ? 70 : 0;
    if (c->kind == AU_KIND_DEADLOCK && is(e, "wait")) /* nobody wakes it */
        return 70;
    if (c->narrow && c->kind != AU_KIND_ASSERTION)
        return 38;
    return 0;
}

static void from_decisive(slicer *s, size_t p) {
    const au_case_event *e = &s->v->at[p];
    const au_case *c = s->c;
    const au_case_event *said =
        e->decisive && e->decisive <= c->event.n ? &c->event.at[e->decisive - 1] : e;
    bool deadlock = c->kind == AU_KIND_DEADLOCK;
    raise(s, p, AU_WORTH_DECISIVE);
    int base = base_of(c, said);
    if (base)
        slice(s, p, base, c->kind == AU_KIND_ASSERTION ? DEPTH - 1 : 0);
    held(s, p, said, deadlock ? 95 : 9);
    if (c->kind == AU_KIND_MISUSE)
        used(s, p);
    if (deadlock && base)
        signals(s, p, said->object);
    started(s, e->thread);
}

/* Behind the last decisive event only what the variable becomes is of interest. */
static void forget_the_rest(slicer *s, size_t last) {
    for (size_t i = last + 1; i < s->v->n; i++) {
        const au_case_event *e = &s->v->at[i];
        s->worth[i] = au_case_is_access(e) && *s->c->var && same(e->object, s->c->var) ? 15 : -1;
    }
}

int *au_case_slice(const au_dossier *d, const au_case *c) {
    slicer s = {.c = c, .v = &c->witness};
    size_t first = SIZE_MAX, last = 0;
    s.worth = au_alloc_array(s.v->n + 1, sizeof *s.worth);
    for (size_t i = 0; i < s.v->n; i++) {
        const au_case_event *e = &s.v->at[i];
        if (!e->decisive)
            continue;
        const char *text = *e->file ? au_case_source_line(d, e->file, e->line) : NULL;
        if (text && s.n_said < sizeof s.said / sizeof *s.said)
            s.said[s.n_said++] = text;
        first = first == SIZE_MAX ? i : first;
        last = i;
    }
    if (first == SIZE_MAX)
        return s.worth;
    for (size_t i = first; i <= last; i++)
        if (s.v->at[i].decisive)
            from_decisive(&s, i);
    if (c->kind != AU_KIND_DEADLOCK)
        touch(&s, last);
    const au_case_event *frees, *uses;
    bool again;
    if (au_case_after_free(c, &frees, &uses, &again))
        raise(&s, (size_t)(frees - s.v->at), 95);
    forget_the_rest(&s, last);
    return s.worth;
}
