//! truth: none: tasks in the order of their dependences
int main(void) {
    int x = 0, y = 0, z = 0, n = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        y = x + 1;
#pragma omp task depend(in : x) depend(out : z) shared(x, z)
        z = x + 2;
#pragma omp task depend(inout : x) depend(in : y, z) shared(x, y, z)
        x = y + z;
#pragma omp task depend(mutexinoutset : n) shared(n)
        n += 1;
#pragma omp task depend(mutexinoutset : n) shared(n)
        n += 2;
#pragma omp task depend(in : n, x) shared(n, x)
        n = n * 10 + x;
    }
    return n != 35;
}
