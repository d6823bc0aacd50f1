// race: UNKNOWN FALSE
// The child has a race.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    if (fork() == 0) {
        pthread_create(&t, 0, f, 0);
        x = 2;
        pthread_join(t, 0);
        _exit(0);
    }
    wait(0);
    return 0;
}
