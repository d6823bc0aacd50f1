/* model/ctp_names.c: names for the printer.
 *
 * Models that do not come from .ctp text may have any text as a name: it is quoted where it
 * must be. A variable and an object may have the same name; the object is quoted then. A local
 * that is called like one of these, and what is there twice, gets another name. */
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
    return au_intern_find(t, s, strlen(s)) != AU_NONE;
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
    if (taken(used, k))
        return false;
    au_intern_add(used, k, strlen(k));
    return true;
}

const char *au_ctp_quoted(au_arena *a, const char *s, bool always) {
    if (!always && au_ctp_is_name(s))
        return s;
    char *out = au_arena_alloc(a, 4 * strlen(s) + 3), *p = out;
    *p++ = '"';
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 32 || c == 127) {
            p += sprintf(p, "\\x%02x", c);
        } else {
            if (c == '"' || c == '\\')
                *p++ = '\\';
            *p++ = *s;
        }
    }
    *p++ = '"';
    *p = 0;
    return out;
}

/* s, or s_2, s_3, …: the first that is free, here and (if not NULL) in two other tables. */
static const char *pick(au_ctp_names *n, au_intern *used, uint32_t scope, const char *s,
                        const au_intern * not, const au_intern *nor) {
    size_t len = strlen(s);
    char *out = NULL;
    const char *name = s;
    for (unsigned i = 2;
         (not &&taken(not, name)) || (nor && taken(nor, name)) || !claim(n, used, scope, name);
         i++) {
        if (!out) {
            out = au_arena_alloc(&n->arena, len + 16);
            memcpy(out, s, len);
        }
        snprintf(out + len, 16, "_%u", i);
        name = out;
    }
    return name;
}

/* What the state of objects is called in expressions. */
static void name_states(au_ctp_names *n) {
    static const char *const word[][2] = {
        [AU_OBJ_LOCK] = {"owner", NULL},        [AU_OBJ_RLOCK] = {"owner", "depth"},
        [AU_OBJ_RWLOCK] = {"owner", "readers"}, [AU_OBJ_SEM] = {"count", NULL},
        [AU_OBJ_COND] = {NULL, NULL},           [AU_OBJ_BARRIER] = {NULL, NULL}};
    for (size_t i = 0; i < n->m->obj.n; i++) {
        const au_sync_obj *o = &n->m->obj.at[i];
        for (int k = 0; k < 2; k++) {
            const char *w = word[o->kind][k];
            if (!w)
                continue;
            char *s = au_arena_alloc(&n->arena, strlen(w) + strlen(n->obj[i]) + 3);
            sprintf(s, "%s(%s)", w, n->obj[i]);
            n->state[o->var[k]] = s;
        }
    }
}

void au_ctp_names_init(au_ctp_names *n, const au_model *m, au_error *err) {
    *n = (au_ctp_names){.m = m, .err = err};
    au_arena_init(&n->arena);
    au_map_init(&n->memo);
    n->var = AU_ARENA_ARRAY(&n->arena, const char *, m->var.n);
    n->obj = AU_ARENA_ARRAY(&n->arena, const char *, m->obj.n);
    n->thread = AU_ARENA_ARRAY(&n->arena, const char *, m->thread.n);
    n->state = AU_ARENA_ARRAY(&n->arena, const char *, m->var.n);
    au_intern shared, objects, locals, threads;
    au_intern_init(&shared);
    au_intern_init(&objects);
    au_intern_init(&locals);
    au_intern_init(&threads);
    for (size_t i = 0; i < m->var.n; i++)
        if (m->var.at[i].kind == AU_VAR_SHARED)
            n->var[i] = au_ctp_quoted(
                &n->arena, pick(n, &shared, AU_NONE, m->var.at[i].name, NULL, NULL), false);
    for (size_t i = 0; i < m->obj.n; i++) {
        const char *s = pick(n, &objects, AU_NONE, m->obj.at[i].name, NULL, NULL);
        n->obj[i] = au_ctp_quoted(&n->arena, s, taken(&shared, s));
    }
    for (size_t i = 0; i < m->var.n; i++)
        if (m->var.at[i].kind == AU_VAR_LOCAL)
            n->var[i] = au_ctp_quoted(
                &n->arena,
                pick(n, &locals, m->var.at[i].thread, m->var.at[i].name, &shared, &objects), false);
    for (size_t i = 0; i < m->thread.n; i++)
        n->thread[i] = au_ctp_quoted(
            &n->arena, pick(n, &threads, AU_NONE, m->thread.at[i].name, NULL, NULL), false);
    au_intern_release(&shared);
    au_intern_release(&objects);
    au_intern_release(&locals);
    au_intern_release(&threads);
    name_states(n);
}

void au_ctp_names_release(au_ctp_names *n) {
    au_map_release(&n->memo);
    au_vec_release(&n->text);
    au_arena_release(&n->arena);
}
