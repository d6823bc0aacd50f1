#!/usr/bin/env bash
# What the static half knows of values and locks that a program makes itself: what main's thread stored in a global
# (lower/forward.c), code that comes again by longjmp (lower/index.c), counts of readers and writers under a mutex (tsg/counted.h); and
# assembler that only computes (llvm/asm_read.c).
. "$(dirname "$0")/lib.sh"

check "what main's thread has stored in a global is what it finds there"
cat >two.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct work { int from, done; };
static struct work *table;
static void *watch(void *arg) {
    return table ? (void *)(long)table->from : arg;
}
static void *run(void *arg) {
    ((struct work *)arg)->done = 1;
    return arg;
}
static void anew(pthread_t *t) {
    table = malloc(sizeof *table);
    table->from = 1;
    pthread_create(t, 0, run, table);
}
static void again(pthread_t *t) {
    table = malloc(sizeof *table);
    table->from = 2;
    pthread_create(t, 0, run, table);
}
int main(int argc, char **argv) {
    pthread_t w, t;
    pthread_create(&w, 0, watch, argv);
    if (argc > 1)
        anew(&t);
    else
        again(&t);
    table->done = 3;
    return 0;
}
C
left() { # file lines: how many warnings of memory that is allocated in line $2 name line $3
    grep -c "race on 'memory allocated at $1:$2.*$1:$3\b" <<<"$out" || true
}
run "$AUGUR" scan --no-replay --stages lockset two.c
expect_status 1
[ "$(left two.c 13 14)" = 1 ] && [ "$(left two.c 18 19)" = 1 ] || fail "a race of the watcher is lost: $out"
[ "$(left two.c 13 19)" = 0 ] && [ "$(left two.c 18 14)" = 0 ] || fail "objects of the other function: $out"
[ "$(left two.c 13 29)" = 1 ] && [ "$(left two.c 18 29)" = 1 ] || fail "main may have either: $out"

