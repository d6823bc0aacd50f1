/* retrace/access.c: instructions that are events.
 *
 * The self-check: the address (unless it is unknown or made up), the length, what is stored,
 * what a read-modify-write makes of the old value. A pointer or value that was unknown is known
 * from here on. */
#include "retrace/retrace_priv.h"

#include "wire/libc.h"

/* ---- checks --------------------------------------------------------------------------------- */

/* A term must not mention what is made up. */
static au_val settle_made_up(au_retracer *x, au_rthread *t, const au_rframe *f, au_val v,
                             unsigned width) {
    if (v.m > AU_UNKNOWN) {
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, v, width, "computed from an unknown address");
        v.m = AU_KNOWN;
    }
    return v;
}

/* The address of the event against the pointer; the pointer as sym.h wants it. */
static au_val check_address(au_retracer *x, au_rthread *t, const au_rframe *f, au_operand o,
                            uint64_t offset) {
    au_val a = au_retrace_get(x, t, f, o);
    uint64_t at = x->r->address - offset;
    if (a.m == AU_UNKNOWN) {
        if (o >= 0)
            au_retrace_set(t, f, (uint32_t)o, (au_val){at, AU_KNOWN});
    } else if (au_made_up(a.v)) {
        a = settle_made_up(x, t, f, a, 64);
    } else if (a.v != at) {
        au_retrace_wrong(x, t, "expected address 0x%llx", (unsigned long long)(a.v + offset));
    }
    a.v = at;
    return a;
}

static bool check_size(au_retracer *x, au_rthread *t, unsigned n) {
    if (x->r->size == n)
        return true;
    au_retrace_wrong(x, t, "expected an access of %u bytes, not %u", n, x->r->size);
    return false;
}

static bool is_word(unsigned n) {
    return n == 1 || n == 2 || n == 4 || n == 8;
}

/* What is stored against what was told; unknown: known now. */
static au_val check_value(au_retracer *x, au_rthread *t, const au_rframe *f, au_operand o,
                          unsigned width, uint64_t told) {
    au_val v = au_retrace_get(x, t, f, o);
    told = au_low_bits(told, width);
    if (v.m == AU_UNKNOWN || au_made_up(v.v)) {
        if (o >= 0 && v.m == AU_UNKNOWN)
            au_retrace_set(t, f, (uint32_t)o, (au_val){told, AU_KNOWN});
        if (v.m != AU_UNKNOWN)
            v = settle_made_up(x, t, f, v, width);
        v.v = told;
    } else if (v.v != told) {
        au_retrace_wrong(x, t, "expected to store 0x%llx, not 0x%llx", (unsigned long long)v.v,
                         (unsigned long long)told);
    }
    return v;
}

static au_shadow *image(au_retracer *x) {
    return au_stream_memory(x->watch.stream);
}

/* ---- loads and stores ------------------------------------------------------------------------- */

static void load(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    const au_stream_record *r = x->r;
    au_val a = check_address(x, t, f, i->a, 0);
    unsigned n = au_bytes_of(i->width);
    if (n && n <= 8 && (is_word(n) || r->size)) {
        if (!check_size(x, t, n))
            return;
        uint64_t bits = au_low_bits(r->value, i->width);
        au_tint m = AU_KNOWN;
        if (x->sym) {
            au_retrace_stand(x, t, f);
            m = au_sym_read(x->sym, a, n, i->width, bits, x->part, x->n_parts);
        }
        if (i->dst != AU_NONE)
            au_retrace_set(t, f, i->dst, (au_val){bits, m});
        return;
    }
    uint64_t bytes = n ? n : i->aux;
    if ((r->size ? r->size : r->len) != bytes) {
        au_retrace_wrong(x, t, "expected a read of %llu bytes", (unsigned long long)bytes);
        return;
    }
    au_vec_clear(&t->copy);
    for (uint32_t k = 0; k < au_slots_of(bytes); k++) {
        unsigned part = bytes - 8 * k < 8 ? (unsigned)(bytes - 8 * k) : 8;
        uint64_t bits = au_shadow_get(image(x), r->address + 8 * k, part);
        au_vec_push(&t->copy, ((au_val){n ? au_low_bits(bits, i->width) : bits, AU_KNOWN}));
    }
    if (x->sym) {
        au_retrace_stand(x, t, f);
        au_sym_read_wide(x->sym, a, (unsigned)bytes, t->copy.at, x->part, x->n_parts);
    }
    for (uint32_t k = 0; i->dst != AU_NONE && k < au_slots_of(bytes); k++)
        au_retrace_set(t, f, i->dst + k, t->copy.at[k]);
}

