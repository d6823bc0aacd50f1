/* program/elf.h: just enough of ELF to know whether a file can be recorded and to find
 * the records that `augur cc` put into it (wire/embed.h). The file may be anything: every
 * offset and size is checked against the file before it is followed. */
#ifndef AU_PROGRAM_ELF_H
#define AU_PROGRAM_ELF_H

#include "base/error.h"
#include "wire/embed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const unsigned char *bytes; /* the whole file, mapped */
    size_t size;
    uint64_t hash;                  /* XXH3_64bits of the file */
    bool mapped;                    /* bytes are ours */
    bool elf, wide, little, x86_64; /* what kind of file it is */
    bool executable;                /* ET_EXEC or a PIE */
    bool dynamic;                   /* asks for a dynamic linker … */
    bool glibc;                     /* … and for that of the GNU C library */
    bool runtime;                   /* made by `augur cc`: defines __augur_module, or has records */
    bool loads;                     /* calls dlopen */
    size_t records, records_size;   /* where the records are: the section, or the whole file */
} au_elf;

/* Only trouble with reading is an error: a file that is no ELF is one with elf false. */
au_status au_elf_open(au_elf *e, const char *path, au_error *err);
/* The caller's bytes (tests, fuzzers), which must outlive e. */
void au_elf_memory(au_elf *e, const void *bytes, size_t size);
void au_elf_close(au_elf *e);

/* Can 'augur record' run it? If not, AU_EFORMAT or AU_EUNSUPPORTED and why. */
au_status au_elf_recordable(const au_elf *e, const char *path, au_error *err);

/* The next record with this magic (AU_EMBED_*) from *at on (0 at first), borrowed from e,
 * with its payload behind it; NULL at the end. Damaged ones are passed over. The record
 * lies 16-aligned in the file but is to be read through memcpy if e is from memory. */
const unsigned char *au_elf_record(const au_elf *e, const char *magic, size_t *at,
                                   struct au_embed *head);

#endif
