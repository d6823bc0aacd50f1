/* retrace/sym_access.c: accesses that are events. */
#include "retrace/sym_priv.h"

bool au_sym_trace_bits(const au_sym *s, const au_part *p, uint64_t *bits) {
    const au_columns *e = &s->into->trace->events;
    if (p->n > 8 || p->event >= e->n || !e->any_value || !e->has_value[p->event])
        return false;
    *bits = (uint64_t)e->value[p->event] & au_mask(8 * p->n);
    return true;
}

/* Facts stand before the access: its events must not be behind the thread already. */
static void check_order(au_sym *s, const au_part *part, size_t n_parts) {
    if (n_parts && s->at->after != AU_NONE && s->at->after >= part[0].event)
        au_sym_fail(s, "event %u is told when its thread has passed it", part[0].event + 1);
}

static bool is_marked(au_sym *s, const au_part *p) {
    au_sym_byte b[8];
    if (!au_sym_bytes_at(s, p->at, p->n, b))
        return false;
    for (unsigned i = 0; i < p->n; i++)
        if (b[i].m == AU_SHARED_TINT)
            return true;
    return false;
}

/* Can the event see something else? Without a value in the trace there is no term. */
static bool can_differ(au_sym *s, const au_part *p, bool force) {
    uint64_t told;
    if (!au_sym_trace_bits(s, p, &told))
        return false;
    return force || au_bitset_has(&s->open, p->var) || is_marked(s, p);
}

au_term au_sym_read_part(au_sym *s, const au_part *p, uint64_t bits, bool force) {
    uint64_t told;
    bits &= au_mask(8 * p->n);
    if (!can_differ(s, p, force)) {
        if (!au_sym_trace_bits(s, p, &told) && (force || au_bitset_has(&s->open, p->var)))
            au_sym_count_pin(s, "a read without a recorded value");
        return AU_NO_TERM;
    }
    /* The trace has all bytes, the caller perhaps only the scalar's bits (who compares them). */
    uint8_t op = s->into->trace->events.op[p->event];
    if (op != AU_OP_RMW && au_sym_trace_bits(s, p, &told))
        bits = told;
    au_bitset_add(&s->into->symbolic, p->event);
    if (s->checks & AU_CHECK_UAF && p->n >= 4) {
        au_sym_place here = {.event = p->event, .bytes = p->n};
        here.file = au_sym_file(s, &here.line);
        au_vec_push(&s->read, here);
    }
    return au_sym_var(s, p->event, 8 * p->n, bits);
}

static void mark(au_sym *s, const au_part *p, bool shared) {
    au_sym_byte b = {shared ? AU_SHARED_TINT : (au_tint)AU_KNOWN, 0};
    if (!shared) {
        au_sym_forget(s, p->at, p->n);
        return;
    }
    for (uint32_t i = 0; i < p->n; i++)
        au_sym_put_byte(s, p->at + i, b);
}

const char au_sym_why_mapped[] = "memory that may have another address";

void au_sym_mapped(au_sym *s, const uint8_t *data, size_t n) {
    au_mappings_note(&s->mapped, data, n);
}

bool au_sym_is_mapped(const au_sym *s, uint64_t at, uint64_t n) {
    return s->mapped.n && au_mappings_have(&s->mapped, at, n);
}

void au_sym_write_part(au_sym *s, const au_part *p, au_term x) {
    uint64_t told;
    au_sym_settle(s);
    if (x.n == UINT32_MAX || au_term_is_const(s->t, x)) {
        mark(s, p, false);
        return;
    }
    if (!au_sym_trace_bits(s, p, &told)) {
        if (au_sym_fix(s, x, "a write without a recorded value"))
            au_sym_count_pin(s, "a write without a recorded value");
        mark(s, p, false);
        return;
    }
    uint8_t op = s->into->trace->events.op[p->event];
    if (op != AU_OP_READ && op != AU_OP_AREAD && told != s->value.at[x.n])
        au_sym_fail(s, "event %u wrote %llu, its term is worth %llu", p->event + 1,
                    (unsigned long long)told, (unsigned long long)s->value.at[x.n]);
    s->into->write[p->event] = x;
    mark(s, p, true);
}

