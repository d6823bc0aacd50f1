/* tests/code/records.c: finds the records of wire/embed.h in a file, checks them and lists
 * them. usage: records FILE [--sites] [--bitcode PREFIX] */
#include "wire/embed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

static char *slurp(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    *n = (size_t)ftell(f);
    char *p = malloc(*n + 1);
    rewind(f);
    if (!p || fread(p, 1, *n, f) != *n)
        exit(2);
    fclose(f);
    return p;
}

static void bad(const char *why) {
    printf("bad record: %s\n", why);
    exit(1);
}

static void show_bitcode(const struct au_embed *e, const char *body, const char *prefix, int nth) {
    char *raw = malloc(e->raw + 1);
    if (!raw)
        exit(2);
    if (e->raw == e->length)
        memcpy(raw, body, e->length);
    else if (ZSTD_decompress(raw, e->raw, body, e->length) != e->raw)
        bad("does not unpack");
    if (XXH3_64bits(raw, e->raw) != e->module)
        bad("is not the module it says");
    printf("bitcode %s\n", memcmp(raw, "BC\xc0\xde", 4) == 0 ? "good" : "bad");
    if (prefix) {
        char path[4096];
        snprintf(path, sizeof path, "%s%d.bc", prefix, nth);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(raw, 1, e->raw, f) != e->raw || fclose(f) != 0)
            exit(2);
    }
    free(raw);
}

static void show_tables(const struct au_embed *e, const char *body, int sites) {
    struct au_tables t;
    memcpy(&t, body, sizeof t);
    uint64_t want = sizeof t + t.n_sites * sizeof(struct au_tab_site) +
                    t.n_globals * sizeof(struct au_tab_global) +
                    t.n_types * sizeof(struct au_tab_type) +
                    t.n_members * sizeof(struct au_tab_member) + t.string_bytes;
    if (e->raw != e->length || want != e->length || body[e->length - 1] != 0)
        bad("tables of the wrong size");
    const char *strings = body + e->length - t.string_bytes;
    printf("tables %s\n", strings + t.source);
    for (uint32_t i = 0; i < t.n_sites; i++) {
        struct au_tab_site s;
        memcpy(&s, body + sizeof t + i * sizeof s, sizeof s);
        if (s.func >= t.string_bytes || s.file >= t.string_bytes || s.name >= t.string_bytes ||
            s.via >= t.string_bytes || s.type > t.n_types)
            bad("site with a wild string or type");
        if (sites)
            printf("site %u %u %u\n", s.insn, s.op, s.size);
    }
}

int main(int argc, char **argv) {
    int sites = 0, nth = 0;
    const char *prefix = NULL;
    if (argc < 2)
        return 2;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--sites") == 0)
            sites = 1;
        else if (strcmp(argv[i], "--bitcode") == 0 && i + 1 < argc)
            prefix = argv[++i];
    }
    size_t n;
    char *file = slurp(argv[1], &n);
    for (size_t at = 0; at + sizeof(struct au_embed) <= n; at++) {
        struct au_embed e;
        if (memcmp(file + at, "AUGUR", 5) != 0)
            continue;
        memcpy(&e, file + at, sizeof e);
        int code = memcmp(e.magic, AU_EMBED_BITCODE, 8) == 0;
        if ((!code && memcmp(e.magic, AU_EMBED_TABLES, 8) != 0) || e.total > n - at ||
            e.total % 16 || e.length > e.total - sizeof e)
            continue; /* the letters alone are no record */
        char *body = file + at + sizeof e;
        if (XXH3_64bits(body, e.length) != e.hash)
            bad("wrong hash");
        if (code)
            show_bitcode(&e, body, prefix, nth++);
        else
            show_tables(&e, body, sites);
        at += e.total - 1;
    }
    free(file);
    return 0;
}
