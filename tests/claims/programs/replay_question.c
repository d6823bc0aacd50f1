/* Replayed: a child is asked by more bytes than there is room for, and answers when it has all of them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static int end[2], heard;
static char all[1 << 20];
static void *ask(void *a) {
    struct iovec v[2] = {{all, sizeof all / 2}, {all + sizeof all / 2, sizeof all / 2}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    (void)v, (void)m;
    if (ASK == sizeof all)
        read(end[1], &heard, sizeof heard);
    return a;
}
int main(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
        return 1;
    pid_t child = fork();
    if (!child) {
        size_t have = 0;
        ssize_t n;
        while (have < sizeof all && (n = read(end[0], all, sizeof all)) > 0)
            have += (size_t)n;
        int v = 5;
        _exit(write(end[0], &v, sizeof v) != sizeof v);
    }
    pthread_t t;
    int status = 1;
    pthread_create(&t, 0, ask, 0);
    pthread_join(t, 0);
    waitpid(child, &status, 0);
    return status || heard != 5;
}
