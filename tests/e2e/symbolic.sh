# What the model of a recorded run says, one small program for each class of instructions and
# for each primitive: which values depend on what was read, what is assumed, asserted, pinned.
. "$(dirname "$0")/../e2e/lib.sh"

# Two threads f and g; main starts both and waits for them.
cat >two.h <<'C'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *f(void *), *g(void *);
static void both(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, g, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
C

# program NAME: compiles standard input behind two.h and records a run.
program() {
    { echo '#include "two.h"'; cat; } >"$1.c"
    run "$AUGUR" cc -g -O1 "$1.c" -o "$1" -pthread -lm
    expect_status 0
    run "$AUGUR" record -o "$1.trace" "./$1"
}
# The model of NAME, and that it can be read again and gives the same text.
model() {
    run "$AUGUR" show --model "$1.trace" "${@:2}"
    expect_status 0
    expect_no_err
    cp "$TMP/.lib/out" "$1.ctp"
    run "$AUGUR" show "$1.ctp"
    expect_status 0
    cp "$1.ctp" "$TMP/.lib/out"
}
# No line matches.
expect_not() {
    ! grep -qE -e "$1" "$TMP/.lib/out" || fail "a line '$1': $(grep -E -e "$1" "$TMP/.lib/out" | head -3)"
}
pinned() {
    run "$AUGUR" show --pinned "$1.trace" "${@:2}"
    expect_status 0
}

check "integer arithmetic of every width"
program arith <<'C'
int x = 7;
unsigned u = 9;
int8_t c = -3;
uint16_t h = 600;
int64_t l = 1ll << 40;
uint64_t ul = 77;
int o[32];
static void *f(void *p) {
    int a = x;
    unsigned b = u;
    int8_t k = c;
    uint16_t m = h;
    int64_t n = l;
    uint64_t q = ul;
    o[0] = a + 1, o[1] = a - (int)b, o[2] = a * 3, o[3] = a / 2, o[4] = a % 4;
    o[5] = (int)(b / 4), o[6] = (int)(b % 5), o[7] = a << 3, o[8] = (int)(b >> 1), o[9] = a >> 1;
    o[10] = a & 12, o[11] = a | 1, o[12] = a ^ 5, o[13] = -a, o[14] = ~a;
    o[15] = k, o[16] = m, o[17] = (int)n, o[18] = (int8_t)a, o[19] = (uint8_t)b;
    o[20] = (int)(q >> 3), o[21] = a < (int)b, o[22] = b < 5, o[23] = !a, o[24] = k + m;
    return p;
}
static void *g(void *p) {
    x = 1, u = 2, c = 3, h = 4, l = 5, ul = 6;
    for (int i = 0; i < 32; i++)
        o[i] ^= 1;
    return p;
}
int main(void) { both(); return 0; }
C
expect_status 0
model arith
expect_out '^shared x = 7, u = 9, c : 8 = -3, h : 16 = 600, l : 64 = 0x10000000000$'
for e in '0\]" := r1 \+ 1' '1\]" := r1 - r2' '2\]" := r1 \* 3' '3\]" := r1 / 2' '4\]" := r1 % 4' \
    '5\]" := lshr\(r2, 2\)' '6\]" := urem\(r2, 5\)' '7\]" := r1 << 3' '8\]" := lshr\(r2, 1\)' \
    '9\]" := r1 >> 1' '10\]" := r1 & 12' '11\]" := r1 \| 1' '12\]" := r1 \^ 5' '13\]" := -r1' \
    '14\]" := ~r1' '15\]" := sext\(r3, 32\)' '16\]" := zext\(r4, 32\)' '17\]" := extract\(r5, 0, 32\)' \
    '18\]" := sext\(extract\(r1, 0, 8\), 32\)' '19\]" := zext\(extract\(r2, 0, 8\), 32\)' \
    '20\]" := extract\(lshr\(r6, 3\), 0, 32\)' '21\]" := r1 < r2' '22\]" := ult\(r2, 5\)' \
    '23\]" := r1 == 0' '24\]" := sext\(r3, 32\) \+ zext\(r4, 32\)' '24\]" := r1 \^ 1'; do
    expect_out "\"o\\[$e"
done
expect_not 'assume'
pinned arith
expect_out 'pinned 0 times|nothing'

check "division and shifts: what has no result is left out, or asserted"
program div <<'C'
int x = 7, n = 3, y;
static void *f(void *p) { y = 100 / x; y = 100 % x; y = 1 << n; return p; }
static void *g(void *p) { x = 0; n = 40; y++; return p; }
int main(void) { both(); return 0; }
C
model div
expect_out 'assume r[0-9]+ != 0 '
expect_out 'assume ult\(r[0-9]+, 32\)'
expect_out 'y := 100 / r'
expect_out 'y := 100 % r'
expect_not 'assert'
model div --checks div
expect_out 'assert r[0-9]+ != 0 '
run "$AUGUR" check --checks div --prop assert div.trace
expect_status 1
expect_out "proved .*division by zero"
run "$AUGUR" replay --checks div --finding A1 div.trace
expect_status 1
expect_out "^confirmed: A1: .*division by zero"

check "comparisons, choices and calls become assumptions"
program flow <<'C'
int x = 3, y, z;
__attribute__((noinline)) static int twice(int a) { return a > 100 ? a : a + a; }
__attribute__((noinline)) static int rec(int a, int n) { return n ? rec(a + 1, n - 1) : a; }
static int (*volatile table[2])(int) = {twice, abs};
static void *f(void *p) {
    int a = x;
    y = twice(a);
    z = rec(a, 4);
    y = table[0](a) + 1;
    if (a > 1)
        z = 1;
    return p;
}
static void *g(void *p) { x = 1, y = 2, z = 3; return p; }
int main(void) { both(); return 0; }
C
model flow
expect_out 'assume r1 <= 100 '
expect_out 'y := r1 \+ r1 '
expect_out 'z := r1 \+ 4 '
expect_out 'y := r1 \+ r1 \+ 1 '
expect_out 'assume r1 > 1 '
expect_true "one assumption a condition" test "$(grep -c 'assume' "$TMP/.lib/out")" -eq 2

check "switch: the values of the case, or none of all"
program switch <<'C'
int x = 3, w = 77, y;
__attribute__((noinline)) static int sw(int a) {
    switch (a) {
    case 1: return 10;
    case 2: case 3: return 20;
    case 900: return 30;
    default: return 40;
    }
}
static void *f(void *p) { y = sw(x); y = sw(w); return p; }
static void *g(void *p) { x = 1, w = 2, y = 2; return p; }
int main(void) { both(); return 0; }
C
model switch
expect_out 'assume r1 == 2 \|\| r1 == 3 '
expect_out 'assume r1 != 1 && r1 != 2 && r1 != 3 && r1 != 900 '

check "structures, unions and bit fields, byte by byte"
program bytes <<'C'
struct s { int a; short b; char c; unsigned d : 3, e : 5; } S = {1, 2, 3, 4, 5}, T;
union { uint64_t w; uint32_t h[2]; uint8_t b[8]; } U = {0x1122334455667788};
int y;
static void *f(void *p) {
    struct s l = S;
    l.a++;
    T = l;
    y = l.c;
    T.d = l.e;
    U.b[3] = (uint8_t)y;
    uint64_t w = U.w;
    y = (int)(w >> 20);
    return p;
}
static void *g(void *p) { S.a = 5, S.c = 1, S.d = 2, T.b = 9, U.w = 3, U.h[0] = 4, U.b[2] = 1, y++; return p; }
int main(void) { both(); return 0; }
C
model bytes
expect_out 'y := sext\(r[0-9]+, 32\)'
expect_out 'T\.d := .* & 7'
expect_out '"?U\.w\+3"? := extract\(r[0-9]+, 0, 8\)'
expect_out 'y := extract\(lshr\(concat\('

check "copies carry what was read, fills repeat it"
program copies <<'C'
char buf[16] = "hello world", out[16];
int n = 5, y;
static void *f(void *p) {
    memcpy(out, buf, 12);
    char t[8];
    memcpy(t, buf, 8);
    y = t[3];
    memset(out + 12, n, 4);
    return p;
}
static void *g(void *p) { buf[3] = 'x', out[3]++, out[13]++, n = 7, y++; return p; }
int main(void) { both(); return 0; }
C
model copies
expect_out '"out\[3\]" := r'
expect_out 'y := sext\(r[0-9]+, 32\)'
expect_out '"out\[13\]" := extract\(r[0-9]+, 0, 8\)'
pinned copies
expect_out 'pinned 0 times|nothing'

check "atomics: one step that reads and writes"
program atomics <<'C'
atomic_int a, b;
_Atomic uint64_t c;
int y;
static void *f(void *p) {
    y = atomic_fetch_add(&a, 3);
    int e = 5;
    _Bool ok = atomic_compare_exchange_strong(&b, &e, 9);
    y = ok ? 1 : e;
    y = (int)atomic_exchange(&c, 4);
    atomic_fetch_or(&a, 8);
    atomic_fetch_and(&a, 12);
    atomic_fetch_xor(&a, 5);
    atomic_fetch_sub(&a, 1);
    y = atomic_load(&a);
    return p;
}
static void *g(void *p) { atomic_store(&b, 5); a++; c--; y++; return p; }
int main(void) { both(); return 0; }
C
model atomics
expect_out '\[ r[0-9]+ := a; a := a \+ 3 \]'
expect_out '\[ r[0-9]+ := b; b := b == 5 \? 9 : b \]'
expect_out 'assume r[0-9]+ != 5 '
expect_out '\[ r[0-9]+ := c; c := 4 \]'
expect_out '\[ r[0-9]+ := a; a := a \| 8 \]'
expect_out '\[ r[0-9]+ := a; a := a & 12 \]'
expect_out '\[ r[0-9]+ := a; a := a \^ 5 \]'
expect_out '\[ b := 5 \]'

check "integer intrinsics"
program builtins <<'C'
unsigned x = 12;
int s = -5, y, z;
uint64_t w = 0x1234;
static void *f(void *p) {
    unsigned a = x;
    int b = s, r;
    uint64_t c = w, q;
    y = __builtin_popcount(a);
    y = __builtin_clz(a);
    y = __builtin_ctzll(c);
    y = (int)__builtin_bswap32(a);
    y = abs(b);
    y = __builtin_add_overflow(b, 7, &r);
    z = r;
    y = __builtin_mul_overflow(c, 1000ull, &q);
    y = (int)q;
    return p;
}
static void *g(void *p) { x = 3, s = 4, w = 9, y++, z++; return p; }
int main(void) { both(); return 0; }
C
model builtins
expect_out 'y := r[0-9]+ < 0 \? -r[0-9]+ : r[0-9]+ '
expect_out 'z := r[0-9]+ \+ 7 '
expect_out 'y := concat\('
expect_out 'assume r[0-9]+ != 0 ' # clz and ctz of 0 give nothing
pinned builtins
expect_out 'pinned 0 times|nothing'

check "floating point, vectors, unknown functions: pinned, with the place"
program pins <<'C'
#include <math.h>
int x = 4, y;
double d = 2.5;
typedef int v4 __attribute__((vector_size(16)));
v4 vec = {1, 2, 3, 4};
static void *f(void *p) {
    y = (int)sqrt((double)x);
    d = d * 2;
    vec = vec + 1;
    char t[9];
    snprintf(t, 9, "%d", x);
    y = t[0];
    return p;
}
static void *g(void *p) { x = 5, d = 1, vec[1] = 2, y++; return p; }
int main(void) { both(); return 0; }
C
model pins
expect_out 'assume r[0-9]+ == 4 .*pins.c:8$'
pinned pins
expect_out '1  pins.c:8  floating point'
expect_out '1  pins.c:9  floating point'
expect_out 'pins.c:12  argument of .snprintf'

check "what only goes out is not pinned, what comes back is"
program foreign <<'C'
int x = 3, y;
static void *f(void *p) {
    printf("%d\n", x);
    char *b = malloc(16);
    b[0] = (char)('0' + x);
    b[1] = 0;
    y = (int)strtol(b, 0, 10);
    free(b);
    return (void *)(intptr_t)x;
}
static void *g(void *p) { x = 9, y++; return p; }
int main(void) { both(); return x; }
C
pinned foreign
expect_not 'printf'
expect_out 'foreign.c:8  read by a library function'
expect_out 'foreign.c:10  returned to code without hooks'
expect_true "no more than these" test "$(grep -c 'foreign.c' "$TMP/.lib/out")" -eq 2

check "memory of one thread, thread-local and on the stack, keeps terms"
program own <<'C'
int x = 3, y;
static _Thread_local int tl;
int *volatile keep;
__attribute__((noinline)) static int *same(int *q) { return q; }
static void *f(void *p) {
    tl = x;
    tl += 2;
    y = tl;
    int loc = x;
    int *q = same(&loc);
    *q += 5;
    y = *q;
    int *h = malloc(sizeof *h);
    *h = x;
    *h *= 2;
    y = *h;
    free(h);
    return p;
}
static void *g(void *p) { x = 9, y++; return p; }
int main(void) { both(); return 0; }
C
model own
expect_out 'y := r[0-9]+ \+ 2 '
expect_out 'y := r[0-9]+ \+ 5 '
expect_out 'y := r[0-9]+ \* 2 |y := r[0-9]+ << 1 '
pinned own
expect_out 'pinned 0 times|nothing'

check "what fork and join order passes from thread to thread"
program ordered <<'C'
int x = 3, box;
static void *f(void *p) { box = x + 1; return p; }
static void *g(void *p) { x = 9; return p; }
int main(void) {
    box = 7;
    both();
    assert(box == 4);
    return 0;
}
C
model ordered
expect_out 'box := r[0-9]+ \+ 1 '
expect_out 'r[0-9]+ := box '
expect_out 'assert r[0-9]+ == 4 '
run "$AUGUR" check --prop assert ordered.trace
expect_status 1
expect_out "proved .*box == 4"
run "$AUGUR" replay ordered.trace --finding A1
expect_out '^confirmed'

check "a pointer that could be another one is a case split"
program list <<'C'
struct node { struct node *next; int v; } *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void push(int v) {
    struct node *n = malloc(sizeof *n);
    n->v = v;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
}
static int pop(void) {
    pthread_mutex_lock(&m);
    struct node *n = head;
    head = n->next;
    pthread_mutex_unlock(&m);
    return n->v;
}
static void *f(void *p) { push(1), push(2), push(3); return p; }
static void *g(void *p) { int a = pop(), b = pop(); assert(a == 3 && b == 2); return p; }
int main(void) { push(100); both(); return 0; }
C
model list
expect_out 'if \(.*== [0-9a-fx]+\)'
expect_out 'assert r[0-9]+ == 3 '
run "$AUGUR" check --prop assert list.trace
expect_status 1
expect_out "proved .*a == 3"
run "$AUGUR" replay list.trace --finding A1
expect_out '^confirmed'

check "--split 0: pointers keep the values of the run"
run "$AUGUR" show --as-ctp --split 0 list.trace
expect_status 0
expect_true "no case split" test "$(grep -cE 'if \(.*== [0-9a-fx]+\)' .lib/out)" -eq 0
run "$AUGUR" check --prop assert --split 0 list.trace
expect_status 0

check "an index that could be another one, and bounds"
program index <<'C'
int arr[4] = {1, 2, 3, 4}, at = 1, y;
static void *f(void *p) { y = arr[at]; return p; }
static void *g(void *p) {
    for (int i = 0; i < 4; i++)
        arr[i] *= 10;
    at = 2;
    at = 9;
    at = 0;
    return p;
}
int main(void) {
    for (int i = 0; i < 4; i++)
        arr[i]++;
    both();
    return 0;
}
C
model index
expect_out 'r[0-9]+ := at '
expect_out 'assume .*r[0-9]+ == (0|1|2)'
model index --checks bounds
expect_out 'assert ul[te]\('
run "$AUGUR" check --checks bounds --prop assert index.trace
expect_status 1
expect_out "proved .*index outside its object"
run "$AUGUR" replay --checks bounds --finding A1 index.trace
expect_status 3
expect_out "^not confirmed: .*a recording does not hold the bounds of objects"

check "a null pointer in another interleaving"
program null <<'C'
int v = 5, y;
int *volatile p0 = &v;
static void *f(void *p) { y = *p0; return p; }
static void *g(void *p) { v = 6; p0 = 0; return p; }
int main(void) { both(); return 0; }
C
run "$AUGUR" check --checks null --prop assert null.trace
expect_status 1
expect_out "proved .*null pointer"
run "$AUGUR" replay --checks null --finding A1 null.trace
expect_status 1
expect_out "^confirmed: A1: .*null pointer"
run "$AUGUR" check --prop assert null.trace
expect_status 0

check "memory that another thread may have freed, also under a lock"
program freed <<'C'
struct o { int a, b; } *p0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int y;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    y = p0->b;
    pthread_mutex_unlock(&m);
    return p;
}
static void *g(void *p) {
    pthread_mutex_lock(&m);
    p0->b++;
    free(p0);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    p0 = malloc(sizeof *p0);
    p0->a = 1, p0->b = 2;
    both();
    return 0;
}
C
run "$AUGUR" check --checks uaf --prop assert freed.trace
expect_status 1
expect_out "proved .*use after free"
expect_true "one finding" test "$(grep -c '^A[0-9]* proved' "$TMP/.lib/out")" -eq 1
run "$AUGUR" replay --checks uaf --finding A1 freed.trace
expect_status 1
expect_out "^confirmed: A1: .*use after free"
run "$AUGUR" check --prop assert freed.trace
expect_status 0

