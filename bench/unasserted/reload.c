/* A configuration has a host and a port that belong together; each is replaced, and read, in a section of its own. Right: both in
 * one. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int host = 1, port = 1001, used_host, used_port;

static void *reload(void *unused) {
    pthread_mutex_lock(&lock);
    host = 2;
    port = 1002;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *connect_to(void *unused) {
    pthread_mutex_lock(&lock);
    used_host = host;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    used_port = port; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, connect_to, NULL);
    pthread_create(&b, NULL, reload, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%s\n", used_port - used_host == 1000 ? "connected" : "no such port");
    return 0;
}
