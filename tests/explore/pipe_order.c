/* Which byte is first in the pipe. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *writes(void *what) {
    return write(ends[1], what, 1) == 1 ? NULL : what;
}
int main(void) {
    pthread_t a, b;
    char first = 0;
    if (pipe(ends))
        return 1;
    pthread_create(&a, NULL, writes, "a");
    pthread_create(&b, NULL, writes, "b");
    if (read(ends[0], &first, 1) != 1)
        return 1;
    assert(first == 'a');
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
