/* A server and a client in one process over a local socket, with epoll.
 *
 * EXIT 0
 * OUT hello back 5 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un here = {.sun_family = AF_UNIX};
static int server, failed;

static void *serves(void *unused) {
    char text[16];
    int q = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = server}, got;
    epoll_ctl(q, EPOLL_CTL_ADD, server, &e);
    if (epoll_wait(q, &got, 1, -1) != 1 || got.data.fd != server)
        failed = 1;
    int c = accept(server, NULL, NULL);
    ssize_t n = recv(c, text, sizeof text, 0);
    if (n != 5 || memcmp(text, "hello", 5))
        failed = 2;
    if (send(c, " back", 5, 0) != 5)
        failed = 3;
    close(c);
    close(q);
    return unused;
}

int main(void) {
    pthread_t t;
    /* an abstract name: nothing is left behind */
    snprintf(here.sun_path + 1, sizeof here.sun_path - 1, "augur-test-%ld", (long)getpid());
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&here, sizeof here) || listen(server, 1))
        return 1;
    pthread_create(&t, NULL, serves, NULL);
    int c = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(c, (struct sockaddr *)&here, sizeof here))
        return 2;
    char text[16] = "hello";
    if (write(c, text, 5) != 5)
        return 3;
    ssize_t n = read(c, text + 5, 5);
    pthread_join(t, NULL);
    printf("%s %zd\n", text, n);
    return failed;
}
