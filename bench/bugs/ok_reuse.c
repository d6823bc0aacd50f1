/* Right: memory that one thread frees may be given to the other by the next malloc: the same address, but
 * another object. */
#include <pthread.h>
#include <stdlib.h>

static int bad;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    int number = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        int *block = malloc(64);
        if (!block)
            return NULL;
        block[0] = number;
        block[5] = i;
        if (block[0] != number || block[5] != i) {
            pthread_mutex_lock(&lock);
            bad++;
            pthread_mutex_unlock(&lock);
        }
        free(block);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int number[2] = {1, 2};
    pthread_create(&a, NULL, work, &number[0]);
    pthread_create(&b, NULL, work, &number[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return bad;
}
