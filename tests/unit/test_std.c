/* STD text: the grammar case by case, messages, lint, and the two parsers against
 * each other. */
#include "trace_text.h"

#include <dirent.h>
#include <unistd.h>

static decoded std(const char *text) {
    return decode(AU_FORMAT_STD, text, strlen(text), NULL);
}

/* Short texts go to the careful parser, texts with 200 bytes after them to the
 * fast one: every case is tried with both. */
static char *with_tail(const char *text) {
    char *s = au_sprintf("%s", text);
    for (int i = 0; i < 20; i++) {
        char *more = au_sprintf("%sTAIL|r(tail)|1\n", s);
        free(s);
        s = more;
    }
    return s;
}

struct want {
    const char *line;
    au_op op;
    const char *thread, *obj; /* obj NULL: none */
    const char *loc;          /* NULL: none; starting with '#': a number */
    const char *value;        /* NULL: none */
};

static void check_event(const decoded *d, const struct want *w) {
    assert_int_equal(d->st, AU_OK);
    assert_true(d->c.n >= 1);
    assert_int_equal(d->c.op[0], w->op);
    assert_string_equal(thread_name(d, 0), w->thread);
    if (w->obj)
        assert_string_equal(obj_name(d, 0), w->obj);
    else
        assert_int_equal(d->c.obj[0], AU_NONE);
    if (!w->loc)
        assert_int_equal(d->c.loc[0], AU_NONE);
    else if (w->loc[0] == '#')
        assert_int_equal(d->c.loc[0], strtoul(w->loc + 1, NULL, 10));
    else
        assert_string_equal(au_intern_str(&d->n.loc, d->c.loc[0] - AU_LOC_NAMED), w->loc);
    assert_int_equal(has_value(&d->c, 0), w->value != NULL);
    if (w->value)
        assert_true(d->c.value[0] == strtoll(w->value, NULL, 10));
}

