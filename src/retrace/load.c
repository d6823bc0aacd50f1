/* retrace/load.c: a module is loaded: its sites, the addresses of its variables, its
 * constants, what its variables hold at first. */
#include "base/limits.h"
#include "retrace/retrace_priv.h"

#include "wire/libc.h"

static uint64_t hash_name(const char *name) {
    return au_hash_bytes(name, strlen(name));
}

static uint64_t make_up(au_retracer *x, uint64_t size) {
    uint64_t at = x->made;
    x->made += (size + 63) & ~UINT64_C(31);
    if (x->made >= AU_MADE_STACKS) /* 2^41 bytes of declarations */
        x->made = at = AU_MADE_BASE + 64;
    return at;
}

/* The made-up address of a function: one for all modules, but for inner ones. */
uint64_t au_retrace_function_address(au_retracer *x, const au_rmodule *m, uint32_t name) {
    const char *text = au_code_text(m->code, name);
    uint64_t key = hash_name(text);
    const au_code *code = m->code;
    for (uint32_t i = 0; i < code->n_functions; i++)
        if (code->function[i].internal && !strcmp(au_code_text(code, code->function[i].name), text))
            key = au_hash_join(key, m->first_site);
    bool fresh;
    uint64_t *at = au_map_put(&x->made_names, key, &fresh);
    if (fresh)
        *at = make_up(x, 16);
    return *at;
}

static uint64_t *exported(au_retracer *x, const char *name) {
    return au_map_find(&x->names, hash_name(name));
}

static void fill_pool(au_retracer *x, au_rmodule *m) {
    const au_code *code = m->code;
    for (uint32_t i = 0; i < code->n_consts; i++) {
        const struct au_code_const *c = &code->pool[i];
        m->pool_tint[i] = AU_KNOWN;
        switch (c->kind) {
        case AU_CONST_NUMBER:
            m->pool[i] = c->value;
            break;
        case AU_CONST_GLOBAL:
            if (code->global[c->index].tls) {
                m->pool[i] = i;
                m->pool_tint[i] = AU_TINT_TLS;
            } else {
                m->pool[i] = m->global[c->index] + c->value;
            }
            break;
        case AU_CONST_FUNCTION:
            m->pool[i] = au_retrace_function_address(x, m, c->index) + c->value;
            break;
        default:
            m->pool[i] = 0;
            m->pool_tint[i] = AU_UNKNOWN;
            break;
        }
    }
}

/* The initial value of a global at an address of ours. */
static void put_initial(au_retracer *x, au_rmodule *m, uint32_t n, uint64_t at) {
    const au_code *code = m->code;
    const struct au_code_global *g = &code->global[n];
    if (g->zero)
        au_shadow_fill(&x->memory, at, 0, g->size);
    else
        au_shadow_write(&x->memory, at, code->bytes + g->data, g->size);
    au_shadow_fill(&x->tag, at, 1, g->size);
    for (uint32_t k = 0; k < g->n_relocs; k++) {
        const struct au_code_reloc *r = &code->reloc[g->reloc + k];
        bool known = r->size == 8 && m->pool_tint[r->constant] == AU_KNOWN;
        if (known)
            au_shadow_put(&x->memory, at + r->offset, 8, m->pool[r->constant]);
        else
            au_shadow_fill(&x->tag, at + r->offset, 0, r->size);
    }
}

uint64_t au_retrace_tls(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t number) {
    const struct au_code_const *c = &m->code->pool[number];
    const struct au_code_global *g = &m->code->global[c->index];
    bool fresh;
    uint64_t *at = au_map_put(&t->tls, (uint64_t)m->tls + c->index, &fresh);
    if (fresh) {
        *at = make_up(x, g->size);
        if (g->defined)
            put_initial(x, m, c->index, *at);
    }
    return *at + c->value;
}

/* ---- names ------------------------------------------------------------------------------------------ */

