/* Standard input through read and through a stream, by a thread; what comes in is there
 * again in a replay.
 *
 * EXIT 0
 * IN one\ntwo\nthree\n
 * OUT one|two|three|4 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char first[5], rest[2][16];
static ssize_t n;

static void *work(void *unused) {
    n = read(0, first, 4);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 2; i++)
        if (!fgets(rest[i], sizeof rest[i], stdin))
            return 1;
    first[3] = rest[0][3] = rest[1][5] = 0;
    printf("%s|%s|%s|%zd\n", first, rest[0], rest[1], n);
    return 0;
}