/* Memory that no other thread uses; but code without hooks may have written it. */
static au_tint read_own(au_sym *s, uint64_t at, unsigned n, unsigned width, uint64_t bits) {
    au_sym_byte b[8];
    if (!au_sym_bytes_at(s, at, n, b))
        return AU_KNOWN;
    for (unsigned i = 0; i < n; i++) {
        if (b[i].m <= AU_UNKNOWN || b[i].m == AU_SHARED_TINT || (8 * i >= width))
            continue;
        uint64_t byte = s->value.at[b[i].m - 2] >> 8 * b[i].k;
        if (((byte ^ bits >> 8 * i) & 255 & au_mask(width - 8 * i)) == 0)
            continue;
        au_sym_count_pin(s, "memory that code without hooks wrote");
        au_sym_forget(s, at, n);
        return AU_KNOWN;
    }
    /* What was stored was not known, but what is read is told. */
    au_tint m = au_sym_load(s, at, n, width, bits);
    return m == AU_UNKNOWN ? (au_tint)AU_KNOWN : m;
}

au_tint au_sym_read(au_sym *s, au_val address, unsigned n, unsigned width, uint64_t bits,
                    const au_part *part, size_t n_parts) {
    au_sym_end_range(s);
    check_order(s, part, n_parts);
    bool force = au_sym_address(s, address, n, part, n_parts, false);
    if (!n_parts)
        return read_own(s, address.v, n, width, bits);
    if (n_parts > 1 || part->n != n) {
        au_sym_byte b[8];
        bool any = au_sym_bytes_at(s, address.v, n, b);
        for (size_t i = 0; i < n_parts; i++) {
            unsigned off = (unsigned)(part[i].at - address.v);
            au_term x = au_sym_read_part(s, &part[i], bits >> 8 * off, force);
            any |= x.n != UINT32_MAX;
            for (unsigned k = 0; k < part[i].n; k++)
                b[off + k] = x.n == UINT32_MAX ? (au_sym_byte){AU_KNOWN, 0}
                                               : (au_sym_byte){x.n + 2, (uint8_t)k};
        }
        s->behind = part[n_parts - 1].event;
        if (!any)
            return AU_KNOWN;
        au_tint m = au_sym_join(s, b, n, width, bits);
        return m == AU_UNKNOWN ? (au_tint)AU_KNOWN : m;
    }
    au_term x = au_sym_read_part(s, part, bits, force);
    if (x.n == UINT32_MAX)
        return AU_KNOWN;
    return au_sym_result(s, au_term_extract(s->t, x, 0, width), bits, "a read");
}

void au_sym_write(au_sym *s, au_val address, unsigned n, unsigned width, au_val v,
                  const au_part *part, size_t n_parts) {
    au_sym_end_range(s);
    check_order(s, part, n_parts);
    au_sym_address(s, address, n, part, n_parts, true);
    if (au_sym_is_mapped(s, address.v, n)) {
        au_sym_pin(s, v, width, au_sym_why_mapped);
        v.m = v.m == AU_UNKNOWN ? (au_tint)AU_UNKNOWN : (au_tint)AU_KNOWN;
    }
    if (!n_parts) {
        au_sym_store(s, address.v, n, width, v);
        return;
    }
    bool is = au_sym_is(s, v);
    if (n_parts > 1 || part->n != n) /* some bytes may be nobody else's */
        au_sym_store(s, address.v, n, width, v);
    au_term whole = AU_NO_TERM;
    if (is)
        whole = au_term_zext(s->t, au_sym_term_of(s, v, width), 8 * n);
    for (size_t i = 0; i < n_parts; i++) {
        au_term x = AU_NO_TERM;
        if (is)
            x = au_term_extract(s->t, whole, 8 * (unsigned)(part[i].at - address.v), 8 * part[i].n);
        au_sym_write_part(s, &part[i], x);
    }
}

/* ---- read-modify-write ---------------------------------------------------------------------- */