static void grammar(void **state) {
    (void)state;
    static const struct want good[] = {
        {"T1|r(x)|12", AU_OP_READ, "T1", "x", "#12", NULL},
        {"T1|w(x)|0", AU_OP_WRITE, "T1", "x", "#0", NULL},
        {"T1|acq(l)|1", AU_OP_ACQ, "T1", "l", "#1", NULL},
        {"T1|rel(l)|1", AU_OP_REL, "T1", "l", "#1", NULL},
        {"T1|req(l)|1", AU_OP_REQ, "T1", "l", "#1", NULL},
        {"T1|fork(T2)|1", AU_OP_FORK, "T1", "T2", "#1", NULL},
        {"T1|join(T2)|1", AU_OP_JOIN, "T1", "T2", "#1", NULL},
        {"T1|begin|1", AU_OP_BEGIN, "T1", NULL, "#1", NULL},
        {"T1|begin()|1", AU_OP_BEGIN, "T1", NULL, "#1", NULL},
        {"T1|begin(b)|1", AU_OP_BEGIN, "T1", "b", "#1", NULL},
        {"T1|end|1", AU_OP_END, "T1", NULL, "#1", NULL},
        {"T1|end|(1", AU_OP_END, "T1", NULL, "(1", NULL},
        {"T1|end()|1", AU_OP_END, "T1", NULL, "#1", NULL},
        {"T1|end(b)|1", AU_OP_END, "T1", "b", "#1", NULL},
        {"T1|fence|1", AU_OP_FENCE, "T1", NULL, "#1", NULL},
        {"T1|fence()|1", AU_OP_FENCE, "T1", NULL, "#1", NULL},
        {"T1|exit|1", AU_OP_EXIT, "T1", NULL, "#1", NULL},
        /* names are any text */
        {"T|r(a)b)|1", AU_OP_READ, "T", "a)b", "#1", NULL},
        {"T|r(f(x))|1", AU_OP_READ, "T", "f(x)", "#1", NULL},
        {"T|r())|1", AU_OP_READ, "T", ")", "#1", NULL},
        {"T|r(()|1", AU_OP_READ, "T", "(", "#1", NULL},
        {"T|r( )|1", AU_OP_READ, "T", " ", "#1", NULL},
        {"a, (b) c|w(x, y)|1", AU_OP_WRITE, "a, (b) c", "x, y", "#1", NULL},
        {" T|w( x)| 1", AU_OP_WRITE, " T", " x", " 1", NULL},
        {"\xc3\xa4|w(\xff)|\xe2\x82\xac", AU_OP_WRITE, "\xc3\xa4", "\xff", "\xe2\x82\xac", NULL},
        {"T|w(123456789)|1", AU_OP_WRITE, "T", "123456789", "#1", NULL},
        {"T|w(1234567890123456)|1", AU_OP_WRITE, "T", "1234567890123456", "#1", NULL},
        {"T|w(12345678901234567)|1", AU_OP_WRITE, "T", "12345678901234567", "#1", NULL},
        /* longer than the fast parser's 64 bytes */
        {"T|w(0123456789012345678901234567890123456789012345678901234567890123456789)|1|7",
         AU_OP_WRITE, "T", "0123456789012345678901234567890123456789012345678901234567890123456789",
         "#1", "7"},
        /* locations */
        {"T|r(x)|", AU_OP_READ, "T", "x", NULL, NULL},
        {"T|r(x)||5", AU_OP_READ, "T", "x", NULL, "5"},
        {"T|r(x)|9", AU_OP_READ, "T", "x", "#9", NULL},
        {"T|r(x)|12345678", AU_OP_READ, "T", "x", "#12345678", NULL},
        {"T|r(x)|123456789", AU_OP_READ, "T", "x", "#123456789", NULL},
        {"T|r(x)|2147483647", AU_OP_READ, "T", "x", "#2147483647", NULL},
        {"T|r(x)|2147483648", AU_OP_READ, "T", "x", "2147483648", NULL},
        {"T|r(x)|99999999999", AU_OP_READ, "T", "x", "99999999999", NULL},
        {"T|r(x)|00", AU_OP_READ, "T", "x", "00", NULL},
        {"T|r(x)|007", AU_OP_READ, "T", "x", "007", NULL},
        {"T|r(x)|-1", AU_OP_READ, "T", "x", "-1", NULL},
        {"T|r(x)|+1", AU_OP_READ, "T", "x", "+1", NULL},
        {"T|r(x)|1:2", AU_OP_READ, "T", "x", "1:2", NULL},
        {"T|r(x)|1234567/", AU_OP_READ, "T", "x", "1234567/", NULL},
        {"T|r(x)|1234567:", AU_OP_READ, "T", "x", "1234567:", NULL},
        {"T|r(x)|main.c:12", AU_OP_READ, "T", "x", "main.c:12", NULL},
        /* values */
        {"T|r(x)|1|0", AU_OP_READ, "T", "x", "#1", "0"},
        {"T|r(x)|1|-0", AU_OP_READ, "T", "x", "#1", "0"},
        {"T|r(x)|1|-17", AU_OP_READ, "T", "x", "#1", "-17"},
        {"T|r(x)|1|007", AU_OP_READ, "T", "x", "#1", "7"},
        {"T|r(x)|1|0xfF", AU_OP_READ, "T", "x", "#1", "255"},
        {"T|r(x)|1|-0x10", AU_OP_READ, "T", "x", "#1", "-16"},
        {"T|r(x)|1|9223372036854775807", AU_OP_READ, "T", "x", "#1", "9223372036854775807"},
        {"T|r(x)|1|-9223372036854775808", AU_OP_READ, "T", "x", "#1", "-9223372036854775808"},
        {"T|r(x)|1|0x7fffffffffffffff", AU_OP_READ, "T", "x", "#1", "9223372036854775807"},
        {"T|acq(l)|a b|3", AU_OP_ACQ, "T", "l", "a b", "3"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        static const char *const ends[] = {"", "\n", "\r\n", "\r"};
        for (size_t e = 0; e < 4; e++) {
            char *text = au_sprintf("%s%s", good[i].line, ends[e]);
            decoded d = std(text);
            check_event(&d, &good[i]);
            assert_int_equal(d.c.n, 1);
            decoded_release(&d);
            if (e == 1 || e == 2) {
                char *tailed = with_tail(text);
                d = std(tailed);
                check_event(&d, &good[i]);
                assert_int_equal(d.c.n, 21);
                decoded_release(&d);
                free(tailed);
            }
            free(text);
        }
    }
}

static void every_op(void **state) {
    (void)state;
    for (au_op op = 0; op < AU_OPS; op++) {
        uint8_t space = au_op_space(op);
        char *text =
            au_sprintf(space == AU_WIRE_SPACE_NONE ? "T|%s|4\n" : "T|%s(o)|4\n", au_op_name(op));
        char *tailed = with_tail(text);
        const char *texts[] = {text, tailed};
        for (int k = 0; k < 2; k++) {
            decoded d = std(texts[k]);
            assert_int_equal(d.st, AU_OK);
            assert_int_equal(d.c.op[0], op);
            assert_int_equal(d.c.loc[0], 4);
            if (space == AU_WIRE_SPACE_NONE)
                assert_int_equal(d.c.obj[0], AU_NONE);
            else
                assert_string_equal(obj_name(&d, 0), "o");
            decoded_release(&d);
        }
        free(text);
        free(tailed);
    }
}

static void name_spaces(void **state) {
    (void)state;
    decoded d = std("x|r(x)|x\n"
                    "x|acq(x)|x\n"
                    "x|begin(x)|x\n"
                    "x|fork(y)|x\n"
                    "y|r(y)|x\n");
    assert_int_equal(d.st, AU_OK);
    assert_int_equal(d.c.n, 5);
    assert_int_equal(d.n.thread.n, 2);
    assert_int_equal(d.n.var.n, 2);
    assert_int_equal(d.n.lock.n, 1);
    assert_int_equal(d.n.block.n, 1);
    assert_int_equal(d.n.loc.n, 1);
    assert_int_equal(d.c.obj[3], d.c.thread[4]);
    decoded_release(&d);
}

/* NUL bytes are bytes like any other, and "a" is not "a\0". */
static void nul_bytes(void **state) {
    (void)state;
    static const char text[] = "T|r(a)|1\nT|r(a\0)|1\nT\0|r(a)|\0\n"
                               "T|r(a)|1\nT|r(a\0)|1\nT\0|r(a)|\0\n"
                               "T|r(0123456789012345678901234567890123456789)|1\n"
                               "T|r(0123456789012345678901234567890123456789)|1\n";
    decoded d = decode(AU_FORMAT_STD, text, sizeof text - 1, NULL);
    assert_int_equal(d.st, AU_OK);
    assert_int_equal(d.c.n, 8);
    assert_int_equal(d.n.thread.n, 2);
    assert_int_equal(d.n.var.n, 3);
    assert_int_equal(au_intern_len(&d.n.var, 1), 2);
    assert_int_equal(d.n.loc.n, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(d.c.thread[i], d.c.thread[i + 3]);
        assert_int_equal(d.c.obj[i], d.c.obj[i + 3]);
    }
    decoded_release(&d);
}

static const struct {
    const char *line, *why;
} bad[] = {
    {"", "blank line"},
    {" \t", "blank line"},
    {"\r", "blank line"},
    {"hello", "expected 'thread|op(operand)|location', found 'hello'"},
    {"T1|r(x)", "expected 'thread|op(operand)|location', found 'T1|r(x)'"},
    {"|r(x)|1", "empty thread name in '|r(x)|1'"},
    {"T|r(x)|1|2|3", "more than four fields in 'T|r(x)|1|2|3'"},
    {"T|r(a|b)|1|2", "more than four fields in 'T|r(a|b)|1|2'"},
    {"T|r(a|b)|1", "missing ')' in 'r(a'"},
    {"T|r(x)|1|2|", "more than four fields in 'T|r(x)|1|2|'"},
    {"T||1", "missing operation in ''"},
    {"T|(x)|1", "missing operation in '(x)'"},
    {"T|read(x)|1", "unknown operation 'read'"},
    {"T|R(x)|1", "unknown operation 'R'"},
    {"T| r(x)|1", "unknown operation ' r'"},
    {"T|verylongop(x)|1", "unknown operation 'verylongop'"},
    {"T|r)x(|1", "unknown operation 'r)x'"},
    {"T|\x01|1", "unknown operation '\\x01'"},
    {"T|r\xc3(x)|1", "unknown operation 'r\\xc3'"},
    {"T|r|1", "missing operand of 'r'"},
    {"T|acq|1", "missing operand of 'acq'"},
    {"T|fork|1", "missing operand of 'fork'"},
    {"T|broadcast|1", "missing operand of 'broadcast'"},
    {"T|r()|1", "empty operand in 'r()'"},
    {"T|fork()|1", "empty operand in 'fork()'"},
    {"T|r(x|1", "missing ')' in 'r(x'"},
    {"T|r(|1", "missing ')' in 'r('"},
    {"T|begin(|1", "missing ')' in 'begin('"},
    {"T|r(x) |1", "text after the ')' in 'r(x) '"},
    {"T|r(x)y|1", "text after the ')' in 'r(x)y'"},
    {"T|begin()x|1", "text after the ')' in 'begin()x'"},
    {"T|fence(x)|1", "unexpected operand in 'fence(x)'"},
    {"T|exit(x)|1", "unexpected operand in 'exit(x)'"},
    {"T|r(x)|1|", "the value '' is not an integer"},
    {"T|r(x)|1|-", "the value '-' is not an integer"},
    {"T|r(x)|1|+5", "the value '+5' is not an integer"},
    {"T|r(x)|1|0x", "the value '0x' is not an integer"},
    {"T|r(x)|1|0xg", "the value '0xg' is not an integer"},
    {"T|r(x)|1|12a", "the value '12a' is not an integer"},
    {"T|r(x)|1| 1", "the value ' 1' is not an integer"},
    {"T|r(x)|1|9223372036854775808", "the value '9223372036854775808' does not fit in 64 bits"},
    {"T|r(x)|1|-9223372036854775809", "the value '-9223372036854775809' does not fit in 64 bits"},
    {"T|r(x)|1|0xffffffffffffffff", "the value '0xffffffffffffffff' does not fit in 64 bits"},
    {"T|r(x)|1|99999999999999999999999x", "the value '99999999999999999999999x' is not an integer"},
    {"0123456789012345678901234567890123456789012345678901234567890123456789",
     "expected 'thread|op(operand)|location', found "
     "'012345678901234567890123456789012345678901234567...'"},
};
enum { BADS = sizeof bad / sizeof *bad };

static void messages(void **state) {
    (void)state;
    for (size_t i = 0; i < BADS; i++) {
        char *text = au_sprintf("T|r(x)|1\nT|w(x)|2\n%s\nT|r(y)|1\n", bad[i].line);
        char *tailed = with_tail(text);
        char *want = au_sprintf("t:3: %s", bad[i].why);
        const char *texts[] = {text, tailed};
        for (int k = 0; k < 2; k++) {
            decoded d = std(texts[k]);
            assert_int_equal(d.st, AU_EFORMAT);
            assert_int_equal(d.err.status, AU_EFORMAT);
            assert_string_equal(d.err.text, want);
            assert_int_equal(d.c.n, 2); /* what stands before came out, to be checked first */
            assert_int_equal(d.n.var.n, 1);
            decoded_release(&d);
        }
        free(text);
        free(tailed);
        free(want);
    }
}

struct heard {
    uint64_t line[256];
    char text[256][256];
    size_t n, stop_after;
};
static bool hear(void *ctx, uint64_t line, const char *text) {
    struct heard *h = ctx;
    assert_true(h->n < 256);
    h->line[h->n] = line;
    snprintf(h->text[h->n], sizeof h->text[0], "%s", text);
    h->n++;
    return h->n != h->stop_after;
}

static void lint(void **state) {
    (void)state;
    char *text = au_sprintf("%s", "");
    for (size_t i = 0; i < BADS; i++) {
        char *more = au_sprintf("%sT|r(x)|%zu\n%s\n", text, i, bad[i].line);
        free(text);
        text = more;
    }
    struct heard h = {0};
    au_read_options o = {.lint = hear, .lint_ctx = &h};
    decoded d = decode(AU_FORMAT_STD, text, strlen(text), &o);
    assert_int_equal(d.st, AU_OK);
    assert_int_equal(d.c.n, BADS);
    assert_int_equal(h.n, BADS);
    for (size_t i = 0; i < BADS; i++) {
        assert_int_equal(d.c.loc[i], i);
        assert_int_equal(h.line[i], 2 * i + 2);
        assert_string_equal(h.text[i], bad[i].why);
    }
    assert_int_equal(d.n.thread.n, 1);
    assert_int_equal(d.n.var.n, 1);
    decoded_release(&d);

    h = (struct heard){.stop_after = 2};
    d = decode(AU_FORMAT_STD, text, strlen(text), &o);
    assert_int_equal(d.st, AU_OK);
    assert_int_equal(h.n, 2);
    assert_int_equal(d.c.n, 2);
    decoded_release(&d);
    free(text);
}

/* Complaints of the parser and of the checks come in the order of the lines. */
static void lint_through_reader(void **state) {
    (void)state;
    static const char text[] = "T1|acq(l)|1\n"
                               "T2|acq(l)|2\n"
                               "nonsense\n"
                               "T2|rel(l)|4\n"
                               "\n"
                               "T1|rel(l)|6\n"
                               "T1|rel(l)|7\n";
    struct heard h = {0};
    au_read_options o = {.format = AU_FORMAT_STD, .lint = hear, .lint_ctx = &h};
    au_error err = AU_ERROR_NONE;
    au_reader *r = au_reader_from(au_in_memory(text, sizeof text - 1, "t"), &o, &err);
    au_trace *t = au_trace_load_from(r, &err);
    assert_non_null(t);
    assert_int_equal(t->events.n, 2);
    assert_int_equal(h.n, 5);
    static const uint64_t lines[] = {2, 3, 4, 5, 7};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(h.line[i], lines[i]);
    au_trace_free(t);
    au_reader_free(r);
}

/* An error of the run above a malformed line is the one told. */
static void first_trouble_first(void **state) {
    (void)state;
    static const char text[] = "T1|acq(l)|1\nT2|acq(l)|2\nnonsense\n";
    au_error err = AU_ERROR_NONE;
    au_read_options o = {.format = AU_FORMAT_STD};
    au_reader *r = au_reader_from(au_in_memory(text, sizeof text - 1, "t"), &o, &err);
    assert_null(au_trace_load_from(r, &err));
    assert_int_equal(strncmp(err.text, "t:2: ", 5), 0);
    au_reader_free(r);
}

static void line_numbers_across_blocks(void **state) {
    (void)state;
    enum { LINES = 3 * AU_DECODE_EVENTS + 100 };
    au_out *o = au_out_memory();
    for (int i = 0; i < LINES; i++)
        au_out_printf(o, "T%d|w(x%d)|%d\n", i % 7, i % 1000, i);
    au_out_str(o, "T|bad(x)|1\nT|r(x)|1\n");
    size_t n;
    const char *text = au_out_memory_data(o, &n);
    decoded d = decode(AU_FORMAT_STD, text, n, NULL);
    assert_int_equal(d.st, AU_EFORMAT);
    char want[64];
    snprintf(want, sizeof want, "t:%d: unknown operation 'bad'", LINES + 1);
    assert_string_equal(d.err.text, want);
    assert_int_equal(d.c.n, LINES);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(d.c.loc[i], i);
    decoded_release(&d);
    au_out_abandon(o);
}

/* Files are read in pieces that cut lines anywhere. */
static void from_a_file(void **state) {
    (void)state;
    enum { LINES = 200000 };
    char path[] = "/tmp/augur-test-std-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    au_out *o = au_out_fd(fd, path);
    au_rng g;
    au_rng_init(&g, 5);
    for (int i = 0; i < LINES; i++)
        au_out_printf(o, "T%u|w(x%0*u)|%d|%d\r\n", au_rng_below(&g, 9), (int)au_rng_below(&g, 40),
                      au_rng_below(&g, 1000), i, -i);
    au_error err = AU_ERROR_NONE;
    assert_int_equal(au_out_commit(o, &err), AU_OK);
    au_read_options opts = {.format = AU_FORMAT_STD};
    au_trace *t = au_trace_load(path, &opts, &err);
    unlink(path);
    close(fd);
    assert_non_null(t);
    assert_int_equal(t->events.n, LINES);
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(t->events.loc[i], i);
        assert_int_equal(t->events.value[i], -i);
    }
    au_trace_free(t);
}

