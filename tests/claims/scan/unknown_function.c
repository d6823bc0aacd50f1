// race: UNKNOWN FALSE
// What it does is not known: it may write x.
#include <pthread.h>
int x;
void elsewhere(void);
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    elsewhere();
    pthread_join(t, 0);
    return 0;
}
