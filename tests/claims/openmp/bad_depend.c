//! truth: race on x: the second task does not depend on the first
int main(void) {
    int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(out : y) shared(x, y)
        y = x;
    }
    return y == 2;
}
