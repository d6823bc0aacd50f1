/* bench/programs/queue.c: producers and consumers over one bounded queue, with a
 * condition for "not full" and one for "not empty"; each item is worked on a little
 * outside the lock. queue [ITEMS]: prints a checksum. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 64, SIDES = 2 };
static unsigned slot[SLOTS];
static unsigned head, filled, stopped;
static long items = 200000;
static unsigned long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static unsigned work(unsigned x) {
    unsigned char text[32];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(x >> (i % 4 * 8));
    unsigned h = 2166136261u;
    for (unsigned i = 0; i < sizeof text; i++)
        h = (h ^ text[i]) * 16777619u;
    return h;
}

static void *producer(void *arg) {
    unsigned first = (unsigned)(long)arg;
    for (long i = first; i < items; i += SIDES) {
        unsigned x = work((unsigned)i);
        pthread_mutex_lock(&lock);
        while (filled == SLOTS)
            pthread_cond_wait(&not_full, &lock);
        slot[(head + filled++) % SLOTS] = x;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    if (++stopped == SIDES)
        pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consumer(void *arg) {
    unsigned long sum = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!filled && stopped < SIDES)
            pthread_cond_wait(&not_empty, &lock);
        if (!filled) {
            total += sum;
            pthread_mutex_unlock(&lock);
            return arg;
        }
        unsigned x = slot[head];
        head = (head + 1) % SLOTS;
        filled--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
        sum += work(x);
    }
}

int main(int argc, char **argv) {
    if (argc > 1)
        items = atol(argv[1]);
    pthread_t t[2 * SIDES];
    for (long i = 0; i < SIDES; i++)
        if (pthread_create(&t[i], NULL, producer, (void *)i) ||
            pthread_create(&t[SIDES + i], NULL, consumer, NULL))
            return 3;
    for (int i = 0; i < 2 * SIDES; i++)
        pthread_join(t[i], NULL);
    printf("%lu\n", total);
    return 0;
}
