/* Right: a cycle of three locks through three threads, two of which share a gate: the three can never
 * all be inside. */
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c_lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b, c;

static void *one(void *unused) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&a_lock);
    pthread_mutex_lock(&b_lock);
    a = b;
    pthread_mutex_unlock(&b_lock);
    pthread_mutex_unlock(&a_lock);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&b_lock);
    pthread_mutex_lock(&c_lock);
    b = c;
    pthread_mutex_unlock(&c_lock);
    pthread_mutex_unlock(&b_lock);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *three(void *unused) {
    pthread_mutex_lock(&c_lock);
    pthread_mutex_lock(&a_lock);
    c = a;
    pthread_mutex_unlock(&a_lock);
    pthread_mutex_unlock(&c_lock);
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_create(&t[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
