#include "trace/text_write.h"

void au_inks_release(au_inks *k) {
    for (size_t s = 0; s < AU_WIRE_SPACES; s++)
        au_vec_release(&k->space[s]);
}

static au_ink ink_of(const char *s, size_t n, const char *never, bool may_be_empty) {
    au_ink k = {.len = AU_INK_BAD};
    if (!n && !may_be_empty)
        return k;
    for (const char *c = never; *c; c++)
        if (memchr(s, *c, n))
            return k;
    k.len = AU_INK_LONG;
    if (n <= AU_INK_SHORT) {
        memcpy(k.s, s, n);
        k.len = (uint8_t)n;
    }
    return k;
}

void au_inks_update(au_inks *k, const au_names *names, const char *never) {
    for (uint8_t s = AU_WIRE_SPACE_THREAD; s < AU_WIRE_SPACES; s++) {
        const au_intern *t = au_names_space_const(names, s);
        for (size_t i = k->space[s].n; i < t->n; i++)
            au_vec_push(&k->space[s],
                        ink_of(t->at[i].s, t->at[i].len, never, s == AU_WIRE_SPACE_LOC));
    }
}

au_status au_ink_refuse(au_error *err, const au_block *b, size_t i, const char *what) {
    return au_error_set(err, AU_EUNSUPPORTED, "event %llu (%s): %s",
                        (unsigned long long)(b->first + i + 1), au_op_name(b->op[i]), what);
}

char *au_ink_u64(char *p, uint64_t v) {
    static const char pair[] = "00010203040506070809101112131415161718192021222324"
                               "25262728293031323334353637383940414243444546474849"
                               "50515253545556575859606162636465666768697071727374"
                               "75767778798081828384858687888990919293949596979899";
    char digits[20];
    char *d = digits + sizeof digits;
    while (v >= 100) {
        memcpy(d -= 2, pair + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10)
        memcpy(d -= 2, pair + 2 * v, 2);
    else
        *--d = (char)('0' + v);
    size_t n = (size_t)(digits + sizeof digits - d);
    memcpy(p, d, n);
    return p + n;
}

char *au_ink_i64(char *p, int64_t v) {
    if (v < 0)
        *p++ = '-';
    return au_ink_u64(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
