/* The race is there only if the program is given a 7. */
#include <pthread.h>
#include <stdlib.h>

static int work;

static void *works(void *p) {
    work++;
    return p;
}

int main(int argc, char **argv) {
    pthread_t a;
    int n = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&a, 0, works, 0);
    if (n == 7)
        work--;
    pthread_join(a, 0);
    return 0;
}
