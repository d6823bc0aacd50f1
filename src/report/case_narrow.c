/* report/case_narrow.c: what a race or a deadlock of a program is in particular, and a message that says it.
 *
 *   use after free   a race with the free of the memory: 'job' (allocated main.c:15) freed by T0 at main.c:26 while T1 reads it
 *   double free      a race of two frees, or of a free and a delete; and both of a crash that came of it (case_crash.c)
 *   memory           what --checks asserts of every use of a pointer, of every division, of every access
 *   lost wake-up     a deadlock in which a thread waits for a condition that was signalled before it waited, when nobody
 *                    else was waiting: T1 waits for 'not_empty'; the signal at queue.c:40 came before
 *
 * What is left out of an order of events cannot be known from it: then a deadlock stays a deadlock. */
#include "report/case_kinds.h"
#include "report/case_lines.h"
#include "report/case_slice.h"
#include "report/case_words.h"

#include <stdlib.h>

/* ---- memory ---- */

/* 'job(main.c:15)#2.state' is "'job' (allocated main.c:15)". */
static void put_block(au_out *out, const char *var) {
    size_t block = au_case_block_name(var);
    const char *close = block ? memrchr(var, ')', block) : NULL;
    const char *open = close ? memrchr(var, '(', (size_t)(close - var)) : NULL;
    const char *colon = open ? memchr(open, ':', (size_t)(close - open)) : NULL;
    if (!colon) {
        size_t n = strcspn(var, ".+");
        au_out_char(out, '\'');
        au_case_put_safe(out, var, n);
        au_out_char(out, '\'');
        return;
    }
    bool library = open[1] && memmem(open, (size_t)(close - open), "new_allocator.h:", 16);
    if (library) /* which container it belongs to, the line says */
        au_out_printf(out, "'%.*s' (allocated by the C++ library)", (int)(open - var), var);
    else if (!strncmp(var, "heap(", 5)) /* of no type */
        au_out_printf(out, "memory (allocated %.*s)", (int)(close - open - 1), open + 1);
    else
        au_out_printf(out, "'%.*s' (allocated %.*s)", (int)(open - var), var,
                      (int)(close - open - 1), open + 1);
}

static void put_at(au_out *out, const au_dossier *d, const au_case_event *e) {
    const char *file;
    uint32_t line;
    au_case_place(d, e, &file, &line);
    if (*file && line)
        au_out_printf(out, " at %s:%" PRIu32, au_case_base_name(file), line);
    else if (*e->location)
        au_out_printf(out, " at %s", au_case_base_name(e->location));
}

static char *taken(au_out *out) {
    size_t n;
    const char *text = au_out_memory_data(out, &n);
    char *made = au_strndup(text, n);
    au_out_abandon(out);
    return made;
}

/* An event of the order as the finding knows it, with callers. */
static const au_case_event *told(const au_case *c, const au_case_event *e) {
    for (size_t i = 0; i < c->event.n; i++)
        if (!strcmp(c->event.at[i].thread, e->thread) &&
            !strcmp(c->event.at[i].location, e->location))
            return &c->event.at[i];
    return e;
}

static void tell_memory(au_dossier *d, au_case *c, const au_case_event *frees,
                        const au_case_event *uses, bool twice) {
    bool crash = c->kind == AU_KIND_ASSERTION;
    au_out *out = au_out_memory();
    c->narrow = twice ? AU_NARROW_DOUBLE_FREE : AU_NARROW_USE_AFTER_FREE;
    au_out_str(out, twice ? "double free: " : "use after free: ");
    put_block(out, frees->object);
    au_out_str(out, " freed by ");
    au_case_put_thread(out, frees);
    put_at(out, d, told(c, frees));
    au_out_str(out, twice ? " and by " : " while ");
    au_case_put_thread(out, uses);
    if (!twice)
        au_out_printf(out, " %s it",
                      crash && !au_case_is_access(uses) ? "uses" : au_case_verb(uses));
    put_at(out, d, told(c, uses));
    const char *end = crash ? strstr(c->what, ", in a run") : NULL;
    if (crash)
        au_out_printf(out, "; %.*s", end ? (int)(end - c->what) : 200, c->what);
    char *text = taken(out);
    c->message = au_dossier_text_copy(d, text);
    free(text);
}

