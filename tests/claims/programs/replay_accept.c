/* A thread waits in accept while another one opens descriptors. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;

static void *serve(void *a) {
    char b[8];
    int c = accept(listener, 0, 0);
    if (read(c, b, sizeof b) < 0 || write(c, "pong", 4) != 4)
        return 0;
    close(c);
    return a;
}

int main(void) {
    struct sockaddr_in s = {.sin_family = AF_INET};
    socklen_t l = sizeof s;
    s.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (void *)&s, l) || listen(listener, 4) ||
        getsockname(listener, (void *)&s, &l))
        return 1;
    pthread_t t;
    pthread_create(&t, 0, serve, 0);
    usleep(20000);
    char b[8] = {0};
    int c = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c, (void *)&s, l) || write(c, "ping", 4) != 4 || read(c, b, sizeof b) < 0)
        return 1;
    pthread_join(t, 0);
    int d = socket(AF_INET, SOCK_STREAM, 0);
    printf("%s %d %d\n", b, c, d);
    return 0;
}
