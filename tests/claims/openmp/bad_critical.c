//! truth: race on total: one of two updates is outside of the critical section
int main(void) {
    int total = 0, other = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        total++;
#pragma omp critical
        other++;
        total += 2;
    }
    return total + other == 0;
}
