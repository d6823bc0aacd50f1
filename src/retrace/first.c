/* retrace/first.c: may this event be the next one from here? As llvm/paths.h has it: the
 * events that may come first when a block is entered. Asked only where nothing else tells
 * which way a branch went; the answers are kept. */
#include "retrace/retrace_priv.h"

enum { YES = 1, NO = 2 };

/* A copy of a length that is not constant may be no event. */
static bool is_unsure(const au_code *c, const au_code_insn *i) {
    if (i->op != AU_C_COPY && i->op != AU_C_SET)
        return false;
    return i->c >= 0 || c->pool[~i->c].kind != AU_CONST_NUMBER;
}

typedef struct {
    const au_code *code;
    uint32_t site;
    au_map seen;
    AU_VEC(uint32_t) todo;
} search;

static void go(search *s, uint32_t edge) {
    uint32_t to = s->code->edge[edge].target;
    bool fresh;
    au_map_put(&s->seen, to, &fresh);
    if (fresh)
        au_vec_push(&s->todo, to);
}

/* A call: true if it is passed; what comes in 'yes' if it is an event. */
static bool passes_call(search *s, const au_code_insn *i, bool *yes) {
    const au_code *c = s->code;
    const struct au_code_call *call = &c->call[i->aux];
    if (i->op == AU_C_CALL && call->kind == AU_CALL_DIRECT && c->function[call->callee].hooked) {
        *yes = c->function[call->callee].enter_site == s->site;
        return false;
    }
    if (i->op == AU_C_CALL && call->noreturn && call->kind != AU_CALL_DIRECT)
        return false;
    if (!call->invoke)
        return true;
    go(s, call->normal);
    return false;
}

/* From an instruction to the end of its block or its first sure event. */
static bool walk(search *s, uint32_t at) {
    const au_code *c = s->code;
    for (;; at++) {
        const au_code_insn *i = &c->insn[at];
        uint32_t own = i->site;
        bool yes = false;
        if (own == AU_NONE && i->op == AU_C_COPY)
            own = i->aux;
        if (own != AU_NONE) {
            if (own == s->site)
                return true;
            if (!is_unsure(c, i))
                return false;
            continue;
        }
        switch (i->op) {
        case AU_C_BR:
            go(s, (uint32_t)i->a);
            return false;
        case AU_C_CONDBR:
            go(s, (uint32_t)i->b);
            go(s, (uint32_t)i->c);
            return false;
        case AU_C_SWITCH:
        case AU_C_INDIRECTBR: {
            const struct au_code_switch *w = &c->sw[i->aux];
            for (uint32_t k = 0; k < w->n_succ; k++)
                go(s, c->index[w->succ + k]);
            return false;
        }
        case AU_C_CALL:
        case AU_C_ANNOTATE:
            if (!passes_call(s, i, &yes))
                return yes;
            break;
        case AU_C_RET: /* of a function without hooks: its caller's event, if not one of ours */
            return !c->function[c->function_of[at]].hooked &&
                   c->function_of[c->site_insn[s->site]] != c->function_of[at];
        case AU_C_RESUME:
        case AU_C_UNREACHABLE:
            return false;
        default:
            break;
        }
    }
}

bool au_retrace_may_come(au_rmodule *m, uint32_t insn, uint32_t site) {
    bool fresh;
    uint64_t *known = au_map_put(&m->first, au_key2(insn, site), &fresh);
    if (!fresh)
        return *known == YES;
    search s = {.code = m->code, .site = site};
    au_map_init(&s.seen);
    bool yes = walk(&s, insn);
    while (s.todo.n && !yes)
        yes = walk(&s, au_vec_pop(&s.todo));
    au_vec_release(&s.todo);
    au_map_release(&s.seen);
    *au_map_put(&m->first, au_key2(insn, site), NULL) = yes ? YES : NO;
    return yes;
}
