/* What is moved from one account to another is computed from both before the locks are taken again. Right: after. */
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    int money;
};
static struct account rent = {PTHREAD_MUTEX_INITIALIZER, 300},
                      food = {PTHREAD_MUTEX_INITIALIZER, 80};

static int look(struct account *a) {
    pthread_mutex_lock(&a->lock);
    int m = a->money;
    pthread_mutex_unlock(&a->lock);
    return m;
}

static void *move(void *amount) {
    int n = *(int *)amount, from = look(&rent), to = look(&food);
    pthread_mutex_lock(&rent.lock);
    pthread_mutex_lock(&food.lock);
#ifdef RIGHT
    from = rent.money;
    to = food.money;
#endif
    rent.money = from - n; // bug
    food.money = to + n;   // bug
    pthread_mutex_unlock(&food.lock);
    pthread_mutex_unlock(&rent.lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 10, y = 50;
    pthread_create(&a, NULL, move, &x);
    pthread_create(&b, NULL, move, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("rent %d, food %d\n", rent.money, food.money);
    return 0;
}
