//! truth: none: sections, a single, a barrier and what was written before them
int main(void) {
    int a = 0, b = 0, c = 0, sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            a = 1;
#pragma omp section
            b = 2;
#pragma omp section
            c = 3;
        }
#pragma omp single
        sum = a + b + c;
        if (sum != 6)
            __builtin_trap();
#pragma omp barrier
#pragma omp single nowait
        sum = 0;
    }
    return sum;
}
