// Annotations: events without hooks.
#include <augur.h>
#include <pthread.h>
#include <stdio.h>

int x, y;
static void *worker(void *p) {
    for (int i = 0; i < 5; i++) {
        AUGUR_ATOMIC_BEGIN("both");
        x++;
        y++;
        AUGUR_ATOMIC_END();
        int d = x - y;
        AUGUR_ASSERT(d > -5);
        if (d == 100)
            x = 0;
    }
    return p;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", x + y);
    return 0;
}
