/* model/ctp_scope.c: what the names of a .ctp file stand for. */
#include "model/ctp_priv.h"
#include "model/sync.h"

#include <stdio.h>

#define FAIL(w, off, ...) (au_ctp_fail(&(w)->ast->lex, (off), __VA_ARGS__), AU_NONE)
#define NAME(w, id) AU_CTP_NAME(&(w)->ast->lex, (id))

uint32_t au_ctp_variable(au_ctp_lower *w, uint32_t name, uint32_t off, const char *use) {
    const au_ctp_symbol *s = &w->symbol.at[name];
    if (s->shared != AU_NONE)
        return s->shared;
    if (s->obj != AU_NONE)
        return FAIL(w, off, "'%.*s' is a %s and cannot be %s", NAME(w, name),
                    au_obj_kind_name(w->m->obj.at[s->obj].kind), use);
    if (s->local_of == w->thread)
        return s->local;
    return FAIL(w, off, "unknown name '%.*s': neither shared nor assigned in this thread",
                NAME(w, name));
}

uint32_t au_ctp_object(au_ctp_lower *w, uint32_t name, uint32_t off, unsigned allowed,
                       const char *want, const char *statement) {
    const au_ctp_symbol *s = &w->symbol.at[name];
    if (s->obj != AU_NONE) {
        au_obj_kind k = w->m->obj.at[s->obj].kind;
        if (allowed & 1u << k)
            return s->obj;
        if (k == AU_OBJ_RWLOCK && strcmp(statement, "acq") == 0)
            return FAIL(w, off, "'%.*s' is a rwlock: take it with rdacq or wracq", NAME(w, name));
        if (allowed == 1u << AU_OBJ_RWLOCK && (k == AU_OBJ_LOCK || k == AU_OBJ_RLOCK) &&
            strstr(statement, "acq"))
            return FAIL(w, off, "'%.*s' is a %s: take it with acq", NAME(w, name),
                        au_obj_kind_name(k));
        return FAIL(w, off, "'%s' needs a %s, '%.*s' is a %s", statement, want, NAME(w, name),
                    au_obj_kind_name(k));
    }
    if (s->shared != AU_NONE)
        return FAIL(w, off, "'%s' needs a %s, '%.*s' is a shared variable", statement, want,
                    NAME(w, name));
    return FAIL(w, off, "unknown %s '%.*s'", want, NAME(w, name));
}

uint32_t au_ctp_resolve(au_ctp_lower *w, const au_ctp_expr *e) {
    static const struct {
        const char *name, *want;
        unsigned allowed, var;
    } of[] = {
        {"owner", "lock", 1 << AU_OBJ_LOCK | 1 << AU_OBJ_RLOCK | 1 << AU_OBJ_RWLOCK, 0},
        {"depth", "rlock", 1 << AU_OBJ_RLOCK, 1},
        {"readers", "rwlock", 1 << AU_OBJ_RWLOCK, 1},
        {"count", "sem", 1 << AU_OBJ_SEM, 0},
    };
    if (e->op == CTP_NAME)
        return au_ctp_variable(w, (uint32_t)e->value, e->off, "read");
    unsigned i = (unsigned)e->call - CTP_W_OWNER;
    uint32_t o =
        au_ctp_object(w, (uint32_t)e->value, e->off, of[i].allowed, of[i].want, of[i].name);
    return o == AU_NONE ? AU_NONE : w->m->obj.at[o].var[of[i].var];
}

bool au_ctp_value(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t target, const au_ctp_view *view,
                  au_term *out) {
    au_ctp_lex *x = &w->ast->lex;
    if (target == AU_NONE)
        return au_ctp_build(x, w->m->terms, s->expr, 0, "", view, out);
    char what[100];
    snprintf(what, sizeof what, "'%.*s'", AU_CTP_NAME(x, s->name));
    return au_ctp_build(x, w->m->terms, s->expr, w->m->var.at[target].width, what, view, out);
}

/* ---- declarations ---- */

static unsigned no_name(void *ctx, const au_ctp_expr *e) {
    au_ctp_lower *w = ctx;
    au_ctp_fail(&w->ast->lex, e->off, "'%.*s': an initial value is a constant",
                NAME(w, (uint32_t)e->value));
    return 0;
}

