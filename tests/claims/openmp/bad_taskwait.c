//! truth: race on x: the parent reads without a taskwait
int main(void) {
    int x = 0, y = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
#pragma omp task shared(x)
            x = 1;
            y = x;
        }
    }
    return y == 2;
}
