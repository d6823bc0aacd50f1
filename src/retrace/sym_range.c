/* retrace/sym_range.c: copies, fills and values wider than a word.
 *
 * What a range holds is a list of pieces: runs of bytes that are a part of one term, or
 * unknown; what lies between them is known. */
#include "retrace/sym_priv.h"

static void read_pieces(au_sym *s, uint64_t at, uint64_t n, const au_part *part, size_t n_parts) {
    uint64_t done = at;
    for (size_t i = 0; i < n_parts; i++) {
        uint64_t bits;
        au_sym_gather(s, done, part[i].at - done, done - at);
        done = part[i].at + part[i].n;
        if (!au_sym_trace_bits(s, &part[i], &bits))
            bits = 0;
        au_term x = au_sym_read_part(s, &part[i], bits, false);
        if (x.n != UINT32_MAX)
            au_vec_push(&s->range.piece, ((au_sym_piece){part[i].at - at, part[i].n, x.n + 2, 0}));
    }
    au_sym_gather(s, done, at + n - done, done - at);
    if (n_parts)
        s->behind = part[n_parts - 1].event;
}

/* The bytes [offset, offset + n), n <= 8, of the pieces; *from: where to begin looking, moves on
 * (offsets only grow from call to call). */
static bool bytes_of(const au_sym *s, size_t *from, uint64_t offset, unsigned n,
                     au_sym_byte *into) {
    bool any = false;
    memset(into, 0, n * sizeof *into);
    while (*from < s->range.piece.n &&
           s->range.piece.at[*from].offset + s->range.piece.at[*from].n <= offset)
        ++*from;
    for (size_t i = *from; i < s->range.piece.n && s->range.piece.at[i].offset < offset + n; i++) {
        const au_sym_piece *p = &s->range.piece.at[i];
        for (uint32_t k = 0; k < p->n; k++)
            if (p->offset + k >= offset && p->offset + k < offset + n) {
                into[p->offset + k - offset] = (au_sym_byte){p->m, (uint8_t)(p->k + k)};
                any = true;
            }
    }
    return any;
}

static void pin_piece(au_sym *s, au_tint m, const char *why) {
    if (m > AU_UNKNOWN && s->term.at[m - 2].owner != s->at->thread)
        au_sym_pin_foreign(s, m, why);
    else
        au_sym_pin(s, (au_val){0, m}, 64, why);
}

/* The pieces go to [to, to + n): into the events' terms, or into memory. */
static void write_pieces(au_sym *s, uint64_t to, uint64_t n, const au_part *part, size_t n_parts) {
    static const char wide[] = "a write without a recorded value";
    au_sym_forget(s, to, n);
    if (au_sym_is_mapped(s, to, n)) {
        for (size_t i = 0; i < s->range.piece.n; i++)
            pin_piece(s, s->range.piece.at[i].m, au_sym_why_mapped);
        au_vec_clear(&s->range.piece);
    }
    for (size_t i = 0; i < s->range.piece.n; i++) {
        au_sym_piece p = s->range.piece.at[i];
        if (p.m == AU_UNKNOWN) {
            au_sym_unknown(s, to + p.offset, p.n);
            continue;
        }
        for (uint32_t k = 0; k < p.n; k++)
            au_sym_put_byte(s, to + p.offset + k, (au_sym_byte){p.m, (uint8_t)(p.k + k)});
    }
    size_t from = 0;
    for (size_t i = 0; i < n_parts; i++) {
        uint64_t bits, offset = part[i].at - to;
        au_term x = AU_NO_TERM;
        if (au_sym_trace_bits(s, &part[i], &bits)) {
            au_sym_byte b[8];
            if (bytes_of(s, &from, offset, part[i].n, b)) {
                au_tint m = au_sym_join(s, b, part[i].n, 8 * part[i].n, bits);
                if (m > AU_UNKNOWN)
                    x = (au_term){m - 2};
            }
        } else {
            for (size_t k = 0; k < s->range.piece.n; k++) {
                au_sym_piece p = s->range.piece.at[k];
                if (p.offset < offset + part[i].n && p.offset + p.n > offset)
                    au_sym_pin(s, (au_val){0, p.m}, 64, wide);
            }
        }
        au_sym_write_part(s, &part[i], x);
    }
}

static void drop(au_sym *s) {
    s->range.is = false;
    au_vec_clear(&s->range.piece);
}

void au_sym_ignore_range(au_sym *s) {
    drop(s);
}

void au_sym_end_range(au_sym *s) {
    if (!s->range.is)
        return;
    for (size_t i = 0; i < s->range.piece.n; i++)
        pin_piece(s, s->range.piece.at[i].m, "read by a library function");
    drop(s);
}

