/* Width and height are changed in two critical sections: who looks between sees half of the
 * change. No data race. */
#include <assert.h>
#include <pthread.h>

static int width = 3, height = 4;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_width(int w) {
    pthread_mutex_lock(&lock);
    width = w; // bug
    pthread_mutex_unlock(&lock);
}

static void set_height(int h) {
    pthread_mutex_lock(&lock);
    height = h; // bug
    pthread_mutex_unlock(&lock);
}

static void *resize(void *unused) {
    set_width(6);
    set_height(2);
    return unused;
}

static void *draw(void *unused) {
    pthread_mutex_lock(&lock);
    int area = width * height; // bug
    pthread_mutex_unlock(&lock);
    assert(area == 12);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, resize, NULL);
    pthread_create(&b, NULL, draw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
