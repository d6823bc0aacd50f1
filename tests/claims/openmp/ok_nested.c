//! truth: none: parallel regions inside of parallel regions, and one behind the other
#include <omp.h>
int main(void) {
    int a[4] = {0}, total = 0;
    omp_set_max_active_levels(2);
    for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num(), part = 0;
#pragma omp parallel num_threads(2) reduction(+ : part)
            {
                a[2 * me + omp_get_thread_num()]++;
                part += 1;
            }
#pragma omp critical
            total += part + a[2 * me] - a[2 * me + 1];
        }
    }
    return total != 8 || a[3] != 2;
}
