/* examples/papers/banking.c: N clients move money between accounts of one bank, and at the
 * end all the money must still be there.
 *
 * The bug: a client reads a balance in one critical section and writes it in the next, so
 * that what another client did in between is lost. With -DRIGHT a transfer is one section.
 *
 *     banking-N     -DN=N -DRIGHT
 *     banking-Na    -DN=N
 *
 * -DTIMES=K: each client does so K times, for runs as long as the papers'. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef TIMES
#define TIMES 1
#endif
enum { ACCOUNTS = 3, MONEY = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance[ACCOUNTS] = {MONEY, MONEY, MONEY};

#ifdef RIGHT
static void transfer(int from, int to, int amount) {
    pthread_mutex_lock(&lock);
    balance[from] -= amount;
    balance[to] += amount;
    pthread_mutex_unlock(&lock);
}
#else
static int get(int account) {
    pthread_mutex_lock(&lock);
    int n = balance[account];
    pthread_mutex_unlock(&lock);
    return n;
}

static void put(int account, int n) {
    pthread_mutex_lock(&lock);
    balance[account] = n;
    pthread_mutex_unlock(&lock);
}

static void transfer(int from, int to, int amount) {
    put(from, get(from) - amount);
    put(to, get(to) + amount);
}
#endif

static void *client(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < TIMES; i++)
        transfer(me % ACCOUNTS, (me + 1) % ACCOUNTS, 10 + me);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int number[N], all = 0;
    for (int i = 0; i < N; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, client, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++)
        all += balance[i];
    assert(all == ACCOUNTS * MONEY);
    return 0;
}
