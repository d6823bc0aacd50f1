/* Two bit fields in one byte: setting one of them writes the other back, too. */
#include <assert.h>
#include <pthread.h>

static struct {
#ifdef RIGHT
    unsigned char red, green;
#else
    unsigned char red : 1, green : 3;
#endif
} light;

static void *set_red(void *unused) {
    light.red = 1;
    return unused;
}

static void *set_green(void *unused) {
    light.green = 5;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, set_red, NULL);
    pthread_create(&b, NULL, set_green, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(light.red == 1 && light.green == 5);
    return 0;
}
