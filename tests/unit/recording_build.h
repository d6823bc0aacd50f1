/* A recording made by hand: tables, then a stream, as a file in memory. */
#ifndef RECORDING_BUILD_H
#define RECORDING_BUILD_H

#include "base/vec.h"
#include "trace/binary_priv.h"
#include "trace/stream.h"
#include "wire/embed.h"
#include "wire/wire.h"

#include <xxhash.h>

typedef AU_VEC(char) build_bytes;

typedef struct {
    build_bytes file;
    AU_VEC(struct au_tab_site) site;
    AU_VEC(struct au_tab_global) global;
    AU_VEC(struct au_tab_type) type;
    AU_VEC(struct au_tab_member) member;
    build_bytes string;
    size_t chunk; /* at most so many bytes of stream in a frame; 0: many */
    au_stream_writer *w;
} build;

#define BUILD_FIRST_SITE 16u

static inline uint32_t build_string(build *b, const char *s) {
    if (!b->string.n)
        au_vec_push(&b->string, 0);
    if (!*s)
        return 0;
    uint32_t at = (uint32_t)b->string.n;
    au_vec_append(&b->string, s, strlen(s) + 1);
    return at;
}

/* Types are numbered from 1. */
static inline uint32_t build_type(build *b, const char *name, uint8_t kind, uint64_t size,
                                  uint32_t elem, uint64_t count) {
    struct au_tab_type t = {.name = build_string(b, name),
                            .kind = kind,
                            .size = size,
                            .elem = elem,
                            .count = count,
                            .first = (uint32_t)b->member.n};
    au_vec_push(&b->type, t);
    return (uint32_t)b->type.n;
}

/* A member of the type added last. */
static inline void build_member(build *b, const char *name, uint32_t type, uint64_t offset) {
    struct au_tab_member m = {build_string(b, name), type, offset};
    au_vec_push(&b->member, m);
    au_vec_last(&b->type).n_members++;
}

static inline void build_global(build *b, const char *name, uint32_t type, uint64_t size) {
    struct au_tab_global g = {.name = build_string(b, name), .type = type, .size = size};
    au_vec_push(&b->global, g);
}

/* The site's number in the stream. */
static inline uint32_t build_site(build *b, const char *func, uint32_t line, uint8_t op,
                                  const char *name, uint32_t type) {
    struct au_tab_site s = {.func = build_string(b, func),
                            .file = build_string(b, "dir/bank.c"),
                            .line = line,
                            .op = op,
                            .name = build_string(b, name),
                            .type = type};
    au_vec_push(&b->site, s);
    return BUILD_FIRST_SITE + (uint32_t)b->site.n - 1;
}

static inline void build_frame(build *b, uint8_t kind, uint32_t count, const void *p, size_t n) {
    struct au_wire_frame f = {.magic = AU_WIRE_FRAME_MAGIC,
                              .kind = kind,
                              .codec = AU_WIRE_STORED,
                              .raw = (uint32_t)n,
                              .stored = (uint32_t)n,
                              .count = count};
    f.check = au_binary_check(&f, p);
    au_vec_append(&b->file, (const char *)&f, sizeof f);
    au_vec_append(&b->file, (const char *)p, n);
}

static inline void build_head(build *b) {
    struct au_wire_head h = {.version = AU_WIRE_VERSION, .features = AU_WIRE_FEATURE_STREAM};
    memcpy(h.magic, AU_WIRE_MAGIC, sizeof h.magic);
    au_vec_append(&b->file, (const char *)&h, sizeof h);
}

static inline void build_add(build_bytes *to, const void *p, size_t n) {
    au_vec_append(to, (const char *)p, n);
}

static inline void build_tables(build *b, uint64_t module) {
    uint32_t source = build_string(b, "dir/bank.c");
    struct au_tables h = {.version = 1,
                          .n_sites = (uint32_t)b->site.n,
                          .n_globals = (uint32_t)b->global.n,
                          .n_types = (uint32_t)b->type.n,
                          .n_members = (uint32_t)b->member.n,
                          .source = source,
                          .string_bytes = (uint32_t)b->string.n};
    build_bytes p = {0}, r = {0};
    au_vec_append(&p, (const char *)&h, sizeof h);
    build_add(&p, b->site.at, b->site.n * sizeof *b->site.at);
    build_add(&p, b->global.at, b->global.n * sizeof *b->global.at);
    build_add(&p, b->type.at, b->type.n * sizeof *b->type.at);
    build_add(&p, b->member.at, b->member.n * sizeof *b->member.at);
    au_vec_append(&p, b->string.at, b->string.n);
    struct au_embed e = {.length = p.n, .raw = p.n, .module = module};
    memcpy(e.magic, AU_EMBED_TABLES, sizeof e.magic);
    e.hash = XXH3_64bits(p.at, p.n);
    e.total = (sizeof e + p.n + 15) / 16 * 16;
    au_vec_append(&r, (const char *)&e, sizeof e);
    au_vec_append(&r, p.at, p.n);
    while (r.n < e.total)
        au_vec_push(&r, 0);
    build_frame(b, AU_WIRE_TABLES, 0, r.at, r.n);
    au_vec_release(&p);
    au_vec_release(&r);
}

static inline void build_stream(build *b, au_stream_writer *w) {
    au_stream_writer_flush(w);
    for (size_t i = 0; i < au_stream_writer_chunks(w); i++) {
        size_t n;
        const uint8_t *p = au_stream_writer_chunk(w, i, &n);
        build_frame(b, AU_WIRE_STREAM, 0, p, n);
    }
}

static inline void build_end(build *b) {
    struct au_wire_end e = {0};
    build_frame(b, AU_WIRE_END, 0, &e, sizeof e);
}

/* ---- the stream, between build_begin and build_close ---- */

/* A thread 0 that runs, and the module of the tables, its global variables at these addresses. */
static inline void build_begin(build *b, uint64_t stack, const uint64_t *global, const char *path) {
    build_head(b);
    build_tables(b, 77);
    b->w = au_stream_writer_new(b->chunk ? b->chunk : 1 << 16);
    au_stream_put_thread(b->w, 0, stack, 0x10000, 0);
    au_stream_put_turn(b->w, 0, AU_TURN_START);
    au_stream_put_module(b->w, 77, BUILD_FIRST_SITE, (uint32_t)b->site.n, global,
                         (uint32_t)b->global.n, path);
}

static inline void build_event(build *b, uint32_t site, uint8_t op, uint8_t size, uint64_t at,
                               uint64_t value, uint32_t len) {
    au_stream_put_event(b->w, site, op, size, at, value, len, NULL);
}

static inline void build_turn(build *b, uint32_t thread) {
    au_stream_put_turn(b->w, thread, AU_TURN_BUDGET);
}

static inline void build_close(build *b, int64_t status) {
    au_stream_put_end(b->w, AU_END_EXIT, status);
    build_stream(b, b->w);
    build_end(b);
    au_stream_writer_free(b->w);
}

static inline void build_release(build *b) {
    au_vec_release(&b->file);
    au_vec_release(&b->site);
    au_vec_release(&b->global);
    au_vec_release(&b->type);
    au_vec_release(&b->member);
    au_vec_release(&b->string);
}

#endif
