//! right
// A message that is longer than there is room for waits for who reads, in every schedule.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
enum { SIZE = 400000 };
static int p[2], y;
static char out[SIZE], in[SIZE];
static void *send_all(void *_) {
    struct iovec v = {out, SIZE};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    sendmsg(p[1], &m, 0);
    y = 2;
    return _;
}
int main(void) {
    pthread_t t;
    ssize_t n = 0, got = 1;
    socketpair(AF_UNIX, SOCK_STREAM, 0, p);
    pthread_create(&t, 0, send_all, 0);
    y = 1;
    for (; n < SIZE && got > 0; n += got)
        got = read(p[0], in, (size_t)(SIZE - n));
    pthread_join(t, 0);
    return 0;
}
