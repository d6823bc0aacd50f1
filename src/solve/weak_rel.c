/* solve/weak_rel.c: relations of few events as rows of bits. */
#include "solve/weak_priv.h"

void au_rel_init(au_reln *r, uint32_t n) {
    *r = (au_reln){.n = n, .words = (n + 63) / 64};
    r->row = au_alloc_array((size_t)n * r->words + 1, sizeof *r->row);
}

void au_rel_release(au_reln *r) {
    free(r->row);
    *r = (au_reln){0};
}

void au_rel_clear(au_reln *r) {
    memset(r->row, 0, (size_t)r->n * r->words * sizeof *r->row);
}

void au_rel_copy(au_reln *to, const au_reln *from) {
    memcpy(to->row, from->row, (size_t)to->n * to->words * sizeof *to->row);
}

static void join_row(au_reln *to, uint32_t a, const au_reln *from, uint32_t b) {
    for (uint32_t i = 0; i < to->words; i++)
        to->row[(size_t)a * to->words + i] |= from->row[(size_t)b * from->words + i];
}

void au_rel_join(au_reln *to, const au_reln *from) {
    for (uint32_t a = 0; a < to->n; a++)
        join_row(to, a, from, a);
}

void au_rel_compose(au_reln *to, const au_reln *a, const au_reln *b) {
    for (uint32_t x = 0; x < a->n; x++)
        for (uint32_t y = 0; y < a->n; y++)
            if (au_rel_has(a, x, y))
                join_row(to, x, b, y);
}

void au_rel_close(au_reln *r) {
    for (uint32_t k = 0; k < r->n; k++)
        for (uint32_t i = 0; i < r->n; i++)
            if (au_rel_has(r, i, k))
                join_row(r, i, r, k);
}

bool au_rel_path(const au_reln *r, uint32_t a, uint32_t b, au_u32s *path) {
    uint32_t *by = au_alloc_array(r->n + 1, sizeof *by); /* from where it was reached, + 1 */
    au_u32s todo = {0};
    bool found = false;
    au_vec_clear(path);
    au_vec_push(&todo, a);
    for (size_t i = 0; i < todo.n && !found; i++)
        for (uint32_t y = 0; y < r->n && !found; y++) {
            if (by[y] || !au_rel_has(r, todo.at[i], y))
                continue;
            by[y] = todo.at[i] + 1;
            found = y == b;
            au_vec_push(&todo, y);
        }
    for (uint32_t at = b; found;) {
        au_vec_push(path, at);
        at = by[at] - 1;
        if (at == a)
            break;
    }
    for (size_t i = 0; i < path->n / 2; i++) {
        uint32_t x = path->at[i];
        path->at[i] = path->at[path->n - 1 - i];
        path->at[path->n - 1 - i] = x;
    }
    au_vec_release(&todo);
    free(by);
    return found;
}