static void pin_slots(au_retracer *x, au_rthread *t, const au_rframe *f, au_operand o,
                      uint32_t slots, const char *why) {
    for (uint32_t k = 0; k < slots; k++) {
        au_val v = au_retrace_part(x, t, f, o, k);
        if (v.m > AU_UNKNOWN)
            au_sym_pin(x->sym, v, 64, why);
    }
}

/* A store of a wide value, in pieces if it is long. True: all of it. */
static bool store_wide(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                       uint64_t bytes) {
    const au_stream_record *r = x->r;
    au_val a = check_address(x, t, f, i->a, t->done);
    uint64_t n = r->size ? r->size : r->len;
    if (n > bytes - t->done || (r->size && n != bytes)) {
        au_retrace_wrong(x, t, "expected a write of %llu bytes", (unsigned long long)bytes);
        return true;
    }
    /* of a wide atomic only the first 8 bytes are told, the rest by the next read */
    for (uint64_t k = 0; k < n && (k < 8 || !r->size); k++) {
        uint64_t at = t->done + k;
        au_val v = au_retrace_part(x, t, f, i->b, (uint32_t)(at / 8));
        uint8_t is = (uint8_t)au_shadow_get(image(x), r->address + k, 1);
        if (v.m != AU_UNKNOWN && !au_made_up(v.v) && (uint8_t)(v.v >> 8 * (at % 8)) != is) {
            au_retrace_wrong(x, t, "expected to store 0x%02x in byte %llu, not 0x%02x",
                             (unsigned)(uint8_t)(v.v >> 8 * (at % 8)), (unsigned long long)at, is);
            return true;
        }
    }
    if (x->sym) {
        au_retrace_stand(x, t, f);
        if (n == bytes && !r->size) {
            au_vec_clear(&t->copy);
            for (uint32_t k = 0; k < au_slots_of(bytes); k++) {
                au_val v = au_retrace_part(x, t, f, i->b, k);
                if (v.m != AU_UNKNOWN && au_made_up(v.v))
                    v = settle_made_up(x, t, f, v, 64);
                if (v.m <= AU_UNKNOWN)
                    v = (au_val){au_shadow_get(image(x), r->address + 8 * k,
                                               bytes - 8 * k < 8 ? (unsigned)(bytes - 8 * k) : 8),
                                 AU_KNOWN};
                au_vec_push(&t->copy, v);
            }
            au_sym_write_wide(x->sym, a, (unsigned)n, t->copy.at, x->part, x->n_parts);
        } else {
            if (!t->done)
                pin_slots(x, t, f, i->b, au_slots_of(bytes),
                          "stored in pieces, or as a wide atomic");
            a.v += t->done;
            au_sym_write_range(x->sym, a, n, x->part, x->n_parts);
        }
    }
    t->done += n;
    if (t->done < bytes)
        return false;
    t->done = 0;
    return true;
}

static bool store(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    unsigned n = au_bytes_of(i->width);
    bool done = true;
    if (n && n <= 8 && (is_word(n) || x->r->size)) {
        if (!check_size(x, t, n))
            return true;
        au_val a = check_address(x, t, f, i->a, 0);
        au_val v = check_value(x, t, f, i->b, i->width, x->r->value);
        if (x->sym && !x->over) {
            au_retrace_stand(x, t, f);
            au_sym_write(x->sym, a, n, i->width, v, x->part, x->n_parts);
            if (t->decided.n)
                au_retrace_acts(x, t);
        }
    } else {
        done = store_wide(x, t, f, i, n ? n : i->aux);
    }
    /* a private variable, seen through a pointer that may be another's */
    au_val a = au_retrace_get(x, t, f, i->a);
    if (done && a.m != AU_UNKNOWN && au_made_up(a.v)) {
        if (n)
            au_retrace_store_private(x, a.v, n, i->width, au_retrace_get(x, t, f, i->b));
        else
            au_retrace_store_wide_private(x, t, f, i, a.v);
    }
    return done;
}

