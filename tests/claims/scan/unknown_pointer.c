// race: UNKNOWN FALSE
#include <dlfcn.h>
#include <pthread.h>
int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    void (*g)(void) = (void (*)(void))dlsym(0, "writes_x");
    pthread_create(&t, 0, f, 0);
    g();
    pthread_join(t, 0);
    return 0;
}
