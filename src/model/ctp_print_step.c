/* model/ctp_print_step.c: single steps as statements.
 *
 * A plain statement where that says it all; else what stands in [ … ] if the step is
 * indivisible and in step { … } if not. */
#include "model/ctp_priv.h"

typedef au_ctp_printer printer;

/* The update of 'done' is made again by the reader. */
static bool is_own(const printer *p, const au_update *u) {
    return p->m->var.at[u->var].kind != AU_VAR_SYNC;
}

typedef struct {
    uint32_t var;
    bool found;
} finder;

static void find_var(void *ctx, uint32_t v) {
    finder *f = ctx;
    f->found |= v == f->var;
}

bool au_ctp_mentions(const au_model *m, au_term x, uint32_t var) {
    finder f = {var, false};
    au_term_each_var(m->terms, x, find_var, &f);
    return f.found;
}

void au_ctp_print_place(printer *p, const au_step *s) {
    if (s->loc != AU_NONE) {
        au_out_str(p->out, " @ ");
        au_out_str(p->out,
                   au_ctp_quoted(&p->names.arena, au_intern_str(&p->m->strings, s->loc), false));
        if (s->line)
            au_out_printf(p->out, ":%u", s->line);
    } else if (s->line && !s->col) { /* with a column it is that of a text */
        au_out_printf(p->out, " @ %u", s->line);
    }
}

bool au_ctp_text_with_read(printer *p, const au_step *s, au_term x, unsigned width, bool *again,
                           au_ctp_text *out) {
    *again = false;
    if (!au_ctp_term_text(&p->names, x, out))
        return false;
    bool reads = s->n_accesses && !s->access[0].write;
    if (reads && out->reads == 0)
        return au_ctp_text_read(&p->names, out, s->access[0].var, width);
    *again = out->reads > reads;
    return !*again;
}

/* The reader numbers locals as it comes across them. */
static void note_local(printer *p, uint32_t var) {
    if (p->m->var.at[var].kind == AU_VAR_LOCAL && !p->rank[var])
        p->rank[var] = ++p->ranks;
}

static void target(printer *p, uint32_t var, const au_ctp_text *value) {
    note_local(p, var);
    au_out_str(p->out, p->names.var[var]);
    au_out_str(p->out, " := ");
    au_ctp_put_text(p->out, value);
}

/* ---- [ … ] and step { … } ---- */

/* An update among the first n of 'order' that gives its variable the same value. */
static uint32_t same_value(const au_step *s, const uint32_t *order, uint32_t n, uint32_t i) {
    for (uint32_t k = 0; k < n; k++)
        if (au_term_same(s->update[order[k]].value, s->update[i].value))
            return order[k];
    return AU_NONE;
}

/* Shared variables by number, then locals as the reader numbers them. */
static uint64_t key(const printer *p, uint32_t var) {
    if (p->m->var.at[var].kind == AU_VAR_SHARED)
        return var;
    uint32_t rank = p->rank[var];
    return rank ? au_key2(1, rank) : au_key2(2, var);
}

