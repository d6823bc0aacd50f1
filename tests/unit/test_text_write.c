/* The text writers: STD back and forth, JSON lines, Perfetto. */
#include "trace_text.h"

#include <cjson/cJSON.h>

static decoded std(const char *text) {
    return decode(AU_FORMAT_STD, text, strlen(text), NULL);
}

static void canonical_std(void **state) {
    (void)state;
    static const char text[] = "T1|fork(T2)|0\n"
                               "T1|acq(l)|main.c:12\n"
                               "T1|w(f(x), y)|2147483647|-3\n"
                               "T1|begin|\n"
                               "T1|begin(a)b)||9223372036854775807\n"
                               "T1|end|007\n"
                               "T1|fence|1\n"
                               "a thread with a name of some length|r(\xc3\xa4)|99999999999\n"
                               "T1|broadcast(c)|here\r|0\n"
                               "T1|exit|4\n";
    decoded d = std(text);
    assert_int_equal(d.st, AU_OK);
    au_error err = AU_ERROR_NONE;
    size_t n;
    char *back = encode(AU_FORMAT_STD, &d.c, &d.n, &n, &err);
    assert_non_null(back);
    assert_string_equal(back, text);
    free(back);
    decoded_release(&d);
}

/* Random events over random names. With 'any', names have any bytes. */
static decoded random_events(uint64_t seed, bool any) {
    decoded d = {.st = AU_OK};
    au_columns_init(&d.c);
    au_names_init(&d.n);
    au_rng g;
    au_rng_init(&g, seed);
    uint32_t count[AU_WIRE_SPACES];
    for (uint8_t s = AU_WIRE_SPACE_THREAD; s < AU_WIRE_SPACES; s++) {
        count[s] = 1 + au_rng_below(&g, 40);
        for (uint32_t i = 0; i < count[s]; i++) {
            char name[100];
            size_t n = 1 + (au_rng_below(&g, 4) ? au_rng_below(&g, 8) : au_rng_below(&g, 98));
            for (size_t k = 0; k < n; k++) {
                do
                    name[k] = any ? (char)au_rng_next(&g) : (char)('a' + au_rng_below(&g, 26));
                while (strchr("|\n\r", name[k]) && (!any || name[k]));
            }
            au_intern_add(au_names_space(&d.n, s), name, n);
        }
        count[s] = (uint32_t)au_names_space(&d.n, s)->n;
    }
    bool values = au_rng_below(&g, 2);
    size_t events = au_rng_below(&g, 2000);
    for (size_t i = 0; i < events; i++) {
        au_op op = (au_op)au_rng_below(&g, AU_OPS);
        uint8_t space = au_op_space(op);
        uint32_t obj = space ? au_rng_below(&g, count[space]) : AU_NONE;
        if (space == AU_WIRE_SPACE_BLOCK && au_rng_below(&g, 2))
            obj = AU_NONE;
        uint32_t loc;
        switch (au_rng_below(&g, 4)) {
        case 0:
            loc = AU_NONE;
            break;
        case 1:
            loc = AU_LOC_NAMED + au_rng_below(&g, count[AU_WIRE_SPACE_LOC]);
            break;
        case 2:
            loc = au_rng_below(&g, 100);
            break;
        default:
            loc = (uint32_t)au_rng_next(&g) % AU_LOC_NAMED >> au_rng_below(&g, 31);
        }
        int64_t v = (int64_t)au_rng_next(&g) >> au_rng_below(&g, 64);
        au_columns_push(&d.c, op, (uint16_t)au_rng_below(&g, count[AU_WIRE_SPACE_THREAD]), obj, loc,
                        values && au_rng_below(&g, 3) ? &v : NULL);
    }
    return d;
}

