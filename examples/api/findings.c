/* findings.c: the C interface of augur: checks what is named, prints what was found, and writes SARIF.
 *
 *     cc findings.c $(pkg-config --cflags --libs libaugur) -o findings
 *     ./findings [--set OPTION=VALUE]... [--sarif FILE] INPUT...
 *
 * It is C and C++. The exit status is that of `augur check`: 0 nothing, 1 findings, 2 usage or a bad
 * input, 3 not everything could be decided. */
#include <augur/augur.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_event(const au_api_event *e) {
    printf("    %s event %" PRIu64 ": %s %s", e->thread, e->index, e->op, e->object);
    if (e->has_value)
        printf(" = %" PRId64, e->value);
    if (e->line)
        printf(" at %s:%" PRIu32, e->file, e->line);
    else if (*e->location)
        printf(" at %s", e->location);
    printf("\n");
}

static void print_finding(const au_api_finding *f) {
    const au_api_event *e;
    const au_api_turn *t;
    printf("%s %s %s: %s\n", f->id, au_api_standing_name(f->standing), au_api_kind_name(f->kind),
           f->message);
    if (*f->why)
        printf("    why not more: %s\n", f->why);
    for (size_t i = 0; (e = au_api_finding_event(f, i)); i++)
        print_event(e);
    for (size_t i = 0; (t = au_api_finding_turn(f, i)); i++)
        printf("%s%s up to %" PRIu64 "%s", i ? ", " : "    schedule: ", t->thread, t->upto,
               i + 1 == f->turns ? "\n" : "");
}

static void print_funnel(const au_api_funnel *f) {
    printf("%s (%s):", f->kind, f->unit);
    for (size_t i = 0; i < f->stages; i++)
        if (f->left[i] != AU_API_NOT_RUN)
            printf(" %s %" PRIu64, au_api_stage_name(i), f->left[i]);
    printf("\n");
}

static int print(const au_api_result *r, const char *sarif) {
    const au_api_summary *s = au_api_result_summary(r);
    const au_api_finding *f;
    const au_api_funnel *n;
    const char *text;
    char error[256];
    printf("%" PRIu64 " events, %" PRIu64 " threads, %zu findings\n", s->events, s->threads,
           s->findings);
    for (size_t i = 0; (n = au_api_result_funnel(r, i)); i++)
        print_funnel(n);
    for (size_t i = 0; (f = au_api_result_finding(r, i)); i++)
        print_finding(f);
    for (size_t i = 0; (text = au_api_result_inconclusive(r, i)); i++)
        printf("not decided: %s\n", text);
    if (sarif && au_api_result_write(r, "sarif", sarif, error, sizeof error) != AU_API_OK) {
        fprintf(stderr, "findings: %s\n", error);
        return 2;
    }
    return s->answer == AU_API_FOUND ? 1 : s->answer == AU_API_UNDECIDED ? 3 : 0;
}

/* "OPTION=VALUE" */
static int set(au_api_check *c, char *setting) {
    char *value = strchr(setting, '=');
    if (value)
        *value++ = 0;
    return au_api_check_set(c, setting, value) == AU_API_OK;
}

int main(int argc, char **argv) {
    au_api_check *c = au_api_check_new();
    const char *sarif = NULL;
    int good = argc > 1, status = 2;
    for (int i = 1; good && i < argc; i++) {
        if (!strcmp(argv[i], "--set") && i + 1 < argc)
            good = set(c, argv[++i]);
        else if (!strcmp(argv[i], "--sarif") && i + 1 < argc)
            sarif = argv[++i];
        else
            good = au_api_check_add(c, argv[i]) == AU_API_OK;
    }
    au_api_result *r = good ? au_api_check_run(c) : NULL;
    if (r)
        status = print(r, sarif);
    else if (argc > 1)
        fprintf(stderr, "findings: %s\n", au_api_check_error(c));
    else
        fprintf(stderr, "usage: findings [--set OPTION=VALUE]... [--sarif FILE] INPUT...\n");
    au_api_result_free(r);
    au_api_check_free(c);
    return status;
}
