/* What is in a file when another thread looks. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int file;
static void *writes(void *unused) {
    return pwrite(file, "x", 1, 0) == 1 ? NULL : unused;
}
static void *reads(void *unused) {
    char c = 0;
    ssize_t n = pread(file, &c, 1, 0);
    assert(n == 1);
    return unused;
}
int main(void) {
    pthread_t a, b;
    FILE *f = tmpfile();
    if (!f)
        return 1;
    file = fileno(f);
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, reads, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
