//! right
/* A full pipe holds its writer until somebody reads: x is written before and after. The channel_full_*.c say what else
 * holds a writer: how it is opened, how it sends (to P[1], as often as TIMES) and how somebody receives (from P[0]). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <unistd.h>

static int x, P[2];
static char buf[4096];
#ifndef OPEN
#define OPEN() pipe(P)
#endif
#ifndef SEND
#define SEND() write(P[1], buf, sizeof buf)
#endif
#ifndef RECEIVE
#define RECEIVE() read(P[0], c, sizeof c)
#endif
#ifndef TIMES
#define TIMES 17
#endif

static void *A(void *z) {
    for (int i = 0; i < TIMES; i++)
        SEND();
    x = 1;
    return 0;
}
static void *B(void *z) {
    static char c[1 << 20];
    x = 2;
    RECEIVE();
    return 0;
}
int main(void) {
    OPEN();
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
