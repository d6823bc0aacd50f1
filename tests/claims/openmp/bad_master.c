//! truth: race on x: no barrier behind master
int main(void) {
    int x = 0, sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        x = 7;
#pragma omp atomic
        sum += x;
    }
    return sum == 1;
}
