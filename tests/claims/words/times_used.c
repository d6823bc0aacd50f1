//! right
// Time used only grows, whoever asks.
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static clock_t last;
static struct rusage used;

static void *ask(void *a) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        struct tms t;
        struct rusage u;
        clock_t now = times(&t);
        getrusage(RUSAGE_SELF, &u);
        assert(now >= last);
        assert(u.ru_minflt >= used.ru_minflt);
        last = now;
        used.ru_minflt = u.ru_minflt;
        pthread_mutex_unlock(&m);
        for (volatile int k = 0; k < 3000000; k++)
            ;
        char page[65536]; /* the next reading is another one */
        for (unsigned k = 0; k < sizeof page; k += 4096)
            ((volatile char *)page)[k] = 1;
    }
    return a;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, ask, 0);
    pthread_create(&b, 0, ask, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
