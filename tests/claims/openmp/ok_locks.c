//! truth: none: omp locks, nested locks, tests of locks
#include <omp.h>
static omp_lock_t l;
static omp_nest_lock_t nl;
static int x, y, tried;
static void add(int depth) {
    omp_set_nest_lock(&nl);
    y++;
    if (depth)
        add(depth - 1);
    omp_unset_nest_lock(&nl);
}
int main(void) {
    omp_init_lock(&l);
    omp_init_nest_lock(&nl);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&l);
        x++;
        omp_unset_lock(&l);
        add(2);
        while (!omp_test_lock(&l))
            ;
        tried++;
        omp_unset_lock(&l);
        if (omp_test_nest_lock(&nl)) {
            y += 0;
            omp_unset_nest_lock(&nl);
        }
    }
    omp_destroy_nest_lock(&nl);
    omp_destroy_lock(&l);
    return !(x == 3 && y == 9 && tried == 3);
}
