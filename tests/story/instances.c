/* One cause in many objects, and one lock order broken twice: three findings. With -DRIGHT, none. */
#include <pthread.h>
#include <stdio.h>

struct account {
    long balance;
};
static struct account a, b, table[4];
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t money = PTHREAD_MUTEX_INITIALIZER;
static long evictions;

#ifdef RIGHT
#define LOCK(m) pthread_mutex_lock(m)
#define UNLOCK(m) pthread_mutex_unlock(m)
#define OUTER first
#define INNER second
#else
#define LOCK(m) ((void)0)
#define UNLOCK(m) ((void)0)
#define OUTER second
#define INNER first
#endif

static void pay(struct account *x) {
    LOCK(&money);
    x->balance += 5;
    UNLOCK(&money);
}

static void pay_all(void) {
    pay(&a);
    pay(&b);
    for (int i = 0; i < 4; i++)
        pay(&table[i]);
}

static void *one(void *p) {
    pay_all();
    LOCK(&money);
    evictions++;
    UNLOCK(&money);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return p;
}

static void nested(void) {
    pthread_mutex_lock(&OUTER);
    pthread_mutex_lock(&INNER);
    pthread_mutex_unlock(&INNER);
    pthread_mutex_unlock(&OUTER);
}

static void *two(void *p) {
    pay_all();
    pthread_mutex_lock(&money);
    evictions = 0;
    pthread_mutex_unlock(&money);
    nested();
    pthread_mutex_lock(&OUTER);
    pthread_mutex_lock(&INNER);
    pthread_mutex_unlock(&INNER);
    pthread_mutex_unlock(&OUTER);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%ld\n", evictions + a.balance);
    return 0;
}
