/* model/ctp_print.c: a model as .ctp text.
 *
 * A thread is printed along its graph, with the builder's hints for where the sides
 * of an if meet and where a loop ends; every node must come out exactly once. Marked
 * blocks are runs of statements of one list. What the language cannot say is
 * AU_EUNSUPPORTED, never something near it. */
#include "model/ctp_priv.h"

#include <stdio.h>

typedef struct {
    const au_model *m;
    au_out *out;
    au_error *err;
    au_ctp_names names;
    au_ctp_labels labels;
    uint32_t thread;
    const au_thread *th;
    uint8_t *seen; /* nodes printed */
    size_t width;  /* of the label column */
    unsigned deep;
} printer;

static bool unsupported(printer *p, const au_step *s, const char *what) {
    if (s && *au_step_label(p->m, s))
        au_error_set(p->err, AU_EUNSUPPORTED, "cannot print '%.60s' as .ctp: %s",
                     au_step_label(p->m, s), what);
    else
        au_error_set(p->err, AU_EUNSUPPORTED, "cannot print thread '%.60s' as .ctp: %s",
                     p->th->name, what);
    return false;
}

/* Deep text is not indented further, or it would be mostly blanks. */
static void indent(printer *p) {
    unsigned n = p->deep < 30 ? p->deep : 30;
    au_out_printf(p->out, "%*s", (int)(2 * n), "");
}

static void begin(printer *p, const char *label) {
    indent(p);
    au_out_str(p->out, label);
    au_out_char(p->out, ':');
    size_t n = strlen(label);
    do
        au_out_char(p->out, ' ');
    while (++n <= p->width);
}

/* ---- one step ---- */

/* The update of 'done' is made again by the reader. */
static bool is_own(const printer *p, const au_update *u) {
    return p->m->var.at[u->var].kind != AU_VAR_SYNC;
}

/* Text of a term of a step that has 'left' to read: its one access, if it is a read. */
static bool with_read(printer *p, const au_step *s, au_term x, bool truth, au_ctp_text *out) {
    if (!au_ctp_term_text(&p->names, x, out))
        return false;
    bool reads = s->n_accesses && !s->access[0].write;
    if (reads && out->reads == 0)
        return au_ctp_text_read(&p->names, out, s->access[0].var, truth);
    if (out->reads > reads)
        return unsupported(p, s, "one step reads a shared variable in two places");
    return true;
}

static void target(printer *p, uint32_t var, const char *value) {
    au_out_str(p->out, p->names.var[var]);
    au_out_str(p->out, " := ");
    au_out_str(p->out, value);
}

typedef struct {
    const au_ctp_names *names;
    uint32_t var;
    bool found;
} finder;

static void find_var(void *ctx, uint32_t v) {
    finder *f = ctx;
    f->found |= v == f->var;
}

static bool mentions(const printer *p, au_term x, uint32_t var) {
    finder f = {&p->names, var, false};
    au_term_each_var(p->m->terms, x, find_var, &f);
    return f.found;
}

/* An update among the first n of 'order' that gives its variable the same value. */
static uint32_t same_value(const au_step *s, const uint32_t *order, uint32_t n, uint32_t i) {
    for (uint32_t k = 0; k < n; k++)
        if (au_term_same(s->update[order[k]].value, s->update[i].value))
            return order[k];
    return AU_NONE;
}

/* The updates of one step happen at once; written one after the other, a variable is
 * assigned only after all others that read it, but for those whose new value some
 * variable has by then ('y := y + a; a := y'). order gets their numbers. */
static bool sequence(const printer *p, const au_step *s, uint32_t *order, uint32_t *n) {
    bool *placed = au_alloc_array(s->n_updates, sizeof *placed);
    uint32_t own = 0;
    *n = 0;
    for (uint32_t i = 0; i < s->n_updates; i++)
        own += is_own(p, &s->update[i]);
    /* the plain order first, for as long as it goes */
    for (int may_copy = 0; may_copy < 2; may_copy++) {
        for (bool moved = true; moved && *n < own;) {
            moved = false;
            for (uint32_t i = 0; i < s->n_updates; i++) {
                bool ready = !placed[i] && is_own(p, &s->update[i]);
                order[*n] = i;
                for (uint32_t k = 0; k < s->n_updates && ready; k++)
                    if (k != i && !placed[k] && is_own(p, &s->update[k]))
                        ready = !mentions(p, s->update[k].value, s->update[i].var) ||
                                (may_copy && same_value(s, order, *n + 1, k) != AU_NONE);
                if (ready) {
                    placed[i] = moved = true;
                    (*n)++;
                }
            }
        }
    }
    free(placed);
    return *n == own;
}

