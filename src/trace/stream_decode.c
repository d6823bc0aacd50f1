/* trace/stream_decode.c: bytes of a recording into records. */
#include "base/limits.h"
#include "trace/stream.h"

#include <stddef.h>
#include <stdio.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Ids of sites below this have an array as index, the others a hash table: a claim of
 * billions of sites costs nothing. */
enum { NEAR_SITES = 1 << 20 };
/* The runtime's own events stand at sites below this, which belong to no module. */
enum { FIRST_SITE = 16 };
/* A recording that touches more than 64 GiB is none: shadow pages are made at a cost of
 * a few bytes of input (AU_LIMIT_RECORDING_PAGES). */

typedef struct {
    uint64_t events;
    uint32_t prev; /* place of its last site, 0: none */
    bool told;
} runner;

typedef struct {
    uint32_t first, n;
} site_range;

struct au_stream {
    /* the current chunk */
    const uint8_t *begin, *at, *end;
    uint64_t run;  /* expected events still to hand out */
    uint16_t self; /* the thread that runs */
    bool ended;
    bool blind; /* nobody asks what accesses saw */
    /* 'id' as in the stream, 'succ' a place in this array; place 0 is nobody's */
    AU_VEC(struct au_site) site;
    AU_VEC(uint32_t) near; /* id -> place */
    au_map far;
    AU_VEC(site_range) range; /* of the modules, in the order told */
    AU_VEC(runner) thread;
    AU_VEC(uint64_t) global; /* scratch of MODULE */
    AU_VEC(uint8_t) before;  /* … of PATCH */
    au_shadow memory;
    uint64_t patch_end;
    uint64_t bytes, events, records;
    au_error failed;
};

au_stream *au_stream_new(void) {
    au_stream *s = AU_NEW(au_stream);
    au_shadow_init(&s->memory);
    au_map_init(&s->far);
    *au_vec_add(&s->site) = (struct au_site){0};
    return s;
}

void au_stream_free(au_stream *s) {
    if (!s)
        return;
    au_shadow_release(&s->memory);
    au_map_release(&s->far);
    au_vec_release(&s->site);
    au_vec_release(&s->near);
    au_vec_release(&s->range);
    au_vec_release(&s->thread);
    au_vec_release(&s->global);
    au_vec_release(&s->before);
    free(s);
}

void au_stream_be_blind(au_stream *s) {
    s->blind = true;
}

void au_stream_feed(au_stream *s, const void *p, size_t n) {
    AU_BUG_IF(s->at != s->end || s->run);
    s->begin = s->at = p;
    s->end = s->begin + n;
}

static au_status __attribute__((format(printf, 3, 4)))
bad(au_stream *s, au_error *err, const char *fmt, ...) {
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    au_error_set(&s->failed, AU_EFORMAT, "record at byte %llu of the stream: %s",
                 (unsigned long long)s->bytes, what);
    s->at = s->end;
    s->run = 0;
    if (err)
        *err = s->failed;
    return AU_EFORMAT;
}

/* ---- sites ------------------------------------------------------------------ */

static bool is_told(const au_stream *s, uint64_t id) {
    if (id < FIRST_SITE)
        return true;
    for (size_t i = s->range.n; i-- > 0;)
        if (id - s->range.at[i].first < s->range.at[i].n && id >= s->range.at[i].first)
            return true;
    return false;
}

/* Place of the site with this id, 0 if no module has it. */
static uint32_t site_of(au_stream *s, uint64_t id) {
    if (likely(id < s->near.n && s->near.at[id]))
        return s->near.at[id];
    uint64_t *far = id >= NEAR_SITES ? au_map_find(&s->far, id) : NULL;
    if (far)
        return (uint32_t)*far;
    if (!id || id > UINT32_MAX || !is_told(s, id))
        return 0;
    uint32_t place = (uint32_t)s->site.n;
    *au_vec_add(&s->site) = (struct au_site){.id = (uint32_t)id};
    if (id >= NEAR_SITES) {
        *au_map_put(&s->far, id, NULL) = place;
        return place;
    }
    if (s->near.n <= id) {
        au_vec_reserve(&s->near, id + 1);
        memset(s->near.at + s->near.n, 0, (s->near.cap - s->near.n) * sizeof *s->near.at);
        s->near.n = s->near.cap;
    }
    s->near.at[id] = place;
    return place;
}