/* Ids are given in the order of first use, so compare names. */
static void assert_equivalent(const decoded *a, const decoded *b) {
    assert_int_equal(a->c.n, b->c.n);
    for (size_t i = 0; i < a->c.n; i++) {
        assert_int_equal(a->c.op[i], b->c.op[i]);
        uint32_t at = a->c.thread[i], bt = b->c.thread[i];
        assert_int_equal(au_intern_len(&a->n.thread, at), au_intern_len(&b->n.thread, bt));
        assert_memory_equal(au_intern_str(&a->n.thread, at), au_intern_str(&b->n.thread, bt),
                            au_intern_len(&a->n.thread, at));
        assert_int_equal(a->c.obj[i] == AU_NONE, b->c.obj[i] == AU_NONE);
        if (a->c.obj[i] != AU_NONE) {
            uint8_t s = au_op_space(a->c.op[i]);
            const au_intern *an = au_names_space_const(&a->n, s);
            const au_intern *bn = au_names_space_const(&b->n, s);
            assert_int_equal(au_intern_len(an, a->c.obj[i]), au_intern_len(bn, b->c.obj[i]));
            assert_memory_equal(au_intern_str(an, a->c.obj[i]), au_intern_str(bn, b->c.obj[i]),
                                au_intern_len(an, a->c.obj[i]));
        }
        uint32_t al = a->c.loc[i], bl = b->c.loc[i];
        if (al < AU_LOC_NAMED || al == AU_NONE) {
            assert_int_equal(al, bl);
        } else {
            assert_true(bl >= AU_LOC_NAMED && bl != AU_NONE);
            assert_string_equal(au_intern_str(&a->n.loc, al - AU_LOC_NAMED),
                                au_intern_str(&b->n.loc, bl - AU_LOC_NAMED));
        }
        assert_int_equal(has_value(&a->c, i), has_value(&b->c, i));
        if (has_value(&a->c, i))
            assert_int_equal(a->c.value[i], b->c.value[i]);
    }
}

static void columns_std_columns(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        decoded d = random_events(seed, false);
        au_error err = AU_ERROR_NONE;
        size_t n, n2;
        char *text = encode(AU_FORMAT_STD, &d.c, &d.n, &n, &err);
        assert_non_null(text);
        decoded back = decode(AU_FORMAT_STD, text, n, NULL);
        assert_int_equal(back.st, AU_OK);
        assert_equivalent(&d, &back);
        char *again = encode(AU_FORMAT_STD, &back.c, &back.n, &n2, &err);
        assert_int_equal(n, n2);
        assert_memory_equal(text, again, n);
        free(again);
        free(text);
        decoded_release(&back);
        decoded_release(&d);
    }
}

/* A valid run with values, names and locations of both kinds. */
static char *random_run(uint64_t seed) {
    au_rng g;
    au_rng_init(&g, seed);
    au_out *o = au_out_memory();
    int owner[5], depth[4] = {0};
    for (int i = 0; i < 5; i++)
        owner[i] = -1;
    for (int i = 0; i < 400; i++) {
        int t = (int)au_rng_below(&g, 4), l = (int)au_rng_below(&g, 5);
        char loc[40];
        switch (au_rng_below(&g, 3)) {
        case 0:
            loc[0] = 0;
            break;
        case 1:
            snprintf(loc, sizeof loc, "%u", au_rng_below(&g, 1000));
            break;
        default:
            snprintf(loc, sizeof loc, "file.c:%u", au_rng_below(&g, 100));
        }
        switch (au_rng_below(&g, 6)) {
        case 0:
            if (owner[l] < 0) {
                owner[l] = t;
                au_out_printf(o, "T%d|acq(l %d)|%s\n", t, l, loc);
            }
            break;
        case 1:
            if (owner[l] == t) {
                owner[l] = -1;
                au_out_printf(o, "T%d|rel(l %d)|%s\n", t, l, loc);
            }
            break;
        case 2:
            depth[t]++;
            au_out_printf(o, au_rng_below(&g, 2) ? "T%d|begin|%s\n" : "T%d|begin(b)|%s\n", t, loc);
            break;
        case 3:
            if (depth[t]) {
                depth[t]--;
                au_out_printf(o, "T%d|end|%s\n", t, loc);
            }
            break;
        default:
            au_out_printf(o, "T%d|%c(x%u)|%s|%d\n", t, "rw"[au_rng_below(&g, 2)],
                          au_rng_below(&g, 50), loc, (int)au_rng_below(&g, 1000) - 500);
        }
    }
    size_t n;
    const char *data = au_out_memory_data(o, &n);
    char *text = au_strndup(data, n);
    au_out_abandon(o);
    return text;
}

static au_trace *load(const char *bytes, size_t n, au_format format) {
    au_error err = AU_ERROR_NONE;
    au_read_options o = {.format = format};
    au_reader *r = au_reader_from(au_in_memory(bytes, n, "t"), &o, &err);
    assert_non_null(r);
    au_trace *t = au_trace_load_from(r, &err);
    if (!t)
        fail_msg("%s", err.text);
    au_reader_free(r);
    return t;
}

