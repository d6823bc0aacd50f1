//! truth: none: dynamic and guided chunks, and two loops without a barrier between them
int main(void) {
    int a[20], b[20], sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic, 2) nowait
        for (int i = 0; i < 20; i++)
            a[i] = i;
#pragma omp for schedule(guided)
        for (int i = 0; i < 20; i++)
            b[i] = 2 * i;
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 20; i++)
            sum += a[i] + b[i];
    }
    return sum != 570;
}
