/* trace/reader.c: decoder, then validator, then the caller; one block at a time. */
#include "trace/reader.h"

#include "base/vec.h"
#include "trace/reader_priv.h"
#include "trace/recording.h"
#include "trace/validate.h"

#include <inttypes.h>

struct au_reader {
    au_in *in;
    au_decoder *decoder;
    au_format format;
    au_read_options opts;
    au_names names;
    au_columns columns;
    au_validator *validator;
    uint64_t events; /* handed out so far */
    bool done;
    size_t touched;         /* see au_columns_tail */
    au_error failed;        /* sticky: a reader that failed goes on failing */
    AU_VEC(size_t) dropped; /* lint, lenient: bad events of this block, ascending */
    au_repairs repairs;
};

static bool lines_look_like_values(const char *p, size_t n) {
    static const char *const words[] = {"Read", "Write", "Acq",   "Rel",
                                        "Fork", "Join",  "Begin", "End"};
    while (n && (*p == ' ' || *p == '\t'))
        p++, n--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i]);
        if (n > len && !memcmp(p, words[i], len) && (p[len] == ' ' || p[len] == '\t'))
            return true;
    }
    return false;
}

/* By the first bytes, then by the name. */
static au_format detect(const char *p, size_t n, const char *name) {
    size_t m = n < 8 ? n : 8;
    /* A file cut inside its head is still known by the magic it has. */
    if (n >= 4 && !memcmp(p, AU_WIRE_MAGIC, m))
        return AU_FORMAT_BINARY;
    /* RapidBin starts with the number of threads, at most 1024, big-endian: no text
     * starts with such a byte. */
    if ((unsigned char)p[0] <= 4)
        return AU_FORMAT_RAPIDBIN;
    const char *eol = memchr(p, '\n', n);
    size_t line = eol ? (size_t)(eol - p) : n;
    if (memchr(p, '|', line))
        return AU_FORMAT_STD;
    if (lines_look_like_values(p, line))
        return AU_FORMAT_VALUES;
    au_format by_path = au_format_by_path(name);
    return by_path == AU_FORMAT_AUTO ? AU_FORMAT_STD : by_path;
}

static bool is_binary(const char *p, size_t n) {
    return n >= 8 && !memcmp(p, AU_WIRE_MAGIC, 8);
}

static au_decoder *decoder_of(au_reader *r, au_error *err) {
    if (r->format == AU_FORMAT_AUTO) {
        /* A line is enough to tell, and of a growing trace there may be no more yet. */
        enum { ENOUGH = 4096 };
        size_t want = 1, n;
        const char *p;
        while ((p = au_in_peek(r->in, want, &n, err)) && n >= want && n < ENOUGH &&
               !memchr(p, '\n', n) && !is_binary(p, n))
            want = n + 1;
        if (!p)
            return NULL;
        if (!n) {
            au_error_set(err, AU_EFORMAT, "%s: the file is empty, not a trace", au_in_name(r->in));
            return NULL;
        }
        r->format = detect(p, n, au_in_name(r->in));
    }
    switch (r->format) {
    case AU_FORMAT_BINARY:
        return au_decode_binary(r->in, &r->opts, err);
    case AU_FORMAT_STD:
        return au_decode_std(r->in, &r->opts, err);
    case AU_FORMAT_RAPIDBIN:
        return au_decode_rapidbin(r->in, &r->opts, err);
    case AU_FORMAT_VALUES:
        return au_decode_values(r->in, &r->opts, err);
    case AU_FORMAT_AUTO:
    case AU_FORMAT_JSONL:
    case AU_FORMAT_PERFETTO:
        break;
    }
    au_error_set(err, AU_EUSAGE, "%s: this format is written, not read", au_in_name(r->in));
    return NULL;
}

