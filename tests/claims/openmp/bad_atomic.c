//! truth: race on n: one side is atomic, the other is not
#include <omp.h>
int main(void) {
    int n = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num()) {
#pragma omp atomic
            n++;
        } else {
            n += 2;
        }
    }
    return n == 0;
}
