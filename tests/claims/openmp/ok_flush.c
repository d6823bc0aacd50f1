//! truth: none: a flag by atomic write and read, with flushes
int main(void) {
    int data = 0, flag = 0, got = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            {
                data = 42;
#pragma omp flush
#pragma omp atomic write seq_cst
                flag = 1;
            }
#pragma omp section
            {
                int seen = 0;
                for (int i = 0; i < 1000 && !seen; i++) {
#pragma omp atomic read seq_cst
                    seen = flag;
                }
                if (seen) {
#pragma omp flush
                    got = data;
                }
            }
        }
    }
    return got != 42 && got != 0;
}
