/* model/ctp_let.c: parts of a large term that get a name of their own when it is printed: what
 * is there more than once, and what would be too long or too deep to be read.
 *
 * Printing what was read must give the same text, although variables have other numbers then and
 * commutative operands may stand the other way round. So nothing here depends on that: parts are
 * ordered by height, and among those of one height by a hash of their structure in which variables
 * are names and the operands of a commutative operator have no order. */
#include "model/ctp_priv.h"

enum { DEEP = 100, LONG = 2000 }; /* what a part may become; a term gives a few levels */

typedef struct {
    au_term term;
    uint32_t refs;
    uint32_t height;
    uint32_t deep, len; /* of its text, about; of its name if it has one */
    uint64_t hash;
    bool part;
} info;

typedef struct {
    const au_ctp_names *n;
    const au_terms *t;
    au_map at; /* term -> index in node */
    AU_VEC(info) node;
} finder;

static info *of(finder *f, au_term x) {
    return &f->node.at[*au_map_find(&f->at, x.n)];
}

static bool is_commutative(au_term_op op) {
    return op == AU_T_ADD || op == AU_T_MUL || op == AU_T_AND || op == AU_T_OR || op == AU_T_XOR ||
           op == AU_T_EQ;
}

/* Requires: the kids are there. */
static void look(finder *f, au_term x) {
    const au_terms *t = f->t;
    au_term_op op = au_term_kind(t, x);
    info i = {.term = x, .len = 4};
    uint64_t own = (uint64_t)op << 16 | au_term_width(t, x) << 8 |
                   (op == AU_T_EXTRACT ? au_term_low(t, x) : 0);
    i.hash = au_hash_join(own, 1);
    if (op == AU_T_CONST) {
        i.hash = au_hash_join(i.hash, au_term_value(t, x));
        i.len = 10;
    } else if (op == AU_T_VAR) {
        uint32_t v = au_term_var(t, x);
        const char *name = f->n->var[v] ? f->n->var[v] : f->n->state[v] ? f->n->state[v] : "";
        i.len = (uint32_t)strlen(name);
        i.hash = au_hash_join(i.hash, au_hash_bytes(name, i.len));
    }
    uint64_t sum = 0;
    for (unsigned k = 0; k < au_term_kids(t, x); k++) {
        const info *kid = of(f, au_term_kid(t, x, k));
        i.height = kid->height >= i.height ? kid->height + 1 : i.height;
        i.deep = kid->deep >= i.deep ? kid->deep + 1 : i.deep;
        i.len += kid->len + 4;
        sum += au_hash_join(kid->hash, 2);
        if (!is_commutative(op))
            i.hash = au_hash_join(i.hash, kid->hash);
    }
    if (is_commutative(op))
        i.hash = au_hash_join(i.hash, sum);
    *au_map_put(&f->at, x.n, NULL) = f->node.n;
    au_vec_push(&f->node, i);
}

static void collect(finder *f, au_term root) {
    au_ctp_parts stack = {0};
    au_vec_push(&stack, root);
    while (stack.n) {
        au_term x = au_vec_last(&stack);
        bool ready = true;
        for (unsigned k = 0; k < au_term_kids(f->t, x); k++)
            if (!au_map_find(&f->at, au_term_kid(f->t, x, k).n)) {
                au_vec_push(&stack, au_term_kid(f->t, x, k));
                ready = false;
            }
        if (!ready)
            continue;
        if (!au_map_find(&f->at, x.n))
            look(f, x);
        stack.n--;
    }
    au_vec_release(&stack);
    for (size_t i = 0; i < f->node.n; i++)
        for (unsigned k = 0; k < au_term_kids(f->t, f->node.at[i].term); k++)
            of(f, au_term_kid(f->t, f->node.at[i].term, k))->refs++;
}

static int by_height(const void *a, const void *b) {
    const info *x = a, *y = b;
    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

void au_ctp_find_parts(const au_ctp_names *n, au_term root, au_ctp_parts *out) {
    finder f = {.n = n, .t = n->m->terms};
    au_map_init(&f.at);
    collect(&f, root);
    /* kids stand before parents: sizes again, now that some have names */
    for (size_t i = 0; i + 1 < f.node.n; i++) {
        info *x = &f.node.at[i];
        unsigned kids = au_term_kids(f.t, x->term);
        if (!kids)
            continue;
        x->deep = 0;
        x->len = 4;
        for (unsigned k = 0; k < kids; k++) {
            const info *kid = of(&f, au_term_kid(f.t, x->term, k));
            x->deep = kid->deep >= x->deep ? kid->deep + 1 : x->deep;
            x->len += kid->len + 4;
        }
        x->part = x->refs > 1 || x->deep >= DEEP || x->len >= LONG;
        if (x->part) {
            x->deep = 0;
            x->len = 5;
        }
    }
    if (f.node.n)
        qsort(f.node.at, f.node.n, sizeof *f.node.at, by_height);
    for (size_t i = 0; i < f.node.n; i++)
        if (f.node.at[i].part)
            au_vec_push(out, f.node.at[i].term);
    au_vec_release(&f.node);
    au_map_release(&f.at);
}
