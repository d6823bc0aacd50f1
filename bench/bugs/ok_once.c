/* Right: 'pthread_once' makes a table that all read without a lock. */
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[3];

static void make(void) {
    for (int i = 0; i < 3; i++)
        table[i] = i * i;
}

static void *use(void *unused) {
    pthread_once(&once, make);
    assert(table[2] == 4);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
