/* Locks in objects that stand for several: on the heap, in arrays. Every list is allocated in a loop, so each
 * of its nodes is the same object to 'augur scan'. Both threads run every case. A line marked SAFE is protected by
 * the lock of the very object that it accesses; one marked RACE is not, in some run. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    pthread_mutex_t m, k;
    pthread_rwlock_t w;
    pthread_cond_t c;
    int n, o;
    char text[8];
};
struct pair {
    pthread_mutex_t m;
    int n;
};
struct group {
    int size;
    struct pair inner[4];
};
enum { MOST = 64 };
#define LISTS(X)                                                                                   \
    X(plain)                                                                                       \
    X(helper)                                                                                      \
    X(nested)                                                                                      \
    X(hand)                                                                                        \
    X(tried)                                                                                       \
    X(tried_helper)                                                                                \
    X(waits)                                                                                       \
    X(rw)                                                                                          \
    X(returned)                                                                                    \
    X(different)                                                                                   \
    X(text)                                                                                        \
    X(alias)                                                                                       \
    X(chosen)                                                                                      \
    X(moved)                                                                                       \
    X(other)                                                                                       \
    X(released)                                                                                    \
    X(branch)                                                                                      \
    X(carried)                                                                                     \
    X(untried)                                                                                     \
    X(two_locks)                                                                                   \
    X(readers)                                                                                     \
    X(recursive)                                                                                   \
    X(twice)                                                                                       \
    X(late) X(stale) X(reloaded) X(failed) X(swapped) X(unknown_path) X(wide) X(asked) X(freed)
#define LIST(name) static struct node *name##s[MOST];
LISTS(LIST)
static struct pair bucket[MOST], mixed[MOST], cleared[MOST], crossed[MOST], constants[4];
static struct group groups[MOST], inners[MOST];
static unsigned any(void) {
    return (unsigned)rand() % MOST;
}

/* --- protected ------------------------------------------------------------------------------- */