/* ---- read-modify-writes -------------------------------------------------------------------------- */

static bool rmw_value(unsigned op, unsigned width, uint64_t old, uint64_t b, uint64_t *new) {
    static const au_code_op as[] = {
        [AU_RMW_ADD] = AU_C_ADD,   [AU_RMW_SUB] = AU_C_SUB,  [AU_RMW_AND] = AU_C_AND,
        [AU_RMW_NAND] = AU_C_AND,  [AU_RMW_OR] = AU_C_OR,    [AU_RMW_XOR] = AU_C_XOR,
        [AU_RMW_MAX] = AU_C_SMAX,  [AU_RMW_MIN] = AU_C_SMIN, [AU_RMW_UMAX] = AU_C_UMAX,
        [AU_RMW_UMIN] = AU_C_UMIN,
    };
    if (op >= AU_RMW_OTHER)
        return false;
    if (op == AU_RMW_XCHG)
        *new = au_low_bits(b, width);
    else if (!au_retrace_compute(as[op], width, old, b, new))
        return false;
    if (op == AU_RMW_NAND)
        *new = au_low_bits(~*new, width);
    return true;
}

/* Of more than 8 bytes: only the first are told as old value. */
static void rmw_wide(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                     au_val a) {
    uint64_t bytes = i->width ? au_bytes_of(i->width) : i->aux;
    bool compare = i->op == AU_C_CMPXCHG;
    if (x->sym) {
        au_retrace_stand(x, t, f);
        pin_slots(x, t, f, i->b, au_slots_of(bytes), "atomic of more than 8 bytes");
        if (compare)
            pin_slots(x, t, f, i->c, au_slots_of(bytes), "atomic of more than 8 bytes");
        au_tint m; /* it does what it did */
        au_sym_rmw(x->sym, a, (unsigned)bytes, AU_RMW_OTHER, (au_val){0, AU_KNOWN}, 0, x->part,
                   x->n_parts, &m);
    }
    if (i->dst == AU_NONE)
        return;
    uint32_t slots = au_slots_of(bytes + compare);
    for (uint32_t k = 0; k < slots; k++)
        au_retrace_set(t, f, i->dst + k, (au_val){0, AU_UNKNOWN});
    if (compare && bytes % 8 == 0) /* the success stands alone in its slot */
        au_retrace_set(t, f, i->dst + (uint32_t)(bytes / 8),
                       (au_val){x->r->op == AU_OP_RMW, AU_KNOWN});
}

static void rmw(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    const au_stream_record *r = x->r;
    au_val a = check_address(x, t, f, i->a, 0);
    unsigned n = au_bytes_of(i->width);
    if (!n || n > 8) {
        rmw_wide(x, t, f, i, a);
        return;
    }
    if (!check_size(x, t, n))
        return;
    au_val b = au_retrace_get(x, t, f, i->b);
    uint64_t old = au_low_bits(r->old, i->width), new;
    if (r->op != AU_OP_RMW) {
        au_retrace_wrong(x, t, "expected a read-modify-write");
        return;
    }
    if (b.m != AU_UNKNOWN && !au_made_up(b.v) && rmw_value(i->from, i->width, old, b.v, &new) &&
        new != au_low_bits(r->value, i->width)) {
        au_retrace_wrong(x, t, "expected the old 0x%llx to become 0x%llx, not 0x%llx",
                         (unsigned long long)old, (unsigned long long)new,
                         (unsigned long long)r->value);
        return;
    }
    if ((b.m == AU_UNKNOWN || au_made_up(b.v)) && i->from == AU_RMW_XCHG)
        b.v = au_low_bits(r->value, i->width), b.m = AU_KNOWN;
    au_tint m = AU_KNOWN;
    if (x->sym) {
        au_retrace_stand(x, t, f);
        if (i->from == AU_RMW_OTHER || b.m == AU_UNKNOWN) {
            au_sym_pin(x->sym, b, i->width, "atomic operation");
            au_sym_rmw(x->sym, a, n, AU_RMW_XCHG, (au_val){r->value, AU_KNOWN}, old, x->part,
                       x->n_parts, &m);
            au_sym_pin(x->sym, (au_val){old, m}, i->width, "atomic operation");
        } else {
            au_sym_rmw(x->sym, a, n, i->from, b, old, x->part, x->n_parts, &m);
        }
    }
    if (i->dst != AU_NONE)
        au_retrace_set(t, f, i->dst, (au_val){old, m});
}

