#!/usr/bin/env bash
# augur show: columns, filters, summaries, lint.
. "$(dirname "$0")/lib.sh"

cat >bank.std <<'END'
main|fork(T1)|main.c:10
main|acq(m)|main.c:11
main|w(balance)|12|100
main|rel(m)|13
T1|begin(deposit)|bank.c:30
T1|acq(m)|20
T1|r(balance)|21|100
T1|w(balance)|22|-150
T1|rel(m)|23
T1|end(deposit)|24
main|join(T1)|14
main|r(balance)|15|-150
main|r(other thing)|16|7
END

# shows WHAT EXPECTED ARGUMENT...: exactly these lines.
shows() {
    local what=$1
    shift
    cat >expected
    run "$AUGUR" show "$@"
    expect_status 0
    expect_no_err
    diff expected .lib/out >difference || fail "$what: $(cat difference)"
}

check "events in columns"
shows "all of them" bank.std <<'END'
 #  thread  index  op     operand      location   value
 1  main        1  fork   T1           main.c:10
 2  main        2  acq    m            main.c:11
 3  main        3  w      balance      12         100
 4  main        4  rel    m            13
 5  T1          1  begin  deposit      bank.c:30
 6  T1          2  acq    m            20
 7  T1          3  r      balance      21         100
 8  T1          4  w      balance      22         -150
 9  T1          5  rel    m            23
10  T1          6  end    deposit      24
11  main        5  join   T1           14
12  main        6  r      balance      15         -150
13  main        7  r      other thing  16         7
END

check "filter by thread, operation, variable, lock"
shows "thread" bank.std --thread T1 --op r,w <<'END'
#  thread  index  op  operand  location  value
7  T1          3  r   balance  21        100
8  T1          4  w   balance  22        -150
END
shows "variable and lock: either" bank.std --var 'other thing' --lock m -q <<'END'
 2  main  2  acq  m            main.c:11
 4  main  4  rel  m            13
 6  T1    2  acq  m            20
 9  T1    5  rel  m            23
13  main  7  r    other thing  16         7
END
shows "repeated" bank.std --op acq --op rel --thread main -q <<'END'
2  main  2  acq  m  main.c:11
4  main  4  rel  m  13
END

check "filter by range"
for r in 3..4 3..4; do
    shows "$r" bank.std -q --range $r <<'END'
3  main  3  w    balance  12  100
4  main  4  rel  m        13
END
done
shows "to the end" bank.std -q -r 13.. <<'END'
13  main  7  r  other thing  16  7
END
shows "from the start" bank.std -q -r ..1 <<'END'
1  main  1  fork  T1  main.c:10
END
shows "one event" bank.std -q -r 9 <<'END'
9  T1  5  rel  m  23
END
run "$AUGUR" show bank.std -q -r 100..200
expect_status 0
expect_no_out
for r in 0..3 4..3 .. x a..b 1...3 1..2..3 -1..3 18446744073709551616..; do
    run "$AUGUR" show bank.std --range="$r"
    expect_status 2
    expect_no_out
    expect_err "range"
done

check "names that are not in the trace"
run "$AUGUR" show bank.std --var balanc
expect_status 2
expect_err "^augur: no variable 'balanc' in 'bank.std'; did you mean 'balance'\?$"
run "$AUGUR" show bank.std --thread main,nobody
expect_status 2
expect_no_out
expect_err "^augur: no thread 'nobody' in 'bank.std'$"
run "$AUGUR" show bank.std --lock balance
expect_status 2
expect_err "no lock 'balance'"

check "events as JSON lines"
shows "selected" bank.std --format json --thread T1 --range 1..7 <<'END'
{"number":5,"thread":"T1","index":1,"op":"begin","obj":"deposit","loc":"bank.c:30"}
{"number":6,"thread":"T1","index":2,"op":"acq","obj":"m","loc":20}
{"number":7,"thread":"T1","index":3,"op":"r","obj":"balance","loc":21,"value":100}
END

check "summary"
shows "text" --summary bank.std --top 1 <<'END'
trace      bank.std (std)
events     13
threads    2
locks      1 (1 shared)
variables  2 (1 shared)
values     all

operations
  acq    2
  rel    2
  r      3
  w      2
  fork   1
  join   1
  begin  1
  end    1

threads (1 of 2)
  thread  events  reads  writes  atomics  acquires  releases  other  first  last
  main         7      2       1        0         1         1      2      1    13

locks
  lock  events  acquires  releases  other  shared
  m          4         2         2      0     yes

variables (1 of 2)
  variable  accesses  reads  writes  atomics  shared
  balance          4      2       2        0     yes
END
run "$AUGUR" show -s --format json bank.std
expect_status 0
expect_out '"trace": \{"threads": 2, ?"events": 13, ?"locks": 1, ?"vars": 2\}'
expect_out '"name": "other thing", ?"events": 1, ?"reads": 1'
if command -v python3 >/dev/null; then
    python3 -m json.tool <.lib/out >/dev/null 2>&1 || fail "not JSON: $out"
fi
run "$AUGUR" show -s --top 0 --thread T1 bank.std
expect_out '^events     6 selected$'
expect_out '^threads    1$'
expect_out '^variables  1 '

