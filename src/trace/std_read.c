/* trace/std_read.c: STD text, RAPID's format with our additions.
 *
 *     thread|op(operand)|location[|value]
 *
 * docs/formats.md has the grammar. There are two parsers: parse() takes any line,
 * looks for separators with memchr and explains what is wrong; fast() takes the
 * lines of at most 64 bytes that are right, which is to say nearly all of them, and
 * leaves every other to parse(). It works on words: separators come as a bit mask
 * from vector compares, the op from a perfect hash of its letters, names from a
 * cache (name_cache.h), numbers eight digits at a time; what differs from line to
 * line is data, not branches. */
#include "trace/name_cache.h"
#include "trace/text_priv.h"

#include <emmintrin.h>
#include <stdio.h>

/* Ops of up to 8 letters (all but broadcast) by their letters as a number. */
enum { OP_BITS = 7 };
struct op_slot {
    uint64_t letters; /* 0: empty */
    au_op op;
    uint8_t space;
};

typedef struct {
    au_text t;
    au_name_cache cache[AU_WIRE_SPACES];
    uint64_t op_factor;
    struct op_slot ops[1 << OP_BITS];
} std_decoder;

static bool fail(char *why, const char *what, const char *s, size_t n) {
    snprintf(why, AU_TEXT_WHY, "%s '%s'", what, au_text_quote(s, n).s);
    return false;
}

/* op or op(operand): false if it is neither. *operand is NULL if there is none. */
static bool parse_op(const char *s, size_t n, au_op *op, const char **operand, size_t *operand_n,
                     char *why) {
    const char *paren = memchr(s, '(', n);
    size_t name = paren ? (size_t)(paren - s) : n;
    *operand = NULL;
    *operand_n = 0;
    *op = au_op_by_name(s, name);
    if (*op == AU_OPS)
        return name ? fail(why, "unknown operation", s, name)
                    : fail(why, "missing operation in", s, n);
    uint8_t space = au_op_space(*op);
    bool needs = space != AU_WIRE_SPACE_BLOCK && space != AU_WIRE_SPACE_NONE;
    if (!paren)
        return needs ? fail(why, "missing operand of", s, n) : true;
    if (s[n - 1] != ')')
        return memchr(paren, ')', n - name) ? fail(why, "text after the ')' in", s, n)
                                            : fail(why, "missing ')' in", s, n);
    *operand_n = n - name - 2;
    if (*operand_n)
        *operand = paren + 1;
    else if (needs)
        return fail(why, "empty operand in", s, n);
    if (*operand && space == AU_WIRE_SPACE_NONE)
        return fail(why, "unexpected operand in", s, n);
    return true;
}

static bool parse(au_text *t, au_columns *c, au_names *n, const char *s, size_t len, char *why) {
    (void)t;
    const char *end = s + len;
    const char *bar[4];
    unsigned bars = 0;
    for (const char *p = s; bars < 4 && (p = memchr(p, '|', (size_t)(end - p))); p++)
        bar[bars++] = p;
    if (bars < 2)
        return fail(why, "expected 'thread|op(operand)|location', found", s, len);
    if (bars > 3)
        return fail(why, "more than four fields in", s, len);
    if (bar[0] == s)
        return fail(why, "empty thread name in", s, len);
    au_op op;
    const char *operand;
    size_t operand_n;
    if (!parse_op(bar[0] + 1, (size_t)(bar[1] - bar[0] - 1), &op, &operand, &operand_n, why))
        return false;
    int64_t value;
    if (bars == 3 && !au_text_int64(bar[2] + 1, (size_t)(end - bar[2] - 1), &value, why))
        return false;

    uint32_t thread, obj = AU_NONE, loc;
    if (!au_text_thread(n, s, (size_t)(bar[0] - s), &thread, why))
        return false;
    if (operand && au_op_space(op) == AU_WIRE_SPACE_THREAD) {
        if (!au_text_thread(n, operand, operand_n, &obj, why))
            return false;
    } else if (operand) {
        obj = au_intern_add(au_names_space(n, au_op_space(op)), operand, operand_n);
    }
    const char *loc_end = bars == 3 ? bar[2] : end;
    if (!au_text_loc(n, bar[1] + 1, (size_t)(loc_end - bar[1] - 1), &loc, why))
        return false;
    au_columns_push(c, op, (uint16_t)thread, obj, loc, bars == 3 ? &value : NULL);
    return true;
}

