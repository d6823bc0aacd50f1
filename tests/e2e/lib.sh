# tests/e2e/lib.sh: helpers for test scripts. A script starts with
#
#     . "$(dirname "$0")/../e2e/lib.sh"
#
# and then holds any number of checks, each counted by itself:
#
#     check "summary counts the threads"
#     run "$AUGUR" show --summary "$SRC/tests/data/two.std"
#     expect_status 0
#     expect_out "threads *2"
#
# Every 'check' starts a new test; the first failed expectation in it makes it
# fail and says why, and the script goes on. It gets
#     $AUGUR   the program       $SRC   the top of the source tree
#     $TMP     an empty directory of its own, removed by the runner; scripts start in it
#     $SANITIZED   not empty when the program was built with sanitizers
#     $PART, $PARTS   which part of the script this is (1 of 1 unless its head has a line '# PARTS: N')
# Results go to file descriptor 3 (tools/check.sh reads them); run by hand they
# go to standard output, with the defaults below.
set -u
if [ -z "${SRC:-}" ]; then
    SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fi
: "${AUGUR:=$SRC/build/augur}" "${SANITIZED:=}"
if [ -z "${TMP:-}" ]; then
    TMP=$(mktemp -d)
    chmod a+x "$TMP" # munged wants to reach its socket as anybody (slurm.sh)
    au_own_tmp=$TMP
fi
export SRC AUGUR TMP SANITIZED
: "${PART:=1}" "${PARTS:=1}"
export LC_ALL=C.UTF-8
unset NO_COLOR COLUMNS
if ! { true >&3; } 2>/dev/null; then
    exec 3>&1
fi
cd "$TMP" || exit 1
mkdir -p "$TMP/.lib"

au_name='' au_why='' au_skipped='' au_failures=0 status=0 out='' err=''

au_finish_check() {
    [ -n "$au_name" ] || return 0
    if [ -n "$au_why" ]; then
        au_failures=$((au_failures + 1))
        printf 'fail\t%s\t%s\n' "$au_name" "$au_why" >&3
    elif [ -n "$au_skipped" ]; then
        printf 'skip\t%s\t%s\n' "$au_name" "$au_skipped" >&3
    else
        printf 'pass\t%s\t\n' "$au_name" >&3
    fi
    au_name='' au_why='' au_skipped=''
}

# Ends the check before, starts a new one.
check() {
    au_finish_check
    au_name=$1
}

# The check failed; only the first reason is kept.
fail() {
    [ -n "$au_name" ] || au_name="(before the first check)"
    [ -n "$au_why" ] || au_why=$(printf '%s' "$*" | tr '\n\t' '  ')
}

# This check cannot run here. The caller goes on to the next one.
skip() {
    au_skipped=$*
}

# 'augur run' and 'augur explore' without --budget get a shorter one than the default: what they find is found in
# the first seconds, and a program that cannot be covered takes all of it. $au_budget is that option, for scripts that
# start augur themselves; 'au_budget= run ...' leaves it out.
au_budget="--budget $([ -n "$SANITIZED" ] && echo 40 || echo 15)"
au_with_budget() {
    local word before=
    au_words=()
    for word; do
        case $word in --budget | --budget=*) au_words=("$@"); return ;; esac
        au_words+=("$word")
        # shellcheck disable=SC2206
        case $word in run | explore) [ "$before" != "$AUGUR" ] || au_words+=($au_budget) ;; esac
        before=$word
    done
}

# Runs a command without input. Then $status, $out and $err are set (out and err
# also as the files $TMP/.lib/out and $TMP/.lib/err).
run() {
    run_with /dev/null "$@"
}
# The same, with a file as standard input.
run_with() {
    local input=$1
    shift
    au_command=$*
    au_with_budget "$@"
    "${au_words[@]}" <"$input" >"$TMP/.lib/out" 2>"$TMP/.lib/err" 3>&-
    status=$?
    out=$(tr -d '\0' <"$TMP/.lib/out")
    err=$(tr -d '\0' <"$TMP/.lib/err")
}

