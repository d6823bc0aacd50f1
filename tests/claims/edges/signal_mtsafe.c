//! truth: none: signal()/sigaction() are MT-safe; two threads may call them at once
#include <pthread.h>
#include <signal.h>
static void h1(int s) {
}
static void h2(int s) {
}
static void *A(void *a) {
    signal(SIGUSR1, h1);
    return 0;
}
static void *B(void *a) {
    signal(SIGUSR1, h2);
    return 0;
}
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, A, 0);
    pthread_create(&u, 0, B, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
