/* Everything at once: eight threads do 300 things each, chosen by a generator that also
 * depends on what they read.
 *
 * EXIT 0 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, STEPS = 300 };
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                               PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t s;
static int fds[2];
static unsigned shared[8], racy;
static char text[64] = "text";
static void *blocks[16];

static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static struct timespec soon(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 100000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static void step(unsigned *state) {
    unsigned k = next(state) % 3;
    struct timespec t;
    char byte = 'x', small[16];
    switch (next(state) % 14) {
    case 0:
        pthread_mutex_lock(&m[k]);
        shared[k]++;
        pthread_mutex_unlock(&m[k]);
        break;
    case 1:
        if (pthread_mutex_trylock(&m[k]) == 0) {
            *state ^= shared[k];
            pthread_mutex_unlock(&m[k]);
        }
        break;
    case 2:
        t = soon();
        if (pthread_mutex_timedlock(&m[k], &t) == 0)
            pthread_mutex_unlock(&m[k]);
        break;
    case 3:
        pthread_rwlock_rdlock(&l);
        *state += shared[4];
        pthread_rwlock_unlock(&l);
        break;
    case 4:
        pthread_rwlock_wrlock(&l);
        shared[4]++;
        pthread_rwlock_unlock(&l);
        break;
    case 5:
        t = soon();
        pthread_mutex_lock(&m[0]);
        *state += (unsigned)pthread_cond_timedwait(&c, &m[0], &t);
        pthread_mutex_unlock(&m[0]);
        break;
    case 6:
        pthread_cond_signal(&c);
        break;
    case 7:
        sem_post(&s);
        break;
    case 8:
        t = soon();
        *state += (unsigned)sem_timedwait(&s, &t);
        break;
    case 9:
        pthread_spin_lock(&spin);
        free(blocks[k]);
        blocks[k] = malloc(16 + next(state) % 1000);
        pthread_spin_unlock(&spin);
        break;
    case 10:
        racy = racy * 3 + *state;
        *state += racy;
        break;
    case 11:
        if (write(fds[1], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1)
            *state += (unsigned char)byte;
        break;
    case 12:
        strcpy(small, text);
        text[next(state) % 4] = (char)('a' + next(state) % 26);
        *state += (unsigned)strlen(small);
        break;
    default:
        if (k)
            sched_yield();
        else
            usleep(50);
    }
}

static void *work(void *number) {
    unsigned state = *(unsigned *)number;
    for (int i = 0; i < STEPS; i++)
        step(&state);
    __atomic_add_fetch(&shared[7], state, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    unsigned number[THREADS];
    pthread_spin_init(&spin, 0);
    sem_init(&s, 0, 0);
    if (pipe(fds))
        return 1;
    for (unsigned i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, work, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%u %u %u %s\n", shared[7], racy, shared[4], text);
    return 0;
}
