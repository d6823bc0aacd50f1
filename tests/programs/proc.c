/* Files in /proc say something else in every run, and the same in a replay.
 *
 * EXIT 0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long mix;

static void *work(void *unused) {
    static const char *const names[] = {"/proc/self/stat", "/proc/uptime", "/proc/loadavg"};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        int fd = open(names[i], O_RDONLY);
        ssize_t n = read(fd, text, sizeof text), k = 0;
        if (n <= 0)
            exit(1);
        while (k < n)
            mix = mix * 1099511628211u + (unsigned char)text[k++];
        while (read(fd, text, sizeof text) > 0)
            continue;
        close(fd);
    }
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    work(NULL);
    printf("%lx\n", mix);
    return 0;
}
