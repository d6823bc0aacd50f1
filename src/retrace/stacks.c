/* retrace/stacks.c: see stacks.h. */
#include "retrace/stacks.h"

#include "base/limits.h"
#include "ir/code.h"
#include "retrace/retrace.h"

#include <stdlib.h>
#include <string.h>

static void add(au_stack *s, const char *function, const char *file, uint32_t line) {
    au_vec_push(&s->frame, ((au_stack_frame){au_strdup(function), au_strdup(file), line}));
}

/* The tables have the name of a function with hooks as people write it. */
static const char *name_of(const struct au_caller *c, const au_stack *told) {
    if (c->inlined)
        return au_code_text(c->code, c->inlined);
    if (c->depth && c->depth <= told->frame.n)
        return told->frame.at[c->depth - 1].function;
    return au_code_text(c->code, c->code->function[c->function].name);
}

/* What was followed takes the place of what was told at the same depth: functions of modules without code stay
 * as they are. */
static void merge(au_stack *s, const au_callers *found) {
    au_stack told = *s;
    size_t done = 0; /* of what was told */
    memset(&s->frame, 0, sizeof s->frame);
    for (size_t i = found->caller.n; i-- > 0;) {
        const struct au_caller *c = &found->caller.at[i];
        for (; done + 1 < c->depth && done < told.frame.n; done++)
            add(s, told.frame.at[done].function, told.frame.at[done].file,
                told.frame.at[done].line);
        done = done < c->depth ? c->depth : done;
        add(s, name_of(c, &told), au_code_text(c->code, c->file), c->line);
    }
    for (; done < told.frame.n; done++)
        add(s, told.frame.at[done].function, told.frame.at[done].file, told.frame.at[done].line);
    au_stack_release_frames(&told);
}

static void follow(au_stacks *s, const char *recording, const au_codes *codes) {
    au_error ignored = AU_ERROR_NONE;
    au_callers *callers = au_alloc_array(s->thread.n, sizeof *callers);
    for (size_t i = 0; i < s->thread.n; i++)
        callers[i] = (au_callers){.thread = s->thread.at[i].thread, .index = AU_NONE64};
    au_retrace_facts facts;
    au_retrace_options o = {.read = {.partial = true},
                            .values_only = true,
                            .callers = callers,
                            .n_callers = s->thread.n,
                            .most_events = AU_LIMIT_STACK_EVENTS};
    /* Nothing is found unless the run can be followed to its end. */
    au_retrace(recording, codes, &o, NULL, NULL, &facts, &ignored);
    for (size_t i = 0; i < s->thread.n; i++) {
        merge(&s->thread.at[i], &callers[i]);
        au_vec_release(&callers[i].caller);
    }
    free(callers);
}

au_status au_stacks_retrace(au_stacks *s, const char *recording, au_error *err) {
    au_status st = au_stacks_read(s, recording, err);
    if (st != AU_OK || !s->thread.n)
        return st;
    au_error ignored = AU_ERROR_NONE;
    au_read_options how = {.partial = true, .fold = true};
    char *note;
    au_codes *codes = au_codes_of_recording(recording, &how, &note, &ignored);
    if (codes)
        follow(s, recording, codes);
    au_codes_free(codes);
    free(note);
    return AU_OK;
}
