/* report/dossier_callers.c: the calls through which threads came to what findings speak of. The
 * recording does not have them: they are found by following it (retrace/retrace.h). */
#include "base/deadline.h"
#include "base/limits.h"
#include "report/case_words.h"
#include "report/dossier_priv.h"

#include "ir/code.h"
#include "retrace/retrace.h"
#include "trace/recording.h"

#include <stdlib.h>

/* An event that is asked for, and the answer. */
typedef struct {
    au_case_event *event;
    au_callers callers;
} question;
typedef AU_VEC(question) questions;

static int by_place(const void *a, const void *b) {
    const au_callers *x = &((const question *)a)->callers, *y = &((const question *)b)->callers;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_open(const au_case *c) {
    for (size_t i = 0; i < c->event.n; i++)
        if (c->event.at[i].n_callers)
            return false;
    return *c->recording && c->event.n;
}

/* Of cases from the first on that are of the same recording. Numbers of threads are those of their names. */
static uint32_t number_of(const au_recording_facts *facts, const char *thread) {
    char *end;
    unsigned long n = *thread == 'T' && thread[1] >= '0' && thread[1] <= '9'
                          ? strtoul(thread + 1, &end, 10)
                          : facts->thread.n;
    return n < facts->thread.n && !*end ? (uint32_t)n : AU_NONE;
}

/* What a library does in the order counts for the line of the user that called it. */
static void ask_in_library(au_case *c, const au_recording_facts *facts, questions *q) {
    for (size_t k = 0; k < c->witness.n; k++) {
        au_case_event *e = &c->witness.at[k];
        uint32_t thread = number_of(facts, e->thread);
        if (thread != AU_NONE && e->index && *e->file && e->line && au_case_is_foreign(e->file))
            au_vec_push(q, ((question){e, {.thread = thread, .own = true, .index = e->index}}));
    }
}

static void ask(au_dossier *d, size_t first, const au_recording_facts *facts, questions *q) {
    const char *path = d->at.at[first].recording;
    for (size_t i = first; i < d->at.n; i++) {
        au_case *c = &d->at.at[i];
        if (!is_open(c) || strcmp(c->recording, path))
            continue;
        for (size_t k = 0; k < c->event.n; k++) {
            au_case_event *e = &c->event.at[k];
            uint32_t thread = number_of(facts, e->thread);
            if (thread != AU_NONE && e->index)
                au_vec_push(q, ((question){e, {.thread = thread, .index = e->index}}));
        }
        ask_in_library(c, facts, q);
    }
}

static au_case_frame frame_of(au_dossier *d, const au_reader *r, const struct au_caller *c) {
    const au_code_function *f = &c->code->function[c->function];
    const char *name = au_code_text(c->code, c->inlined);
    if (!*name && f->enter_site != AU_NONE)
        name = au_reader_function(r, c->code->module, f->enter_site);
    if (!*name)
        name = au_code_text(c->code, f->name);
    return (au_case_frame){au_dossier_text_copy(d, name),
                           au_dossier_text_copy(d, au_code_text(c->code, c->file)), c->line};
}

/* Of an event of the order only the user's call. An execution may have gone another way than the recording that is
 * followed: what is found there is another line then, and says nothing. */
static void answer_own(au_dossier *d, const au_reader *r, const question *q) {
    const struct au_caller *at = q->callers.caller.at;
    size_t n = q->callers.caller.n, i = 1;
    if (!n || at[0].line != q->event->line ||
        strcmp(au_code_text(at[0].code, at[0].file), q->event->file))
        return;
    while (i < n && (!at[i].line || au_case_is_foreign(au_code_text(at[i].code, at[i].file))))
        i++;
    if (i == n)
        return;
    au_case_frame *to = AU_ARENA_ARRAY(&d->arena, au_case_frame, 1);
    *to = frame_of(d, r, &at[i]);
    q->event->caller = to;
    q->event->n_callers = 1;
}

static void answer(au_dossier *d, const au_reader *r, const question *q) {
    if (q->callers.own) {
        answer_own(d, r, q);
        return;
    }
    size_t n = q->callers.caller.n < AU_LIMIT_CALLERS ? q->callers.caller.n : AU_LIMIT_CALLERS;
    if (n < q->callers.caller.n)
        au_limit_reached(AU_AT_CALLERS, 1);
    au_case_frame *to = AU_ARENA_ARRAY(&d->arena, au_case_frame, n);
    for (size_t i = 0; i < n; i++)
        to[i] = frame_of(d, r, &q->callers.caller.at[i]);
    q->event->caller = to;
    q->event->n_callers = (uint32_t)n;
}

static void follow(au_dossier *d, const char *path, const au_reader *r, questions *q) {
    au_error ignored = AU_ERROR_NONE;
    char *note = NULL;
    au_codes *codes = au_codes_open(r, &note, &ignored);
    free(note);
    if (!codes)
        return;
    au_callers *callers = au_alloc_array(q->n, sizeof *callers);
    qsort(q->at, q->n, sizeof *q->at, by_place);
    for (size_t i = 0; i < q->n; i++)
        callers[i] = q->at[i].callers;
    au_retrace_facts facts;
    au_retrace_options o = {.from = r,
                            .read = {.partial = true},
                            .values_only = true,
                            .callers = callers,
                            .n_callers = q->n,
                            .most_events = AU_LIMIT_CALLERS_EVENTS};
    /* As far as it comes: what was found before a mismatch is right. */
    au_retrace(path, codes, &o, NULL, NULL, &facts, &ignored);
    for (size_t i = 0; i < q->n; i++) {
        q->at[i].callers = callers[i];
        answer(d, r, &q->at[i]);
        au_vec_release(&q->at[i].callers.caller);
    }
    free(callers);
    au_codes_free(codes);
}

/* All modules and threads of the recording are known when its first events are (trace/recording.h). */
static au_reader *read_facts(au_dossier *d, const char *path) {
    au_error ignored = AU_ERROR_NONE;
    au_read_options how = {.partial = true, .fold = true, .late = AU_LATE_FAIL};
    au_reader *r = au_reader_open(path, &how, &ignored);
    au_status st = r && au_reader_format(r) == AU_FORMAT_BINARY ? AU_OK : AU_EFORMAT;
    au_block b;
    if (st == AU_OK)
        st = au_deadline_over() ? AU_EUNSUPPORTED : au_reader_next(r, &b, &ignored);
    if (st == AU_OK && au_reader_facts(r) && au_reader_facts(r)->hooks >= AU_LIMIT_CALLERS_EVENTS)
        au_vec_push(&d->note,
                    au_dossier_text_copy(d, au_limit_say_at(AU_AT_CALLERS_EVENTS, path, 0, 0,
                                                            (char[AU_LIMIT_TEXT]){0})));
    if (st == AU_OK && au_reader_facts(r))
        return r;
    if (r)
        au_reader_free(r);
    return NULL;
}

void au_dossier_find_callers(au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++) {
        if (!is_open(&d->at.at[i]))
            continue;
        const char *path = d->at.at[i].recording;
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = strcmp(d->at.at[k].recording, path);
        au_reader *r = first ? read_facts(d, path) : NULL;
        questions q = {0};
        if (!r)
            continue;
        ask(d, i, au_reader_facts(r), &q);
        if (q.n)
            follow(d, path, r, &q);
        au_vec_release(&q);
        au_reader_free(r);
    }
    uint64_t cut = au_limit_taken(AU_AT_CALLERS);
    if (cut)
        au_vec_push(&d->note, au_dossier_text_copy(d, au_limit_say(AU_AT_CALLERS, cut, 0,
                                                                   (char[AU_LIMIT_TEXT]){0})));
}
