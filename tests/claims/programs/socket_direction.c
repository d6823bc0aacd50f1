/* A socket with a limit for receiving is sent more than there is room for: that is no limit for sending. */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
static int p[2];
static char all[1 << 20], got[1 << 20];
static void *reads(void *a) {
    size_t have = 0;
    while (have < sizeof got) {
        ssize_t n = read(p[1], got + have, sizeof got - have);
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    return a;
}
static void *writes(void *a) {
    assert(write(p[0], all, sizeof all) == sizeof all);
    return a;
}
int main(void) {
    struct timeval limit = {3, 0};
    pthread_t t, u;
    socketpair(AF_UNIX, SOCK_STREAM, 0, p);
    setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    pthread_create(&t, 0, reads, 0);
    pthread_create(&u, 0, writes, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
