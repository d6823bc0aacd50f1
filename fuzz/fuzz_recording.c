/* fuzz/fuzz_recording.c: any bytes as a recording, whole, folded, thinned, linted. Checksums would
 * keep the fuzzer out, so those of frames and tables are put right first. What comes out
 * must be a valid trace whose hooks only go forward. */
#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "trace/binary_priv.h"
#include "trace/reader_priv.h"
#include "trace/recording.h"
#include "wire/embed.h"

#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 20000 };

static void run(const char *p, size_t n, const au_read_options *opts) {
    au_error err = AU_ERROR_NONE;
    au_reader *r = au_reader_from(au_in_memory(p, n, "fuzz"), opts, &err);
    AU_BUG_IF(!r && !err.text[0]);
    if (!r)
        return;
    AU_VEC(uint64_t) index = {0};
    AU_VEC(uint64_t) hook = {0};
    for (au_block b = {.n = 1}; b.n;) {
        if (au_reader_next(r, &b, &err) != AU_OK) {
            AU_BUG_IF(!err.text[0]);
            break;
        }
        const au_hooks *h = au_reader_hooks(r);
        for (size_t i = 0; i < b.n; i++) {
            uint16_t t = b.thread[i];
            while (index.n <= t) {
                au_vec_push(&index, 0);
                au_vec_push(&hook, 0);
            }
            uint64_t k = h ? au_hooks_of(h, t, ++index.at[t]) : ++index.at[t];
            AU_BUG_IF(k < hook.at[t] || !k);
            hook.at[t] = k;
        }
    }
    au_vec_release(&index);
    au_vec_release(&hook);
    au_reader_free(r);
}

static void right_checksums(char *p, size_t n) {
    struct au_wire_head head = {.version = AU_WIRE_VERSION, .features = AU_WIRE_FEATURE_STREAM};
    memcpy(head.magic, AU_WIRE_MAGIC, sizeof head.magic);
    if (n < sizeof head)
        return;
    memcpy(p, &head, sizeof head);
    for (size_t at = sizeof head; n - at >= sizeof(struct au_wire_frame);) {
        struct au_wire_frame f;
        struct au_embed e;
        memcpy(&f, p + at, sizeof f);
        if (f.stored > n - at - sizeof f)
            break;
        char *q = p + at + sizeof f;
        if (f.kind == AU_WIRE_TABLES && f.stored >= sizeof e) {
            memcpy(&e, q, sizeof e);
            if (e.length <= f.stored - sizeof e)
                e.hash = XXH3_64bits(q + sizeof e, e.length);
            memcpy(q, &e, sizeof e);
        }
        f.check = au_binary_check(&f, q);
        memcpy(p + at, &f, sizeof f);
        at += sizeof f + f.stored;
    }
}

static bool ignore(void *ctx, uint64_t where, const char *text) {
    (void)where;
    (void)text;
    return ++*(int *)ctx < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = au_alloc(size);
    int complaints = 0;
    if (size)
        memcpy(copy, data, size);
    right_checksums(copy, size);
    au_read_options o = {.format = AU_FORMAT_BINARY, .limit = LIMIT, .longest = LIMIT};
    run(copy, size, &o);
    o.partial = o.fold = true;
    run(copy, size, &o);
    o.thin = true; /* as if it were long */
    au_limit_set_for_test(AU_AT_THINNED, 1);
    run(copy, size, &o);
    o.calls = true;
    o.lint = ignore;
    o.lint_ctx = &complaints;
    run(copy, size, &o);
    free(copy);
    return 0;
}