check "asserts: their text, and a run that failed itself"
program failing <<'C'
int x = 3, y;
static void *f(void *p) { x = 9, y = 1; return p; }
static void *g(void *p) { int a = x; assert(y < 5 && "small"); assert(a != 9); return p; }
int main(void) { both(); return 0; }
C
model failing
expect_out 'assert r[0-9]+ < 5 '
expect_out 'assert r[0-9]+ != 9 '
run "$AUGUR" check --prop assert failing.trace
expect_status 1
expect_out "assertion .*a != 9"

check "a branch on the way to a check that fails for sure is no check"
program certain <<'C'
int x = 3, y;
static void *f(void *p) { x = 4, y = 1; return p; }
static void *g(void *p) {
    if (x == 4)
        y = 5;
    else
        y = 6;
    abort();
    return p;
}
int main(void) { both(); return 0; }
C
model certain
expect_out 'assume r[0-9]+ == 4 '
expect_not 'assert r[0-9]+ != 4 '

check "mutexes, read-write locks, semaphores, conditions, barriers, once"
program sync <<'C'
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t bar;
pthread_once_t once = PTHREAD_ONCE_INIT;
sem_t s;
int x, y, ready;
static void init(void) { x = 100; }
static void *f(void *p) {
    pthread_once(&once, init);
    pthread_mutex_lock(&m);
    y = x + 1;
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_rwlock_wrlock(&rw);
    x = y * 2;
    pthread_rwlock_unlock(&rw);
    sem_post(&s);
    pthread_barrier_wait(&bar);
    return p;
}
static void *g(void *p) {
    pthread_once(&once, init);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    y += 3;
    pthread_mutex_unlock(&m);
    sem_wait(&s);
    pthread_rwlock_rdlock(&rw);
    int k = x;
    pthread_rwlock_unlock(&rw);
    pthread_barrier_wait(&bar);
    y = k;
    return p;
}
int main(void) {
    pthread_barrier_init(&bar, 0, 2);
    sem_init(&s, 0, 0);
    both();
    assert(y != 5);
    return 0;
}
C
model sync
for e in '^lock .*m' '^rwlock .*rw' '^sem .*s = 0' '^cond .*c' '^barrier .*bar = 2' \
    'acq m' 'wracq rw' 'rdacq rw' 'signal c' 'arrive bar' 'x := r[0-9]+ \* 2' 'y := r[0-9]+ \+ 3' \
    'assert r[0-9]+ != 5'; do
    expect_out "$e"
