//! truth: none: a tree of tasks, each waits for its children
static int fib(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}
int main(void) {
    int x = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    x = fib(6);
    return x != 8;
}
