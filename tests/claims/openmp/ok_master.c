//! truth: none: the master thread writes, a barrier, all read
int main(void) {
    int x = 0, sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        x = 7;
#pragma omp barrier
#pragma omp atomic
        sum += x;
#pragma omp barrier
#pragma omp masked
        x = sum;
    }
    return x != 21;
}
