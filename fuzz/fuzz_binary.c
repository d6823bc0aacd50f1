/* fuzz/fuzz_binary.c: any bytes as a trace, in both ways of reading. Checksums
 * would keep the fuzzer out, so every input is also tried with its checksums put
 * right, frame by frame. What comes out must be in range, and writing it and
 * reading it again must give the same. */
#include "base/error.h"
#include "base/vec.h"
#include "trace/binary_priv.h"
#include "trace/reader_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every id of the block has a name. */
static void look(const au_block *b, const au_names *n) {
    for (size_t i = 0; i < b->n; i++) {
        AU_BUG_IF(b->op[i] >= AU_OPS);
        AU_BUG_IF(b->thread[i] >= n->thread.n);
        const au_intern *t = au_names_space_const(n, au_op_space(b->op[i]));
        AU_BUG_IF(b->obj[i] != AU_NONE && (!t || b->obj[i] >= t->n));
        AU_BUG_IF(b->obj[i] == AU_NONE && t && t != &n->block);
        AU_BUG_IF(b->loc[i] >= AU_LOC_NAMED && b->loc[i] != AU_NONE &&
                  b->loc[i] - AU_LOC_NAMED >= n->loc.n);
    }
}

static uint64_t digest(uint64_t h, const au_block *b) {
    for (size_t i = 0; i < b->n; i++) {
        h = au_hash_join(h, (uint64_t)b->op[i] << 16 | b->thread[i]);
        h = au_hash_join(h, (uint64_t)b->obj[i] << 32 | b->loc[i]);
        h = au_hash_join(h, au_block_has_value(b, i) ? (uint64_t)b->value[i] + 1 : 0);
    }
    return h;
}

static bool ignore(void *ctx, uint64_t where, const char *text) {
    (void)where;
    (void)text;
    return ++*(int *)ctx < 1000;
}

/* Reads; copies to 'to' if it is not NULL. */
static uint64_t run(const char *p, size_t n, const au_read_options *opts, au_out *to) {
    au_error err = AU_ERROR_NONE;
    uint64_t h = 0;
    au_reader *r = au_reader_from(au_in_memory(p, n, "fuzz"), opts, &err);
    AU_BUG_IF(!r && !err.text[0]);
    if (!r)
        return 0;
    au_encoder *e = to ? au_encode_binary(to, au_reader_names(r), n % 2) : NULL;
    for (au_block b = {.n = 1}; b.n;) {
        if (au_reader_next(r, &b, &err) != AU_OK) {
            AU_BUG_IF(!err.text[0]);
            break;
        }
        look(&b, au_reader_names(r));
        h = digest(h, &b);
        if (e)
            AU_BUG_IF(e->put(e, &b, &err) != AU_OK);
    }
    if (e) {
        AU_BUG_IF(e->finish(e, &err) != AU_OK);
        e->free(e);
    }
    au_reader_free(r);
    return h;
}

static void all_ways(const char *p, size_t n) {
    int complaints = 0;
    au_read_options whole = {.format = AU_FORMAT_BINARY, .limit = 20000, .longest = 20000};
    au_read_options partial = {
        .format = AU_FORMAT_BINARY, .limit = 20000, .longest = 20000, .partial = true};
    au_read_options lint = {.format = AU_FORMAT_BINARY,
                            .limit = 20000,
                            .longest = 20000,
                            .partial = true,
                            .lint = ignore,
                            .lint_ctx = &complaints};
    run(p, n, &whole, NULL);
    run(p, n, &lint, NULL);
    au_out *copy = au_out_memory();
    uint64_t before = run(p, n, &partial, copy);
    size_t k;
    const char *q = au_out_memory_data(copy, &k);
    if (k)
        AU_BUG_IF(run(q, k, &whole, NULL) != before);
    au_out_abandon(copy);
}

static void right_checksums(char *p, size_t n) {
    for (size_t at = sizeof(struct au_wire_head);
         n >= at && n - at >= sizeof(struct au_wire_frame);) {
        struct au_wire_frame f;
        memcpy(&f, p + at, sizeof f);
        if (f.stored > n - at - sizeof f)
            break;
        f.check = au_binary_check(&f, p + at + sizeof f);
        memcpy(p + at, &f, sizeof f);
        at += sizeof f + f.stored;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = au_alloc(size);
    if (size)
        memcpy(copy, data, size);
    all_ways(copy, size);
    right_checksums(copy, size);
    all_ways(copy, size);
    free(copy);
    return 0;
}
