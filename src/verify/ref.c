/* verify/ref.c: all of the reference encoding. */
#include "verify/ref.h"

#include "base/alloc.h"

#include <string.h>

/* What executing an event needs: C1 its thread gets there, C2 its guard holds, C3 no other way out of the node is taken. */
static void add_paths(au_ref *r) {
    const au_model *m = r->m;
    for (uint32_t e = 0; e < r->event.n; e++) {
        const au_ref_event x = r->event.at[e];
        const au_step *s = &m->step.at[x.step];
        AU_CNF_CLAUSE(&r->cnf, -x.lit, au_ref_bool(r, r->reach[x.thread][s->src]));
        AU_CNF_CLAUSE(&r->cnf, -x.lit, au_ref_bool(r, x.guard));
        const au_node *n = &m->thread.at[x.thread].node.at[s->src];
        for (size_t i = 0; i < n->out.n; i++)
            if (r->event_of[n->out.at[i]] < e)
                AU_CNF_CLAUSE(&r->cnf, -x.lit, -r->event.at[r->event_of[n->out.at[i]]].lit);
    }
    au_ref_link(r);
}

au_ref *au_ref_new(au_model *m, bool whole, au_error *err) {
    au_ref *r = AU_NEW(au_ref);
    r->m = m;
    r->whole = whole;
    au_arena_init(&r->arena);
    r->terms = au_terms_new();
    au_cnf_init(&r->cnf);
    r->end_read = AU_ARENA_ARRAY(&r->arena, uint32_t, m->var.n + 1);
    memset(r->end_read, 0xff, (m->var.n + 1) * sizeof *r->end_read);
    r->opener = AU_ARENA_ARRAY(&r->arena, au_ref_list *, m->thread.n + 1);
    r->open_ended = AU_ARENA_ARRAY(&r->arena, bool, m->thread.n + 1);
    bool good = au_ref_flow(r, err);
    if (good) {
        au_ref_terms(r);
        au_ref_find_locks(r);
        good = au_ref_order(r, err);
    }
    if (!good) {
        au_ref_free(r);
        return NULL;
    }
    au_ref_find_folds(r);
    add_paths(r);
    return r;
}

void au_ref_free(au_ref *r) {
    if (!r)
        return;
    const au_model *m = r->m;
    for (size_t i = 0; i < r->read.n; i++) {
        free(r->read.at[i].sees);
        free(r->read.at[i].between);
        au_vec_release(&r->read.at[i].writer);
    }
    for (uint32_t t = 0; r->in && t < m->thread.n; t++)
        for (size_t n = 0; r->in[t] && n < m->thread.at[t].node.n; n++)
            au_vec_release(&r->in[t][n]);
    for (uint32_t t = 0; t < m->thread.n; t++)
        for (size_t n = 0; r->opener[t] && n < m->thread.at[t].node.n; n++)
            au_vec_release(&r->opener[t][n]);
    for (uint32_t v = 0; r->stores && v < m->var.n; v++)
        au_vec_release(&r->stores[v]);
    for (uint32_t t = 0; r->line && t < m->thread.n; t++)
        au_vec_release(&r->line[t]);
    for (size_t i = 0; r->pair && i < (size_t)m->thread.n * m->thread.n; i++)
        free(r->pair[i]);
    for (size_t i = 0; i < r->section.n; i++)
        au_vec_release(&r->section.at[i].rel);
    au_vec_release(&r->section);
    au_vec_release(&r->name);
    au_vec_release(&r->event);
    au_vec_release(&r->read);
    au_vec_release(&r->write);
    au_vec_release(&r->todo);
    au_vec_release(&r->asked);
    au_vec_release(&r->first_bit);
    au_vec_release(&r->bit);
    free(r->must);
    free(r->rank);
    au_cnf_release(&r->cnf);
    au_terms_free(r->terms);
    au_arena_release(&r->arena);
    free(r);
}
