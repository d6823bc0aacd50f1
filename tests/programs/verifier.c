/* The functions of SV-COMP: nondeterministic values are the same in a replay, atomic
 * blocks exclude each other.
 *
 * EXIT 0
 * T1 (acq [^,]*, begin[^,]*, end[^,]*, rel [^,]*, ){3}exit
 * T2 (acq [^,]*, begin[^,]*, end[^,]*, rel [^,]*, ){3}exit */
#include <pthread.h>
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        __VERIFIER_atomic_begin();
        x++;
        y++;
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void) {
    pthread_t t[2];
    int a = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    _Bool b = __VERIFIER_nondet_bool();
    __VERIFIER_assume(c <= 255);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    __VERIFIER_assert(x == y);
    printf("%d %d %d %d\n", a, c, b, x);
    return x != 6;
}
