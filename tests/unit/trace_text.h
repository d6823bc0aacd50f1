/* Helpers of the tests of text formats: whole texts into columns and back. */
#ifndef TEST_TRACE_TEXT_H
#define TEST_TRACE_TEXT_H

#include "base/alloc.h"
#include "base/rng.h"
#include "trace/reader_priv.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct {
    au_columns c;
    au_names n;
    au_status st;
    au_error err;
} decoded;

/* Everything a decoder gives, without the checks of the reader. */
static inline decoded decode(au_format format, const char *text, size_t len,
                             const au_read_options *opts) {
    decoded d = {.st = AU_OK};
    au_columns_init(&d.c);
    au_names_init(&d.n);
    au_in *in = au_in_memory(text, len, "t");
    au_decoder *dec = format == AU_FORMAT_STD ? au_decode_std(in, opts, &d.err)
                                              : au_decode_values(in, opts, &d.err);
    au_columns block;
    au_columns_init(&block);
    for (;;) {
        au_columns_clear(&block);
        d.st = dec->next(dec, &block, &d.n, &d.err);
        if (d.st != AU_OK || !block.n)
            break;
        au_block b = au_columns_block(&block, 0, block.n);
        au_columns_append(&d.c, &b);
    }
    au_columns_release(&block);
    dec->free(dec);
    au_in_close(in);
    return d;
}

static inline void decoded_release(decoded *d) {
    au_columns_release(&d->c);
    au_names_release(&d->n);
}

static inline bool has_value(const au_columns *c, size_t i) {
    au_block b = au_columns_block(c, i, i + 1);
    return au_block_has_value(&b, 0);
}

static inline const char *thread_name(const decoded *d, size_t i) {
    return au_intern_str(&d->n.thread, d->c.thread[i]);
}
static inline const char *obj_name(const decoded *d, size_t i) {
    if (d->c.obj[i] == AU_NONE)
        return NULL;
    return au_intern_str(au_names_space_const(&d->n, au_op_space(d->c.op[i])), d->c.obj[i]);
}

static inline void assert_same_names(const au_intern *a, const au_intern *b) {
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        assert_int_equal(au_intern_len(a, i), au_intern_len(b, i));
        assert_memory_equal(au_intern_str(a, i), au_intern_str(b, i), au_intern_len(a, i));
    }
}

/* Equal ids and equal names. */
static inline void assert_same_events(const au_columns *a, const au_names *an, const au_columns *b,
                                      const au_names *bn) {
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->op[i], b->op[i]);
        assert_int_equal(a->thread[i], b->thread[i]);
        assert_int_equal(a->obj[i], b->obj[i]);
        assert_int_equal(a->loc[i], b->loc[i]);
        assert_int_equal(has_value(a, i), has_value(b, i));
        if (has_value(a, i))
            assert_int_equal(a->value[i], b->value[i]);
    }
    for (uint8_t s = AU_WIRE_SPACE_THREAD; s < AU_WIRE_SPACES; s++)
        assert_same_names(au_names_space_const(an, s), au_names_space_const(bn, s));
}

/* The bytes of these events in a format; free() them. NULL on failure, *err set. */
static inline char *encode(au_format format, const au_columns *c, const au_names *n, size_t *len,
                           au_error *err) {
    au_out *out = au_out_memory();
    au_encoder *e = NULL;
    switch (format) {
    case AU_FORMAT_STD:
        e = au_encode_std(out, n);
        break;
    case AU_FORMAT_VALUES:
        e = au_encode_values(out, n);
        break;
    case AU_FORMAT_JSONL:
        e = au_encode_jsonl(out, n);
        break;
    case AU_FORMAT_PERFETTO:
        e = au_encode_perfetto(out, n, "title \"1\"\n");
        break;
    case AU_FORMAT_BINARY:
        e = au_encode_binary(out, n, true);
        break;
    default:
        fail();
    }
    au_status st = AU_OK;
    for (size_t i = 0; st == AU_OK && i < c->n; i += 1000) {
        au_block b = au_columns_block(c, i, i + 1000 < c->n ? i + 1000 : c->n);
        st = e->put(e, &b, err);
    }
    if (st == AU_OK)
        st = e->finish(e, err);
    e->free(e);
    char *copy = NULL;
    if (st == AU_OK) {
        const char *data = au_out_memory_data(out, len);
        copy = au_alloc(*len + 1);
        memcpy(copy, data, *len + 1);
    }
    au_out_abandon(out);
    return copy;
}

#endif
