/* trace/columns.c: space for building blocks.
 *
 * All columns have room for 'cap' events, but the two of the values are written
 * only once there is a value: for traces without values their pages are never
 * touched, so they cost address space and no memory. */
#include "trace/event.h"

#include "base/big.h"
#include "base/error.h"
#include "trace/reader_priv.h"

void au_columns_init(au_columns *c) {
    *c = (au_columns){.all_value = true};
}

void au_columns_release(au_columns *c) {
    au_big_free(c->op, c->cap, sizeof *c->op);
    au_big_free(c->thread, c->cap, sizeof *c->thread);
    au_big_free(c->obj, c->cap, sizeof *c->obj);
    au_big_free(c->loc, c->cap, sizeof *c->loc);
    au_big_free(c->value, c->cap, sizeof *c->value);
    au_big_free(c->has_value, c->cap, sizeof *c->has_value);
    au_columns_init(c);
}

void au_columns_clear(au_columns *c) {
    c->n = 0;
    c->any_value = false;
    c->all_value = true;
}

void au_columns_reserve(au_columns *c, size_t n) {
    if (n <= c->cap)
        return;
    size_t cap = c->cap * 2;
    if (cap < n)
        cap = n;
    if (cap < 64)
        cap = 64;
    c->op = au_big_grow(c->op, c->cap, cap, sizeof *c->op);
    c->thread = au_big_grow(c->thread, c->cap, cap, sizeof *c->thread);
    c->obj = au_big_grow(c->obj, c->cap, cap, sizeof *c->obj);
    c->loc = au_big_grow(c->loc, c->cap, cap, sizeof *c->loc);
    c->value = au_big_grow(c->value, c->cap, cap, sizeof *c->value);
    c->has_value = au_big_grow(c->has_value, c->cap, cap, sizeof *c->has_value);
    c->cap = cap;
}

/* The first value of these columns: the events before it have none. */
static void begin_values(au_columns *c) {
    for (size_t i = 0; i < c->n; i++)
        if (c->value[i] || c->has_value[i])
            c->value[i] = c->has_value[i] = 0;
    c->any_value = true;
    c->all_value = c->n == 0;
}

void au_columns_push(au_columns *c, au_op op, uint16_t thread, uint32_t obj, uint32_t loc,
                     const int64_t *value) {
    au_columns_reserve(c, c->n + 1);
    size_t i = c->n;
    c->op[i] = op;
    c->thread[i] = thread;
    c->obj[i] = obj;
    c->loc[i] = loc;
    if (value && !c->any_value)
        begin_values(c);
    if (c->any_value) {
        c->value[i] = value ? *value : 0;
        c->has_value[i] = value != NULL;
    }
    c->all_value = c->all_value && value;
    c->n = i + 1;
}

/* Pages without a value are not written: a long recording has few values (thin.h). */
static void append_values(au_columns *c, const au_block *b) {
    int64_t *value = c->value + c->n;
    uint8_t *has = c->has_value + c->n;
    for (size_t i = 0; i < b->n; i++) {
        bool any = au_block_has_value(b, i);
        if (any || has[i] || value[i]) {
            value[i] = any ? b->value[i] : 0;
            has[i] = any;
        }
    }
}

void au_columns_append(au_columns *c, const au_block *b) {
    if (!b->n)
        return;
    au_columns_reserve(c, c->n + b->n);
    size_t i = c->n;
    memcpy(c->op + i, b->op, b->n * sizeof *c->op);
    memcpy(c->thread + i, b->thread, b->n * sizeof *c->thread);
    memcpy(c->obj + i, b->obj, b->n * sizeof *c->obj);
    memcpy(c->loc + i, b->loc, b->n * sizeof *c->loc);
    if (b->value && !c->any_value)
        begin_values(c);
    if (c->any_value)
        append_values(c, b);
    c->all_value = c->all_value && b->value && !b->has_value;
    c->n += b->n;
}

au_block au_columns_block(const au_columns *c, size_t from, size_t to) {
    au_block b = {.n = to - from, .first = from};
    if (!b.n)
        return b;
    b.op = c->op + from;
    b.thread = c->thread + from;
    b.obj = c->obj + from;
    b.loc = c->loc + from;
    if (c->any_value) {
        b.value = c->value + from;
        b.has_value = c->all_value ? NULL : c->has_value + from;
    }
    return b;
}

enum { TOUCH = 1 << 20 }; /* events */

au_columns au_columns_tail(au_columns *c, size_t room, size_t *touched) {
    au_columns_reserve(c, c->n + room);
    if (*touched < c->n + room && c->cap >= TOUCH) {
        size_t n = c->cap - c->n < TOUCH ? c->cap - c->n : TOUCH;
        au_big_touch(c->op + c->n, n * sizeof *c->op);
        au_big_touch(c->thread + c->n, n * sizeof *c->thread);
        au_big_touch(c->obj + c->n, n * sizeof *c->obj);
        au_big_touch(c->loc + c->n, n * sizeof *c->loc);
        if (c->any_value) {
            au_big_touch(c->value + c->n, n * sizeof *c->value);
            au_big_touch(c->has_value + c->n, n * sizeof *c->has_value);
        }
        *touched = c->n + n;
    }
    return (au_columns){.all_value = true,
                        .cap = c->cap - c->n,
                        .op = c->op + c->n,
                        .thread = c->thread + c->n,
                        .obj = c->obj + c->n,
                        .loc = c->loc + c->n,
                        .value = c->value + c->n,
                        .has_value = c->has_value + c->n};
}

void au_columns_take_tail(au_columns *c, const au_columns *tail) {
    AU_BUG_IF(tail->op != c->op + c->n);
    if (!tail->n)
        return;
    if (tail->any_value && !c->any_value)
        begin_values(c);
    if (c->any_value && !tail->any_value) {
        memset(tail->value, 0, tail->n * sizeof *tail->value);
        memset(tail->has_value, 0, tail->n);
    }
    c->all_value = c->all_value && tail->any_value && tail->all_value;
    c->n += tail->n;
}
