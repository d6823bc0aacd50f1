/* report/case_fold.c: one cause, one finding (au_dossier_fold in case.h).
 *
 * Findings of one kind with the same cause (case_cause.c) are one. A broken block that only says again that its accesses
 * race goes below the race: every pair of its accesses that conflict is a race that is told, on the same field and
 * lines, at least as certain as it is; so does a lost update, and a broken block of its three accesses goes below it. A race
 * on a block with who is about to free it (a destructor) goes below the use after free of that block, a crash that came of
 * using it as well, and the memory of a container below that of the object which is freed with it. Deadlocks of the same
 * locks, each of which has one name only, are one. A race
 * and the assertion that it breaks stay two. What is known and what is not stay apart, so that nothing new hides below
 * something known, and the exit status is what it was. */
#include "report/case_words.h"

#include "base/hash.h"

#include <stdlib.h>

typedef struct {
    au_dossier *d;
    au_map group;           /* hash of a cause -> index + 1 of the case that stands for it */
    size_t *below;          /* case -> the one that it is a variant of; itself: of none */
    AU_VEC(size_t) freeing; /* races with a free: few of many cases */
} folder;

static uint64_t key_as(bool known, char *cause) {
    uint64_t k = au_hash_join(au_hash_bytes(cause, strlen(cause)), known);
    free(cause);
    return k;
}

static uint64_t key_of(const au_case *c, char *cause) {
    return key_as(c->known, cause);
}

/* ---- deadlocks of the same locks ---- */

