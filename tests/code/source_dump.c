/* tests/code/source_dump.c: the model of sources or programs (lower/source.h), in lines.
 * usage: source_dump [--entry F]... [--svcomp] [--quiet] FILE... */
#include "lower/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void print_term(const au_model *m, au_term x, int depth) {
    static const char *const op[] = {"const", "var", "~",    "neg",  "+",    "-",     "*",
                                     "/s",    "%s",  "/u",   "%u",   "&",    "|",     "^",
                                     "<<",    ">>",  ">>s",  "==",   "<u",   "<=u",   "<",
                                     "<=",    "ite", "zext", "sext", "bits", "concat"};
    const au_terms *t = m->terms;
    switch (au_term_kind(t, x)) {
    case AU_T_CONST:
        printf("%" PRId64, au_term_signed(t, x));
        return;
    case AU_T_VAR:
        printf("%s", m->var.at[au_term_var(t, x)].name);
        return;
    default:
        break;
    }
    if (depth > 12) {
        printf("…");
        return;
    }
    printf("(%s", op[au_term_kind(t, x)]);
    for (unsigned k = 0; k < au_term_kids(t, x); k++) {
        putchar(' ');
        print_term(m, au_term_kid(t, x, k), depth + 1);
    }
    putchar(')');
}

static void print_step(const au_source *s, const au_step *p) {
    const au_model *m = s->model;
    static const char *const how[] = {"", " input", " over"};
    printf("  %u: %u -> %u %s%s line %u", p->id, p->src, p->dst, au_step_kind_name(p->kind),
           how[s->exact.at[p->id]], p->line);
    if (p->obj != AU_NONE)
        printf(" %s", p->kind == AU_STEP_FORK || p->kind == AU_STEP_JOIN ? m->thread.at[p->obj].name
                                                                         : m->obj.at[p->obj].name);
    if (!au_term_is_true(m->terms, p->guard)) {
        printf(" if ");
        print_term(m, p->guard, 0);
    }
    if (p->kind == AU_STEP_ASSERT) {
        printf(" assert ");
        print_term(m, p->cond, 0);
    }
    if (p->havoc != AU_NONE)
        printf(" havoc %s", m->var.at[p->havoc].name);
    for (uint32_t k = 0; k < p->n_updates; k++) {
        printf(" %s := ", m->var.at[p->update[k].var].name);
        print_term(m, p->update[k].value, 0);
    }
    for (uint32_t k = 0; k < p->n_accesses; k++)
        printf(" %s %s", p->access[k].write ? "W" : "R", m->var.at[p->access[k].var].name);
    if (p->indivisible)
        printf(" atomic");
    putchar('\n');
}

int main(int argc, char **argv) {
    au_error err = AU_ERROR_NONE;
    au_source_options o = {0};
    const char *entry[16], *file[64];
    size_t n = 0;
    bool quiet = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--entry") && i + 1 < argc && o.n_entries < 16)
            entry[o.n_entries++] = argv[++i];
        else if (!strcmp(argv[i], "--svcomp"))
            o.svcomp = true;
        else if (!strcmp(argv[i], "--quiet"))
            quiet = true;
        else if (n < 64)
            file[n++] = argv[i];
    }
    o.entry = entry;
    clock_t start = clock();
    au_source *s = au_source_read(file, n, NULL, 0, &o, &err);
    if (!s) {
        fprintf(stderr, "source_dump: %s\n", err.text);
        return 2;
    }
    const au_model *m = s->model;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    uint32_t accesses = 0, exact = 0, shared = 0;
    for (size_t i = 0; i < m->step.n; i++) {
        accesses += m->step.at[i].n_accesses > 0;
        exact += s->exact.at[i] == AU_EXACT;
    }
    for (size_t i = 0; i < m->var.n; i++)
        shared += m->var.at[i].kind == AU_VAR_SHARED;
    printf(
        "%zu threads, %zu steps (%u exact), %u accesses, %zu variables (%u shared), %zu objects, "
        "%u functions (%u not reached), frames %u + %u, loops %d\n",
        m->thread.n, m->step.n, exact, accesses, m->var.n, shared, m->obj.n, s->functions,
        s->unreached, s->inlined, s->shared_copies, m->has_loops);
    fprintf(stderr, "%.2f s, %ld MiB\n", (double)(clock() - start) / CLOCKS_PER_SEC,
            used.ru_maxrss / 1024);
    for (size_t i = 0; i < s->over.n; i++)
        printf("over: %s:%u: %s (%u)\n", s->over.at[i].file, s->over.at[i].line, s->over.at[i].what,
               s->over.at[i].count);
    for (size_t i = 0; i < m->var.n; i++)
        if (m->var.at[i].kind == AU_VAR_SHARED)
            printf("shared %s: %s%s%s, %u bytes\n", m->var.at[i].name, s->var.at[i].object,
                   s->var.at[i].summary ? ", a summary" : "",
                   s->var.at[i].array ? " of elements" : "", s->var.at[i].bytes);
    for (size_t t = 0; t < m->thread.n && !quiet; t++) {
        printf("thread %s (%s%s)\n", m->thread.at[t].name, s->thread.at[t].entry,
               s->thread.at[t].several ? ", one of several" : "");
        for (size_t i = 0; i < m->step.n; i++)
            if (m->step.at[i].thread == t)
                print_step(s, &m->step.at[i]);
    }
    au_source_free(s);
    return 0;
}