/* Whether one of the first n updates of 'order' assigned a variable of x. */
static bool is_stale(const printer *p, const au_step *s, const uint32_t *order, uint32_t n,
                     au_term x) {
    for (uint32_t k = 0; k < n; k++)
        if (mentions(p, x, s->update[order[k]].var))
            return true;
    return false;
}

/* [ … ] */
static bool indivisible(printer *p, const au_step *s) {
    uint32_t n = 0;
    uint32_t *order = AU_ARENA_ARRAY(&p->names.arena, uint32_t, s->n_updates + 1);
    if (!sequence(p, s, order, &n))
        return unsupported(p, s, "its assignments exchange values");
    /* the first expression takes the reads that no term mentions */
    uint32_t texts = 0;
    au_ctp_text *text = AU_ARENA_ARRAY(&p->names.arena, au_ctp_text, n + 2);
    bool waits = s->kind == AU_STEP_ASSUME, asserts = s->kind == AU_STEP_ASSERT;
    if (waits && !s->blocking) /* an atomic read of a trace */
        return unsupported(p, s, "it is an indivisible assume that does not wait");
    if (!waits && !au_term_is_true(p->m->terms, s->guard))
        return unsupported(p, s, "it is guarded");
    if (waits && !au_ctp_term_text(&p->names, s->guard, &text[texts++]))
        return false;
    if (asserts && !au_ctp_term_text(&p->names, s->cond, &text[texts++]))
        return false;
    for (uint32_t i = 0; i < n; i++, texts++) {
        au_term value = s->update[order[i]].value;
        if (is_stale(p, s, order, i, value))
            text[texts].s = p->names.var[s->update[same_value(s, order, i, order[i])].var];
        else if (!au_ctp_term_text(&p->names, value, &text[texts]))
            return false;
    }
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        uint32_t v = s->access[i].var;
        bool used = s->access[i].write || mentions(p, s->guard, v) || mentions(p, s->cond, v);
        for (uint32_t k = 0; k < n && !used; k++)
            used = mentions(p, s->update[k].value, v);
        if (used)
            continue;
        if (!texts)
            return unsupported(p, s, "it reads without an expression");
        if (!au_ctp_text_read(&p->names, &text[0], v, waits || asserts))
            return false;
    }
    texts = 0;
    const char *sep = "";
    au_out_str(p->out, "[ ");
    if (waits || asserts) {
        au_out_printf(p->out, "%s %s", waits ? "assume" : "assert", text[texts++].s);
        sep = "; ";
    }
    for (uint32_t i = 0; i < n; i++, sep = "; ") {
        au_out_str(p->out, sep);
        target(p, s->update[order[i]].var, text[texts++].s);
    }
    if (s->kind == AU_STEP_HAVOC)
        au_out_printf(p->out, "havoc %s", p->names.var[s->havoc]);
    else if (!texts)
        au_out_str(p->out, "nop");
    au_out_str(p->out, " ]\n");
    return true;
}

static bool plain(printer *p, const au_step *s) {
    if (s->indivisible)
        return indivisible(p, s);
    const au_update *u = NULL;
    for (uint32_t i = 0; i < s->n_updates; i++) {
        if (!is_own(p, &s->update[i]))
            continue;
        if (u)
            return unsupported(p, s, "one step assigns two variables");
        u = &s->update[i];
    }
    if (s->kind != AU_STEP_ASSUME && !au_term_is_true(p->m->terms, s->guard))
        return unsupported(p, s, "it is guarded");
    if ((u != NULL) != (s->kind == AU_STEP_ASSIGN) || (s->n_accesses && s->kind == AU_STEP_NOP))
        return unsupported(p, s, "its kind and its updates do not go together");
    au_ctp_text x;
    switch (s->kind) {
    case AU_STEP_ASSIGN:
        if (!with_read(p, s, u->value, false, &x))
            return false;
        target(p, u->var, x.s);
        break;
    case AU_STEP_ASSUME:
    case AU_STEP_ASSERT:
        if (!with_read(p, s, s->kind == AU_STEP_ASSUME ? s->guard : s->cond, true, &x))
            return false;
        au_out_printf(p->out, "%s ", s->kind == AU_STEP_ASSUME ? "assume" : "assert");
        au_out_str(p->out, x.s);
        break;
    case AU_STEP_HAVOC:
        au_out_printf(p->out, "havoc %s", p->names.var[s->havoc]);
        break;
    default:
        au_out_str(p->out, "nop");
    }
    au_out_char(p->out, '\n');
    return true;
}

