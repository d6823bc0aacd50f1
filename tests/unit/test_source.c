/* tests/unit/test_source.c: C to models (src/lower): what is shared and what is not, cells, exactness, the
 * library's table, folding, where a program begins. One program a group of facts, since each is compiled. */
#include "lower/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/augur-source.XXXXXX";

#define HEAD "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n"

/* f and g run in threads of their own, beside each other. */
#define TWO                                                                                        \
    "int main(void) {\n pthread_t a, b;\n pthread_create(&a, 0, f, 0);\n"                          \
    " pthread_create(&b, 0, g, 0);\n pthread_join(a, 0);\n pthread_join(b, 0);\n return 0;\n}\n"

static au_source *read_text(const char *text) {
    char *path = au_sprintf("%s/p.c", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(HEAD, f);
    fputs(text, f);
    fclose(f);
    au_error err = AU_ERROR_NONE;
    const char *file[] = {path};
    au_source *s = au_source_read(file, 1, NULL, 0, NULL, &err);
    if (!s)
        print_message("%s\n", err.text);
    assert_non_null(s);
    free(path);
    return s;
}

/* A shared variable of the model; AU_NONE: there is none. */
static uint32_t shared(const au_source *s, const char *name) {
    for (uint32_t v = 0; v < s->model->var.n; v++)
        if (s->model->var.at[v].kind == AU_VAR_SHARED && !strcmp(s->model->var.at[v].name, name))
            return v;
    return AU_NONE;
}

static bool any_var(const au_source *s, const char *name) {
    for (uint32_t v = 0; v < s->model->var.n; v++)
        if (!strcmp(s->model->var.at[v].name, name))
            return true;
    return false;
}

static unsigned accesses(const au_source *s, const char *name, bool write) {
    unsigned n = 0;
    uint32_t var = shared(s, name);
    for (size_t i = 0; i < s->model->step.n; i++)
        for (uint32_t k = 0; k < s->model->step.at[i].n_accesses; k++)
            n += s->model->step.at[i].access[k].var == var &&
                 s->model->step.at[i].access[k].write == write;
    return n;
}

static unsigned steps_that_are(const au_source *s, au_exactness how) {
    unsigned n = 0;
    for (size_t i = 0; i < s->exact.n; i++)
        n += s->exact.at[i] == how;
    return n;
}

/* The step that accesses the variable: how far it is to be believed. */
static au_exactness exactness(const au_source *s, const char *name) {
    uint32_t var = shared(s, name);
    for (size_t i = 0; i < s->model->step.n; i++)
        for (uint32_t k = 0; k < s->model->step.at[i].n_accesses; k++)
            if (s->model->step.at[i].access[k].var == var)
                return (au_exactness)s->exact.at[i];
    fail_msg("'%s' is not accessed", name);
    return AU_OVER;
}

static bool said(const au_source *s, const char *what) {
    for (size_t i = 0; i < s->over.n; i++)
        if (strstr(s->over.at[i].what, what))
            return true;
    return false;
}

/* Fields, elements and blocks of memory that several threads touch, or one alone. */
static void test_cells(void **state) {
    (void)state;
    au_source *s = read_text(
        "static struct { int mine, yours, ours; } three;\n"
        "static int many[8], *handed, quiet;\n"
        "static void *f(void *p) {\n"
        "  int *own = malloc(4), *all = malloc(4);\n"
        "  if (!own || !all) return p;\n"
        "  *own = 1;\n  *all = 2;\n  handed = all;\n"
        "  three.mine = 1;\n  three.ours = 1;\n  many[2] = 1;\n  many[3] = 2;\n"
        "  for (int i = rand(); i < 8; i++) many[i & 7] = i;\n"
        "  return (void *)(long)(*own + quiet);\n}\n"
        "static void *g(void *p) {\n"
        "  three.yours = 2;\n  three.ours = 2;\n  many[2] = many[3];\n  many[(long)p & 7] = 9;\n"
        "  int *q = handed;\n  if (q) *q = 3;\n"
        "  return p;\n}\n" TWO);
    assert_int_equal(shared(s, "three"), AU_NONE); /* each of one thread only */
    assert_int_equal(shared(s, "three+4"), AU_NONE);
    uint32_t ours = shared(s, "three+8");
    assert_int_not_equal(ours, AU_NONE);
    assert_false(s->var.at[ours].summary);
    assert_int_equal(s->var.at[ours].bytes, 4);
    assert_int_equal(s->var.at[ours].offset, 8);
    assert_int_equal(exactness(s, "three+8"), AU_EXACT);
    assert_int_not_equal(shared(s, "handed"), AU_NONE);
    assert_false(any_var(s, "quiet")); /* nobody writes it */
    unsigned blocks = 0, arrays = 0;
    for (uint32_t v = 0; v < s->model->var.n; v++) {
        if (s->model->var.at[v].kind != AU_VAR_SHARED)
            continue;
        blocks += !strncmp(s->var.at[v].object, "memory allocated", 16);
        arrays += !strcmp(s->var.at[v].object, "global 'many'");
        if (!strcmp(s->var.at[v].object, "global 'many'"))
            assert_true(s->var.at[v].summary);
    }
    assert_int_equal(blocks, 1); /* what was handed over, not what f kept */
    assert_int_equal(arrays, 1); /* an index that is not constant makes elements one */
    au_source_free(s);
}

/* Pointers to several things: which one is told by the address; functions, too. */
static void test_pointers(void **state) {
    (void)state;
    au_source *s = read_text("static int x, y, z;\n"
                             "static void one(int v) { x = v; }\n"
                             "static void two(int v) { y = v; }\n"
                             "static void three(int v) { z = v; }\n"
                             "static void (*op)(int) = one;\n"
                             "static void *f(void *p) {\n  op = rand() ? one : two;\n  op(1);\n"
                             "  int *q = rand() ? &x : &y;\n  *q = 2;\n  return p;\n}\n"
                             "static void *g(void *p) { x = y + z; three(4); return p; }\n" TWO);
    assert_int_equal(accesses(s, "x", true), 3); /* one, *q, g */
    assert_int_equal(accesses(s, "y", true), 2);
    assert_int_equal(shared(s, "z"), AU_NONE); /* op never leads to three */
    assert_false(said(s, "no known target"));
    assert_false(said(s, "unknown function"));
    assert_int_equal(steps_that_are(s, AU_OVER), 0);
    assert_true(steps_that_are(s, AU_RESULT) > 0); /* rand */
    au_source_free(s);
}

/* Memory that is allocated again and again: one address, unless somebody can tell. */
static void test_allocation(void **state) {
    (void)state;
    static const char loop[] =
        "static int n;\n"
        "static void *f(void *p) {\n  while (rand()) {\n    char *b = malloc(8);\n"
        "    if (b) n++;\n    free(b);\n  }\n  return p;\n}\n"
        "static void *g(void *p) { n = 0; return p; }\n" TWO;
    au_source *s = read_text(loop);
    assert_int_equal(steps_that_are(s, AU_OVER), 0);
    assert_true(steps_that_are(s, AU_INPUT) > 0); /* there may be no memory */
    au_source_free(s);
    s = read_text("static int n;\n"
                  "static void *f(void *p) {\n  char *last = 0;\n  while (rand()) {\n"
                  "    char *b = malloc(8);\n    if (b == last) n++;\n    last = b;\n  }\n"
                  "  return p;\n}\n"
                  "static void *g(void *p) { n = 0; return p; }\n" TWO);
    assert_true(steps_that_are(s, AU_OVER) > 0);
    au_source_free(s);
    /* free of what exists once is a write of what lies there, if it is not null */
    s = read_text("static int *b;\n"
                  "static void *f(void *p) { if (b) *b = 1; return p; }\n"
                  "static void *g(void *p) { if (b) *b = 2; return p; }\n"
                  "int main(void) {\n  pthread_t a, c;\n  b = malloc(4);\n"
                  "  pthread_create(&a, 0, f, 0);\n  pthread_create(&c, 0, g, 0);\n  free(b);\n"
                  "  return 0;\n}\n");
    unsigned writes = 0;
    for (size_t i = 0; i < s->model->step.n; i++) {
        const au_step *p = &s->model->step.at[i];
        for (uint32_t k = 0; k < p->n_accesses; k++)
            if (p->access[k].write &&
                !strncmp(s->var.at[p->access[k].var].object, "memory allocated", 16)) {
                writes++;
                assert_true(s->exact.at[i] != AU_OVER);
            }
    }
    assert_int_equal(writes, 3);
    au_source_free(s);
}

/* What functions of the library touch, and those that nobody knows. */
static void test_library(void **state) {
    (void)state;
    au_source *s = read_text(
        "void nobody_knows(int *);\n"
        "static struct { int a, b; } from, to;\n"
        "static char text[16];\n"
        "static int given, kept;\n"
        "static void *f(void *p) {\n  memcpy(&to, &from, sizeof to);\n"
        "  nobody_knows(&given);\n  return (void *)strlen(text);\n}\n"
        "static void *g(void *p) {\n  to.a = 1;\n  from.b = to.b;\n  text[3] = 'x';\n  given = 1;\n"
        "  kept = 2;\n  return p;\n}\n" TWO);
    assert_int_equal(accesses(s, "to", true), 2); /* the copy, g */
    assert_int_equal(accesses(s, "from+4", false), 1);
    assert_int_equal(accesses(s, "from+4", true), 1);
    assert_true(said(s, "call of unknown function 'nobody_knows'"));
    assert_true(accesses(s, "given", true) >= 2); /* it may write what it was given */
    assert_int_equal(shared(s, "kept"), AU_NONE);
    /* strlen reads some of it: no proof of a race with that one */
    unsigned unsure = 0;
    for (size_t i = 0; i < s->model->step.n; i++)
        for (uint32_t k = 0; k < s->model->step.at[i].n_accesses; k++)
            unsure +=
                !strncmp(s->model->var.at[s->model->step.at[i].access[k].var].name, "text", 4) &&
                !s->model->step.at[i].access[k].write && s->exact.at[i] == AU_OVER;
    assert_int_equal(unsure, 1);
    au_source_free(s);
}

/* What is constant is gone, with what depends on it. */
static void test_folding(void **state) {
    (void)state;
    au_source *s = read_text("static int debug, never, always, level = 3;\n"
                             "static void *f(void *p) {\n  if (debug) never = 1;\n"
                             "  if (level == 3) always = 1;\n  return p;\n}\n"
                             "static void *g(void *p) { never = always; return p; }\n" TWO);
    assert_int_equal(accesses(s, "always", true), 1);
    assert_int_equal(accesses(s, "never", true), 1); /* g's */
    for (size_t i = 0; i < s->model->step.n; i++)
        assert_int_not_equal(s->model->step.at[i].kind, AU_STEP_BRANCH);
    au_source_free(s);
}

/* Constructors come before main, in the order of their priorities. */
static void test_begin(void **state) {
    (void)state;
    au_source *s = read_text(
        "#include <assert.h>\n"
        "static int first, second, x;\n"
        "static void *f(void *p) { x = 1; return p; }\n"
        "static pthread_t t;\n"
        "__attribute__((constructor(300))) static void later(void) { second = first + 1; }\n"
        "__attribute__((constructor(200))) static void early(void) {\n"
        "  first = 4;\n  pthread_create(&t, 0, f, 0);\n}\n"
        "__attribute__((destructor)) static void last(void) { x = 9; }\n"
        "int main(void) {\n  x = 2;\n  if (second != 5) abort();\n  pthread_join(t, 0);\n"
        "  return 0;\n}\n");
    assert_int_equal(s->model->thread.n, 2);
    assert_int_equal(accesses(s, "x", true), 2);
    for (size_t i = 0; i < s->model->step.n; i++) /* second is 5: known, and gone */
        assert_int_not_equal(s->model->step.at[i].kind, AU_STEP_ASSERT);
    assert_true(said(s, "destructor 'last'"));
    au_source_free(s);
}

/* What is not followed is said. */
static void test_unfollowed(void **state) {
    (void)state;
    au_source *s =
        read_text("static int x;\n"
                  "static void bye(void) { x = 1; }\n"
                  "static void hup(int n) { x = n; }\n"
                  "static void end(void *p) { x = p != 0; }\n"
                  "static void *f(void *p) { for (;;) x = 1; return p; }\n"
                  "int main(void) {\n  pthread_t t;\n  pthread_key_t k;\n"
                  "  atexit(bye);\n  signal(SIGHUP, hup);\n  pthread_key_create(&k, end);\n"
                  "  pthread_create(&t, 0, f, 0);\n  pthread_cancel(t);\n"
                  "  pthread_join(t, 0);\n  x = 2;\n  return 0;\n}\n");
    assert_true(said(s, "exit handlers"));
    assert_true(said(s, "signal handlers"));
    assert_true(said(s, "thread-specific data"));
    assert_true(said(s, "cancelled"));
    uint32_t last = AU_NONE; /* main gets past the join of a thread that never ends */
    for (uint32_t i = 0; i < s->model->step.n; i++)
        if (s->model->step.at[i].n_accesses && s->model->step.at[i].thread == 0)
            last = i;
    assert_int_not_equal(last, AU_NONE);
    /* … without it */
    const au_thread *t = &s->model->thread.at[0];
    bool *seen = au_alloc_array(t->node.n, sizeof *seen), grew = true;
    seen[t->entry] = true;
    while (grew) {
        grew = false;
        for (size_t n = 0; n < t->node.n; n++)
            for (size_t k = 0; k < t->node.at[n].out.n && seen[n]; k++) {
                const au_step *p = &s->model->step.at[t->node.at[n].out.at[k]];
                grew |= p->kind != AU_STEP_JOIN && !seen[p->dst];
                seen[p->dst] |= p->kind != AU_STEP_JOIN;
            }
    }
    assert_true(seen[s->model->step.at[last].src]);
    free(seen);
    au_source_free(s);
    s = read_text("int main(void) { pthread_key_t k; pthread_key_create(&k, 0); return "
                  "signal(SIGINT, SIG_IGN) == SIG_ERR; }\n");
    assert_false(said(s, "thread-specific data"));
    assert_false(said(s, "signal handlers"));
    au_source_free(s);
}

/* The parts of augur are looked for beside the executable. */
static void link_parts(void) {
    static const char *const part[] = {"augur-llvm.so", "libaugur_rt.a", "augur_rt.list"};
    mkdir(AU_BUILD_ROOT "/tests/unit/augur", 0755);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char *to = au_sprintf("%s/%s", AU_BUILD_ROOT, part[i]);
        char *at = au_sprintf("%s/tests/unit/augur/%s", AU_BUILD_ROOT, part[i]);
        if (symlink(to, at) && access(at, F_OK))
            perror(at);
        free(to);
        free(at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),      cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_allocation), cmocka_unit_test(test_library),
        cmocka_unit_test(test_folding),    cmocka_unit_test(test_begin),
        cmocka_unit_test(test_unfollowed),
    };
    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    link_parts();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *path = au_sprintf("%s/p.c", dir);
    unlink(path);
    rmdir(dir);
    free(path);
    return failed;
}
