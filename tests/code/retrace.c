/* tests/code/retrace.c: retraces a recording and prints what came of it.
 * usage: retrace RECORDING [--values] [--facts]
 * --values: only the self-check, no terms; --facts: the facts, one a line. The status is 0 if the
 * run was followed to its end, 1 if the self-check failed, 2 on any other trouble. */
#include "retrace/retrace.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int trouble(const au_error *err) {
    fprintf(stderr, "retrace: %s\n", err->text);
    return 2;
}

static void print_facts(const au_symbolic *s) {
    static const char *const kind[] = {"assume", "pin", "assert"};
    for (size_t i = 0; i < s->fact.n; i++) {
        const au_fact *f = &s->fact.at[i];
        printf("T%u %s %s:%u %s\n", f->thread, kind[f->kind], au_intern_str(&s->strings, f->file),
               f->line, au_intern_str(&s->strings, f->text));
    }
}

int main(int argc, char **argv) {
    bool values = false, facts = false;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--values"))
            values = true;
        else if (!strcmp(argv[i], "--facts"))
            facts = true;
        else
            path = argv[i];
    }
    if (!path) {
        fprintf(stderr, "usage: retrace RECORDING [--values] [--facts]\n");
        return 2;
    }
    au_error err = AU_ERROR_NONE;
    au_retrace_options o = {
        .read = {.fold = true, .partial = true}, .values_only = values, .split = 4};
    char *note;
    au_codes *codes = au_codes_of_recording(path, &o.read, &note, &err);
    if (note)
        fprintf(stderr, "retrace: note: %s\n", note);
    free(note);
    if (!codes)
        return trouble(&err);
    au_retrace_facts f;
    au_trace *t = NULL;
    au_symbolic s;
    au_bitset open = {0};
    au_status st;
    clock_t begun = clock();
    if (values) {
        st = au_retrace(path, codes, &o, NULL, NULL, &f, &err);
    } else {
        t = au_trace_load(path, &o.read, &err);
        if (!t)
            return trouble(&err);
        au_open_variables(t, &open);
        au_symbolic_init(&s, t);
        begun = clock();
        st = au_retrace(path, codes, &o, &open, &s, &f, &err);
    }
    if (st != AU_OK)
        return trouble(&err);
    printf("instructions %" PRIu64 "\nevents %" PRIu64 "\nfollowed %" PRIu64 "\nunknown %" PRIu64
           "\n",
           f.instructions, f.events, f.followed, f.unknown_events);
    if (!values)
        printf("facts %" PRIu64 "\nsymbolic %" PRIu64 "\npinned %" PRIu64 "\n", f.facts,
               f.symbolic_reads, f.pinned);
    double cpu = (double)(clock() - begun) / CLOCKS_PER_SEC;
    fprintf(stderr, "seconds %.3f, of the processor %.3f, %.1f million instructions in each\n",
            f.seconds, cpu, (double)f.instructions / cpu / 1e6);
    if (*f.what)
        printf("%s: %s\n", f.mismatch ? "mismatch" : "cut", f.what);
    if (facts && !values)
        print_facts(&s);
    if (!values) {
        au_symbolic_release(&s);
        au_bitset_release(&open);
        au_trace_free(t);
    }
    au_codes_free(codes);
    return f.mismatch;
}
