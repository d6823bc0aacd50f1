/* A child sends back what it is told: it is asked again in every order, and what it answered in the run is no answer to something else. With RACE a
 * race that has nothing to do with it. */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y, end[2];
static void *ask(void *a) {
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    int s = -1;
    if (write(end[1], &v, sizeof v) != sizeof v || read(end[1], &s, sizeof s) != sizeof s)
        return 0;
#ifdef RACE
    y++;
#else
    assert(s == v);
#endif
    return a;
}
static void *change(void *a) {
#ifdef RACE
    y++;
#else
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
#endif
    return a;
}
int main(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
        return 1;
    pid_t child = fork();
    if (!child) {
        close(end[1]);
        int v;
        while (read(end[0], &v, sizeof v) == sizeof v)
            if (write(end[0], &v, sizeof v) != sizeof v)
                break;
        _exit(0);
    }
    close(end[0]);
    pthread_t t[2];
    pthread_create(&t[0], 0, ask, 0);
    pthread_create(&t[1], 0, change, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    close(end[1]);
    waitpid(child, 0, 0);
    return 0;
}
