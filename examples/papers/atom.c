/* examples/papers/atom.c: a pattern of real programs: a thread looks twice at a state that it
 * believes cannot change meanwhile.
 *
 * The user holds the lock over both looks, and the closer changes the state, once under the lock and
 * then, which is the bug, TIMES times without. With -DRIGHT the closer first waits until the
 * user has said that it is done; that the user's block is atomic then follows from values,
 * which no analysis of locks sees.
 *
 *     atom001    (as it is)               atom001a    -DRIGHT
 *     atom002    -DTIMES=33 -DSTEPS=89    atom002a    -DTIMES=33 -DSTEPS=89 -DRIGHT */
#include <augur.h>
#include <pthread.h>

#ifndef TIMES
#define TIMES 1
#endif
#ifndef STEPS
#define STEPS 3 /* of starting and of stopping */
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state, done, used;

static void *user(void *unused) {
    pthread_mutex_lock(&lock);
    AUGUR_ATOMIC_BEGIN("use");
    if (state > 0)
        used = state;
    AUGUR_ATOMIC_END();
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *closer(void *unused) {
    pthread_mutex_lock(&lock);
    int ready = done;
    state = STEPS;
    pthread_mutex_unlock(&lock);
#ifdef RIGHT
    if (!ready)
        return unused;
#else
    (void)ready;
#endif
    for (int i = 0; i < TIMES; i++)
        state = 0;
    return unused;
}

int main(void) {
    pthread_t u, c;
    for (int i = 1; i <= STEPS; i++)
        state = i;
    pthread_create(&u, NULL, user, NULL);
    pthread_create(&c, NULL, closer, NULL);
    pthread_join(u, NULL);
    pthread_join(c, NULL);
    for (int i = 1; i <= STEPS; i++)
        state = -i;
    return 0;
}
