/* The value-carrying text. */
#include "trace_text.h"

static decoded values(const char *text) {
    return decode(AU_FORMAT_VALUES, text, strlen(text), NULL);
}

static void reads(void **state) {
    (void)state;
    decoded d = values("Fork T1 T2\n"
                       "Begin T1 block 0\r\n"
                       "Acq T1 l 0\n"
                       "  Read   T1\tx  -5  \n"
                       "write T1 y 0x10\n"
                       "Rel T1 l\n"
                       "end T1\n"
                       "Join T1 T2 3");
    assert_int_equal(d.st, AU_OK);
    static const struct {
        au_op op;
        const char *obj;
        bool has;
        int64_t value;
    } want[] = {
        {AU_OP_FORK, "T2", false, 0}, {AU_OP_BEGIN, "block", true, 0}, {AU_OP_ACQ, "l", true, 0},
        {AU_OP_READ, "x", true, -5},  {AU_OP_WRITE, "y", true, 16},    {AU_OP_REL, "l", false, 0},
        {AU_OP_END, NULL, false, 0},  {AU_OP_JOIN, "T2", true, 3},
    };
    assert_int_equal(d.c.n, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(d.c.op[i], want[i].op);
        assert_string_equal(thread_name(&d, i), "T1");
        if (want[i].obj)
            assert_string_equal(obj_name(&d, i), want[i].obj);
        else
            assert_int_equal(d.c.obj[i], AU_NONE);
        assert_int_equal(d.c.loc[i], AU_NONE);
        assert_int_equal(has_value(&d.c, i), want[i].has);
        if (want[i].has)
            assert_int_equal(d.c.value[i], want[i].value);
    }
    /* the operand of fork is a thread */
    assert_int_equal(d.n.thread.n, 2);
    assert_int_equal(d.n.var.n, 2);
    decoded_release(&d);
}

static const struct {
    const char *line, *why;
} bad[] = {
    {"", "blank line"},
    {"  ", "blank line"},
    {"Foo T1 x 1", "unknown operation 'Foo'"},
    {"READ T1 x 1", "unknown operation 'READ'"},
    {"r T1 x 1", "unknown operation 'r'"},
    {"Read", "missing thread in 'Read'"},
    {"Read T1", "missing object in 'Read T1'"},
    {"Acq T1", "missing object in 'Acq T1'"},
    {"Read T1 x", "missing value in 'Read T1 x'"},
    {"Write T1 x", "missing value in 'Write T1 x'"},
    {"Begin", "missing thread in 'Begin'"},
    {"Read T1 x 1 2", "more than four words in 'Read T1 x 1 2'"},
    {"Read T1 x one", "the value 'one' is not an integer"},
    {"Acq T1 l 9223372036854775808", "the value '9223372036854775808' does not fit in 64 bits"},
};
enum { BADS = sizeof bad / sizeof *bad };

static void messages(void **state) {
    (void)state;
    for (size_t i = 0; i < BADS; i++) {
        char *text = au_sprintf("Read T x 1\n%s\nRead T x 1\n", bad[i].line);
        char *want = au_sprintf("t:2: %s", bad[i].why);
        decoded d = values(text);
        assert_int_equal(d.st, AU_EFORMAT);
        assert_string_equal(d.err.text, want);
        assert_int_equal(d.c.n, 1);
        decoded_release(&d);
        free(text);
        free(want);
    }
}

static size_t heard;
static bool hear(void *ctx, uint64_t line, const char *text) {
    (void)ctx;
    assert_int_equal(line, heard + 1);
    assert_string_equal(text, bad[heard].why);
    heard++;
    return true;
}

static void lint(void **state) {
    (void)state;
    au_out *o = au_out_memory();
    for (size_t i = 0; i < BADS; i++)
        au_out_printf(o, "%s\n", bad[i].line);
    au_out_str(o, "Read T x 1\n");
    heard = 0;
    au_read_options opts = {.lint = hear};
    size_t n;
    const char *text = au_out_memory_data(o, &n);
    decoded d = decode(AU_FORMAT_VALUES, text, n, &opts);
    assert_int_equal(d.st, AU_OK);
    assert_int_equal(heard, BADS);
    assert_int_equal(d.c.n, 1);
    decoded_release(&d);
    au_out_abandon(o);
}

static void round_trip(void **state) {
    (void)state;
    static const char text[] = "Fork T1 T2\nBegin T1\nRead T1 x -9223372036854775808\n"
                               "Write T2 x 9223372036854775807\nAcq T2 l 0\nRel T2 l\n"
                               "End T1 b\nJoin T1 T2\n";
    decoded d = values(text);
    au_error err = AU_ERROR_NONE;
    size_t n;
    char *back = encode(AU_FORMAT_VALUES, &d.c, &d.n, &n, &err);
    assert_non_null(back);
    assert_string_equal(back, text);
    free(back);
    decoded_release(&d);
}

/* What the format cannot say is refused, by number and operation. */
static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *std, *why;
    } want[] = {
        {"T|r(x)|1\n", "event 1 (r): it has no value, which the value text needs"},
        {"T|r(x)|1|1\nT|req(l)|1\n", "event 2 (req): the value text has no such operation"},
        {"T|begin|1|5\n",
         "event 1 (begin): the value text cannot express a value without an object"},
        {"T 1|r(x)|1|1\n", "event 1 (r): the value text cannot express the name of its thread"},
        {"T|r(x\ty)|1|1\n", "event 1 (r): the value text cannot express the name of its operand"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        decoded d = decode(AU_FORMAT_STD, want[i].std, strlen(want[i].std), NULL);
        assert_int_equal(d.st, AU_OK);
        au_error err = AU_ERROR_NONE;
        size_t n;
        assert_null(encode(AU_FORMAT_VALUES, &d.c, &d.n, &n, &err));
        assert_int_equal(err.status, AU_EUNSUPPORTED);
        assert_string_equal(err.text, want[i].why);
        decoded_release(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),      cmocka_unit_test(messages), cmocka_unit_test(lint),
        cmocka_unit_test(round_trip), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
