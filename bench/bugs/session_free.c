/* A session is looked up under the lock and used after it. Use after free: it is closed and freed between
 * the two. */
#include <pthread.h>
#include <stdlib.h>

struct session {
    int user, requests;
};
static struct session *session;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *request(void *user) {
    pthread_mutex_lock(&lock);
    struct session *s = session;
    pthread_mutex_unlock(&lock);
    if (s)
        *(int *)user = s->user; // bug
    return NULL;
}

static void *logout(void *unused) {
    pthread_mutex_lock(&lock);
    struct session *s = session;
    session = NULL;
    pthread_mutex_unlock(&lock);
    free(s); // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    int user = 0;
    session = calloc(1, sizeof *session);
    session->user = 7;
    pthread_create(&a, NULL, request, &user);
    pthread_create(&b, NULL, logout, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
