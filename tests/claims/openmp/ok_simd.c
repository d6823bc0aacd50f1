//! truth: none: simd inside of a shared loop; what the last iteration had
int main(void) {
    float a[32], b[32];
    int last = 0;
    for (int i = 0; i < 32; i++)
        b[i] = (float)i;
#pragma omp parallel for simd num_threads(2) lastprivate(last)
    for (int i = 0; i < 32; i++) {
        a[i] = b[i] * 2;
        last = i;
    }
    return last != 31 || a[31] != 62;
}