static void cmpxchg(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    const au_stream_record *r = x->r;
    au_val a = check_address(x, t, f, i->a, 0);
    unsigned n = au_bytes_of(i->width), width = i->width;
    if (!n || n > 8) {
        rmw_wide(x, t, f, i, a);
        return;
    }
    if (!check_size(x, t, n))
        return;
    bool ok = r->op == AU_OP_RMW;
    uint64_t old = au_low_bits(ok ? r->old : r->value, width);
    au_val b = au_retrace_get(x, t, f, i->b), c = au_retrace_get(x, t, f, i->c);
    if (b.m == AU_UNKNOWN || au_made_up(b.v)) {
        if (ok)
            b = (au_val){old, AU_KNOWN};
    } else if (ok != (b.v == old)) {
        au_retrace_wrong(x, t, "expected a comparison of 0x%llx with 0x%llx to %s",
                         (unsigned long long)old, (unsigned long long)b.v, ok ? "fail" : "succeed");
        return;
    }
    if (ok)
        c = check_value(x, t, f, i->c, width, r->value);
    au_tint m = AU_KNOWN, mok = AU_KNOWN;
    if (x->sym && !x->over) {
        au_retrace_stand(x, t, f);
        if (b.m == AU_UNKNOWN || c.m == AU_UNKNOWN || au_made_up(b.v) || au_made_up(c.v)) {
            au_sym_pin(x->sym, b, width, "compare and exchange with something unknown");
            au_sym_pin(x->sym, c, width, "compare and exchange with something unknown");
            if (ok)
                au_sym_rmw(x->sym, a, n, AU_RMW_XCHG, (au_val){r->value, AU_KNOWN}, old, x->part,
                           x->n_parts, &m);
            else
                m = au_sym_read(x->sym, a, n, width, old, x->part, x->n_parts);
            au_sym_pin(x->sym, (au_val){old, m}, width,
                       "compare and exchange with something unknown");
            m = AU_KNOWN;
        } else {
            au_sym_cmpxchg(x->sym, a, n, b, c, old, x->part, x->n_parts, &m, &mok);
        }
    }
    if (i->dst == AU_NONE)
        return;
    if (n == 8) {
        au_retrace_set(t, f, i->dst, (au_val){old, m});
        au_retrace_set(t, f, i->dst + 1, (au_val){ok, mok});
        return;
    }
    if (!m && !mok) {
        au_retrace_set(t, f, i->dst, (au_val){old | (uint64_t)ok << 8 * n, AU_KNOWN});
        return;
    }
    au_val slot = {old, AU_KNOWN};
    au_sym_bytes_put(x->sym, &slot, 0, width, (au_val){old, m});
    slot.v |= (uint64_t)ok << 8 * n;
    au_sym_bytes_put(x->sym, &slot, n, 1, (au_val){ok, mok});
    au_retrace_set(t, f, i->dst, slot);
}

/* ---- ranges ------------------------------------------------------------------------------------- */

bool au_retrace_is_empty(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i,
                         uint32_t site) {
    au_val n = au_retrace_length(x, t, f, i);
    if (n.m != AU_UNKNOWN)
        return !au_low_bits(n.v, i->width);
    if (site == AU_NONE)
        return false;
    return site != i->site && (i->op != AU_C_COPY || i->site != AU_NONE || site != i->aux);
}

