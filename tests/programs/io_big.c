/* More than a pipe or a socket holds, written in one piece by one thread and read by
 * another.
 *
 * EXIT 0
 * OUT 300000 300000 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MUCH = 300000 };
static int fds[2], ends[2];
static char from[MUCH], to[2][MUCH];

static void *writes(void *unused) {
    if (write(fds[1], from, MUCH) != MUCH || send(ends[1], from, MUCH, 0) != MUCH)
        from[0] = 0;
    return unused;
}

static int all(int fd, char *p) {
    int n = 0;
    ssize_t k;
    while (n < MUCH && (k = read(fd, p + n, 7000)) > 0)
        n += (int)k;
    return n;
}

int main(void) {
    pthread_t t;
    if (pipe(fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    memset(from, 'x', MUCH);
    pthread_create(&t, NULL, writes, NULL);
    int a = all(fds[0], to[0]), b = all(ends[0], to[1]);
    pthread_join(t, NULL);
    printf("%d %d\n", a, b);
    return memcmp(from, to[0], MUCH) || memcmp(from, to[1], MUCH);
}
