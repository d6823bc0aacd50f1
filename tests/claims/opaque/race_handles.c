// RUNS: 1
// WITH: queue_without_hooks.c
// A race of threads that read handles and descriptors after another's call of the queue: it did not write them.
#include <pthread.h>
#include <sys/socket.h>
void q_put(void *p);
void *q_get(void);
static int p[2], y, item;
static void *late(void *a) {
    char c;
    recv(p[0], &c, 1, 0);
    y = 2;
    return a;
}
static void *sends(void *a) {
    pthread_t t;
    pthread_create(&t, 0, late, 0);
    q_get();
    send(p[1], "x", 1, 0);
    pthread_join(t, 0);
    return a;
}
static void *puts_one(void *a) {
    q_put(&item);
    y = 1;
    return a;
}
int main(void) {
    pthread_t t[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, p);
    pthread_create(&t[0], 0, puts_one, 0);
    pthread_create(&t[1], 0, sends, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return y != 2;
}
