/* tests/golden/make_v1.c: writes tests/golden/v1.trace, byte by byte and without
 * the encoder, so that the golden file is a second opinion on wire.h. Run once,
 * when version 1 was made; never again: old traces must stay readable.
 *
 *     gcc -Isrc tests/golden/make_v1.c -lzstd -lxxhash -o make_v1
 *     ./make_v1 > tests/golden/v1.trace */
#include "wire/wire.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

static void frame(uint8_t kind, uint32_t count, const void *raw, size_t n, int pack) {
    char packed[4096];
    const void *payload = raw;
    struct au_wire_frame f = {
        AU_WIRE_FRAME_MAGIC, kind, AU_WIRE_STORED, 0, (uint32_t)n, (uint32_t)n, count, 0, 0};
    if (pack) {
        f.codec = AU_WIRE_ZSTD;
        f.stored = (uint32_t)ZSTD_compress(packed, sizeof packed, raw, n, 1);
        payload = packed;
    }
    f.check = XXH3_64bits_withSeed(payload, f.stored, XXH3_64bits(&f, sizeof f));
    fwrite(&f, 1, sizeof f, stdout);
    fwrite(payload, 1, f.stored, stdout);
}

static size_t name(char *p, uint8_t space, uint8_t kind, const char *s) {
    uint32_t len = (uint32_t)strlen(s);
    memset(p, 0, 12);
    p[0] = (char)space;
    p[1] = (char)kind;
    memcpy(p + 8, &len, 4);
    memcpy(p + 12, s, len);
    return 12 + len;
}

static size_t column(char *p, uint8_t kind, uint8_t width, uint64_t base) {
    struct au_wire_column c = {kind, width, 0, 0, base};
    memcpy(p, &c, sizeof c);
    return sizeof c;
}

int main(void) {
    struct au_wire_head head = {"", AU_WIRE_VERSION, 0};
    memcpy(head.magic, AU_WIRE_MAGIC, 8);
    fwrite(&head, 1, sizeof head, stdout);

    char p[1024];
    size_t n = 0;
    frame(AU_WIRE_META, 1, "\7\0\0\0program\4\0\0\0bank", 19, 0);
    n += name(p + n, AU_WIRE_SPACE_THREAD, 0, "main");
    n += name(p + n, AU_WIRE_SPACE_THREAD, 0, "worker");
    n += name(p + n, AU_WIRE_SPACE_VAR, 0, "balance");
    n += name(p + n, AU_WIRE_SPACE_LOCK, AU_WIRE_OBJ_RLOCK, "mutex");
    frame(AU_WIRE_NAMES, 4, p, n, 0);

    /* fork(worker) acq(mutex) w(balance) = -70000 rel(mutex), all of main, at 10 … 13 */
    uint32_t cols = 6;
    memcpy(p, &cols, 4);
    n = 4;
    n += column(p + n, AU_WIRE_COL_OP, 1, 0);
    n += column(p + n, AU_WIRE_COL_THREAD, 0, 0);
    n += column(p + n, AU_WIRE_COL_OBJ, 1, 0);
    n += column(p + n, AU_WIRE_COL_LOC, 1, 10);
    n += column(p + n, AU_WIRE_COL_VALUE, 4, (uint64_t)-70000);
    n += column(p + n, AU_WIRE_COL_HAS_VALUE, 1, 0);
    memcpy(p + n, "\4\0\3\1", 4);
    memcpy(p + n + 4, "\1\0\0\0", 4);
    memcpy(p + n + 8, "\0\1\2\3", 4);
    uint32_t values[] = {70000, 70000, 0, 70000};
    memcpy(p + n + 12, values, 16);
    memcpy(p + n + 28, "\0\0\1\0", 4);
    frame(AU_WIRE_EVENTS, 4, p, n + 32, 0);

    frame(0x80, 1, "later", 5, 0); /* a kind that readers may skip */

    n = name(p, AU_WIRE_SPACE_LOC, 0, "bank.c:20");
    n += name(p + n, AU_WIRE_SPACE_LOC, 0, "bank.c:21");
    frame(AU_WIRE_NAMES, 2, p, n, 1);

    /* begin, r(balance) = 5000000000, end of worker; join(worker) of main; columns in
     * another order, and a modulus at work in OBJ (none, 0, none, 1). */
    memcpy(p, &cols, 4);
    n = 4;
    n += column(p + n, AU_WIRE_COL_HAS_VALUE, 1, 0);
    n += column(p + n, AU_WIRE_COL_VALUE, 8, 0);
    n += column(p + n, AU_WIRE_COL_LOC, 4, 0);
    n += column(p + n, AU_WIRE_COL_OBJ, 1, UINT32_MAX);
    n += column(p + n, AU_WIRE_COL_THREAD, 2, 0);
    n += column(p + n, AU_WIRE_COL_OP, 1, 2);
    uint64_t big[] = {0, 5000000000, 0, 0};
    uint32_t locs[] = {UINT32_MAX, 0x80000000, 0x80000001, 14};
    uint16_t threads[] = {1, 1, 1, 0};
    memcpy(p + n, "\0\1\0\0", 4);
    memcpy(p + n + 4, big, 32);
    memcpy(p + n + 36, locs, 16);
    memcpy(p + n + 52, "\0\1\0\2", 4);
    memcpy(p + n + 56, threads, 8);
    memcpy(p + n + 64, "\4\0\5\3", 4);
    frame(AU_WIRE_EVENTS, 4, p, n + 68, 1);

    struct au_wire_end end = {8, 2, 1, 1, 0};
    frame(AU_WIRE_END, 0, &end, sizeof end, 0);
    return 0;
}
