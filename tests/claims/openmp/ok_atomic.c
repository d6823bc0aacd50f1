//! truth: none: atomic update, capture, read, write
int main(void) {
    int n = 0, ticket[6] = {0}, flag = 0;
    double d = 0;
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 6; i++) {
        int mine, seen;
#pragma omp atomic capture
        mine = n++;
#pragma omp atomic update
        d += 0.5;
#pragma omp atomic write
        flag = 1;
#pragma omp atomic read
        seen = flag;
        ticket[mine] += seen;
    }
    for (int i = 0; i < 6; i++)
        if (ticket[i] != 1)
            return 1;
    return n != 6 || d != 3.0;
}
