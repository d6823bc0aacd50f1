#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, depth_seen;
struct tree {
    struct tree *l, *r;
    int v;
};
static struct tree *mk(int d) {
    if (!d)
        return NULL;
    struct tree *t = malloc(sizeof *t);
    t->l = mk(d - 1);
    t->r = mk(d - 1);
    t->v = d;
    return t;
}
static int sum(struct tree *t) {
    if (!t)
        return 0;
    int s = sum(t->l) + sum(t->r) + t->v;
    pthread_mutex_lock(&m);
    total += t->v;
    pthread_mutex_unlock(&m);
    return s;
}
static struct tree *root;
static void *w(void *a) {
    int s = sum(root);
    depth_seen = s;
    return a;
}
int main(void) {
    root = mk(3);
    pthread_t t, u;
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, w, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return total == 0;
}
