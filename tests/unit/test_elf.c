/* ELF files and the records of `augur cc` in them, good and bad. */
#include "program/elf.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

enum { INTERP = 0x300, DYNAMIC = 0x340, SYMTAB = 0x3a0, STRTAB = 0x3d0, RECORDS = 0x400 };
enum { SHSTR = 0x500, SECTIONS = 0x540, SIZE = 0x700 };

static unsigned char image[SIZE];

static void put(size_t at, const void *p, size_t n) {
    assert_true(at + n <= SIZE);
    memcpy(image + at, p, n);
}

static void put_record(size_t at, const char *magic, const char *payload, uint64_t module) {
    size_t n = strlen(payload);
    struct au_embed e = {.total = (sizeof e + n + 15) / 16 * 16,
                         .length = n,
                         .raw = n,
                         .hash = XXH3_64bits(payload, n),
                         .module = module};
    memcpy(e.magic, magic, sizeof e.magic);
    put(at, &e, sizeof e);
    put(at + sizeof e, payload, n);
}

/* A small dynamic executable with two records in its section. */
static void make(void) {
    memset(image, 0, sizeof image);
    Elf64_Ehdr h = {.e_type = ET_DYN,
                    .e_machine = EM_X86_64,
                    .e_phoff = sizeof h,
                    .e_phnum = 3,
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_shoff = SECTIONS,
                    .e_shnum = 3,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shstrndx = 1};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    put(0, &h, sizeof h);
    static const char linker[] = "/lib64/ld-linux-x86-64.so.2";
    put(INTERP, linker, sizeof linker);
    Elf64_Phdr p[3] = {
        {.p_type = PT_INTERP, .p_offset = INTERP, .p_filesz = sizeof linker},
        {.p_type = PT_LOAD, .p_offset = 0, .p_vaddr = 0x1000, .p_filesz = SIZE, .p_memsz = SIZE},
        {.p_type = PT_DYNAMIC, .p_offset = DYNAMIC, .p_filesz = 4 * sizeof(Elf64_Dyn)}};
    put(sizeof h, p, sizeof p);
    static const char strings[] = "\0__augur_module";
    Elf64_Dyn d[4] = {{.d_tag = DT_SYMTAB, .d_un.d_ptr = 0x1000 + SYMTAB},
                      {.d_tag = DT_STRTAB, .d_un.d_ptr = 0x1000 + STRTAB},
                      {.d_tag = DT_STRSZ, .d_un.d_val = sizeof strings},
                      {.d_tag = DT_NULL}};
    put(DYNAMIC, d, sizeof d);
    Elf64_Sym s[2] = {{0}, {.st_name = 1, .st_shndx = 1}};
    put(SYMTAB, s, sizeof s);
    put(STRTAB, strings, sizeof strings);
    put_record(RECORDS, AU_EMBED_TABLES, "first", 11);
    put_record(RECORDS + 64, AU_EMBED_BITCODE, "code", 11);
    put_record(RECORDS + 128, AU_EMBED_TABLES, "second one", 22);
    static const char names[] = "\0.shstrtab\0.augurbc";
    put(SHSTR, names, sizeof names);
    Elf64_Shdr x[3] = {
        {0},
        {.sh_type = SHT_STRTAB, .sh_name = 1, .sh_offset = SHSTR, .sh_size = sizeof names},
        {.sh_type = SHT_PROGBITS, .sh_name = 11, .sh_offset = RECORDS, .sh_size = 256}};
    put(SECTIONS, x, sizeof x);
}

static void a_good_program(void **state) {
    (void)state;
    make();
    au_elf e;
    au_elf_memory(&e, image, SIZE);
    assert_true(e.elf && e.wide && e.x86_64 && e.dynamic && e.glibc && e.executable && e.runtime);
    au_error err = AU_ERROR_NONE;
    assert_int_equal(au_elf_recordable(&e, "p", &err), AU_OK);
    size_t at = 0;
    struct au_embed head;
    const unsigned char *r = au_elf_record(&e, AU_EMBED_TABLES, &at, &head);
    assert_non_null(r);
    assert_int_equal(head.module, 11);
    assert_memory_equal(r + sizeof head, "first", 5);
    r = au_elf_record(&e, AU_EMBED_TABLES, &at, &head);
    assert_non_null(r);
    assert_int_equal(head.module, 22);
    assert_null(au_elf_record(&e, AU_EMBED_TABLES, &at, &head));
    assert_null(au_elf_record(&e, AU_EMBED_TABLES, &at, &head));
    au_elf_close(&e);
}

