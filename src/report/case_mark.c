/* report/case_mark.c: the fingerprint of a finding.
 *
 * It is what the finding is about and where, in words that outlive an edit and another run: kind,
 * object, and for every decisive event its function and the text of its source line (blanks do not
 * count). No line numbers, threads, values or event numbers; and not the operations, because which of
 * the accesses of 'n++' is told is a matter of chance. Names that augur made up
 * lose what changes from run to run: node(list.c:12)#2.next is node(list.c).next, acct[3] is acct[].
 * So two findings of one check can have the same fingerprint: they are one bug to the person who
 * has to mend it. What is told of a program's findings in the end is the fingerprint of the cause (case_cause.c). */
#include "report/case_words.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>

static size_t digits(const char *s) {
    return strspn(s, "0123456789");
}

/* A name without the numbers that augur gave it. */
void au_case_put_object(au_out *out, const char *s) {
    while (*s) {
        size_t n;
        if (*s == '#' && (n = digits(s + 1))) {
            s += 1 + n;
        } else if (*s == '[' && (n = digits(s + 1)) && s[1 + n] == ']') {
            au_out_str(out, "[]");
            s += 2 + n;
        } else if (*s == ':' && (n = digits(s + 1)) && s[1 + n] == ')') {
            s += 1 + n;
        } else if (!strncmp(s, " (T", 3) && (n = digits(s + 3)) && s[3 + n] == ')') {
            s += 4 + n;
        } else if (!strncmp(s, "0x", 2)) {
            au_out_str(out, "0x");
            s += 2 + strspn(s + 2, "0123456789abcdef");
        } else if (!strncmp(s, " of T", 5) && (n = digits(s + 5)) && !s[5 + n]) {
            au_out_str(out, " of T");
            s += 5 + n;
        } else {
            au_out_char(out, *s++);
        }
    }
}

void au_case_put_squeezed(au_out *out, const char *s) {
    bool word = false, any = false;
    for (; *s; s++) {
        if (isspace((unsigned char)*s)) {
            word = false;
            continue;
        }
        if (!word && any)
            au_out_char(out, ' ');
        word = any = true;
        au_out_char(out, *s);
    }
}

/* Is the object part of what it is? Deadlocks and assertions are told by their places: what is
 * waited for is not known when it happens in the run itself, and an assertion's event is only the
 * one before it. */
static bool about_object(const au_case *c) {
    return c->kind != AU_KIND_DEADLOCK && c->kind != AU_KIND_ASSERTION;
}

/* "deposit|account.visits++;|account.visits" */
static void put_event(au_out *out, const au_case *c, const au_case_event *e) {
    au_out_printf(out, "%s|", e->function);
    if (*e->text)
        au_case_put_squeezed(out, e->text);
    else if (*e->label)
        au_out_str(out, e->label);
    else if (*e->function)
        au_out_str(out, au_case_base_name(e->file));
    else
        au_out_str(out, au_case_base_name(e->location));
    au_out_char(out, '|');
    if (about_object(c) || (c->kind == AU_KIND_DEADLOCK && !*e->text && !*e->function))
        au_case_put_object(out, e->object);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Which of two sides comes first is a matter of chance. */
static void put_events(au_out *out, const au_case *c) {
    char **side = au_alloc_array(c->event.n, sizeof *side);
    for (size_t i = 0; i < c->event.n; i++) {
        au_out *one = au_out_memory();
        size_t n;
        put_event(one, c, &c->event.at[i]);
        const char *text = au_out_memory_data(one, &n);
        side[i] = au_strndup(text, n);
        au_out_abandon(one);
    }
    bool ordered =
        c->kind == AU_KIND_ATOMICITY || c->kind == AU_KIND_NONDET || c->kind == AU_KIND_LOST;
    if (!ordered && c->event.n)
        qsort(side, c->event.n, sizeof *side, by_text);
    for (size_t i = 0; i < c->event.n; i++) {
        /* how many threads stand at one place is chance as well */
        if (c->kind == AU_KIND_DEADLOCK && i && !strcmp(side[i], side[i - 1]))
            continue;
        au_out_char(out, '\n');
        au_out_str(out, side[i]);
    }
    for (size_t i = 0; i < c->event.n; i++)
        free(side[i]);
    free(side);
}

/* What an assertion says, without the values that it fails with. */
static void put_what(au_out *out, const au_case *c) {
    const char *end = strstr(c->what, " fails");
    if (c->kind == AU_KIND_ASSERTION && c->event.n && *c->event.at[0].text)
        return; /* the line says it */
    if (c->kind == AU_KIND_ASSERTION && end)
        au_out_write(out, c->what, (size_t)(end - c->what));
    else if (c->kind == AU_KIND_MISUSE || c->kind == AU_KIND_ASSERTION)
        au_case_put_object(out, c->what);
}

void au_case_mark(au_dossier *d, au_case *c) {
    au_out *out = au_out_memory();
    char hex[17];
    size_t n;
    au_out_printf(out, "%s\n", au_kind_name(c->kind));
    if (about_object(c))
        au_case_put_object(out, c->var);
    au_out_char(out, '\n');
    put_what(out, c);
    put_events(out, c);
    const char *text = au_out_memory_data(out, &n);
    snprintf(hex, sizeof hex, "%016" PRIx64, au_hash_bytes(text, n));
    c->fingerprint = au_dossier_text_copy(d, hex);
    bool frees = false;
    for (size_t i = 0; i < c->event.n; i++)
        frees |= c->event.at[i].frees;
    if (frees) { /* in the line of a destructor that writes: another finding, that was called the same */
        c->earlier = c->fingerprint;
        snprintf(hex, sizeof hex, "%016" PRIx64, au_hash_join(au_hash_bytes(text, n), 1));
        c->fingerprint = au_dossier_text_copy(d, hex);
    }
    au_out_abandon(out);
}
