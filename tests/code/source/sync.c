#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s;
static pthread_barrier_t bar;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int ready, data[4], n;
static _Atomic int at;
static atomic_flag fl = ATOMIC_FLAG_INIT;
static __thread int tl;
static char name[16];
static pthread_key_t key;
static void init(void) {
    ready = 1;
}
struct pair {
    int a;
    long b;
};
static struct pair mkp(int a) {
    struct pair p = {a, a * 2L};
    return p;
}
static struct pair shared_pair;
