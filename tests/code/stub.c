/* tests/code/stub.c: hooks that print what they were told, with line and names from the
 * module's tables. An instrumented test program linked with it prints its own trace. */
#include "rt/hooks.h"
#include "wire/embed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const struct __augur_module *m;
    const struct au_tab_site *site;
    const struct au_tab_type *type;
    const char *strings;
} mod[16];
static int n_mods;
static uint64_t depth;

/* 0 with STUB_OFF in the environment. */
uint32_t __augur_on = 1;

void __augur_module(const struct __augur_module *m) {
    __augur_on = !getenv("STUB_OFF");
    const struct au_embed *e = m->embed;
    const struct au_tables *t = (const void *)(e + 1);
    if (n_mods == 16 || m->version != AU_HOOKS_VERSION || e->module != m->id ||
        memcmp(e->magic, AU_EMBED_TABLES, 8) != 0 || t->n_sites != m->n_sites ||
        t->n_globals != m->n_globals || (uintptr_t)m->site % 64 != 0)
        abort();
    const struct au_tab_site *site = (const void *)(t + 1);
    const struct au_tab_global *global = (const void *)(site + t->n_sites);
    const struct au_tab_type *type = (const void *)(global + t->n_globals);
    const struct au_tab_member *member = (const void *)(type + t->n_types);
    mod[n_mods].m = m;
    mod[n_mods].site = site;
    mod[n_mods].type = type;
    mod[n_mods++].strings = (const char *)(member + t->n_members);
    if (getenv("STUB_TABLES")) {
        const char *s = mod[n_mods - 1].strings;
        for (uint32_t i = 0; i < t->n_globals; i++)
            printf("global %s %" PRIu64 " %s:%u type %s\n", s + global[i].name, global[i].size,
                   s + global[i].file, global[i].line,
                   global[i].type ? s + type[global[i].type - 1].name : "?");
        for (uint32_t i = 0; i < t->n_types; i++) {
            printf("type %s kind %d size %" PRIu64 " count %" PRIu64 "\n", s + type[i].name,
                   type[i].kind, type[i].size, type[i].count);
            for (uint32_t k = 0; k < type[i].n_members; k++)
                printf("  .%s +%" PRIu64 "\n", s + member[type[i].first + k].name,
                       member[type[i].first + k].offset);
        }
    }
    fflush(stdout);
}

/* The hook, the function and line of its site, and the op the table promised. */
static void say(const char *hook, const struct au_site *s) {
    for (int i = 0; i < n_mods; i++)
        if (s >= mod[i].m->site && s < mod[i].m->site + mod[i].m->n_sites) {
            const struct au_tab_site *t = &mod[i].site[s - mod[i].m->site];
            const char *strings = mod[i].strings;
            printf("%s %s:%u", hook, strings + t->func, t->line);
            if (t->name)
                printf(" '%s'", strings + t->name);
            if (t->type && mod[i].type[t->type - 1].name)
                printf(" (%s)", strings + mod[i].type[t->type - 1].name);
            if (t->via)
                printf(" in %s", strings + t->via);
            return;
        }
    abort();
}

#define WORD(k, T)                                                                                 \
    void __augur_ld##k(const void *p, struct au_site *s) {                                         \
        T v;                                                                                       \
        memcpy(&v, p, k);                                                                          \
        say("ld" #k, s);                                                                           \
        if (k < 8 || (uint64_t)v < 1u << 20)                                                       \
            printf(" = %" PRIx64, (uint64_t)v);                                                    \
        puts("");                                                                                  \
    }                                                                                              \
    void __augur_st##k(void *p, struct au_site *s, uint64_t v) {                                   \
        (void)*(volatile char *)p;                                                                 \
        say("st" #k, s);                                                                           \
        if (k < 8 || v < 1u << 20)                                                                 \
            printf(" %" PRIx64, v);                                                                \
        puts("");                                                                                  \
    }
WORD(1, uint8_t)
WORD(2, uint16_t)
WORD(4, uint32_t)
WORD(8, uint64_t)

void __augur_ldn(const void *p, struct au_site *s, uint64_t n) {
    (void)*(volatile const char *)p;
    say("ldn", s);
    printf(" %" PRIu64 "\n", n);
}
void __augur_stn(void *p, struct au_site *s, const void *from, uint64_t n) {
    (void)*(volatile char *)p;
    say("stn", s);
    printf(" %" PRIu64 " [", n);
    for (uint64_t i = 0; i < n && i < 16; i++)
        printf("%02x", ((const unsigned char *)from)[i]);
    puts("]");
}
void __augur_copy(void *to, const void *from, uint64_t n, struct au_site *r, struct au_site *w) {
    (void)to, (void)from, (void)r;
    say("copy", w);
    printf(" %" PRIu64 "\n", n);
}
void __augur_set(void *p, int byte, uint64_t n, struct au_site *s) {
    (void)p;
    say("set", s);
    printf(" %d %" PRIu64 "\n", byte, n);
}
void __augur_ald(const void *p, struct au_site *s, uint64_t size) {
    (void)p;
    say("ald", s);
    printf(" %" PRIu64 "\n", size);
}
void __augur_ast(void *p, struct au_site *s, uint64_t size, uint64_t v) {
    (void)p;
    say("ast", s);
    printf(" %" PRIu64 " %" PRIx64 "\n", size, v);
}
void __augur_rmw_begin(const void *p, struct au_site *s) {
    (void)p, (void)s;
}
void __augur_asm_begin(const void *p, uint64_t size, int reads) {
    (void)p, (void)size, (void)reads; /* the runtime's events of a call, which have no site */
}
void __augur_asm_end(const void *p, uint64_t size, int reads) {
    (void)p, (void)size, (void)reads;
}
void __augur_rmw_end(const void *p, struct au_site *s, uint64_t size, int wrote) {
    uint64_t v = 0;
    memcpy(&v, p, size > 8 ? 8 : size);
    say("rmw", s);
    printf(" %" PRIu64 " %s %" PRIx64 "\n", size, wrote ? "wrote" : "read", v);
}
void __augur_fence(struct au_site *s) {
    say("fence", s);
    puts("");
}
uint64_t __augur_enter(struct au_site *s) {
    say("enter", s);
    printf(" %" PRIu64 "\n", ++depth);
    return depth;
}
void __augur_leave(struct au_site *s) {
    say("leave", s);
    printf(" %" PRIu64 "\n", depth--);
}
void __augur_land(struct au_site *s, uint64_t to) {
    depth = to;
    say("land", s);
    printf(" %" PRIu64 "\n", to);
}
void __augur_frame(void *p, uint64_t size, struct au_site *s) {
    (void)p;
    say("frame", s);
    printf(" %" PRIu64 "\n", size);
}
void __augur_xcall(struct au_site *s, const void *fn) {
    say("xcall", s);
    puts(fn ? "" : " asm");
    fflush(stdout);
}
void __augur_xret(struct au_site *s, uint64_t result) {
    say("xret", s);
    if (result < 1u << 20 || result >> 47)
        printf(" %" PRIx64, result);
    puts("");
}
void __augur_branch(int taken) {
    printf("branch %d\n", taken);
}
void __augur_switch(uint64_t which, uint64_t bits) {
    printf("switch %" PRIu64 "/%" PRIu64 "\n", which, bits);
}
void __augur_loop(void) {
    puts("loop");
}
