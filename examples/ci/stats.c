/* examples/ci/stats.c: workers count requests and bytes. 'requests' is only a statistic, and its race
 * is known; with -DTOTALS somebody adds a second counter that is not (docs/ci.md). */
#include <pthread.h>
#include <stdio.h>

static int requests;
#ifdef TOTALS
static long bytes;
#endif

static void *serve(void *unused) {
    requests++;
#ifdef TOTALS
    bytes += 1500;
#endif
    return unused;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d requests\n", requests);
    return 0;
}
