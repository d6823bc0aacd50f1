/* At most two sessions at a time. The third one is refused, and the error path forgets to
 * unlock: a deadlock, once there are three at the same time. */
#include <pthread.h>

enum { MOST = 2, CLIENTS = 3 };
static int sessions, refused;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int begin(void) {
    pthread_mutex_lock(&lock);
    if (sessions == MOST) {
        refused++;
#ifdef RIGHT
        pthread_mutex_unlock(&lock);
#endif
        return -1;
    }
    sessions++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void end(void) {
    pthread_mutex_lock(&lock);
    sessions--;
    pthread_mutex_unlock(&lock);
}

static void *client(void *arg) {
    int page[10], sum = 0;
    if (begin() < 0)
        return NULL;
    for (int i = 0; i < 10; i++)
        page[i] = *(int *)arg + i;
    for (int i = 0; i < 10; i++)
        sum ^= page[i];
    *(int *)arg = sum;
    end();
    return NULL;
}

int main(void) {
    pthread_t t[CLIENTS];
    int number[CLIENTS] = {1, 2, 3};
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&t[i], NULL, client, &number[i]);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
