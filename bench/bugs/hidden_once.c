/* 'pthread_once' makes a table; who calls it second comes after who made it. That orders 'calls' by
 * accident. If the other thread is the one that makes the table: a data race. */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table, calls;

static void make(void) {
    table = 3;
}

static void *encode(void *unused) {
    calls++; // bug
    pthread_once(&once, make);
    return unused;
}

static void *decode(void *unused) {
    pthread_once(&once, make);
    calls++; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, encode, NULL);
    pthread_create(&b, NULL, decode, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return table != 3;
}