static void synchronise(printer *p, const au_step *s) {
    static const char *const word[AU_STEP_KINDS] = {
        [AU_STEP_ACQ] = "acq",       [AU_STEP_REL] = "rel",
        [AU_STEP_RDACQ] = "rdacq",   [AU_STEP_WRACQ] = "wracq",
        [AU_STEP_WAIT] = "wait",     [AU_STEP_SIGNAL] = "signal",
        [AU_STEP_FORK] = "fork",     [AU_STEP_JOIN] = "join",
        [AU_STEP_ARRIVE] = "arrive", [AU_STEP_BROADCAST] = "broadcast"};
    bool of_thread = s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN;
    au_out_printf(p->out, "%s ", word[s->kind]);
    au_out_str(p->out, of_thread ? p->names.thread[s->obj] : p->names.obj[s->obj]);
    if (s->kind == AU_STEP_WAIT) {
        au_out_char(p->out, ' ');
        au_out_str(p->out, p->names.obj[s->obj2]);
    }
    au_out_char(p->out, '\n');
}

/* ---- control ---- */

static bool list(printer *p, uint32_t node, uint32_t stop, uint32_t block);

static const au_step *out_step(const printer *p, uint32_t node, size_t i) {
    return &p->m->step.at[p->th->node.at[node].out.at[i]];
}

static bool nested(printer *p, uint32_t node, uint32_t stop, uint32_t block) {
    if (p->deep >= AU_CTP_DEPTH)
        return unsupported(p, NULL, "it is nested too deeply");
    p->deep++;
    bool ok = node == stop || list(p, node, stop, block);
    p->deep--;
    return ok;
}

static bool is_branch(printer *p, uint32_t node) {
    if (p->th->node.at[node].out.n != 2 || out_step(p, node, 0)->kind != AU_STEP_BRANCH ||
        out_step(p, node, 1)->kind != AU_STEP_BRANCH)
        return false;
    return au_term_same(au_term_not(p->m->terms, out_step(p, node, 0)->guard),
                        out_step(p, node, 1)->guard);
}

static bool if_else(printer *p, uint32_t node, uint32_t block) {
    const au_step *yes = out_step(p, node, 0), *no = out_step(p, node, 1);
    uint32_t merge = p->th->node.at[node].merge;
    au_ctp_text c;
    if (!is_branch(p, node))
        return unsupported(p, yes, "its sides are not those of an if");
    if (!with_read(p, yes, yes->guard, true, &c))
        return false;
    au_out_str(p->out, "if (");
    au_out_str(p->out, c.s);
    au_out_str(p->out, ") {\n");
    if (!nested(p, yes->dst, merge, block))
        return false;
    indent(p);
    if (no->dst != merge) {
        au_out_str(p->out, "} else {\n");
        if (!nested(p, no->dst, merge, block))
            return false;
        indent(p);
    }
    au_out_str(p->out, "}\n");
    return true;
}

/* Whether the local is used by nothing but the reads of this loop's head (its step
 * 'by') and the condition at 'node'. */
static bool is_private(const printer *p, uint32_t var, uint32_t by, uint32_t node) {
    for (size_t i = 0; i < p->m->step.n; i++) {
        const au_step *s = &p->m->step.at[i];
        if (s->thread != p->thread || i == by || (s->src == node && s->kind == AU_STEP_BRANCH))
            continue;
        if (s->havoc == var || mentions(p, s->guard, var) || mentions(p, s->cond, var))
            return false;
        for (uint32_t k = 0; k < s->n_updates; k++)
            if (s->update[k].var == var || mentions(p, s->update[k].value, var))
                return false;
    }
    return true;
}

static bool name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

/* The condition of a loop over several shared reads: 'text' with each temporary put
 * back as what it holds. They must come in the order of the reads. */
static bool put_back(printer *p, const char *text, const uint32_t *temp, const uint32_t *shared,
                     uint32_t n, au_out *into) {
    uint32_t next = 0;
    while (*text) {
        size_t len = 0;
        while (name_char(text[len]))
            len++;
        if (!len) {
            au_out_char(into, *text++);
            continue;
        }
        bool is_temp = false;
        for (uint32_t i = 0; i < n && !is_temp; i++) {
            const char *name = p->names.var[temp[i]];
            if (strlen(name) == len && memcmp(name, text, len) == 0) {
                if (i != next)
                    return false;
                is_temp = true;
            }
        }
        if (is_temp)
            au_out_str(into, p->names.var[shared[next++]]);
        else
            au_out_write(into, text, len);
        text += len;
    }
    return next == n;
}

