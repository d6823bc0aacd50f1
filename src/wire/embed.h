/* SPDX-License-Identifier: MIT
 *
 * wire/embed.h: what `augur cc` puts into objects, section ".augurbc": records, each
 * 16-aligned, that survive archives, ld -r, --gc-sections and strip. Readers
 * scan the section by magic and check the hash. Two kinds of record a module: its
 * clean bitcode and its tables (sites, variables, types), below. */
#ifndef AU_WIRE_EMBED_H
#define AU_WIRE_EMBED_H

#include <stdint.h>

#define AU_EMBED_SECTION ".augurbc"
#define AU_EMBED_BITCODE "AUGURBC1" /* zstd-compressed if 'raw' differs from 'length' */
#define AU_EMBED_TABLES "AUGURTB1"

struct au_embed {
    char magic[8];
    uint64_t total;  /* with this header and padding, a multiple of 16 */
    uint64_t length; /* payload bytes */
    uint64_t raw;    /* payload bytes unpacked */
    uint64_t hash;   /* XXH3_64bits of the payload as stored */
    uint64_t module; /* id: XXH3_64bits of the clean bitcode */
};
_Static_assert(sizeof(struct au_embed) == 48, "record head");

/* Payload of a tables record: this head, then the arrays in this order, then the
 * strings (NUL-terminated; offset 0 is ""). */
struct au_tables {
    uint32_t version; /* 1 */
    uint32_t n_sites, n_globals, n_types, n_members;
    uint32_t string_bytes;
    uint32_t source; /* string: the main source file */
    uint32_t zero;
};

struct au_tab_site {
    uint32_t insn; /* number of the instruction in the clean module */
    uint32_t func; /* string: function it stands in, as the user wrote it; what was inlined from
                      system headers is told at its call */
    uint32_t file; /* string */
    uint32_t line;
    uint16_t col;
    uint8_t op; /* AU_OP_* or AU_SOP_* it usually logs */
    uint8_t size;
    uint32_t name; /* string: local variable (FRAME), callee (XCALL, sync calls); else 0 */
    uint32_t type; /* index + 1 of its type: FRAME: of the variable; access: of the object
                      the pointer's debug type says it points into; 0 unknown */
    uint32_t via;  /* string: where the function was inlined, "main (bank.c:30), …" from the
                      inside out; 0: it was not */
};
struct au_tab_global {
    uint32_t name, type; /* type: index + 1, 0 unknown */
    uint64_t size;
    uint32_t file, line;
};
enum {
    AU_TYPE_SCALAR = 0, /* also enums */
    AU_TYPE_POINTER = 1,
    AU_TYPE_ARRAY = 2,
    AU_TYPE_STRUCT = 3,
    AU_TYPE_UNION = 4
};
struct au_tab_type {
    uint32_t name; /* string: "int", "struct account", "" */
    uint8_t kind;  /* typedefs and qualifiers are looked through */
    uint8_t zero[3];
    uint64_t size;
    uint32_t elem; /* ARRAY, POINTER: index + 1 of the element's type */
    uint32_t zero2;
    uint64_t count;            /* ARRAY */
    uint32_t first, n_members; /* STRUCT, UNION: place in the member array */
};
struct au_tab_member {
    uint32_t name, type;
    uint64_t offset; /* bytes */
};

#endif