check "… not if another thread stores it, if somebody has its address, or a function between stores it"
sed 's/((struct work \*)arg)->done = 1;/& if (table->done) again(0);/; s/^static void \*run/static void again(pthread_t *t);\n&/' two.c >other.c
run "$AUGUR" scan --no-replay --stages lockset other.c
[ "$(grep -c "race on 'memory allocated at other.c:19.*other.c:15\b" <<<"$out")" != 0 ] || fail "another thread stores: $out"
sed 's/^static void anew/static struct work **where = \&table;\n&/; s/table->from = 1/*where = *where; &/' two.c >address.c
run "$AUGUR" scan --no-replay --stages lockset address.c
[ "$(grep -c "race on 'memory allocated at address.c:19.*address.c:15\b" <<<"$out")" != 0 ] || fail "by its address: $out"
sed 's/^static void anew/static void again(pthread_t *t);\n&/; s/table->from = 1/again(t); &/' two.c >between.c
run "$AUGUR" scan --no-replay --stages lockset between.c
[ "$(grep -c "race on 'memory allocated at between.c:19.*between.c:15\b" <<<"$out")" != 0 ] || fail "called between: $out"

check "what a longjmp leads back to may happen twice"
cat >jump.c <<'C'
#include <pthread.h>
#include <setjmp.h>
static int first;
static jmp_buf back;
static int tries;
static void *work(void *arg) {
    ++*(int *)arg;
    return 0;
}
int main(void) {
    pthread_t t;
    if (setjmp(back))
        tries++;
    pthread_create(&t, 0, work, &first);
    if (!tries)
        longjmp(back, 1);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset jump.c
expect_status 1
grep -q "race on 'first': work.1 .*jump.c:7, work.2 .*jump.c:7" <<<"$out" || fail "$out"
sed 's/if (setjmp(back))/& return 0; else if (0)/' jump.c >away.c
run "$AUGUR" scan --no-replay --stages lockset away.c
expect_status 0
! grep -q "race on" <<<"$out" || fail "$out"

check "counts of readers and writers under a mutex are a lock"
cat >own.c <<'C'
#include <pthread.h>
struct own { int readers, writers; pthread_mutex_t m; pthread_cond_t c; };
static struct own own = {.m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER};
static int data, other;
static void rlock(struct own *l) {
    pthread_mutex_lock(&l->m);
    while (l->writers)
        pthread_cond_wait(&l->c, &l->m);
    l->readers++;
    pthread_mutex_unlock(&l->m);
}
static void wlock(struct own *l) {
    pthread_mutex_lock(&l->m);
    while (l->writers || l->readers > 0)
        pthread_cond_wait(&l->c, &l->m);
    l->writers = 1;
    pthread_mutex_unlock(&l->m);
}
static void runlock(struct own *l) {
    pthread_mutex_lock(&l->m);
    if (--l->readers == 0)
        pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}
static void wunlock(struct own *l) {
    pthread_mutex_lock(&l->m);
    l->writers = 0;
    pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}
static void again(int n) {
    rlock(&own);
    other += data; // two readers
    runlock(&own);
    if (n)
        again(n - 1);
}
static void *w(void *a) {
    for (;;) {
        wlock(&own);
        again_writing
        data++;
        wunlock(&own);
    }
    return a;
}
static void *r(void *a) {
    rlock(&own);
    again_reading
    long sum = data;
    runlock(&own);
    again(a != 0);
    return (void *)sum;
}
int main(void) {
    pthread_t t;
    own.readers = 0;
    own.writers = 0;
    for (;;) {
        pthread_create(&t, 0, w, 0);
        pthread_create(&t, 0, r, &own);
    }
}
C
own() { # name script: races of own.c when sed's script was applied to it
    sed "$2" own.c | sed 's/again_[a-z]*//' >"$1.c"
    run "$AUGUR" scan --no-replay --stages lockset "$1.c"
    grep '^R[0-9]* ' <<<"$out" || true
}
[ "$(own good '' | grep -c .)" = 1 ] || fail "$out"
own good '' | grep -q "'other'.*good.c:33.*good.c:33" || fail "two readers are no race: $out"

check "… not if it is not looked at, looked at once, given by who does not have it, set without the mutex, set to 0 too late"
own blind 's/while (l->writers || l->readers > 0)/while (l->writers)/' | grep -q "'data'" || fail "$out"
own once 's/while (l->writers)/if (l->writers)/' | grep -q "'data'" || fail "$out"
own given 's/again_reading/if (!a) runlock(\&own);/' | grep -q "'data'" || fail "$out"
own taken 's/again_writing/if (data == 7) wunlock(\&own);/' | grep -q "'data'" || fail "$out"
own bare 's/again_writing/own.writers = 0;/' | grep -q "'data'" || fail "$out"
own late 's/pthread_create(&t, 0, r, &own);/& own.readers = 0;/' | grep -q "'data'" || fail "$out"
own two 's/l->writers = 1;/l->writers = 2;/' | grep -q "'data'" || fail "$out"
own narrow 's/int readers, writers/unsigned char readers, writers/' | grep -q "'data'" || fail "$out"

check "… and is one in functions of which a thread has one copy for several calls"
[ "$(own flag 's/ || l->readers > 0//; s/while (l->writers)$/while (l->writers != 0)/; s/rlock(&own)/wlock(\&own)/; s/runlock(&own)/wunlock(\&own)/; s/int readers, writers/int readers; _Bool writers/' | grep -c .)" = 0 ] ||
    fail "$out"

check "assembler that only computes with registers touches no memory; other assembler is left out"
cat >clock.c <<'C'
#include <pthread.h>
#include <stdio.h>
static unsigned long begun;
static char text[40];
static void *tell(void *arg) {
    unsigned low, high;
    unsigned short word = 7;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    __asm__("rorw $8, %w0" : "=r"(word) : "0"(word) : "cc");
    printf("%lu %d\n", ((unsigned long)high << 32 | low) - begun, word);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, tell, text);
    text[0] = 1;
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset clock.c
expect_status 0
! grep -q "left out" <<<"$out" || fail "$out"
sed 's/"rdtsc" : "=a"(low), "=d"(high)/"movl $1, (%2); rdtsc" : "=a"(low), "=d"(high) : "r"(arg)/' clock.c >poke.c
run "$AUGUR" scan --no-replay --stages lockset poke.c
expect_status 1
grep -q "left out: inline assembler" <<<"$out" || fail "$out"
grep -q "race on 'text'" <<<"$out" || fail "what the assembler may write: $out"

check "objects that a thread makes and that hold numbers and pointers to themselves are its own"
cat >huge.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct huge { long size; unsigned *d; };
extern void outside(struct huge **p);
static struct huge *kept;
static struct huge *make(int size) {
    struct huge *h = malloc(sizeof *h + size * sizeof(unsigned));
    h->d = (unsigned *)(h + 1);
    h->size = size;
    memset(h->d, 0, size * sizeof(unsigned));
    return h;
}
static int parts(struct huge *a, struct huge **low, struct huge **high) {
    if (a->size < 2)
        return -1;
    *low = make((int)a->size / 2);
    *high = make((int)a->size - 3);
    (*low)->d[0] = a->d[0];
    return 0;
}
static struct huge *grow(struct huge *a, int n) {
    struct huge *low, *high;
    if (parts(a, &low, &high))
        return a;
    for (int i = 0; i < n; i++) {
        struct huge *next = make((int)high->size + i);
        next->d[i] = low->d[0] + high->d[i];
        next->size = next->size * 3 % 17;
        high = next;
    }
    return high;
}
static void *work(void *arg) {
    struct huge *all[40];
    for (int i = 0; i < 40; i++)
        all[i] = grow(make(i), 9);
    long sum = 0;
    for (int i = 0; i < 40; i++)
        sum += all[i]->size + all[i]->d[0];
    return arg ? (void *)sum : 0;
}
int main(void) {
    pthread_t t[2];
    outside(&kept);
    pthread_create(&t[0], 0, work, 0);
    pthread_create(&t[1], 0, work, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset huge.c
expect_status 3
! grep -q "race on" <<<"$out" || fail "$out"
sed 's/high = next;/& if (i == 5) kept = high;/; s/long sum = 0;/& if (kept) kept->size++;/' huge.c >shared.c
run "$AUGUR" scan --no-replay --stages lockset shared.c
expect_status 1
grep -q "race on 'memory .*shared.c:38" <<<"$out" || fail "an object that is kept where others find it: $out"

check "what is left has a witness, or the one fact that is missing is named: races, assertions, deadlocks"
cat >open.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int count, limit;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    assert(count <= limit);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    if (atoi(arg) == 3)
        count++;
    return arg;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, 0, work, argv[argc - 1]);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    count = 0;
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return 0;
}
C
for stages in lockset solver; do
    run "$AUGUR" scan --no-replay --prop race,assert,deadlock --stages $stages --budget 10 --format json open.c
    expect_status 1
    python3 -c '
import json, sys
left = [f for f in json.loads(sys.argv[1])["findings"] if f["status"] == "possible"]
bare = [f for f in left if "missing: " not in f["reason"]]
sys.exit(f"{bare}" if bare else 0 if left or sys.argv[2] != "lockset" else "nothing is left")' "$out" $stages 2>said ||
        fail "$stages: $(cat said)"
done

if [ -z "$SANITIZED" ] && echo 'int main(void) { return 0; }' | gcc -fsanitize=thread -x c - -o tsan 2>/dev/null && ./tsan; then
    check "random programs that store in globals: what ThreadSanitizer sees race, locksets leave"
    count=8
    [ -z "${NIGHTLY:-}" ] || count=300
    said=$(python3 "$SRC/tests/scan/forward_random.py" --augur "$AUGUR" --count $count --seed 5) || fail "$said"
    raced=$(sed -n 's/.* programs, \([0-9]*\) pairs.*/\1/p' <<<"$said")
    [ "${raced:-0}" -gt 5 ] || fail "next to nothing raced: $said"

    check "random programs with locks of their own: what ThreadSanitizer sees race, locksets leave"
    count=8
    [ -z "${NIGHTLY:-}" ] || count=300
    said=$(python3 "$SRC/tests/scan/counted_random.py" --augur "$AUGUR" --count $count --seed 2) || fail "$said"
    ruled=$(sed -n 's/.*; \([0-9]*\) warnings ruled out.*/\1/p' <<<"$said")
    [ "${ruled:-0}" -gt 30 ] || fail "next to nothing is ruled out: $said"
fi