done

check "the conventions of SV-COMP"
program svcomp <<'C'
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern void reach_error(void);
static void __VERIFIER_assert(int c) { if (!c) reach_error(); }
int x = 3, y;
static void *f(void *p) {
    int a = x;
    __VERIFIER_assume(a > 0);
    __VERIFIER_atomic_begin();
    y = a + __VERIFIER_nondet_int() % 2;
    x = y;
    __VERIFIER_atomic_end();
    __VERIFIER_assert(a < 5);
    return p;
}
static void *g(void *p) { x = 7; y = 1; return p; }
int main(void) { both(); return 0; }
C
model svcomp
expect_out 'assume r[0-9]+ > 0 '
expect_out 'assert r[0-9]+ < 5 '
expect_out 'atomic \{'
run "$AUGUR" check --prop assert svcomp.trace
expect_status 1

# No line of the output matches.
expect_no_line() {
    expect_true "no line '$1': ${out:0:600}" test "$(grep -cE -e "$1" "$TMP/.lib/out")" = 0
}
# A compare-and-exchange that failed in the run is a read there. It breaks a block only where it succeeds: not if the
# program takes another way then …
check 'a failed compare-and-exchange'
program failed <<'C'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int word = 1;
static int out;
static void *f(void *p) {
    int expected = 5;
    atomic_store(&word, 2);
    if (atomic_compare_exchange_strong(&word, &expected, 6))
        puts("taken");
    return p;
}
static void *g(void *p) {
    pthread_mutex_lock(&m);
    int a = atomic_load(&word), b = atomic_load(&word);
    pthread_mutex_unlock(&m);
    out = a + b;
    return p;
}
int main(void) { both(); return 0; }
C
run "$AUGUR" check failed.trace
expect_status 1
expect_out '^V1 proved .*RWR'
expect_no_line '^V2'
expect_no_line 'a bug of augur'