static void binary_and_std(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        char *text = random_run(seed);
        au_error err = AU_ERROR_NONE;
        size_t n1, n2, n3;
        au_trace *a = load(text, strlen(text), AU_FORMAT_STD);
        char *bin = encode(AU_FORMAT_BINARY, &a->events, &a->names, &n1, &err);
        au_trace *b = load(bin, n1, AU_FORMAT_BINARY);
        assert_same_events(&a->events, &a->names, &b->events, &b->names);
        char *std2 = encode(AU_FORMAT_STD, &b->events, &b->names, &n2, &err);
        assert_string_equal(std2, text);
        au_trace *c = load(std2, n2, AU_FORMAT_STD);
        char *bin2 = encode(AU_FORMAT_BINARY, &c->events, &c->names, &n3, &err);
        assert_int_equal(n1, n3);
        assert_memory_equal(bin, bin2, n1);
        au_trace_free(a);
        au_trace_free(b);
        au_trace_free(c);
        free(text);
        free(bin);
        free(std2);
        free(bin2);
    }
}

/* Names longer than any buffer. */
static void huge_names(void **state) {
    (void)state;
    enum { LONG = 300000 };
    decoded d = {.st = AU_OK};
    au_columns_init(&d.c);
    au_names_init(&d.n);
    char *name = au_alloc(4 * LONG);
    memset(name, 'n', 4 * LONG);
    for (uint8_t s = AU_WIRE_SPACE_THREAD; s < AU_WIRE_SPACES; s++)
        au_intern_add(au_names_space(&d.n, s), name, LONG);
    int64_t v = 5;
    au_columns_push(&d.c, AU_OP_READ, 0, 0, AU_LOC_NAMED, &v);
    au_columns_push(&d.c, AU_OP_FENCE, 0, AU_NONE, 7, NULL);
    au_error err = AU_ERROR_NONE;
    size_t n;
    char *text = encode(AU_FORMAT_STD, &d.c, &d.n, &n, &err);
    assert_non_null(text);
    decoded back = decode(AU_FORMAT_STD, text, n, NULL);
    assert_int_equal(back.st, AU_OK);
    assert_equivalent(&d, &back);
    free(text);
    decoded_release(&back);

    uint32_t id = au_intern_add(&d.n.var, name, 4 * LONG);
    au_columns_push(&d.c, AU_OP_READ, 0, id, 1, &v);
    assert_null(encode(AU_FORMAT_STD, &d.c, &d.n, &n, &err));
    assert_int_equal(err.status, AU_EUNSUPPORTED);
    assert_string_equal(err.text, "event 3 (r): its names are too long for a line of STD");
    assert_null(encode(AU_FORMAT_VALUES, &d.c, &d.n, &n, &err));
    assert_int_equal(err.status, AU_EUNSUPPORTED);
    free(name);
    decoded_release(&d);
}

/* What STD cannot say is refused, by number and operation. */
static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *thread, *var, *loc, *why;
    } want[] = {
        {"a|b", "x", "l", "event 2 (w): STD cannot express the name of its thread"},
        {"a\nb", "x", "l", "event 2 (w): STD cannot express the name of its thread"},
        {"", "x", "l", "event 2 (w): STD cannot express the name of its thread"},
        {"T", "x|", "l", "event 2 (w): STD cannot express the name of its operand"},
        {"T", "", "l", "event 2 (w): STD cannot express the name of its operand"},
        {"T", "x", "l|", "event 2 (w): STD cannot express its location"},
        {"T", "x", "l\r", "event 2 (w): STD cannot express its location"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        decoded d = std("ok|r(fine)|good\n");
        uint32_t t = au_intern_add(&d.n.thread, want[i].thread, strlen(want[i].thread));
        uint32_t x = au_intern_add(&d.n.var, want[i].var, strlen(want[i].var));
        uint32_t l = au_intern_add(&d.n.loc, want[i].loc, strlen(want[i].loc));
        au_columns_push(&d.c, AU_OP_WRITE, (uint16_t)t, x, AU_LOC_NAMED + l, NULL);
        au_error err = AU_ERROR_NONE;
        size_t n;
        assert_null(encode(AU_FORMAT_STD, &d.c, &d.n, &n, &err));
        assert_int_equal(err.status, AU_EUNSUPPORTED);
        assert_string_equal(err.text, want[i].why);
        decoded_release(&d);
    }
}

