/* SPDX-License-Identifier: MIT
 *
 * rt/module.c: instrumented modules and the numbers of their sites. */
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/stream.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_MODULES 65535u /* one more ends the program, with a message */

struct module {
    uint32_t first, n;
    struct au_site *site; /* the module's own n */
    struct au_site *more; /* RT_SITE_KINDS - 1 times n sites */
};
static struct module *module; /* number 0: the runtime itself */
static unsigned n_modules;
static uint32_t next_site;
/* Where the runtime's own events stand before a thread called anything. */
static struct au_site own[RT_SITE_KINDS];

/* Libraries that were loaded so far, those that are gone included. */
static int take_loads(struct dl_phdr_info *info, size_t size, void *n) {
    (void)size;
    *(unsigned long long *)n = info->dlpi_adds;
    return 1;
}
static unsigned long long loads_at_start;
static unsigned long long loads(void) {
    unsigned long long n = 0;
    dl_iterate_phdr(take_loads, &n);
    return n;
}

int rt_module_loaded_more(void) {
    return loads() != loads_at_start;
}

void rt_module_start(void) {
    loads_at_start = loads();
    module = mmap(NULL, MAX_MODULES * sizeof *module, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (module == MAP_FAILED)
        rt_die("no memory for the table of modules");
    n_modules = 1;
    next_site = RT_FIRST_SITE;
    for (uint32_t i = 0; i < RT_SITE_KINDS; i++)
        own[i].id = 1 + i;
    module[0] = (struct module){.first = 1, .n = 1, .site = own, .more = own + 1};
}

struct au_site *rt_call_site(struct rt_thread *t) {
    uint32_t k = t->call_events < RT_SITE_KINDS - 1 ? t->call_events++ : t->call_events - 1;
    const struct au_site *s = t->call ? t->call : own;
    uint16_t number;
    memcpy(&number, s->zero, 2);
    const struct module *m = &module[number];
    return &m->more[k * m->n + (s->id - m->first)];
}

const struct au_site *rt_site_after(const struct au_site *s) {
    uint32_t number = 0;
    if (s->id >= RT_FIRST_SITE)
        for (number = n_modules - 1; number && s->id < module[number].first; number--)
            ;
    const struct module *m = &module[number];
    uint32_t i = s->succ - m->first;
    return i < m->n ? &m->site[i] : i < RT_SITE_KINDS * m->n ? &m->more[i - m->n] : NULL;
}

__attribute__((visibility("default"))) void __augur_module(const struct __augur_module *m) {
    if (m->version != AU_HOOKS_VERSION)
        rt_die("a module was built by another version of augur (hooks %u, runtime %u)", m->version,
               AU_HOOKS_VERSION);
    if (!rt_enter())
        return;
    if (n_modules == MAX_MODULES || next_site > UINT32_MAX / 2)
        rt_die("more modules than the runtime can hold");
    struct module *x = &module[n_modules];
    x->first = next_site;
    x->n = m->n_sites;
    x->site = m->site;
    size_t more = (RT_SITE_KINDS - 1) * (size_t)m->n_sites;
    x->more = mmap(NULL, (more + 1) * sizeof *x->more, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x->more == MAP_FAILED)
        rt_die("no memory for the sites of a module");
    next_site += RT_SITE_KINDS * m->n_sites;
    uint16_t number = (uint16_t)n_modules++;
    for (uint32_t i = 0; i < m->n_sites; i++) {
        m->site[i].id = x->first + i;
        memcpy(m->site[i].zero, &number, 2);
    }
    for (uint32_t i = 0; i < more; i++)
        x->more[i].id = x->first + m->n_sites + i;

    char path[4096];
    Dl_info info;
    ssize_t length = -1;
    path[0] = 0;
    if (dladdr(m, &info) && info.dli_fname && strchr(info.dli_fname, '/') &&
        strstr(info.dli_fname, ".so")) {
        strncpy(path, info.dli_fname, sizeof path - 1);
        path[sizeof path - 1] = 0;
    } else if ((length = rt_real.readlink("/proc/self/exe", path, sizeof path - 1)) > 0) {
        path[length] = 0;
    }
    struct __augur_module again = *m;
    for (uint32_t k = 0; k < RT_SITE_KINDS; k++) {
        rt_log_module(&again, x->first + k * m->n_sites, path);
        again.n_globals = 0; /* the same places again, for the events inside calls */
    }
    rt_leave(0);
}

static int is_mapped(const void *p) {
    Dl_info info;
    return dladdr(p, &info) != 0;
}

/* Sites may vanish with their library: nobody may stand on one. (The next event of a thread
 * then names its site, whatever the reader expects.) Inside, so that what the loader frees
 * behind the library's end is not told from a site that is gone. */
__attribute__((visibility("default"))) int dlclose(void *handle) {
    if (!rt_enter())
        return rt_real.dlclose(handle);
    rt_point();
    int e = rt_real.dlclose(handle);
    rt_code_gone();
    rt_hot.prev = &rt_no_site;
    for (uint32_t i = 0; i < rt_control->threads; i++) {
        struct rt_thread *t = rt_thread_of(i);
        if (!t)
            continue;
        t->prev = NULL;
        if (t->call && !is_mapped(t->call))
            t->call = NULL;
    }
    return rt_leave(e);
}
