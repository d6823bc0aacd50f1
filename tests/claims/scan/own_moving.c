// race: UNKNOWN FALSE
// The array begins elsewhere each time: element 0 of the next is element 1 of the one before.
#include <pthread.h>
#include <stdlib.h>
static int *cells;
static void *f(void *arg) {
    int *mine = arg;
    ++*mine;
    return arg;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t t;
    int *all = calloc(100, sizeof *cells);
    cells = all + 50;
    for (int i = 0; i < argc; i++) {
        pthread_create(&t, NULL, f, &cells[i]);
        cells--;
    }
    return 0;
}