static void plain(struct node *p) {
    pthread_mutex_lock(&p->m);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static __attribute__((noinline)) void lock_node(struct node *p) {
    pthread_mutex_lock(&p->m);
}
static __attribute__((noinline)) void unlock_node(struct node *p) {
    pthread_mutex_unlock(&p->m);
}
static __attribute__((noinline)) void add(struct node *p) {
    p->n++; /* SAFE helper */
}
static void helper(struct node *p) {
    lock_node(p);
    add(p);
    p->o--; /* SAFE */
    unlock_node(p);
}
static void nested(struct node *p, struct node *q) {
    pthread_mutex_lock(&p->m);
    pthread_mutex_lock(&q->k);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&q->k);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static __attribute__((noinline)) void hand(struct node *p) { /* hand over hand */
    pthread_mutex_lock(&p->m);
    p->n++;                       /* SAFE */
    while (p->next) {             /* SAFE */
        struct node *q = p->next; /* SAFE */
        pthread_mutex_lock(&q->m);
        pthread_mutex_unlock(&p->m);
        p = q;
        p->n++; /* SAFE */
    }
    pthread_mutex_unlock(&p->m);
}
static void tried(struct node *p) {
    if (!pthread_mutex_trylock(&p->m)) {
        p->n++; /* SAFE */
        pthread_mutex_unlock(&p->m);
    }
}
static __attribute__((noinline)) int try_node(struct node *p) {
    return pthread_mutex_trylock(&p->m) == 0;
}
static void tried_helper(struct node *p) {
    if (!try_node(p))
        return;
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static void waits(struct node *p) {
    pthread_mutex_lock(&p->m);
    while (!p->n) /* SAFE */
        pthread_cond_wait(&p->c, &p->m);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static void rw(struct node *p) {
    pthread_rwlock_wrlock(&p->w);
    p->n++; /* SAFE */
    pthread_rwlock_unlock(&p->w);
    pthread_rwlock_rdlock(&p->w);
    p->o = p->n; /* RACE but for the read of n */
    pthread_rwlock_unlock(&p->w);
}
static __attribute__((noinline)) struct node *take(unsigned i) {
    struct node *p = returneds[i];
    if (p)
        pthread_mutex_lock(&p->m);
    return p;
}
static void returned(void) {
    struct node *p = take(any());
    if (!p)
        return;
    p->n++; /* told, though it is right: a lock on one branch only */
    pthread_mutex_unlock(&p->m);
}
static void different(struct node *p) {
    pthread_mutex_lock(&p->m);
    pthread_mutex_lock(&p->k);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->k);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static void text(struct node *p, int i) {
    pthread_mutex_lock(&p->m);
    p->text[i & 7]++;                   /* SAFE */
    memset(p->text, 0, sizeof p->text); /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static void elements(unsigned i) {
    pthread_mutex_lock(&bucket[i].m);
    bucket[i].n++; /* SAFE */
    pthread_mutex_unlock(&bucket[i].m);
    for (unsigned k = 0; k < MOST; k++) {
        pthread_mutex_lock(&bucket[k].m);
        bucket[k].n++; /* SAFE */
        pthread_mutex_unlock(&bucket[k].m);
    }
}
static void some_constant(unsigned i) {
    pthread_mutex_lock(&constants[i % 4].m);
    constants[i % 4].n++; /* SAFE */
    pthread_mutex_unlock(&constants[i % 4].m);
    pthread_mutex_lock(&constants[2].m);
    constants[2].n++; /* SAFE */
    pthread_mutex_unlock(&constants[2].m);
}
static void grouped(unsigned i, unsigned k) {
    struct pair *p = &groups[i].inner[k % 4];
    pthread_mutex_lock(&p->m);
    p->n++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static void chosen(struct node *p, struct node *q, int first) {
    struct node *r = first ? p : q;
    pthread_mutex_lock(&r->m);
    r->n++; /* SAFE */
    pthread_mutex_unlock(&r->m);
}

/* --- not protected --------------------------------------------------------------------------- */

static __attribute__((noinline)) void moved(struct node *p) { /* to the next one in between */
    pthread_mutex_lock(&p->m);
    struct node *q = p;
    p = p->next;
    if (p)
        p->n++; /* RACE */
    pthread_mutex_unlock(&q->m);
}
static void other(struct node *p, struct node *q) {
    pthread_mutex_lock(&p->m);
    q->n++; /* RACE */
    pthread_mutex_unlock(&p->m);
}
static void alias(struct node *p) { /* what the list has may be p */
    pthread_mutex_lock(&p->m);
    p->n++; /* SAFE only here */
    pthread_mutex_unlock(&aliass[any()]->m);
    p->o++; /* RACE */
}
static __attribute__((noinline)) void release(struct node *p) {
    pthread_mutex_unlock(&p->m);
}
static void released(struct node *p) {
    pthread_mutex_lock(&p->m);
    release(p);
    p->n++; /* RACE */
}
static void branch(struct node *p, int yes) {
    if (yes)
        pthread_mutex_lock(&p->m);
    p->n++; /* RACE */
    if (yes)
        pthread_mutex_unlock(&p->m);
}
static void carried(struct node *p) { /* the lock is of the one before */
    pthread_mutex_lock(&p->m);
    for (struct node *q = p; q; q = q->next)
        q->n++; /* RACE */
    pthread_mutex_unlock(&p->m);
}
static void untried(struct node *p) {
    int r = pthread_mutex_trylock(&p->m);
    p->n++; /* RACE */
    if (!r)
        pthread_mutex_unlock(&p->m);
    if (!r)
        p->o++; /* RACE */
}
static void failed(struct node *p) {
    if (pthread_mutex_trylock(&p->m)) {
        p->n++; /* RACE */
        return;
    }
    pthread_mutex_unlock(&p->m);
}
static void two_locks(struct node *p, int first) {
    if (first) {
        pthread_mutex_lock(&p->m);
        p->n++; /* RACE */
        pthread_mutex_unlock(&p->m);
    } else {
        pthread_mutex_lock(&p->k);
        p->n++; /* RACE */
        pthread_mutex_unlock(&p->k);
    }
}
static void readers(struct node *p) {
    pthread_rwlock_rdlock(&p->w);
    p->n++; /* RACE */
    pthread_rwlock_unlock(&p->w);
}
static void indices(unsigned i, unsigned k) {
    pthread_mutex_lock(&mixed[i].m);
    mixed[k].n++; /* RACE */
    pthread_mutex_unlock(&mixed[i].m);
}
static void whole_array(unsigned i) { /* several elements, one lock */
    pthread_mutex_lock(&cleared[i].m);
    cleared[i].n++;                                /* RACE with the next */
    memset(&cleared[i].n, 0, 2 * sizeof *cleared); /* RACE */
    pthread_mutex_unlock(&cleared[i].m);
}
static void neighbour(unsigned i) { /* the lock of the element before, and that of the element */
    if (i) {
        pthread_mutex_lock(&crossed[i - 1].m);
        (&crossed[i - 1])[1].n++; /* RACE */
        pthread_mutex_unlock(&crossed[i - 1].m);
    }
    pthread_mutex_lock(&crossed[i].m);
    crossed[i].n++; /* RACE */
    pthread_mutex_unlock(&crossed[i].m);
}
static void inner(unsigned i, unsigned k, unsigned l) { /* of the same group, another pair */
    pthread_mutex_lock(&inners[i].inner[k % 4].m);
    inners[i].inner[l % 4].n++; /* RACE */
    pthread_mutex_unlock(&inners[i].inner[k % 4].m);
}
static __attribute__((noinline)) void recursive(struct node *p, int depth) {
    pthread_mutex_lock(&p->m);
    if (depth > 0 && p->next)
        recursive(p->next, depth - 1);
    pthread_mutex_unlock(&p->m);
    p->n++; /* RACE */
}
static void late(struct node *p) {
    for (int i = 0; i < rand(); i++) {
        p->n++; /* RACE: not locked in the first round */
        pthread_mutex_lock(&p->m);
    }
    pthread_mutex_unlock(&p->m);
}
static void stale(void) { /* the value of the round before is locked */
    struct node *p = stales[any()], *q = p;
    for (int i = 0; i < rand(); i++) {
        q = p;
        p = stales[any()];
        pthread_mutex_lock(&q->m);
        p->n++; /* RACE */
        pthread_mutex_unlock(&q->m);
    }
}
static void reloaded(unsigned i) { /* somebody may put another node there meanwhile */
    pthread_mutex_lock(&reloadeds[i]->m);
    reloadeds[i]->n++; /* RACE */
    pthread_mutex_unlock(&reloadeds[i]->m);
    struct node *p = reloadeds[i];
    reloadeds[i] = reloadeds[i + 1];
    reloadeds[i + 1] = p;
}
static __attribute__((noinline)) void swapped(struct node *p,
                                              struct node *q) { /* phis that change places */
    for (int i = 0; i < rand(); i++) {
        pthread_mutex_lock(&p->m);
        struct node *r = p;
        p = q;
        q = r;
        p->n++; /* RACE */
        pthread_mutex_unlock(&q->m);
    }
}
extern void elsewhere(struct node *);
static void unknown_path(struct node *p) {
    pthread_mutex_lock(&p->m);
    elsewhere(p);
    p->n++; /* RACE: it may have unlocked */
}
static void
wide(struct node *p) { /* reads n and o together under the lock of one, writes o without */
    pthread_mutex_lock(&p->m);
    long both;
    memcpy(&both, &p->n, sizeof both); /* RACE with the next */
    p->n = (int)both;                  /* the same cell */
    pthread_mutex_unlock(&p->m);
    p->o++; /* RACE */
}
static void asked(struct node *p, struct node *q) { /* the answer is about another */
    int r = pthread_mutex_trylock(&p->m);
    int s = pthread_mutex_trylock(&q->m);
    if (!r) {
        q->n++; /* RACE */
        pthread_mutex_unlock(&p->m);
    }
    if (!s)
        pthread_mutex_unlock(&q->m);
}
static void twice(struct node *p) {
    pthread_mutex_lock(&p->m);
    pthread_mutex_unlock(&p->m);
    p->n++; /* RACE */
    pthread_mutex_lock(&p->m);
    p->o++; /* SAFE */
    pthread_mutex_unlock(&p->m);
}
static void freed(unsigned i) { /* and another one in its place */
    struct node *p = freeds[i];
    pthread_mutex_lock(&p->m);
    p->n++; /* RACE */
    pthread_mutex_unlock(&p->m);
    free(p); /* RACE */
}

static void *work(void *a) {
    int yes = rand() & 1;
    plain(plains[any()]);
    helper(helpers[any()]);
    nested(nesteds[any()], nesteds[any()]);
    hand(hands[any()]);
    tried(trieds[any()]);
    tried_helper(tried_helpers[any()]);
    waits(waitss[any()]);
    rw(rws[any()]);
    returned();
    different(differents[any()]);
    text(texts[any()], rand());
    elements(any());
    some_constant(any());
    grouped(any(), any());
    chosen(chosens[any()], chosens[any()], yes);
    moved(moveds[any()]);
    other(others[any()], others[any()]);
    alias(aliass[any()]);
    released(releaseds[any()]);
    branch(branchs[any()], yes);
    carried(carrieds[any()]);
    untried(untrieds[any()]);
    failed(faileds[any()]);
    two_locks(two_lockss[any()], yes);
    readers(readerss[any()]);
    indices(any(), any());
    whole_array(any() / 2);
    neighbour(any());
    inner(any(), any(), any());
    recursive(recursives[any()], rand());
    late(lates[any()]);
    stale();
    reloaded(any() / 2);
    swapped(swappeds[any()], swappeds[any()]);
    unknown_path(unknown_paths[any()]);
    wide(wides[any()]);
    asked(askeds[any()], askeds[any()]);
    twice(twices[any()]);
    freed(any());
    return a;
}

int main(int argc, char **argv) {
    pthread_t t, u;
    (void)argv;
#define MAKE(name)                                                                                 \
    for (int i = 0; i < argc; i++) {                                                               \
        name##s[i] = malloc(sizeof **name##s);                                                     \
        if (!name##s[i])                                                                           \
            return 1;                                                                              \
        memset(name##s[i], 0, sizeof **name##s);                                                   \
        name##s[i]->next = i ? name##s[i - 1] : NULL;                                              \
    }
    LISTS(MAKE)
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
