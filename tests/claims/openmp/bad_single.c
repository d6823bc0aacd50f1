//! truth: race on x: single without its barrier
int main(void) {
    int x = 0, sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        x = 1;
#pragma omp critical
        sum += x;
    }
    return sum == 9;
}
