#!/usr/bin/env bash
# augur test --since: only recordings that execute functions that git says were changed.
. "$(dirname "$0")/lib.sh"

check "with --since only recordings that execute changed functions are analysed"
augur_cc() { "$AUGUR" cc "$@"; }
git_() { git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c commit.gpgsign=false "$@"; }
git_ init -q repo
cd repo || exit 1
cat >lib.h <<'END_C'
struct box { int value; };
int red(struct box *);
int blue(struct box *);
END_C
cat >lib.c <<'END_C'
#include "lib.h"
static int reds, blues;

int red(struct box *b) {
    reds++;
    return b->value;
}

int blue(struct box *b) {
    blues++;
    return b->value;
}
END_C
for colour in red blue; do
    cat >$colour.c <<END_C
#include "lib.h"
#include <pthread.h>
static struct box box;
static void *work(void *p) { return $colour(&box) ? p : 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END_C
done
printf '%s\n' red blue '*.txt' .augur >.gitignore
git_ add . && git_ commit -qm one
git_ checkout -qb topic
build() {
    augur_cc -g -O0 -pthread red.c lib.c -o red && augur_cc -g -O0 -pthread blue.c lib.c -o blue
}
build
run "$AUGUR" test --since main -o r.txt ./red ./blue
expect_status 0
expect_err "2 of 2 recordings execute nothing that was changed since 'main'"
expect_true "said in the report" grep -q '0 of 2 recordings execute functions that were changed' r.txt
sed -i 's/    blues++;/    blues += 2;/' lib.c # not committed
build
run "$AUGUR" test --since main -o r.txt ./red ./blue
expect_status 1
expect_err "1 of 2 recordings execute nothing"
expect_true "blue" grep -q "race on 'blues'" r.txt
expect_true "not red" test "$(grep -c "race on 'reds'" r.txt)" -eq 0
git_ commit -qam two
cat >>lib.c <<'END_C'

// of no use yet
int green(struct box *b) {
    return -b->value;
}
END_C
build
run "$AUGUR" test --since main -o r.txt ./red ./blue
expect_err "1 of 2 recordings execute nothing"
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_status 0
expect_err "2 of 2 recordings execute nothing"
check "with --since: a changed type concerns all, and so does a variable in its file"
sed -i 's/struct box { int value; };/struct box { int value, other; };/' lib.h
build
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_status 1
expect_err "0 of 2 recordings execute nothing"
git_ checkout -q lib.h lib.c
sed -i 's/^static int reds, blues;/static int reds, blues = 1;/' lib.c
build
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_err "0 of 2 recordings execute nothing"
git_ checkout -q lib.c
sed -i '/    reds++;/d' lib.c # only taken away
build
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_err "1 of 2 recordings execute nothing"
git_ checkout -q lib.c
build
# Everything concerns: $1 what was changed since HEAD.
concerns() {
    run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
    expect_true "$1" grep -q '0 of 2 recordings execute nothing' "$TMP/.lib/err"
    git_ reset -q --hard >/dev/null
}
check "with --since: a bracket that moves concerns, empty lines and comments do not"
cat >lib.c <<'END_C'
#include "lib.h"
static int reds, blues;
int red(struct box *b) {
    if (b) {
        reds++;
    }
    reds += 2;
    blues -= 0;
    return b->value;
}
int blue(struct box *b) {
    blues++;
    return b->value;
}
END_C
git_ commit -qam three
build
sed -i -e '6d' -e '8a\    }' lib.c
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_err "1 of 2 recordings execute nothing"
git_ checkout -q lib.c
sed -i -e '6a\\n    // nothing' lib.c
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_err "2 of 2 recordings execute nothing"
git_ checkout -q lib.c
sed -i -e '2a static struct {\n    int a;\n} more;' lib.c # whole, and not inside of a function
build
concerns "outside of functions"
build
check "with --since: what may concern any program concerns all"
echo 'CFLAGS += -DWITHOUT_LOCKS' >Makefile
concerns "a new file that builds" # untracked: stays
git_ add Makefile
mkdir sub
git_ update-index --add --cacheinfo "160000,$(git_ rev-parse HEAD),sub"
echo 'int odd;' >'o"dd.h'
echo 'int gone;' >gone.h
echo text >README
git_ add Makefile 'o"dd.h' gone.h README
git_ commit -qm four
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_err "2 of 2 recordings execute nothing"
echo words >>README
run "$AUGUR" test --since HEAD -o r.txt ./red ./blue
expect_err "2 of 2 recordings execute nothing"
echo 'CFLAGS += -O3' >>Makefile
concerns "a file that builds"
git_ update-index --cacheinfo "160000,$(git_ rev-parse HEAD~1),sub"
git_ commit -qm five >/dev/null
git_ update-index --cacheinfo "160000,$(git_ rev-parse HEAD),sub"
concerns "a submodule"
echo 'int odder;' >>'o"dd.h'
concerns "a name that git puts into quotes"
rm gone.h
concerns "a header that is gone"
check "with --since: nobody knows what a program executes whose sources are said to be elsewhere"
augur_cc -g -O0 -pthread -ffile-prefix-map="$PWD=/usr/src/elsewhere" "$PWD/red.c" "$PWD/lib.c" -o red
mkdir ../outside
cp lib.h lib.c blue.c ../outside
augur_cc -g -O0 -pthread "$TMP/outside/blue.c" "$TMP/outside/lib.c" -o blue
sed -i 's/    blues -= 0;/    blues -= 1;/' lib.c
concerns "sources elsewhere"
build
check "with --since: what is wrong is said before the suite runs"
run "$AUGUR" test --since nonsense ./red
expect_status 2
expect_err "git does not know the revision 'nonsense'"
cd ..
run env GIT_CEILING_DIRECTORIES="$PWD/.." "$AUGUR" test --since main repo/red
expect_status 2
expect_err 'there is no repository here'
