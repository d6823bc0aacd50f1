/* report/case_same.c: see case_same.h. */
#include "report/case_same.h"

#include "report/case_words.h"

#include <stdlib.h>

/* Where the user did it (au_case_deed). */
static void deed(const au_case_event *e, const char **file, uint32_t *line) {
    const au_case_frame *f = au_case_deed(e);
    *file = f ? f->file : e->file;
    *line = f ? f->line : e->line;
}

/* ---- blocks that are freed ---- */

const au_case_event *au_case_free_in(const au_case *c) {
    if (c->kind != AU_KIND_RACE || c->event.n != 2)
        return NULL;
    return c->event.at[0].frees ? &c->event.at[0] : c->event.at[1].frees ? &c->event.at[1] : NULL;
}

/* Memory that the C++ library allocated for a container: somebody's object owns it. */
static bool is_containers(const au_case *c) {
    size_t n = au_case_block_name(c->var);
    return n && memmem(c->var, n, "(new_allocator.h:", strlen("(new_allocator.h:"));
}

/* "(lru.c:48)#3" of "item(lru.c:48)#3.next": where the block was allocated, and which one it is; its type is what a run happens
 * to tell of it. The library allocates all that it has in one place: there the type counts. *n 0: it is in none. */
static const char *block_of(const char *var, size_t *n) {
    *n = au_case_block_name(var);
    const char *place = *n ? au_case_allocated(var, *n) : NULL;
    if (place)
        *n = (size_t)(var + *n - place);
    return place ? place : var;
}

/* The same without the number. */
static const char *blocks_of(const char *var, size_t *n) {
    const char *place = block_of(var, n);
    while (*n && place[*n - 1] != '#')
        --*n;
    return place;
}

static bool same_text(const char *a, size_t n, const char *b, size_t m) {
    return n && n == m && !memcmp(a, b, n);
}

bool au_case_is_one_block(const char *a, const char *b) {
    size_t n, m;
    const char *x = block_of(a, &n), *y = block_of(b, &m);
    return same_text(x, n, y, m);
}

/* Two blocks allocated at one place. */
static bool same_place(const char *a, const char *b) {
    size_t n, m;
    const char *x = blocks_of(a, &n), *y = blocks_of(b, &m);
    return same_text(x, n, y, m);
}

static bool has_line(const au_case_event *e, const char *file, uint32_t line) {
    bool has = line == e->line && !strcmp(file, e->file);
    for (uint32_t i = 0; i < e->n_callers && !has; i++)
        has = line == e->caller[i].line && !strcmp(file, e->caller[i].file);
    return has;
}

/* One thread does both in one call of the user's, or in one line. */
static bool in_one_call(const au_case_event *a, const au_case_event *b) {
    if (strcmp(a->thread, b->thread))
        return false;
    if (a->line && !au_case_is_foreign(a->file) && has_line(b, a->file, a->line))
        return true;
    for (uint32_t i = 0; i < a->n_callers; i++)
        if (a->caller[i].line && !au_case_is_foreign(a->caller[i].file) &&
            has_line(b, a->caller[i].file, a->caller[i].line))
            return true;
    return false;
}

/* … in one call of the user's that only libraries and destructors lie between. */
static bool is_one_deed(const au_case_event *a, const au_case_event *b) {
    const char *file[2];
    uint32_t line[2];
    deed(a, &file[0], &line[0]);
    deed(b, &file[1], &line[1]);
    return !strcmp(a->thread, b->thread) && line[0] && line[0] == line[1] &&
           !strcmp(file[0], file[1]);
}

/* Is the crash what came of using the block of u, allocated and freed at the same places? */
bool au_case_is_crash_of(const au_case *c, const au_case *u) {
    const au_case_event *frees, *uses, *other = au_case_free_in(u);
    bool twice;
    return other && c->known == u->known && same_place(c->var, u->var) &&
           au_case_after_free(c, &frees, &uses, &twice) &&
           !strcmp(frees->location, other->location);
}

/* Does c only say again that the block of u is freed while it is used? */
bool au_case_is_of_free(const au_case *c, const au_case *u) {
    const au_case_event *frees = au_case_free_in(u);
    if (!frees || c->known != u->known || u->standing > c->standing || is_containers(u))
        return false;
    if (au_case_is_one_block(c->var, u->var))
        return !au_case_free_in(c) &&
               (in_one_call(&c->event.at[0], frees) || in_one_call(&c->event.at[1], frees));
    return is_containers(c) &&
           (is_one_deed(&c->event.at[0], frees) || is_one_deed(&c->event.at[1], frees));
}

