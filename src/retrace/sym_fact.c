/* retrace/sym_fact.c: what must hold for a thread to go on as it did. */
#include "retrace/sym_priv.h"

/* The same place's file again and again: by code and string. */
uint32_t au_sym_file(au_sym *s, uint32_t *line) {
    const au_spot *p = s->at;
    const char *name = "";
    *line = 0;
    if (!p->code)
        return au_intern_add(&s->into->strings, name, 0);
    *line = p->code->line[p->insn];
    uint32_t string = p->code->file[p->insn];
    bool fresh;
    uint64_t *k = au_map_put(&s->file, au_hash_join((uintptr_t)p->code, string), &fresh);
    if (fresh) {
        name = au_code_text(p->code, string);
        *k = au_intern_add(&s->into->strings, name, strlen(name));
    }
    return (uint32_t)*k;
}

/* x equals a constant: x counts as known from here on. */
static void learn(au_sym *s, au_term cond) {
    s->term.at[cond.n].flags |= AU_SYM_HOLDS | AU_SYM_FIXED;
    au_term_op op = au_term_kind(s->t, cond);
    if (op == AU_T_EQ && au_term_is_const(s->t, au_term_kid(s->t, cond, 1)))
        s->term.at[au_term_kid(s->t, cond, 0).n].flags |= AU_SYM_FIXED;
    if (op == AU_T_NOT)
        s->term.at[au_term_kid(s->t, cond, 0).n].flags |= AU_SYM_FIXED;
}

static uint64_t site_of(const au_spot *p) {
    return p->code ? au_hash_join(p->code->module, p->insn) | 1 : 0;
}

static void add(au_sym *s, au_fact_kind kind, au_term cond, const char *text) {
    uint32_t line, file = au_sym_file(s, &line);
    uint32_t after = s->at->after;
    if (s->behind != AU_NONE && s->into->trace->events.thread[s->behind] == s->at->thread &&
        (after == AU_NONE || after < s->behind))
        after = s->behind;
    au_fact f = {.after = after,
                 .thread = s->at->thread,
                 .kind = (uint8_t)kind,
                 .cond = cond,
                 .file = file,
                 .line = line,
                 .text = au_intern_add(&s->into->strings, text, strlen(text)),
                 .site = site_of(s->at),
                 .side = s->side};
    au_vec_push(&s->into->fact, f);
}

bool au_sym_fact(au_sym *s, au_fact_kind kind, au_term cond, const char *text) {
    au_sym_settle(s);
    bool holds = s->value.at[cond.n];
    if (!holds && kind != AU_FACT_ASSERT) {
        au_sym_fail(s, "a fact of the thread (%s) is false in its own run", text);
        return false;
    }
    if (au_term_is_true(s->t, cond) || s->term.at[cond.n].flags & AU_SYM_HOLDS)
        return false;
    if (holds && au_term_kind(s->t, cond) == AU_T_NOT &&
        s->term.at[au_term_kid(s->t, cond, 0).n].flags & AU_SYM_FIXED)
        return false;
    add(s, kind, cond, text);
    if (holds)
        learn(s, cond);
    return true;
}

void au_sym_count_pin(au_sym *s, const char *why) {
    uint32_t line, file = au_sym_file(s, &line);
    uint32_t w = au_intern_add(&s->into->strings, why, strlen(why));
    bool fresh;
    uint64_t *k = au_map_put(&s->pin, au_hash_join(au_hash_join(file, line), w), &fresh);
    if (!fresh) {
        au_pinned *p = &s->into->pinned.at[*k];
        if (p->file == file && p->line == line && p->why == w) {
            p->times++;
            return;
        }
    }
    *k = s->into->pinned.n;
    au_vec_push(&s->into->pinned, ((au_pinned){file, line, w, 1}));
}

bool au_sym_fix(au_sym *s, au_term x, const char *why) {
    au_sym_settle(s);
    if (au_term_is_const(s->t, x) || s->term.at[x.n].flags & AU_SYM_FIXED)
        return false;
    uint64_t v = s->value.at[x.n];
    unsigned w = au_term_width(s->t, x);
    bool fresh;
    if (w == 1)
        fresh = au_sym_fact(s, AU_FACT_PIN, v ? x : au_term_not(s->t, x), why);
    else
        fresh = au_sym_fact(s, AU_FACT_PIN, au_term_eq(s->t, x, au_term_const(s->t, w, v)), why);
    s->term.at[x.n].flags |= AU_SYM_FIXED;
    return fresh;
}

void au_sym_pin(au_sym *s, au_val v, unsigned width, const char *why) {
    (void)width;
    if (!au_sym_is(s, v))
        return;
    au_term x = {v.m - 2};
    if (au_sym_fix(s, x, why))
        au_sym_count_pin(s, why);
}

void au_sym_pin_all(au_sym *s, const char *why) {
    au_sym_settle(s);
    for (size_t i = 0, n = s->term.n; i < n; i++) {
        au_term x = {(uint32_t)i};
        if (s->term.at[i].owner == s->at->thread && au_term_kind(s->t, x) == AU_T_VAR &&
            au_sym_fix(s, x, why))
            au_sym_count_pin(s, why);
    }
}

au_term au_sym_branch(au_sym *s, au_val cond, au_fails fails, const char *what) {
    if (!what)
        what = "assertion failed";
    s->side = cond.v & 1;
    if (fails == AU_FAILS_HERE) {
        if (cond.m == AU_UNKNOWN)
            return AU_NO_TERM;
        au_term c = au_sym_term_of(s, cond, 1);
        au_sym_fact(s, AU_FACT_ASSERT, (cond.v & 1) ? au_term_not(s->t, c) : c, what);
        return AU_NO_TERM;
    }
    if (!au_sym_is(s, cond))
        return AU_NO_TERM;
    au_term c = au_sym_term_of(s, cond, 1);
    if (!(cond.v & 1))
        c = au_term_not(s->t, c);
    au_sym_fact(s, fails == AU_FAILS_OTHER ? AU_FACT_ASSERT : AU_FACT_ASSUME, c,
                fails == AU_FAILS_OTHER ? what : "branch");
    s->term.at[cond.m - 2].flags |= AU_SYM_FIXED;
    return c;
}

void au_sym_switch(au_sym *s, au_val v, unsigned width, const uint64_t *value, size_t n,
                   const uint64_t *all, size_t n_all) {
    if (!au_sym_is(s, v))
        return;
    au_term x = au_sym_term_of(s, v, width), cond = au_term_bool(s->t, n == 0);
    for (size_t i = 0; i < n; i++)
        cond = au_term_or(s->t, cond, au_term_eq(s->t, x, au_term_const(s->t, width, value[i])));
    for (size_t i = 0; n == 0 && i < n_all; i++)
        cond = au_term_and(
            s->t, cond, au_term_not(s->t, au_term_eq(s->t, x, au_term_const(s->t, width, all[i]))));
    au_sym_fact(s, AU_FACT_ASSUME, cond, "switch");
}

void au_sym_assert(au_sym *s, au_val cond, unsigned width, const char *what) {
    if (cond.m == AU_UNKNOWN)
        return;
    au_term c = au_term_truth(s->t, au_sym_term_of(s, cond, width));
    au_sym_fact(s, AU_FACT_ASSERT, c, what ? what : "assertion failed");
}

void au_sym_assume(au_sym *s, au_val cond, unsigned width) {
    if (!au_sym_is(s, cond))
        return;
    au_term c = au_term_truth(s->t, au_sym_term_of(s, cond, width));
    au_sym_fact(s, AU_FACT_ASSUME, c, "assume");
}
