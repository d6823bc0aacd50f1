/* trace/stream_encode.c: records as the runtime writes them, for tests. Shares the
 * predictor (wire/stream.h) with the decoder and nothing else. */
#include "trace/stream.h"
#include "wire/control.h"

typedef AU_VEC(uint8_t) bytes;

struct au_stream_writer {
    size_t limit;
    AU_VEC(bytes) chunk;
    bytes now;                   /* the record being written */
    AU_VEC(struct au_site) site; /* by id */
    AU_VEC(uint32_t) prev;       /* by thread: id of its last site, 0: none */
    uint32_t self;
    uint64_t run;
    au_shadow memory;
    uint64_t patch_end;
};

au_stream_writer *au_stream_writer_new(size_t chunk) {
    au_stream_writer *w = AU_NEW(au_stream_writer);
    w->limit = chunk;
    au_shadow_init(&w->memory);
    return w;
}

void au_stream_writer_free(au_stream_writer *w) {
    if (!w)
        return;
    for (size_t i = 0; i < w->chunk.n; i++)
        au_vec_release(&w->chunk.at[i]);
    au_vec_release(&w->chunk);
    au_vec_release(&w->now);
    au_vec_release(&w->site);
    au_vec_release(&w->prev);
    au_shadow_release(&w->memory);
    free(w);
}

static void v(au_stream_writer *w, uint64_t x) {
    uint8_t b[10];
    size_t n = (size_t)(au_put_v(b, x) - b);
    au_vec_append(&w->now, b, n);
}

static void z(au_stream_writer *w, int64_t x) {
    v(w, au_zigzag(x));
}

static void u8(au_stream_writer *w, uint8_t x) {
    au_vec_push(&w->now, x);
}

static void raw(au_stream_writer *w, const void *p, size_t n) {
    au_vec_append(&w->now, (const uint8_t *)p, n);
}

/* The record is complete. */
static void end_record(au_stream_writer *w) {
    if (!w->chunk.n || au_vec_last(&w->chunk).n + w->now.n > w->limit)
        *au_vec_add(&w->chunk) = (bytes){0};
    bytes *c = &au_vec_last(&w->chunk);
    au_vec_append(c, w->now.at, w->now.n);
    au_vec_clear(&w->now);
}

static void end_run(au_stream_writer *w) {
    if (!w->run)
        return;
    uint64_t n = w->run;
    w->run = 0;
    u8(w, AU_TAG_RUN);
    v(w, n);
    end_record(w);
}

static void begin(au_stream_writer *w, uint8_t tag) {
    end_run(w);
    u8(w, tag);
}

void au_stream_put_module(au_stream_writer *w, uint64_t id, uint32_t first_site, uint32_t sites,
                          const uint64_t *global, uint32_t n_globals, const char *path) {
    begin(w, AU_TAG_MODULE);
    raw(w, &id, sizeof id);
    v(w, first_site);
    v(w, sites);
    v(w, n_globals);
    for (uint32_t i = 0; i < n_globals; i++)
        v(w, global[i]);
    v(w, strlen(path));
    raw(w, path, strlen(path));
    end_record(w);
    while (w->site.n < (size_t)first_site + sites) {
        struct au_site *s = au_vec_add(&w->site);
        *s = (struct au_site){.id = (uint32_t)(w->site.n - 1)};
    }
}

void au_stream_put_thread(au_stream_writer *w, uint32_t thread, uint64_t stack, uint64_t size,
                          uint64_t entry) {
    begin(w, AU_TAG_THREAD);
    v(w, thread);
    v(w, stack);
    v(w, size);
    v(w, entry);
    end_record(w);
    while (w->prev.n <= thread)
        au_vec_push(&w->prev, 0);
}

void au_stream_put_turn(au_stream_writer *w, uint32_t thread, uint8_t why) {
    begin(w, AU_TAG_TURN);
    v(w, thread);
    u8(w, why);
    end_record(w);
    w->self = thread;
}

void au_stream_put_object(au_stream_writer *w, uint64_t address, uint8_t kind, int64_t init) {
    begin(w, AU_TAG_OBJ);
    v(w, address);
    u8(w, kind);
    z(w, init);
    end_record(w);
}

void au_stream_put_input(au_stream_writer *w, uint8_t kind, int64_t result, uint64_t error,
                         const void *p, size_t n) {
    begin(w, AU_TAG_INPUT);
    u8(w, kind);
    z(w, result);
    v(w, error);
    v(w, n);
    raw(w, p, n);
    end_record(w);
}

