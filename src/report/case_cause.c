/* report/case_cause.c: what a program's finding comes from, as a text; its hash is the finding's fingerprint.
 *
 *   race         the two lines and the field, or the one of them that takes no lock where the other does; with a free: the line of the free and the block
 *   atomicity    the lines of the block's two accesses and of the one between them, and the field
 *   deadlock     the lines that threads wait at
 *   assertion    its line
 *   misuse       the line, the lock, what is wrong
 *
 * A line is that of the user: of an access in a library the call that led there; and if both accesses of a race are in a
 * library, its own variables are nobody's business, nor are the members of its types. A field is that of a type, in whatever object and array element
 * it is: acct[3].n, (*node(list.c:12)#2).n. For a fingerprint a line is its function and its text, and which of
 * the function's lines with this text it is; to compare findings of one report it is file and line. */
#include "report/case_words.h"

#include "base/hash.h"
#include "report/dossier.h"

#include <stdlib.h>

/* ---- the object ---- */

/* Where the members begin in 'acct[].n', 'node(list.c).next'; NULL: nowhere. */
static const char *members_of(const char *s) {
    int depth = 0;
    for (; *s; s++) {
        depth += *s == '(' || *s == '<' || *s == '[';
        depth -= *s == ')' || *s == '>' || *s == ']';
        if (*s == '.' && depth <= 0)
            return s;
        if (*s == ' ' && depth <= 0)
            return NULL; /* "buf[] in worker" */
    }
    return NULL;
}

/* Where a library's own members begin, by the names that the language leaves to it: 'cache.v._M_impl._M_start' is the
 * user's 'cache.v'. NULL: nowhere. */
const char *au_case_reserved(const char *s) {
    for (; (s = strstr(s, "._")); s++)
        if (s[2] >= 'A' && s[2] <= 'Z')
            return s;
    return NULL;
}

size_t au_case_block_name(const char *var) {
    const char *members = members_of(var), *end = members ? members : var + strlen(var);
    const char *mark = memrchr(var, ')', (size_t)(end - var));
    if (!mark || mark[1] != '#')
        return 0;
    return (size_t)(mark + 2 - var) + strspn(mark + 2, "0123456789");
}

const char *au_case_allocated(const char *var, size_t n) {
    static const char library[] = "(new_allocator.h";
    const char *place = memrchr(var, '(', n);
    return place && strncmp(place, library, strlen(library)) ? place : NULL;
}

static void put_field(au_out *out, const char *var) {
    au_out *one = au_out_memory();
    size_t n;
    au_case_put_object(one, var);
    au_out_char(one, 0);
    const char *text = au_out_memory_data(one, &n), *from = members_of(text);
    from = from ? from : text;
    const char *plus = strrchr(from, '+'); /* bytes of one object */
    n = strlen(from);
    if (plus && plus[1] && !plus[1 + strspn(plus + 1, "0123456789")])
        n = (size_t)(plus - from);
    const char *reserved = au_case_reserved(from);
    if (reserved == from) /* 'list._M_head' */
        from = text;
    if (reserved)
        n = (size_t)(reserved - from);
    au_out_write(out, from, n);
    au_out_abandon(one);
}

static char *taken(au_out *out) {
    size_t n;
    const char *text = au_out_memory_data(out, &n);
    char *made = au_strndup(text, n);
    au_out_abandon(out);
    return made;
}

char *au_case_field(const char *var) {
    au_out *out = au_out_memory();
    put_field(out, var);
    return taken(out);
}

/* ---- lines ---- */

static char *exact_line(const au_case_event *e) {
    const au_case_frame *user = au_case_told_frame(e);
    if (user)
        return au_sprintf("%s:%" PRIu32, user->file, user->line);
    if (*e->file && e->line && !*e->label)
        return au_sprintf("%s:%" PRIu32, e->file, e->line);
    return au_sprintf("%s|%s", e->location, e->label);
}

