/* A bounded queue with two conditions: two producers, one consumer.
 *
 * EXIT 0
 * T1 (acq m, (rel m, wait room, wake room, acq m, )*signal some, rel m, ){4}exit
 * T2 (acq m, (rel m, wait room, wake room, acq m, )*signal some, rel m, ){4}exit
 * T3 (acq m, (rel m, wait some, wake some, acq m, )*signal room, rel m, ){8}exit
 * OUT 72 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER, some = PTHREAD_COND_INITIALIZER;
static int queue[2], n, sum;

static void *produces(void *from) {
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&m);
        while (n == 2)
            pthread_cond_wait(&room, &m);
        queue[n++] = *(int *)from + i;
        pthread_cond_signal(&some);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *consumes(void *unused) {
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        while (n == 0)
            pthread_cond_wait(&some, &m);
        sum += queue[--n];
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void) {
    pthread_t t[3];
    static int first = 10, second = 5;
    pthread_create(&t[0], NULL, produces, &first);
    pthread_create(&t[1], NULL, produces, &second);
    pthread_create(&t[2], NULL, consumes, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return sum != 72;
}
