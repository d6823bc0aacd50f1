//! truth: none: taskloop, with a task group around it and with a reduction
int main(void) {
    int a[12] = {0}, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(3)
        for (int i = 0; i < 12; i++)
            a[i] = i;
        for (int i = 0; i < 12; i++)
            sum += a[i];
#pragma omp taskloop num_tasks(3) reduction(+ : sum)
        for (int i = 0; i < 12; i++)
            sum += a[i];
    }
    return sum != 132;
}