static void export_names(au_retracer *x, const au_rmodule *m, uint32_t number) {
    const au_code *code = m->code;
    for (uint32_t i = 0; i < code->n_globals; i++) {
        const struct au_code_global *g = &code->global[i];
        if (!g->defined || g->table == AU_NONE || au_made_up(m->global[i]))
            continue;
        bool fresh;
        uint64_t *at = au_map_put(&x->names, hash_name(au_code_text(code, g->name)), &fresh);
        if (fresh)
            *at = m->global[i];
        else if (*at != m->global[i])
            *at = 0; /* inner ones of one name */
    }
    for (uint32_t i = 0; i < code->n_functions; i++) {
        const au_code_function *f = &code->function[i];
        if (f->internal)
            continue;
        bool fresh;
        uint64_t *at = au_map_put(&x->functions, hash_name(au_code_text(code, f->name)), &fresh);
        if (fresh)
            *at = au_key2(number + 1, i);
    }
}

const au_code_function *au_retrace_function(au_retracer *x, const char *name, au_rmodule **m,
                                            uint32_t *number) {
    const uint64_t *at = au_map_find(&x->functions, hash_name(name));
    if (!at || !*at)
        return NULL;
    *m = x->module.at[(*at >> 32) - 1];
    *number = (uint32_t)*at;
    const au_code_function *f = &(*m)->code->function[*number];
    return strcmp(au_code_text((*m)->code, f->name), name) ? NULL : f;
}

/* Variables of other modules that are known by now. */
static void resolve(au_retracer *x, au_rmodule *m) {
    size_t left = 0;
    for (size_t k = 0; k < m->open.n; k++) {
        uint32_t g = m->open.at[k];
        const uint64_t *at = exported(x, au_code_text(m->code, m->code->global[g].name));
        if (at && *at)
            m->global[g] = *at;
        else
            m->open.at[left++] = g;
    }
    if (left != m->open.n)
        fill_pool(x, m);
    m->open.n = left;
}

/* ---- modules ------------------------------------------------------------------------------------------ */

static void place_globals(au_retracer *x, au_rmodule *m, const au_stream_record *r) {
    const au_code *code = m->code;
    m->global = au_alloc_array(code->n_globals + 1, sizeof *m->global);
    for (uint32_t i = 0; i < code->n_globals; i++) {
        const struct au_code_global *g = &code->global[i];
        if (g->table != AU_NONE && g->table < r->n_globals && r->global[g->table]) {
            m->global[i] = r->global[g->table];
            continue;
        }
        m->global[i] = make_up(x, g->size);
        if (!g->defined && !g->tls)
            au_vec_push(&m->open, i);
    }
}

static void put_constants(au_retracer *x, au_rmodule *m) {
    const au_code *code = m->code;
    for (uint32_t i = 0; i < code->n_globals; i++) {
        const struct au_code_global *g = &code->global[i];
        if (!g->defined || g->tls)
            continue;
        if (g->constant || g->is_private)
            put_initial(x, m, i, m->global[i]);
        else if (x->symbolic && !au_made_up(m->global[i]) && g->size) {
            au_vec_push(&x->init, ((struct au_rinit){m->global[i], g->size, m, i}));
            x->init_sorted = false;
        }
    }
}

static au_rmodule *load(au_retracer *x, const au_stream_record *r) {
    au_rmodule *m = AU_NEW(au_rmodule);
    uint32_t number = (uint32_t)x->module.n;
    au_vec_push(&x->module, m);
    au_map_init(&m->first);
    au_map_init(&m->meet);
    au_map_init(&m->shaped);
    au_map_init(&m->twin);
    m->first_site = r->first_site;
    m->code = au_codes_find(x->codes, r->value);
    if (m->code && m->code->n_sites != r->n_sites)
        m->code = NULL;
    if (!m->code)
        return m;
    m->tls = x->n_tls;
    x->n_tls += m->code->n_globals;
    place_globals(x, m, r);
    m->pool = au_alloc_array(m->code->n_consts + 1, sizeof *m->pool);
    m->pool_tint = au_alloc_array(m->code->n_consts + 1, sizeof *m->pool_tint);
    fill_pool(x, m);
    put_constants(x, m);
    export_names(x, m, number);
    for (size_t i = 0; i < x->module.n; i++)
        if (x->module.at[i]->open.n)
            resolve(x, x->module.at[i]);
    return m;
}