# … but if nothing depends on it. Executed, it happens.
check 'one that succeeds in another order'
program succeeds <<'C'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int word = 1;
static int out;
static void *f(void *p) {
    int expected = 5;
    atomic_compare_exchange_strong(&word, &expected, 6);
    return p;
}
static void *g(void *p) {
    pthread_mutex_lock(&m);
    atomic_store(&word, 5);
    out = atomic_load(&word);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) { both(); return 0; }
C
run "$AUGUR" check succeeds.trace
expect_out '^V1 possible .*WWR'
expect_out 'a compare-and-exchange succeeds that failed in the run'
expect_no_line 'a bug of augur'
run "$AUGUR" run --atomic critical ./succeeds
expect_out '^V1 confirmed .*WWR'

# One that succeeded in the run and fails in another order writes nothing there: between the read and the write of g it
# always fails.
check 'one that fails in another order'
program fails <<'C'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int word = 1;
static int out;
static void *g(void *p) {
    int expected = 5;
    atomic_compare_exchange_strong(&word, &expected, 6);
    return p;
}
static void *f(void *p) {
    pthread_mutex_lock(&m);
    out = atomic_load(&word);
    atomic_store(&word, 5);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) { both(); return 0; }
C
run "$AUGUR" show --op rmw fails.trace
expect_out ' rmw '
run "$AUGUR" check fails.trace
expect_status 0
expect_out '^0 findings'

