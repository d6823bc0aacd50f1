//! truth: none: iterations wait for others by depend(sink)
int main(void) {
    int a[10] = {1};
#pragma omp parallel for ordered(1) num_threads(2)
    for (int i = 1; i < 10; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    return a[9] != 10;
}
