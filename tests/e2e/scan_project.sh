#!/usr/bin/env bash
# What augur scan takes: several files, directories, compile_commands.json; files that cannot be read or compiled are
# named, and the rest is scanned (lower/units.h, lower/open.c).
. "$(dirname "$0")/lib.sh"

mkdir -p project/src/.hidden project/include project/build
cat >project/include/shared.h <<'C'
#ifndef SHARED
#error "SHARED is not defined"
#endif
extern int SHARED;
void *work(void *arg);
C
cat >project/src/main.c <<'C'
#include <pthread.h>
#include "shared.h"
int SHARED;
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    SHARED++;
    pthread_join(t, 0);
    return 0;
}
C
cat >project/src/work.c <<'C'
#include "shared.h"
#ifdef QUOTED
const char *quoted = QUOTED;
#endif
void *work(void *arg) {
    SHARED++;
    return arg;
}
C
echo 'not C at all' >project/src/.hidden/no.c

check "a directory stands for the sources below it"
run "$AUGUR" scan --stages lockset --no-replay project/src -- -I project/include -DSHARED=count
expect_status 1
grep -q "race on 'count'" <<<"$out" || fail "no race: $out"
grep -q "left out" <<<"$out" && fail "something is left out: $out"

cat >project/build/compile_commands.json <<'J'
[
  {"directory": "../src", "file": "main.c",
   "arguments": ["gcc", "-I../include", "-DSHARED=count", "-Werror", "-MD", "-MF", "main.d", "-c", "main.c", "-o", "main.o"]},
  {"directory": "../src", "file": "work.c", "output": "work.o",
   "command": "ccache gcc -I../include -DSHARED=count '-DQUOTED=\"two words\"' -Wno-such-warning -o work.o -c work.c"},
  {"directory": "../src", "file": "start.S", "command": "gcc -c start.S"}
]
J
check "compile_commands.json: each file with its own options, from its own directory"
run "$AUGUR" scan --stages lockset --no-replay project/build/compile_commands.json
expect_status 1
grep -q "race on 'count'" <<<"$out" || fail "no race: $out"
grep -q "left out" <<<"$out" && fail "something is left out: $out"

check "a directory that holds such a list stands for it"
run "$AUGUR" scan --stages lockset --no-replay project/build
expect_status 1
grep -q "race on 'count'" <<<"$out" || fail "no race: $out"

check "and it is executed: each file is compiled by its own options, then all are linked"
run "$AUGUR" scan project/build
expect_status 1
grep -q "confirmed  *race on 'count'" <<<"$out" || fail "not confirmed: $out"

check "a file that does not compile, and one that is not there, are named; the rest is scanned"
echo 'int broken( {' >project/src/broken.c
run "$AUGUR" scan --stages lockset --no-replay project/src gone.c -- -I project/include -DSHARED=count
expect_status 1
grep -q "race on 'count'" <<<"$out" || fail "no race: $out"
for f in project/src/broken.c gone.c; do
    grep -q "left out: a file that cannot be read or compiled: '$f'" <<<"$out" || fail "$f is not named: $out"
done

check "… and nothing is proved to be absent then: UNKNOWN, status 3"
cat >quiet.c <<'C'
int main(void) { return 0; }
C
run "$AUGUR" scan --svcomp --prop race --no-replay quiet.c project/src/broken.c
expect_status 3
[ "$out" = UNKNOWN ] || fail "$out"
run "$AUGUR" scan --no-replay quiet.c project/src/broken.c
expect_status 3
run "$AUGUR" scan --svcomp --prop race --no-replay quiet.c
expect_status 0

check "a list that names a file twice, two programs in one directory: said, UNKNOWN"
mkdir twice two
cp quiet.c two/a.c
cp quiet.c two/b.c
cat >twice/compile_commands.json <<'J'
[{"directory": "..", "file": "quiet.c", "command": "cc -c quiet.c"},
 {"directory": "..", "file": "quiet.c", "command": "cc -DX -c quiet.c"}]
J
run "$AUGUR" scan --no-replay twice
expect_status 3
grep -q "left out: another compilation, with options of its own, of '.*quiet.c'" <<<"$out" || fail "not said: $out"
run "$AUGUR" scan --no-replay two
expect_status 3
grep -q "left out: another 'main'" <<<"$out" || fail "not said: $out"

check "lists and directories that say nothing are refused with a reason"
mkdir empty
run "$AUGUR" scan empty
expect_status 2
grep -q "no C or C++ source below 'empty'" <<<"$out$err" || fail "$out$err"
echo '{"file": 1}' >bad.json
run "$AUGUR" scan bad.json
expect_status 2
grep -q "'bad.json' is no list of compile commands" <<<"$out$err" || fail "$out$err"
echo '[]' >none.json
run "$AUGUR" scan none.json
expect_status 2

check "a file that a newer gcc preprocessed is read, with its names of macros and attributes of allocation"
cat >made.i <<'C'
# 1 "made.c"
typedef unsigned int size_t;
typedef unsigned long int pthread_t;
extern void free(void *p);
extern void *malloc(size_t size) __attribute__((__nothrow__)) __attribute__((__malloc__)) __attribute__((__malloc__(free, 1)));
extern int pthread_create(pthread_t *t, const void *attr, void *(*f)(void *), void *arg) __attribute__((__access__(__none__, 2)));
extern int pthread_join(pthread_t t, void **result);
static int linux, unix;
static void *work(void *arg) {
    linux++;
    return arg;
}
int main(void) {
    int *mine = malloc(4);
    pthread_t t;
    pthread_create(&t, 0, work, mine);
    linux++;
    pthread_join(t, 0);
    return unix;
}
C
run "$AUGUR" scan --no-explore made.i
expect_status 1
grep -q "race on 'linux'" <<<"$out" || fail "$out$err"
grep -q "preprocessed for a machine of 32 bits" <<<"$out" || fail "it is executed: $out"
run "$AUGUR" scan --svcomp --prop race made.i
expect_status 1
[ "$out" = FALSE ] || fail "$out"
sed 's/typedef unsigned int size_t/typedef unsigned long size_t/' made.i >wide.i
run "$AUGUR" scan --no-explore wide.i
grep -q "R1 confirmed  race on 'linux'" <<<"$out" || fail "$out$err"
