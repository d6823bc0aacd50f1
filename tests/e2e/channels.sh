# Pipes, pairs of sockets and event counters between threads: what goes in comes out, in the recorded order, and
# what is predicted through them is exact. The programs: tests/claims/programs/channel_*.c. Their first line says
# what 'augur check' finds in their first run; 'right': nothing, in no run.
. "$(dirname "$0")/../e2e/lib.sh"

programs=$SRC/tests/claims/programs
for file in "$programs"/channel_*.c; do
    name=$(basename "$file" .c) truth=$(sed -n '1s,^//! ,,p' "$file")
    check "$name: $truth"
    augur_cc -g -O1 -pthread -Wno-unused-result "$file" -o "$name" || fail "cannot compile it"
    run "$AUGUR" record --quiet -o "$name.trace" "./$name"
    expect_status 0
    run "$AUGUR" check "$name.trace"
    if [ "$truth" = right ]; then
        expect_status 0
        expect_out '^0 findings'
    else
        expect_status 1
        expect_out "^$truth"
    fi
    run "$AUGUR" replay "$name.trace"
    expect_status 0
    [ "$truth" = right ] || continue
    for seed in 1 2 3 4; do
        run "$AUGUR" record --quiet --policy random --seed "$seed" -o s.trace "./$name"
        expect_status 0
        run "$AUGUR" check s.trace
        expect_status 0
        expect_out '^0 findings'
        run "$AUGUR" replay s.trace
        expect_status 0
    done
done

# The same holds of these; a replay of them is not sure (docs/limits.md).
for file in "$programs"/full_*.c; do
    name=$(basename "$file" .c)
    check "$name: right"
    augur_cc -g -O1 -pthread -Wno-unused-result "$file" -o "$name" || fail "cannot compile it"
    for policy in os random; do
        run "$AUGUR" record --quiet --policy "$policy" -o "$name.trace" "./$name"
        expect_status 0
        run "$AUGUR" check "$name.trace"
        expect_status 0
        expect_out '^0 findings'
    done
done

check "the order of two senders is an assumption: nothing is covered"
cat >tell.c <<'C'
#include <pthread.h>
#include <unistd.h>
static int p[2];
static void *one(void *a) {
    return write(p[1], a, 1) == 1 ? a : 0;
}
int main(void) {
    pthread_t a, b;
    char c = 0;
    if (pipe(p))
        return 1;
    pthread_create(&a, 0, one, "A");
    pthread_create(&b, 0, one, "B");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return read(p[0], &c, 1) != 1 || c != 'A';
}
C
augur_cc -g -O1 -pthread tell.c -o tell
run "$AUGUR" explore ./tell
expect_out 'Not every interleaving of this input was covered: .*the order in which threads send and receive'

check "one sender, one receiver that asks for as much: no order of messages is assumed"
cat >ask.c <<'C'
#include <pthread.h>
#include <unistd.h>
static int p[2];
static void *one(void *a) {
    return write(p[1], a, 1) == 1 && write(p[1], a, 1) == 1 ? a : 0;
}
int main(void) {
    pthread_t a;
    char c[2];
    if (pipe(p))
        return 1;
    pthread_create(&a, 0, one, "A");
    pthread_join(a, 0);
    return read(p[0], c, 2) != 2;
}
C
augur_cc -g -O1 -pthread ask.c -o ask
run "$AUGUR" explore ./ask
expect_out '^0 findings'

check "what is shown by 'write' is not held to its value, what comes back is"
cat >pinned.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int x;
static void *one(void *a) {
    x = 1;
    return a;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, one, 0);
    int v = x;
    write(1, &v, sizeof v);
    assert(v == 0);
    pthread_join(a, 0);
    return 0;
}
C
augur_cc -g -O1 -pthread -Wno-unused-result pinned.c -o pinned
run "$AUGUR" record --quiet -o pinned.trace ./pinned
run "$AUGUR" check pinned.trace
expect_out "^A1 proved  assertion 'v == 0' fails"
