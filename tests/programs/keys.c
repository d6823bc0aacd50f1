/* Destructors of keys run in the order of the keys, again while values come back, and
 * inside the recording.
 *
 * EXIT 0
 * T1 (acq m, rel m, ){4}exit
 * OUT 1212 */
#include <pthread.h>
#include <stdio.h>

static pthread_key_t first, second;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char order[8];
static int n;

static void say(char c) {
    pthread_mutex_lock(&m);
    order[n++] = c;
    pthread_mutex_unlock(&m);
}
static void ends_first(void *p) {
    say('1');
    if (n < 3)
        pthread_setspecific(first, p);
}
static void ends_second(void *p) {
    say('2');
    if (n < 4)
        pthread_setspecific(second, p);
}

static void *work(void *unused) {
    pthread_setspecific(second, order);
    pthread_setspecific(first, order);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&first, ends_first);
    pthread_key_create(&second, ends_second);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    puts(order);
    return 0;
}
