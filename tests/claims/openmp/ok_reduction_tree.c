//! truth: none: more than four threads combine their copies in a tree, inside of libomp's barrier
struct pair {
    long low, high;
};
static void join(struct pair *to, const struct pair *from) {
    if (from->low < to->low)
        to->low = from->low;
    if (from->high > to->high)
        to->high = from->high;
}
#pragma omp declare reduction(span                                                                 \
                              : struct pair                                                        \
                              : join(&omp_out, &omp_in))                                           \
    initializer(omp_priv = (struct pair){1 << 30, -1})
int main(void) {
    int sum = 0, bad = 0;
    struct pair p = {1 << 30, -1};
#pragma omp parallel num_threads(5)
    {
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 5; i++)
            sum += i;
#pragma omp single
        bad = sum != 10;
    }
#pragma omp parallel for num_threads(5) reduction(span : p)
    for (int i = 3; i < 8; i++) {
        struct pair one = {i, i};
        join(&p, &one);
    }
    return bad || p.low != 3 || p.high != 7;
}