/* ---- events ----------------------------------------------------------------- */

static inline bool is_access(uint8_t op) {
    return op == AU_OP_READ || op == AU_OP_WRITE || (op >= AU_OP_AREAD && op <= AU_OP_RMW);
}

/* What an event that is no access does to memory. */
static void apply_range(au_stream *s, const au_stream_record *r) {
    switch (r->op) {
    case AU_SOP_RWRITE:
        if (r->data)
            au_shadow_write(&s->memory, r->address, r->data, r->n);
        break;
    case AU_SOP_RSET:
        au_shadow_fill(&s->memory, r->address, (uint8_t)r->value, r->len);
        break;
    case AU_SOP_RCOPY:
        au_shadow_copy(&s->memory, r->address, r->value, r->len);
        break;
    default:
        break;
    }
}

/* What an event does to memory; r->value of reads comes from there. */
static inline __attribute__((always_inline)) void apply(au_stream *s, au_stream_record *r) {
    if (likely(is_access(r->op))) {
        unsigned n = r->size > 8 ? 8 : r->size;
        if (!n)
            return;
        if (au_sop_is_read(r->op)) {
            if (!s->blind)
                r->value = au_shadow_get(&s->memory, r->address, n);
            return;
        }
        if (!s->blind)
            r->old = au_shadow_get(&s->memory, r->address, n);
        au_shadow_put(&s->memory, r->address, n, r->value);
        return;
    }
    apply_range(s, r);
}

static inline __attribute__((always_inline)) void begin_event(au_stream *s, au_stream_record *r,
                                                              runner *t, struct au_site *site) {
    r->tag = AU_TAG_EV;
    r->thread = s->self;
    r->op = site->op;
    r->size = site->size;
    r->len = site->len;
    r->site = site->id;
    r->index = ++t->events;
    s->events++;
}

/* The next event of a run: nearly all of a long recording. */
static inline __attribute__((always_inline)) au_status expected(au_stream *s, au_stream_record *r,
                                                                au_error *err) {
    runner *t = &s->thread.at[s->self];
    uint32_t place = s->site.at[t->prev].succ;
    if (unlikely(!place))
        return bad(s, err, "no event can be expected after that of site %u",
                   s->site.at[t->prev].id);
    s->run--;
    t->prev = place;
    struct au_site *site = &s->site.at[place];
    begin_event(s, r, t, site);
    r->kind = 0;
    r->told = false;
    r->value = r->old = 0;
    r->data = NULL;
    r->n = 0;
    r->address = site->pred;
    au_site_hit_address(site);
    if (!au_sop_is_read(site->op)) {
        r->value = site->val;
        au_site_hit_value(site);
    }
    apply(s, r);
    return AU_OK;
}

static au_status cut(au_stream *s, au_error *err, const char *what) {
    return bad(s, err, "%s does not end before its chunk does", what);
}

#define TAKE(x, what)                                                                              \
    do {                                                                                           \
        if (!(s->at = au_get_v(s->at, s->end, (x)))) {                                             \
            s->at = s->end;                                                                        \
            return cut(s, err, what);                                                              \
        }                                                                                          \
    } while (0)

