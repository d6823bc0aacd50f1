//! truth: race on a: an iteration reads what its neighbour writes
int main(void) {
    int a[9];
    for (int i = 0; i < 9; i++)
        a[i] = i;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++)
        a[i] = a[i + 1] + 1;
    return a[0] != 2;
}
