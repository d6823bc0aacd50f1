/* END: how main ends, without joining its threads. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int count;
static void *f(void *a) {
    count++;
    return 0;
}
#define NAME_(x) end_##x
#define NAME(x) NAME_(x)
static inline void end_return(void) {
}
static inline void end_exit(void) {
    exit(0);
}
static inline void end__exit(void) {
    _exit(0);
}
static inline void end_quick_exit(void) {
    quick_exit(0);
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, f, 0);
    NAME(END)();
    return 0;
}
