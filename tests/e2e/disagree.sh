# A program that goes another way than was proved: the finding is possible, it is counted, and is no failure by itself.
. "$(dirname "$0")/../e2e/lib.sh"

# The first execution removes a file; every later one takes another way because of it. No model knows that.
cat >once.c <<'C'
#include <pthread.h>
#include <unistd.h>
static int x;
static void *one(void *a) {
    int first = *(int *)a;
    if (first)
        x = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    int first = !unlink("flag");
    pthread_create(&a, 0, one, &first);
    pthread_create(&b, 0, one, &first);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
augur_cc -g -O1 -pthread once.c -o once

check "what the program contradicts is no more than possible"
touch flag
run "$AUGUR" run --no-explore ./once
expect_status 3
expect_out "^R1 possible  race on 'x'"
expect_out 'model and program disagree: it was proved, but the program went another way'
expect_out 'replay diverged: '
expect_out '^model and program disagree: 1 execution went another way than was proved'

check "the count is in the JSON, and the store keeps what was said"
touch flag
run "$AUGUR" run --no-explore --format json -o once.json ./once
expect_status 3
expect_true "the count" grep -q '"disagreements": 1' once.json
expect_true "the finding" grep -q '"outcome": "diverged".*"disagrees": true' once.json
expect_true "its status" grep -q '"status": "possible"' once.json
run "$AUGUR" list --status proved
expect_out '^no such findings$'

check "JUnit: skipped, as the exit status says"
touch flag
run "$AUGUR" run --no-explore --format junit -o once.xml ./once
expect_status 3
expect_true "skipped" grep -q '<skipped message="model and program disagree' once.xml
expect_true "no failure" grep -q 'failures="0"' once.xml

check "a suppressed one does not count"
touch flag
echo 'race:one' >known
run "$AUGUR" run --no-explore --suppressions known ./once
expect_status 0

check "where the program can do it, it is confirmed, and nothing is counted"
touch flag
run "$AUGUR" run --sandbox --no-explore --format json -o sandbox.json ./once
expect_status 1
expect_true "confirmed" grep -q '"status": "confirmed"' sandbox.json
expect_true "the count is 0" grep -q '"disagreements": 0' sandbox.json

check "an execution that takes too long contradicts nothing"
cat >slow.c <<'C'
#include <pthread.h>
#include <unistd.h>
static int x;
static void *one(void *a) {
    x++;
    return a;
}
int main(void) {
    pthread_t a, b;
    if (unlink("slow"))
        for (;;)
            pause();
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, one, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
augur_cc -g -O1 -pthread slow.c -o slow_program
touch slow
run "$AUGUR" run --no-explore --run-timeout 0.5 --most 1 --prop race ./slow_program
expect_status 1
expect_out "^R1 proved  race on 'x'"
expect_out 'the program did not end within 0.5 s'
expect_true "nothing is counted" test "$(grep -c disagree .lib/out)" -eq 0

check "who comes first to a once initialises: nobody waits for a thread that has not come"
cat >once.c <<'C'
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void begin(void) {
    x++;
}
static void *both(void *a) {
    pthread_mutex_lock(&m);
    pthread_once(&once, begin);
    y += x;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, both, 0);
    pthread_create(&t[1], 0, both, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return y != 2;
}
C
augur_cc -g -pthread once.c -o once
run "$AUGUR" record --quiet -o once.trace ./once
expect_status 0
run "$AUGUR" check once.trace
expect_out '^0 findings'
run "$AUGUR" run ./once
expect_out '^0 findings'

check "one that a thread waits for while another initialises is found"
cat >dead.c <<'C'
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void begin(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void *one(void *a) {
    pthread_once(&once, begin);
    return a;
}
static void *two(void *a) {
    pthread_mutex_lock(&m);
    pthread_once(&once, begin);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
C
augur_cc -g -pthread dead.c -o dead
run "$AUGUR" record --quiet -o dead.trace ./dead
run "$AUGUR" check dead.trace
expect_out '^D1 proved'
run "$AUGUR" run ./dead
expect_status 1
expect_out '^D1 confirmed'

check "a clock under a lock: no proof by recorded answers, and no failure of 'augur run'"
cat >clock.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long stamp;
static void *one(void *a) {
    struct timespec now;
    pthread_mutex_lock(&m);
    clock_gettime(CLOCK_MONOTONIC, &now);
    long t = now.tv_sec * 1000000000L + now.tv_nsec;
    assert(t >= stamp);
    stamp = t;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
C
augur_cc -g -pthread clock.c -o clock
run "$AUGUR" record --quiet -o clock.trace ./clock
run "$AUGUR" check clock.trace
expect_out '^A1 possible'
expect_out 'may get other answers'
run "$AUGUR" run ./clock
expect_status 3
expect_out '^A1 possible'
expect_true "nothing is counted" test "$(grep -c disagree .lib/out)" -eq 0
