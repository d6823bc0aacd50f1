/* retrace/twin.c: inline functions of C++. Each module that uses one holds a copy, the
 * linker keeps one copy of the program's, and calls go there: to code, and to sites, of another module
 * than the one that calls. The event at hand says which copy was entered. A copy may even
 * have hooks where another has none, if only one of the modules knows what it calls. */
#include "retrace/retrace_priv.h"

#include <string.h>

/* The function that this event enters, if others may call it by name; AU_NONE. */
static uint32_t entered(const au_rmodule *of, uint32_t site) {
    const au_code *c = of->code;
    uint32_t insn = c->site_insn[site];
    if (c->insn[insn].op != AU_C_EV_ENTER || c->function[c->function_of[insn]].internal)
        return AU_NONE;
    return c->function_of[insn];
}

static const char *name_of(const au_rmodule *m, uint32_t function) {
    return au_code_text(m->code, m->code->function[function].name);
}

uint32_t au_retrace_own_site(au_rmodule *in, const au_rmodule *of, uint32_t site) {
    if (site == AU_NONE || of == in)
        return site;
    uint32_t function = entered(of, site);
    if (function == AU_NONE)
        return AU_NONE;
    bool fresh;
    uint64_t *own = au_map_put(&in->twin, au_key2(of->first_site, site), &fresh);
    if (fresh) {
        *own = AU_NONE;
        for (uint32_t k = 0; k < in->code->n_functions; k++)
            if (!in->code->function[k].internal && !strcmp(name_of(in, k), name_of(of, function)))
                *own = in->code->function[k].enter_site;
    }
    return (uint32_t)*own;
}

void au_retrace_callee(au_retracer *x, au_rmodule *site_of, uint32_t site, au_rmodule **m,
                       uint32_t *function) {
    const au_code_function *own = &(*m)->code->function[*function];
    if (own->internal || site == AU_NONE)
        return;
    uint32_t other = entered(site_of, site);
    const char *name = name_of(*m, *function);
    if (other != AU_NONE && !strcmp(name, name_of(site_of, other))) {
        *m = site_of;
        *function = other;
        return;
    }
    au_rmodule *kept;
    if (!own->hooked)
        return;
    /* It was not entered. Linkers keep the first. */
    const au_code_function *fn = au_retrace_function(x, name, &kept, &other);
    if (fn && !fn->hooked && !fn->left_out && fn->n_params == own->n_params &&
        fn->result_slots == own->result_slots) {
        *m = kept;
        *function = other;
    }
}
