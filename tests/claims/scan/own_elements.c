// race: TRUE
#include <pthread.h>
#include <stdlib.h>
struct job {
    int a, b;
};
static void *f(void *arg) {
    struct job *j = arg;
    j->b += j->a;
    return arg;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t t;
    struct job *jobs = calloc((size_t)argc, sizeof *jobs);
    for (int i = 0; i < argc; i++) {
        jobs[i].a = i;
        pthread_create(&t, NULL, f, &jobs[i]);
    }
    return 0;
}
