/* report/case_fold.c: one cause, one finding (au_dossier_fold in case.h).
 *
 * Findings of one kind with the same cause (case_cause.c) are one. A broken block that only says again that its accesses
 * race goes below the race: every pair of its accesses that conflict is a race that is told, on the same field and
 * lines, at least as certain as it is; so does a lost update, and a broken block of its three accesses goes below it. A race
 * on a block with who is about to free it (a destructor) goes below the use after free of that block, a crash that came of
 * using it as well, and the memory of a container below that of the object which is freed with it. Output that differs as
 * a race or a lost update makes it differ goes below that. Deadlocks of the same
 * locks, each of which has one name only, are one. Races on a container of the library that share a line which calls it are one
 * cause, whatever of it they are on, with those on the memory that it manages. A race
 * and the assertion that it breaks stay two. What is known and what is not stay apart, so that nothing new hides below
 * something known, and the exit status is what it was. */
#include "report/case_same.h"
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
    if ((a->narrow == AU_NARROW_STALE) != (b->narrow == AU_NARROW_STALE))
        return b->narrow == AU_NARROW_STALE; /* what may be meant so hides nothing that counts */
    if (a->standing != b->standing)
        return a->standing < b->standing;
    if (au_case_harm_rank(a) != au_case_harm_rank(b))
        return au_case_harm_rank(a) > au_case_harm_rank(b);
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

/* "standard output has 'b' instead of 'a'": is it told of a, in this stream, that another text is printed instead? */
static bool is_about(const char *harm, const char *what) {
    const char *has = strstr(what, " has "), *instead = strstr(what, " instead of ");
    if (strstr(harm, what))
        return true;
    if (!has || !instead || instead < has)
        return false;
    const char *from = memmem(harm, strlen(harm), what, (size_t)(has - what));
    size_t n = strlen(instead), m = from ? strlen(from) : 0;
    return m > n && !strcmp(from + m - n, instead);
}

/* Up to the member or element. */
static size_t object_of(const char *var) {
    return strcspn(var, ".[");
}

static bool same_functions(const au_case *a, const au_case *b) {
    for (size_t i = 0; i < 3; i++)
        if (!*a->event.at[i].function || strcmp(a->event.at[i].function, b->event.at[i].function) ||
            strcmp(a->event.at[i].file, b->event.at[i].file))
            return false;
    return true;
}

/* Cells of one object that are read in one function and written in one function are lost together. */
static void lose_together(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    size_t n = object_of(c->var);
    if (c->kind != AU_KIND_LOST || c->event.n != 3 || f->below[i] != i || !c->var[n])
        return;
    for (size_t k = 0; k < i; k++) {
        const au_case *x = &f->d->at.at[k];
        if (x->kind == AU_KIND_LOST && x->event.n == 3 && f->below[k] == k &&
            x->known == c->known && x->standing <= c->standing && object_of(x->var) == n &&
            !strncmp(x->var, c->var, n) && same_functions(x, c)) {
            f->below[i] = k;
            return;
        }
    }
}

/* Output that differs as a race or a lost update says of itself goes below that. */
static void explain(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    if (c->kind != AU_KIND_OUTPUT || f->below[i] != i || !*c->what)
        return;
    for (size_t k = 0; k < f->d->at.n; k++) {
        const au_case *x = &f->d->at.at[k];
        if (x->kind != AU_KIND_OUTPUT && x->known == c->known && x->standing <= c->standing &&
            is_about(x->harm_text, c->what)) {
            f->below[i] = top_of(f, k);
            return;
        }
    }
}

/* ---- blocks that are freed ---- */

/* The freed memory that an assertion of --checks saw: "sink(log.cpp:28)#1.level = …"; "": it is another one. */
static const char *freed_in(const au_case *c) {
    const char *with = strstr(c->what, " fails with ");
    return strcmp(au_case_detail(c), "uaf") || !with ? "" : with + strlen(" fails with ");
}

/* It says again that the block of u, allocated at the same place, is used when it is freed. */
static bool is_use_of(const au_case *c, const char *var, bool known) {
    return c->known == known && au_case_is_one_block(freed_in(c), var);
}

