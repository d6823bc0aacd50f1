#!/usr/bin/env bash
# Who owns memory: elements handed to threads, threads that are joined before the next, semaphores as locks, errno,
# switches that are never turned (lower/own.c, tsg/lives.h, tsg/sems.h, lower/fold.c); and sources that clang refuses.
. "$(dirname "$0")/lib.sh"

check "examples/scan/farm.c: locksets leave what is marked real, and nothing that is marked bogus"
"$AUGUR" scan --no-replay --all --stages lockset --format json -o farm.json "$SRC/examples/scan/farm.c" || [ $? -le 1 ] || fail "status $?"
read -r real _ lost bogus _ <<<"$(awk -f "$SRC/bench/scan_marks.awk" "$SRC/examples/scan/farm.c" farm.json)"
[ "$real" = 6 ] || fail "$real pairs are marked real"
[ "$lost" = 0 ] || fail "$lost real pairs are lost"
[ "$bogus" = 0 ] || fail "$bogus bogus pairs are left"

check "examples/scan/server.c: nothing real is lost; of what is bogus, what a queue, a swapped page and pthread_once order is left"
"$AUGUR" scan --no-replay --all --stages lockset --format json -o server.json "$SRC/examples/scan/server.c" || [ $? -le 1 ] || fail "status $?"
read -r real _ lost bogus _ <<<"$(awk -f "$SRC/bench/scan_marks.awk" "$SRC/examples/scan/server.c" server.json)"
[ "$real" = 8 ] || fail "$real pairs are marked real"
[ "$lost" = 0 ] || fail "$lost real pairs are lost"
[ "$bogus" -le 3 ] || fail "$bogus bogus pairs are left"

check "threads that were given different numbers have different elements"
cat >numbers.c <<'C'
#include <pthread.h>
static struct { long a, b; } slot[8];
static int other[8];
static void *f(void *arg) {
    long me = (long)arg;
    slot[me].a++;
    slot[(int)me].b = slot[me].a;
    other[me / 2]++;
    return arg;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], 0, f, (void *)i);
    pthread_create(&t[0], 0, f, (void *)7);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset numbers.c
expect_status 1
[ "$(grep -c '^R[0-9]* ' <<<"$out")" = 1 ] || fail "$out"
grep -q "^R1 .*numbers.c:8, .*numbers.c:8$" <<<"$out" || fail "$out"
sed 's/(void \*)7/(void *)2/' numbers.c >twice.c
run "$AUGUR" scan --no-replay --stages lockset twice.c
expect_status 1
grep -q "^R.*twice.c:6, .*twice.c:6$" <<<"$out" || fail "two threads with one number: $out"

if [ -z "$SANITIZED" ] && echo 'int main(void) { return 0; }' | gcc -fsanitize=thread -x c - -o tsan 2>/dev/null && ./tsan; then
    check "random programs: what ThreadSanitizer sees race, locksets leave"
    count=6
    [ -z "${NIGHTLY:-}" ] || count=300
    said=$(python3 "$SRC/tests/scan/owners_random.py" --augur "$AUGUR" --count $count --seed 3) || fail "$said"
    ruled=$(sed -n 's/.*; \([0-9]*\) warnings ruled out.*/\1/p' <<<"$said")
    [ "${ruled:-0}" -gt 50 ] || fail "next to nothing is ruled out: $said"

    check "the same, with objects of the threads' own making and strings in members"
    count=4
    [ -z "${NIGHTLY:-}" ] || count=200
    said=$(python3 "$SRC/tests/scan/roots_random.py" --augur "$AUGUR" --count $count --seed 3) || fail "$said"

    check "the same, with structures that stay in a thread or get out in some way, and memory reached by several types"
    said=$(python3 "$SRC/tests/scan/private_random.py" --augur "$AUGUR" --count $count --seed 5) || fail "$said"
fi

check "what a thread made itself is its own, though points-to sets do not know (lower/roots.c)"
{
    echo '#include <pthread.h>'
    echo '#include <stdlib.h>'
    echo 'extern void strange(void *);'
    echo 'struct s { int a, b; } shared, *published;'
    echo 'static void touch(struct s *s) {'
    echo '    s->a++; // own'
    echo '}'
    echo 'static void *f(void *p) {'
    for i in {1..120}; do echo "    char b$i[8]; strange(b$i);"; done
    echo '    struct s local = {0}, *heap = malloc(sizeof *heap); strange(&local); strange(heap);'
    echo '    touch(&local); touch(heap);'
    echo '    heap->b = 1; // own'
    echo '    published->b = 2; // not'
    echo '    return p;'
    echo '}'
    echo 'int main(void) { pthread_t t; strange(&shared); published = &shared;'
    echo '    pthread_create(&t, 0, f, 0); f(0); return 0; }'
} >roots.c
run "$AUGUR" scan --no-replay --stages lockset --brief 0 roots.c
expect_status 1
for n in $(grep -n '// own' roots.c | cut -d: -f1); do
    grep -q "^R.*roots.c:$n, .*roots.c:$n$" <<<"$out" && fail "line $n with itself: $out"
