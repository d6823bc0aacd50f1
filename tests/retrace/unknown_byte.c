/* What foreign code passes to a function is in no event. Stored into memory of the thread's own and read again it is told,
 * so a branch on it has no bit of its own (src/llvm/paths.h). leveldb compares keys so. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local unsigned char *own;

static void encode(unsigned char *p, uintptr_t v) {
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static uintptr_t decode(const unsigned char *p) {
    return (uintptr_t)p[0] | (uintptr_t)p[1] << 8 | (uintptr_t)p[2] << 16 | (uintptr_t)p[3] << 24 |
           (uintptr_t)p[4] << 32 | (uintptr_t)p[5] << 40;
}

static __attribute__((noinline)) int compare(const unsigned char *p) {
    uintptr_t x = decode(p), y = decode(p + 8);
    int r = 0;
    if (x > y)
        r = -1;
    else if (x < y)
        r = 1;
    return r;
}

static int by_address(const void *a, const void *b) {
    encode(own, (uintptr_t)a);
    encode(own + 8, (uintptr_t)b);
    return compare(own);
}

static void *work(void *arg) {
    int some[4] = {4, 3, 2, 1};
    own = malloc(16);
    qsort(some, 4, sizeof *some, by_address);
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    free(own);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return shared != 2;
}
