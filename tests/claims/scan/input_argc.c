// race: TRUE
// There is no program with less than no argument.
#include <pthread.h>
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, 0, f, argv);
    if (argc < 0)
        x = 2;
    pthread_join(t, 0);
    return 0;
}