static void without_section_headers(void **state) {
    (void)state;
    make();
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    h.e_shoff = h.e_shnum = h.e_shstrndx = 0;
    put(0, &h, sizeof h);
    au_elf e;
    au_elf_memory(&e, image, SIZE);
    size_t at = 0;
    struct au_embed head;
    assert_non_null(au_elf_record(&e, AU_EMBED_BITCODE, &at, &head));
    assert_int_equal(head.length, 4);
}

static void the_symbol_alone_is_enough(void **state) {
    (void)state;
    make();
    memset(image + RECORDS, 0, 256);
    au_elf e;
    au_elf_memory(&e, image, SIZE);
    assert_true(e.runtime);
    memset(image + STRTAB + 1, 'x', 5);
    au_elf_memory(&e, image, SIZE);
    assert_false(e.runtime);
    au_error err = AU_ERROR_NONE;
    assert_int_equal(au_elf_recordable(&e, "p", &err), AU_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "not built by 'augur cc'"));
}

static void a_damaged_record_is_passed_over(void **state) {
    (void)state;
    make();
    image[RECORDS + sizeof(struct au_embed)] ^= 1;
    au_elf e;
    au_elf_memory(&e, image, SIZE);
    size_t at = 0;
    struct au_embed head;
    assert_non_null(au_elf_record(&e, AU_EMBED_TABLES, &at, &head));
    assert_int_equal(head.module, 22);
}

static const char *why_not(void (*spoil)(Elf64_Ehdr *h)) {
    static au_error err;
    Elf64_Ehdr h;
    make();
    memcpy(&h, image, sizeof h);
    spoil(&h);
    put(0, &h, sizeof h);
    au_elf e;
    au_elf_memory(&e, image, SIZE);
    assert_int_not_equal(au_elf_recordable(&e, "p", &err), AU_OK);
    return err.text;
}
static void narrow(Elf64_Ehdr *h) {
    h->e_ident[EI_CLASS] = ELFCLASS32;
}
static void other_machine(Elf64_Ehdr *h) {
    h->e_machine = EM_AARCH64;
}
static void no_segments(Elf64_Ehdr *h) {
    h->e_type = ET_EXEC;
    h->e_phnum = 0;
}
static void an_object(Elf64_Ehdr *h) {
    h->e_type = ET_REL;
    h->e_phnum = 0;
}
static void no_elf(Elf64_Ehdr *h) {
    h->e_ident[0] = 0;
}
static void a_script(Elf64_Ehdr *h) {
    memcpy(h->e_ident, "#!", 2);
}

static void what_cannot_be_recorded(void **state) {
    (void)state;
    assert_non_null(strstr(why_not(narrow), "32-bit"));
    assert_non_null(strstr(why_not(other_machine), "another kind of machine"));
    assert_non_null(strstr(why_not(no_segments), "statically linked"));
    assert_non_null(strstr(why_not(an_object), "not an executable"));
    assert_non_null(strstr(why_not(no_elf), "not a program"));
    assert_non_null(strstr(why_not(a_script), "is a script"));
}

/* Bytes of exactly this size, so that the sanitizer sees every step over the end. */
static void look_at(const unsigned char *p, size_t n) {
    unsigned char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, p, n);
    au_elf e;
    struct au_embed head;
    au_elf_memory(&e, copy, n);
    au_elf_recordable(&e, "p", NULL);
    for (size_t at = 0; au_elf_record(&e, AU_EMBED_TABLES, &at, &head);)
        assert_true(head.total <= n);
    free(copy);
}

static void cut_anywhere(void **state) {
    (void)state;
    make();
    for (size_t n = 0; n <= SIZE; n++)
        look_at(image, n);
}

static void any_byte_changed(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        for (int k = 0; k < 3; k++) {
            make();
            image[i] = (unsigned char)(k == 0 ? 0xff : k == 1 ? image[i] + 1 : 0x7f);
            look_at(image, SIZE);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_program),
        cmocka_unit_test(without_section_headers),
        cmocka_unit_test(the_symbol_alone_is_enough),
        cmocka_unit_test(a_damaged_record_is_passed_over),
        cmocka_unit_test(what_cannot_be_recorded),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(any_byte_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
