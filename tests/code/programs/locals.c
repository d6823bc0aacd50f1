// Local variables: no hooks where nobody else sees them, a frame where somebody might.
#define CALLED __attribute__((noinline))
struct wide {
    long a[5];
};
void __attribute__((noinline)) outside(int *p) {
    *p += 1;
}
CALLED static int by_value(struct wide w) {
    return (int)w.a[2];
}
CALLED static long keeps(struct wide w, long **where) {
    *where = &w.a[1];
    return **where;
}
static _Thread_local int mine;
static _Thread_local int given;
_Thread_local int known_elsewhere;
static const int table[4] = {1, 2, 3, 4};
CALLED static int private_array(int n) {
    int a[8] = {0};
    for (int i = 0; i < 8; i++)
        a[i] = i * n;
    return a[n & 7];
}
CALLED static int variable_array(int n) {
    int a[n];
    a[0] = n;
    outside(a);
    return n;
}
CALLED static int in_loop(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int x = i;
        outside(&x);
        sum += x;
    }
    return sum;
}
int main(int argc, char **argv) {
    int quiet = argc, loud = argc;
    struct wide w = {{1, 2, 3, 4, 5}};
    long *where;
    int *q = argc > 5 ? &quiet : &loud;
    (void)argv;
    mine++;
    outside(&given);
    known_elsewhere++;
    outside(&loud);
    quiet += *q + table[argc & 3] + private_array(argc);
    quiet += by_value(w) + variable_array(3) + in_loop();
    quiet += (int)keeps(w, &where);
    return quiet == 0;
}