static cJSON *item(const cJSON *o, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static void json_lines(void **state) {
    (void)state;
    decoded d = std("T1|w(x)|12|5\n"
                    "T2|acq(\"q\\\")|a\tb\n"
                    "T1|begin|\n");
    au_error err = AU_ERROR_NONE;
    size_t n;
    char *text = encode(AU_FORMAT_JSONL, &d.c, &d.n, &n, &err);
    static const char want[] =
        "{\"thread\":\"T1\",\"index\":1,\"op\":\"w\",\"obj\":\"x\",\"loc\":12,\"value\":5}\n"
        "{\"thread\":\"T2\",\"index\":1,\"op\":\"acq\",\"obj\":\"\\\"q\\\\\\\"\",\"loc\":\"a\\tb\"}"
        "\n"
        "{\"thread\":\"T1\",\"index\":2,\"op\":\"begin\"}\n";
    char *body = strchr(text, '\n') + 1;
    assert_string_equal(body, want);
    body[-1] = 0;
    cJSON *head = cJSON_Parse(text);
    assert_non_null(head);
    assert_string_equal(item(head, "tool")->valuestring, "augur");
    assert_true(cJSON_IsString(item(head, "version")));
    cJSON_Delete(head);
    free(text);
    decoded_release(&d);
}

static void json_lines_of_anything(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        decoded d = random_events(seed, true);
        au_error err = AU_ERROR_NONE;
        size_t n, lines = 0;
        char *text = encode(AU_FORMAT_JSONL, &d.c, &d.n, &n, &err);
        for (char *p = text, *nl; p < text + n; p = nl + 1, lines++) {
            nl = memchr(p, '\n', (size_t)(text + n - p));
            assert_non_null(nl);
            *nl = 0;
            cJSON *o = cJSON_Parse(p);
            assert_non_null(o);
            if (lines) {
                assert_string_equal(item(o, "op")->valuestring, au_op_name(d.c.op[lines - 1]));
                assert_int_equal(item(o, "obj") != NULL, d.c.obj[lines - 1] != AU_NONE);
                assert_int_equal(item(o, "loc") != NULL, d.c.loc[lines - 1] != AU_NONE);
                assert_int_equal(item(o, "value") != NULL, has_value(&d.c, lines - 1));
            }
            cJSON_Delete(o);
        }
        assert_int_equal(lines, d.c.n + 1);
        free(text);
        decoded_release(&d);
    }
}

/* What a viewer sees of one thread, in the order of time. */
typedef struct {
    double ts, dur;
    char ph;
    int tid;
    size_t order; /* in the file */
    const cJSON *o;
} seen;