static bool loop(printer *p, uint32_t head, uint32_t block) {
    AU_VEC(uint32_t) temp = {0}, shared = {0};
    uint32_t at = head, merge = p->th->node.at[head].merge;
    const au_step *s = out_step(p, head, 0);
    bool ok = true;
    while (ok && p->th->node.at[at].out.n == 1) {
        s = out_step(p, at, 0);
        ok = s->kind == AU_STEP_ASSIGN && !s->indivisible && s->n_updates == 1 &&
             s->n_accesses == 1 && !s->access[0].write && s->block == block &&
             au_term_kind(p->m->terms, s->update[0].value) == AU_T_VAR && !p->seen[s->dst];
        if (!ok)
            break;
        au_vec_push(&temp, s->update[0].var);
        au_vec_push(&shared, s->access[0].var);
        at = s->dst;
        p->seen[at] = 1;
    }
    ok = ok && p->th->node.at[at].out.n == 2 && is_branch(p, at);
    uint32_t from = head;
    for (uint32_t i = 0; i < temp.n && ok; i++) {
        ok = is_private(p, temp.at[i], out_step(p, from, 0)->id, at);
        from = out_step(p, from, 0)->dst;
    }
    if (!ok || out_step(p, at, 1)->dst != merge) {
        unsupported(p, s, "it is not a while loop");
        ok = false;
    }
    au_ctp_text c;
    ok = ok && with_read(p, out_step(p, at, 0), out_step(p, at, 0)->guard, true, &c);
    if (ok) {
        au_out *cond = au_out_memory();
        if (!put_back(p, c.s, temp.at, shared.at, (uint32_t)temp.n, cond))
            ok = unsupported(p, s, "the reads of a loop's condition cannot be put back in order");
        size_t n;
        const char *text = au_out_memory_data(cond, &n);
        au_out_str(p->out, "while (");
        au_out_write(p->out, text, n);
        au_out_str(p->out, ") {\n");
        au_out_abandon(cond);
    }
    ok = ok && nested(p, out_step(p, at, 0)->dst, head, block);
    if (ok) {
        indent(p);
        au_out_str(p->out, "}\n");
    }
    au_vec_release(&temp);
    au_vec_release(&shared);
    return ok;
}

/* The statement at *node; moves *node behind it. */
static bool statement(printer *p, uint32_t *node, uint32_t block) {
    const au_node *n = &p->th->node.at[*node];
    const au_step *s = out_step(p, *node, 0);
    begin(p, au_ctp_label(&p->labels, p->thread, *node));
    if (n->kind != AU_NODE_PLAIN) {
        bool ok = n->kind == AU_NODE_IF ? if_else(p, *node, block) : loop(p, *node, block);
        *node = n->merge;
        return ok;
    }
    uint32_t next = s->dst;
    switch (s->kind) {
    case AU_STEP_ASSIGN:
    case AU_STEP_ASSUME:
    case AU_STEP_ASSERT:
    case AU_STEP_NOP:
    case AU_STEP_HAVOC:
        if (n->out.n != 1 || !plain(p, s))
            return n->out.n == 1 ? false : unsupported(p, s, "several steps leave one place");
        break;
    case AU_STEP_WAIT:
    case AU_STEP_ARRIVE:
        if (p->seen[next])
            return unsupported(p, s, "its second half is somewhere else");
        p->seen[next] = 1;
        synchronise(p, s);
        next = out_step(p, next, 0)->dst;
        break;
    case AU_STEP_BRANCH:
    case AU_STEP_WAKE:
    case AU_STEP_LEAVE:
        return unsupported(p, s, "its graph is not made of if and while");
    default:
        synchronise(p, s);
    }
    *node = next;
    return true;
}

static bool list(printer *p, uint32_t node, uint32_t stop, uint32_t block) {
    uint32_t open = block; /* the block whose braces are open here */
    bool ok = true;
    while (ok && node != stop) {
        if (p->seen[node] || p->th->node.at[node].out.n == 0) {
            ok = unsupported(p, NULL, "its graph is not made of if and while");
            break;
        }
        p->seen[node] = 1;
        uint32_t b = out_step(p, node, 0)->block;
        if (b != open) {
            if (block != AU_NONE) {
                ok = unsupported(p, out_step(p, node, 0), "its atomic block ends inside a branch");
                break;
            }
            if (open != AU_NONE) {
                p->deep--;
                indent(p);
                au_out_str(p->out, "}\n");
            }
            if (b != AU_NONE) {
                indent(p);
                au_out_str(p->out, "atomic {\n");
                p->deep++;
            }
            open = b;
        }
        ok = p->deep <= AU_CTP_DEPTH ? statement(p, &node, open)
                                     : unsupported(p, NULL, "it is nested too deeply");
    }
    if (ok && open != block) {
        p->deep--;
        indent(p);
        au_out_str(p->out, "}\n");
    }
    return ok;
}

