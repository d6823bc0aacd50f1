// race: UNKNOWN FALSE
// The loop runs twice: every element has two owners.
#include <pthread.h>
#include <stdlib.h>
static int *cells;
static void *f(void *arg) {
    int *mine = arg;
    ++*mine;
    return arg;
}
static void start(int n) {
    pthread_t t;
    for (int i = 0; i < n; i++)
        pthread_create(&t, NULL, f, &cells[i]);
}
int main(int argc, char **argv) {
    (void)argv;
    cells = calloc((size_t)argc, sizeof *cells);
    for (int k = 0; k < 2; k++)
        start(argc);
    return 0;
}