/* One piece of a range was told: how long all of it is. */
static uint64_t whole(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                      bool more) {
    au_val n = au_retrace_length(x, t, f, i);
    if (n.m != AU_UNKNOWN)
        return au_low_bits(n.v, i->width);
    /* pieces of the longest kind are followed by others */
    if (!more && i->c >= 0)
        au_retrace_set(t, f, (uint32_t)i->c, (au_val){t->done + x->r->len, AU_KNOWN});
    return t->done + x->r->len + more;
}

/* What is copied out of private memory against what was told. */
static void check_bytes(au_retracer *x, au_rthread *t, uint64_t from) {
    const au_stream_record *r = x->r;
    for (uint64_t k = 0; k < r->len && r->data; k++) {
        if (!au_shadow_get(&x->tag, from + k, 1))
            continue;
        uint8_t mine = (uint8_t)au_shadow_get(&x->memory, from + k, 1);
        if (mine != r->data[k] && !au_made_up(from)) {
            au_retrace_wrong(x, t, "expected byte %llu of the copy to be 0x%02x, not 0x%02x",
                             (unsigned long long)(t->done + k), mine, r->data[k]);
            return;
        }
    }
}

/* Bytes of the program's memory into private memory. */
static void take_in(au_retracer *x, uint64_t to, uint64_t from, uint64_t n) {
    uint8_t bytes[4096];
    for (uint64_t done = 0; done < n;) {
        size_t k = n - done < sizeof bytes ? (size_t)(n - done) : sizeof bytes;
        au_shadow_read(image(x), from + done, bytes, k);
        au_shadow_write(&x->memory, to + done, bytes, k);
        done += k;
    }
    au_shadow_fill(&x->tag, to, x->sym ? 2 : 1, n);
}

static bool range_done(au_rthread *t, uint64_t n, uint64_t all) {
    t->done += n;
    if (t->done < all)
        return false;
    t->done = 0;
    return true;
}

static bool copy(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                 unsigned part) {
    enum { PIECE = 1 << 30, DATA = 32768 };
    const au_stream_record *r = x->r;
    bool told_read = i->site != AU_NONE, told_write = i->aux != AU_NONE;
    uint64_t n = r->len;
    uint64_t all = whole(x, t, f, i, n == (!told_read ? DATA : PIECE));
    if (n > all - t->done || !n) {
        au_retrace_wrong(x, t, "expected a range of %llu bytes, not %llu",
                         (unsigned long long)(all - t->done), (unsigned long long)n);
        return true;
    }
    if (part == 0) {
        au_val from = check_address(x, t, f, i->b, t->done);
        uint64_t base = from.v;
        from.v += t->done;
        if (x->sym) {
            au_retrace_stand(x, t, f);
            au_sym_read_range(x->sym, from, n, x->part, x->n_parts);
        }
        if (!told_write) {
            au_val to = au_retrace_get(x, t, f, i->a);
            if (to.m != AU_UNKNOWN) {
                take_in(x, to.v + t->done, base + t->done, n);
                if (x->sym)
                    au_sym_copy(x->sym, to.v + t->done, base + t->done, n);
            }
        }
        if (!range_done(t, n, all))
            return false;
        t->step = told_write;
        return !told_write;
    }
    au_val to = check_address(x, t, f, i->a, t->done), from = au_retrace_get(x, t, f, i->b);
    to.v += t->done;
    uint64_t source = told_read ? r->value : from.v + t->done;
    if (told_read && from.m != AU_UNKNOWN && !au_made_up(from.v) && from.v + t->done != r->value)
        au_retrace_wrong(x, t, "expected to copy from 0x%llx",
                         (unsigned long long)(from.v + t->done));
    if (!told_read && from.m != AU_UNKNOWN)
        check_bytes(x, t, source);
    if (x->sym && !x->over) {
        au_retrace_stand(x, t, f);
        if (!told_read && from.m == AU_UNKNOWN)
            au_sym_write_range(x->sym, to, n, x->part, x->n_parts);
        else
            au_sym_write_copy(x->sym, to, source, n, x->part, x->n_parts);
    }
    if (!range_done(t, n, all))
        return false;
    t->step = 0;
    return true;
}