/* ---- the whole ---- */

static void declare(printer *p, const char **kind, size_t *column, const char *as, const char *name,
                    bool has_value, int32_t value) {
    char number[24] = "";
    if (has_value)
        snprintf(number, sizeof number, " = %d", value);
    size_t len = strlen(name) + strlen(number) + 2;
    if (*kind && strcmp(*kind, as) == 0 && *column + len <= 78) {
        au_out_str(p->out, ", ");
        *column += len;
    } else {
        if (*kind)
            au_out_char(p->out, '\n');
        au_out_str(p->out, as);
        au_out_char(p->out, ' ');
        *column = strlen(as) + len;
    }
    *kind = as;
    au_out_str(p->out, name);
    au_out_str(p->out, number);
}

static bool declarations(printer *p) {
    static const char *const word[] = {
        [AU_OBJ_LOCK] = "lock", [AU_OBJ_RLOCK] = "rlock", [AU_OBJ_RWLOCK] = "rwlock",
        [AU_OBJ_SEM] = "sem",   [AU_OBJ_COND] = "cond",   [AU_OBJ_BARRIER] = "barrier"};
    const au_model *m = p->m;
    const char *kind = NULL;
    size_t column = 0;
    for (size_t i = 0; i < m->var.n; i++) {
        const au_var_info *v = &m->var.at[i];
        if (v->kind != AU_VAR_SYNC && v->width != 32) {
            au_error_set(p->err, AU_EUNSUPPORTED,
                         "cannot print the model as .ctp: '%.60s' has %u bits", v->name, v->width);
            return false;
        }
        if (v->kind == AU_VAR_LOCAL && v->init && p->names.map[i].n == UINT32_MAX) {
            au_error_set(p->err, AU_EUNSUPPORTED,
                         "cannot print the model as .ctp: local '%.60s' does not start at 0",
                         v->name);
            return false;
        }
        if (v->kind == AU_VAR_SHARED)
            declare(p, &kind, &column, "shared", p->names.var[i], true, (int32_t)v->init);
    }
    for (size_t i = 0; i < m->obj.n; i++) {
        const au_sync_obj *o = &m->obj.at[i];
        declare(p, &kind, &column, word[o->kind], p->names.obj[i],
                o->kind == AU_OBJ_SEM || o->kind == AU_OBJ_BARRIER, o->init);
    }
    if (kind)
        au_out_char(p->out, '\n');
    return true;
}

/* A few long labels stick out of the column. */
static size_t label_width(const printer *p) {
    size_t most = 0;
    for (uint32_t i = 0; i < p->th->node.n; i++) {
        const char *label = p->labels.at.at[p->thread][i];
        if (label && strlen(label) > most)
            most = strlen(label);
    }
    return most < 12 ? most : 12;
}

static bool thread(printer *p, uint32_t t) {
    p->thread = t;
    p->th = &p->m->thread.at[t];
    p->seen = au_alloc_array(p->th->node.n, 1);
    p->deep = 1;
    p->width = label_width(p);
    au_out_printf(p->out, "thread ");
    au_out_str(p->out, p->names.thread[t]);
    au_out_str(p->out, " {\n");
    bool ok = list(p, p->th->entry, p->th->exit, AU_NONE);
    for (uint32_t i = 0; i < p->th->node.n && ok; i++)
        if (!p->seen[i] && p->th->node.at[i].out.n)
            ok = unsupported(p, NULL, "some of it cannot be reached");
    free(p->seen);
    au_out_str(p->out, "}\n");
    return ok;
}

au_status au_ctp_print(const au_model *m, au_out *out, au_error *err) {
    au_error mine = AU_ERROR_NONE; /* so that there is always a status to look at */
    printer p = {.m = m, .out = out, .err = &mine};
    au_ctp_names_init(&p.names, m, &mine);
    au_ctp_labels_init(&p.labels, &p.names);
    bool ok = declarations(&p);
    for (uint32_t t = 0; t < m->thread.n && ok; t++)
        ok = thread(&p, t);
    if (ok)
        au_ctp_print_trace(&p.labels, out);
    au_ctp_labels_release(&p.labels);
    au_ctp_names_release(&p.names);
    if (!ok && err)
        *err = mine;
    return ok ? AU_OK : mine.status;
}
