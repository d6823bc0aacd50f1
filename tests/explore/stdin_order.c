/* Who reads which byte of the standard input. IN ab */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static char got[2];
static void *reads(void *to) {
    return read(0, to, 1) == 1 ? NULL : to;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reads, &got[0]);
    pthread_create(&b, NULL, reads, &got[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(got[0] == 'a');
    return 0;
}
