//! truth: race on n: one update stands outside of the ordered block
int main(void) {
    int n = 0, m = 0;
#pragma omp parallel for ordered num_threads(2)
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        n++;
        m += n;
    }
    return m == 0;
}
