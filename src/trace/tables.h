/* trace/tables.h: what an instrumented module says of its places, variables and types
 * (wire/embed.h), checked, so that whoever uses it may follow every index. */
#ifndef AU_TRACE_TABLES_H
#define AU_TRACE_TABLES_H

#include "base/error.h"
#include "wire/embed.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    uint64_t module; /* id */
    struct au_tables head;
    const struct au_tab_site *site;
    const struct au_tab_global *global;
    const struct au_tab_type *type;
    const struct au_tab_member *member;
    const char *string;
    void *own; /* the bytes all of this points into */
} au_tables;

/* A record of kind AU_EMBED_TABLES with its head, as in a TABLES frame. Copies. NULL with
 * AU_EFORMAT if it is damaged. */
au_tables *au_tables_read(const void *record, size_t n, au_error *err);
void au_tables_free(au_tables *t);

static inline const char *au_tables_text(const au_tables *t, uint32_t string) {
    return t->string + string;
}
/* Of a type number (index + 1; 0: unknown, size 0). */
uint64_t au_tables_size(const au_tables *t, uint32_t type);

/* How C would call bytes [offset, offset+size) of an object of this type: "", ".next",
 * "[3].lock", "[2].name[4]"; where that ends inside of a part, "+K" follows. size 0: a
 * synchronisation object. buf is cut to fit and always terminated; returns the length. */
size_t au_tables_path(const au_tables *t, uint32_t type, uint64_t offset, uint64_t size, char *buf,
                      size_t room);

#endif
