/* bench/programs/shop.c: N threads compute prices and counts from what others stored, K times each; all of them stay small,
 * which only ranges of values tell. Nothing fails. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 3
#endif
#ifndef K
#define K 3
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int price = 3, count = 2, total;
static void *shop(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < K; i++) {
        pthread_mutex_lock(&lock);
        int p = price, c = count;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        price = (p * 5 + me) % 11;
        count = (c * c + i) % 7;
        total = p * c;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    int number[N];
    for (int i = 0; i < N; i++) {
        number[i] = i;
        pthread_create(&t[i], 0, shop, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(total <= 60);
    assert(total % 61 != 59);
    return 0;
}
