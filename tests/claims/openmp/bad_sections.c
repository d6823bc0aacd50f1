//! truth: race on x: two sections update it
int main(void) {
    int x = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        x += 1;
#pragma omp section
        x += 2;
    }
    return x == 0;
}
