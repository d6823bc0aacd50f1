//! right
// Who waits for a pipe is not stuck as long as a child may write.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int p[2], y;
static void *hear(void *_) {
    struct pollfd f = {p[0], POLLIN, 0};
    char c = 0;
    if (poll(&f, 1, -1) == 1)
        read(p[0], &c, 1);
    assert(c == 'x');
    y = 2;
    return _;
}
int main(void) {
    pthread_t t;
    pipe(p);
    pthread_create(&t, 0, hear, 0);
    y = 1;
    pid_t child = fork();
    if (!child) {
        write(p[1], "x", 1);
        _exit(0);
    }
    pthread_join(t, 0);
    waitpid(child, 0, 0);
    return 0;
}
