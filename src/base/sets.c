/* base/sets.c: sets of numbers that share what they have in common. */
#include "base/sets.h"

void au_sets_release(au_sets *s) {
    au_vec_release(&s->node);
    au_idtable_release(&s->index);
}

/* Branches are alike if their halves are: key and bit follow from them. */
static bool same_node(const void *ctx, uint32_t id, const void *key) {
    const au_set_node *a = &((const au_sets *)ctx)->node.at[id], *b = key;
    return a->key == b->key && a->bit == b->bit && a->left == b->left && a->right == b->right;
}

static uint32_t make(au_sets *s, au_set_node n) {
    uint64_t hash = n.bit ? au_hash_join(n.left, n.right) : au_hash_u64(~(uint64_t)n.key);
    uint32_t id = au_idtable_find(&s->index, hash, same_node, s, &n);
    if (id != AU_NONE)
        return id;
    if (!s->node.n)
        au_vec_push(&s->node, ((au_set_node){0})); /* 0 is the empty set */
    id = (uint32_t)s->node.n;
    au_vec_push(&s->node, n);
    au_idtable_add(&s->index, hash, id);
    return id;
}

static uint32_t single(au_sets *s, uint32_t member) {
    return make(s, (au_set_node){.key = member, .n = 1});
}

static uint32_t above(uint32_t key, uint32_t bit) {
    return key & ~(2 * bit - 1);
}

static uint32_t branch(au_sets *s, uint32_t key, uint32_t bit, uint32_t left, uint32_t right) {
    if (!left || !right)
        return left | right;
    uint32_t n = s->node.at[left].n + s->node.at[right].n;
    return make(s, (au_set_node){above(key, bit), bit, left, right, n});
}

/* Two sets that have no member in common, told apart by their keys. */
static uint32_t beside(au_sets *s, uint32_t a, uint32_t b) {
    uint32_t x = s->node.at[a].key, y = s->node.at[b].key;
    uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(x ^ y));
    return x & bit ? branch(s, x, bit, b, a) : branch(s, x, bit, a, b);
}

uint32_t au_sets_with(au_sets *s, uint32_t set, uint32_t member) {
    if (!set)
        return single(s, member);
    au_set_node n = s->node.at[set];
    if (n.bit ? above(member, n.bit) != n.key : n.key != member)
        return beside(s, set, single(s, member));
    if (!n.bit)
        return set;
    return member & n.bit ? branch(s, n.key, n.bit, n.left, au_sets_with(s, n.right, member))
                          : branch(s, n.key, n.bit, au_sets_with(s, n.left, member), n.right);
}

uint32_t au_sets_without(au_sets *s, uint32_t set, uint32_t member) {
    if (!au_sets_has(s, set, member))
        return set;
    au_set_node n = s->node.at[set];
    if (!n.bit)
        return AU_SET_NONE;
    return member & n.bit ? branch(s, n.key, n.bit, n.left, au_sets_without(s, n.right, member))
                          : branch(s, n.key, n.bit, au_sets_without(s, n.left, member), n.right);
}

bool au_sets_has(const au_sets *s, uint32_t set, uint32_t member) {
    if (!set)
        return false;
    const au_set_node *n = &s->node.at[set];
    while (n->bit)
        n = &s->node.at[member & n->bit ? n->right : n->left];
    return n->key == member;
}

/* How two sets lie to each other. */
typedef enum {
    APART,   /* no member of one has the other's key */
    ALIGNED, /* the same bit decides in both */
    IN_LEFT, /* all of b belongs to a's half */
    IN_RIGHT,
    AROUND /* a belongs to one of b's halves: look at them the other way round */
} relation;

static relation relate(const au_set_node *a, const au_set_node *b) {
    if (a->bit == b->bit)
        return a->key == b->key ? ALIGNED : APART;
    if (a->bit < b->bit)
        return AROUND;
    if (above(b->key, a->bit) != a->key)
        return APART;
    return b->key & a->bit ? IN_RIGHT : IN_LEFT;
}

uint32_t au_sets_join(au_sets *s, uint32_t a, uint32_t b) {
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    au_set_node x = s->node.at[a], y = s->node.at[b];
    uint32_t left;
    switch (relate(&x, &y)) {
    case AROUND:
        return au_sets_join(s, b, a);
    case IN_LEFT:
        return branch(s, x.key, x.bit, au_sets_join(s, x.left, b), x.right);
    case IN_RIGHT:
        return branch(s, x.key, x.bit, x.left, au_sets_join(s, x.right, b));
    case ALIGNED: /* of one member they would be the same set */
        left = au_sets_join(s, x.left, y.left);
        return branch(s, x.key, x.bit, left, au_sets_join(s, x.right, y.right));
    default:
        break;
    }
    /* their keys may agree in the bits that the wider one knows: not if they are apart */
    return beside(s, a, b);
}

uint32_t au_sets_meet(au_sets *s, uint32_t a, uint32_t b) {
    if (a == b || !a)
        return a;
    if (!b)
        return b;
    au_set_node x = s->node.at[a], y = s->node.at[b];
    uint32_t left;
    switch (relate(&x, &y)) {
    case AROUND:
        return au_sets_meet(s, b, a);
    case IN_LEFT:
        return au_sets_meet(s, x.left, b);
    case IN_RIGHT:
        return au_sets_meet(s, x.right, b);
    case ALIGNED:
        left = au_sets_meet(s, x.left, y.left);
        return branch(s, x.key, x.bit, left, au_sets_meet(s, x.right, y.right));
    default:
        return AU_SET_NONE;
    }
}

bool au_sets_touch(const au_sets *s, uint32_t a, uint32_t b) {
    if (!a || !b)
        return false;
    while (a != b) {
        const au_set_node *x = &s->node.at[a], *y = &s->node.at[b];
        switch (relate(x, y)) {
        case APART:
            return false;
        case AROUND: {
            uint32_t swap = a;
            a = b;
            b = swap;
            break;
        }
        case IN_LEFT:
            a = x->left;
            break;
        case IN_RIGHT:
            a = x->right;
            break;
        case ALIGNED:
            if (au_sets_touch(s, x->left, y->left))
                return true;
            a = x->right;
            b = y->right;
            break;
        }
    }
    return true;
}

void au_sets_list(const au_sets *s, uint32_t set, uint32_t *to) {
    if (!set)
        return;
    const au_set_node *n = &s->node.at[set];
    if (!n->bit) {
        *to = n->key;
        return;
    }
    au_sets_list(s, n->left, to);
    au_sets_list(s, n->right, to + s->node.at[n->left].n);
}
