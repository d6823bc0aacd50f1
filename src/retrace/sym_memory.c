/* retrace/sym_memory.c: which bytes of memory are terms.
 *
 * Words of 8 bytes in a hash table, only those of which some byte is not known. A byte is
 * byte k of a term; a load whose bytes are all of one term, in order, gives that term (or
 * a part of it) back. */
#include "retrace/sym_priv.h"

static au_sym_word *find(const au_sym *s, uint64_t word) {
    const uint64_t *k = au_map_find(&s->memory.index, word);
    return k && *k ? &s->memory.word.at[*k - 1] : NULL;
}

static au_sym_word *put(au_sym *s, uint64_t word) {
    au_sym_memory *m = &s->memory;
    uint64_t *k = au_map_put(&m->index, word, NULL);
    if (!*k) {
        if (m->spare.n) {
            *k = au_vec_pop(&m->spare);
        } else {
            au_vec_add(&m->word);
            *k = m->word.n;
        }
        m->word.at[*k - 1] = (au_sym_word){0};
        uint64_t a = word >> 5; /* address / 256 */
        m->gate[a >> 6 & 1023] |= UINT64_C(1) << (a & 63);
    }
    return &m->word.at[*k - 1];
}

/* Bytes [from, to) of a word are known again. */
static void clear(au_sym *s, uint64_t word, unsigned from, unsigned to) {
    uint64_t *k = au_map_find(&s->memory.index, word);
    if (!k || !*k)
        return;
    au_sym_word *w = &s->memory.word.at[*k - 1];
    bool any = false;
    for (unsigned i = from; i < to; i++)
        w->m[i] = AU_KNOWN;
    for (unsigned i = 0; i < 8; i++)
        any |= w->m[i] != AU_KNOWN;
    if (any)
        return;
    au_vec_push(&s->memory.spare, (uint32_t)*k);
    *k = 0;
}

const uint64_t *au_sym_gate(const au_sym *s) {
    return s->memory.gate;
}

bool au_sym_bytes_at(au_sym *s, uint64_t at, unsigned n, au_sym_byte *into) {
    bool any = false;
    memset(into, 0, n * sizeof *into);
    if (!au_sym_tinted(s->memory.gate, at, n))
        return false;
    for (unsigned i = 0; i < n;) {
        uint64_t a = at + i;
        unsigned k = a & 7, take = 8 - k < n - i ? 8 - k : n - i;
        const au_sym_word *w = find(s, a >> 3);
        for (unsigned j = 0; w && j < take; j++) {
            into[i + j] = (au_sym_byte){w->m[k + j], w->k[k + j]};
            any |= w->m[k + j] != AU_KNOWN;
        }
        i += take;
    }
    return any;
}

void au_sym_put_byte(au_sym *s, uint64_t at, au_sym_byte b) {
    if (b.m == AU_KNOWN) {
        clear(s, at >> 3, at & 7, (at & 7) + 1);
        return;
    }
    au_sym_word *w = put(s, at >> 3);
    w->m[at & 7] = b.m;
    w->k[at & 7] = b.k;
}

/* Known, or what another thread's term is told by an event only. */
static bool is_plain(const au_sym *s, au_tint m) {
    return m == AU_KNOWN || m == AU_SHARED_TINT ||
           (m != AU_UNKNOWN && s->term.at[m - 2].flags & AU_SYM_FIXED);
}

void au_sym_pin_foreign(au_sym *s, au_tint m, const char *why) {
    au_sym_term *t = &s->term.at[m - 2];
    const au_columns *e = &s->into->trace->events;
    uint32_t after = s->at->after == AU_NONE ? 0 : s->at->after + 1;
    while (after && e->thread[after - 1] != t->owner)
        after--;
    au_spot there = {.thread = t->owner, .after = after ? after - 1 : AU_NONE};
    const au_spot *here = s->at;
    there.code = here->code;
    there.insn = here->insn;
    s->at = &there;
    if (au_sym_fix(s, (au_term){m - 2}, why))
        au_sym_count_pin(s, why);
    s->at = here;
}

