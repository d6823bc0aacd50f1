//! truth: race on t: a temporary is not private
int main(void) {
    int a[8], t;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++) {
        t = i * 2;
        a[i] = t;
    }
    return a[0] == 1;
}
