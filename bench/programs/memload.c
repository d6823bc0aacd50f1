/* bench/programs/memload.c: a load for memcached. Each of two connections sets and gets keys,
 * answers checked. memload PORT ROUNDS: waits until somebody listens on the port. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 2, BATCH = 16 };

static int dial(int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 30000; i++) { /* helgrind starts slowly */
        int s = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
        if (s < 0)
            break;
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (!connect(s, (struct sockaddr *)&to, sizeof to))
            return s;
        close(s);
        usleep(2000);
    }
    perror("memload: connect");
    exit(1);
}

/* Reads exactly what is expected. */
static void expect(int s, const char *want, size_t n) {
    char got[8192];
    size_t have = 0;
    while (have < n) {
        ssize_t k = read(s, got + have, n - have);
        if (k <= 0) {
            fprintf(stderr, "memload: the connection ended\n");
            exit(1);
        }
        have += (size_t)k;
    }
    if (memcmp(got, want, n)) {
        fprintf(stderr, "memload: wrong answer '%.60s'\n", got);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    int port = atoi(argv[1]), rounds = atoi(argv[2]), c[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++)
        c[i] = dial(port);
    static char ask[8192], want[8192];
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < CONNECTIONS; i++) {
            size_t a = 0, w = 0;
            for (int k = 0; k < BATCH; k++) {
                int key = (r * BATCH + k) % 1000;
                a += (size_t)sprintf(ask + a, "set k%d-%04d 0 0 8\r\nv%07d\r\nget k%d-%04d\r\n", i,
                                     key, key, i, key);
                w += (size_t)sprintf(want + w, "STORED\r\nVALUE k%d-%04d 0 8\r\nv%07d\r\nEND\r\n",
                                     i, key, key);
            }
            if (write(c[i], ask, a) != (ssize_t)a)
                return 1;
            expect(c[i], want, w);
        }
    return 0;
}
