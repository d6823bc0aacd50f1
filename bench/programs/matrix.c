/* bench/programs/matrix.c: a matrix multiply, rows dealt out to threads; nearly all
 * hooks are loads. matrix [THREADS [N]]: prints a checksum. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int n = 320, threads = 4;
static double *a, *b, *c;

static void *worker(void *arg) {
    int first = (int)(long)arg;
    for (int i = first; i < n; i += threads)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        n = atoi(argv[2]);
    pthread_t t[64];
    if (threads < 1 || threads > 64 || n < 1 || n > 4096)
        return 2;
    size_t cells = (size_t)n * (size_t)n;
    a = malloc(cells * sizeof *a);
    b = malloc(cells * sizeof *b);
    c = malloc(cells * sizeof *c);
    if (!a || !b || !c)
        return 3;
    for (size_t i = 0; i < cells; i++) {
        a[i] = (double)(i % 7);
        b[i] = (double)(i % 5);
    }
    for (int i = 0; i < threads; i++)
        if (pthread_create(&t[i], NULL, worker, (void *)(long)i))
            return 3;
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += c[i];
    printf("%.0f\n", sum);
    free(a);
    free(b);
    free(c);
    return 0;
}