/* The same text from a file, where a line is longer than what is read at once. */
static void check_file(const char *text, size_t n, size_t events) {
    char path[] = "/tmp/augur-test-std-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
    au_error err = AU_ERROR_NONE;
    au_read_options opts = {.format = AU_FORMAT_STD};
    au_trace *t = au_trace_load(path, &opts, &err);
    unlink(path);
    if (!events) {
        assert_null(t);
        assert_non_null(strstr(err.text, ":2: line longer than 1 MiB"));
        return;
    }
    assert_non_null(t);
    assert_int_equal(t->events.n, events);
    au_trace_free(t);
}

static void long_lines(void **state) {
    (void)state;
    enum { MAX = AU_TEXT_LINE_MAX };
    static const char before[] = "T|r(x)|1\n", after[] = "T|r(z)|3\n";
    size_t room = sizeof before + sizeof after + 3 * MAX;
    char *text = au_alloc(room);
    for (size_t len = MAX - 1; len <= MAX + 1; len++) {
        for (int returns = 0; returns < 2; returns++) {
            char *p = text + sprintf(text, "%s", before);
            memset(p, 'y', len);
            memcpy(p, "T|r(", 4);
            memcpy(p + len - 3, ")|2", 3);
            p += len;
            p += sprintf(p, "%s%s", returns ? "\r\n" : "\n", after);
            struct heard h = {0};
            au_read_options o = {.lint = hear, .lint_ctx = &h};
            bool fits = len + (size_t)returns <= MAX;
            decoded d = decode(AU_FORMAT_STD, text, (size_t)(p - text), NULL);
            assert_int_equal(d.st, fits ? AU_OK : AU_EFORMAT);
            if (!fits)
                assert_string_equal(d.err.text, "t:2: line longer than 1 MiB");
            assert_int_equal(d.c.n, fits ? 3 : 1);
            decoded_release(&d);
            d = decode(AU_FORMAT_STD, text, (size_t)(p - text), &o);
            assert_int_equal(d.st, AU_OK);
            assert_int_equal(d.c.n, fits ? 3 : 2);
            assert_int_equal(d.c.loc[d.c.n - 1], 3);
            assert_int_equal(h.n, !fits);
            decoded_release(&d);
            check_file(text, (size_t)(p - text), fits ? 3 : 0);
        }
    }
    /* without an end at all */
    memset(text, 'y', 3 * MAX);
    decoded d = decode(AU_FORMAT_STD, text, 3 * MAX, NULL);
    assert_int_equal(d.st, AU_EFORMAT);
    assert_string_equal(d.err.text, "t:1: line longer than 1 MiB");
    decoded_release(&d);
    free(text);
}

