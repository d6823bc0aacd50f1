#include "trace/event.h"

#include "base/error.h"

#define NAME_(num, name, text, space) [num] = {text, AU_WIRE_SPACE_##space},
static const struct {
    const char *name;
    uint8_t space;
} ops[AU_OPS] = {AU_WIRE_OPS(NAME_)};
#undef NAME_

const char *au_op_name(au_op op) {
    AU_BUG_IF(op >= AU_OPS);
    return ops[op].name;
}

uint8_t au_op_space(au_op op) {
    AU_BUG_IF(op >= AU_OPS);
    return ops[op].space;
}

au_op au_op_by_name(const char *s, size_t n) {
    for (au_op op = 0; op < AU_OPS; op++)
        if (strlen(ops[op].name) == n && !memcmp(ops[op].name, s, n))
            return op;
    return AU_OPS;
}

void au_names_init(au_names *n) {
    *n = (au_names){0};
    au_intern_init(&n->thread);
    au_intern_init(&n->var);
    au_intern_init(&n->lock);
    au_intern_init(&n->block);
    au_intern_init(&n->loc);
}

void au_names_release(au_names *n) {
    au_intern_release(&n->thread);
    au_intern_release(&n->var);
    au_intern_release(&n->lock);
    au_intern_release(&n->block);
    au_intern_release(&n->loc);
    au_vec_release(&n->sync);
    au_vec_release(&n->extent);
    for (size_t i = 0; i < n->called.n; i++)
        free(n->called.at[i]);
    au_vec_release(&n->called);
}

void au_names_call(au_names *names, uint32_t thread, const char *text, size_t n) {
    while (names->called.n <= thread)
        au_vec_push(&names->called, NULL);
    free(names->called.at[thread]);
    names->called.at[thread] = n ? au_strndup(text, n) : NULL;
}

const char *au_names_called(const au_names *names, uint32_t thread) {
    const char *text = thread < names->called.n ? names->called.at[thread] : NULL;
    return text ? text : "";
}

const au_intern *au_names_space_const(const au_names *n, uint8_t space) {
    switch (space) {
    case AU_WIRE_SPACE_THREAD:
        return &n->thread;
    case AU_WIRE_SPACE_VAR:
        return &n->var;
    case AU_WIRE_SPACE_LOCK:
        return &n->lock;
    case AU_WIRE_SPACE_BLOCK:
        return &n->block;
    case AU_WIRE_SPACE_LOC:
        return &n->loc;
    default:
        return NULL;
    }
}

au_intern *au_names_space(au_names *n, uint8_t space) {
    return (au_intern *)au_names_space_const(n, space);
}

void au_names_set_extent(au_names *n, uint32_t var, uint64_t at, uint64_t bytes) {
    while (n->extent.n <= var)
        au_vec_push(&n->extent, ((struct au_extent){0, 0}));
    n->extent.at[var] = (struct au_extent){at, bytes};
}

void au_names_set_sync(au_names *n, uint32_t lock, uint8_t kind, int32_t init) {
    AU_BUG_IF(lock >= n->lock.n);
    while (n->sync.n <= lock)
        au_vec_push(&n->sync, ((struct au_sync_info){0}));
    n->sync.at[lock] = (struct au_sync_info){.kind = kind, .init = init};
}

struct au_sync_info au_names_sync(const au_names *n, uint32_t lock) {
    return lock < n->sync.n ? n->sync.at[lock] : (struct au_sync_info){0};
}
