/* Right: the lock, condition and thread of <threads.h>. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int stage;

static int step(void *arg) {
    int mine = *(int *)arg;
    mtx_lock(&lock);
    while (stage != mine)
        cnd_wait(&changed, &lock);
    stage++;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t t[3];
    int number[3] = {0, 1, 2};
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    for (int i = 0; i < 3; i++)
        thrd_create(&t[i], step, &number[i]);
    for (int i = 0; i < 3; i++)
        thrd_join(t[i], NULL);
    assert(stage == 3);
    return 0;
}
