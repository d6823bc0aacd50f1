//! truth: none: a reduction of the user's own, which libomp guards by a lock of its own
#include <stdio.h>
struct pair {
    long low, high;
};
static void join(struct pair *to, const struct pair *from) {
    if (from->low < to->low)
        to->low = from->low;
    if (from->high > to->high)
        to->high = from->high;
}
#pragma omp declare reduction(span                                                                 \
                              : struct pair                                                        \
                              : join(&omp_out, &omp_in))                                           \
    initializer(omp_priv = (struct pair){1 << 30, -1})
int main(void) {
    struct pair p = {1 << 30, -1}, q = {1 << 30, -1};
    long double x = 0;
    int bad = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(span : p) reduction(+ : x)
        for (int i = 3; i < 9; i++) {
            struct pair one = {i, i};
            join(&p, &one);
            x += i;
        }
#pragma omp for reduction(span : q)
        for (int i = 3; i < 9; i++) {
            struct pair one = {p.low + i, p.high + i};
            join(&q, &one);
        }
#pragma omp single
        bad = q.low != 6;
    }
    return bad || !(p.low == 3 && p.high == 8 && q.high == 16 && x == 33);
}
