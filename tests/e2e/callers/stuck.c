/* Takes a lock twice: the run itself ends there (callers.sh). */
#include <pthread.h>

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
    pthread_mutex_lock(&once);
}
static void take(int n) {
    for (int i = 0; i < n; i++)
        lock();
}

int main(void) {
    take(2);
}
