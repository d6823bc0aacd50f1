//! truth: race on a: nowait, and the next loop reads what others wrote
int main(void) {
    int a[8], b[8];
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 8; i++)
            a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < 8; i++)
            b[i] = a[7 - i];
    }
    return b[0] == 100;
}