/* Uses of one freed block are one finding: of the race with the free, or of the first of them. */
static void use_again(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    if (!*freed_in(c) || f->below[i] != i)
        return;
    for (size_t k = 0; k < f->freeing.n; k++)
        if (is_use_of(c, f->d->at.at[f->freeing.at[k]].var, f->d->at.at[f->freeing.at[k]].known)) {
            f->below[i] = top_of(f, f->freeing.at[k]);
            return;
        }
    for (size_t k = 0; k < i; k++)
        if (f->below[k] == k && *freed_in(&f->d->at.at[k]) &&
            is_use_of(c, freed_in(&f->d->at.at[k]), f->d->at.at[k].known)) {
            f->below[i] = k;
            return;
        }
}

static void bury(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    bool race = c->kind == AU_KIND_RACE && c->event.n == 2;
    bool crash = c->kind == AU_KIND_ASSERTION && c->narrow;
    bool block = (c->kind == AU_KIND_LOST || c->kind == AU_KIND_ATOMICITY) && c->event.n == 3;
    if ((!race && !crash && !block) || f->below[i] != i)
        return;
    for (size_t k = 0; k < f->freeing.n; k++) {
        size_t u = f->freeing.at[k];
        const au_case *o = &f->d->at.at[u];
        bool of = crash   ? au_case_is_crash_of(c, o) || au_case_is_use_of(c, o)
                  : block ? au_case_is_broken_by_free(c, o)
                          : au_case_is_of_free(c, o);
        if (u != i && of && top_of(f, u) != i) {
            f->below[i] = u;
            return;
        }
    }
}

/* ---- containers ---- */

/* One of them is a variant of the other. */
static void unite(folder *f, size_t i, size_t k) {
    size_t a = top_of(f, i), b = top_of(f, k);
    if (a == b)
        return;
    if (is_better(&f->d->at.at[b], &f->d->at.at[a]))
        f->below[a] = b;
    else
        f->below[b] = a;
}

static void unite_by(folder *f, char *text, size_t i) {
    if (!text)
        return;
    uint64_t *first = au_map_put(&f->group, key_of(&f->d->at.at[i], text), NULL);
    if (!*first)
        *first = i + 1;
    else
        unite(f, *first - 1, i);
}

/* Races on one container at one line that calls it are one cause, and so are those on the memory that it manages. */
static void contain(folder *f) {
    for (size_t i = 0; i < f->d->at.n; i++)
        for (size_t side = 0; side < 2; side++)
            unite_by(f, au_case_container_at(&f->d->at.at[i], side), i);
    for (size_t i = 0; i < f->d->at.n; i++) {
        const au_case *c = &f->d->at.at[i];
        size_t owner = SIZE_MAX;
        for (size_t side = 0; side < 2 && owner == SIZE_MAX; side++) {
            char *at = au_case_memory_at(c, side);
            const uint64_t *found = at ? au_map_find(&f->group, key_of(c, at)) : NULL;
            owner = found && *found ? top_of(f, *found - 1) : SIZE_MAX;
        }
        if (owner != SIZE_MAX && f->below[i] == i && owner != i &&
            f->d->at.at[owner].standing <= c->standing)
            f->below[i] = owner;
        else if (f->below[i] == i)
            unite_by(f, au_case_memory(c), i);
    }
}

/* Where a call of a container races: for the memory that it manages. */
static void note_calls(folder *f) {
    for (size_t i = 0; i < f->d->at.n; i++)
        for (size_t side = 0; side < 2; side++) {
            char *at = au_case_call_at(&f->d->at.at[i], side);
            uint64_t *first = at ? au_map_put(&f->group, key_of(&f->d->at.at[i], at), NULL) : NULL;
            if (first && !*first)
                *first = i + 1;
        }
}

/* A deadlock of a run: who waits for a lock of the cycle is no other cause. */
static void stand_behind(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    for (size_t k = 0; k < f->d->at.n && c->kind == AU_KIND_DEADLOCK && f->below[i] == i; k++)
        if (k != i && top_of(f, k) != i && au_case_is_stuck_behind(c, &f->d->at.at[k]))
            f->below[i] = k;
}

/* ---- a test and what follows from it ---- */

