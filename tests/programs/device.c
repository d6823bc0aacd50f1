/* Random bytes through a stream, as many programs seed their generators.
 *
 * EXIT 0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long mix;

static void *work(void *unused) {
    FILE *f = fopen("/dev/urandom", "r");
    unsigned char bytes[32];
    if (!f || fread(bytes, 1, sizeof bytes, f) != sizeof bytes)
        exit(1);
    for (size_t i = 0; i < sizeof bytes; i++)
        mix = mix * 1099511628211u + bytes[i];
    unsigned word[2];
    if (fread(word, sizeof *word, 2, f) != 2)
        exit(2);
    mix += word[0] ^ word[1];
    fclose(f);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    work(NULL);
    printf("%lx\n", mix);
    return 0;
}
