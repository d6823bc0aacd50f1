//! truth: race on n: two critical sections of different names
#include <omp.h>
int main(void) {
    int n = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num()) {
#pragma omp critical(one)
            n++;
        } else {
#pragma omp critical(two)
            n++;
        }
    }
    return n == 0;
}
