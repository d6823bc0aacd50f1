/* Two wait for the gate to open, and one signal opens it: one is left. It works if at most one of them is there
 * before it opens. */
#include <pthread.h>

static int is_open;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

static void *runner(void *unused) {
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *opener(void *unused) {
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_cond_signal(&opened); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, runner, NULL);
    pthread_create(&t[1], NULL, opener, NULL);
    pthread_create(&t[2], NULL, runner, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