done
n=$(grep -n '// not' roots.c | cut -d: -f1)
grep -q "^R.*writes at roots.c:$n, .*writes at roots.c:$n$" <<<"$out" || fail "line $n is lost: $out"
grep -q "missing: what 'strange', called at roots.c:[0-9]*, does to the memory that it is given" <<<"$out" || fail "no reason: $out"
[ "$(grep -c "missing: what 'strange'" <<<"$out")" -le 3 ] || fail "an unknown function is told more than once: $out"

check "structures that nobody else gets a pointer to are private, also past the pointers in them (lower/private.c)"
{
    echo '#include <pthread.h>'
    echo '#include <stdlib.h>'
    echo 'extern void strange(void *);'
    echo 'struct node { int id; struct node *next; } *published;'
    echo 'static void make(struct node **to, int id) {'
    echo '    struct node *n = calloc(1, sizeof *n);'
    echo '    n->id = id; // own'
    echo '    *to = n;'
    echo '#ifdef OUT'
    echo '    OUT'
    echo '#endif'
    echo '}'
    echo 'static int sum(struct node *n) {'
    echo '    int all = 0;'
    echo '    for (; n; n = n->next)'
    echo '        all += n->id++; // own'
    echo '    return all;'
    echo '}'
    echo 'static void *f(void *p) {'
    for i in {1..120}; do echo "    char b$i[8]; strange(b$i);"; done
    echo '    struct node first = {1, 0};'
    echo '    make(&first.next, 2);'
    echo '    make(&first.next->next, 3);'
    echo '    sum(&first);'
    echo '    published->id = 2; // not'
    echo '    if (p)'
    echo '        ((struct node *)p)->id = 3;'
    echo '    return p;'
    echo '}'
    echo 'int main(void) { pthread_t t; struct node shared = {0, 0}; strange(&shared); published = &shared;'
    echo '    pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }'
} >private.c
run "$AUGUR" scan --no-replay --stages lockset --brief 0 private.c
expect_status 1
for n in $(grep -n '// own' private.c | cut -d: -f1); do
    grep -q "^R.*private.c:$n\b" <<<"$out" && fail "line $n: $out"
done
n=$(grep -n '// not' private.c | cut -d: -f1)
grep -q "^R.*writes at private.c:$n, .*writes at private.c:$n$" <<<"$out" || fail "line $n is lost: $out"
n=$(grep -n '// own' private.c | tail -n 1 | cut -d: -f1)
for way in 'published = n;' 'published->next = n;' 'strange(n);' '__atomic_store_n(&published, n, 5);' \
    '__builtin_memcpy(&published, to, 8);' 'pthread_t t; pthread_create(&t, 0, f, n);'; do
    sed "s/^    OUT$/    ${way//&/\\&}/; s/^static void make/static void *f(void *); static void make/" private.c >out.c
    run "$AUGUR" scan --no-replay --stages lockset --brief 0 out.c -- -DOUT
    grep -q "^R.*out.c:$n\b" <<<"$out" || fail "$way: line $n is lost: $out"
done

