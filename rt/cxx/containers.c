/* rt/cxx/containers.c: what std::map, std::set, std::list and std::unordered_map of libstdc++ call in the
 * library, once more. The library's own code has no hooks: a thread that reads a node which another's insertion has
 * relinked would see a value that nobody wrote. `augur c++` puts these functions into modules that
 * call them, before hooks are inserted (src/llvm/adopt.c).
 *
 * Only the layout of nodes and the meaning of the functions are libstdc++'s. A tree is reached through its
 * header, a node that holds no value: its parent is the root, its left and right are the first and last
 * node (itself if there is none); it is red and the root is black. */
#include <stdbool.h>
#include <stddef.h>

typedef struct tree_node {
    int black;
    struct tree_node *parent, *left, *right;
} tree_node;

/* Functions that a module does not call are left behind. */
#define AS(symbol) __asm__(symbol)

static inline tree_node *first_below(tree_node *n) {
    while (n->left)
        n = n->left;
    return n;
}

static inline tree_node *last_below(tree_node *n) {
    while (n->right)
        n = n->right;
    return n;
}

/* ---- walking ---- */

static inline tree_node *next_of(tree_node *n) {
    if (n->right)
        return first_below(n->right);
    tree_node *up = n->parent;
    while (n == up->right) {
        n = up;
        up = up->parent;
    }
    /* From a root that has nothing on its right the climb ends at the root again, the header being
     * its parent and its child. */
    return n->right != up ? up : n;
}

static inline tree_node *previous_of(tree_node *n) {
    if (!n->black && n->parent->parent == n) /* the header */
        return n->right;
    if (n->left)
        return last_below(n->left);
    tree_node *up = n->parent;
    while (n == up->left) {
        n = up;
        up = up->parent;
    }
    return up;
}

