/* fuzz/fuzz_std.c: the text readers. The first byte chooses: bit 0 the value text
 * instead of STD, bit 1 lint. What was read without complaint is written as STD and
 * read again, and must be the same. */
#include "base/alloc.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t last_complaint;

static bool complain(void *ctx, uint64_t line, const char *text) {
    uint64_t *count = ctx;
    AU_BUG_IF(!*text || line < last_complaint);
    last_complaint = line;
    return ++*count < 1000;
}

/* NULL if it is not a trace, or *packed: looks compressed, which is not tried here
 * (this is not about unpacking, and small bombs take long). */
static au_trace *load(const void *p, size_t n, const au_read_options *opts, bool *packed) {
    au_error err = AU_ERROR_NONE;
    au_in *in = au_in_memory(p, n, "fuzz");
    *packed = au_in_is_packed(in);
    if (*packed) {
        au_in_close(in);
        return NULL;
    }
    au_reader *r = au_reader_from(in, opts, &err);
    au_trace *t = r ? au_trace_load_from(r, &err) : NULL;
    AU_BUG_IF(!t && (err.status == AU_OK || !err.text[0]));
    au_reader_free(r);
    return t;
}

static void same(const au_trace *a, const au_trace *b) {
    size_t n = a->events.n;
    AU_BUG_IF(n != b->events.n || a->names.var.n != b->names.var.n ||
              a->names.thread.n != b->names.thread.n);
    if (!n)
        return;
    AU_BUG_IF(memcmp(a->events.op, b->events.op, n * sizeof *a->events.op));
    AU_BUG_IF(memcmp(a->events.thread, b->events.thread, n * sizeof *a->events.thread));
    AU_BUG_IF(memcmp(a->events.obj, b->events.obj, n * sizeof *a->events.obj));
    AU_BUG_IF(memcmp(a->events.loc, b->events.loc, n * sizeof *a->events.loc));
    AU_BUG_IF(a->events.any_value != b->events.any_value);
    if (a->events.any_value)
        AU_BUG_IF(memcmp(a->events.value, b->events.value, n * sizeof *a->events.value));
}

/* Names are written as they were read, but not all that were read are written:
 * lines that lint left out may have added some. So only without lint. */
static void write_and_read_again(const au_trace *t) {
    au_out *out = au_out_memory();
    au_error err = AU_ERROR_NONE;
    au_writer *w = au_writer_to(out, &(au_write_options){.format = AU_FORMAT_STD}, &t->names);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    au_status st = au_writer_put(w, &b, &err);
    AU_BUG_IF(st != AU_OK && st != AU_EUNSUPPORTED);
    if (st == AU_OK) {
        size_t n;
        const char *text = au_out_memory_data(out, &n);
        bool packed;
        au_trace *again = load(text, n, &(au_read_options){.format = AU_FORMAT_STD}, &packed);
        AU_BUG_IF(!again && !packed);
        if (again)
            same(t, again);
        au_trace_free(again);
    }
    au_writer_abandon(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    uint64_t complaints = 0;
    last_complaint = 0;
    bool lint = data[0] & 2, packed;
    au_read_options opts = {.format = data[0] & 1 ? AU_FORMAT_VALUES : AU_FORMAT_STD};
    if (lint) {
        opts.lint = complain;
        opts.lint_ctx = &complaints;
    }
    au_trace *t = load(data + 1, size - 1, &opts, &packed);
    if (t && !lint)
        write_and_read_again(t);
    au_trace_free(t);
    return 0;
}
