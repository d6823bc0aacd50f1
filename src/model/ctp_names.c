/* model/ctp_names.c: names for the printer.
 *
 * Models that do not come from .ctp text may have any text as a name, and the same
 * for a variable and a lock. What is a name already and free stays as it is (so
 * that printing what was read changes nothing); the rest is made into one. */
#include "model/ctp_priv.h"

#include <ctype.h>
#include <stdio.h>

bool au_ctp_is_name(const char *s) {
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    for (const char *p = s; *p; p++)
        if ((unsigned char)*p >= 128 ||
            (!isalnum((unsigned char)*p) && *p != '_' && *p != '$' && *p != '.'))
            return false;
    return !au_ctp_is_keyword(s);
}

static bool taken(const au_intern *t, const char *s) {
    return au_intern_find(t, s, strlen(s)) != AU_NO_ID;
}

/* Local names are kept with their thread before them: no name has a blank. */
static const char *key(au_arena *a, uint32_t scope, const char *s) {
    if (scope == AU_NONE)
        return s;
    char number[16];
    int n = snprintf(number, sizeof number, "%u ", scope);
    char *k = au_arena_alloc(a, (size_t)n + strlen(s) + 1);
    memcpy(k, number, (size_t)n);
    strcpy(k + n, s);
    return k;
}

static bool claim(au_ctp_names *n, au_intern *used, uint32_t scope, const char *s) {
    const char *k = key(&n->arena, scope, s);
    if (taken(used, s) || taken(used, k))
        return false;
    au_intern_add(used, k, strlen(k));
    return true;
}

/* A name made from any text. */
static const char *invent(au_ctp_names *n, au_intern *used, uint32_t scope, const char *s,
                          const char *prefix) {
    size_t len = strlen(s), pre = strlen(prefix);
    char *out = au_arena_alloc(&n->arena, pre + len + 16);
    bool start = isalpha((unsigned char)*s) || *s == '_';
    size_t k = 0;
    if (!start || au_ctp_is_keyword(s)) {
        memcpy(out, prefix, pre);
        k = pre;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        out[k++] = c < 128 && (isalnum(c) || c == '_' || c == '$' || c == '.') ? (char)c : '_';
    }
    out[k] = 0;
    for (unsigned i = 2; au_ctp_is_keyword(out) || !claim(n, used, scope, out); i++)
        snprintf(out + k, 16, "_%u", i);
    return out;
}

/* Two rounds: first who can keep the name, then the others. */
static const char *pick(au_ctp_names *n, au_intern *used, uint32_t scope, const char *s,
                        const char *prefix, int round, const char *have) {
    if (have)
        return have;
    if (round == 0)
        return au_ctp_is_name(s) && claim(n, used, scope, s) ? s : NULL;
    return invent(n, used, scope, s, prefix);
}

void au_ctp_names_init(au_ctp_names *n, const au_model *m, au_error *err) {
    *n = (au_ctp_names){.m = m, .err = err};
    au_arena_init(&n->arena);
    au_map_init(&n->memo);
    n->var = AU_ARENA_ARRAY(&n->arena, const char *, m->var.n);
    n->obj = AU_ARENA_ARRAY(&n->arena, const char *, m->obj.n);
    n->thread = AU_ARENA_ARRAY(&n->arena, const char *, m->thread.n);
    n->map = AU_ARENA_ARRAY(&n->arena, au_term, m->var.n);
    au_intern used;
    au_intern_init(&used);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < m->var.n; i++)
            if (m->var.at[i].kind == AU_VAR_SHARED)
                n->var[i] = pick(n, &used, AU_NONE, m->var.at[i].name, "v_", round, n->var[i]);
        for (size_t i = 0; i < m->obj.n; i++)
            n->obj[i] = pick(n, &used, AU_NONE, m->obj.at[i].name, "o_", round, n->obj[i]);
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < m->var.n; i++)
            if (m->var.at[i].kind == AU_VAR_LOCAL)
                n->var[i] =
                    pick(n, &used, m->var.at[i].thread, m->var.at[i].name, "v_", round, n->var[i]);
    au_intern_release(&used);
    au_intern_init(&used);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < m->thread.n; i++)
            n->thread[i] = pick(n, &used, AU_NONE, m->thread.at[i].name, "T", round, n->thread[i]);
    au_intern_release(&used);

    for (size_t i = 0; i < m->var.n; i++)
        n->map[i].n = m->var.at[i].kind == AU_VAR_LOCAL ? 0 : UINT32_MAX;
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t k = 0; k < s->n_updates; k++)
            n->map[s->update[k].var].n = UINT32_MAX;
        if (s->havoc != AU_NONE)
            n->map[s->havoc].n = UINT32_MAX;
    }
    for (size_t i = 0; i < m->var.n; i++)
        if (n->map[i].n == 0)
            n->map[i] = au_term_const(m->terms, m->var.at[i].width, m->var.at[i].init);
}

void au_ctp_names_release(au_ctp_names *n) {
    au_map_release(&n->memo);
    au_vec_release(&n->text);
    au_arena_release(&n->arena);
}