bool au_case_is_use_of(const au_case *c, const au_case *u) {
    if (c->event.n != 1 || !au_case_free_in(u) || c->known != u->known || u->standing > c->standing)
        return false;
    return same_place(c->event.at[0].object, u->var);
}

bool au_case_is_broken_by_free(const au_case *c, const au_case *u) {
    return au_case_free_in(u) && c->event.at[1].frees && c->known == u->known &&
           u->standing <= c->standing && au_case_is_one_block(c->var, u->var);
}

/* ---- containers ---- */

/* Is code of a library between the event and the line of the user? */
static bool is_in_library(const au_case_event *e) {
    const au_case_frame *f = au_case_deed(e);
    bool library = *e->file && au_case_is_foreign(e->file);
    for (const au_case_frame *x = e->caller; f && x < f && !library; x++)
        library = au_case_is_foreign(x->file);
    return f && library;
}

static bool is_race(const au_case *c) {
    return c->kind == AU_KIND_RACE && c->event.n == 2;
}

/* It has a name that leads into a type of the library, or the library accesses it: not the memory behind it. */
static bool is_named(const au_case *c, const au_case_event *e) {
    return is_race(c) && !au_case_free_in(c) && !is_containers(c) &&
           (au_case_reserved(c->var) || is_in_library(e));
}

static char *at_line(const char *what, const char *of, const au_case_event *e) {
    const char *file;
    uint32_t line;
    deed(e, &file, &line);
    return line ? au_sprintf("%s\n%s\n%s:%" PRIu32, what, of, file, line) : NULL;
}

char *au_case_container_at(const au_case *c, size_t side) {
    if (!is_race(c) || !is_named(c, &c->event.at[side]))
        return NULL;
    char *field = au_case_field(c->var), *made = at_line("container", field, &c->event.at[side]);
    free(field);
    return made;
}

char *au_case_call_at(const au_case *c, size_t side) {
    if (!is_race(c) || !is_named(c, &c->event.at[side]))
        return NULL;
    return at_line("memory at", "", &c->event.at[side]);
}

/* The library does it; its inline functions for atomics leave no frame. */
static bool is_librarys(const au_case *c, const au_case_event *e) {
    return is_in_library(e) || au_case_reserved(c->var);
}

char *au_case_memory_at(const au_case *c, size_t side) {
    bool error = c->kind == AU_KIND_ASSERTION && c->narrow && c->event.n == 1 && !side &&
                 (is_in_library(&c->event.at[0]) ||
                  au_case_reserved(c->what)); /* the user's own pointer is another cause */
    if (!error && (!is_race(c) || !is_containers(c) || !is_librarys(c, &c->event.at[side])))
        return NULL;
    return at_line("memory at", "", &c->event.at[side]);
}

char *au_case_memory(const au_case *c) {
    if (!is_race(c) || !is_containers(c) || au_case_free_in(c) ||
        !is_librarys(c, &c->event.at[0]) || !is_librarys(c, &c->event.at[1]))
        return NULL;
    char *type = au_strndup(c->var, strcspn(c->var, "("));
    char *a = at_line("memory", type, &c->event.at[0]), *b = at_line("", "", &c->event.at[1]);
    char *made =
        a && b ? au_sprintf("%s%s", strcmp(a, b) < 0 ? a : b, strcmp(a, b) < 0 ? b : a) : NULL;
    free(type);
    free(a);
    free(b);
    return made;
}

/* ---- deadlocks ---- */

/* Nobody wakes the same thread at the same place; who else stands still then is no other cause. */
static bool is_same_wakeup(const au_case *c, const au_case *r) {
    return r->narrow == AU_NARROW_LOST_WAKEUP && c->narrow == r->narrow &&
           !strcmp(c->message, r->message) && c->event.n > r->event.n;
}

bool au_case_is_stuck_behind(const au_case *c, const au_case *r) {
    bool blank =
        true; /* nobody says what the threads of c wait for: they stood there when the run ended */
    for (size_t i = 0; i < c->event.n; i++)
        blank &= !*c->event.at[i].object || !strcmp(c->event.at[i].op, "wait");
    if (r->kind != AU_KIND_DEADLOCK || (r->narrow && !is_same_wakeup(c, r)) || !r->event.n ||
        c->known != r->known || !blank || r->standing > c->standing)
        return false;
    for (size_t i = 0; i < r->event.n; i++) {
        const au_case_event *e = &r->event.at[i];
        bool there = false;
        for (size_t k = 0; k < c->event.n && !there; k++)
            there =
                e->line && e->line == c->event.at[k].line && !strcmp(e->file, c->event.at[k].file);
        if (!there || !*e->object)
            return false;
    }
    return true;
}
