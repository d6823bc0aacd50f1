/* model/ctp_print.c: a model as .ctp text.
 *
 * A thread is printed along its graph, with the builder's hints for where the sides
 * of an if meet and where a loop ends; every node must come out exactly once. Marked
 * blocks are runs of statements of one list. What the language cannot say is
 * AU_EUNSUPPORTED, never something near it. */
#include "model/ctp_priv.h"

#include <stdio.h>

typedef au_ctp_printer printer;

bool au_ctp_cannot_print(printer *p, const au_step *s, const char *what) {
    if (p->err->status != AU_OK)
        return false;
    if (s && *au_step_label(p->m, s))
        au_error_set(p->err, AU_EUNSUPPORTED, "cannot print '%.60s' as .ctp: %s",
                     au_step_label(p->m, s), what);
    else
        au_error_set(p->err, AU_EUNSUPPORTED, "cannot print thread '%.60s' as .ctp: %s",
                     p->th->name, what);
    return false;
}
#define unsupported au_ctp_cannot_print

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

static void synchronise(printer *p, const au_step *s) {
    static const char *const word[AU_STEP_KINDS] = {
        [AU_STEP_ACQ] = "acq",       [AU_STEP_REL] = "rel",
        [AU_STEP_RDACQ] = "rdacq",   [AU_STEP_WRACQ] = "wracq",
        [AU_STEP_WAIT] = "wait",     [AU_STEP_SIGNAL] = "signal",
        [AU_STEP_FORK] = "fork",     [AU_STEP_JOIN] = "join",
        [AU_STEP_ARRIVE] = "arrive", [AU_STEP_BROADCAST] = "broadcast"};
    bool of_thread = s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN;
    bool takes = s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ;
    au_out_printf(p->out, "%s%s ", takes && !s->blocking ? "try " : "", word[s->kind]);
    au_out_str(p->out, of_thread ? p->names.thread[s->obj] : p->names.obj[s->obj]);
    if (s->kind == AU_STEP_WAIT) {
        au_out_char(p->out, ' ');
        au_out_str(p->out, p->names.obj[s->obj2]);
    }
    au_ctp_print_place(p, s);
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
    if (!is_branch(p, node))
        return unsupported(p, yes, "its sides are not those of an if");
    au_out_str(p->out, "if ");
    if (!au_ctp_print_condition(p, yes))
        return false;
    au_ctp_print_place(p, yes);
    au_out_str(p->out, " {\n");
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
        if (s->havoc == var || au_ctp_mentions(p->m, s->guard, var) ||
            au_ctp_mentions(p->m, s->cond, var))
            return false;
        for (uint32_t k = 0; k < s->n_updates; k++)
            if (s->update[k].var == var || au_ctp_mentions(p->m, s->update[k].value, var))
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
        size_t len = *text == '"';
        while (len && text[len] != '"') /* quoted */
            len += text[len] == '\\' ? 2 : 1;
        len += len > 0;
        while (*text != '"' && name_char(text[len]))
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
             s->n_accesses == 1 && !s->access[0].write && (p->numbered || s->block == block) &&
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
    bool again = false;
    const au_step *yes = ok ? out_step(p, at, 0) : NULL;
    if (ok && (yes->indivisible || !au_ctp_text_with_read(p, yes, yes->guard, 0, &again, &c)))
        ok = unsupported(p, s, "the condition of a loop reads a variable in two places");
    if (ok && c.lets)
        ok = unsupported(p, s, "the condition of a loop is too large");
    if (ok) {
        au_out *cond = au_out_memory();
        if (!put_back(p, c.s, temp.at, shared.at, (uint32_t)temp.n, cond))
            ok = unsupported(p, s, "the reads of a loop's condition cannot be put back in order");
        size_t n;
        const char *text = au_out_memory_data(cond, &n);
        au_out_str(p->out, "while (");
        au_out_write(p->out, text, n);
        au_out_char(p->out, ')');
        au_ctp_print_place(p, yes);
        au_out_str(p->out, " {\n");
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
    if (p->numbered && s->block != AU_NONE) {
        uint32_t *part = &p->part[s->block];
        if (!*part)
            *part = ++p->parts;
        au_out_printf(p->out, "atomic %u ", *part);
    }
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
        if (n->out.n != 1 || !au_ctp_print_plain(p, s))
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
        if (b != open && !p->numbered) {
            if (block != AU_NONE || (b != AU_NONE && p->part[b]++)) {
                p->divided = true;
                ok = false;
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

/* name : width = value, in a list that begins with the word 'as'. */
static void declare(printer *p, const char **kind, size_t *column, const char *before,
                    const char *as, const char *name, unsigned width, const char *value) {
    char bits[16] = "";
    if (width != 32)
        snprintf(bits, sizeof bits, " : %u", width);
    size_t len = strlen(name) + strlen(bits) + (value ? strlen(value) + 3 : 0) + 2;
    if (*kind && strcmp(*kind, as) == 0 && *column + len <= 78) {
        au_out_str(p->out, ", ");
        *column += len;
    } else {
        if (*kind)
            au_out_char(p->out, '\n');
        au_out_str(p->out, before);
        au_out_str(p->out, as);
        au_out_char(p->out, ' ');
        *column = strlen(before) + strlen(as) + len;
    }
    *kind = as;
    au_out_str(p->out, name);
    au_out_str(p->out, bits);
    if (value) {
        au_out_str(p->out, " = ");
        au_out_str(p->out, value);
    }
}

static void declarations(printer *p) {
    static const char *const word[] = {
        [AU_OBJ_LOCK] = "lock", [AU_OBJ_RLOCK] = "rlock", [AU_OBJ_RWLOCK] = "rwlock",
        [AU_OBJ_SEM] = "sem",   [AU_OBJ_COND] = "cond",   [AU_OBJ_BARRIER] = "barrier"};
    const au_model *m = p->m;
    const char *kind = NULL;
    size_t column = 0;
    for (size_t i = 0; i < m->var.n; i++) {
        const au_var_info *v = &m->var.at[i];
        if (v->kind == AU_VAR_SHARED)
            declare(p, &kind, &column, "", "shared", p->names.var[i], v->width,
                    au_ctp_number_text(&p->names.arena, v->width, v->init));
    }
    for (size_t i = 0; i < m->obj.n; i++) {
        const au_sync_obj *o = &m->obj.at[i];
        bool valued = o->kind == AU_OBJ_SEM || o->kind == AU_OBJ_BARRIER;
        declare(p, &kind, &column, "", word[o->kind], p->names.obj[i], 32,
                valued ? au_ctp_number_text(&p->names.arena, 32, (uint32_t)o->init) : NULL);
    }
    if (kind)
        au_out_char(p->out, '\n');
}

/* The names in a text, quotes and all. */
static void names_in(const char *s, au_intern *out) {
    while (*s) {
        size_t len = 0;
        if (*s == '"') {
            for (len = 1; s[len] != '"'; len += s[len] == '\\' ? 2 : 1)
                ;
            len++;
        } else {
            while (name_char(s[len]))
                len++;
        }
        if (len)
            au_intern_add(out, s, len);
        s += len ? len : 1;
    }
}

/* Whether a local is not what the reader makes of a name that is assigned: 32 bits, 0 at first. */
static bool is_special(const printer *p, size_t var) {
    const au_var_info *v = &p->m->var.at[var];
    return v->kind == AU_VAR_LOCAL && v->thread == p->thread &&
           (v->width != 32 || v->init || !p->assigned[var]);
}

static void rank_locals(printer *p) {
    memset(p->rank, 0, p->m->var.n * sizeof *p->rank);
    p->ranks = 0;
    for (size_t i = 0; i < p->m->var.n; i++)
        if (is_special(p, i))
            p->rank[i] = ++p->ranks;
}

/* Those of them that the text of the thread mentions. */
static void declare_locals(printer *p, const char *body) {
    const au_model *m = p->m;
    au_intern used;
    au_intern_init(&used);
    const char *kind = NULL;
    size_t column = 0;
    for (size_t i = 0; i < m->var.n; i++) {
        const au_var_info *v = &m->var.at[i];
        if (!is_special(p, i))
            continue;
        if (!used.n)
            names_in(body, &used);
        const char *name = p->names.var[i];
        if (au_intern_find(&used, name, strlen(name)) != AU_NONE)
            declare(p, &kind, &column, "  ", "local", name, v->width,
                    v->init ? au_ctp_number_text(&p->names.arena, v->width, v->init) : NULL);
    }
    if (kind)
        au_out_char(p->out, '\n');
    au_intern_release(&used);
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

static bool body(printer *p) {
    p->seen = au_alloc_array(p->th->node.n, 1);
    p->part = au_alloc_array(p->m->n_blocks, sizeof *p->part);
    p->parts = 0;
    p->deep = 1;
    rank_locals(p);
    bool ok = list(p, p->th->entry, p->th->exit, AU_NONE);
    for (uint32_t i = 0; i < p->th->node.n && ok; i++)
        if (!p->seen[i] && p->th->node.at[i].out.n)
            ok = unsupported(p, NULL, "some of it cannot be reached");
    free(p->seen);
    free(p->part);
    return ok;
}

/* Something is marked, but no step is in it. */
static bool only_empty_blocks(const au_model *m) {
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].block != AU_NONE)
            return false;
    return m->n_blocks > 0;
}

static bool thread(printer *p, uint32_t t) {
    p->thread = t;
    p->th = &p->m->thread.at[t];
    p->width = label_width(p);
    p->numbered = p->divided = false;
    au_out *whole = p->out;
    p->out = au_out_memory();
    bool ok = body(p);
    if (!ok && p->divided) { /* some block is not a run of statements */
        au_out_abandon(p->out);
        p->out = au_out_memory();
        p->numbered = true;
        ok = body(p);
    }
    au_out *inner = p->out;
    size_t n;
    const char *text = au_out_memory_data(inner, &n);
    p->out = whole;
    if (ok) {
        au_out_str(whole, "thread ");
        au_out_str(whole, p->names.thread[t]);
        au_out_str(whole, " {\n");
        declare_locals(p, text);
        if (t == 0 && only_empty_blocks(p->m))
            au_out_str(whole, "  atomic { }\n");
        au_out_write(whole, text, n);
        au_out_str(whole, "}\n");
    }
    au_out_abandon(inner);
    return ok;
}

au_status au_ctp_print(const au_model *m, au_out *out, au_error *err) {
    au_error mine = AU_ERROR_NONE; /* so that there is always a status to look at */
    printer p = {.m = m, .out = out, .err = &mine};
    au_ctp_names_init(&p.names, m, &mine);
    au_ctp_labels_init(&p.labels, &p.names);
    p.rank = au_alloc_array(m->var.n, sizeof *p.rank);
    p.assigned = au_alloc_array(m->var.n, sizeof *p.assigned);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t k = 0; k < s->n_updates; k++)
            p.assigned[s->update[k].var] = true;
        if (s->havoc != AU_NONE)
            p.assigned[s->havoc] = true;
    }
    declarations(&p);
    bool ok = true;
    for (uint32_t t = 0; t < m->thread.n && ok; t++)
        ok = thread(&p, t);
    if (ok)
        au_ctp_print_trace(&p.labels, out);
    free(p.rank);
    free(p.assigned);
    au_ctp_labels_release(&p.labels);
    au_ctp_names_release(&p.names);
    if (!ok && err)
        *err = mine;
    return ok ? AU_OK : mine.status;
}
