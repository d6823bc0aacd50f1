//! truth: none: each thread has its own, copied in at the begin
static int mine = 3;
#pragma omp threadprivate(mine)
int main(void) {
    int sum = 0;
    mine = 5;
#pragma omp parallel num_threads(3) copyin(mine)
    {
        mine++;
#pragma omp critical
        sum += mine;
    }
#pragma omp parallel num_threads(3)
    {
        mine++;
#pragma omp critical
        sum += mine;
    }
    return sum != 39;
}
