#!/usr/bin/env bash
# augur scan: locks in objects that stand for several (src/lower/path.c). What they protect is not told, and
# nothing else is lost.
. "$(dirname "$0")/lib.sh"

programs=$SRC/tests/scan
scan() { # STATUS ARGUMENT...
    local want=$1
    shift
    run timeout 1200 "$AUGUR" scan -j 2 "$@"
    expect_status "$want"
}
# lines of the races that are told
told() { grep -E '^R[0-9]+ ' <<<"$out" | sed "s/.*': //" | grep -oE 'paths\.c:[0-9]+' | cut -d: -f2 | sort -u; }
# marked WORD
marked() { grep -n "/\* $1" "$programs/paths.c" | cut -d: -f1 | sort -u; }

check "every race under the wrong lock, or none, is told"
scan 1 --prop race --stages lockset --no-replay --brief 100000 "$programs/paths.c"
expect_true "there are many" test "$(marked RACE | wc -l)" -ge 30
lost=$(comm -13 <(told) <(marked RACE))
[ -z "$lost" ] || fail "not told: lines $(echo $lost)"
check "what the lock of the same object protects is not"
expect_true "there are many" test "$(marked SAFE | wc -l)" -ge 25
bogus=$(comm -12 <(told) <(marked SAFE))
[ -z "$bogus" ] || fail "told: lines $(echo $bogus)"
check "the same with one copy of each function: a race stays one"
scan 1 --prop race --stages lockset --no-replay --brief 100000 --inline 1 "$programs/paths.c"
lost=$(comm -13 <(told) <(marked RACE))
[ -z "$lost" ] || fail "not told: lines $(echo $lost)"

check "locks that are not in the model: no proof of a race through them …"
cat >one.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t m; };
static struct node *list[99];
static int x;
static void *work(void *a) {
    struct node *p = a;
    pthread_mutex_lock(&p->m);
    x++;
    pthread_mutex_unlock(&p->m);
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t, u;
    (void)argv;
    for (int i = 0; i < argc; i++) {
        list[i] = malloc(sizeof *list[i]);
        if (!list[i]) return 1;
        pthread_mutex_init(&list[i]->m, 0);
    }
    pthread_create(&t, 0, work, list[0]);
    pthread_create(&u, 0, work, list[0]);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
C
scan 3 --svcomp --prop race one.c
expect_out '^UNKNOWN$'
check "… and none that there is no deadlock"
cat >two.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t b[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *one(void *a) {
    int i = rand() & 1;
    pthread_mutex_lock(&b[i]);
    pthread_mutex_lock(&b[1 - i]);
    pthread_mutex_unlock(&b[1 - i]);
    pthread_mutex_unlock(&b[i]);
    return a;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, one, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
C
scan 3 --svcomp --prop deadlock two.c
expect_out '^UNKNOWN$'

# Random ones, executed by the script that makes them. Inlined; and with one copy of each function, few at a time: all lists are
# one object then, and of a variable with too many pairs of lines each line is told only once.
random_program() { # SEED FUNCTIONS INLINE QUIET: at least so many pairs are ruled out
    check "random program $1: no race is lost"
    python3 "$programs/paths_random.py" make "$1" "$2" >r.c
    scan 1 --prop race --stages lockset --no-replay --brief 100000 --inline "$3" r.c
    said=$(python3 "$programs/paths_random.py" judge "$1" "$2" <<<"$out") || fail "$said"
    [ "${said%% *}" -ge "$4" ] || fail "next to nothing is ruled out: $said"
}
inlined="1 2" shared=3
[ -z "$SANITIZED" ] || inlined=1
[ -z "${NIGHTLY:-}" ] || { inlined=$(seq 1 60) shared=$(seq 100 160); }
for seed in $inlined; do random_program "$seed" 30 20000 10; done
for seed in $shared; do random_program "$seed" 4 1 0; done

if [ -n "$SANITIZED" ]; then
    check "executed"
    skip "too slow with sanitizers"
    exit
fi
check "the lock of the node before: the program does it"
scan 1 --prop race --domain box --graph-timeout 5 --timeout 60 "$programs/heap.c"
[ "$(grep -c '^R[0-9]* confirmed ' <<<"$out")" = 1 ] || fail "not confirmed"
[ "$(grep -c '^R[0-9]* ' <<<"$out")" = 1 ] || fail "more than this"
check "hand over hand: nothing is left"
scan 0 --prop race "$programs/heap.c" -- -DRIGHT