# A plain read beside it: a race only if it succeeds.
check 'a plain read beside a failed one'
program beside <<'C'
static int word = 1, out;
static void *f(void *p) {
    int expected = 5;
    __atomic_store_n(&word, 2, __ATOMIC_SEQ_CST);
    if (__atomic_compare_exchange_n(&word, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        puts("taken");
    return p;
}
static void *g(void *p) { out = word; return p; }
int main(void) { both(); return 0; }
C
run "$AUGUR" check --all beside.trace
expect_no_line 'a bug of augur'
expect_no_line '^R.* race .*beside.c:6'

# The knowledge of one run, put beside other runs of the same program: where its facts hold, the
# threads go the same way and write what the terms say (tests/code/crossrun.c).
build=$(cd "$(dirname "$AUGUR")" && pwd)
cp "$build/tests/code/crossrun" "$TMP/crossrun"
ln -s "$build/augur-llvm.so" "$TMP/augur-llvm.so"
for p in arith div flow switch bytes copies atomics builtins foreign own ordered list index sync; do
    check "other runs of '$p' are as its first one says"
    compared=0
    for seed in 1 2 3 4; do
        run "$AUGUR" record -q -o other.trace --schedule random --switch-every 3 --seed $seed "./$p"
        run "$TMP/crossrun" "$p.trace" other.trace
        expect_status 0
        compared=$((compared + $(sed -n 's/^reads \([0-9]*\) .*/\1/p' "$TMP/.lib/out")))
        run "$TMP/crossrun" other.trace "$p.trace"
        expect_status 0
    done
    expect_true "reads were compared ($compared)" test "$compared" -gt 3
done
