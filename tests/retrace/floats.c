// FLAGS: -mavx2
// Floating point of all sizes, vectors.
#include <math.h>
#include <pthread.h>
#include <stdio.h>

typedef int v4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
typedef short s8 __attribute__((vector_size(16)));
float f = 1.25f;
double d = 2.5;
long double l = 3.125L;
v4 vi = {1, 2, 3, 4};
f8 vf = {1, 2, 3, 4, 5, 6, 7, 8};
s8 vs;
long count[8];
double all;

static void *worker(void *p) {
    int n = *(int *)p;
    double sum = 0;
    for (int i = 1; i < n; i++) {
        f = f * 1.5f - (float)i;
        d = d / 3 + (double)f;
        l = l * 1.0001L + (long double)d;
        sum += sqrt(fabs(d)) + floor((double)f) + (double)l;
        if (d < 0.25 || isnan(f))
            count[0]++;
        if ((float)sum > f)
            count[1] += (long)sum;
        count[2] += (unsigned)(int)f;
        vi = vi * i + (v4){4, 3, 2, 1};
        vi = __builtin_shufflevector(vi, vi, 3, 0, 1, 2);
        vf = vf * 0.5f + (float)i;
        vs += (s8){1, 2, 3, 4, 5, 6, 7, 8};
        v4 mask = vi > (v4){10, 10, 10, 10};
        count[3] += mask[i & 3] + vi[(i + 1) & 3] + (long)vf[i & 7] + vs[i & 7];
        count[4] += fmod(d, 0.7) > 0.3 ? 1 : 2;
        count[5] += (long)copysign(3.0, d) + (long)trunc(d * 100);
    }
    all += sum;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int n[2] = {9, 14};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &n[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%g %ld %ld %ld\n", all, count[0], count[3], count[5]);
    return 0;
}
