# What augur cannot look into: inline assembler, machine code made at run time, threads that a library
# without hooks starts, longjmp, signal handlers. Each is followed or pinned; what is found is
# confirmed on the program.
. "$(dirname "$0")/../e2e/lib.sh"

# program NAME [FILE...]: compiles standard input (main starts f and g) and records a good run.
program() {
    local name=$1
    shift
    cat >"$name.c"
    check "$name"
    run "$AUGUR" cc -g -O1 "$name.c" "$@" -o "$name" -pthread
    expect_status 0
    run "$AUGUR" record --quiet -o "$name.trace" "./$name"
    expect_status 0
    run "$AUGUR" check "$name.trace"
    expect_status 1
    if grep -q 'bug of augur' "$TMP/.lib/out"; then
        fail "$(grep 'bug of augur' "$TMP/.lib/out")"
    fi
    cp "$TMP/.lib/out" "$name.found"
}
found() { grep -q -e "$2" "$1.found" || fail "no '$2' in: $(cat "$1.found")"; }
not_found() { ! grep -q -e "$2" "$1.found" || fail "$(grep -e "$2" "$1.found")"; }
confirmed() {
    local name=$1 id
    shift
    for id; do
        run "$AUGUR" replay --finding "$id" "$name.trace"
        expect_out "^confirmed: $id:"
    done
}

program assembler  <<'C'
#include <assert.h>
#include <pthread.h>
static int x;
static void *t(void *p) { x = 1; return p; }
static void *u(void *p) { int v = x, w; __asm__ volatile("imull $1, %1, %0" : "=r"(w) : "r"(v)); assert(w == x || w != 7); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0); pthread_join(a, 0); pthread_join(b, 0); }
C
found assembler "^R1 proved  race on 'x'"
not_found assembler "proved  assertion"
confirmed assembler R1
run "$AUGUR" show --pinned assembler.trace
expect_out "argument of 'asm'"

program jump  <<'C'
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
static int x;
static jmp_buf j;
static void deep(int n) { if (x < 0) x = 0; if (n == 0) longjmp(j, 3); deep(n - 1); }
static void *t(void *p) { x = 1; return p; }
static void *u(void *p) { int r = setjmp(j); if (r == 0) deep(4); assert(r == 3 && x == 1); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0); pthread_join(a, 0); pthread_join(b, 0); }
C
found jump "^A1 proved  assertion 'r == 3 && x == 1' fails with x = 0 (1 in the run)"
confirmed jump R1 A1

program handler  <<'C'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
static volatile int x;
static void handler(int s) { x = s; }
static void *t(void *p) { raise(SIGUSR1); assert(x == SIGUSR1); return p; }
static void *u(void *p) { x = 5; return p; }
int main(void) { signal(SIGUSR1, handler); pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0); pthread_join(a, 0); pthread_join(b, 0); }
C
found handler "^A1 proved  assertion 'x == SIGUSR1' fails with x = 5 (10 in the run)"
confirmed handler R1 A1

cat >lib.c <<'C'
#include <pthread.h>
void start(pthread_t *t, void *(*f)(void *), void *a) { pthread_create(t, 0, f, a); }
C
clang-19 -c -O1 lib.c -o lib.o || fail "clang-19"

program library lib.o <<'C'
#include <assert.h>
#include <pthread.h>
void start(pthread_t *t, void *(*f)(void *), void *a);
static int x;
static void *t(void *p) { *(int *)p += 1; return p; }
int main(void) { pthread_t a, b; start(&a, t, &x); start(&b, t, &x); pthread_join(a, 0); pthread_join(b, 0); assert(x == 2); }
C
# start() may look at x, which it is given: only executing the schedule tells.
found library "^A1 possible  assertion 'x == 2' fails with x = 1 (2 in the run)"
confirmed library R1 A1

program machine_code  <<'C'
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
static int x;
static int (*jit)(int);
static void *t(void *p) { x = jit(x); return p; }
int main(void) { unsigned char c[] = {0x8d, 0x47, 0x01, 0xc3}; void *m = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memcpy(m, c, 4); jit = (int (*)(int))m; pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); assert(x == 2); }
C
found machine_code "^R1 proved  race on 'x'"
not_found machine_code "proved  assertion"
confirmed machine_code R1
run "$AUGUR" show --pinned machine_code.trace
expect_out "argument of 'an indirect call'"
