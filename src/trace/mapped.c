#include "trace/mapped.h"

#include "base/alloc.h"

#include <string.h>

/* What lies there now lies there alone. */
static void cut(au_mappings *m, uint64_t start, uint64_t end) {
    for (size_t i = m->n; i-- > 0;) {
        struct au_mapping x = m->at[i], rest = x;
        if (x.end <= start || x.start >= end)
            continue;
        m->at[i] = au_vec_last(m);
        m->n--;
        if (x.start < start) {
            rest.end = start;
            au_vec_push(m, rest);
        }
        if (x.end > end) {
            rest = x;
            rest.offset += end - x.start;
            rest.start = end;
            au_vec_push(m, rest);
        }
    }
}

void au_mappings_note(au_mappings *m, const uint8_t *data, size_t n) {
    uint64_t note[4];
    if (n != sizeof note)
        return;
    memcpy(note, data, sizeof note);
    uint64_t end = note[0] + note[1];
    if (end <= note[0])
        return;
    end = (end + 4095) & ~UINT64_C(4095);
    cut(m, note[0], end);
    if (note[2])
        au_vec_push(m, ((struct au_mapping){note[0], end, note[2], note[3]}));
}

bool au_mappings_have(const au_mappings *m, uint64_t at, uint64_t n) {
    for (size_t i = 0; i < m->n; i++)
        if (at < m->at[i].end && m->at[i].start < at + n)
            return true;
    return false;
}

bool au_mappings_double(const au_mappings *m, uint64_t at, uint64_t n) {
    for (size_t i = 0; i < m->n; i++) {
        const struct au_mapping *x = &m->at[i];
        if (at >= x->end || x->start >= at + n)
            continue;
        uint64_t from = (at > x->start ? at - x->start : 0) + x->offset, to = from + n;
        for (size_t k = 0; k < m->n; k++) {
            const struct au_mapping *y = &m->at[k];
            if (k != i && y->file == x->file && y->offset < to &&
                from < y->offset + (y->end - y->start))
                return true;
        }
    }
    return false;
}
