//! truth: none: named and unnamed critical sections
int main(void) {
    int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(3)
    {
        for (int i = 0; i < 2; i++) {
#pragma omp critical
            a++;
#pragma omp critical(second)
            {
                b += 2;
#pragma omp critical(third)
                c += b > 0;
            }
        }
    }
    return !(a == 6 && b == 12 && c == 6);
}