static int by_time(const void *a, const void *b) {
    const seen *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Parses the output, checks that it is one a viewer takes as meant, and returns its
 * events; *root is to be deleted, the array freed. */
static seen *check_perfetto(const char *text, size_t n, size_t *count, cJSON **root) {
    *root = cJSON_ParseWithLength(text, n);
    assert_non_null(*root);
    cJSON *list = item(*root, "traceEvents");
    assert_true(cJSON_IsArray(list));
    seen *at = au_alloc_array((size_t)cJSON_GetArraySize(list) + 1, sizeof *at);
    *count = 0;
    size_t order = 0;
    const cJSON *o;
    cJSON_ArrayForEach(o, list) {
        char ph = item(o, "ph")->valuestring[0];
        assert_int_equal(item(o, "pid")->valueint, 1);
        assert_true(cJSON_IsNumber(item(o, "tid")));
        if (ph == 'M')
            continue;
        at[*count] = (seen){.ts = item(o, "ts")->valuedouble,
                            .dur = ph == 'X' ? item(o, "dur")->valuedouble : 0,
                            .ph = ph,
                            .tid = item(o, "tid")->valueint,
                            .order = order++,
                            .o = o};
        ++*count;
    }
    qsort(at, *count, sizeof *at, by_time);
    /* a stack a thread: the ends of its slices, INFINITY for an open B */
    enum { TIDS = 64, DEPTH = 4096 };
    static double end[TIDS][DEPTH];
    size_t depth[TIDS] = {0}, starts = 0, ends = 0;
    for (size_t i = 0; i < *count; i++) {
        const seen *s = &at[i];
        assert_true(s->tid > 0 && s->tid < TIDS);
        size_t *k = &depth[s->tid];
        while (*k && end[s->tid][*k - 1] <= s->ts)
            --*k;
        switch (s->ph) {
        case 'X':
            assert_true(!*k || s->ts + s->dur <= end[s->tid][*k - 1]);
            assert_true(*k < DEPTH);
            end[s->tid][(*k)++] = s->ts + s->dur;
            break;
        case 'B':
            assert_true(*k < DEPTH);
            assert_true(!*k || end[s->tid][*k - 1] == 1e300);
            end[s->tid][(*k)++] = 1e300;
            break;
        case 'E':
            assert_true(*k > 0);
            assert_true(end[s->tid][*k - 1] == 1e300);
            --*k;
            break;
        case 's':
        case 'f': /* bound to the slice of an event */
            assert_true(*k > 0 && end[s->tid][*k - 1] != 1e300);
            assert_true(cJSON_IsNumber(item(s->o, "id")));
            *(s->ph == 's' ? &starts : &ends) += 1;
            break;
        default:
            fail_msg("phase %c", s->ph);
        }
    }
    for (int t = 0; t < TIDS; t++)
        while (depth[t])
            assert_true(end[t][--depth[t]] != 1e300); /* no B is left open */
    assert_int_equal(starts, ends);
    return at;
}

static size_t count_phase(const seen *at, size_t n, char ph) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        k += at[i].ph == ph;
    return k;
}

static void perfetto_spans(void **state) {
    (void)state;
    decoded d = std("T1|fork(T2)|1\n"       /* 1: arrow to event 2 */
                    "T2|acq(a)|2\n"         /* 2 */
                    "T2|acq(b)|3\n"         /* 3 */
                    "T2|w(x)|main.c:7|42\n" /* 4 */
                    "T2|rel(a)|4\n"         /* 5: from under b */
                    "T2|rel(b)|5\n"         /* 6 */
                    "T1|acq(m)|6\n"         /* 7 */
                    "T1|rel(m)|6\n"         /* 8 */
                    "T1|wait(c)|6\n"        /* 9 */
                    "T2|signal(c)|7\n"      /* 10: arrow to 11 */
                    "T1|wake(c)|8\n"        /* 11 */
                    "T1|begin(blk)|8\n"     /* 12: open at the end */
                    "T1|join(T2)|9\n");     /* 13: arrow from 10 */
    assert_int_equal(d.st, AU_OK);
    au_error err = AU_ERROR_NONE;
    size_t n, count;
    char *text = encode(AU_FORMAT_PERFETTO, &d.c, &d.n, &n, &err);
    cJSON *root;
    seen *at = check_perfetto(text, n, &count, &root);
    assert_int_equal(count_phase(at, count, 'X'), 13);
    assert_int_equal(count_phase(at, count, 'B'), 6); /* a, b, b again, m, c, blk */
    assert_int_equal(count_phase(at, count, 's'), 3);
    static const struct {
        const char *name;
        int from_tid, to_tid;
        double from, to;
    } flows[] = {{"fork", 1, 2, 1.5, 2.5}, {"wake", 2, 1, 10.5, 11.5}, {"join", 2, 1, 10.5, 13.5}};
    for (size_t f = 0; f < 3; f++) {
        const seen *s = NULL, *t = NULL;
        for (size_t i = 0; i < count; i++)
            if ((at[i].ph == 's' || at[i].ph == 'f') &&
                !strcmp(item(at[i].o, "name")->valuestring, flows[f].name))
                *(at[i].ph == 's' ? &s : &t) = &at[i];
        assert_non_null(s);
        assert_non_null(t);
        assert_int_equal(item(s->o, "id")->valueint, item(t->o, "id")->valueint);
        assert_int_equal(s->tid, flows[f].from_tid);
        assert_int_equal(t->tid, flows[f].to_tid);
        assert_true(s->ts == flows[f].from && t->ts == flows[f].to);
    }
    size_t continued = 0;
    for (size_t i = 0; i < count; i++) {
        const cJSON *args = item(at[i].o, "args");
        if (at[i].ph == 'B' && args && item(args, "continued")) {
            assert_string_equal(item(at[i].o, "name")->valuestring, "holds b");
            assert_true(at[i].ts == 6);
            continued++;
        }
        if (at[i].ph == 'X' && at[i].ts == 4) {
            assert_string_equal(item(at[i].o, "name")->valuestring, "w x");
            assert_string_equal(item(args, "variable")->valuestring, "x");
            assert_string_equal(item(args, "location")->valuestring, "main.c:7");
            assert_int_equal(item(args, "value")->valueint, 42);
        }
    }
    assert_int_equal(continued, 1);
    const cJSON *o;
    size_t names = 0;
    cJSON_ArrayForEach(o, item(root, "traceEvents")) {
        if (item(o, "ph")->valuestring[0] != 'M')
            continue;
        const char *what = item(o, "name")->valuestring;
        const cJSON *name = item(item(o, "args"), "name");
        if (!strcmp(what, "process_name"))
            assert_string_equal(name->valuestring, "title \"1\"\n");
        if (!strcmp(what, "thread_name"))
            assert_string_equal(name->valuestring, item(o, "tid")->valueint == 1 ? "T1" : "T2"),
                names++;
    }
    assert_int_equal(names, 2);
    free(at);
    cJSON_Delete(root);
    free(text);
    decoded_release(&d);
}

