/* A stack whose methods lock; 'if it is not empty, pop' calls two of them. Another one pops between:
 * the index becomes negative. No data race. */
#include <assert.h>
#include <pthread.h>

static int stack[4] = {7}, depth = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_empty(void) {
    pthread_mutex_lock(&lock);
    int empty = depth == 0; // bug
    pthread_mutex_unlock(&lock);
    return empty;
}

static int pop(void) {
    pthread_mutex_lock(&lock);
    int top = --depth; // bug
    assert(top >= 0);
    int value = stack[top];
    pthread_mutex_unlock(&lock);
    return value;
}

static void *consumer(void *got) {
    if (!is_empty())
        *(int *)got = pop();
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int got[2] = {0, 0};
    pthread_create(&a, NULL, consumer, &got[0]);
    pthread_create(&b, NULL, consumer, &got[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
