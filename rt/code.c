/* SPDX-License-Identifier: MIT
 *
 * rt/code.c: what a called address is, told once for each address: code with hooks, a function of the runtime,
 * or code of a library without hooks, and then of which. Functions with hooks have AU_CODE_MARK in front of them.
 *
 * Libraries are found in the dynamic linker's list, without its locks: a thread that holds one may wait for the token.
 * Libraries that need each other are told as one, by the name of the first: what a thread gives to one, another may get
 * out of the other. The C and C++ libraries, which all need, do not make one of their users. */
#include "rt/bytes.h"
#include "rt/encode.h"
#include "rt/policy.h"
#include "rt/stream.h"

#include <link.h>
#include <sys/mman.h>

extern const char __start_augur_text[] __attribute__((visibility("hidden")));
extern const char __stop_augur_text[] __attribute__((visibility("hidden")));
extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));
extern struct r_debug _r_debug __attribute__((weak, visibility("default")));

/* Beyond, code is of "?": ordered with all other code that nobody knows. Nothing is lost but order that is not needed. */
enum { MOST_OBJECTS = 512, MOST_PARTS = 2048, NAME = 96 };

static struct object {
    const struct link_map *map; /* NULL: the program, if nothing is linked dynamically */
    char file[NAME];            /* its name without directories; the program's is "" */
    uint32_t one;               /* smallest number of those that are told as one */
} object[MOST_OBJECTS];
static uint32_t n_objects;

/* Executable parts of them. */
static struct part {
    uint64_t start, end;
    uint32_t object;
} part[MOST_PARTS];
static uint32_t n_parts;

static bool same(const char *a, const char *b) {
    for (; *a && *a == *b; a++, b++) {
    }
    return *a == *b;
}

static bool begins(const char *name, const char *with) {
    for (; *with; name++, with++)
        if (*name != *with)
            return false;
    return true;
}

static const char *last_part(const char *path) {
    const char *last = path;
    for (; *path; path++)
        if (*path == '/')
            last = path + 1;
    return last;
}

static bool is_base(const char *file) {
    static const char *const base[] = {"libc.so",     "libm.so",  "libpthread.", "libdl.",
                                       "librt.",      "libgcc_s", "libstdc++",   "libc++",
                                       "libatomic.",  "ld-",      "linux-vdso",  "libresolv.",
                                       "libunwind.so"};
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        if (begins(file, base[i]))
            return true;
    return false;
}

/* ---- libraries ---------------------------------------------------------------------------- */

static void add_parts(uint32_t o, const ElfW(Ehdr) * head, uint64_t at) {
    const ElfW(Phdr) *p = (const void *)((const char *)head + head->e_phoff);
    for (size_t i = 0; i < head->e_phnum && n_parts < MOST_PARTS; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X && p[i].p_flags & PF_R)
            part[n_parts++] = (struct part){at + p[i].p_vaddr, at + p[i].p_vaddr + p[i].p_memsz, o};
}

/* The header of a library is at its beginning. */
static void add_object(const struct link_map *m) {
    uint32_t o = n_objects++;
    const char *file = m ? last_part(m->l_name) : "";
    object[o] = (struct object){.map = m, .one = o};
    for (size_t i = 0; i + 1 < NAME && file[i]; i++)
        object[o].file[i] = file[i];
    const ElfW(Ehdr) *head = o ? (const void *)m->l_addr : &__ehdr_start;
    if (head && head->e_ident[0] == ELFMAG0 && head->e_ident[1] == ELFMAG1)
        add_parts(o, head, m ? m->l_addr : 0);
}

static void make_one(uint32_t a, uint32_t b) {
    uint32_t x = object[a].one, y = object[b].one;
    uint32_t low = x < y ? x : y, high = x < y ? y : x;
    for (uint32_t i = 0; i < n_objects; i++)
        if (object[i].one == high)
            object[i].one = low;
}

