//! truth: none: OpenMP reduction, read after the implicit barrier
#include <stdio.h>
int main() {
    int s = 0;
    int a[8] = {0};
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++)
        a[i] = i;
    for (int i = 0; i < 8; i++)
        s += a[i];
    return s != 28;
}
