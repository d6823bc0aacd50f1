#!/usr/bin/env bash
# A recording is data: what it says is not done, loaded or read because it says so (docs/replay.md).
. "$(dirname "$0")/lib.sh"

mkdir -p work secret
cd work || exit 1
cat >race.c <<'C'
#include <pthread.h>
static int n;
static void *f(void *p) { n++; return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    n--;
    pthread_join(t, 0);
    return 0;
}
C
"$AUGUR" cc -g race.c -o race || exit 1
cat >other.c <<'C'
#include <stdio.h>
int main(void) { FILE *f = fopen("other-ran", "w"); return f ? fclose(f) : 1; }
C
"$AUGUR" cc -g other.c -o other || exit 1
cat >evil.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void run(void) {
    const char *name = getenv("MARK");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (f)
        fclose(f);
}
C
cc -shared -fPIC evil.c -o evil.so || exit 1

check "recordings are for their owner only, and so is the store"
umask 022
run "$AUGUR" record -o plain.trace ./race
expect_status 0
[ "$(stat -c %a plain.trace)" = 600 ] || fail "a recording is $(stat -c %a plain.trace)"
run "$AUGUR" run --store st ./race
[ "$(stat -c %a st)" = 700 ] || fail "the store is $(stat -c %a st)"
for trace in st/runs/*/*.trace; do
    [ "$(stat -c %a "$trace")" = 600 ] || fail "$trace is $(stat -c %a "$trace")"
done

check "code that a recording names is not loaded"
run "$AUGUR" record --env LD_PRELOAD="$PWD/evil.so" --env MARK="$PWD/mark" -o evil.trace ./race
[ -e mark ] || fail "it is not even loaded when the user asks for it"
echo whole >mark # it is emptied by who loads it; a file that an execution makes would be removed
run "$AUGUR" replay evil.trace
[ -s mark ] || fail "a replay loaded it"
run "$AUGUR" check --prop race --format json -o evil.json evil.trace
run "$AUGUR" replay evil.trace --findings evil.json --finding R1
[ -s mark ] || fail "the replay of a finding loaded it"
check "… unless the user wants it as well"
run env LD_PRELOAD="$PWD/evil.so" "$AUGUR" replay evil.trace
expect_status 0
[ ! -s mark ] || fail "it was not loaded"
check "… or gave it to this very command"
rm -f mark
run "$AUGUR" run --store st2 --env LD_PRELOAD="$PWD/evil.so" --env MARK="$PWD/mark" ./race
[ -e mark ] || fail "it was not loaded"
expect_out "confirmed  race on 'n'"

check "a program that the recording is not of is not started"
ln -sf race link
run "$AUGUR" record -o link.trace ./link
expect_status 0
ln -sf other link
run "$AUGUR" replay link.trace
expect_status 2
expect_err "not the program that it is of"
[ ! -e other-ran ] || fail "another program was started"
check "a changed program is not started"
cp race changed
run "$AUGUR" record -o changed.trace ./changed
cp other changed
run "$AUGUR" replay changed.trace
expect_status 2
expect_err "has changed since it was recorded"
[ ! -e other-ran ] || fail "another program was started"

check "files that the compiler did not read are not shown"
echo "the password is mellon" >../secret/file
sed "s|^static void .f|#line 1 \"$TMP/secret/file\"\n&|" race.c >lines.c
"$AUGUR" cc -g lines.c -o lines || exit 1
run "$AUGUR" record -o lines.trace ./lines
expect_status 0
"$AUGUR" cc -g race.c -o lines || exit 1 # as if the recording were made up: this program names no such file
for format in json html; do
    run "$AUGUR" check --prop race --format $format -o "lines.$format" lines.trace
    expect_status 1
    ! grep -q mellon "lines.$format" || fail "$format: it is in the report"
done
check "… and those that it read are"
run "$AUGUR" check --prop race --format json -o plain.json plain.trace
grep -q 'static void \*f' plain.json || fail "no source in the report"