static uint64_t rmw_value(unsigned rmw, unsigned w, uint64_t old, uint64_t v) {
    uint64_t m = au_mask(w);
    old &= m;
    v &= m;
    switch (rmw) {
    case AU_RMW_ADD:
        return (old + v) & m;
    case AU_RMW_SUB:
        return (old - v) & m;
    case AU_RMW_AND:
        return old & v;
    case AU_RMW_NAND:
        return ~(old & v) & m;
    case AU_RMW_OR:
        return old | v;
    case AU_RMW_XOR:
        return old ^ v;
    case AU_RMW_MAX:
        return au_signed(old, w) > au_signed(v, w) ? old : v;
    case AU_RMW_MIN:
        return au_signed(old, w) < au_signed(v, w) ? old : v;
    case AU_RMW_UMAX:
        return old > v ? old : v;
    case AU_RMW_UMIN:
        return old < v ? old : v;
    default:
        return v;
    }
}

static au_term rmw_term(au_terms *t, unsigned rmw, au_term old, au_term v) {
    switch (rmw) {
    case AU_RMW_ADD:
        return au_term_make(t, AU_T_ADD, old, v);
    case AU_RMW_SUB:
        return au_term_make(t, AU_T_SUB, old, v);
    case AU_RMW_AND:
        return au_term_make(t, AU_T_AND, old, v);
    case AU_RMW_NAND:
        return au_term_not(t, au_term_make(t, AU_T_AND, old, v));
    case AU_RMW_OR:
        return au_term_make(t, AU_T_OR, old, v);
    case AU_RMW_XOR:
        return au_term_make(t, AU_T_XOR, old, v);
    case AU_RMW_MAX:
        return au_term_ite(t, au_term_make(t, AU_T_SLT, v, old), old, v);
    case AU_RMW_MIN:
        return au_term_ite(t, au_term_make(t, AU_T_SLT, old, v), old, v);
    case AU_RMW_UMAX:
        return au_term_ite(t, au_term_make(t, AU_T_ULT, v, old), old, v);
    case AU_RMW_UMIN:
        return au_term_ite(t, au_term_make(t, AU_T_ULT, old, v), old, v);
    default:
        return v;
    }
}

/* Neither its read nor its write is symbolic: it does what it did. */
static void keep(au_sym *s, au_val address, unsigned n, const au_part *part, size_t n_parts,
                 const char *why) {
    au_sym_gather(s, address.v, n, 0); /* bytes that are nobody else's */
    for (size_t i = 0; i < s->range.piece.n; i++)
        au_sym_pin(s, (au_val){0, s->range.piece.at[i].m}, 64, why);
    au_vec_clear(&s->range.piece);
    au_sym_forget(s, address.v, n);
    for (size_t i = 0; i < n_parts; i++)
        au_sym_write_part(s, &part[i], AU_NO_TERM);
}

static bool is_one_event(unsigned n, const au_part *part, size_t n_parts) {
    return n_parts == 0 || (n_parts == 1 && part->n == n);
}

