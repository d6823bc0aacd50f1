//! truth: race on sum: the reduction is missing
int main(void) {
    int sum = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 6; i++)
        sum += i;
    return sum == -1;
}