/* Races of one field with lines of one function that takes no lock where the others do. */
typedef struct {
    size_t read, write; /* cases of a line that reads, of one that writes: index + 1 */
    bool more;          /* of several lines that read, or that write */
} bare;

/* The side without a lock; NULL: both take one, or none. */
static const au_case_event *bare_side(const au_case *c) {
    if (c->kind != AU_KIND_RACE || c->event.n != 2 || au_case_free_in(c))
        return NULL;
    const au_case_event *a = &c->event.at[0], *b = &c->event.at[1];
    const au_case_event *e = !a->n_held && b->n_held ? a : a->n_held && !b->n_held ? b : NULL;
    return e && *e->function && e->line ? e : NULL;
}

static void note_bare(const folder *f, bare *x, size_t i) {
    const au_case_event *e = bare_side(&f->d->at.at[i]);
    size_t *at = writes(e) ? &x->write : &x->read;
    if (*at && bare_side(&f->d->at.at[*at - 1])->line != e->line)
        x->more = true;
    *at = *at ? *at : i + 1;
}

/* A field is tested in one line and written in a later one, 'if (!made) made = true;', in a function that has to take a lock
 * for both: one cause. */
static void test_and_set(folder *f) {
    AU_VEC(bare) all = {0};
    for (size_t i = 0; i < f->d->at.n; i++) {
        const au_case *c = &f->d->at.at[i];
        const au_case_event *e = f->below[i] == i ? bare_side(c) : NULL;
        if (!e)
            continue;
        char *field = au_case_field(c->var);
        uint64_t *at = au_map_put(
            &f->group, key_of(c, au_sprintf("bare\n%s\n%s\n%s", field, e->function, e->file)),
            NULL);
        free(field);
        if (!*at) {
            au_vec_push(&all, ((bare){0}));
            *at = all.n;
        }
        note_bare(f, &all.at[*at - 1], i);
    }
    for (size_t i = 0; i < all.n; i++) {
        const bare *x = &all.at[i];
        if (x->read && x->write && !x->more &&
            bare_side(&f->d->at.at[x->read - 1])->line <
                bare_side(&f->d->at.at[x->write - 1])->line)
            unite(f, x->read - 1, x->write - 1);
    }
    au_vec_release(&all);
}

/* ---- decisions ---- */

static bool has_step(const au_case *c, const au_case_event *e) {
    for (size_t i = 0; i < c->witness.n; i++) {
        const au_case_event *x = &c->witness.at[i];
        if (x->line && x->line == e->line && !strcmp(x->file, e->file) &&
            !strcmp(x->object, e->object) && !strcmp(x->op, e->op))
            return true;
    }
    return false;
}

/* An assertion fails on a way on which the same decision is taken and acted on: it says more. */
static void decide(folder *f, size_t i) {
    const au_case *c = &f->d->at.at[i];
    if (c->narrow != AU_NARROW_STALE || f->below[i] != i)
        return;
    for (size_t k = 0; k < f->d->at.n; k++) {
        const au_case *x = &f->d->at.at[k];
        if (x->kind == AU_KIND_ASSERTION && x->known == c->known && x->standing <= c->standing &&
            has_step(x, &c->event.at[0]) && has_step(x, &c->event.at[2])) {
            f->below[i] = top_of(f, k);
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
        if (au_case_free_in(&d->at.at[i]))
            au_vec_push(&f.freeing, i);
    for (size_t i = 0; i < d->at.n; i++)
        bury(&f, i);
    note_calls(&f);
    contain(&f);
    for (size_t i = 0; i < d->at.n; i++)
        stand_behind(&f, i);
    for (size_t i = 0; i < d->at.n; i++)
        use_again(&f, i);
    for (size_t i = 0; i < d->at.n; i++)
        lose_together(&f, i);
    test_and_set(&f);
    for (size_t i = 0; i < d->at.n; i++)
        decide(&f, i);
    for (size_t i = 0; i < d->at.n; i++)
        explain(&f, i);
    put_together(&f);
    tell_apart(d);
    au_dossier_number(d);
    au_dossier_plain(d);
    au_map_release(&f.group);
    free(f.below);
    au_vec_release(&f.freeing);
}