au_tint au_sym_join(au_sym *s, const au_sym_byte *b, unsigned n, unsigned width, uint64_t bits) {
    bool unknown = false;
    for (unsigned i = 0; i < n; i++) {
        unknown |= b[i].m == AU_UNKNOWN;
        if (!is_plain(s, b[i].m) && b[i].m != AU_UNKNOWN &&
            s->term.at[b[i].m - 2].owner != s->at->thread)
            au_sym_pin_foreign(s, b[i].m, "private memory that another thread reads");
    }
    if (unknown) {
        for (unsigned i = 0; i < n; i++)
            if (b[i].m > AU_UNKNOWN && !is_plain(s, b[i].m))
                au_sym_pin(s, (au_val){0, b[i].m}, 64, "bytes next to unknown ones");
        return AU_UNKNOWN;
    }
    /* From the lowest byte up: runs of one term or of constants. */
    au_term r = AU_NO_TERM;
    for (unsigned i = 0; i < n;) {
        unsigned len = 1;
        au_term x;
        if (is_plain(s, b[i].m)) {
            while (i + len < n && is_plain(s, b[i + len].m))
                len++;
            x = au_term_const(s->t, 8 * len, bits >> 8 * i);
        } else {
            while (i + len < n && b[i + len].m == b[i].m && b[i + len].k == b[i].k + len)
                len++;
            x = au_term_extract(s->t, (au_term){b[i].m - 2}, 8u * b[i].k, 8 * len);
        }
        r = r.n == UINT32_MAX ? x : au_term_make(s->t, AU_T_CONCAT, x, r);
        i += len;
    }
    return au_sym_result(s, au_term_extract(s->t, r, 0, width), bits, "memory");
}

au_tint au_sym_load(au_sym *s, uint64_t at, unsigned n, unsigned width, uint64_t bits) {
    au_sym_byte b[8];
    if (!au_sym_bytes_at(s, at, n, b))
        return AU_KNOWN;
    return au_sym_join(s, b, n, width, bits);
}

void au_sym_store(au_sym *s, uint64_t at, unsigned n, unsigned width, au_val v) {
    au_tint m = v.m;
    if (m > AU_UNKNOWN) {
        m = AU_KNOWN;
        if (au_sym_is(s, v)) {
            m = au_sym_tint(s, au_term_zext(s->t, au_sym_term_of(s, v, width), 8 * n));
            au_sym_settle(s);
        }
    }
    if (m == AU_KNOWN && !au_sym_tinted(s->memory.gate, at, n))
        return;
    for (unsigned i = 0; i < n;) {
        uint64_t a = at + i;
        unsigned k = a & 7, take = 8 - k < n - i ? 8 - k : n - i;
        if (m == AU_KNOWN) {
            clear(s, a >> 3, k, k + take);
        } else {
            au_sym_word *w = put(s, a >> 3);
            for (unsigned j = 0; j < take; j++) {
                w->m[k + j] = m;
                w->k[k + j] = (uint8_t)(i + j);
            }
        }
        i += take;
    }
}

/* ---- ranges ----------------------------------------------------------------------------- */

static void add_piece(au_sym *s, uint64_t offset, au_tint m, unsigned k) {
    if (s->range.piece.n) {
        au_sym_piece *p = &au_vec_last(&s->range.piece);
        if (p->m == m && p->offset + p->n == offset && (m == AU_UNKNOWN || p->k + p->n == k)) {
            p->n++;
            return;
        }
    }
    au_vec_push(&s->range.piece, ((au_sym_piece){offset, 1, m, (uint8_t)k}));
}

static void gather_word(au_sym *s, uint64_t word, uint64_t at, uint64_t n, uint64_t offset) {
    const au_sym_word *w = find(s, word);
    if (!w)
        return;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t where = (word << 3) + i - at;
        if (where < n && (w->m[i] == AU_UNKNOWN || !is_plain(s, w->m[i])))
            add_piece(s, offset + where, w->m[i], w->k[i]);
    }
}

void au_sym_gather(au_sym *s, uint64_t at, uint64_t n, uint64_t offset) {
    if (!n || !s->memory.index.n)
        return;
    for (uint64_t k = at >> 3, last = (at + n - 1) >> 3; k <= last;) {
        uint64_t page = k >> 5; /* 256 bytes */
        if (s->memory.gate[page >> 6 & 1023] >> (page & 63) & 1) {
            gather_word(s, k, at, n, offset);
            k++;
        } else {
            k = (page + 1) << 5;
        }
    }
}

static void set_range(au_sym *s, uint64_t at, uint64_t n, au_tint m) {
    if (!n)
        return;
    for (uint64_t k = at >> 3, last = (at + n - 1) >> 3; k <= last;) {
        uint64_t page = k >> 5;
        unsigned from = k == at >> 3 ? at & 7 : 0, to = k == last ? ((at + n - 1) & 7) + 1 : 8;
        if (m != AU_KNOWN) {
            au_sym_word *w = put(s, k);
            for (unsigned i = from; i < to; i++)
                w->m[i] = m;
        } else if (s->memory.gate[page >> 6 & 1023] >> (page & 63) & 1) {
            clear(s, k, from, to);
        } else {
            k = (page + 1) << 5;
            continue;
        }
        k++;
    }
}

void au_sym_forget(au_sym *s, uint64_t at, uint64_t n) {
    set_range(s, at, n, AU_KNOWN);
}

void au_sym_unknown(au_sym *s, uint64_t at, uint64_t n) {
    set_range(s, at, n, AU_UNKNOWN);
}
