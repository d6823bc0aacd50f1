//! truth: none: a task group waits for children of children
int main(void) {
    int a = 0, b = 0, r = 0, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(a, b)
            {
                a = 1;
#pragma omp task shared(b)
                b = 2;
            }
        }
        r = a + b;
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : sum) firstprivate(i)
                sum += i;
        }
        r += sum;
    }
    return r != 9;
}