static void too_many_threads(void **state) {
    (void)state;
    for (int by_fork = 0; by_fork < 2; by_fork++) {
        au_out *o = au_out_memory();
        for (unsigned i = 0; i < AU_MAX_THREADS; i++)
            au_out_printf(o, "thread %u|r(x)|1\n", i);
        au_out_str(o, "thread 5|r(x)|1\n");
        au_out_str(o, by_fork ? "thread 5|fork(more)|1\n" : "more|r(x)|1\n");
        for (int i = 0; i < 20; i++)
            au_out_str(o, "thread 7|r(x)|1\n");
        size_t n;
        const char *text = au_out_memory_data(o, &n);
        decoded d = decode(AU_FORMAT_STD, text, n, NULL);
        assert_int_equal(d.st, AU_EFORMAT);
        assert_string_equal(d.err.text,
                            "t:65537: thread 'more' is one too many, at most 65535 are possible");
        assert_int_equal(d.c.n, 65536);
        assert_int_equal(d.c.thread[65534], 65534);
        decoded_release(&d);
        au_out_abandon(o);
    }
}

static void empty_input(void **state) {
    (void)state;
    decoded d = std("");
    assert_int_equal(d.st, AU_OK);
    assert_int_equal(d.c.n, 0);
    decoded_release(&d);
}

