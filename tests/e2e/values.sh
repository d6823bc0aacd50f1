# A race that needs a read to see another value than in the run: whoever keeps values calls it
# impossible, the program can do it.
. "$(dirname "$0")/../e2e/lib.sh"

cat >other.c <<'C'
#include <pthread.h>
static int x, flag;
static void *first(void *p) {
    x = 1;
    flag = 1;
    return p;
}
static void *second(void *p) {
    if (flag >= 1)
        x = 2;
    return p;
}
static void *third(void *p) {
    flag = 2;
    return p;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_create(&t[2], 0, third, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}
C
run "$AUGUR" cc -g other.c -o other -pthread
expect_status 0
run "$AUGUR" record --quiet -o other.trace ./other
expect_status 0

check "no stage before the exact one keeps the value of 'flag'"
run "$AUGUR" check --prop race other.trace
expect_status 1
expect_out "proved  race on 'x': T1 writes at other.c:4, T2 writes at other.c:10"

check "… and the program does it"
id=$(grep "race on 'x'" "$TMP/.lib/out" | cut -d' ' -f1)
run "$AUGUR" replay --finding "$id" other.trace
expect_out "^confirmed: $id: race on 'x'"

check "with every value kept it cannot happen"
run "$AUGUR" check --prop race --model mcm other.trace
expect_status 1
! grep -q "race on 'x'" "$TMP/.lib/out" || fail "$(grep "race on 'x'" "$TMP/.lib/out")"