/* Both threads are in the same line, and it deletes the object. */
static bool delete_twice(const au_dossier *d, const au_case_event *frees,
                         const au_case_event *uses) {
    const char *file[2];
    uint32_t line[2];
    au_case_place(d, frees, &file[0], &line[0]);
    au_case_place(d, uses, &file[1], &line[1]);
    return au_case_is_delete(uses) && line[0] && line[0] == line[1] && !strcmp(file[0], file[1]);
}

static void narrow_race(au_dossier *d, au_case *c) {
    const au_case_event *a = &c->event.at[0], *b = &c->event.at[1];
    if (!a->frees && !b->frees)
        return;
    const au_case_event *frees = a->frees ? a : b, *uses = a->frees ? b : a;
    tell_memory(d, c, frees, uses, (a->frees && b->frees) || delete_twice(d, frees, uses));
}

static void narrow_crash(au_dossier *d, au_case *c) {
    const au_case_event *frees, *uses;
    bool twice;
    if (!au_case_after_free(c, &frees, &uses, &twice))
        return;
    au_case_event crash =
        *told(c, uses); /* the line is that of the crash, the object that of the use */
    crash.object = uses->object;
    c->var = frees->object;
    tell_memory(d, c, frees, uses, twice || au_case_is_delete(&crash));
}

/* ---- places ---- */

/* "T1 writes at vector.tcc:119" says the line of the user that called it. */
static void name_lines(au_dossier *d, au_case *c) {
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        const au_case_frame *user = au_case_user_frame(e);
        const char *at = user && *e->location ? strstr(c->message, e->location) : NULL;
        size_t n = strlen(e->location);
        if (!at || (at[n] >= '0' && at[n] <= '9'))
            continue;
        char *text = au_sprintf("%.*s%s:%" PRIu32 "%s", (int)(at - c->message), c->message,
                                user->file, user->line, at + n);
        c->message = au_dossier_text_copy(d, text);
        free(text);
    }
}

/* ---- what --checks asserts ---- */

static const struct {
    const char *what, *detail, *words;
} checks[] = {{"assertion 'null pointer'", "null", "null pointer"},
              {"assertion 'division by zero'", "div", "division by zero"},
              {"assertion 'index outside its object'", "bounds", "index outside its object"},
              {"assertion 'use after free'", "uaf", "use after free"}};
enum { CHECKS = sizeof checks / sizeof *checks };

/* CHECKS: it is none. */
static size_t check_of(const au_case *c) {
    size_t i = 0;
    while (i < CHECKS && (c->kind != AU_KIND_ASSERTION ||
                          strncmp(c->what, checks[i].what, strlen(checks[i].what)) != 0))
        i++;
    return i;
}

const char *au_case_detail(const au_case *c) {
    size_t i = check_of(c);
    return i < CHECKS ? checks[i].detail : "";
}

/* "null pointer: T2 uses it at queue.c:12: p = 0 (0x5555555592a0 in the run)" */
static void narrow_check(au_dossier *d, au_case *c) {
    size_t i = check_of(c);
    if (i == CHECKS)
        return;
    const char *with = strstr(c->what, " fails with ");
    au_out *out = au_out_memory();
    c->narrow = strcmp(checks[i].detail, "uaf") ? AU_NARROW_MEMORY : AU_NARROW_USE_AFTER_FREE;
    au_out_printf(out, "%s", checks[i].words);
    if (c->event.n) {
        au_out_str(out, ": ");
        au_case_put_thread(out, &c->event.at[0]);
        put_at(out, d, &c->event.at[0]);
    }
    if (with)
        au_out_printf(out, ", with %s", with + strlen(" fails with "));
    char *text = taken(out);
    c->message = au_dossier_text_copy(d, text);
    free(text);
}