enum { FAST_LINE = 64, FAST_SLACK = AU_NAME_SHORT };

/* Bit i: p[i] is '|' or a newline. */
static inline uint32_t separators16(const char *p) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i bar = _mm_cmpeq_epi8(x, _mm_set1_epi8('|'));
    __m128i newline = _mm_cmpeq_epi8(x, _mm_set1_epi8('\n'));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(bar, newline));
}
static inline uint64_t separators32(const char *p) {
    return separators16(p) | (uint64_t)separators16(p + 16) << 16;
}

static inline uint64_t drop_lowest(uint64_t x) {
    return x & (x - 1);
}
static inline unsigned lowest(uint64_t x) {
    return (unsigned)__builtin_ctzll(x | UINT64_C(1) << 63);
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Index of the first '(' in the 8 bytes of x, 8 if there is none. */
static inline unsigned first_paren(uint64_t x) {
    uint64_t y = x ^ EACH('(');
    uint64_t zero = (y - EACH(1)) & ~y & EACH(0x80);
    return zero ? (unsigned)__builtin_ctzll(zero) / 8 : 8;
}

/* A number of 1 to 8 digits without leading zeros; false if it is not one. */
static inline bool short_number(const char *s, size_t n, uint32_t *v) {
    uint64_t raw = au_load8(s);
    uint64_t x = (raw ^ EACH('0')) << (64 - 8 * n); /* the last digit in the top byte */
    bool digits = !(((x + EACH(0x80 - 10)) | x) & EACH(0x80));
    /* pairs, then fours, then all eight */
    x = (x * 10 + (x >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *v = (uint32_t)(x * 10000 + (x >> 32));
    return digits && ((char)raw != '0' || n == 1);
}

static inline bool fast_loc(std_decoder *d, au_names *n, const char *s, size_t len, uint32_t *loc) {
    if (!len) {
        *loc = AU_NONE;
        return true;
    }
    if ((unsigned char)(*s - '0') < 10) {
        char why[AU_TEXT_WHY];
        return (len <= 8 && short_number(s, len, loc)) || au_text_loc(n, s, len, loc, why);
    }
    uint32_t id = au_name_cache_find(&d->cache[AU_WIRE_SPACE_LOC], s, len);
    if (id == AU_NONE) {
        if (n->loc.n >= AU_NONE - AU_LOC_NAMED)
            return false;
        id = au_name_cache_add(&d->cache[AU_WIRE_SPACE_LOC], &n->loc, s, len);
    }
    *loc = AU_LOC_NAMED + id;
    return true;
}

/* Not in the cache: long, or new. AU_NONE if parse() should have a look. */
static __attribute__((noinline)) uint32_t add_name(std_decoder *d, au_names *n, uint8_t space,
                                                   const char *s, size_t len) {
    if (space == AU_WIRE_SPACE_THREAD && n->thread.n >= AU_MAX_THREADS)
        return AU_NONE;
    return au_name_cache_add(&d->cache[space], au_names_space(n, space), s, len);
}

static inline uint32_t name_id(std_decoder *d, au_names *n, uint8_t space, const char *s,
                               size_t len) {
    uint32_t id = au_name_cache_find(&d->cache[space], s, len);
    return id != AU_NONE ? id : add_name(d, n, space, s, len);
}

static inline void push(au_columns *c, au_op op, uint32_t thread, uint32_t obj, uint32_t loc,
                        const int64_t *value) {
    if (value || c->any_value) {
        au_columns_push(c, op, (uint16_t)thread, obj, loc, value);
        return;
    }
    size_t i = c->n++;
    c->op[i] = op;
    c->thread[i] = (uint16_t)thread;
    c->obj[i] = obj;
    c->loc[i] = loc;
    c->all_value = false;
}

static size_t fast(au_text *t, au_columns *c, au_names *n, const char *start, size_t have) {
    std_decoder *d = (std_decoder *)t;
    const char *p = start;
    if (have < FAST_LINE + FAST_SLACK)
        return 0;
    const char *stop = start + have - FAST_LINE - FAST_SLACK;
    while (p <= stop && c->n < AU_DECODE_EVENTS) {
        /* The first four separators; a missing one falls on byte 63, which is then none. */
        uint64_t seps = separators32(p);
        if (!drop_lowest(drop_lowest(drop_lowest(seps))))
            seps |= separators32(p + 32) << 32;
        unsigned bar1 = lowest(seps);
        seps = drop_lowest(seps);
        unsigned bar2 = lowest(seps);
        seps = drop_lowest(seps);
        if (!seps || p[bar1] != '|' || p[bar2] != '|' || !bar1)
            break;
        unsigned line_end = lowest(seps), loc_end = line_end;

        int64_t value;
        const int64_t *has_value = NULL;
        if (p[line_end] == '|') {
            line_end = lowest(drop_lowest(seps));
            if (p[line_end] != '\n')
                break;
            unsigned value_end = line_end - (p[line_end - 1] == '\r');
            char why[AU_TEXT_WHY];
            if (!au_text_int64(p + loc_end + 1, value_end - loc_end - 1, &value, why))
                break;
            has_value = &value;
        } else if (p[line_end - 1] == '\r') {
            loc_end--;
        }

        const char *field = p + bar1 + 1;
        unsigned field_n = bar2 - bar1 - 1;
        uint64_t letters = au_load8(field);
        unsigned op_n = first_paren(letters);
        if (op_n > field_n)
            op_n = field_n;
        letters &= au_name_mask[op_n][0];
        const struct op_slot *op = &d->ops[letters * d->op_factor >> (64 - OP_BITS)];
        if (op->letters != letters || !op_n)
            break;
        const char *operand = field + op_n + 1;
        unsigned operand_n = 0;
        if (op_n + 2 < field_n && field[field_n - 1] == ')' && field[op_n] == '(' &&
            op->space != AU_WIRE_SPACE_NONE)
            operand_n = field_n - op_n - 2;
        else if (op_n != field_n || op->space != AU_WIRE_SPACE_BLOCK)
            break;

        /* Well-formed: only now do its names exist. */
        uint32_t thread = name_id(d, n, AU_WIRE_SPACE_THREAD, p, bar1);
        uint32_t obj = AU_NONE, loc;
        if (operand_n)
            obj = name_id(d, n, op->space, operand, operand_n);
        if (thread == AU_NONE || (operand_n && obj == AU_NONE) ||
            !fast_loc(d, n, p + bar2 + 1, loc_end - bar2 - 1, &loc))
            break;
        push(c, op->op, thread, obj, loc, has_value);
        p += line_end + 1;
    }
    return (size_t)(p - start);
}

static uint64_t letters_of(const char *name) {
    char bytes[8] = {0};
    size_t n = strlen(name);
    if (n > sizeof bytes)
        return 0;
    memcpy(bytes, name, n);
    return au_load8(bytes);
}

/* Looks for a factor with which all ops fall into different slots. */
static void hash_ops(std_decoder *d) {
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    for (bool clash = true; clash;) {
        factor = factor * UINT64_C(0xd1342543de82ef95) + 2;
        clash = false;
        memset(d->ops, 0, sizeof d->ops);
        d->op_factor = factor;
        for (au_op op = 0; op < AU_OPS && !clash; op++) {
            uint64_t letters = letters_of(au_op_name(op));
            struct op_slot *s = &d->ops[letters * factor >> (64 - OP_BITS)];
            if (!letters)
                continue;
            clash = s->letters != 0;
            *s = (struct op_slot){letters, op, au_op_space(op)};
        }
    }
}

static void free_decoder(au_decoder *a) {
    std_decoder *d = (std_decoder *)a;
    for (size_t i = 0; i < AU_WIRE_SPACES; i++)
        au_name_cache_release(&d->cache[i]);
    free(d);
}

au_decoder *au_decode_std(au_in *in, const au_read_options *opts, au_error *err) {
    (void)err;
    std_decoder *d = AU_NEW(std_decoder);
    au_text_start(&d->t, in, opts);
    d->t.d.free = free_decoder;
    d->t.parse = parse;
    d->t.fast = fast;
    for (size_t i = 0; i < AU_WIRE_SPACES; i++)
        au_name_cache_init(&d->cache[i]);
    hash_ops(d);
    return &d->t.d;
}