static bool set(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    enum { PIECE = 1 << 30 };
    const au_stream_record *r = x->r;
    uint64_t all = whole(x, t, f, i, r->len == PIECE);
    au_val to = check_address(x, t, f, i->a, t->done), byte = au_retrace_get(x, t, f, i->b);
    if (r->len > all - t->done || !r->len) {
        au_retrace_wrong(x, t, "expected a range of %llu bytes, not %llu",
                         (unsigned long long)(all - t->done), (unsigned long long)r->len);
        return true;
    }
    if (byte.m == AU_UNKNOWN)
        byte = (au_val){(uint8_t)r->value, AU_KNOWN};
    else if ((uint8_t)byte.v != r->value)
        au_retrace_wrong(x, t, "expected bytes 0x%02x", (unsigned)(uint8_t)byte.v);
    if (x->sym && !x->over) {
        au_retrace_stand(x, t, f);
        to.v += t->done;
        au_sym_set_range(x->sym, to, byte, r->len, x->part, x->n_parts);
    }
    return range_done(t, r->len, all);
}

/* What a call will pass by value is read here: the callee's copy is made of these bytes. */
static void by_value(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    const au_stream_record *r = x->r;
    au_val a = check_address(x, t, f, i->a, 0);
    if (r->len != i->aux) {
        au_retrace_wrong(x, t, "expected a read of %u bytes", i->aux);
        return;
    }
    if (x->sym) {
        au_retrace_stand(x, t, f);
        au_sym_read_range(x->sym, a, r->len, x->part, x->n_parts);
    }
    uint8_t *bytes = au_alloc(i->aux + 1);
    au_shadow_read(image(x), r->address, bytes, i->aux);
    au_vec_push(&t->byval,
                ((struct au_rbyval){au_retrace_get(x, t, f, i->a).v, r->address, i->aux, bytes}));
}

/* ---- all events of instructions --------------------------------------------------------------------- */

/* What the record must be. */
static bool fits(const au_code_insn *i, unsigned part, uint8_t op) {
    switch (i->op) {
    case AU_C_LOAD:
        return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_SOP_RREAD;
    case AU_C_STORE:
        return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_SOP_RWRITE || op == AU_OP_RMW;
    case AU_C_RMW:
        return op == AU_OP_RMW;
    case AU_C_CMPXCHG:
        return op == AU_OP_RMW || op == AU_OP_AREAD;
    case AU_C_COPY:
        return part ? op == AU_SOP_RWRITE || op == AU_SOP_RCOPY : op == AU_SOP_RREAD;
    case AU_C_SET:
        return op == AU_SOP_RSET;
    case AU_C_FENCE:
        return op == AU_OP_FENCE;
    case AU_C_EV_ENTER:
        return op == AU_OP_CALL;
    case AU_C_EV_LEAVE:
        return op == AU_OP_RET;
    case AU_C_EV_LAND:
        return op == AU_SOP_LAND;
    case AU_C_EV_FRAME:
        return op == AU_SOP_FRAME;
    case AU_C_EV_BYVAL:
        return op == AU_SOP_RREAD;
    case AU_C_CALL:
        return op == AU_OP_XCALL;
    default:
        return false;
    }
}

/* What is returned to code without hooks (pthread_join, qsort … make something of it) stays what
 * it was. Now: a thread that ends here does not come to its return instruction. */
static void give_back(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *ret) {
    if (!x->sym || ret->op != AU_C_RET || f->kind == AU_FRAME_DIRECT || f->kind == AU_FRAME_MATCHED)
        return;
    const au_code *code = f->module->code;
    if (!strcmp(au_code_text(code, code->function[code->function_of[ret - code->insn]].name),
                "main"))
        return; /* the exit status: it only goes out */
    for (uint32_t k = 0; k < ret->aux; k++) {
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, au_retrace_part(x, t, f, ret->a, k), 64,
                   "returned to code without hooks");
    }
}

