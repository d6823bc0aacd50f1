/* trace/columns.c: space for building blocks.
 *
 * All columns have room for 'cap' events, but the two of the values are written
 * only once there is a value: for traces without values their pages are never
 * touched, so they cost address space and no memory. */
#include "trace/event.h"

void au_columns_init(au_columns *c) {
    *c = (au_columns){.all_value = true};
}

void au_columns_release(au_columns *c) {
    free(c->op);
    free(c->thread);
    free(c->obj);
    free(c->loc);
    free(c->value);
    free(c->has_value);
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
    size_t cap = c->cap + c->cap / 2;
    if (cap < n)
        cap = n;
    if (cap < 64)
        cap = 64;
    c->op = au_realloc_array(c->op, cap, sizeof *c->op);
    c->thread = au_realloc_array(c->thread, cap, sizeof *c->thread);
    c->obj = au_realloc_array(c->obj, cap, sizeof *c->obj);
    c->loc = au_realloc_array(c->loc, cap, sizeof *c->loc);
    c->value = au_realloc_array(c->value, cap, sizeof *c->value);
    c->has_value = au_realloc_array(c->has_value, cap, sizeof *c->has_value);
    c->cap = cap;
}

/* The first value of these columns: the events before it have none. */
static void begin_values(au_columns *c) {
    memset(c->value, 0, c->n * sizeof *c->value);
    memset(c->has_value, 0, c->n);
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
    if (c->any_value) {
        if (b->value)
            memcpy(c->value + i, b->value, b->n * sizeof *c->value);
        else
            memset(c->value + i, 0, b->n * sizeof *c->value);
        if (b->value && b->has_value)
            memcpy(c->has_value + i, b->has_value, b->n);
        else
            memset(c->has_value + i, b->value != NULL, b->n);
    }
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