check "input from a pipe, packed, and told its format"
"$AUGUR" show bank.std >plain
run_with bank.std "$AUGUR" show -
expect_same .lib/out plain
gzip -k bank.std && run "$AUGUR" show bank.std.gz
expect_same .lib/out plain
zstd -q bank.std && run "$AUGUR" show bank.std.zst
expect_same .lib/out plain
cp bank.std noname
run "$AUGUR" show --from std noname
expect_same .lib/out plain

check "colours"
run "$AUGUR" show bank.std
expect_true "none into a file" [ "$(grep -c $'\033' .lib/out)" -eq 0 ]
run "$AUGUR" show --color always bank.std
sed $'s/\033\\[[0-9;]*m//g' .lib/out >bare
expect_same bare plain
expect_true "some when asked" [ "$(grep -c $'\033' .lib/out)" -ge 13 ]
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$AUGUR' show bank.std" /dev/null </dev/null >tty 2>&1
    expect_true "some on a terminal" [ "$(grep -c $'\033\\[3' tty)" -ge 13 ]
    TERM=xterm NO_COLOR=1 script -qec "'$AUGUR' show bank.std" /dev/null </dev/null >tty 2>&1
    expect_true "none with NO_COLOR" [ "$(grep -c $'\033\\[3' tty)" -eq 0 ]
    TERM=dumb script -qec "'$AUGUR' show bank.std" /dev/null </dev/null >tty 2>&1
    expect_true "none on a dumb terminal" [ "$(grep -c $'\033\\[3' tty)" -eq 0 ]
fi

check "names cannot play tricks on the terminal"
printf 'T\033[31m|w(x\001\302\233y)|1\nT\033[31m|r(gr\303\274n)|b\377d\n' >evil.std
shows "escaped" -q evil.std <<'END'
1  T\x1b[31m  1  w  x\x01\xc2\x9by  1
2  T\x1b[31m  2  r  grün            b\xffd
END
run "$AUGUR" show -s evil.std
expect_true "no control characters" [ "$(tr -d '\n' <.lib/out | grep -c '[[:cntrl:]]')" -eq 0 ]

check "lint"
shows "nothing" --lint bank.std <<'END'
no problems in 13 events
END
cat >bad.std <<'END'
T0|w(x)|1
T0|rel(m)|2
nonsense
T0|acq(m)|3
T1|acq(m)|4

T0|frob(x)|5
T0|r(x)|6
END
run "$AUGUR" show --lint bad.std
expect_status 2
expect_true "five lines: $out" [ "$(wc -l <.lib/out)" -eq 5 ]
for n in 2 3 5 6 7; do
    expect_out "^bad\.std:$n: [a-z]"
done
expect_true "in the order of the file" cmp -s <(cut -d: -f2 .lib/out) <(printf '2\n3\n5\n6\n7\n')
expect_err "^augur: 5 problems, 3 good events$"
run_with bad.std "$AUGUR" show --lint -
expect_status 2
expect_out '^<stdin>:2: '
run "$AUGUR" show --lint --format json bad.std
expect_status 2
expect_out '^\{"file":"bad.std","line":2,"text":"'
run "$AUGUR" show --lint --var x bad.std
expect_status 2
expect_err "conflicts with '--var'"

check "a bad line"
run "$AUGUR" show bad.std
expect_status 2
expect_no_out
expect_err '^bad\.std:2: '
expect_true "one line on stderr" [ "$(wc -l <.lib/err)" -eq 1 ]
run "$AUGUR" show -s bad.std
expect_status 2
expect_no_out
expect_err '^bad\.std:2: '

check "broken inputs"
: >empty.std
mkdir directory.std
"$AUGUR" convert bank.std -o good.trace
head -c 100 good.trace >cut.trace
{ head -c 8 good.trace; printf '\377\0\0\0'; tail -c +13 good.trace; } >version.trace
{ head -c 60 good.trace; printf '\252\252\252'; tail -c +64 good.trace; } >flipped.trace
head -c 40 bank.std.gz >cut.std.gz
for f in empty.std directory.std missing.std cut.trace version.trace flipped.trace cut.std.gz; do
    for how in "" -s "--format json"; do
        # shellcheck disable=SC2086
        run "$AUGUR" show $how $f
        expect_status 2
        expect_no_out
        expect_err "$f"
        expect_true "no sanitizer report, no crash" [ "$(wc -l <.lib/err)" -eq 1 ]
    done
done
run "$AUGUR" show missing.std
expect_err "^augur: cannot (open|read) 'missing\.std': No such file or directory$"
run "$AUGUR" show --lint cut.trace
expect_status 2
expect_out 'cut\.trace'

check "a long trace keeps its columns in line"
awk 'BEGIN { for (i = 0; i < 40000; i++) print "T" i % 3 "|w(v" i % 7 ")|" i % 10 }' >long.std
run "$AUGUR" show -q long.std
expect_status 0
expect_true "all events" [ "$(wc -l <.lib/out)" -eq 40000 ]
expect_true "at most three widths" [ "$(awk '{ print length }' .lib/out | sort -u | wc -l)" -le 3 ]
tail -n 1 .lib/out >last
expect_true "the last one: $(cat last)" grep -qE '^40000  T0  13334  w  v1  9$' last
