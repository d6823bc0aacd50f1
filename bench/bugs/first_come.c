/* The receiver takes it that the first message is the greeting. Two senders share the mailbox, and nothing
 * orders them. No data race. */
#include <assert.h>
#include <pthread.h>

enum { GREETING = 1, TEXT = 2 };
static int message[2], count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sender(void *what) {
    pthread_mutex_lock(&lock);
    message[count++] = *(int *)what; // bug
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int what[2] = {GREETING, TEXT};
    pthread_create(&a, NULL, sender, &what[0]);
    pthread_create(&b, NULL, sender, &what[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(message[0] == GREETING);
    return 0;
}