void au_sym_pin_object(au_sym *s, au_val pointer, const char *why) {
    uint64_t start, size;
    bool freed;
    if (pointer.m == AU_UNKNOWN || !s->world.object ||
        !s->world.object(s->world.of, pointer.v, &start, &size, &freed))
        return;
    au_sym_end_range(s);
    au_sym_gather(s, start, size, 0);
    for (size_t i = 0; i < s->range.piece.n; i++)
        pin_piece(s, s->range.piece.at[i].m, why);
    drop(s);
}

void au_sym_read_range(au_sym *s, au_val address, uint64_t n, const au_part *part, size_t n_parts) {
    au_sym_end_range(s);
    au_sym_address(s, address, n, part, n_parts, false);
    s->range.is = true;
    s->range.from = address.v;
    s->range.n = n;
    read_pieces(s, address.v, n, part, n_parts);
}

/* What goes to another place: what was read just now, or what private memory holds. */
static void take(au_sym *s, uint64_t from, uint64_t n) {
    if (s->range.is && s->range.from == from && s->range.n == n)
        return;
    au_sym_end_range(s);
    s->range.is = true;
    au_sym_gather(s, from, n, 0);
}

void au_sym_copy(au_sym *s, uint64_t to, uint64_t from, uint64_t n) {
    take(s, from, n);
    write_pieces(s, to, n, NULL, 0);
    drop(s);
}

void au_sym_write_copy(au_sym *s, au_val to, uint64_t from, uint64_t n, const au_part *part,
                       size_t n_parts) {
    take(s, from, n);
    au_sym_address(s, to, n, part, n_parts, true);
    write_pieces(s, to.v, n, part, n_parts);
    drop(s);
}

void au_sym_write_range(au_sym *s, au_val to, uint64_t n, const au_part *part, size_t n_parts) {
    au_sym_end_range(s);
    au_sym_address(s, to, n, part, n_parts, true);
    write_pieces(s, to.v, n, part, n_parts);
}

void au_sym_set_range(au_sym *s, au_val to, au_val byte, uint64_t n, const au_part *part,
                      size_t n_parts) {
    au_sym_end_range(s);
    au_sym_address(s, to, n, part, n_parts, true);
    au_tint m = byte.m == AU_UNKNOWN ? (au_tint)AU_UNKNOWN : (au_tint)AU_KNOWN;
    if (au_sym_is(s, byte)) {
        m = au_sym_tint(s, au_sym_term_of(s, byte, 8));
        au_sym_settle(s);
    }
    if (m > AU_UNKNOWN && n > 65536) { /* a term for every byte would be too much */
        au_sym_pin(s, byte, 8, "a large fill");
        m = AU_KNOWN;
    }
    for (uint64_t i = 0; m != AU_KNOWN && i < n; i++)
        au_vec_push(&s->range.piece, ((au_sym_piece){i, 1, m, 0}));
    write_pieces(s, to.v, n, part, n_parts);
    drop(s);
}

/* ---- wide values ------------------------------------------------------------------------ */

void au_sym_read_wide(au_sym *s, au_val address, unsigned n, au_val *slots, const au_part *part,
                      size_t n_parts) {
    au_sym_end_range(s);
    au_sym_address(s, address, n, part, n_parts, false);
    read_pieces(s, address.v, n, part, n_parts);
    size_t from = 0;
    for (unsigned i = 0; 8 * i < n; i++) {
        au_sym_byte b[8];
        unsigned len = n - 8 * i < 8 ? n - 8 * i : 8;
        slots[i].m = AU_KNOWN;
        if (bytes_of(s, &from, 8 * i, len, b))
            slots[i].m = au_sym_join(s, b, len, 8 * len, slots[i].v);
        if (slots[i].m == AU_UNKNOWN) /* stored so, but what is read is told */
            slots[i].m = AU_KNOWN;
    }
    drop(s);
}

void au_sym_write_wide(au_sym *s, au_val address, unsigned n, const au_val *slots,
                       const au_part *part, size_t n_parts) {
    au_sym_end_range(s);
    au_sym_address(s, address, n, part, n_parts, true);
    for (unsigned i = 0; 8 * i < n; i++) {
        unsigned len = n - 8 * i < 8 ? n - 8 * i : 8;
        au_val v = slots[i];
        if (v.m == AU_UNKNOWN) {
            au_vec_push(&s->range.piece, ((au_sym_piece){8 * i, len, AU_UNKNOWN, 0}));
        } else if (au_sym_is(s, v)) {
            au_tint m = au_sym_tint(s, au_sym_term_of(s, v, 8 * len));
            au_sym_settle(s);
            if (m != AU_KNOWN)
                au_vec_push(&s->range.piece, ((au_sym_piece){8 * i, len, m, 0}));
        }
    }
    write_pieces(s, address.v, n, part, n_parts);
    drop(s);
}
