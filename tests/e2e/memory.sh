#!/usr/bin/env bash
# Errors of memory that nobody asserted, in the other interleavings of programs that race nowhere: found by default, of kind
# 'memory' with a detail, or 'use-after-free'; right twins have none.
. "$(dirname "$0")/lib.sh"

# program NAME <source; also its right twin, NAME-right
program() {
    { printf '#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n'; cat; } >"$1.c"
    "$AUGUR" cc -g -O1 -pthread "$1.c" -o "$1" || fail "$1.c does not compile"
    "$AUGUR" cc -g -O1 -pthread -DRIGHT "$1.c" -o "$1-right" || fail "$1.c does not compile with -DRIGHT"
}
body='int main(void) { BEGIN pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }'
program null <<C
#define BEGIN
static int v = 4, *p, sum;
static void *one(void *x) { pthread_mutex_lock(&m); p = &v; pthread_mutex_unlock(&m); return x; }
#ifdef RIGHT
static void *two(void *x) { pthread_mutex_lock(&m); if (p) sum += *p; pthread_mutex_unlock(&m); return x; }
#else
static void *two(void *x) { pthread_mutex_lock(&m); sum += *p; pthread_mutex_unlock(&m); return x; }
#endif
$body
C
program div <<C
#define BEGIN
static int n, average;
static void *one(void *x) { pthread_mutex_lock(&m); n = 2; pthread_mutex_unlock(&m); return x; }
#ifdef RIGHT
static void *two(void *x) { pthread_mutex_lock(&m); average = n ? 10 / n : 0; pthread_mutex_unlock(&m); return x; }
#else
static void *two(void *x) { pthread_mutex_lock(&m); average = 10 / n; pthread_mutex_unlock(&m); return x; }
#endif
$body
C
program bounds <<C
#define BEGIN
static int n, table[4];
#ifdef RIGHT
static void *one(void *x) { pthread_mutex_lock(&m); int i = n; if (i + 2 < 4) table[i + 2] = 1; pthread_mutex_unlock(&m); return x; }
#else
static void *one(void *x) { pthread_mutex_lock(&m); int i = n; table[i + 2] = 1; pthread_mutex_unlock(&m); return x; }
#endif
static void *two(void *x) { pthread_mutex_lock(&m); n += 3; pthread_mutex_unlock(&m); return x; }
$body
C
program uaf <<C
#define BEGIN p = malloc(4); *p = 3;
static int *p, sum;
#ifdef RIGHT
static void *one(void *x) { pthread_mutex_lock(&m); if (p) sum += *p; pthread_mutex_unlock(&m); return x; }
#else
static void *one(void *x) { pthread_mutex_lock(&m); int *q = p; pthread_mutex_unlock(&m); if (q) { pthread_mutex_lock(&m); sum += *q; pthread_mutex_unlock(&m); } return x; }
#endif
static void *two(void *x) { pthread_mutex_lock(&m); free(p); p = NULL; pthread_mutex_unlock(&m); return x; }
$body
C

while read -r name kind detail standing; do
    check "$name: $kind, $detail, $standing; the right one has none"
    run "$AUGUR" run --prop memory --format json ./"$name"
    expect_status 1
    expect_out "\"kind\": \"$kind\""
    expect_out "\"also\": \"assertion\""
    expect_out "\"detail\": \"$detail\""
    expect_out "\"status\": \"$standing\""
    run "$AUGUR" run --prop memory ./"$name"-right
    expect_out "^0 findings"
done <<'LIST'
null memory null confirmed
div memory div confirmed
bounds memory bounds proved
uaf use-after-free uaf confirmed
LIST

check "by default, and by explore; --checks none looks for none"
run "$AUGUR" run ./bounds
expect_status 1
expect_out "^A1 proved  index outside its object: T1 at bounds.c:.*, with n = 3"
run "$AUGUR" explore ./bounds
expect_status 1
expect_out "^A1 proved  index outside its object"
run "$AUGUR" run --checks none ./bounds
expect_status 0
expect_out "^0 findings"

check "--prop memory tells no other race and no other assertion"
cat >other.c <<'C'
#include <assert.h>
#include <pthread.h>
static int x;
static void *one(void *p) { x = 1; return p; }
static void *two(void *p) { assert(x < 2); x = 2; return p; }
int main(void) { pthread_t a, b; pthread_create(&b, 0, two, 0); pthread_create(&a, 0, one, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
C
augur_cc -g -O1 -pthread other.c -o other
run "$AUGUR" run --prop memory ./other
expect_out "^0 findings"
