//! truth: none: a reduction of every operator, and several in one loop
#include <stdio.h>
int main(void) {
    int sum = 0, product = 1, and = 1, or = 0, all = ~0, any = 0, odd = 0, least = 1000,
        most = -1000, less = 0;
    double mean = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum, mean) reduction(* : product)
    for (int i = 1; i < 7; i++) {
        sum += i;
        mean += i / 6.0;
        product *= i;
    }
#pragma omp parallel for num_threads(3) reduction(&& : and) reduction(|| : or) reduction(& : all) reduction(| : any)
    for (int i = 1; i < 7; i++) {
        and = and&&i;
        or = or || i == 9;
        all &= i | 8;
        any |= i;
    }
#pragma omp parallel for num_threads(3) reduction(^ : odd) reduction(min : least) reduction(max : most) reduction(- : less)
    for (int i = 1; i < 7; i++) {
        odd ^= i;
        least = i < least ? i : least;
        most = i > most ? i : most;
        less -= i;
    }
    return !(sum == 21 && product == 720 && and&&! or &&all == 8 && any == 7 && odd == 7 &&
                                                          least == 1 && most == 6 && less == -21 &&
                                                          mean > 3.4 && mean < 3.6);
}