void au_sym_rmw(au_sym *s, au_val address, unsigned n, unsigned rmw, au_val operand,
                uint64_t old_bits, const au_part *part, size_t n_parts, au_tint *old) {
    static const char cells[] = "a read-modify-write of several cells";
    static const char other[] = "a read-modify-write of another kind";
    unsigned w = 8 * n;
    au_sym_end_range(s);
    check_order(s, part, n_parts);
    bool force = au_sym_address(s, address, n, part, n_parts, true);
    *old = AU_KNOWN;
    bool mapped = au_sym_is_mapped(s, address.v, n);
    if (n > 8 || rmw >= AU_RMW_OTHER || !is_one_event(n, part, n_parts) || mapped) {
        const char *why = mapped ? au_sym_why_mapped : rmw >= AU_RMW_OTHER ? other : cells;
        au_sym_pin(s, operand, w, why);
        keep(s, address, n, part, n_parts, why);
        return;
    }
    if (!n_parts) {
        *old = read_own(s, address.v, n, w, old_bits);
        au_val now = {rmw_value(rmw, w, old_bits, operand.v), AU_UNKNOWN};
        if (rmw == AU_RMW_XCHG) {
            now.m = operand.m;
        } else if (*old != AU_UNKNOWN && operand.m != AU_UNKNOWN) {
            au_term x = au_sym_term_of(s, (au_val){old_bits, *old}, w);
            x = rmw_term(s->t, rmw, x, au_sym_term_of(s, operand, w));
            now.m = au_sym_result(s, x, now.v, "a read-modify-write");
        } else {
            au_sym_pin(s, operand, w, "computed from an unknown value");
            au_sym_pin(s, (au_val){old_bits, *old}, w, "computed from an unknown value");
        }
        au_sym_store(s, address.v, n, w, now);
        return;
    }
    if (operand.m == AU_UNKNOWN && rmw != AU_RMW_XCHG) { /* keeps what it saw */
        static const char why[] = "a read-modify-write with an unknown value";
        if (can_differ(s, part, force))
            au_sym_count_pin(s, why);
        keep(s, address, n, part, n_parts, why);
        return;
    }
    au_term x = au_sym_read_part(s, part, old_bits, force), now = AU_NO_TERM;
    if (x.n != UINT32_MAX)
        *old = x.n + 2;
    if (operand.m != AU_UNKNOWN)
        now = rmw_term(s->t, rmw, au_sym_term_of(s, (au_val){old_bits, *old}, w),
                       au_sym_term_of(s, operand, w));
    au_sym_write_part(s, part, now);
}

void au_sym_cmpxchg(au_sym *s, au_val address, unsigned n, au_val expected, au_val desired,
                    uint64_t old_bits, const au_part *part, size_t n_parts, au_tint *old,
                    au_tint *ok) {
    static const char cells[] = "a compare-and-exchange of several cells";
    static const char unknown[] = "a compare-and-exchange with an unknown value";
    unsigned w = 8 * n;
    au_sym_end_range(s);
    check_order(s, part, n_parts);
    bool force = au_sym_address(s, address, n, part, n_parts, true);
    *old = *ok = AU_KNOWN;
    uint64_t mask = au_mask(w);
    bool success = ((old_bits ^ expected.v) & mask) == 0;
    if (n > 8 || !is_one_event(n, part, n_parts)) {
        au_sym_pin(s, expected, w, cells);
        au_sym_pin(s, desired, w, cells);
        keep(s, address, n, part, n_parts, cells);
        return;
    }
    /* What it saw decides as it did. */
    if (expected.m == AU_UNKNOWN || (desired.m == AU_UNKNOWN && n_parts)) {
        if (!n_parts) {
            *old = au_sym_load(s, address.v, n, w, old_bits);
            au_sym_pin(s, (au_val){old_bits, *old}, w, unknown);
            *ok = AU_UNKNOWN;
            au_sym_unknown(s, address.v, n);
        } else if (can_differ(s, part, force)) {
            au_sym_count_pin(s, unknown);
        }
        au_sym_pin(s, expected, w, unknown);
        au_sym_pin(s, desired, w, unknown);
        if (n_parts)
            keep(s, address, n, part, n_parts, unknown);
        return;
    }
    au_term x = AU_NO_TERM;
    if (n_parts) {
        x = au_sym_read_part(s, part, old_bits, force);
        if (x.n != UINT32_MAX)
            *old = x.n + 2;
    } else {
        *old = read_own(s, address.v, n, w, old_bits);
    }
    au_term seen = au_sym_term_of(s, (au_val){old_bits, *old}, w);
    au_term same = au_term_eq(s->t, seen, au_sym_term_of(s, expected, w));
    *ok = au_sym_result(s, same, success, "a compare-and-exchange");
    au_val now = {success ? desired.v : old_bits, AU_UNKNOWN};
    if (desired.m == AU_UNKNOWN) { /* it goes as it went */
        au_sym_pin(s, (au_val){success, *ok}, 1, unknown);
        if (success)
            au_sym_unknown(s, address.v, n);
        return;
    }
    au_term next = au_term_ite(s->t, same, au_sym_term_of(s, desired, w), seen);
    if (n_parts) {
        au_sym_write_part(s, part, next);
    } else {
        now.m = au_sym_result(s, next, now.v, "a compare-and-exchange");
        au_sym_store(s, address.v, n, w, now);
    }
}
