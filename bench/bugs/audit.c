/* The auditor adds up accounts one by one, each under its lock, while money moves from one that he has
 * not seen to one that he has: it is missing in his sum. No data race, no deadlock (fixed order). */
#include <assert.h>
#include <pthread.h>

static int balance[2] = {50, 50};
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *transfer(void *unused) {
    pthread_mutex_lock(&lock[0]);
    pthread_mutex_lock(&lock[1]);
    balance[1] -= 20; // bug
    balance[0] += 20; // bug
    pthread_mutex_unlock(&lock[1]);
    pthread_mutex_unlock(&lock[0]);
    return unused;
}

static void *audit(void *unused) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock[i]);
        sum += balance[i]; // bug
        pthread_mutex_unlock(&lock[i]);
    }
    assert(sum == 100);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, transfer, NULL);
    pthread_create(&b, NULL, audit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
