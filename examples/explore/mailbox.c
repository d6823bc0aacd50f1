/* A mailbox for one letter, with C11's threads. A sender that waits too long for room throws the old
 * letter away, and forgets to count it. */
#include <assert.h>
#include <threads.h>
#include <time.h>

static int letter, sent, received, lost;
static mtx_t lock;
static cnd_t room, post;

static int sender(void *unused) {
    (void)unused;
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 5;
    for (int i = 1; i <= 2; i++) {
        mtx_lock(&lock);
        while (letter)
            if (cnd_timedwait(&room, &lock, &until) == thrd_timedout) {
#ifdef RIGHT
                lost += letter != 0;
#endif
                letter = 0;
            }
        letter = i;
        sent++;
        cnd_signal(&post);
        mtx_unlock(&lock);
    }
    return 0;
}

static int receiver(void *unused) {
    (void)unused;
    int last = 0;
    while (last < 2) {
        mtx_lock(&lock);
        while (!letter)
            cnd_wait(&post, &lock);
        last = letter;
        letter = 0;
        received++;
        cnd_signal(&room);
        mtx_unlock(&lock);
    }
    return 0;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&lock, mtx_plain);
    cnd_init(&room);
    cnd_init(&post);
    thrd_create(&a, sender, NULL);
    thrd_create(&b, receiver, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(received + lost == sent);
    return 0;
}
