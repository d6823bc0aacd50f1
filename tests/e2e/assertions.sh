# examples/assertions: an assertion that holds in the recorded run and fails in another
# interleaving is predicted, and the real program is shown to fail; of the same program without
# the mistake nothing is said. No lock, no race and no atomic block has to be wrong for that:
# what is found depends on values.
. "$(dirname "$0")/../e2e/lib.sh"

# record_example NAME [OPTION...]: NAME.trace
record_example() {
    local name=$1
    shift
    augur_cc -g -O1 -pthread "$@" "$SRC/examples/assertions/$name.c" -o "$name" || fail "does not compile"
    "$AUGUR" record --quiet -o "$name.trace" "./$name" || fail "the recorded run is to be a good one"
}

programs=0
for source in "$SRC"/examples/assertions/*.c; do
    name=$(basename "$source" .c)
    programs=$((programs + 1))

    check "$name: predicted, and confirmed by the program itself"
    record_example "$name"
    run "$AUGUR" check --format json -o "$name.json" "$name.trace"
    expect_status 1
    expect_no_err
    expect_true "an assertion is proved to fail" \
        grep -q '"message": "assertion .* fails with .* in the run' "$name.json"
    expect_true "nothing stays open" grep -q '"inconclusive": \[\]' "$name.json"
    run "$AUGUR" replay --quiet --findings "$name.json" --finding A1 "$name.trace"
    expect_status 1
    expect_out "^confirmed: A1: assertion '.*' fails"

    check "$name: everything else that is proved is confirmed, too"
    for id in $(grep -o '"id": "[A-Z][0-9]*"' "$name.json" | grep -o '[A-Z][0-9]*'); do
        run "$AUGUR" replay --quiet --findings "$name.json" --finding "$id" "$name.trace"
        expect_status 1
        expect_out "^confirmed: $id: "
    done

    check "$name: nothing is said of it when it is right"
    record_example "$name" -DRIGHT
    run "$AUGUR" check "$name.trace"
    expect_status 0
    expect_no_err
    expect_out "^0 findings"
    rm -f "$name"
done

check "there are fifteen of them"
expect_true "$programs programs" [ "$programs" -eq 15 ]

check "an assertion behind an 'if' of another line is one finding, where it stands"
cat >two_lines.c <<'END'
#include <assert.h>
#include <pthread.h>
int x;
static void *f(void *a) {
    ++x;
    if (x == 2)
        assert(0);
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
augur_cc -g two_lines.c -o two_lines
run "$AUGUR" run --format json -o two_lines.json ./two_lines
expect_status 1
expect_true "told once" [ "$(grep -c '"kind": "assertion"' two_lines.json)" -eq 1 ]
expect_true "at the assertion" grep -q '"message": "an assertion failed.*two_lines.c:7"' two_lines.json
expect_true "no explored run contradicts it" [ "$(grep -c 'please report' two_lines.json)" -eq 0 ]