au_reader *au_reader_from(au_in *in, const au_read_options *opts, au_error *err) {
    au_reader *r = AU_NEW(au_reader);
    r->in = in;
    if (opts)
        r->opts = *opts;
    r->format = r->opts.format;
    au_names_init(&r->names);
    au_columns_init(&r->columns);
    r->decoder = decoder_of(r, err);
    if (!r->decoder) {
        au_reader_free(r);
        return NULL;
    }
    r->validator = au_validator_new(&r->names);
    return r;
}

au_reader *au_reader_open(const char *path, const au_read_options *opts, au_error *err) {
    au_in *in = au_in_open(path, err);
    return in ? au_reader_from(in, opts, err) : NULL;
}

au_reader *au_reader_again(const au_reader *r, const au_read_options *opts, au_error *err) {
    au_error none = AU_ERROR_NONE;
    au_in *in = au_in_again(r->in, &none);
    return in ? au_reader_from(in, opts, err) : au_reader_open(au_in_name(r->in), opts, err);
}

void au_reader_free(au_reader *r) {
    if (!r)
        return;
    if (r->validator)
        au_validator_free(r->validator);
    if (r->decoder)
        r->decoder->free(r->decoder);
    au_columns_release(&r->columns);
    au_names_release(&r->names);
    au_vec_release(&r->dropped);
    au_in_close(r->in);
    free(r);
}

/* Leaves the dropped events out of the block. */
static void compact(au_reader *r, au_columns *c) {
    size_t to = r->dropped.at[0];
    for (size_t k = 0; k < r->dropped.n; k++) {
        size_t from = r->dropped.at[k] + 1;
        size_t n = (k + 1 < r->dropped.n ? r->dropped.at[k + 1] : c->n) - from;
        memmove(c->op + to, c->op + from, n * sizeof *c->op);
        memmove(c->thread + to, c->thread + from, n * sizeof *c->thread);
        memmove(c->obj + to, c->obj + from, n * sizeof *c->obj);
        memmove(c->loc + to, c->loc + from, n * sizeof *c->loc);
        if (c->any_value) {
            memmove(c->value + to, c->value + from, n * sizeof *c->value);
            memmove(c->has_value + to, c->has_value + from, n);
        }
        to += n;
    }
    c->n = to;
}

/* Checks the events just decoded. */
static au_status check(au_reader *r, au_columns *c, au_error *err) {
    char why[512];
    au_vec_clear(&r->dropped);
    au_block b = au_columns_block(c, 0, c->n);
    for (size_t i = 0; (i = au_validator_block(r->validator, &b, i, why, sizeof why)) < b.n; i++) {
        uint64_t where = r->decoder->where(r->decoder, i);
        bool repairable =
            r->format == AU_FORMAT_STD && au_validator_forks_again(r->validator) && !r->opts.lint;
        if (repairable && r->opts.lenient) {
            au_vec_push(&r->dropped, i);
            if (!r->repairs.lines++)
                r->repairs.first = where;
            continue;
        }
        if (!r->opts.lint)
            return au_error_set(err, AU_EFORMAT,
                                r->decoder->is_text ? "%s:%llu: %s%s" : "%s: event %llu: %s%s",
                                au_in_name(r->in), (unsigned long long)where, why,
                                repairable ? "; try '--lenient', which leaves this line out" : "");
        au_vec_push(&r->dropped, i);
        if (!r->opts.lint(r->opts.lint_ctx, where, why)) {
            c->n = i + 1;
            r->done = true;
            break;
        }
    }
    if (r->dropped.n)
        compact(r, c);
    return AU_OK;
}

/* The next events that are right, into c; none at the end. */
static au_status next(au_reader *r, au_columns *c, au_error *err) {
    au_columns_clear(c);
    au_status st = r->failed.status;
    while (st == AU_OK && !r->done && !c->n) {
        au_columns_clear(c);
        st = r->decoder->next(r->decoder, c, &r->names, &r->failed);
        if (st == AU_OK && c->n)
            st = check(r, c, &r->failed);
        else
            r->done = true;
    }
    r->failed.status = st;
    if (st != AU_OK && err)
        *err = r->failed;
    r->events += c->n;
    return st;
}

