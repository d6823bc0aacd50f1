/* Threads talk through a pipe: one reads what another wrote, and waits for it.
 *
 * EXIT 0
 * SHOWS T1 .* w +x in reads .* 9$
 * SHOWS T0 .* w +answer in main .* 45$
 * SHOWS T0 .* r +i in main .* 7$
 * OUT 45 45 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <unistd.h>

static int there[2], back[2];
static int sum;

static void *reads(void *unused) {
    for (int i = 0; i < 10; i++) {
        struct pollfd p = {there[0], POLLIN, 0};
        if (i % 2 && poll(&p, 1, -1) != 1)
            sum = 1000;
        int x = 0;
        if (read(there[0], &x, sizeof x) != sizeof x)
            sum = 2000;
        sum += x;
    }
    struct iovec v = {&sum, sizeof sum};
    if (writev(back[1], &v, 1) != sizeof sum)
        sum = 3000;
    return unused;
}

int main(void) {
    pthread_t t;
    if (pipe(there) || pipe(back))
        return 1;
    pthread_create(&t, NULL, reads, NULL);
    for (int i = 0; i < 10; i++) {
        if (i == 5)
            usleep(2000);
        if (write(there[1], &i, sizeof i) != sizeof i)
            return 2;
    }
    fd_set r;
    FD_ZERO(&r);
    FD_SET(back[0], &r);
    if (select(back[0] + 1, &r, NULL, NULL, NULL) != 1 || !FD_ISSET(back[0], &r))
        return 3;
    int answer = 0;
    struct iovec v[2] = {{&answer, 2}, {(char *)&answer + 2, 2}};
    if (readv(back[0], v, 2) != 4)
        return 4;
    pthread_join(t, NULL);
    char none;
    if (read(-1, &none, 1) != -1 || errno != EBADF)
        return 5;
    printf("%d %d\n", sum, answer);
    return sum != 45;
}