static bool is_plain(const char *name) {
    return *name && !strpbrk(name, "#(+[ ") && strncmp(name, "0x", 2);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* NULL: not only locks with a name are waited for. */
static char *cycle_of(const au_case *c) {
    const char **name = au_alloc_array(c->event.n, sizeof *name);
    bool good = c->kind == AU_KIND_DEADLOCK && c->event.n > 1;
    for (size_t i = 0; i < c->event.n && good; i++) {
        const au_case_event *e = &c->event.at[i];
        name[i] = e->object;
        good = is_plain(e->object) && (!strcmp(e->op, "acquire") || !strcmp(e->op, "request"));
    }
    char *text = NULL;
    if (good) {
        qsort(name, c->event.n, sizeof *name, by_text);
        au_out *out = au_out_memory();
        size_t n;
        au_out_str(out, "cycle");
        for (size_t i = 0; i < c->event.n; i++)
            au_out_printf(out, "\n%s", name[i]);
        const char *made = au_out_memory_data(out, &n);
        text = au_strndup(made, n);
        au_out_abandon(out);
    }
    free(name);
    return text;
}

/* ---- groups ---- */

/* Does a say more than b, of the same cause? */
static bool is_better(const au_case *a, const au_case *b) {
    if (a->standing != b->standing)
        return a->standing < b->standing;
    if (au_case_is_contradicted(a) != au_case_is_contradicted(b))
        return au_case_is_contradicted(b); /* it is no reason to fail, the other one is */
    if (!a->schedule.n != !b->schedule.n)
        return a->schedule.n;
    return !b->witness.n && a->witness.n;
}

static void take(folder *f, uint64_t key, size_t i) {
    uint64_t *at = au_map_put(&f->group, key, NULL);
    const au_case *c = &f->d->at.at[i];
    if (!*at) {
        *at = i + 1;
    } else if (is_better(c, &f->d->at.at[*at - 1])) {
        f->below[*at - 1] = i;
        *at = i + 1;
    } else {
        f->below[i] = *at - 1;
    }
}

static size_t top_of(const folder *f, size_t i) {
    while (f->below[i] != i)
        i = f->below[i];
    return i;
}

static void group_all(folder *f) {
    for (size_t i = 0; i < f->d->at.n; i++)
        take(f, key_of(&f->d->at.at[i], au_case_cause(&f->d->at.at[i], true)), i);
    for (size_t i = 0; i < f->d->at.n; i++) {
        char *cycle = f->below[i] == i ? cycle_of(&f->d->at.at[i]) : NULL;
        if (cycle)
            take(f, key_of(&f->d->at.at[i], cycle), i);
    }
}

static bool writes(const au_case_event *e) {
    return strcmp(e->op, "read") && strcmp(e->op, "atomic-read");
}

/* The race of two accesses of a block, SIZE_MAX: it is not told, or less certain. An update is lost by the race that
 * somebody knows of: that says nothing new. */
static size_t race_of(const folder *f, const au_case *c, size_t one, size_t other) {
    uint64_t key = key_of(c, au_case_race_cause(c, one, other, true));
    const uint64_t *at = au_map_find(&f->group, key);
    if (!at && c->kind == AU_KIND_LOST)
        at = au_map_find(&f->group, key_as(true, au_case_race_cause(c, one, other, true)));
    if (!at || !*at || f->d->at.at[*at - 1].standing > c->standing)
        return SIZE_MAX;
    return *at - 1;
}

/* The races that a broken block only says again: the first of them. */
static void restate(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    size_t under = SIZE_MAX;
    if ((c->kind != AU_KIND_ATOMICITY && c->kind != AU_KIND_LOST) || c->event.n != 3 ||
        f->below[i] != i)
        return;
    for (size_t side = 0; side < 3; side += 2) {
        if (!writes(&c->event.at[side]) && !writes(&c->event.at[1]))
            continue;
        size_t race = race_of(f, c, side, 1);
        if (race == SIZE_MAX)
            return;
        under = under == SIZE_MAX ? race : under;
    }
    if (under != SIZE_MAX)
        f->below[i] = under;
}

/* A broken block of the same three lines as a lost update says less. */
static void lose(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    if (c->kind != AU_KIND_ATOMICITY || c->event.n != 3 || strcmp(c->what, "RWW") ||
        f->below[i] != i)
        return;
    au_case as = *c;
    as.kind = AU_KIND_LOST;
    const uint64_t *at = au_map_find(&f->group, key_of(c, au_case_cause(&as, true)));
    if (at && *at && f->below[*at - 1] == *at - 1 && f->d->at.at[*at - 1].standing <= c->standing)
        f->below[i] = *at - 1;
}

/* ---- blocks that are freed ---- */

static const au_case_event *free_in(const au_case *c) {
    if (c->kind != AU_KIND_RACE || c->event.n != 2)
        return NULL;
    return c->event.at[0].frees ? &c->event.at[0] : c->event.at[1].frees ? &c->event.at[1] : NULL;
}

/* Memory that the C++ library allocated for a container: somebody's object owns it. */
static bool is_containers(const au_case *c) {
    size_t n = au_case_block_name(c->var);
    return n && memmem(c->var, n, "(new_allocator.h:", strlen("(new_allocator.h:"));
}

static bool same_block(const au_case *a, const au_case *b) {
    size_t n = au_case_block_name(a->var);
    return n && n == au_case_block_name(b->var) && !strncmp(a->var, b->var, n);
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

/* Is the crash what came of using the block of u, allocated and freed at the same places? */
static bool is_crash_of(const au_case *c, const au_case *u) {
    const au_case_event *frees, *uses, *other = free_in(u);
    size_t n = au_case_block_name(u->var), m = au_case_block_name(c->var);
    bool twice;
    while (n && u->var[n - 1] != '#')
        n--;
    while (m && c->var[m - 1] != '#')
        m--;
    return other && c->known == u->known && n && n == m && !strncmp(c->var, u->var, n) &&
           au_case_after_free(c, &frees, &uses, &twice) &&
           !strcmp(frees->location, other->location);
}

/* Does c only say again that the block of u is freed while it is used? */
static bool is_of_free(const au_case *c, const au_case *u) {
    const au_case_event *frees = free_in(u);
    if (!frees || c->known != u->known || u->standing > c->standing || is_containers(u))
        return false;
    return (is_containers(c) || (same_block(c, u) && !free_in(c))) &&
           (in_one_call(&c->event.at[0], frees) || in_one_call(&c->event.at[1], frees));
}

static void bury(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    bool race = c->kind == AU_KIND_RACE && c->event.n == 2;
    bool crash = c->kind == AU_KIND_ASSERTION && c->narrow;
    if ((!race && !crash) || f->below[i] != i)
        return;
    for (size_t k = 0; k < f->freeing.n; k++) {
        size_t u = f->freeing.at[k];
        const au_case *o = &f->d->at.at[u];
        if (u != i && (crash ? is_crash_of(c, o) : is_of_free(c, o)) && top_of(f, u) != i) {
            f->below[i] = u;
            return;
        }
    }
}

/* ---- one report ---- */

/* Variants as findings of their own again, so that a dossier can be folded more than once. */
static void unfold(au_dossier *d) {
    for (size_t i = 0, n = d->at.n; i < n; i++) {
        for (size_t k = 0; k < d->at.at[i].variant.n; k++) {
            au_case one = d->at.at[i].variant.at[k];
            au_vec_push(&d->at, one);
        }
        au_vec_release(&d->at.at[i].variant);
    }
}

static void put_together(folder *f) {
    au_dossier *d = f->d;
    size_t n = 0;
    for (size_t i = 0; i < d->at.n; i++) {
        size_t top = top_of(f, i);
        if (top != i)
            au_vec_push(&d->at.at[top].variant, d->at.at[i]);
    }
    for (size_t i = 0; i < d->at.n; i++)
        if (f->below[i] == i)
            d->at.at[n++] = d->at.at[i];
    d->at.n = n;
}

/* Of two cases with one fingerprint, which is told apart by a number? Without their lines nothing else does it. */
static bool comes_before(const au_case *a, const au_case *b) {
    for (size_t i = 0; i < a->event.n && i < b->event.n; i++) {
        const au_case_event *x = &a->event.at[i], *y = &b->event.at[i];
        int file = strcmp(x->file, y->file), object = strcmp(x->object, y->object);
        if (file || x->line != y->line || object)
            return file ? file < 0 : x->line != y->line ? x->line < y->line : object < 0;
    }
    return a < b;
}

static void tell_apart(au_dossier *d) {
    const char **mark = au_alloc_array(d->at.n, sizeof *mark);
    for (size_t i = 0; i < d->at.n; i++)
        mark[i] = d->at.at[i].fingerprint;
    for (size_t i = 0; i < d->at.n; i++) {
        uint64_t before = 0;
        for (size_t k = 0; k < d->at.n && *d->at.at[i].earlier; k++)
            before +=
                k != i && !strcmp(mark[k], mark[i]) && comes_before(&d->at.at[k], &d->at.at[i]);
        if (!before)
            continue;
        char hex[17];
        snprintf(hex, sizeof hex, "%016" PRIx64,
                 au_hash_join(au_hash_bytes(mark[i], strlen(mark[i])), before));
        d->at.at[i].fingerprint = au_dossier_text_copy(d, hex);
    }
    free(mark);
}

void au_dossier_fold(au_dossier *d) {
    folder f = {.d = d};
    if (!*d->program)
        return;
    unfold(d);
    au_dossier_narrow(d);
    f.below = au_alloc_array(d->at.n, sizeof *f.below);
    for (size_t i = 0; i < d->at.n; i++)
        f.below[i] = i;
    au_map_init(&f.group);
    group_all(&f);
    for (size_t i = 0; i < d->at.n; i++)
        restate(&f, i);
    for (size_t i = 0; i < d->at.n; i++)
        lose(&f, i);
    for (size_t i = 0; i < d->at.n; i++)
        if (free_in(&d->at.at[i]))
            au_vec_push(&f.freeing, i);
    for (size_t i = 0; i < d->at.n; i++)
        bury(&f, i);
    put_together(&f);
    tell_apart(d);
    au_dossier_number(d);
    au_dossier_plain(d);
    au_map_release(&f.group);
    free(f.below);
    au_vec_release(&f.freeing);
}