static au_status event(au_stream *s, au_stream_record *r, uint8_t flags, au_error *err) {
    if (s->self >= s->thread.n)
        return bad(s, err, "an event of an unknown thread");
    runner *t = &s->thread.at[s->self];
    uint64_t x;
    uint32_t place = s->site.at[t->prev].succ;
    if (flags & AU_EV_SITE) {
        TAKE(&x, "an event");
        place = site_of(s, x);
        if (!place)
            return bad(s, err, "site %llu belongs to no module", (unsigned long long)x);
        if (t->prev)
            s->site.at[t->prev].succ = place;
    } else if (!place) {
        return bad(s, err, "an event without its site");
    }
    t->prev = place;
    struct au_site *site = &s->site.at[place];
    if (flags & AU_EV_OP) {
        if (s->end - s->at < 2)
            return cut(s, err, "an event");
        site->op = *s->at++;
        site->size = *s->at++;
        if (site->op >= AU_OPS && (site->op < AU_SOP_RREAD || site->op > AU_SOP_FAIL) &&
            site->op != AU_SOP_BEFORE && site->op != AU_SOP_AFTER)
            return bad(s, err, "unknown operation %u", site->op);
    }
    uint64_t address = site->pred, value = site->val;
    if (flags & AU_EV_ADDR) {
        TAKE(&x, "an event");
        address += (uint64_t)au_unzigzag(x);
        au_site_miss_address(site, address);
    } else {
        au_site_hit_address(site);
    }
    bool reads = au_sop_is_read(site->op);
    if (flags & AU_EV_VAL) {
        TAKE(&x, "an event");
        if (reads)
            return bad(s, err, "a read tells its value");
        value += (uint64_t)au_unzigzag(x);
        au_site_miss_value(site, value);
    } else if (!reads) {
        au_site_hit_value(site);
    }
    if (flags & AU_EV_LEN) {
        TAKE(&x, "an event");
        if (x > UINT32_MAX)
            return bad(s, err, "a range of %llu bytes", (unsigned long long)x);
        site->len = (uint32_t)x;
    }
    begin_event(s, r, t, site);
    r->told = true;
    r->address = address;
    r->value = reads ? 0 : value;
    if (flags & AU_EV_DATA) {
        if ((uint64_t)(s->end - s->at) < site->len)
            return cut(s, err, "an event");
        r->data = s->at;
        r->n = site->len;
        s->at += site->len;
    }
    apply(s, r);
    return AU_OK;
}

/* ---- control records ---------------------------------------------------------- */

/* A length and that many bytes. */
static au_status take_bytes(au_stream *s, au_stream_record *r, const char *what, au_error *err) {
    uint64_t n;
    TAKE(&n, what);
    if ((uint64_t)(s->end - s->at) < n)
        return cut(s, err, what);
    r->data = s->at;
    r->n = (size_t)n;
    s->at += n;
    return AU_OK;
}

#define TAKE_BYTE(x, what)                                                                         \
    do {                                                                                           \
        if (s->at == s->end)                                                                       \
            return cut(s, err, what);                                                              \
        (x) = *s->at++;                                                                            \
    } while (0)

static au_status turn(au_stream *s, au_stream_record *r, au_error *err) {
    uint64_t x;
    TAKE(&x, "a turn");
    TAKE_BYTE(r->kind, "a turn");
    if (x >= s->thread.n || !s->thread.at[x].told)
        return bad(s, err, "a turn of unknown thread %llu", (unsigned long long)x);
    s->self = r->thread = (uint16_t)x;
    return AU_OK;
}

static au_status new_thread(au_stream *s, au_stream_record *r, au_error *err) {
    uint64_t x;
    TAKE(&x, "a thread");
    TAKE(&r->address, "a thread");
    TAKE(&r->extent, "a thread");
    TAKE(&r->value, "a thread");
    if (x >= UINT16_MAX)
        return bad(s, err, "more than %u threads", UINT16_MAX);
    if (x && !s->thread.n)
        return bad(s, err, "thread %llu appears before the main thread", (unsigned long long)x);
    if (x < s->thread.n && s->thread.at[x].told)
        return bad(s, err, "thread %llu appears twice", (unsigned long long)x);
    /* In replays threads may be made in another order than their numbers (wire/control.h). */
    while (s->thread.n <= x)
        *au_vec_add(&s->thread) = (runner){0};
    s->thread.at[x].told = true;
    r->thread = (uint16_t)x;
    return AU_OK;
}

