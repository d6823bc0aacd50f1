/* Threads add to one counter without a lock; what is lost depends on the schedule. */
#include "hook.h"

static int counter;
static int rounds;

static void *work(void *unused) {
    __augur_enter(&site[0]);
    for (int i = 0; i < rounds; i++) {
        int x = LD(1, counter);
        ST(2, counter, x + 1);
    }
    __augur_leave(&site[3]);
    return unused;
}

int main(int argc, char **argv) {
    __augur_enter(&site[10]);
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    int n = argc > 2 ? atoi(argv[2]) : 2;
    pthread_t t[64];
    for (int i = 0; i < n; i++)
        CALL(11, pthread_create, &t[i], NULL, work, NULL);
    for (int i = 0; i < n; i++)
        CALL(13, pthread_join, t[i], NULL);
    int end = LD(15, counter);
    CALL(16, printf, "%d\n", end);
    __augur_leave(&site[18]);
    return 0;
}
