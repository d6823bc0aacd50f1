#include <pthread.h>
#include <stdlib.h>
static int a, b, c;
static void fa(int *p) {
    *p = 1;
    a++;
}
static void fb(int *p) {
    *p = 2;
    b++;
}
struct ops {
    void (*f)(int *);
    void (*g)(int *);
};
static const struct ops table[] = {{fa, fb}, {fb, fa}};
static struct ops dyn;
static void *w(void *x) {
    struct ops *o = x;
    int l;
    o->f(&l);
    c += l;
    table[c & 1].g(&l);
    return 0;
}
static int cmp(const void *x, const void *y) {
    a++;
    return *(const int *)x - *(const int *)y;
}
int main(int argc, char **argv) {
    (void)argv;
    int arr[3] = {3, 1, 2};
    dyn = argc > 1 ? table[0] : table[1];
    pthread_t t, u;
    pthread_create(&t, 0, w, &dyn);
    pthread_create(&u, 0, w, (void *)&table[1]);
    qsort(arr, 3, sizeof arr[0], cmp);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return c == arr[0];
}
