// WITH: modules_lib.c
// Calls between modules: with hooks, without, back again, of variables and constants elsewhere.
#include <pthread.h>
#include <stdio.h>

extern int lib_count, lib_values[3];
extern const int lib_limit;
extern const char *const lib_names[];
int lib_add(int by);
int lib_square(int x); /* makes no events */
int lib_call(int (*fn)(int, void *), int n, void *p);
struct pair {
    long a, b, c;
} lib_pair(long a);

int hits;
static int back(int x, void *p) {
    hits += x;
    return lib_square(x) + *(int *)p;
}

static void *worker(void *p) {
    int n = *(int *)p, s = 0;
    for (int i = 0; i < n && i < lib_limit; i++) {
        s += lib_add(i) + lib_square(lib_count);
        s += lib_call(back, i, p) + lib_names[i % 3][0];
        lib_values[i % 3] += (int)lib_pair(i).b;
        if (lib_square(hits) > 40)
            s++;
    }
    return (void *)(long)s;
}

int main(void) {
    pthread_t t[2];
    int n[2] = {6, 9};
    void *r[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &n[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &r[i]);
    printf("%d %d %d\n", lib_count, hits, lib_values[1]);
    return 0;
}
