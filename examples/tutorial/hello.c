/* examples/tutorial/hello.c: two threads greet and count. It always prints 2 (docs/tutorial.md). */
#include <pthread.h>
#include <stdio.h>

static int greeted;

static void *greet(void *name) {
    printf("hello, %s\n", (char *)name);
    greeted++;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, greet, "race");
    pthread_create(&b, NULL, greet, "world");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d greeted\n", greeted);
    return 0;
}
