/* Readers and writers wait on one condition, and one signal wakes one of them. Deadlock: both wait, and
 * the signal that "there is data" goes to the writer, who waits for room and sleeps again. */
#include <pthread.h>

static int data, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    while (!data)
        pthread_cond_wait(&changed, &lock); // bug
    data = 0;
    room = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writer(void *unused) {
    pthread_mutex_lock(&lock);
    while (!room)
        pthread_cond_wait(&changed, &lock); // bug
    room = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *filler(void *unused) {
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_cond_signal(&changed); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, filler, NULL);
    pthread_create(&t[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
