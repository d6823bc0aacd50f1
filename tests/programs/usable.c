/* A program may use what malloc_usable_size says, and realloc keeps all of it.
 *
 * EXIT 0
 * OUT kept */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *unused) {
    for (size_t n = 1; n < 3000; n = n * 3 + 1) {
        unsigned char *p = malloc(n);
        size_t room = malloc_usable_size(p);
        if (room < n)
            exit(1);
        memset(p, (int)(n & 255), room);
        p = realloc(p, room + 1 + n * 40);
        for (size_t i = 0; i < room; i++)
            if (p[i] != (n & 255))
                exit(2);
        p = realloc(p, 1);
        if (p[0] != (n & 255))
            exit(3);
        free(p);
    }
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    puts("kept");
    return malloc_usable_size(NULL) != 0;
}
