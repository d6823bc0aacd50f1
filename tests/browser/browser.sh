#!/usr/bin/env bash
# The HTML reports of real runs and of hostile traces in Chromium (drive.js has the tests). Needs
# Debian's chromium and nodejs, and playwright-core from npm, which is installed below build/.
. "$(dirname "$0")/../e2e/lib.sh"

here=$SRC/tests/browser
kept=$SRC/build/browser   # screenshots stay here
mkdir -p "$kept/npm" reports
rm -f "$kept"/*.png

check "the browser and what drives it are there"
. "$here/lib.sh"
if [ -n "$why" ]; then
    skip "$why"
    exit 0
fi

# ---- reports ----
ln -s "$SRC/examples" examples
report() { # NAME INPUT OPTION...
    local name=$1
    shift
    check "a report of $name"
    run "$AUGUR" check --format html -o "reports/$name.html" "$@"
    expect_status 1
    expect_true "it holds no address to load from" \
        [ "$(grep -cE '(src|href)="?(https?:)?//' "reports/$name.html")" -eq 0 ]
}
record() { # NAME SOURCE
    augur_cc -g -O1 -pthread "$2" -o "$1" && "$AUGUR" record --quiet -o "$1.trace" "./$1" >/dev/null
}

check "programs are recorded"
sed "16s/.*//; 18s/.*//" examples/first/bank.c >bank.c # only its race
run record bank bank.c
expect_status 0
run record philosophers examples/first/philosophers.c
expect_status 0
run record shop examples/assertions/check_then_act.c
expect_status 0
run record cache examples/tutorial/cache.c
expect_status 0
run record calls "$SRC/tests/e2e/callers/calls.c"
expect_status 0
report bank bank.trace
report philosophers philosophers.trace
report shop shop.trace
report cache cache.trace
report calls calls.trace

# What 'augur run' makes of it: executed on the program, explored, and known from an earlier run.
check "a report of augur run"
run "$AUGUR" run --html reports/confirmed.html ./bank
expect_status 1
"$AUGUR" triage R1 --as wontfix --note 'only <b>statistics</b>' 2>/dev/null
run "$AUGUR" run --html reports/known.html ./bank
expect_status 0

# Races, proved and only possible, and a cycle of locks.
cat >mixed.std <<'END'
T1|acq(l)|a.c:1
T1|acq(m)|a.c:2
T1|w(alpha)|a.c:3
T1|rel(m)|a.c:4
T1|rel(l)|a.c:5
T1|w(beta)|a.c:6
T1|w(beta_two)|a.c:7
T1|w(gamma)|a.c:8
T2|w(gamma)|b.c:1
T2|w(beta)|b.c:2
T2|r(beta_two)|b.c:3
T2|acq(m)|b.c:4
T2|acq(l)|b.c:5
T2|r(alpha)|b.c:6
T2|rel(l)|b.c:7
T2|rel(m)|b.c:8
END
report mixed mixed.std

# Names that would act if they were taken for markup.
{
    for thread in T1 'T</script>2'; do
        for name in '<script>window.hacked=1<\/script>' '</script><script>window.hacked=1</script>' \
            '"><img src=x onerror=window.hacked=1>' "'quotes\"and&amp;<!--" $'bad\xff\xfeutf8\xc3' \
            "$(head -c 10240 /dev/zero | tr '\0' N)" $'\xe2\x80\xa8line\xe2\x80\xa9sep' \
            $'\xe2\x80\xaebackwards' '__proto__' '${window.hacked=1}'; do
            printf '%s|w(%s)|</script><b>.c:%d\n' "$thread" "$name" "${#thread}"
        done
    done
} >hostile.std
report hostile hostile.std

awk 'BEGIN {
    for (i = 0; i < 1000; i++)
        printf "T1|acq(m%d)|f%d.c:%d\nT1|w(counter_%d)|f%d.c:%d\nT1|rel(m%d)|f%d.c:%d\n", i % 7, i % 13, i + 1, i, i % 13, i + 2, i % 7, i % 13, i + 3
    for (i = 0; i < 1000; i++)
        printf "T2|w(counter_%d)|g%d.c:%d\n", i, i % 13, i + 2
}' >many.std
report many many.std

# ---- in the browser ----
au_finish_check
if node "$here/drive.js" "$PWD/reports" "$kept" "$kept/npm/node_modules" >rows 2>"$TMP/drive.log"; then
    cat rows >&3
    ! grep -q '^fail' rows || au_failures=1
else
    cat rows >&3
    check "the browser tests ran to their end"
    fail "$(tail -n 5 "$TMP/drive.log")"
fi
cat "$TMP/drive.log" >&2
check "screenshots are kept in build/browser"
expect_true "at least seven" [ "$(find "$kept" -maxdepth 1 -name '*.png' | wc -l)" -ge 7 ]
