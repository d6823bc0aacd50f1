/* What comes from outside differs from run to run, and is the same in a replay.
 *
 * EXIT 0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static unsigned long mix;

static void stir(const void *p, size_t n) {
    const unsigned char *b = p;
    while (n--)
        mix = mix * 1099511628211u + *b++;
}

static void *work(void *unused) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    stir(&t, sizeof t);
    pid_t me = gettid();
    stir(&me, sizeof me);
    return unused;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, work, NULL);
        pthread_join(t[i], NULL);
    }
    struct timeval v;
    struct timespec s;
    gettimeofday(&v, NULL);
    stir(&v, sizeof v);
    timespec_get(&s, TIME_UTC);
    stir(&s, sizeof s);
    time_t now = time(NULL);
    stir(&now, sizeof now);
    clock_t used = clock();
    stir(&used, sizeof used);
    pid_t p = getpid(), q = getppid();
    stir(&p, sizeof p);
    stir(&q, sizeof q);
    unsigned char bytes[40];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return 1;
    stir(bytes, sizeof bytes);
    if (getentropy(bytes, sizeof bytes))
        return 2;
    stir(bytes, sizeof bytes);
    unsigned r = arc4random(), u = arc4random_uniform(1000);
    stir(&r, sizeof r);
    stir(&u, sizeof u);
    arc4random_buf(bytes, 8);
    stir(bytes, 8);
    printf("%lx\n", mix);
    return u >= 1000;
}
