/* trace/text_write.h: names as the text encoders need them. Only for src/trace.
 *
 * For every name of a space, once: may it stand in this format, and its first
 * bytes where they can be copied with a few fixed moves. */
#ifndef AU_TRACE_TEXT_WRITE_H
#define AU_TRACE_TEXT_WRITE_H

#include "trace/reader_priv.h"

enum { AU_INK_SHORT = 23, AU_INK_LONG = 0xfe, AU_INK_BAD = 0xff };
typedef struct {
    char s[AU_INK_SHORT];
    uint8_t len; /* or AU_INK_LONG (then it is in the names), AU_INK_BAD */
} au_ink;

typedef struct {
    AU_VEC(au_ink) space[AU_WIRE_SPACES];
} au_inks;

void au_inks_release(au_inks *k);
/* Takes in the names added since the last call. Bad are empty ones (except
 * locations) and ones with a byte of 'never' (a string) in them. */
void au_inks_update(au_inks *k, const au_names *names, const char *never);

/* AU_EUNSUPPORTED: "event N (op): what", N from 1. */
au_status au_ink_refuse(au_error *err, const au_block *b, size_t i, const char *what);

/* Writes v in decimal at p (20 bytes of room); returns the end. */
char *au_ink_u64(char *p, uint64_t v);
char *au_ink_i64(char *p, int64_t v);

/* At p, which has AU_INK_SHORT bytes of room (or the name's length, if it is
 * long); returns the end. The name must not be bad. */
static inline char *au_ink_name(char *p, const au_ink *k, const au_intern *t, uint32_t id) {
    if (k->len <= AU_INK_SHORT) {
        memcpy(p, k->s, AU_INK_SHORT);
        return p + k->len;
    }
    size_t n = au_intern_len(t, id);
    memcpy(p, au_intern_str(t, id), n);
    return p + n;
}
/* Room that au_ink_name may need. */
static inline size_t au_ink_room(const au_ink *k, const au_intern *t, uint32_t id) {
    return k->len <= AU_INK_SHORT ? AU_INK_SHORT : au_intern_len(t, id);
}

#endif
