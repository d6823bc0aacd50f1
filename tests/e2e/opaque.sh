# tests/claims/opaque: programs that call code without hooks. right_*: no finding of any status, on several schedules.
# race_*: a race beside such calls, which do not order it, is found. No coverage is claimed of any of them. And programs
# that say themselves what is ordered.
. "$(dirname "$0")/../e2e/lib.sh"

for source in "$SRC"/tests/claims/opaque/*_*.c "$SRC"/tests/claims/opaque/*_*.cpp; do
    name=$(basename "${source%.*}")
    compile=augur_cc
    [[ $source != *.cpp ]] || compile=augur_cxx
    with=$(sed -n 's|^// WITH: ||p' "$source") link=$(sed -n 's|^// LINK: ||p' "$source") more=()
    [[ $name = right_* || $name = race_* ]] || continue
    [ -z "$SANITIZED" ] || [[ " right_queue right_pool race_queue " = *" $name "* ]] || continue
    check "$name: $(grep -v '^// [A-Z]*: ' "$source" | sed -n '1s|^// ||p')"
    if [ -n "$with" ]; then
        without=gcc
        [[ $with != *.cpp ]] || without=g++
        $without -O1 -c "$SRC/tests/claims/opaque/$with" -o without.o || fail "'$with' does not compile"
        more=(without.o)
    fi
    [[ $link != glib-2.0 ]] || link=$(pkg-config --cflags --libs glib-2.0)
    # shellcheck disable=SC2086 # several words
    $compile -w -g -pthread "$source" "${more[@]}" -o "$name" $link || fail "does not compile"
    runs=$(sed -n 's|^// RUNS: ||p' "$source")
    : "${runs:=4}"
    [[ $name != *sqlite* ]] || runs=1 # seconds each: deadlocks among its locks
    run timeout 600 "$AUGUR" run --quiet --no-explore --runs $runs "./$name"
    case $name in
    right_*)
        expect_status 0
        ! grep -Eq "^[A-Z][0-9]+ +(possible|proved|confirmed)" <<<"$out" || fail "a finding"
        ;;
    race_*)
        expect_status 1
        expect_out "^R1 +confirmed +race on"
        ;;
    esac
    # All of these has hooks or is modelled.
    [[ $name != *said && $name != *own_lock && $name != race_glib ]] || continue
    run timeout 600 "$AUGUR" explore --quiet --no-check --budget 2 "./$name"
    expect_out "Not every interleaving of this input was covered"
    rm -rf "$name" "$name.explored" .augur
done

# ---- --library ----

cat >note.c <<'C'
int note(int x) { return x + 1; }
C
cat >beside.c <<'C'
#include <pthread.h>
int note(int);
static int x;
static void *one(void *a) { x = 1; note(1); return a; }
static void *two(void *a) { note(2); x = 2; return a; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
C
check "--library: what a function of yours does"
gcc -c note.c || fail "gcc"
run "$AUGUR" cc -g beside.c note.o -o beside -pthread
run "$AUGUR" record --quiet -o beside.trace ./beside
run "$AUGUR" check beside.trace
expect_status 0
echo "F(note, _, PURE, \"\", 'i', _, _, HARMLESS)" >note.def
for command in "check beside.trace" "run --quiet --no-explore ./beside" "explore --quiet --budget 5 ./beside"; do
    # shellcheck disable=SC2086 # several words
    run "$AUGUR" ${command%% *} --library note.def ${command#* }
    expect_status 1
    expect_out "^R1 +(proved|confirmed) +race on 'x'"
done
expect_out "Every interleaving of this input was covered"
run "$AUGUR" replay --library note.def --finding R1 beside.trace
expect_out "^confirmed: R1"

check "--library: a bad row is told with its line"
printf '// mine\nF(note, _, EATS, 0, 0, _, _, _)\n' >bad.def
run "$AUGUR" check --library bad.def beside.trace
expect_status 2
expect_err "bad.def:2: 'EATS' is not a word of the column 'does'"
run "$AUGUR" check --library none.def beside.trace
expect_status 2
expect_err "cannot open 'none.def'"