/* The step's own updates in one order, whatever theirs is. */
static uint32_t sorted(const printer *p, const au_step *s, uint32_t *order) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_updates; i++) {
        if (!is_own(p, &s->update[i]))
            continue;
        uint32_t k = n++;
        for (; k && key(p, s->update[order[k - 1]].var) > key(p, s->update[i].var); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return n;
}

/* The updates of one step happen at once; written one after the other, a variable is
 * assigned only after all others that read it, but for those whose new value some
 * variable has by then ('y := y + a; a := y'). Puts the n updates into such an order; false, and
 * nothing is changed: they exchange values. */
static bool sequence(const printer *p, const au_step *s, uint32_t *order, uint32_t n) {
    bool *placed = au_alloc_array(n, sizeof *placed);
    uint32_t *out = au_alloc_array(n + 1, sizeof *out), done = 0;
    /* the plain order first, for as long as it goes */
    for (int may_copy = 0; may_copy < 2; may_copy++) {
        for (bool moved = true; moved && done < n;) {
            moved = false;
            for (uint32_t i = 0; i < n; i++) {
                bool ready = !placed[i];
                out[done] = order[i];
                for (uint32_t k = 0; k < n && ready; k++)
                    if (k != i && !placed[k])
                        ready = !au_ctp_mentions(p->m, s->update[order[k]].value,
                                                 s->update[order[i]].var) ||
                                (may_copy && same_value(s, out, done + 1, order[k]) != AU_NONE);
                if (ready) {
                    placed[i] = moved = true;
                    done++;
                }
            }
        }
    }
    if (done == n)
        memcpy(order, out, n * sizeof *order);
    free(placed);
    free(out);
    return done == n;
}

/* Whether one of the first n updates of 'order' assigned a variable of x. */
static bool is_stale(const printer *p, const au_step *s, const uint32_t *order, uint32_t n,
                     au_term x) {
    for (uint32_t k = 0; k < n; k++)
        if (au_ctp_mentions(p->m, x, s->update[order[k]].var))
            return true;
    return false;
}

/* The words before the guard and the condition, NULL for none; false: there are none. */
static bool words(printer *p, const au_step *s, uint32_t updates, const char *word[2]) {
    bool guarded = !au_term_is_true(p->m->terms, s->guard);
    word[0] = word[1] = NULL;
    switch (s->kind) {
    case AU_STEP_ASSUME:
        if (s->indivisible && !s->blocking && updates)
            return au_ctp_cannot_print(p, s, "it is an indivisible assume that assigns");
        word[0] = s->indivisible && !s->blocking ? "require" : "assume";
        return true;
    case AU_STEP_ASSERT:
        word[0] = guarded ? "require" : NULL;
        word[1] = "assert";
        return true;
    case AU_STEP_ASSIGN:
        word[0] = guarded ? "require" : NULL;
        return updates || au_ctp_cannot_print(p, s, "it assigns nothing");
    default:
        return (!guarded && !updates) ||
               au_ctp_cannot_print(p, s, "its kind and its updates do not go together");
    }
}

static bool compound(printer *p, const au_step *s) {
    const char *word[2];
    uint32_t texts = 0;
    uint32_t *order = AU_ARENA_ARRAY(&p->names.arena, uint32_t, s->n_updates + 1);
    au_ctp_text *text = AU_ARENA_ARRAY(&p->names.arena, au_ctp_text, s->n_updates + 2);
    uint32_t n = sorted(p, s, order);
    bool in_order = sequence(p, s, order, n);
    if (!words(p, s, n, word))
        return false;
    for (int i = 0; i < 2; i++)
        if (word[i] && !au_ctp_term_text(&p->names, i ? s->cond : s->guard, &text[texts++]))
            return false;
    unsigned width = texts ? 0 : n ? p->m->var.at[s->update[order[0]].var].width : 0;
    for (uint32_t i = 0; i < n; i++, texts++) {
        au_term value = s->update[order[i]].value;
        if (in_order && is_stale(p, s, order, i, value))
            text[texts].s = p->names.var[s->update[same_value(s, order, i, order[i])].var];
        else if (!au_ctp_term_text(&p->names, value, &text[texts]))
            return false;
    }
    /* the first expression takes the reads that no term mentions */
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        uint32_t v = s->access[i].var;
        bool used = s->access[i].write || au_ctp_mentions(p->m, s->guard, v) ||
                    au_ctp_mentions(p->m, s->cond, v);
        for (uint32_t k = 0; k < s->n_updates && !used; k++)
            used = au_ctp_mentions(p->m, s->update[k].value, v);
        if (used)
            continue;
        if (!texts)
            return au_ctp_cannot_print(p, s, "it reads without an expression");
        if (!au_ctp_text_read(&p->names, &text[0], v, width))
            return false;
    }
    uint32_t depth = 0; /* the reader's limits */
    for (uint32_t i = 0; i < texts; i++)
        depth += text[i].depth + 1;
    if (texts > AU_CTP_BRACKET || depth > AU_CTP_DEPTH)
        return au_ctp_cannot_print(p, s, "one step has too many parts or too large ones");
    texts = 0;
    const char *sep = "";
    au_out_str(p->out, s->indivisible ? "[ " : "step { ");
    if (s->order)
        au_out_printf(p->out, "%s ", au_memory_order_name(s->order));
    for (int i = 0; i < 2; i++) {
        if (!word[i])
            continue;
        au_out_str(p->out, sep);
        au_out_printf(p->out, "%s ", word[i]);
        au_ctp_put_text(p->out, &text[texts++]);
        sep = "; ";
    }
    for (uint32_t i = 0; i < n; i++, sep = in_order ? "; " : ", ") {
        au_out_str(p->out, sep);
        target(p, s->update[order[i]].var, &text[texts++]);
    }
    if (s->kind == AU_STEP_HAVOC) {
        au_out_str(p->out, "havoc ");
        note_local(p, s->havoc);
        au_out_str(p->out, p->names.var[s->havoc]);
    } else if (!texts) {
        au_out_str(p->out, "nop");
    }
    au_out_str(p->out, s->indivisible ? " ]" : " }");
    return true;
}

