/* report/case_words.h: words that writers and readers of cases share. */
#ifndef AU_REPORT_CASE_WORDS_H
#define AU_REPORT_CASE_WORDS_H

#include "report/case.h"

#include <inttypes.h>
#include <stdio.h>

/* Beyond this a number does not survive as a double. */
#define AU_CASE_EXACT (INT64_C(1) << 53)

/* "confirmed", "not shown", "diverged", "not tried". */
const char *au_case_replay_name(au_case_replay r);

/* A file of a library or of augur, or no file: who reads a finding did not write it. */
static inline bool au_case_is_foreign(const char *file) {
    return !strncmp(file, "/usr/", 5) || !strncmp(file, "<augur>/", 8) || !*file;
}

/* The call in the user's code that led into the library's code in which the event is; NULL: the event is in the user's,
 * or nobody knows. */
static inline const au_case_frame *au_case_user_frame(const au_case_event *e) {
    for (uint32_t i = 0; i < e->n_callers && *e->file && au_case_is_foreign(e->file); i++)
        if (!au_case_is_foreign(e->caller[i].file) && e->caller[i].line)
            return &e->caller[i];
    return NULL;
}

/* "logging::Sink::~Sink", also with parameters behind it. */
static inline bool au_case_is_destructor(const char *function) {
    const char *tilde = strchr(function, '~');
    return tilde && (tilde == function || tilde[-1] == ':');
}

/* What the user did there: the line of the event, but of code of a library and of destructors, which a delete or the end of
 * a block calls, the call that led there. NULL: nobody knows better than the event. */
static inline const au_case_frame *au_case_deed(const au_case_event *e) {
    bool foreign = !*e->file || au_case_is_foreign(e->file) || au_case_is_destructor(e->function);
    for (uint32_t i = 0; i < e->n_callers && foreign && *e->file; i++) {
        const au_case_frame *f = &e->caller[i];
        if (f->line && !au_case_is_foreign(f->file) && !au_case_is_destructor(f->function))
            return f;
    }
    return NULL;
}

/* The call that an event counts for: of a free what the user did, of others au_case_user_frame. */
static inline const au_case_frame *au_case_told_frame(const au_case_event *e) {
    const au_case_frame *deed = e->frees ? au_case_deed(e) : NULL;
    return deed ? deed : au_case_user_frame(e);
}

static inline const char *au_case_base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}
/* For fingerprints (case_mark.c): a name without the numbers that augur gave it; a text with single blanks. */
void au_case_put_object(au_out *out, const char *s);
void au_case_put_squeezed(au_out *out, const char *s);
/* A text with the names in it as the user wrote them (case_name.c). */
void au_case_put_plain(au_out *out, const char *s);
/* Lines of at most this width, further ones of a line indented; colours have no width (case_wrap.c). */
void au_case_put_wrapped(au_out *out, const char *text, size_t n, size_t width);
/* What a program's finding is about (case_cause.c). 'exactly': places are files and lines, as within one run;
 * else in words that outlive an edit. The caller frees it. */
char *au_case_cause(const au_case *c, bool exactly);
/* A race of these two events of c on its variable would have this cause. The same. */
char *au_case_race_cause(const au_case *c, size_t one, size_t other, bool exactly);

/* The field of a type that it is: "acct[].n"; of a member of a library's type the user's member. The caller frees it. */
char *au_case_field(const char *var);
/* Where the members of a library's type begin in a name, ".values._M_impl": there; NULL: nowhere. */
const char *au_case_reserved(const char *var);

/* Letters of 'node(list.c:12)#2' in 'node(list.c:12)#2.next': the block of memory that the variable is in; 0: it is in none. */
size_t au_case_block_name(const char *var);
/* Where in the first n letters of such a name the place begins that allocates it, "(list.c:12)"; NULL: a library does. */
const char *au_case_allocated(const char *var, size_t n);

/* A crash that is the use, or ('again') the free, of a block that another thread had freed: who freed it and who used it, in the
 * witness (case_crash.c). */
bool au_case_after_free(const au_case *c, const au_case_event **frees, const au_case_event **uses,
                        bool *again);
/* A delete of an object: it looks for the destructor in the object first. */
bool au_case_is_delete(const au_case_event *e);

/* Is its object a lock? */
static inline bool au_case_is_about_lock(const au_case *c) {
    return c->kind == AU_KIND_MISUSE || c->kind == AU_KIND_DEADLOCK;
}

#endif
