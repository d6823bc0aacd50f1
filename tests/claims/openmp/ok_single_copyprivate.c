//! truth: none: what one thread computed is copied to all
#include <omp.h>
int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(3)
    {
        int x;
#pragma omp single copyprivate(x)
        x = 14;
#pragma omp atomic
        sum += x;
    }
    return sum != 42;
}
