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
    uint64_t age = 0;
    for (size_t i = 0; i < m->n; i++)
        age = m->at[i].age >= age ? m->at[i].age + 1 : age;
    if (note[2])
        au_vec_push(m, ((struct au_mapping){note[0], end, note[2], note[3], age}));
}

bool au_mappings_have(const au_mappings *m, uint64_t at, uint64_t n) {
    for (size_t i = 0; i < m->n; i++)
        if (at < m->at[i].end && m->at[i].start < at + n)
            return true;
    return false;
}

static bool has_all(uint64_t start, uint64_t end, uint64_t at, uint64_t n) {
    return at >= start && at < end && n <= end - at;
}

uint64_t au_mappings_first(const au_mappings *m, uint64_t at, uint64_t n) {
    const struct au_mapping *x = NULL, *first;
    for (size_t i = 0; i < m->n && !x; i++)
        if (has_all(m->at[i].start, m->at[i].end, at, n))
            x = &m->at[i];
    first = x;
    for (size_t i = 0; x && i < m->n; i++) {
        const struct au_mapping *y = &m->at[i];
        if (y->file == x->file && y->age < first->age &&
            has_all(y->offset, y->offset + (y->end - y->start), at - x->start + x->offset, n))
            first = y;
    }
    return x ? at - x->start + x->offset - first->offset + first->start : at;
}