check "memory that is not told from other memory is by its types; not with -fno-strict-aliasing (lower/typed.c)"
cat >typed.c <<'C'
#include <pthread.h>
struct master { long age; int reading, other; };
struct path { char *name; int *at; long length; int depth; };
struct twin { long age; int reading; };
extern struct master *master(void);
extern struct path *path(void);
static void *f(void *arg) {
    master()->reading = 1; // writes
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    path()->depth = 3; // apart
    path()->length = 4; // apart
    master()->other = 5; // apart
    master()->reading = 6; // race
    ((struct twin *)master())->reading = 7; // race
    *path()->at = 8; // race
    *path()->name = 9; // race
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset --brief 0 typed.c
expect_status 1
w=$(grep -n '// writes' typed.c | cut -d: -f1)
for n in $(grep -n '// apart' typed.c | cut -d: -f1); do
    grep -q "^R.*typed.c:$n, .*typed.c:$w$" <<<"$out" && fail "line $n: $out"
done
for n in $(grep -n '// race' typed.c | cut -d: -f1); do
    grep -q "^R.*typed.c:$n, .*typed.c:$w$" <<<"$out" || fail "line $n is lost: $out"
done
run "$AUGUR" scan --no-replay --stages lockset --brief 0 typed.c -- -fno-strict-aliasing
expect_status 1
for n in $(grep -n '// apart' typed.c | cut -d: -f1); do
    grep -q "^R.*typed.c:$n, .*typed.c:$w$" <<<"$out" || fail "no strict aliasing, line $n: $out"
done

check "a string in a member of fixed length ends there; what is written past it is not forgotten (lower/cell.c)"
cat >member.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static struct { char name[16]; int n; char past[8]; int m; } s;
struct s2 { char name[16]; int n; char past[8]; int m; } *p = (void *)&s;
static void *f(void *arg) {
    p->n++;
    p->m++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    printf("%zu", strlen(p->name));
    memset(p->past, 0, 12);
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset member.c
expect_status 1
grep -q "member.c:14" <<<"$out" && fail "strlen: $out"
grep -q "^R.*writes at member.c:15, .*writes at member.c:8$" <<<"$out" || fail "memset: $out"

check "system calls by their number: what they are given, and nothing behind it"
cat >raw.c <<'C'
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static char text[8], *kept = text;
static void *f(void *arg) {
    text[0] = 'x';
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    syscall(SYS_write, 1, CALLED, 8);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset raw.c -- -DCALLED='(char *)&kept'
expect_status 0
run "$AUGUR" scan --no-replay --stages lockset raw.c -- -DCALLED=text
expect_status 1
grep -q "race on 'text': main .* at raw.c:12, f.1 writes at raw.c:6" <<<"$out" || fail "$out"
sed 's/SYS_write/SYS_writev/' raw.c >deep.c
run "$AUGUR" scan --no-replay --stages lockset deep.c -- -DCALLED='(char *)&kept'
expect_status 1

check "n++ in two threads is one warning"
cat >once.c <<'C'
#include <pthread.h>
static int n;
static void *f(void *arg) { n++; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    n++;
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset once.c
[ "$(grep -c '^R[0-9]* ' <<<"$out")" = 1 ] || fail "$out"
grep -q "neither holds any at once.c:7 and once.c:3, and both threads may be alive" <<<"$out" || fail "$out"

check "assembler of another machine is skipped, and that is said"
cat >foreign.c <<'C'
#include <pthread.h>
static int n;
static void *f(void *arg) {
    unsigned long r = (unsigned long)arg;
    __asm__ volatile("no_such_instruction %1,%0" : "=m"(r) : "r"(r));
    n++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    n++;
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset foreign.c
expect_status 1
grep -q "race on 'n'" <<<"$out" || fail "no race: $out"
grep -q "assembler that does not compile for this machine is skipped in 'foreign.c'" <<<"$out" || fail "not said: $out"

check "calls without a declaration, as C once allowed them"
cat >old.c <<'C'
static int n;
void *f(void *arg) { n++; return arg; }
int main(void) {
    unsigned long t;
    pthread_create(&t, 0, f, 0);
    n++;
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset old.c
expect_status 1
grep -q "race on 'n'" <<<"$out" || fail "no race: $out"

check "a file that cannot be compiled is named, the others are scanned, and nothing is proved absent"
echo 'this is not C' >bad.c
run "$AUGUR" scan --no-replay --stages lockset old.c bad.c
expect_status 1
grep -q "left out: a file that cannot be read or compiled: 'bad.c'" <<<"$out" || fail "not said: $out"
sed -i '/    n++;/d' old.c
run "$AUGUR" scan --no-replay --svcomp --prop race old.c bad.c
[ "$out" = UNKNOWN ] || fail "$out"
run "$AUGUR" scan --no-replay --svcomp --prop race old.c
[ "$out" = TRUE ] || fail "$out"
run "$AUGUR" scan --no-replay bad.c
expect_status 2

check "a semaphore that somebody else posts is no lock; one that is handed on to no counted reader neither"
cat >posted.c <<'C'
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int n;
static void *f(void *arg) {
    sem_wait(&s);
    n++;
    sem_post(&s);
    return arg;
}
int main(void) {
    pthread_t t, u;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
#ifdef MORE
    sem_post(&s);
#endif
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race posted.c
[ "$out" = TRUE ] || fail "a binary semaphore is a lock: $out"
run "$AUGUR" scan --no-replay --svcomp --prop race posted.c -- -DMORE
[ "$out" != TRUE ] || fail "it has been posted twice: $out"

check "an object that is allocated for each thread is its own; one that two get is not"
cat >fresh.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct job { int from, done; char text[8]; };
static void *work(void *arg) {
    struct job *j = arg;
    j->done = j->from;
    for (int i = 0; i < 8; i++)
        j->text[i] = 0;
    free(j);
    return NULL;
}
int main(int argc, char **argv) {
    struct job *j = malloc(sizeof *j);
    (void)argv;
    for (int i = 0; i < argc + 4; i++) {
        pthread_t t;
#ifdef SOMETIMES
        if (i % 2)
#endif
#ifndef NEVER
            j = malloc(sizeof *j);
#endif
        j->from = i;
        pthread_create(&t, NULL, work, j);
#ifdef AFTER
        j->from = 0;
#endif
#ifdef TWICE
        pthread_create(&t, NULL, work, j);
#endif
    }
    pthread_exit(NULL);
}
C
run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race fresh.c
[ "$out" = TRUE ] || fail "each has its own: $out $err"
for slip in -DSOMETIMES -DNEVER -DAFTER -DTWICE; do
    run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race fresh.c -- "$slip"
    [ "$out" = UNKNOWN ] || fail "$slip: $out"
done

check "what is left names the fact that is missing"
run "$AUGUR" scan --no-replay --stages lockset "$SRC/examples/scan/farm.c"
grep -q "missing: that the two are never at one element of the array at a time" <<<"$out" || fail "of an array: $out"
grep -q "missing: a lock, or an order between the two: neither holds any" <<<"$out" || fail "of a variable: $out"