expect_status() {
    [ "$status" -eq "$1" ] ||
        fail "exit status $status instead of $1 from: $au_command; stderr: ${err:0:600}"
}
# Some line of the output matches the extended regular expression.
expect_out() {
    grep -qE -e "$1" "$TMP/.lib/out" ||
        fail "no line '$1' in the output of: $au_command; got: ${out:0:600}"
}
expect_err() {
    grep -qE -e "$1" "$TMP/.lib/err" ||
        fail "no line '$1' on stderr of: $au_command; got: ${err:0:600}"
}
expect_no_out() {
    [ ! -s "$TMP/.lib/out" ] || fail "unexpected output of: $au_command: ${out:0:600}"
}
expect_no_err() {
    [ ! -s "$TMP/.lib/err" ] || fail "unexpected stderr of: $au_command: ${err:0:600}"
}
# Two files are the same.
expect_same() {
    cmp -s "$1" "$2" || fail "'$1' and '$2' differ: $(diff "$1" "$2" 2>&1 | head -5)"
}
expect_file() {
    [ -e "$1" ] || fail "no file '$1' after: $au_command"
}
expect_no_file() {
    [ ! -e "$1" ] || fail "file '$1' is there after: $au_command"
}
# Any condition: expect_true "what it means" test ...
expect_true() {
    local what=$1
    shift
    "$@" || fail "not so: $what"
}

# wait_for COMMAND...: until it succeeds. False after 20 minutes, which only what hangs takes.
wait_for() {
    local ends=$((SECONDS + 1200))
    until "$@"; do
        [ $SECONDS -lt $ends ] || return 1
        sleep 0.02
    done
}

# ---- parts ----
# A script with '# PARTS: N' in its head runs as N jobs. 'mine || continue' at the head of a loop gives every
# job its share of the turns, 'in_part I' is true in the I-th job only; run by hand, all of them are.
au_turn=0
mine() {
    au_turn=$((au_turn % PARTS + 1))
    [ "$au_turn" -eq "$PART" ]
}
in_part() {
    [ "$PARTS" -eq 1 ] || [ "$PART" -eq "$1" ]
}

