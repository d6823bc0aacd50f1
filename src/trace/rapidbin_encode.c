/* trace/rapidbin_encode.c: the header has counts that are known only at the
 * end, and the numbers depend on all names: events wait in a temporary file. */
#include "base/error.h"
#include "base/vec.h"
#include "trace/rapidbin_priv.h"
#include "trace/reader_priv.h"

#include <stdio.h>

typedef struct {
    au_encoder base;
    FILE *spool; /* one word an event, in our byte order, with our ids */
    uint64_t events;
} encoder;

/* The number n of a name like "T17"; UINT64_MAX if it is not of that form. */
static uint64_t number_in(const au_intern *t, uint32_t id, char letter) {
    const char *s = au_intern_str(t, id);
    size_t n = au_intern_len(t, id);
    if (n < 2 || n > 12 || s[0] != letter || (s[1] == '0' && n > 2))
        return UINT64_MAX;
    uint64_t v = 0;
    for (size_t i = 1; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return UINT64_MAX;
        v = v * 10 + (uint64_t)(s[i] - '0');
    }
    return v;
}

/* By id: the number in the file. NULL: the id itself. *count is what the header
 * says. Numbers from 'limit' on do not fit. */
static uint64_t *numbering(const au_intern *t, char letter, uint64_t limit, uint64_t *count) {
    uint64_t *number = au_alloc_array(t->n, sizeof *number);
    *count = 0;
    for (uint32_t id = 0; id < t->n; id++) {
        number[id] = number_in(t, id, letter);
        if (number[id] >= limit) {
            free(number);
            *count = t->n;
            return NULL;
        }
        if (number[id] >= *count)
            *count = number[id] + 1;
    }
    return number;
}

static au_status spool_failed(au_error *err) {
    return au_error_errno(err, "cannot use a temporary file");
}

static au_status location(const encoder *e, uint32_t loc, uint64_t *to, au_error *err) {
    *to = loc == AU_NONE ? 0 : loc >= AU_LOC_NAMED ? loc - AU_LOC_NAMED : loc;
    if (*to < AU_RAPIDBIN_LOCS)
        return AU_OK;
    if (loc >= AU_LOC_NAMED)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "RapidBin has room for %d locations, '%s' is one more",
                            AU_RAPIDBIN_LOCS, au_intern_str(&e->base.names->loc, (uint32_t)*to));
    return au_error_set(err, AU_EUNSUPPORTED, "RapidBin cannot hold location %u (at most %d)", loc,
                        AU_RAPIDBIN_LOCS - 1);
}

static au_status put(au_encoder *base, const au_block *b, au_error *err) {
    encoder *e = (encoder *)base;
    if (!e->spool && !(e->spool = tmpfile()))
        return spool_failed(err);
    for (size_t i = 0; i < b->n; i++) {
        uint64_t loc;
        if (!au_rapidbin_has_op(b->op[i]))
            return au_error_set(err, AU_EUNSUPPORTED, "RapidBin has no event '%s'",
                                au_op_name(b->op[i]));
        if (b->thread[i] >= AU_RAPIDBIN_THREADS)
            return au_error_set(err, AU_EUNSUPPORTED, "RapidBin has room for %d threads",
                                AU_RAPIDBIN_THREADS);
        au_status st = location(e, b->loc[i], &loc, err);
        if (st != AU_OK)
            return st;
        uint64_t w =
            b->thread[i] | (uint64_t)b->op[i] << 10 | (uint64_t)b->obj[i] << 14 | loc << 48;
        if (fwrite(&w, sizeof w, 1, e->spool) != 1)
            return spool_failed(err);
    }
    e->events += b->n;
    return AU_OK;
}

/* The word with the ids replaced by numbers. */
static uint64_t renumber(uint64_t w, uint64_t *const number[]) {
    uint64_t thread = w & (AU_RAPIDBIN_THREADS - 1);
    unsigned op = w >> 10 & (AU_RAPIDBIN_OPS - 1);
    uint64_t obj = w >> 14 & (AU_RAPIDBIN_OPERANDS - 1);
    const uint64_t *t = number[AU_WIRE_SPACE_THREAD], *o = number[au_op_space((au_op)op)];
    thread = t ? t[thread] : thread;
    obj = o ? o[obj] : obj;
    return thread | (uint64_t)op << 10 | obj << 14 | w >> 48 << 48;
}

static au_status copy_events(encoder *e, uint64_t *const number[], au_error *err) {
    if (!e->spool)
        return AU_OK;
    if (fflush(e->spool) || fseek(e->spool, 0, SEEK_SET))
        return spool_failed(err);
    for (uint64_t i = 0; i < e->events; i++) {
        uint64_t w;
        if (fread(&w, sizeof w, 1, e->spool) != 1)
            return spool_failed(err);
        au_rapidbin_put(au_out_room(e->base.out, AU_RAPIDBIN_EVENT), AU_RAPIDBIN_EVENT,
                        renumber(w, number));
        au_out_used(e->base.out, AU_RAPIDBIN_EVENT);
    }
    return AU_OK;
}

static au_status finish(au_encoder *base, au_error *err) {
    encoder *e = (encoder *)base;
    const au_names *names = e->base.names;
    uint64_t *number[AU_WIRE_SPACE_LOCK + 1] = {0}, threads, locks, vars;
    number[AU_WIRE_SPACE_THREAD] = numbering(&names->thread, 'T', AU_RAPIDBIN_THREADS, &threads);
    number[AU_WIRE_SPACE_LOCK] = numbering(&names->lock, 'L', INT32_MAX, &locks);
    number[AU_WIRE_SPACE_VAR] = numbering(&names->var, 'V', INT32_MAX, &vars);
    au_status st = AU_OK;
    if (threads > AU_RAPIDBIN_THREADS || locks > INT32_MAX || vars > INT32_MAX) {
        st = au_error_set(err, AU_EUNSUPPORTED, "too many names for RapidBin");
    } else {
        char head[AU_RAPIDBIN_HEAD];
        au_rapidbin_put(head, 2, threads);
        au_rapidbin_put(head + 2, 4, locks);
        au_rapidbin_put(head + 6, 4, vars);
        au_rapidbin_put(head + 10, 8, e->events);
        au_out_write(e->base.out, head, sizeof head);
        st = copy_events(e, number, err);
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        free(number[i]);
    return st;
}

static void free_encoder(au_encoder *base) {
    encoder *e = (encoder *)base;
    if (e->spool)
        fclose(e->spool);
    free(e);
}

au_encoder *au_encode_rapidbin(au_out *out, const au_names *names) {
    encoder *e = AU_NEW(encoder);
    e->base = (au_encoder){
        .put = put, .finish = finish, .free = free_encoder, .out = out, .names = names};
    return &e->base;
}