/* A random field: mostly likely letters, sometimes a surprising one. */
static size_t random_field(au_rng *g, char *p) {
    static const char odd[] = "()|, \r\t0x-:\x80\n\\\"";
    size_t n = au_rng_below(g, 8) ? au_rng_below(g, 7) : au_rng_below(g, 40);
    for (size_t i = 0; i < n; i++)
        p[i] = au_rng_below(g, 60) ? "0123456789ab"[au_rng_below(g, 12)]
                                   : odd[au_rng_below(g, sizeof odd - 1)];
    return n;
}

/* The fast parser gives what the careful one gives, line by line: a text is read
 * whole, and its lines one by one. */
static void two_parsers_agree(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        au_rng g;
        au_rng_init(&g, seed);
        au_out *o = au_out_memory();
        for (int i = 0; i < 100; i++) {
            char field[64];
            au_out_write(o, field, random_field(&g, field));
            au_op op = (au_op)au_rng_below(&g, AU_OPS);
            au_out_printf(o, "|%s", au_op_name(op));
            if (au_op_space(op) != AU_WIRE_SPACE_NONE && au_rng_below(&g, 20)) {
                au_out_char(o, '(');
                au_out_write(o, field, random_field(&g, field));
                au_out_char(o, ')');
            }
            au_out_char(o, '|');
            au_out_write(o, field, random_field(&g, field));
            if (!au_rng_below(&g, 3))
                au_out_printf(o, "|%lld", (long long)au_rng_next(&g) >> au_rng_below(&g, 63));
            au_out_str(o, au_rng_below(&g, 10) ? "\n" : "\r\n");
        }
        size_t n;
        const char *text = au_out_memory_data(o, &n);
        struct heard h = {0}, h1 = {0};
        au_read_options opts = {.lint = hear, .lint_ctx = &h},
                        opts1 = {.lint = hear, .lint_ctx = &h1};
        decoded whole = decode(AU_FORMAT_STD, text, n, &opts);
        assert_int_equal(whole.st, AU_OK);

        decoded one = {.st = AU_OK};
        au_columns_init(&one.c);
        au_names_init(&one.n);
        uint64_t lines = 0;
        for (const char *p = text; p < text + n;) {
            const char *nl = memchr(p, '\n', (size_t)(text + n - p));
            size_t len = nl ? (size_t)(nl - p) + 1 : (size_t)(text + n - p);
            au_in *in = au_in_memory(p, len, "t");
            au_decoder *d = au_decode_std(in, &opts1, &one.err);
            size_t complaints = h1.n;
            au_columns c;
            au_columns_init(&c);
            assert_int_equal(d->next(d, &c, &one.n, &one.err), AU_OK);
            assert_int_equal(c.n + (h1.n - complaints), 1);
            au_block b = au_columns_block(&c, 0, c.n);
            au_columns_append(&one.c, &b);
            lines++;
            if (h1.n > complaints)
                h1.line[complaints] = lines;
            au_columns_release(&c);
            d->free(d);
            au_in_close(in);
            p += len;
        }
        assert_same_events(&whole.c, &whole.n, &one.c, &one.n);
        assert_int_equal(h.n, h1.n);
        for (size_t i = 0; i < h.n; i++) {
            assert_int_equal(h.line[i], h1.line[i]);
            assert_string_equal(h.text[i], h1.text[i]);
        }
        assert_true(whole.c.n > 20);
        decoded_release(&whole);
        decoded_release(&one);
        au_out_abandon(o);
    }
}

