# Threads that talk to each other through the kernel: who reads what another one wrote comes after.
. "$(dirname "$0")/../e2e/lib.sh"

cat >pipe.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int x, ends[2];
static void *writer(void *a) {
#ifndef LATE
    x = 1;
#endif
    if (write(ends[1], "a", 1) != 1)
        return 0;
#ifdef LATE
    x = 1;
#endif
    return a;
}
static void *reader(void *a) {
    char c;
    if (read(ends[0], &c, 1) != 1)
        return 0;
    assert(x == 1);
    return a;
}
int main(void) {
    pthread_t a, b;
    if (pipe(ends))
        return 1;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
C
check "what was written into a pipe comes before who reads it"
run "$AUGUR" cc -g pipe.c -o right -pthread
run "$AUGUR" record --quiet -o right.trace ./right
expect_status 0
run "$AUGUR" check right.trace
expect_status 0
expect_out '^0 findings'

check "what comes after the write does not"
run "$AUGUR" cc -g -DLATE pipe.c -o late -pthread
run "$AUGUR" record --quiet -o late.trace ./late
expect_status 0
run "$AUGUR" check late.trace
expect_status 1
expect_out "^R1 proved  race on 'x'"
expect_out "^A1 proved  assertion 'x == 1' fails"
for id in R1 A1; do
    run "$AUGUR" replay --finding "$id" late.trace
    expect_out "^confirmed: $id:"
done

check "output alone orders nobody"
cat >out.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int x;
static void *one(void *a) {
    x = 1;
    puts("one");
    return a;
}
static void *two(void *a) {
    puts("two");
    x = 2;
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
C
run "$AUGUR" cc -g out.c -o out -pthread
run "$AUGUR" record --quiet -o out.trace ./out
run "$AUGUR" check --prop race out.trace
expect_status 1
expect_out "^R1 proved  race on 'x'"
