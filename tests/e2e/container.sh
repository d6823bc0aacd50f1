#!/usr/bin/env bash
# What containers and limits take away: it works, or says what is lost; 'augur doctor' checks each.
. "$(dirname "$0")/lib.sh"

cat >hits.c <<'END_C'
#include <pthread.h>
int hits;
static void *work(void *p) {
    hits++;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END_C
"$AUGUR" cc -g -O1 -pthread hits.c -o hits

# Runs with a limit of addresses that nobody may lift.
hard() {
    without=
    setpriv --bounding-set=-sys_resource true 2>/dev/null && without='setpriv --bounding-set=-sys_resource'
    # shellcheck disable=SC2086
    (ulimit -v 20000000 && exec $without "$@")
}
soft() {
    (ulimit -Sv 20000000 && exec "$@")
}

check "ulimit -v: a soft limit is lifted for recorded programs"
if [ -n "$SANITIZED" ]; then
    skip "the sanitizers need addresses themselves"
else
    run soft "$AUGUR" run --store a --budget 10 ./hits
    expect_status 1
    expect_out "R1 confirmed  race on 'hits'"
    run soft "$AUGUR" test --store b --budget 10 ./hits
    expect_status 1
    expect_err '1 process recorded'
    run soft "$AUGUR" doctor
    expect_status 0
    expect_out "ok +addresses +'ulimit -v' is 19531 MiB, and can be lifted"
fi

check "ulimit -v: a hard limit is said, and the suite goes on without recording"
if [ -n "$SANITIZED" ]; then
    skip "the sanitizers need addresses themselves"
else
    run hard "$AUGUR" run --store c ./hits
    expect_status 2
    expect_err "cannot reserve the shadow memory .*'ulimit -v'"
    run hard "$AUGUR" test --store d sh -c './hits && echo fine'
    expect_status 3
    expect_out '^fine$'
    expect_err "'hits' is not recorded: cannot reserve the shadow memory"
    expect_true "the suite does not fail" test "$(grep -c 'fails only when' .lib/err)" -eq 0
    run hard "$AUGUR" doctor
    expect_out "missing +addresses +'ulimit -v' is 19531 MiB"
    expect_out 'nothing can be recorded: programs need 19 TiB of addresses'
fi

check "doctor: places to write, shared memory, control groups, filters"
run env TMPDIR=/nonexistent "$AUGUR" doctor
expect_status 0
expect_out "warn +temporary +cannot write in '/nonexistent'"
expect_out "or name one in TMPDIR"
run "$AUGUR" doctor
expect_out 'ok +memfd '
expect_out ' cgroup '
expect_out ' seccomp '
