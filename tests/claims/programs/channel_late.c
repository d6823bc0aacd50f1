//! right
/* The writer's last bytes found room only because the reader had taken some: what the reader wrote before it began to
 * read comes before what the writer writes afterwards, even if the reader is slow to come back. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int x, P[2];
static char buf[4096];
static void *A(void *z) {
    for (int i = 0; i < 17; i++)
        write(P[1], buf, 4096);
    x = 1;
    return z;
}
static void *B(void *z) {
    char c[4096];
    x = 2;
    read(P[0], c, 4096);
    return z;
}
int main(void) {
    pipe(P);
    pthread_t a, b;
    pthread_create(&b, 0, B, 0);
    pthread_create(&a, 0, A, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
