#include "program/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static bool inside(const au_elf *e, uint64_t at, uint64_t n) {
    return at <= e->size && n <= e->size - at;
}

static bool get(const au_elf *e, uint64_t at, void *to, size_t n) {
    if (!inside(e, at, n))
        return false;
    memcpy(to, e->bytes + at, n);
    return true;
}

/* Calls 'see' for the program headers, in order, until it returns true. */
typedef bool see_phdr(const au_elf *e, const Elf64_Phdr *p, void *ctx);
static bool each_phdr(const au_elf *e, const Elf64_Ehdr *h, see_phdr *see, void *ctx) {
    if (h->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    for (uint32_t i = 0; i < h->e_phnum; i++) {
        Elf64_Phdr p;
        if (!get(e, h->e_phoff + (uint64_t)i * sizeof p, &p, sizeof p))
            return false;
        if (see(e, &p, ctx))
            return true;
    }
    return false;
}

struct place {
    uint64_t address, offset;
};
static bool see_place(const au_elf *e, const Elf64_Phdr *p, void *ctx) {
    struct place *x = ctx;
    (void)e;
    if (p->p_type != PT_LOAD || x->address < p->p_vaddr || x->address - p->p_vaddr >= p->p_filesz)
        return false;
    x->offset = p->p_offset + (x->address - p->p_vaddr);
    return true;
}
/* Where the byte at this address stands in the file; UINT64_MAX: nowhere. */
static uint64_t offset_of(const au_elf *e, const Elf64_Ehdr *h, uint64_t address) {
    struct place x = {address, 0};
    return each_phdr(e, h, see_place, &x) ? x.offset : UINT64_MAX;
}

static bool see_interp(const au_elf *e, const Elf64_Phdr *p, void *ctx) {
    if (p->p_type != PT_INTERP)
        return false;
    static const char name[] = "/ld-linux";
    *(bool *)ctx = p->p_filesz < 4096 && inside(e, p->p_offset, p->p_filesz) &&
                   memmem(e->bytes + p->p_offset, p->p_filesz, name, sizeof name - 1);
    return true;
}
static bool see_dynamic(const au_elf *e, const Elf64_Phdr *p, void *ctx) {
    (void)e;
    if (p->p_type != PT_DYNAMIC)
        return false;
    *(Elf64_Phdr *)ctx = *p;
    return true;
}

/* Is this name in the dynamic symbol table, defined or wanted from elsewhere? The table's length is
 * not told without section headers, but its strings usually follow it. */
static bool has_symbol(const au_elf *e, const Elf64_Ehdr *h, const char *name, bool defined) {
    Elf64_Phdr dyn;
    uint64_t symtab = 0, strtab = 0, strsz = 0;
    if (!each_phdr(e, h, see_dynamic, &dyn))
        return false;
    for (uint64_t i = 0; i < dyn.p_filesz / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn d;
        if (!get(e, dyn.p_offset + i * sizeof d, &d, sizeof d) || d.d_tag == DT_NULL)
            break;
        if (d.d_tag == DT_SYMTAB)
            symtab = d.d_un.d_ptr;
        else if (d.d_tag == DT_STRTAB)
            strtab = d.d_un.d_ptr;
        else if (d.d_tag == DT_STRSZ)
            strsz = d.d_un.d_val;
    }
    uint64_t syms = offset_of(e, h, symtab), strs = offset_of(e, h, strtab);
    if (!symtab || !strtab || syms == UINT64_MAX || strs == UINT64_MAX || !inside(e, strs, strsz))
        return false;
    uint64_t end = strs > syms ? strs : e->size;
    size_t n = strlen(name) + 1;
    for (uint64_t at = syms; at + sizeof(Elf64_Sym) <= end; at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        if (!get(e, at, &s, sizeof s) || s.st_name >= strsz)
            return false; /* past the table */
        if ((s.st_shndx != SHN_UNDEF) == defined && strsz - s.st_name >= n &&
            !memcmp(e->bytes + strs + s.st_name, name, n))
            return true;
    }
    return false;
}

/* Without section headers the records are looked for in the whole file. */
static void find_section(au_elf *e, const Elf64_Ehdr *h) {
    Elf64_Shdr names, s;
    e->records = 0;
    e->records_size = e->size;
    if (h->e_shentsize != sizeof s || h->e_shstrndx >= h->e_shnum ||
        !get(e, h->e_shoff + (uint64_t)h->e_shstrndx * sizeof s, &names, sizeof names) ||
        !inside(e, names.sh_offset, names.sh_size))
        return;
    size_t n = sizeof AU_EMBED_SECTION;
    bool found = false;
    for (uint32_t i = 0; i < h->e_shnum; i++) {
        if (!get(e, h->e_shoff + (uint64_t)i * sizeof s, &s, sizeof s))
            return;
        if (s.sh_type == SHT_NOBITS || s.sh_name >= names.sh_size ||
            names.sh_size - s.sh_name < n ||
            memcmp(e->bytes + names.sh_offset + s.sh_name, AU_EMBED_SECTION, n) ||
            !inside(e, s.sh_offset, s.sh_size))
            continue;
        /* An object has one for each record; what lies between them has no magic. */
        size_t low = s.sh_offset, high = s.sh_offset + s.sh_size;
        if (found && e->records < low)
            low = e->records;
        if (found && e->records + e->records_size > high)
            high = e->records + e->records_size;
        e->records = low;
        e->records_size = high - low;
        found = true;
    }
    if (!found)
        e->records_size = 0;
}

static void look(au_elf *e) {
    Elf64_Ehdr h;
    unsigned char ident[EI_NIDENT];
    if (!get(e, 0, ident, sizeof ident) || memcmp(ident, ELFMAG, SELFMAG))
        return;
    e->elf = true;
    e->wide = ident[EI_CLASS] == ELFCLASS64;
    e->little = ident[EI_DATA] == ELFDATA2LSB;
    if (!e->wide || !e->little || !get(e, 0, &h, sizeof h))
        return;
    e->x86_64 = h.e_machine == EM_X86_64;
    e->dynamic = each_phdr(e, &h, see_interp, &e->glibc);
    e->executable = h.e_type == ET_EXEC || (h.e_type == ET_DYN && e->dynamic);
    e->loads = has_symbol(e, &h, "dlopen", false) || has_symbol(e, &h, "dlmopen", false);
    find_section(e, &h);
    struct au_embed head;
    size_t at = 0;
    e->runtime =
        has_symbol(e, &h, "__augur_module", true) || au_elf_record(e, AU_EMBED_TABLES, &at, &head);
}

void au_elf_memory(au_elf *e, const void *bytes, size_t size) {
    *e = (au_elf){.bytes = bytes, .size = size};
    e->hash = XXH3_64bits(bytes, size);
    look(e);
}

au_status au_elf_open(au_elf *e, const char *path, au_error *err) {
    *e = (au_elf){0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return au_error_errno(err, "cannot read '%s'", path);
    if (fstat(fd, &st)) {
        au_error_errno(err, "cannot read '%s'", path);
        close(fd);
        return AU_EIO;
    }
    if (!S_ISREG(st.st_mode)) {
        close(fd);
        return au_error_set(err, AU_EIO, "cannot read '%s': it is %s", path,
                            S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
    }
    void *p = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (p == MAP_FAILED) {
        au_error_errno(err, "cannot read '%s'", path);
        close(fd);
        return AU_EIO;
    }
    close(fd);
    au_elf_memory(e, p ? p : "", p ? (size_t)st.st_size : 0);
    e->mapped = p;
    return AU_OK;
}

void au_elf_close(au_elf *e) {
    if (e->mapped)
        munmap((void *)(uintptr_t)e->bytes, e->size);
    *e = (au_elf){0};
}

au_status au_elf_recordable(const au_elf *e, const char *path, au_error *err) {
    if (e->size >= 2 && !memcmp(e->bytes, "#!", 2))
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' is a script: name the program that it starts", path);
    if (!e->elf)
        return au_error_set(err, AU_EFORMAT, "'%s' is not a program (no ELF file)", path);
    if (!e->wide)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' is a 32-bit program: only x86-64 can be recorded", path);
    if (!e->x86_64)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' is for another kind of machine: only x86-64 can be recorded",
                            path);
    if (!e->dynamic && !e->executable)
        return au_error_set(err, AU_EFORMAT, "'%s' is not an executable (a library or an object)",
                            path);
    if (!e->dynamic)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' is statically linked: calls of the C library cannot be wrapped; "
                            "link it without '-static'",
                            path);
    if (!e->glibc)
        return au_error_set(err, AU_EUNSUPPORTED, "'%s' is not linked with the GNU C library",
                            path);
    if (!e->runtime)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' was not built by 'augur cc' (it has no hooks): compile and link "
                            "it with CC=\"augur cc\"",
                            path);
    return AU_OK;
}

const unsigned char *au_elf_record(const au_elf *e, const char *magic, size_t *at,
                                   struct au_embed *head) {
    size_t end = e->records + e->records_size;
    size_t i = *at > e->records ? *at : e->records;
    for (i = (i + 15) & ~(size_t)15; i + sizeof *head <= end; i += 16) {
        if (memcmp(e->bytes + i, magic, sizeof head->magic))
            continue;
        memcpy(head, e->bytes + i, sizeof *head);
        if (head->total % 16 || head->total < sizeof *head || head->total > end - i ||
            head->length > head->total - sizeof *head ||
            XXH3_64bits(e->bytes + i + sizeof *head, head->length) != head->hash)
            continue;
        *at = i + head->total;
        return e->bytes + i;
    }
    *at = end;
    return NULL;
}
