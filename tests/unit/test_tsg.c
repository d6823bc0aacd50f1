/* MATs and graphs on the paper's running example: exact sets (oracles.md, section 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/out.h"
#include "model/ctp.h"
#include "model/run.h"
#include "tsg/tsg.h"

#include <string.h>

static const char *const example =
    "shared X = 0, Y = 0, Z = 0\nlock L\n"
    "thread A { a1: acq L  a2: p := Z  a3: X := p + 1  a4: rel L  a5: Y := p + 2 }\n"
    "thread B { b1: q := Y  b2: acq L  b3: r := X  b4: Z := r + 1  b5: rel L  b6: Y := q + r }\n";

static au_model *read_text(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), "test.ctp", NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    au_model_observe(m);
    return m;
}

static au_tsg *graph(const au_model *m, au_tsg_kind kind) {
    return au_tsg_new(m, &(au_tsg_options){.kind = kind});
}

/* Control states as the paper writes them: the place along the thread. */
static void put_state(au_out *o, const au_facts *f, uint32_t node) {
    uint32_t t = f->owner[node], n = 0, at = au_facts_entry(f, t);
    while (at != node) {
        at = au_facts_dst(f, au_facts_node(f, at)->out.at[0]);
        n++;
    }
    if (node == au_facts_exit(f, t))
        au_out_printf(o, "J%c", 'a' + (int)t);
    else
        au_out_printf(o, "%u%c", n + 1, 'a' + (int)t);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted and joined by blanks. */
static void is_set(char **part, size_t n, const char *want) {
    qsort(part, n, sizeof *part, by_text);
    au_out *o = au_out_memory();
    for (size_t i = 0; i < n; i++) {
        au_out_printf(o, "%s%s", i ? " " : "", part[i]);
        free(part[i]);
    }
    assert_string_equal(au_out_memory_data(o, NULL), want);
    au_out_abandon(o);
}

static char *taken(au_out *o) {
    char *s = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return s;
}

static void mats_are(const au_tsg *g, const char *want) {
    char *part[64];
    assert_true(g->mats.n < 64);
    for (size_t i = 0; i < g->mats.n; i++) {
        au_out *o = au_out_memory();
        for (int k = 0; k < 2; k++) {
            put_state(o, &g->facts, g->mats.at[i].t[k].begin);
            au_out_char(o, '-');
            put_state(o, &g->facts, g->mats.at[i].t[k].end);
            if (!k)
                au_out_char(o, ',');
        }
        part[i] = taken(o);
    }
    is_set(part, g->mats.n, want);
}

static void switches_are(const au_tsg *g, const char *want) {
    char *part[64];
    assert_true(g->ce.n < 64);
    for (size_t i = 0; i < g->ce.n; i++) {
        au_out *o = au_out_memory();
        put_state(o, &g->facts, g->node.at[g->ce.at[i].from]);
        au_out_char(o, '>');
        put_state(o, &g->facts, g->node.at[g->ce.at[i].to]);
        part[i] = taken(o);
    }
    is_set(part, g->ce.n, want);
}

static void transactions_are(const au_tsg *g, const char *want) {
    char *part[64];
    assert_true(g->te.n < 64);
    for (size_t i = 0; i < g->te.n; i++) {
        au_out *o = au_out_memory();
        put_state(o, &g->facts, g->node.at[g->te.at[i].from]);
        au_out_char(o, '-');
        put_state(o, &g->facts, g->node.at[g->te.at[i].to]);
        part[i] = taken(o);
    }
    is_set(part, g->te.n, want);
}

static void test_genmat(void **state) {
    (void)state;
    au_model *m = read_text(example);
    au_tsg *g = graph(m, AU_TSG_MAT);
    mats_are(g, "1a-2a,3b-6b 1a-5a,2b-3b 1a-Ja,1b-2b 1a-Ja,6b-Jb 2a-Ja,6b-Jb 5a-Ja,2b-Jb "
                "5a-Ja,3b-Jb");
    assert_int_equal(g->mat_switches, 12);
    assert_int_equal(g->unreachable, 2);
    assert_int_equal(g->added, 0);
    assert_int_equal(g->nodes, 9);
    transactions_are(g, "1a-2a 1b-2b 2a-5a 2b-3b 3b-6b 5a-Ja 6b-Jb");
    assert_int_equal(g->ce.n, 10);
    au_tsg_free(g);
    au_model_free(m);
}

static void test_genmat_prime(void **state) {
    (void)state;
    au_model *m = read_text(example);
    au_tsg *g = graph(m, AU_TSG_MAT_PRIME);
    mats_are(g, "1a-5a,2b-6b 1a-Ja,1b-2b 1a-Ja,6b-Jb 5a-Ja,2b-Jb 5a-Ja,6b-Jb");
    assert_int_equal(g->mat_switches, 8);
    assert_int_equal(g->unreachable, 0);
    assert_int_equal(g->added, 0);
    assert_int_equal(g->nodes, 7);
    transactions_are(g, "1a-5a 1b-2b 2b-6b 5a-Ja 6b-Jb");
    switches_are(g, "2b>1a 5a>2b 6b>1a Ja>1b Ja>2b Ja>6b Jb>1a Jb>5a");
    au_tsg_free(g);
    au_model_free(m);
}

static void test_ccfg(void **state) {
    (void)state;
    au_model *m = read_text(example);
    au_tsg *g = graph(m, AU_TSG_CCFG);
    assert_int_equal(g->nodes, 13);
    assert_int_equal(g->te.n, 11);
    assert_int_equal(g->mats.n, 0);
    au_tsg_free(g);
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_genmat),
        cmocka_unit_test(test_genmat_prime),
        cmocka_unit_test(test_ccfg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
