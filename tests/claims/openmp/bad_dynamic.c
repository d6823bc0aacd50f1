//! truth: race on most: dynamic chunks, a maximum without a reduction
int main(void) {
    int most = 0, a[8] = {3, 1, 4, 1, 5, 9, 2, 6};
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < 8; i++)
        if (a[i] > most)
            most = a[i];
    return most == 0;
}