/* ---- plain statements ---- */

/* True if it was one; false: nothing was printed, and if there is no error it is a compound. */
static bool simple(printer *p, const au_step *s) {
    const au_update *u = NULL;
    for (uint32_t i = 0; i < s->n_updates; i++) {
        if (!is_own(p, &s->update[i]))
            continue;
        if (u)
            return false;
        u = &s->update[i];
    }
    if (s->indivisible || (u != NULL) != (s->kind == AU_STEP_ASSIGN) ||
        (s->kind != AU_STEP_ASSUME && !au_term_is_true(p->m->terms, s->guard)))
        return false;
    au_ctp_text x;
    bool again;
    switch (s->kind) {
    case AU_STEP_ASSIGN:
        if (!au_ctp_text_with_read(p, s, u->value, p->m->var.at[u->var].width, &again, &x))
            return false;
        target(p, u->var, &x);
        return true;
    case AU_STEP_ASSUME:
    case AU_STEP_ASSERT:
        if (!au_ctp_text_with_read(p, s, s->kind == AU_STEP_ASSUME ? s->guard : s->cond, 0, &again,
                                   &x))
            return false;
        au_out_str(p->out, s->kind == AU_STEP_ASSUME ? "assume " : "assert ");
        au_ctp_put_text(p->out, &x);
        return true;
    case AU_STEP_HAVOC:
        au_out_str(p->out, "havoc ");
        note_local(p, s->havoc);
        au_out_str(p->out, p->names.var[s->havoc]);
        return true;
    default:
        if (s->n_accesses)
            return false;
        au_out_printf(p->out, s->order ? "fence %s" : "nop", au_memory_order_name(s->order));
        return true;
    }
}

bool au_ctp_print_plain(printer *p, const au_step *s) {
    if (!simple(p, s) && (p->err->status != AU_OK || !compound(p, s)))
        return false;
    au_ctp_print_place(p, s);
    au_out_char(p->out, '\n');
    return true;
}

bool au_ctp_print_condition(printer *p, const au_step *s) {
    au_ctp_text c;
    bool again;
    if (!s->indivisible) {
        if (!au_ctp_text_with_read(p, s, s->guard, 0, &again, &c))
            return au_ctp_cannot_print(p, s, "one step reads a shared variable in two places");
        au_out_char(p->out, '(');
        au_ctp_put_text(p->out, &c);
        au_out_char(p->out, ')');
        return true;
    }
    if (!au_ctp_term_text(&p->names, s->guard, &c))
        return false;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (!au_ctp_mentions(p->m, s->guard, s->access[i].var) &&
            !au_ctp_text_read(&p->names, &c, s->access[i].var, 0))
            return false;
    au_out_char(p->out, '[');
    if (s->order)
        au_out_printf(p->out, "%s ", au_memory_order_name(s->order));
    au_ctp_put_text(p->out, &c);
    au_out_char(p->out, ']');
    return true;
}