static au_status module(au_stream *s, au_stream_record *r, au_error *err) {
    uint64_t first, sites, globals;
    if (s->end - s->at < 8)
        return cut(s, err, "a module");
    memcpy(&r->value, s->at, 8);
    s->at += 8;
    TAKE(&first, "a module");
    TAKE(&sites, "a module");
    TAKE(&globals, "a module");
    if (first < FIRST_SITE || first > UINT32_MAX || sites > UINT32_MAX - first)
        return bad(s, err, "a module with sites %llu and on, %llu of them",
                   (unsigned long long)first, (unsigned long long)sites);
    if (globals > (uint64_t)(s->end - s->at)) /* a byte each, at least */
        return cut(s, err, "a module");
    for (size_t i = 0; i < s->range.n; i++)
        if (first < s->range.at[i].first + s->range.at[i].n && s->range.at[i].first < first + sites)
            return bad(s, err, "a module with sites of another");
    au_vec_clear(&s->global);
    for (uint64_t i = 0; i < globals; i++) {
        uint64_t at;
        TAKE(&at, "a module");
        au_vec_push(&s->global, at);
    }
    au_status st = take_bytes(s, r, "a module", err);
    if (st != AU_OK)
        return st;
    au_vec_push(&s->range, ((site_range){(uint32_t)first, (uint32_t)sites}));
    r->first_site = (uint32_t)first;
    r->n_sites = (uint32_t)sites;
    r->n_globals = (uint32_t)globals;
    r->global = s->global.at;
    return AU_OK;
}

static au_status patch(au_stream *s, au_stream_record *r, au_error *err) {
    uint64_t x;
    TAKE(&x, "a patch");
    au_status st = take_bytes(s, r, "a patch", err);
    if (st != AU_OK)
        return st;
    r->address = s->patch_end + (uint64_t)au_unzigzag(x);
    s->patch_end = r->address + r->n;
    au_vec_reserve(&s->before, r->n);
    au_shadow_read(&s->memory, r->address, s->before.at, r->n);
    r->before = s->before.at;
    au_shadow_write(&s->memory, r->address, r->data, r->n);
    return AU_OK;
}

static au_status control(au_stream *s, au_stream_record *r, uint8_t tag, au_error *err) {
    uint64_t x;
    *r = (au_stream_record){.tag = tag, .thread = s->self};
    switch (tag) {
    case AU_TAG_TURN:
        return turn(s, r, err);
    case AU_TAG_THREAD:
        return new_thread(s, r, err);
    case AU_TAG_OBJ:
        TAKE(&r->address, "an object");
        TAKE_BYTE(r->kind, "an object");
        TAKE(&x, "an object");
        if (r->kind > AU_WIRE_OBJ_SPIN)
            return bad(s, err, "an object of unknown kind %u", r->kind);
        r->value = (uint64_t)au_unzigzag(x);
        return AU_OK;
    case AU_TAG_PATCH:
        return patch(s, r, err);
    case AU_TAG_BITS:
        TAKE(&r->value, "branch outcomes");
        r->n = (size_t)(r->value / 8 + (r->value % 8 != 0));
        if ((uint64_t)(s->end - s->at) < r->n)
            return cut(s, err, "branch outcomes");
        r->data = s->at;
        s->at += r->n;
        return AU_OK;
    case AU_TAG_INPUT:
        TAKE_BYTE(r->kind, "an input");
        TAKE(&x, "an input");
        r->value = (uint64_t)au_unzigzag(x);
        TAKE(&r->extent, "an input");
        return take_bytes(s, r, "an input", err);
    case AU_TAG_MODULE:
        return module(s, r, err);
    case AU_TAG_NOTE:
        TAKE_BYTE(r->kind, "a note");
        return take_bytes(s, r, "a note", err);
    case AU_TAG_END:
        TAKE_BYTE(r->kind, "the end");
        TAKE(&x, "the end");
        r->value = (uint64_t)au_unzigzag(x);
        s->ended = true;
        return AU_OK;
    default:
        return bad(s, err, "unknown record %u", tag);
    }
}

