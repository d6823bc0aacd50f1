/* Right: one array, of which each thread changes its own part, next to the other's to the byte. */
#include <assert.h>
#include <pthread.h>

static char text[8];

static void *fill(void *arg) {
    int half = *(int *)arg;
    for (int i = 0; i < 4; i++)
        text[half * 4 + i] = (char)('a' + i);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int half[2] = {0, 1};
    pthread_create(&a, NULL, fill, &half[0]);
    pthread_create(&b, NULL, fill, &half[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(text[3] == 'd' && text[4] == 'a');
    return 0;
}
