/* examples/papers/bank.c: K tellers, each with four accounts of its own, and an auditor.
 *
 * A teller's whole round is meant to be atomic, but it gives its locks (the bank's and its
 * accounts', nested) up between reading an account and writing it. The auditor writes each
 * account once before the tellers start, once meanwhile and once after they ended.
 *
 *     bank-av-k     -DK=k             nothing keeps the auditor out: four broken blocks a teller
 *     bank-sav-k    -DK=k -DWAITS=2   it waits, by a flag and a condition variable, for the teller
 *                                     to be done before it touches two of the four accounts
 *     bank-nav-k    -DK=k -DWAITS=4   … any of them: nothing is broken
 * Locks alone do not tell these from each other. */
#include <augur.h>
#include <pthread.h>

#ifndef K
#define K 2
#endif
#ifndef WAITS
#define WAITS 0
#endif
enum { ACCOUNTS = 4 };

static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static struct teller {
    pthread_mutex_t lock, done_lock;
    pthread_cond_t told;
    int account[ACCOUNTS];
    int done;
} teller[K];

static int get(struct teller *t, int account) {
    pthread_mutex_lock(&bank);
    pthread_mutex_lock(&t->lock);
    int n = t->account[account];
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_unlock(&bank);
    return n;
}

static void put(struct teller *t, int account, int n) {
    pthread_mutex_lock(&bank);
    pthread_mutex_lock(&t->lock);
    t->account[account] = n;
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_unlock(&bank);
}

static void *work(void *arg) {
    struct teller *t = arg;
    AUGUR_ATOMIC_BEGIN("round");
    for (int i = 0; i < ACCOUNTS; i++)
        put(t, i, get(t, i) - 10);
    AUGUR_ATOMIC_END();
    if (WAITS) {
        pthread_mutex_lock(&t->done_lock);
        t->done = 1;
        pthread_cond_signal(&t->told);
        pthread_mutex_unlock(&t->done_lock);
    }
    return NULL;
}

static void wait_for(struct teller *t) {
    pthread_mutex_lock(&t->done_lock);
    while (!t->done)
        pthread_cond_wait(&t->told, &t->done_lock);
    pthread_mutex_unlock(&t->done_lock);
}

int main(void) {
    pthread_t id[K];
    for (int k = 0; k < K; k++) {
        pthread_mutex_init(&teller[k].lock, NULL);
        pthread_mutex_init(&teller[k].done_lock, NULL);
        pthread_cond_init(&teller[k].told, NULL);
        for (int i = 0; i < ACCOUNTS; i++)
            teller[k].account[i] = 100;
    }
    for (int k = 0; k < K; k++)
        pthread_create(&id[k], NULL, work, &teller[k]);
    for (int k = 0; k < K; k++)
        for (int i = ACCOUNTS - 1; i >= 0; i--) {
            if (i < WAITS)
                wait_for(&teller[k]);
            put(&teller[k], i, 200);
        }
    for (int k = 0; k < K; k++)
        pthread_join(id[k], NULL);
    for (int k = 0; k < K; k++)
        for (int i = 0; i < ACCOUNTS; i++)
            teller[k].account[i] = 0;
    return 0;
}