# ---- programs to test with ----
# augur_cc ARGUMENT..., augur_cxx ARGUMENT...: as '"$AUGUR" cc ...' and 'c++', for scripts whose subject is not the
# compiler. Within 'make check' a program is compiled once, by the release build, for all jobs: the cache is
# keyed by the arguments but '-o', the sources and the headers beside them. Only a program whose sources are
# absolute paths is kept: what is compiled in $TMP names $TMP in its debug information.
augur_cc() { au_compile cc "$@"; }
augur_cxx() { au_compile c++ "$@"; }
au_compile() {
    local mode=$1 output=a.out args=() sources=() key kept
    shift
    local all=("$@")
    while [ $# -gt 0 ]; do
        case $1 in
        -o) output=$2 && shift ;;
        -[IL][!/]* | -[IL] | -c | -shared | @*) sources=() && break ;;
        -*) args+=("$1") ;;
        /*.c | /*.cc | /*.cpp) args+=("$1") && sources+=("$1") ;;
        *) sources=() && break ;;
        esac
        shift
    done
    if [ -z "${AU_TEST_CACHE:-}" ] || [ ${#sources[@]} -eq 0 ] || [ $# -gt 0 ]; then
        "$AUGUR" "$mode" "${all[@]}"
        return
    fi
    key=$({ printf '%s\n' "$mode" "${args[@]}" && cat "${sources[@]}" &&
        find $(dirname "${sources[@]}") -maxdepth 1 -name '*.h' -exec cat {} +; } | sha256sum | cut -c1-32)
    kept=$AU_TEST_CACHE/$key
    if [ ! -e "$kept" ]; then
        (cd "$AU_TEST_CACHE" && "$SRC/build/augur" "$mode" "${args[@]}" -o "$kept.$BASHPID.new" && mv "$kept.$BASHPID.new" "$kept") || return
    fi
    cp "$kept" "$output"
}

# ---- Debian's sources (real_programs.sh, scan_real.sh) ----
jobs=$(nproc)
# get SOURCE-PACKAGE DIRECTORY: unpacks it there; false, and $why, if it cannot be had.
get() { why=$("$SRC/tools/source.sh" "$1" "$TMP/$2"); }
compiles() { echo "$1" | clang-19 -x c -fsyntax-only - 2>/dev/null; }

# document FILE...: the commands of these documents, which belong together, run and print what
# is shown. A block to run is
#
#     <!-- run -->            (or <!-- run: 1 --> for exit status 1; 'needs gdb' for a program
#     ```sh                    without which it is skipped, as in <!-- run: 1 needs gdb -->)
#     augur ...
#     ```
#
# and a ```text block after <!-- output --> must be exactly what the block before it printed, except
# that a line '...' stands for any lines. Blocks see the tree as a reader does who stands at its top:
# build/augur, examples, tests; and 'augur' is in the path. Sets $blocks, how many there were.
document() {
    local script block need
    mkdir -p build bin
    ln -sf "$AUGUR" build/augur
    ln -sf "$AUGUR" bin/augur
    ln -sfn "$SRC/tests" tests
    ln -sfn "$SRC/examples" examples
    rm -f block-*
    cat "$@" | awk '
        /^<!-- run(: [0-9]+)?( needs [a-z0-9+-]+)? -->$/ {
            n++; kind = "sh"; status = 0; need = ""
            for (i = 3; i < NF; i++) { if ($i ~ /^[0-9]+$/) status = $i; if ($i == "needs") need = $(i + 1) }
            print status > ("block-" n ".status"); print need > ("block-" n ".need"); next
        }
        /^<!-- output -->$/ { kind = "out"; next }
        /^```/ && kind != "" && !inside { inside = 1; file = "block-" n "." kind; printf "" > file; next }
        /^```/ && inside { inside = 0; kind = ""; close(file); next }
        inside { print > file }
    '
    blocks=0
    for script in $(find . -maxdepth 1 -name 'block-*.sh' | sort -V); do
        blocks=$((blocks + 1))
        block=${script%.sh}
        check "block $blocks: $(head -n 1 "$script")"
        need=$(cat "$block.need")
        if [ -n "$need" ] && { ! command -v "$need" >/dev/null || [ -n "$SANITIZED" ]; }; then
            skip "no '$need' here, or a sanitized build"
            continue
        fi
        run env PATH="$PWD/bin:$PATH" bash -e "$script"
        expect_status "$(cat "$block.status")"
        [ ! -e "$block.out" ] || au_shows "$block.out" "$TMP/.lib/out" ||
            fail "the text shows something else: $(diff "$block.out" "$TMP/.lib/out" | head -10)"
    done
}
# au_shows EXPECTED ACTUAL: line by line, '...' skips to the next line that fits; seconds and fingerprints
# may differ.
au_shows() {
    awk -v actual="$2" '
        function usual(line) {
            gsub(/\([0-9.]+ s\)/, "(0 s)", line)
            sub(/^[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]  /, "fingerprint  ", line)
            return line
        }
        BEGIN { while ((getline line < actual) > 0) have[++n] = usual(line); at = 1 }
        $0 == "..." { skipping = 1; next }
        { $0 = usual($0) }
        {
            if (skipping)
                while (at <= n && have[at] != $0)
                    at++
            skipping = 0
            if (at > n || have[at] != $0) { bad = 1; exit }
            at++
        }
        END { exit bad || (!skipping && at <= n) }
    ' "$1"
}

au_at_exit() {
    local code=$?
    au_finish_check
    [ "$code" -eq 0 ] || [ "$code" -eq 143 ] || printf 'fail\t(script)\tended with status %s\n' "$code" >&3
    printf 'done\n' >&3
    [ -z "${au_own_tmp:-}" ] || rm -rf "$au_own_tmp"
    [ "$code" -eq 0 ] && [ "$au_failures" -gt 0 ] && exit 1
    exit "$code"
}
trap au_at_exit EXIT
trap 'fail "killed while it ran"; exit 143' TERM