/* Not of the program, which needs them all. */
static void needs(uint32_t o) {
    const struct link_map *m = object[o].map;
    uint64_t text = 0;
    for (const ElfW(Dyn) *d = m->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            text = d->d_un.d_ptr < m->l_addr ? d->d_un.d_ptr + m->l_addr : d->d_un.d_ptr;
    if (!text)
        return;
    for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
        const char *file = (const char *)text + d->d_un.d_val;
        if (d->d_tag != DT_NEEDED || is_base(file))
            continue;
        for (uint32_t i = 1; i < n_objects; i++)
            if (same(object[i].file, file))
                make_one(o, i);
    }
}

static bool is_known(const struct link_map *m) {
    for (uint32_t i = 0; i < n_objects; i++)
        if (object[i].map == m)
            return true;
    return false;
}

static void find_objects(void) {
    uint32_t before = n_objects;
    const struct link_map *m = &_r_debug ? _r_debug.r_map : NULL;
    if (!m && !n_objects)
        add_object(NULL);
    for (; m && n_objects < MOST_OBJECTS; m = m->l_next)
        if (!is_known(m))
            add_object(m);
    for (uint32_t i = before ? before : 1; i < n_objects; i++)
        if (!is_base(object[i].file))
            needs(i);
}

static const struct part *part_of(uint64_t at) {
    for (uint32_t i = 0; i < n_parts; i++)
        if (at >= part[i].start && at < part[i].end)
            return &part[i];
    return NULL;
}

/* ---- addresses ------------------------------------------------------------------------------ */

static uint64_t *told;
static size_t size, used;

static size_t slot_of(const uint64_t *table, size_t n, uint64_t at) {
    size_t i = (size_t)((at * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (n - 1);
    while (table[i] && table[i] != at)
        i = (i + 1) & (n - 1);
    return i;
}

/* Is it the first time? */
static bool is_new(uint64_t at) {
    if (size && told[slot_of(told, size, at)])
        return false;
    if (2 * (used + 1) > size) {
        size_t n = size ? 2 * size : 4096;
        uint64_t *more = mmap(NULL, n * sizeof *more, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            rt_die("no memory for %zu addresses of functions", n);
        for (size_t i = 0; i < size; i++)
            if (told[i])
                more[slot_of(more, n, told[i])] = told[i];
        if (told)
            munmap(told, size * sizeof *told);
        told = more;
        size = n;
    }
    told[slot_of(told, size, at)] = at;
    used++;
    return true;
}

void rt_code_gone(void) {
    n_objects = n_parts = 0;
    used = 0;
    for (size_t i = 0; i < size; i++)
        told[i] = 0;
}

static const struct part *find_part(uint64_t at) {
    const struct part *p = part_of(at);
    if (p)
        return p;
    find_objects();
    return part_of(at);
}

static bool has_mark(const struct part *p, uint64_t at) {
    uint64_t mark = 0;
    if (p && at - p->start >= 8)
        rt_put_bytes(&mark, (const char *)(uintptr_t)at - 8, 8);
    return mark == AU_CODE_MARK;
}

int rt_code_has_hooks(const void *function) {
    uint64_t at = (uint64_t)(uintptr_t)function;
    return has_mark(find_part(at), at);
}

int rt_code_calls_back(const void *function) {
    uint64_t at = (uint64_t)(uintptr_t)function;
    const struct part *p = find_part(at);
    return p && is_base(object[p->object].file);
}

void rt_code(const void *function) {
    uint64_t at = (uint64_t)(uintptr_t)function;
    if (!at || !is_new(at))
        return;
    const struct part *p = find_part(at);
    const char *name = p ? object[object[p->object].one].file : "?";
    uint8_t what = has_mark(p, at) ? AU_CODE_HOOKS : AU_CODE_OTHER;
    if (at >= (uint64_t)(uintptr_t)__start_augur_text &&
        at < (uint64_t)(uintptr_t)__stop_augur_text)
        what = AU_CODE_RUNTIME;
    char text[9 + 256];
    size_t n = 0;
    while (n < 256 && name[n])
        n++;
    rt_put_bytes(text, &at, 8);
    text[8] = (char)what;
    rt_put_bytes(text + 9, name, n);
    rt_log_text(AU_NOTE_CODE, text, 9 + n);
}
