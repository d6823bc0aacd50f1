/* A device that is suspended and resumed: requests wait in a queue while it sleeps. 'mode' is changed under
 * the lock; the register belongs to requests while it is AWAKE and one is inside, to the power
 * management while it is BUSY or ASLEEP. */
#include <pthread.h>
#include <stdlib.h>

enum { ASLEEP, BUSY, AWAKE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int mode = AWAKE, inside;
static int reg;
static int wakeups; /* statistics */

static void wait_request(int value) {
    pthread_mutex_lock(&lock);
    while (mode != AWAKE || inside > 0)
        pthread_cond_wait(&changed, &lock);
    inside = 1;
    pthread_mutex_unlock(&lock);
    reg = value; // race: bogus reg
    pthread_mutex_lock(&lock);
    inside = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_suspend(void) {
    pthread_mutex_lock(&lock);
    if (mode == AWAKE && inside == 0) {
        mode = BUSY;
        pthread_mutex_unlock(&lock);
        reg = -1; // race: bogus reg
        pthread_mutex_lock(&lock);
        mode = ASLEEP;
    }
    pthread_mutex_unlock(&lock);
}

static void wait_resume(void) {
    pthread_mutex_lock(&lock);
    if (mode == ASLEEP) {
        mode = BUSY;
        pthread_mutex_unlock(&lock);
        reg = 0;   // race: bogus reg
        wakeups++; // race: real wakeups
        pthread_mutex_lock(&lock);
        mode = AWAKE;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}

static int wait_show(void) {
    return wakeups; // race: real wakeups
}

static void *requests(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        wait_request((int)i);
    return NULL;
}
static void *power(void *rounds) {
    for (long i = (long)rounds; i > 0; i--) {
        wait_suspend();
        wait_resume();
    }
    return NULL;
}
static void *shows(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        wait_show();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 3);
    pthread_t a, b, c;
    pthread_create(&a, NULL, requests, rounds);
    pthread_create(&b, NULL, power, rounds);
    pthread_create(&c, NULL, shows, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