static bool initial(au_ctp_lower *w, au_ctp_expr *e, unsigned width, uint32_t name, uint64_t *out) {
    *out = 0;
    if (!e)
        return true;
    au_ctp_view none = {no_name, NULL, w};
    char what[100];
    snprintf(what, sizeof what, "'%.*s'", NAME(w, name));
    au_term v;
    if (!au_ctp_build(&w->ast->lex, w->m->terms, e, width, what, &none, &v))
        return false;
    *out = au_term_eval(w->m->terms, v, NULL);
    return true;
}

static bool declared_already(au_ctp_lower *w, uint32_t name, uint32_t off, uint32_t first) {
    uint32_t line, col;
    au_ctp_where(&w->ast->lex, first, &line, &col);
    return au_ctp_fail(&w->ast->lex, off, "'%.*s' is declared already, at %u:%u", NAME(w, name),
                       line, col);
}

bool au_ctp_declare(au_ctp_lower *w, const au_ctp_decl *d) {
    au_model *m = w->m;
    au_ctp_lex *x = &w->ast->lex;
    au_ctp_symbol *s = &w->symbol.at[d->name];
    bool shared = d->kind == CTP_SHARED, same = shared ? s->shared != AU_NONE : s->obj != AU_NONE,
         other = shared ? s->obj != AU_NONE : s->shared != AU_NONE;
    if (same || (other && !d->quoted))
        return declared_already(w, d->name, d->off, s->off);
    uint64_t init;
    if (!initial(w, d->init, d->width, d->name, &init))
        return false;
    if (!other)
        s->off = d->off;
    const char *name = au_intern_str(&x->names, d->name);
    if (shared) {
        s->shared = au_model_add_var(m, name, AU_VAR_SHARED, d->width, init, AU_NONE);
        return true;
    }
    int32_t count = (int32_t)(uint32_t)init;
    if (d->kind == CTP_SEM && count < 0)
        return au_ctp_fail(x, d->init->off, "semaphore '%.*s' starts below 0", NAME(w, d->name));
    if (d->kind == CTP_BARRIER && count < 1)
        return au_ctp_fail(x, d->init->off, "barrier '%.*s' is for at least 1 thread",
                           NAME(w, d->name));
    static const au_obj_kind kind[] = {
        [CTP_LOCK] = AU_OBJ_LOCK, [CTP_RLOCK] = AU_OBJ_RLOCK, [CTP_RWLOCK] = AU_OBJ_RWLOCK,
        [CTP_SEM] = AU_OBJ_SEM,   [CTP_COND] = AU_OBJ_COND,   [CTP_BARRIER] = AU_OBJ_BARRIER};
    s->obj = au_model_add_sync(m, name, kind[d->kind], count);
    return true;
}

static bool declare_local(au_ctp_lower *w, const au_ctp_stmt *s) {
    au_ctp_symbol *v = &w->symbol.at[s->name];
    if (v->shared != AU_NONE || v->obj != AU_NONE)
        return declared_already(w, s->name, s->name_off, v->off);
    if (v->local_of == w->thread)
        return au_ctp_fail(&w->ast->lex, s->name_off, "there is a local '%.*s' already",
                           NAME(w, s->name));
    uint64_t init;
    if (!initial(w, s->expr, s->width, s->name, &init))
        return false;
    v->local_of = w->thread;
    v->local = au_model_add_var(w->m, au_intern_str(&w->ast->lex.names, s->name), AU_VAR_LOCAL,
                                s->width, init, w->thread);
    return true;
}

bool au_ctp_scan(au_ctp_lower *w, const au_ctp_stmt *s) {
    au_ctp_lex *x = &w->ast->lex;
    for (; s; s = s->next) {
        if (s->label != AU_NONE) {
            au_ctp_symbol *l = &w->symbol.at[s->label];
            if (l->label) {
                uint32_t line, col;
                au_ctp_where(x, l->label->label_off, &line, &col);
                return au_ctp_fail(x, s->label_off, "label '%.*s' is used already, at %u:%u",
                                   NAME(w, s->label), line, col);
            }
            l->label = s;
        }
        if (s->kind == CTP_LOCAL && !declare_local(w, s))
            return false;
        if (s->kind == CTP_SET || s->kind == CTP_HAVOC) {
            au_ctp_symbol *v = &w->symbol.at[s->name];
            if (v->shared == AU_NONE && v->obj == AU_NONE && v->local_of != w->thread) {
                v->local_of = w->thread;
                v->local = au_model_add_var(w->m, au_intern_str(&x->names, s->name), AU_VAR_LOCAL,
                                            32, 0, w->thread);
            }
        }
        if ((s->body && !au_ctp_scan(w, s->body)) || (s->other && !au_ctp_scan(w, s->other)))
            return false;
    }
    return true;
}
