#include "base/error.h"
#include "base/vec.h"
#include "trace/rapidbin_priv.h"
#include "trace/reader_priv.h"

#include <inttypes.h>
#include <stdio.h>

/* The numbers of one space that were seen, and what the header allows. */
struct numbers {
    au_map id; /* number -> id */
    uint64_t limit;
    char letter;
    const char *what;
};

typedef struct {
    au_decoder base;
    uint64_t events, total, first;
    struct numbers space[AU_WIRE_SPACE_LOCK + 1]; /* by AU_WIRE_SPACE_* */
} decoder;

static au_status __attribute__((format(printf, 3, 4)))
bad(const decoder *d, au_error *err, const char *fmt, ...) {
    char what[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return au_error_set(err, AU_EFORMAT, "%s: byte %" PRIu64 ": %s", au_in_name(d->base.in),
                        AU_RAPIDBIN_HEAD + d->events * AU_RAPIDBIN_EVENT, what);
}

/* The id of a number; AU_NONE if there are more than the header says. */
static uint32_t id_of(decoder *d, uint8_t space, uint64_t number, au_names *names) {
    struct numbers *s = &d->space[space];
    bool fresh;
    if (s->id.n >= s->limit) {
        const uint64_t *known = au_map_find(&s->id, number);
        return known ? (uint32_t)*known : AU_NONE;
    }
    uint64_t *id = au_map_put(&s->id, number, &fresh);
    if (fresh) {
        char name[24];
        int n = snprintf(name, sizeof name, "%c%" PRIu64, s->letter, number);
        *id = au_intern_add(au_names_space(names, space), name, (size_t)n);
    }
    return (uint32_t)*id;
}

static au_status event(decoder *d, uint64_t w, au_columns *c, au_names *names, au_error *err) {
    unsigned op = w >> 10 & (AU_RAPIDBIN_OPS - 1);
    if (!au_rapidbin_has_op(op))
        return bad(d, err, "event %" PRIu64 " has unknown operation %u", d->events + 1, op);
    if (w >> 63)
        return bad(d, err, "event %" PRIu64 " is negative", d->events + 1);
    uint8_t space = au_op_space((au_op)op);
    uint32_t thread = id_of(d, AU_WIRE_SPACE_THREAD, w & (AU_RAPIDBIN_THREADS - 1), names);
    uint32_t obj = AU_NONE;
    if (thread == AU_NONE)
        space = AU_WIRE_SPACE_THREAD;
    else
        obj = id_of(d, space, w >> 14 & (AU_RAPIDBIN_OPERANDS - 1), names);
    if (obj == AU_NONE)
        return bad(d, err, "event %" PRIu64 " uses more %s than the %" PRIu64 " of the header",
                   d->events + 1, d->space[space].what, d->space[space].limit);
    au_columns_push(c, (au_op)op, (uint16_t)thread, obj, w >> 48 & (AU_RAPIDBIN_LOCS - 1), NULL);
    d->events++;
    return AU_OK;
}

static au_status next(au_decoder *base, au_columns *c, au_names *names, au_error *err) {
    decoder *d = (decoder *)base;
    d->first = d->events;
    uint64_t want = d->total - d->events;
    size_t have;
    if (want > AU_DECODE_EVENTS)
        want = AU_DECODE_EVENTS;
    const char *p = au_in_peek(d->base.in, want ? want * AU_RAPIDBIN_EVENT : 1, &have, err);
    if (!p)
        return err ? err->status : AU_EIO;
    if (!want && have)
        return bad(d, err, "bytes after the last of %" PRIu64 " events", d->total);
    if (have < want * AU_RAPIDBIN_EVENT && have < AU_RAPIDBIN_EVENT)
        return bad(d, err, "the file ends after %" PRIu64 " of %" PRIu64 " events", d->events,
                   d->total);
    if (want > have / AU_RAPIDBIN_EVENT)
        want = have / AU_RAPIDBIN_EVENT;
    au_columns_reserve(c, want);
    for (uint64_t i = 0; i < want; i++) {
        uint64_t w = au_rapidbin_get(p + i * AU_RAPIDBIN_EVENT, AU_RAPIDBIN_EVENT);
        au_status st = event(d, w, c, names, err);
        if (st != AU_OK)
            return st;
    }
    au_in_skip(d->base.in, want * AU_RAPIDBIN_EVENT);
    return AU_OK;
}

static uint64_t where(const au_decoder *base, size_t i) {
    return ((const decoder *)base)->first + i + 1;
}

static void free_decoder(au_decoder *base) {
    decoder *d = (decoder *)base;
    for (size_t i = 0; i < sizeof d->space / sizeof *d->space; i++)
        au_map_release(&d->space[i].id);
    free(d);
}

static void set_space(decoder *d, uint8_t space, uint64_t limit, char letter, const char *what) {
    d->space[space] = (struct numbers){.limit = limit, .letter = letter, .what = what};
    au_map_init(&d->space[space].id);
}

au_decoder *au_decode_rapidbin(au_in *in, const au_read_options *opts, au_error *err) {
    size_t have;
    const char *p = au_in_peek(in, AU_RAPIDBIN_HEAD, &have, err);
    if (!p)
        return NULL;
    if (have < AU_RAPIDBIN_HEAD) {
        au_error_set(err, AU_EFORMAT, "%s: byte %zu: the file ends in the header of RapidBin",
                     au_in_name(in), have);
        return NULL;
    }
    uint64_t threads = au_rapidbin_get(p, 2), locks = au_rapidbin_get(p + 2, 4);
    uint64_t vars = au_rapidbin_get(p + 6, 4), events = au_rapidbin_get(p + 10, 8);
    if (threads > AU_RAPIDBIN_THREADS || locks > INT32_MAX || vars > INT32_MAX ||
        events > INT64_MAX / AU_RAPIDBIN_EVENT) {
        au_error_set(err, AU_EFORMAT,
                     "%s: byte 0: not a RapidBin header (%" PRIu64 " threads, %" PRIu64
                     " locks, %" PRIu64 " variables, %" PRIu64 " events)",
                     au_in_name(in), threads, locks, vars, events);
        return NULL;
    }
    au_in_skip(in, AU_RAPIDBIN_HEAD);
    decoder *d = AU_NEW(decoder);
    d->base =
        (au_decoder){.next = next, .where = where, .free = free_decoder, .in = in, .opts = opts};
    d->total = events;
    set_space(d, AU_WIRE_SPACE_THREAD, threads, 'T', "threads");
    set_space(d, AU_WIRE_SPACE_VAR, vars, 'V', "variables");
    set_space(d, AU_WIRE_SPACE_LOCK, locks, 'L', "locks");
    return &d->base;
}
