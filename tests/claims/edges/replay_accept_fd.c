//! truth: no finding; the replay is identical (descriptor numbers included)
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static int ls;
static void *srv(void *a) {
    int c = accept(ls, 0, 0);
    char b[8];
    read(c, b, 8);
    write(c, "pong", 4);
    close(c);
    return 0;
}
int main(void) {
    struct sockaddr_in s = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t l = sizeof s;
    ls = socket(AF_INET, SOCK_STREAM, 0);
    bind(ls, (void *)&s, l);
    listen(ls, 4);
    getsockname(ls, (void *)&s, &l);
    pthread_t t;
    pthread_create(&t, 0, srv, 0);
    usleep(20000);
    int c = socket(AF_INET, SOCK_STREAM, 0);
    connect(c, (void *)&s, l);
    write(c, "ping", 4);
    char b[8] = {0};
    read(c, b, 8);
    pthread_join(t, 0);
    int d = socket(AF_INET, SOCK_STREAM, 0);
    printf("%s %d %d\n", b, c, d);
    return 0;
}
