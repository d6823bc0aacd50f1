/* Right: a byte through a pipe says that the data are there. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int end[2], data;

static void *sender(void *unused) {
    data = 5;
    if (write(end[1], "x", 1) != 1)
        _exit(3);
    return unused;
}

static void *receiver(void *unused) {
    char c;
    if (read(end[0], &c, 1) != 1)
        _exit(3);
    assert(data == 5);
    return unused;
}

int main(void) {
    pthread_t a, b;
    if (pipe(end))
        return 3;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