static char *line_of(const au_case_event *e, bool exactly) {
    const au_case_frame *user = au_case_told_frame(e);
    if (exactly)
        return exact_line(e);
    au_out *out = au_out_memory();
    const char *text = user ? e->from_text : e->text, *file = user ? user->file : e->file;
    au_out_printf(out, "%s|", user ? user->function : e->function);
    if (*text)
        au_case_put_squeezed(out, text);
    else if (*e->label && !user)
        au_out_str(out, e->label);
    else if (*file)
        au_out_str(out, au_case_base_name(file));
    else
        au_out_str(out, e->location);
    if (e->nth)
        au_out_printf(out, "|%" PRIu32, e->nth);
    return taken(out);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of events at[0 … n-1], in the order of their texts or in their own. */
static void put_lines(au_out *out, const au_case_event *const *at, size_t n, bool sorted,
                      bool exactly) {
    char **line = au_alloc_array(n, sizeof *line);
    for (size_t i = 0; i < n; i++)
        line[i] = line_of(at[i], exactly);
    if (sorted && n)
        qsort(line, n, sizeof *line, by_text);
    for (size_t i = 0; i < n; i++)
        if (!i || !sorted || strcmp(line[i], line[i - 1])) /* how many are there is chance */
            au_out_printf(out, "\n%s", line[i]);
    for (size_t i = 0; i < n; i++)
        free(line[i]);
    free(line);
}

/* ---- kinds ---- */

static void put_pair(au_out *out, const au_case *c, size_t one, size_t other, bool exactly) {
    const au_case_event *at[] = {&c->event.at[one], &c->event.at[other]};
    if (!au_case_user_frame(at[0]) || !au_case_user_frame(at[1]) || au_case_reserved(c->var))
        put_field(out, c->var);
    put_lines(out, at, 2, true, exactly);
}

/* The freed block, whatever of it was used, and where it was freed. */
static void put_freed(au_out *out, const char *var, const au_case_event *frees, bool exactly) {
    au_out *one = au_out_memory();
    size_t n;
    au_case_put_object(one, var);
    au_out_char(one, 0);
    const char *text = au_out_memory_data(one, &n), *members = members_of(text);
    n = members ? (size_t)(members - text) : strcspn(text, "+");
    /* of its name where it was allocated: the type is what a run happens to tell of it, 'Sink(log.cpp)[2]' or 'Buffer(log.cpp)' */
    size_t end = n;
    while (end && text[end - 1] != ')')
        end--;
    const char *place = end ? au_case_allocated(text, end) : NULL;
    au_out_str(out, "freed\n");
    au_out_write(out, place ? place : text, place ? (size_t)(text + end - place) : n);
    au_out_abandon(one);
    put_lines(out, &frees, 1, true, exactly);
}

/* The side that takes no lock where the other one does, or that writes under a lock that it only has to read: the line to be
 * mended, whatever it races with. NULL: both are alike. */
static const au_case_event *guilty(const au_case_event *a, const au_case_event *b) {
    if (!a->n_held != !b->n_held)
        return a->n_held ? b : a;
    bool both = false;
    for (uint32_t i = 0; i < a->n_held; i++)
        for (uint32_t k = 0; k < b->n_held; k++)
            both |= !strcmp(a->held[i], b->held[k]);
    bool reads[] = {!strcmp(a->op, "read"), !strcmp(b->op, "read")};
    return both && reads[0] != reads[1] ? (reads[0] ? b : a) : NULL;
}

char *au_case_race_cause(const au_case *c, size_t one, size_t other, bool exactly) {
    au_out *out = au_out_memory();
    const au_case_event *a = &c->event.at[one], *b = &c->event.at[other];
    if (a->frees != b->frees) {
        put_freed(out, c->var, a->frees ? a : b, exactly);
        return taken(out);
    }
    au_out_str(out, a->frees ? "freed twice\n" : "race\n");
    const au_case_event *by = a->frees ? NULL : guilty(a, b);
    put_pair(out, c, by == b ? other : one, by == a ? one : other, exactly);
    return taken(out);
}

/* The block's accesses in their order, then the other one. If the block is a line, which of the two lines is the block is
 * chance. */
static void put_block(au_out *out, const au_case *c, bool exactly) {
    const au_case_event *at[] = {&c->event.at[0], &c->event.at[2], &c->event.at[1]};
    char *first = line_of(at[0], exactly), *last = line_of(at[1], exactly);
    au_out_printf(out, "%s\n", au_kind_name(c->kind));
    if (!strcmp(first, last)) {
        put_pair(out, c, 0, 1, exactly);
    } else {
        put_field(out, c->var);
        put_lines(out, at, 3, false, exactly);
    }
    free(first);
    free(last);
}

/* What an assertion says, without the values that it fails with. */
static void put_what(au_out *out, const au_case *c) {
    const char *end = c->kind == AU_KIND_ASSERTION ? strstr(c->what, " fails") : NULL;
    if (c->kind == AU_KIND_ASSERTION && c->event.n && *c->event.at[0].location)
        return; /* the line says it */
    if (end)
        au_out_write(out, c->what, (size_t)(end - c->what));
    else
        au_case_put_object(out, c->what);
}

char *au_case_cause(const au_case *c, bool exactly) {
    if (c->kind == AU_KIND_RACE && c->event.n == 2)
        return au_case_race_cause(c, 0, 1, exactly);
    au_out *out = au_out_memory();
    if ((c->kind == AU_KIND_ATOMICITY || c->kind == AU_KIND_LOST) && c->event.n == 3) {
        put_block(out, c, exactly);
        return taken(out);
    }
    const au_case_event **at = au_alloc_array(c->event.n, sizeof *at);
    size_t n = 0;
    for (size_t i = 0; i < c->event.n; i++) /* what was read before it ended is chance */
        if ((c->kind != AU_KIND_ASSERTION && c->kind != AU_KIND_OUTPUT) || !i)
            at[n++] = &c->event.at[i];
    au_out_printf(out, "%s\n", au_kind_name(c->kind));
    if (c->kind != AU_KIND_DEADLOCK && c->kind != AU_KIND_ASSERTION)
        put_field(out, c->var);
    if (c->kind == AU_KIND_MISUSE || c->kind == AU_KIND_ASSERTION || !c->event.n) {
        au_out_char(out, '\n');
        put_what(out, c);
    }
    put_lines(out, at, n, c->kind != AU_KIND_NONDET, exactly);
    free(at);
    return taken(out);
}

/* ---- all cases ---- */

bool au_dossier_is_in_library(const au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++)
        for (size_t k = 0; k < d->at.at[i].event.n; k++) {
            const char *file = d->at.at[i].event.at[k].file;
            if (*file && au_case_is_foreign(file))
                return true;
        }
    return false;
}

void au_dossier_causes(au_dossier *d) {
    if (!*d->program)
        return;
    au_dossier_find_sources(d); /* the callers' lines */
    au_dossier_narrow(d);
    for (size_t i = 0; i < d->at.n; i++) {
        au_case *c = &d->at.at[i];
        char *cause = au_case_cause(c, false), hex[17];
        const char *before = c->fingerprint;
        if (!*c->earlier)
            c->earlier = before;
        snprintf(hex, sizeof hex, "%016" PRIx64, au_hash_bytes(cause, strlen(cause)));
        c->fingerprint = au_dossier_text_copy(d, hex);
        for (size_t k = 0; k < d->graph.n; k++)
            if (*before && !strcmp(d->graph.at[k].finding, before))
                d->graph.at[k].finding = c->fingerprint;
        free(cause);
    }
}