/* ---- decisions ---- */

/* "stale decision on 'left': T1 read 1 at shop.c:14 and writes it at shop.c:28, but now it is 0" */
static void narrow_lost(au_dossier *d, au_case *c) {
    static const char stale[] = "stale: now ";
    if (strncmp(c->what, stale, strlen(stale)) != 0 || c->event.n != 3)
        return;
    au_out *out = au_out_memory();
    c->narrow = AU_NARROW_STALE;
    au_out_str(out, "stale decision on '");
    au_case_put_safe(out, c->var, 120);
    au_out_str(out, "': ");
    au_case_put_thread(out, &c->event.at[0]);
    au_out_str(out, " decides by what it reads");
    put_at(out, d, &c->event.at[0]);
    au_out_str(out, " and writes it");
    put_at(out, d, &c->event.at[2]);
    au_out_str(out, ", when ");
    au_case_put_thread(out, &c->event.at[1]);
    au_out_printf(out, " has made it %s", c->what + strlen(stale));
    char *text = taken(out);
    c->message = au_dossier_text_copy(d, text);
    free(text);
}

/* ---- conditions ---- */

static bool is(const au_case_event *e, const char *op, const char *object) {
    return !strcmp(e->op, op) && !strcmp(e->object, object);
}

/* How many threads wait for it just before step n? */
static size_t waiting(const au_case_events *v, size_t n, const char *object) {
    size_t many = 0;
    for (size_t i = 0; i < n; i++) {
        many += is(&v->at[i], "wait", object);
        many -= many && is(&v->at[i], "wake", object);
    }
    return many;
}

/* The last signal that came when nobody waited, before this thread waited for good; NULL: there is none. */
static const au_case_event *lost_signal(const au_case *c, const au_case_event *waiter) {
    const au_case_events *v = &c->witness;
    size_t end = c->witness_left_out ? 0 : v->n; /* somebody may have waited in what is left out */
    while (end && !(is(&v->at[end - 1], "wait", waiter->object) &&
                    !strcmp(v->at[end - 1].thread, waiter->thread)))
        end--;
    for (size_t i = end; i-- > 0;) {
        const au_case_event *e = &v->at[i];
        if ((is(e, "signal", waiter->object) || is(e, "broadcast", waiter->object)) &&
            strcmp(e->thread, waiter->thread) && !waiting(v, i, waiter->object))
            return e;
    }
    return NULL;
}

static void narrow_deadlock(au_dossier *d, au_case *c) {
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        bool waits = *e->object && (!strcmp(e->op, "wait") || !strcmp(e->op, "wake"));
        const au_case_event *lost = waits ? lost_signal(c, e) : NULL;
        if (!lost)
            continue;
        au_out *out = au_out_memory();
        c->narrow = AU_NARROW_LOST_WAKEUP;
        au_out_str(out, "lost wake-up: ");
        au_case_put_thread(out, e);
        au_out_str(out, " waits for '");
        au_case_put_safe(out, e->object, 120);
        au_out_char(out, '\'');
        put_at(out, d, e);
        au_out_printf(out, "; the %s", lost->op);
        put_at(out, d, lost);
        au_out_str(out, " came before");
        char *text = taken(out);
        c->message = au_dossier_text_copy(d, text);
        free(text);
        return;
    }
}

void au_dossier_narrow(au_dossier *d) {
    for (size_t i = 0; i < d->at.n && *d->program; i++) {
        au_case *c = &d->at.at[i];
        if (c->kind == AU_KIND_RACE && c->event.n == 2)
            narrow_race(d, c);
        if (c->kind == AU_KIND_ASSERTION && !c->narrow)
            narrow_crash(d, c);
        if (c->kind == AU_KIND_ASSERTION && !c->narrow)
            narrow_check(d, c);
        if (c->kind == AU_KIND_LOST && !c->narrow)
            narrow_lost(d, c);
        if (c->kind == AU_KIND_DEADLOCK && !c->narrow)
            narrow_deadlock(d, c);
        name_lines(d, c);
    }
}