/* Many locks released in the order they were taken: the output stays linear. */
static void perfetto_fifo(void **state) {
    (void)state;
    enum { LOCKS = 2000 };
    au_out *o = au_out_memory();
    for (int i = 0; i < LOCKS; i++)
        au_out_printf(o, "T|acq(l%d)|1\n", i);
    for (int i = 0; i < LOCKS; i++)
        au_out_printf(o, "T|rel(l%d)|1\n", i);
    decoded d = std(au_out_memory_data(o, NULL));
    au_error err = AU_ERROR_NONE;
    size_t n, count;
    char *text = encode(AU_FORMAT_PERFETTO, &d.c, &d.n, &n, &err);
    cJSON *root;
    seen *at = check_perfetto(text, n, &count, &root);
    assert_int_equal(count_phase(at, count, 'X'), 2 * LOCKS);
    assert_int_equal(count_phase(at, count, 'B'), count_phase(at, count, 'E'));
    assert_true(count_phase(at, count, 'B') <= LOCKS + 17 * 16);
    free(at);
    cJSON_Delete(root);
    free(text);
    decoded_release(&d);
    au_out_abandon(o);
}

/* Events in any order with names of any bytes: still balanced, still JSON. */
static void perfetto_of_anything(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        decoded d = random_events(seed, seed % 2);
        au_error err = AU_ERROR_NONE;
        size_t n, count;
        char *text = encode(AU_FORMAT_PERFETTO, &d.c, &d.n, &n, &err);
        assert_non_null(text);
        cJSON *root;
        seen *at = check_perfetto(text, n, &count, &root);
        assert_int_equal(count_phase(at, count, 'X'), d.c.n);
        assert_int_equal(count_phase(at, count, 'B'), count_phase(at, count, 'E'));
        free(at);
        cJSON_Delete(root);
        free(text);
        decoded_release(&d);
    }
}

static void no_events(void **state) {
    (void)state;
    decoded d = std("");
    au_error err = AU_ERROR_NONE;
    size_t n, count;
    char *text = encode(AU_FORMAT_STD, &d.c, &d.n, &n, &err);
    assert_int_equal(n, 0);
    free(text);
    text = encode(AU_FORMAT_JSONL, &d.c, &d.n, &n, &err);
    assert_ptr_equal(strchr(text, '\n'), text + n - 1);
    free(text);
    text = encode(AU_FORMAT_PERFETTO, &d.c, &d.n, &n, &err);
    cJSON *root;
    free(check_perfetto(text, n, &count, &root));
    assert_int_equal(count, 0);
    cJSON_Delete(root);
    free(text);
    decoded_release(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_std),
        cmocka_unit_test(columns_std_columns),
        cmocka_unit_test(binary_and_std),
        cmocka_unit_test(huge_names),
        cmocka_unit_test(refusals),
        cmocka_unit_test(json_lines),
        cmocka_unit_test(json_lines_of_anything),
        cmocka_unit_test(perfetto_spans),
        cmocka_unit_test(perfetto_fifo),
        cmocka_unit_test(perfetto_of_anything),
        cmocka_unit_test(no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