void au_retrace_unload(au_rmodule *m) {
    au_spin_release(m);
    au_map_release(&m->first);
    au_map_release(&m->meet);
    au_map_release(&m->shaped);
    au_map_release(&m->twin);
    au_vec_release(&m->open);
    free(m->global);
    free(m->pool);
    free(m->pool_tint);
    free(m);
}

void au_retrace_module(au_retracer *x, const au_stream_record *r) {
    uint64_t *told = au_map_put(&x->told, r->value, NULL);
    unsigned kind = *told % AU_SITE_KINDS;
    ++*told;
    au_rmodule *m = NULL;
    if (kind == 0) {
        m = load(x, r);
        *au_map_put(&x->last, r->value, NULL) = x->module.n;
    } else {
        m = x->module.at[*au_map_find(&x->last, r->value) - 1];
    }
    uint64_t end = (uint64_t)r->first_site + r->n_sites;
    if (end > AU_LIMIT_RETRACE_SITES) { /* no program has that many */
        au_limit_reached(AU_AT_RETRACE_SITES, 1);
        return;
    }
    while (x->site.n < end)
        au_vec_push(&x->site, ((au_rsite){0}));
    for (uint32_t i = 0; i < r->n_sites; i++)
        x->site.at[r->first_site + i] = (au_rsite){m, i, (uint8_t)kind};
}

/* ---- initial values --------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b) {
    const struct au_rinit *p = a, *q = b;
    return p->at < q->at ? -1 : p->at > q->at;
}

static const struct au_rinit *global_at(au_retracer *x, uint64_t at, uint64_t n) {
    if (!x->init_sorted && x->init.n)
        qsort(x->init.at, x->init.n, sizeof *x->init.at, by_address);
    x->init_sorted = true;
    size_t lo = 0, hi = x->init.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (x->init.at[mid].at <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        return NULL;
    const struct au_rinit *g = &x->init.at[lo - 1];
    return at - g->at < g->size && n <= g->size - (at - g->at) ? g : NULL;
}

/* What the program text says of these bytes. */
static bool initial(const struct au_rinit *i, uint64_t at, unsigned n, uint64_t *out) {
    const au_code *code = i->module->code;
    const struct au_code_global *g = &code->global[i->global];
    uint64_t offset = at - i->at;
    *out = 0;
    if (!g->zero)
        memcpy(out, code->bytes + g->data + offset, n);
    for (uint32_t k = 0; k < g->n_relocs; k++) {
        const struct au_code_reloc *r = &code->reloc[g->reloc + k];
        if (r->offset >= offset + n || r->offset + r->size <= offset)
            continue;
        uint64_t v = i->module->pool[r->constant];
        if (r->offset != offset || r->size != 8 || n != 8 ||
            i->module->pool_tint[r->constant] != AU_KNOWN || au_made_up(v))
            return false;
        *out = v;
    }
    return true;
}

void au_retrace_first_values(au_retracer *x) {
    const au_stream_record *r = x->r;
    for (size_t k = 0; k < x->n_parts; k++) {
        const au_part *p = &x->part[k];
        while (x->seen.n <= p->var / 64)
            au_vec_push(&x->seen, 0);
        uint64_t *word = &x->seen.at[p->var / 64], bit = UINT64_C(1) << (p->var % 64), value;
        if (*word & bit)
            continue;
        *word |= bit;
        const struct au_rinit *g = p->n <= 8 ? global_at(x, p->at, p->n) : NULL;
        if (au_libc_is_state(p->at))
            value = 0; /* counts from there */
        else if (!g || !initial(g, p->at, p->n, &value))
            continue;
        if (au_sop_is_read(r->op)) { /* somebody may have changed it behind the hooks' back */
            if (au_shadow_get(au_stream_memory(x->watch.stream), p->at, p->n) != value)
                continue;
        } else if (r->op < AU_SOP_RREAD && p->at - r->address + p->n <= 8) {
            uint64_t old = au_low_bits(r->old >> 8 * (p->at - r->address), 8 * p->n);
            if (old != value && old)
                continue;
        }
        if (p->var < x->symbolic->init_known.bits) {
            au_bitset_add(&x->symbolic->init_known, p->var);
            x->symbolic->init[p->var] = value;
        }
    }
}
