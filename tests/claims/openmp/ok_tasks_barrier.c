//! truth: none: tasks are complete behind the barrier; their memory is used again
int main(void) {
    int a[6] = {0}, sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        for (int i = 0; i < 6; i++)
#pragma omp task firstprivate(i) shared(a)
            a[i] = i;
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 6; i++)
            sum += a[i];
#pragma omp single
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i) shared(a)
                a[i] += i;
#pragma omp taskwait
        }
    }
    return sum != 15 || a[2] != 8;
}