static au_status record(au_stream *s, au_stream_record *r, au_error *err) {
    const uint8_t *start = s->at;
    uint8_t tag = *s->at++;
    au_status st;
    if (s->ended)
        return bad(s, err, "something follows the end");
    s->records++;
    if (tag >= AU_TAG_EV && tag < AU_TAG_EV + 2 * AU_EV_DATA) {
        st = event(s, r, (uint8_t)(tag - AU_TAG_EV), err);
    } else if (tag == AU_TAG_RUN) {
        TAKE(&s->run, "a run");
        if (s->run && s->self >= s->thread.n)
            return bad(s, err, "a run of an unknown thread");
        st = AU_OK;
    } else {
        st = control(s, r, tag, err);
    }
    if (st != AU_OK)
        return st;
    if (au_shadow_pages(&s->memory) > AU_LIMIT_RECORDING_PAGES)
        return bad(s, err, "%s", au_limit_of(AU_AT_RECORDING_PAGES)->words);
    if (r->tag != AU_TAG_EV && s->thread.n > r->thread)
        r->index = s->thread.at[r->thread].events;
    s->bytes += (uint64_t)(s->at - start);
    return AU_OK;
}

au_status au_stream_next(au_stream *s, au_stream_record *r, au_error *err) {
    if (likely(s->run)) { /* sets all that an event has */
        r->tag = AU_TAG_PAD;
        return expected(s, r, err);
    }
    memset(r, 0, offsetof(au_stream_record, extent));
    while (s->at < s->end) {
        if (!*s->at) { /* nothing was written beyond this */
            s->at = s->end;
            break;
        }
        au_status st = record(s, r, err);
        if (st != AU_OK || r->tag)
            return st;
        if (s->run)
            return expected(s, r, err);
    }
    if (s->failed.status != AU_OK && err)
        *err = s->failed;
    return s->failed.status;
}

/* ---- runs, by somebody else ---------------------------------------------------------- */

bool au_stream_begin_run(au_stream *s, au_stream_run *run) {
    if (!s->run)
        return false;
    const runner *t = &s->thread.at[s->self];
    *run = (au_stream_run){s->site.at, t->prev, s->self, t->events, s->run};
    return true;
}

void au_stream_end_run(au_stream *s, const au_stream_run *run, uint64_t used) {
    runner *t = &s->thread.at[s->self];
    t->prev = run->prev;
    t->events += used;
    s->events += used;
    s->run -= used;
}

uint32_t au_stream_places(const au_stream *s) {
    return (uint32_t)s->site.n;
}

uint32_t au_stream_place(const au_stream *s) {
    return s->thread.at[s->self].prev;
}

/* ---- what is known ------------------------------------------------------------- */

uint64_t au_stream_bytes(const au_stream *s) {
    return s->bytes;
}

size_t au_stream_offset(const au_stream *s) {
    return (size_t)(s->at - s->begin);
}

uint32_t au_stream_threads(const au_stream *s) {
    return (uint32_t)s->thread.n;
}

uint64_t au_stream_index(const au_stream *s, uint32_t thread) {
    return thread < s->thread.n ? s->thread.at[thread].events : 0;
}

uint64_t au_stream_events(const au_stream *s) {
    return s->events;
}

uint64_t au_stream_records(const au_stream *s) {
    return s->records;
}

bool au_stream_ended(const au_stream *s) {
    return s->ended;
}

au_shadow *au_stream_memory(au_stream *s) {
    return &s->memory;
}