void au_stream_put_bits(au_stream_writer *w, uint64_t count, const void *p) {
    begin(w, AU_TAG_BITS);
    v(w, count);
    raw(w, p, (size_t)(count / 8 + (count % 8 != 0)));
    end_record(w);
}

void au_stream_put_note(au_stream_writer *w, uint8_t kind, const char *text) {
    begin(w, AU_TAG_NOTE);
    u8(w, kind);
    v(w, strlen(text));
    raw(w, text, strlen(text));
    end_record(w);
}

void au_stream_put_end(au_stream_writer *w, uint8_t why, int64_t status) {
    begin(w, AU_TAG_END);
    u8(w, why);
    z(w, status);
    end_record(w);
}

void au_stream_put_patch(au_stream_writer *w, uint64_t address, const void *p, size_t n) {
    const uint8_t *from = p;
    size_t most = AU_RECORD_MAX / 2 < w->limit / 2 ? AU_RECORD_MAX / 2 : w->limit / 2;
    while (n) {
        size_t k = n < most ? n : most;
        begin(w, AU_TAG_PATCH);
        z(w, (int64_t)(address - w->patch_end));
        v(w, k);
        raw(w, from, k);
        end_record(w);
        au_shadow_write(&w->memory, address, from, k);
        w->patch_end = address + k;
        address += k, from += k, n -= k;
    }
}

static void apply(au_stream_writer *w, uint8_t op, uint8_t size, uint64_t address, uint64_t value,
                  uint32_t len, const void *data) {
    switch (op) {
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        au_shadow_write(&w->memory, address, &value, size > 8 ? 8 : size);
        break;
    case AU_SOP_RWRITE:
        if (data)
            au_shadow_write(&w->memory, address, data, len);
        break;
    case AU_SOP_RSET:
        au_shadow_fill(&w->memory, address, (uint8_t)value, len);
        break;
    case AU_SOP_RCOPY:
        au_shadow_copy(&w->memory, address, value, len);
        break;
    default:
        break;
    }
}

void au_stream_put_event(au_stream_writer *w, uint32_t site, uint8_t op, uint8_t size,
                         uint64_t address, uint64_t value, uint32_t len, const void *data) {
    AU_BUG_IF(site >= w->site.n || w->self >= w->prev.n);
    bool reads = au_sop_is_read(op);
    if (reads && size) {
        uint64_t known = 0;
        unsigned n = size > 8 ? 8 : size;
        au_shadow_read(&w->memory, address, &known, n);
        if (memcmp(&known, &value, n))
            au_stream_put_patch(w, address, &value, n);
    }
    uint32_t prev = w->prev.at[w->self];
    struct au_site *s = &w->site.at[site];
    uint8_t flags = 0;
    if (!prev || w->site.at[prev].succ != site)
        flags |= AU_EV_SITE;
    if (s->op != op || s->size != size)
        flags |= AU_EV_OP;
    if (s->pred != address)
        flags |= AU_EV_ADDR;
    if (!reads && s->val != value)
        flags |= AU_EV_VAL;
    if (s->len != len)
        flags |= AU_EV_LEN;
    if (data)
        flags |= AU_EV_DATA;
    if (!flags) {
        w->run++;
    } else {
        begin(w, (uint8_t)(AU_TAG_EV + flags));
        if (flags & AU_EV_SITE)
            v(w, site);
        if (flags & AU_EV_OP) {
            u8(w, op);
            u8(w, size);
        }
        if (flags & AU_EV_ADDR)
            z(w, (int64_t)(address - s->pred));
        if (flags & AU_EV_VAL)
            z(w, (int64_t)(value - s->val));
        if (flags & AU_EV_LEN)
            v(w, len);
        if (flags & AU_EV_DATA)
            raw(w, data, len);
        end_record(w);
    }
    if (prev)
        w->site.at[prev].succ = site;
    w->prev.at[w->self] = site;
    s->op = op;
    s->size = size;
    s->len = len;
    if (flags & AU_EV_ADDR)
        au_site_miss_address(s, address);
    else
        au_site_hit_address(s);
    if (flags & AU_EV_VAL)
        au_site_miss_value(s, value);
    else if (!reads)
        au_site_hit_value(s);
    apply(w, op, size, address, value, len, data);
}

void au_stream_writer_flush(au_stream_writer *w) {
    end_run(w);
}

size_t au_stream_writer_chunks(const au_stream_writer *w) {
    return w->chunk.n;
}

const uint8_t *au_stream_writer_chunk(const au_stream_writer *w, size_t i, size_t *n) {
    *n = w->chunk.at[i].n;
    return w->chunk.at[i].at;
}