/* Real traces: every line an event, and written back byte by byte. */
static void race_injector(void **state) {
    (void)state;
    static const char dir[] = AU_SOURCE_ROOT "/tests/traces/raceinjector";
    DIR *f = opendir(dir);
    assert_non_null(f);
    size_t files = 0, events = 0;
    for (struct dirent *e; (e = readdir(f));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".std"))
            continue;
        char *path = au_sprintf("%s/%s", dir, e->d_name);
        au_error err = AU_ERROR_NONE;
        au_in *in = au_in_open(path, &err);
        assert_non_null(in);
        size_t len;
        const char *text = au_in_peek(in, 64 << 20, &len, &err);
        assert_non_null(text);
        au_trace *t = au_trace_load(path, NULL, &err);
        if (!t)
            fail_msg("%s", err.text);
        size_t back_n;
        char *back = encode(AU_FORMAT_STD, &t->events, &t->names, &back_n, &err);
        assert_non_null(back);
        assert_int_equal(back_n, len);
        assert_memory_equal(back, text, len);
        size_t lines = 0;
        for (size_t i = 0; i < len; i++)
            lines += text[i] == '\n';
        assert_int_equal(t->events.n, lines);
        events += lines;
        files++;
        free(back);
        au_trace_free(t);
        au_in_close(in);
        free(path);
    }
    closedir(f);
    assert_true(files > 0);
    print_message("%zu files, %zu events\n", files, events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar),
        cmocka_unit_test(every_op),
        cmocka_unit_test(name_spaces),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(messages),
        cmocka_unit_test(lint),
        cmocka_unit_test(lint_through_reader),
        cmocka_unit_test(first_trouble_first),
        cmocka_unit_test(line_numbers_across_blocks),
        cmocka_unit_test(from_a_file),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(too_many_threads),
        cmocka_unit_test(empty_input),
        cmocka_unit_test(two_parsers_agree),
        cmocka_unit_test(race_injector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
