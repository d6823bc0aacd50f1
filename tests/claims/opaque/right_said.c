// LINK: -DSAID
// A hand-over that nobody sees is ordered by the program's word: augur.h, ThreadSanitizer's names, or dynamic annotations.
#include "../../../include/augur.h"
#include <pthread.h>
#include <stdio.h>
#include <time.h>
void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
static int x, y, z, object, other, third;
static void *late(void *a) {
    struct timespec t = {1, 0};
    nanosleep(&t, 0); /* as if a device said when */
#ifdef SAID
    AUGUR_HAPPENS_AFTER(&object);
    __tsan_acquire(&other);
    AnnotateHappensAfter(__FILE__, __LINE__, &third);
#endif
    x++, y++, z++;
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, late, 0);
    x = 1;
    y = 2;
    z = 3;
    AUGUR_HAPPENS_BEFORE(&object);
    __tsan_release(&other);
    AnnotateHappensBefore(__FILE__, __LINE__, &third);
    pthread_join(t, 0);
    printf("%d\n", x + y + z);
    return 0;
}