bool au_retrace_access(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i,
                       unsigned part) {
    const au_stream_record *r = x->r;
    if (!fits(i, part, r->op)) {
        au_retrace_wrong(x, t, "its instruction makes no event of operation %u", r->op);
        return true;
    }
    x->facts->weak += (i->flags & (AU_CF_ATOMIC | AU_CF_WEAK)) == (AU_CF_ATOMIC | AU_CF_WEAK);
    switch (i->op) {
    case AU_C_LOAD:
        load(x, t, f, i);
        return true;
    case AU_C_STORE:
        return store(x, t, f, i);
    case AU_C_RMW:
        rmw(x, t, f, i);
        return true;
    case AU_C_CMPXCHG:
        cmpxchg(x, t, f, i);
        return true;
    case AU_C_COPY:
        return copy(x, t, f, i, part);
    case AU_C_SET:
        return set(x, t, f, i);
    case AU_C_EV_ENTER:
        f->depth = ++t->depth;
        return true;
    case AU_C_EV_LEAVE:
        if (t->depth)
            t->depth--;
        give_back(x, t, f, i + 1);
        return true;
    case AU_C_EV_LAND:
        if (f->depth != r->value)
            au_retrace_wrong(x, t, "expected depth %u", f->depth);
        t->depth = f->depth;
        return true;
    case AU_C_EV_FRAME:
        if (x->sym && r->len)
            au_sym_forget(x->sym, r->address, r->len);
        if (i->a >= 0)
            au_retrace_set(t, f, (uint32_t)i->a, (au_val){r->address, AU_KNOWN});
        return true;
    case AU_C_EV_BYVAL:
        by_value(x, t, f, i);
        return true;
    case AU_C_CALL:
        au_retrace_xcall(x, t, f, i);
        return false;
    default:
        return true;
    }
}

/* ---- inside of foreign code ----------------------------------------------------------------------------- */

void au_retrace_outside(au_retracer *x, au_rthread *t) {
    const au_stream_record *r = x->r;
    if (!x->sym)
        return;
    au_val a = {r->address, AU_KNOWN};
    x->spot.thread = t->number;
    x->spot.after = t->after;
    au_tint m = AU_KNOWN;
    switch (r->op) {
    case AU_OP_READ:
    case AU_OP_AREAD:
        if (r->size && r->size <= 8) {
            m = au_sym_read(x->sym, a, r->size, 8 * r->size, r->value, x->part, x->n_parts);
            au_sym_pin(x->sym, (au_val){r->value, m}, 8 * r->size, "read by code without hooks");
        } else if (r->size) {
            au_sym_read_range(x->sym, a, r->size, x->part, x->n_parts);
        }
        break;
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
        if (r->size && r->size <= 8)
            au_sym_write(x->sym, a, r->size, 8 * r->size, (au_val){r->value, AU_KNOWN}, x->part,
                         x->n_parts);
        else if (r->size)
            au_sym_write_range(x->sym, a, r->size, x->part, x->n_parts);
        break;
    case AU_OP_RMW:
        if (r->size && r->size <= 8) {
            bool counts = au_libc_is_state(r->address);
            au_sym_rmw(x->sym, a, r->size, counts ? AU_RMW_ADD : AU_RMW_XCHG,
                       (au_val){counts ? 1 : r->value, AU_KNOWN}, r->old, x->part, x->n_parts, &m);
            au_sym_pin(x->sym, (au_val){r->old, m}, 8 * r->size, "changed by code without hooks");
        } else if (r->size) {
            au_sym_write_range(x->sym, a, r->size, x->part, x->n_parts);
        }
        break;
    case AU_SOP_RREAD:
        if (r->len)
            au_sym_read_range(x->sym, a, r->len, x->part, x->n_parts);
        if (r->len && au_retrace_puts_out(t))
            au_sym_ignore_range(x->sym);
        break;
    case AU_SOP_RWRITE:
        if (r->len)
            au_sym_write_range(x->sym, a, r->len, x->part, x->n_parts);
        break;
    case AU_SOP_RCOPY:
        if (r->len)
            au_sym_write_copy(x->sym, a, r->value, r->len, x->part, x->n_parts);
        break;
    case AU_SOP_RSET:
        if (r->len)
            au_sym_set_range(x->sym, a, (au_val){(uint8_t)r->value, AU_KNOWN}, r->len, x->part,
                             x->n_parts);
        break;
    case AU_OP_ALLOC:
    case AU_SOP_FRAME:
        if (r->len)
            au_sym_forget(x->sym, r->address, r->len);
        break;
    default:
        break;
    }
}
