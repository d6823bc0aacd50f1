//! truth: none: an ordered loop runs its ordered blocks in the order of the iterations
#include <assert.h>
int main(void) {
    int at[8], n = 0, last = -1;
#pragma omp parallel for ordered num_threads(3)
    for (int i = 0; i < 8; i++) {
        int x = i * i;
#pragma omp ordered
        {
            assert(last == i - 1);
            last = i;
            at[n++] = x;
        }
    }
#pragma omp parallel for ordered schedule(dynamic) num_threads(3)
    for (int i = 8; i < 12; i++) {
#pragma omp ordered
        {
            assert(last == i - 1);
            last = i;
        }
    }
    for (int i = 0; i < 8; i++)
        assert(at[i] == i * i);
    return 0;
}
