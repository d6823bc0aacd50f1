//! truth: none: the same static chunks twice: each thread reads what it wrote itself
int main(void) {
    int a[12], b[12];
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 12; i++)
            a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < 12; i++)
            b[i] = a[i] + 1;
    }
    return b[11] != 12;
}
