/* Replayed: a child answers through a socket that it has from its parent, which waits for its end. */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int end[2], heard;
static void *ask(void *a) {
    int v = 5;
    if (write(end[1], &v, sizeof v) == sizeof v)
        read(end[1], &heard, sizeof heard);
    return a;
}
int main(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
        return 1;
    pid_t child = fork();
    if (!child) {
        int v = 0;
        if (read(end[0], &v, sizeof v) == sizeof v)
            v = write(end[0], &v, sizeof v) != sizeof v;
        _exit(v);
    }
    pthread_t t;
    int status = 1;
    pthread_create(&t, 0, ask, 0);
    pthread_join(t, 0);
    waitpid(child, &status, 0);
    return status || heard != 5;
}
