/* Who gets which number from rand(): a state inside libc. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int number[2];
static void *draws(void *to) {
    *(int *)to = rand();
    return NULL;
}
int main(void) {
    pthread_t a, b;
    srand(1);
    int expected = rand();
    srand(1);
    pthread_create(&a, NULL, draws, &number[0]);
    pthread_create(&b, NULL, draws, &number[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(number[0] == expected);
    return 0;
}
