/* New mail is counted under one lock, read mail under another. Right: one lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
static struct { int unread, total; } box = {3, 3};

static void *receive(void *unused) {
    pthread_mutex_lock(&lock);
    box.total++;
    box.unread++; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *read_one(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    box.unread--;
    pthread_mutex_unlock(&lock);
    (void)mine;
#else
    pthread_mutex_lock(&mine);
    box.unread--; // bug
    pthread_mutex_unlock(&mine);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, receive, NULL);
    pthread_create(&b, NULL, read_one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d of %d unread\n", box.unread, box.total);
    return 0;
}
