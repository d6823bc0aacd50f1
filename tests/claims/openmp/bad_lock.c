//! truth: race on x: two locks for one variable
#include <omp.h>
int main(void) {
    omp_lock_t l[2];
    int x = 0;
    omp_init_lock(&l[0]);
    omp_init_lock(&l[1]);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        omp_set_lock(&l[me]);
        x++;
        omp_unset_lock(&l[me]);
    }
    omp_destroy_lock(&l[0]);
    omp_destroy_lock(&l[1]);
    return x == 0;
}
