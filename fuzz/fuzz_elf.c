/* Any bytes as an executable: what kind it is, and its records. */
#include "program/elf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    static const char *const magic[] = {AU_EMBED_TABLES, AU_EMBED_BITCODE};
    au_elf e;
    au_error err = AU_ERROR_NONE;
    au_elf_memory(&e, p, n);
    if (au_elf_recordable(&e, "p", &err) == AU_OK)
        AU_BUG_IF(!e.elf || !e.wide || !e.x86_64 || !e.dynamic);
    else
        AU_BUG_IF(!*err.text);
    for (int i = 0; i < 2; i++) {
        struct au_embed head;
        const unsigned char *r;
        for (size_t at = 0, before = 0; (r = au_elf_record(&e, magic[i], &at, &head));
             before = at) {
            AU_BUG_IF(at <= before || r < p || r + head.total > p + n);
            AU_BUG_IF(memcmp(r, magic[i], 8));
        }
    }
    au_elf_close(&e);
    return 0;
}