au_status au_reader_next(au_reader *r, au_block *b, au_error *err) {
    *b = (au_block){.first = r->events};
    au_status st = next(r, &r->columns, err);
    if (st == AU_OK && r->columns.n) {
        uint64_t first = b->first;
        *b = au_columns_block(&r->columns, 0, r->columns.n);
        b->first = first;
    }
    return st;
}

au_status au_reader_append(au_reader *r, au_columns *c, bool *more, au_error *err) {
    au_status st;
    if (r->decoder->bounded) {
        au_columns tail = au_columns_tail(c, r->decoder->bounded, &r->touched);
        st = next(r, &tail, err);
        *more = tail.n;
        if (st == AU_OK)
            au_columns_take_tail(c, &tail);
    } else {
        au_block b;
        st = au_reader_next(r, &b, err);
        *more = b.n;
        if (st == AU_OK)
            au_columns_append(c, &b);
    }
    return st;
}

uint64_t au_reader_guess(const au_reader *r) {
    return r->decoder->bounded && !au_in_is_packed(r->in) ? au_in_stored_size(r->in) / 4 : 0;
}

const au_names *au_reader_names(const au_reader *r) {
    return &r->names;
}

void au_reader_leave(au_reader *r) {
    r->done = true;
    if (r->decoder->leave)
        r->decoder->leave(r->decoder);
    au_columns_release(&r->columns);
    if (r->validator)
        au_validator_free(r->validator);
    r->validator = NULL;
}

void au_reader_take_names(au_reader *r, au_names *to) {
    AU_BUG_IF(!r->done);
    *to = r->names;
    au_names_init(&r->names);
}

void au_reader_take_hooks(au_reader *r, au_hooks *to) {
    AU_BUG_IF(!r->done);
    au_hooks_init(to);
    if (!r->decoder->hooks)
        return;
    *to = *r->decoder->hooks;
    au_hooks_init(r->decoder->hooks);
}

au_format au_reader_format(const au_reader *r) {
    return r->format;
}

const char *au_reader_meta(const au_reader *r, const char *key) {
    return r->decoder->meta ? r->decoder->meta(r->decoder, key) : NULL;
}

const au_recording_facts *au_reader_facts(const au_reader *r) {
    return r->decoder->facts;
}

void au_reader_sites(const au_reader *r, au_site_fn *each, void *ctx) {
    if (r->decoder->facts)
        au_recording_sites(r->decoder, each, ctx);
}

const char *au_reader_function(const au_reader *r, uint64_t module, uint32_t site) {
    return r->decoder->facts ? au_recording_function(r->decoder, module, site) : "";
}

const au_hooks *au_reader_hooks(const au_reader *r) {
    return r->decoder->hooks;
}

bool au_reader_incomplete(const au_reader *r) {
    return r->decoder->incomplete;
}

bool au_reader_cut(const au_reader *r) {
    return r->decoder->cut;
}

bool au_reader_stopped(const au_reader *r) {
    return au_in_stopped(r->in);
}

bool au_reader_is_online(const au_reader *r) {
    return r->decoder->online;
}

uint64_t au_reader_divided(const au_reader *r) {
    return r->decoder->divided;
}

au_repairs au_reader_repairs(const au_reader *r) {
    return r->repairs;
}

char *au_repairs_text(au_repairs x, const char *path) {
    if (!x.lines)
        return NULL;
    path = strcmp(path, "-") ? path : "<stdin>";
    if (x.lines == 1)
        return au_sprintf("'%s': left out line %" PRIu64
                          ", which forks a thread that was forked before (--lenient)",
                          path, x.first);
    return au_sprintf("'%s': left out %" PRIu64
                      " lines that fork a thread that was forked before, the first is line %" PRIu64
                      " (--lenient)",
                      path, x.lines, x.first);
}
