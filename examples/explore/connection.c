/* A connection as a state machine. Whoever closes it while it is being opened waits until the
 * opener has noticed; the opener notices, but does not wake him: a deadlock behind two cases
 * of a switch. */
#include <pthread.h>

static enum { IDLE, OPENING, OPEN, CLOSING } state;
static int handle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int handshake(int seed) {
    int word[16];
    for (int i = 0; i < 16; i++)
        word[i] = i ? word[i - 1] * 5 + 3 : seed;
    return word[15] | 1;
}

static void *opener(void *unused) {
    pthread_mutex_lock(&lock);
    state = OPENING;
    pthread_mutex_unlock(&lock);
    int got = handshake(7);
    pthread_mutex_lock(&lock);
    switch (state) {
    case OPENING:
        handle = got;
        state = OPEN;
        break;
    case CLOSING:
        state = IDLE;
#ifdef RIGHT
        pthread_cond_broadcast(&changed);
#endif
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *closer(void *unused) {
    pthread_mutex_lock(&lock);
    switch (state) {
    case OPEN:
        handle = 0;
        state = IDLE;
        break;
    case OPENING:
        state = CLOSING;
        while (state == CLOSING)
            pthread_cond_wait(&changed, &lock);
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, opener, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return handle != 0 && state != OPEN;
}
