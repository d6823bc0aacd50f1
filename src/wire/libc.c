/* SPDX-License-Identifier: MIT
 *
 * wire/libc.c: the rows of wire/libc.def, and their order by name, which libc_order.sh makes when augur is built:
 * the table is grouped for readers, a lookup halves. */
#include "wire/libc.h"

/* '_' in each column */
#define AU_RUNTIME__ AU_RUNTIME_NO
#define AU_DOES__ AU_DOES_UNSTATED
#define AU_READS__ AU_READS_UNSTATED
#define AU_CHANNEL__ AU_CHANNEL_UNSTATED
#define AU_CLASS__ AU_CLASS_UNSTATED

/* The class and what comes behind it by name are one: '...' must not be empty. */
#define F(f, runtime_, does_, args_, result_, reads_, channel_, ...)                               \
    {.name = #f,                                                                                   \
     .runtime = AU_RUNTIME_##runtime_,                                                             \
     .does = AU_DOES_##does_,                                                                      \
     .args = args_,                                                                                \
     .result = result_,                                                                            \
     .reads = AU_READS_##reads_,                                                                   \
     .channel = AU_CHANNEL_##channel_,                                                             \
     .class = AU_CLASS_##__VA_ARGS__},
#define S(f, runtime_, sync_, args_, reads_, channel_, ...)                                        \
    {.name = #f,                                                                                   \
     .runtime = AU_RUNTIME_##runtime_,                                                             \
     .does = AU_DOES_SYNC,                                                                         \
     .sync = AU_SYNC_##sync_,                                                                      \
     .args = args_,                                                                                \
     .result = 'z',                                                                                \
     .reads = AU_READS_##reads_,                                                                   \
     .channel = AU_CHANNEL_##channel_,                                                             \
     .class = AU_CLASS_##__VA_ARGS__},
#define B(begin, runtime_, does_, reads_, channel_, class_)
static const au_libc row[] = {
#include "wire/libc.def"
};

#define F(...)
#define S(...)
#define B(begin, runtime_, does_, reads_, channel_, class_)                                        \
    {.name = begin,                                                                                \
     .runtime = AU_RUNTIME_##runtime_,                                                             \
     .does = AU_DOES_##does_,                                                                      \
     .reads = AU_READS_##reads_,                                                                   \
     .channel = AU_CHANNEL_##channel_,                                                             \
     .class = AU_CLASS_##class_},
static const au_libc family[] = {
#include "wire/libc.def"
};

static const uint16_t order[] = {
#include "wire/libc_order.h"
};

enum { ROWS = sizeof row / sizeof *row, FAMILIES = sizeof family / sizeof *family };
_Static_assert(sizeof order / sizeof *order == ROWS, "every row has its place in the order");

static int compare(const char *a, const char *b) {
    for (; *a && *a == *b; a++, b++) {
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static bool begins(const char *name, const char *with) {
    for (; *with; name++, with++)
        if (*name != *with)
            return false;
    return true;
}

static const au_libc *more, *more_families;
static size_t n_more, n_more_families;

void au_libc_add(const au_libc *rows, size_t n, const au_libc *families, size_t n_families) {
    more = rows;
    n_more = n;
    more_families = families;
    n_more_families = n_families;
}

const au_libc *au_libc_find(const char *name) {
    for (size_t i = 0; i < n_more; i++)
        if (!compare(name, more[i].name))
            return &more[i];
    return au_libc_find_own(name);
}

const au_libc *au_libc_find_own(const char *name) {
    size_t low = 0, high = ROWS;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const au_libc *r = &row[order[middle]];
        int way = compare(name, r->name);
        if (!way)
            return r;
        if (way < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

au_libc au_libc_of(const char *name) {
    const au_libc *own = au_libc_find(name);
    au_libc all = own ? *own : (au_libc){0};
    for (size_t i = 0; i < n_more_families + FAMILIES; i++) {
        const au_libc *f = i < n_more_families ? &more_families[i] : &family[i - n_more_families];
        if (!begins(name, f->name))
            continue;
        all.users |= f->users;
        all.name = all.name ? all.name : f->name;
        all.runtime = all.runtime ? all.runtime : f->runtime;
        all.does = all.does ? all.does : f->does;
        all.reads = all.reads ? all.reads : f->reads;
        all.channel = all.channel ? all.channel : f->channel;
        all.class = all.class ? all.class : f->class;
    }
    return all;
}

/* Can it give a thread memory that another one gave it? Nobody knows of what has no row. */
static bool hands_over(const au_libc *r) {
    switch ((au_libc_does)r->does) {
    case AU_DOES_UNSTATED:
    case AU_DOES_QUIET:
        return true;
    case AU_DOES_SYNC: /* the runtime does not follow it, or we would not be here */
        return r->users;
    case AU_DOES_MEMORY:
        for (const char *a = r->args; *a; a++)
            if (*a == 'k' || *a == 'P')
                return true;
        return r->result == 'o';
    default:
        return false;
    }
}

bool au_libc_orders(const char *name, bool base) {
    const au_libc *own = au_libc_find(name);
    au_libc all = au_libc_of(name);
    if (!own && !base && !all.users && all.class != AU_CLASS_PLAIN && all.class != AU_CLASS_OPAQUE)
        return true;
    if (all.class)
        return all.class == AU_CLASS_OPAQUE;
    if (!all.name)
        return true;
    if (all.runtime >= AU_RUNTIME_STANDS || all.channel || all.reads || all.gap || all.left_out ||
        all.fails)
        return false;
    return hands_over(&all);
}

static bool reads_memory(const au_libc *r) {
    if (r->reads)
        return false; /* events tell it, or it does not come back */
    if (r->does != AU_DOES_MEMORY)
        return r->does != AU_DOES_PURE;
    for (const char *a = r->args; *a; a++)
        if (*a == 'r' || *a == 'b' || *a == 'k')
            return true;
    return false;
}

au_libc_reply au_libc_foreign(const char *name, bool base) {
    const au_libc *own = au_libc_find(name);
    au_libc all = au_libc_of(name);
    if (!all.name || (!own && !base && !all.users && !all.class))
        return AU_REPLY_MEMORY;
    if (all.copies)
        return AU_REPLY_MEMORY;
    if (all.kernel)
        return AU_REPLY_STATE;
    if (all.runtime >= AU_RUNTIME_STANDS || all.class == AU_CLASS_HARMLESS ||
        all.class == AU_CLASS_DEAF || all.fails)
        return AU_REPLY_UNSTATED;
    switch ((au_libc_does)all.does) {
    case AU_DOES_SYNC:
        return all.users ? AU_REPLY_MEMORY : AU_REPLY_UNSTATED;
    case AU_DOES_PURE:
    case AU_DOES_MEMORY:
    case AU_DOES_QUIET:
    case AU_DOES_CALLBACK:
    case AU_DOES_UNSTATED:
        return reads_memory(&all) ? AU_REPLY_MEMORY : AU_REPLY_STATE;
    default:
        return AU_REPLY_UNSTATED;
    }
}

const au_libc *au_libc_rows(size_t *n) {
    *n = ROWS;
    return row;
}

const au_libc *au_libc_families(size_t *n) {
    *n = FAMILIES;
    return family;
}

static const char *const state[AU_STATES] = {
    [AU_STATE_NONE] = "(state of a stream)", /* and of whatever has a word behind these */
    [AU_STATE_ENVIRONMENT] = "(environment)",   [AU_STATE_RANDOM] = "(state of rand)",
    [AU_STATE_RANDOM48] = "(state of drand48)", [AU_STATE_LOCALE] = "(locale)",
    [AU_STATE_SIGNALS] = "(signal handlers)",   [AU_STATE_KEYS] = "(keys of threads' data)",
    [AU_STATE_STRTOK] = "(state of strtok)",
};

const char *au_libc_state_at(uint64_t address) {
    if (!au_libc_is_state(address))
        return NULL;
    uint64_t k = (address - AU_STATE_BASE) / 8;
    return state[k < AU_STATES ? k : AU_STATE_NONE];
}

bool au_libc_names_state(const char *variable) {
    for (size_t k = 0; *variable == '(' && k < AU_STATES; k++)
        if (begins(variable, state[k]))
            return true;
    return false;
}