tree_node *augur_tree_next(tree_node *n) AS("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
tree_node *augur_tree_next(tree_node *n) {
    return next_of(n);
}
const tree_node *augur_tree_next_const(const tree_node *n)
    AS("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
const tree_node *augur_tree_next_const(const tree_node *n) {
    return next_of((tree_node *)n);
}
tree_node *augur_tree_previous(tree_node *n) AS("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
tree_node *augur_tree_previous(tree_node *n) {
    return previous_of(n);
}
const tree_node *augur_tree_previous_const(const tree_node *n)
    AS("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base");
const tree_node *augur_tree_previous_const(const tree_node *n) {
    return previous_of((tree_node *)n);
}

/* ---- changing ---- */

/* 'to' (may be NULL) stands where n stood, seen from above. */
static inline void put_in_place(tree_node *n, tree_node *to, tree_node *header) {
    if (header->parent == n)
        header->parent = to;
    else if (n->parent->left == n)
        n->parent->left = to;
    else
        n->parent->right = to;
    if (to)
        to->parent = n->parent;
}

/* The right child of n comes up, n becomes its left child. */
static inline void turn_left(tree_node *n, tree_node *header) {
    tree_node *up = n->right;
    n->right = up->left;
    if (up->left)
        up->left->parent = n;
    put_in_place(n, up, header);
    up->left = n;
    n->parent = up;
}

static inline void turn_right(tree_node *n, tree_node *header) {
    tree_node *up = n->left;
    n->left = up->right;
    if (up->right)
        up->right->parent = n;
    put_in_place(n, up, header);
    up->right = n;
    n->parent = up;
}

void augur_tree_insert(bool left, tree_node *n, tree_node *parent, tree_node *header)
    AS("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
void augur_tree_insert(bool left, tree_node *n, tree_node *parent, tree_node *header) {
    n->parent = parent;
    n->left = n->right = NULL;
    n->black = false;
    if (parent == header) { /* the first node of all */
        header->parent = header->left = header->right = n;
    } else if (left) {
        parent->left = n;
        if (header->left == parent)
            header->left = n;
    } else {
        parent->right = n;
        if (header->right == parent)
            header->right = n;
    }
    /* A red node under a red one: the black grandparent gives its colour down, or turns. */
    while (n != header->parent && !n->parent->black) {
        tree_node *p = n->parent, *grand = p->parent;
        bool on_left = grand->left == p;
        tree_node *uncle = on_left ? grand->right : grand->left;
        if (uncle && !uncle->black) {
            p->black = uncle->black = true;
            grand->black = false;
            n = grand;
            continue;
        }
        if (on_left) {
            if (p->right == n) {
                turn_left(p, header);
                n = p;
                p = n->parent;
            }
            p->black = true;
            grand->black = false;
            turn_right(grand, header);
        } else {
            if (p->left == n) {
                turn_right(p, header);
                n = p;
                p = n->parent;
            }
            p->black = true;
            grand->black = false;
            turn_left(grand, header);
        }
    }
    header->parent->black = true;
}

static inline bool is_black(const tree_node *n) {
    return !n || n->black;
}

/* Ways through n (may be NULL), a child of 'up', have one black node too few. */
static inline void make_up(tree_node *n, tree_node *up, tree_node *header) {
    while (n != header->parent && is_black(n)) {
        if (up->left == n) {
            tree_node *other = up->right;
            if (!other->black) {
                other->black = true;
                up->black = false;
                turn_left(up, header);
                other = up->right;
            }
            if (is_black(other->left) && is_black(other->right)) {
                other->black = false;
                n = up;
                up = up->parent;
                continue;
            }
            if (is_black(other->right)) {
                other->left->black = true;
                other->black = false;
                turn_right(other, header);
                other = up->right;
            }
            other->black = up->black;
            up->black = true;
            if (other->right)
                other->right->black = true;
            turn_left(up, header);
        } else {
            tree_node *other = up->left;
            if (!other->black) {
                other->black = true;
                up->black = false;
                turn_right(up, header);
                other = up->left;
            }
            if (is_black(other->left) && is_black(other->right)) {
                other->black = false;
                n = up;
                up = up->parent;
                continue;
            }
            if (is_black(other->left)) {
                other->right->black = true;
                other->black = false;
                turn_left(other, header);
                other = up->left;
            }
            other->black = up->black;
            up->black = true;
            if (other->left)
                other->left->black = true;
            turn_right(up, header);
        }
        break;
    }
    if (n)
        n->black = true;
}

/* Takes n out of the tree, and returns it. */
tree_node *augur_tree_erase(tree_node *n, tree_node *header)
    AS("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
tree_node *augur_tree_erase(tree_node *n, tree_node *header) {
    if (header->left == n)
        header->left = n->right ? first_below(n->right) : n->parent;
    if (header->right == n)
        header->right = n->left ? last_below(n->left) : n->parent;
    tree_node *moved, *above; /* what comes to stand where a node is missing */
    int lost;
    if (!n->left || !n->right) {
        moved = n->left ? n->left : n->right;
        above = n->parent;
        lost = n->black;
        put_in_place(n, moved, header);
    } else {
        tree_node *heir = first_below(n->right);
        moved = heir->right;
        lost = heir->black;
        if (heir->parent == n) {
            above = heir;
        } else {
            above = heir->parent;
            put_in_place(heir, moved, header);
            heir->right = n->right;
            heir->right->parent = heir;
        }
        put_in_place(n, heir, header);
        heir->left = n->left;
        heir->left->parent = heir;
        heir->black = n->black;
        n->black = lost;
    }
    if (lost)
        make_up(moved, above, header);
    return n;
}

/* ---- lists: rings of nodes ---- */

typedef struct list_node {
    struct list_node *next, *prev;
} list_node;

/* n comes before 'at'. */
void augur_list_hook(list_node *n, list_node *at)
    AS("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
void augur_list_hook(list_node *n, list_node *at) {
    n->next = at;
    n->prev = at->prev;
    at->prev->next = n;
    at->prev = n;
}

void augur_list_unhook(list_node *n) AS("_ZNSt8__detail15_List_node_base9_M_unhookEv");
void augur_list_unhook(list_node *n) {
    n->prev->next = n->next;
    n->next->prev = n->prev;
}

/* The nodes from 'first' to before 'end' go before 'at'. */
void augur_list_transfer(list_node *at, list_node *first, list_node *end)
    AS("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
void augur_list_transfer(list_node *at, list_node *first, list_node *end) {
    if (at == end || first == end)
        return;
    list_node *last = end->prev;
    first->prev->next = end;
    end->prev = first->prev;
    first->prev = at->prev;
    at->prev->next = first;
    last->next = at;
    at->prev = last;
}

void augur_list_reverse(list_node *n) AS("_ZNSt8__detail15_List_node_base10_M_reverseEv");
void augur_list_reverse(list_node *n) {
    list_node *at = n;
    do {
        list_node *next = at->next;
        at->next = at->prev;
        at->prev = next;
        at = next;
    } while (at != n);
}

static inline void take_ring(list_node *n, list_node *next, list_node *prev,
                             const list_node *from) {
    bool empty = next == from;
    n->next = empty ? n : next;
    n->prev = empty ? n : prev;
    n->next->prev = n->prev->next = n;
}

/* Two rings change places. */
void augur_list_swap(list_node *a, list_node *b) AS("_ZNSt8__detail15_List_node_base4swapERS0_S1_");
void augur_list_swap(list_node *a, list_node *b) {
    list_node was = *a;
    take_ring(a, b->next, b->prev, b);
    take_ring(b, was.next, was.prev, a);
}

/* ---- hash tables: when they grow, and to how many buckets ---- */

typedef struct {
    float load;  /* elements a bucket, at most */
    size_t most; /* elements up to which there is nothing to do */
} hash_policy;

typedef struct {
    bool grow;
    size_t buckets;
} hash_growth;

extern const unsigned long library_primes[] AS("_ZNSt8__detail12__prime_listE");
enum { PRIMES = 304 };

static inline size_t take_buckets(hash_policy *p, size_t buckets, bool last) {
    double most = (double)buckets * (double)p->load;
    p->most = last || most >= 0x1p64 ? (size_t)-1 : (size_t)most;
    return buckets;
}

/* A good number of buckets, at least n. */
size_t augur_hash_buckets(hash_policy *p, size_t n)
    AS("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
size_t augur_hash_buckets(hash_policy *p, size_t n) {
    static const unsigned char few[] = {1, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13};
    if (n < sizeof few)
        return n ? take_buckets(p, few[n], false) : 1;
    size_t low = 0, high = PRIMES - 1; /* the first prime that is not below n is in [low, high] */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (library_primes[middle] < n)
            low = middle + 1;
        else
            high = middle;
    }
    return take_buckets(p, library_primes[low], low == PRIMES - 1);
}

/* Before 'more' elements come to the 'have' that are there. */
hash_growth augur_hash_growth(hash_policy *p, size_t buckets, size_t have, size_t more)
    AS("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
hash_growth augur_hash_growth(hash_policy *p, size_t buckets, size_t have, size_t more) {
    if (have + more <= p->most)
        return (hash_growth){false, 0};
    size_t wanted = have + more;
    if (!p->most && wanted < 11) /* a new table begins with a few */
        wanted = 11;
    double least = (double)wanted / (double)p->load;
    if (least < (double)buckets) {
        take_buckets(p, buckets, false);
        return (hash_growth){false, 0};
    }
    size_t n = (size_t)least + 1;
    return (hash_growth){true, augur_hash_buckets(p, n < 2 * buckets ? 2 * buckets : n)};
}
