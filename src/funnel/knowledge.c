/* funnel/knowledge.c: see knowledge.h. */
#include "funnel/knowledge.h"

#include "base/progress.h"

#include <stdio.h>
#include <string.h>

static void add_note(au_knowledge *k, const char *text) {
    char *both = k->note ? au_sprintf("%s; %s", k->note, text) : au_strdup(text);
    free(k->note);
    k->note = both;
}

void au_knowledge_make(au_knowledge *k, const au_knowledge_source *from, const au_trace *t) {
    au_error err = AU_ERROR_NONE;
    *k = (au_knowledge){0};
    au_codes *codes = au_codes_open(from->reader, &k->note, &err);
    k->failed = codes ? au_codes_failed(codes) : err.status != AU_EUNSUPPORTED;
    if (!codes) {
        add_note(k, err.text);
        return;
    }
    au_bitset open = {0};
    au_open_variables(t, &open);
    au_symbolic_init(&k->s, t);
    au_retrace_options o = {
        .from = from->reader, .read = from->read, .checks = from->checks, .split = from->split};
    au_progress("retracing the run", 0, 0);
    au_status st = au_retrace(from->path, codes, &o, &open, &k->s, &k->facts, &err);
    au_progress_end();
    k->failed |= st == AU_EIO || st == AU_EINTERNAL;
    if (st != AU_OK)
        add_note(k, err.text);
    else if (k->facts.mismatch)
        k->bug = au_strdup(k->facts.what);
    k->there = st == AU_OK;
    if (!k->there)
        au_symbolic_release(&k->s);
    au_bitset_release(&open);
    au_codes_free(codes);
}

void au_knowledge_release(au_knowledge *k) {
    au_symbolic_plan_free(k->plan);
    if (k->there)
        au_symbolic_release(&k->s);
    free(k->note);
    free(k->bug);
    *k = (au_knowledge){0};
}

/* Does it give what was recorded? Takes both over. */
static au_model *checked(au_knowledge *k, au_model *m, au_symbolic_map *own, au_symbolic_map *map,
                         au_error *err) {
    au_status st = m ? au_symbolic_check(&k->s, m, own, err) : AU_OK;
    if (m && st == AU_OK) {
        if (map)
            *map = *own;
        else
            au_symbolic_map_release(own);
        return m;
    }
    if (!m)
        return NULL;
    if (!k->bug && st != AU_EUNSUPPORTED) /* else there was no time for it */
        k->bug = au_strdup(err->text);
    au_symbolic_map_release(own);
    au_model_free(m);
    return NULL;
}

static au_status check_there(const au_knowledge *k, au_error *err) {
    return k->there ? AU_OK
                    : au_error_set(err, AU_EUNSUPPORTED, "%s",
                                   k->note ? k->note : "no event depends on a value that is read");
}

au_symbolic_plan *au_knowledge_plan(au_knowledge *k, au_error *err) {
    if (!k->plan && !check_there(k, err))
        k->plan = au_symbolic_plan_new(&k->s, err);
    return k->plan;
}

au_model *au_knowledge_assertions(au_knowledge *k, size_t most, au_symbolic_map *map,
                                  au_error *err) {
    au_symbolic_map own = {0};
    au_symbolic_plan *p = au_knowledge_plan(k, err);
    if (!p)
        return NULL;
    au_bitset facts;
    au_slice slice;
    au_bitset_init(&facts, k->s.fact.n + 1);
    for (size_t i = 0; i < k->s.fact.n; i++)
        if (k->s.fact.at[i].kind == AU_FACT_ASSERT)
            au_bitset_add(&facts, i);
    au_slice_init(&slice, p, &facts, NULL);
    size_t n = au_bitset_count(&slice.events);
    au_model *m = NULL;
    if (n <= most)
        m = au_model_from_plan(p, &slice, &own, err);
    else
        au_error_set(err, AU_EUNSUPPORTED, "assertions depend on %zu events", n);
    au_slice_release(&slice);
    au_bitset_release(&facts);
    return checked(k, m, &own, map, err);
}

au_model *au_knowledge_model(au_knowledge *k, au_symbolic_map *map, au_error *err) {
    au_symbolic_map own = {0};
    au_symbolic_plan *p = au_knowledge_plan(k, err);
    au_model *m = p ? au_model_from_plan(p, NULL, &own, err) : NULL;
    return checked(k, m, &own, map, err);
}
