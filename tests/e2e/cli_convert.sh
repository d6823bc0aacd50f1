#!/usr/bin/env bash
# augur convert: round trips, endings, errors that leave nothing behind.
. "$(dirname "$0")/lib.sh"

# Names and locations that every format can keep, and values for all accesses.
cat >t.std <<'END'
T0|fork(T1)|1
T0|acq(L0)|2
T0|w(V0)|3|5
T0|rel(L0)|4
T1|acq(L0)|5
T1|r(V0)|6|5
T1|w(V1)|7|-3
T1|rel(L0)|8
T0|join(T1)|9
T0|r(V1)|10|-3
END
sed 's/|[0-9]*\(|[-0-9]*\)\?$/|0\1/' t.std >noloc.std # what has no locations has 0
cut -d'|' -f1-3 t.std >novalues.std

# converts FROM TO [ARGUMENT...]
converts() {
    run "$AUGUR" convert "$1" -o "$2" "${@:3}"
    expect_status 0
    expect_no_out
    expect_no_err
    expect_file "$2"
}

check "round trips through every format that is read"
for via in trace std trace.gz trace.zst std.gz std.zst; do
    converts t.std "u.$via"
    converts "u.$via" back.std
    expect_same t.std back.std
done
converts t.std u.rapidbin
converts u.rapidbin back.std
expect_same novalues.std back.std
converts t.std u.values
converts u.values back.std
cut -d'|' -f1,2,4 t.std >without
cut -d'|' -f1,2,4 back.std >back
expect_same without back

check "every pair of formats"
for a in trace std values; do
    for b in trace std values rapidbin; do
        converts t.std "one.$a"
        converts "one.$a" "two.$b"
        converts t.std "straight.$b"
        case $b in
        trace | std) # value text has no locations
            [ $a = values ] || expect_same "two.$b" "straight.$b"
            ;;
        values) expect_same "two.$b" "straight.$b" ;;
        *) [ $a = values ] || expect_same "two.$b" "straight.$b" ;;
        esac
    done
done

check "binary to binary is the same file"
converts t.std one.trace
converts one.trace two.trace
expect_same one.trace two.trace
converts one.trace stored.trace --no-pack
converts stored.trace again.trace
expect_same one.trace again.trace

check "formats that are only written"
converts t.std u.jsonl
expect_true "an event a line" [ "$(grep -c '"op":' u.jsonl)" -eq 10 ]
converts t.std u.json
converts t.std u.perfetto.json
expect_same u.json u.perfetto.json
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; assert json.load(open("u.json"))["traceEvents"]' ||
        fail "u.json is no Chrome trace"
    python3 -c 'import json; [json.loads(l) for l in open("u.jsonl")]' || fail "u.jsonl is not JSON lines"
fi
for f in u.jsonl u.json; do
    run "$AUGUR" convert $f -o v.std
    expect_status 2
    expect_no_file v.std
done

check "pipes on both sides"
run_with t.std "$AUGUR" convert - -o - --to binary
expect_status 0
expect_same .lib/out one.trace
cp .lib/out piped
run_with piped "$AUGUR" convert - -o - --to std
expect_same .lib/out t.std
run "$AUGUR" convert t.std -o -
expect_status 2
expect_no_out
expect_err "^augur: no format for standard output: give '--to FORMAT'$"

check "formats said and formats guessed"
cp t.std noname
converts noname other --from std --to binary
expect_same other one.trace
converts t.std odd.std --to binary
expect_same odd.std one.trace
run "$AUGUR" convert t.std -o u.xyz
expect_status 2
expect_no_file u.xyz
expect_err "^augur: no known format has the suffix of 'u.xyz': give '--to FORMAT'$"
run "$AUGUR" convert t.std
expect_status 2
expect_err "^augur: no output: give '-o FILE'$"

check "a file onto itself"
cp t.std same
converts same same --from std --to binary
expect_same same one.trace
converts same same --to std
expect_same same t.std

check "names, lines and values of a program survive in a model"
cat >prog.std <<'END'
main (T0)|fork(worker 1)|bank.c:40
main (T0)|fork(worker 2)|bank.c:41
worker 1|acq(acct[3])|bank.c:10
worker 1|w(acct[3])|bank.c:11|140737488347136
worker 2|tryfail(acct[3])|my file.c:7
worker 1|rmw(count)|bank.c:12|1
worker 1|rel(acct[3])|bank.c:13
worker 2|r(acct[3])|bank.c:20|140737488347136
worker 2|rmw(count)|bank.c:21|2
worker 2|req(other "lock")|bank.c:22
END
sed -i '1i main (T0)|w(count)|bank.c:39|0' prog.std
converts prog.std prog.ctp
for line in 'shared count = 0, "acct\[3\]" : 64 = 0' 'lock "acct\[3\]", "other \\"lock\\""' \
    '"acct\[3\]" := 0x7fffffffe000 @ bank.c:11' '\[ require count == 0; count := 1 \] @ bank.c:12' \
    'assume owner\("acct\[3\]"\) != 0 @ "my file.c":7' 'acq "other \\"lock\\"" @ bank.c:22'; do
    expect_true "$line in $(tr '\n' '~' <prog.ctp)" grep -qE "$line" prog.ctp
done
converts prog.ctp again.ctp
expect_same prog.ctp again.ctp
for what in race nondet; do
    run "$AUGUR" oracle --prop $what prog.std
    grep -E '"(op|schedule)"|"message"' .lib/out | sed 's/"label": "[^"]*", //; s/"message".*//' >of_trace
    run "$AUGUR" oracle --prop $what prog.ctp
    grep -E '"(op|schedule)"|"message"' .lib/out | sed 's/"label": "[^"]*", //; s/"message".*//' >of_model
    expect_same of_trace of_model
    expect_true "$what is found" test -s of_trace
done

check "a trace and a model"
converts t.std u.ctp
expect_true "has threads: $(head -3 u.ctp)" grep -q 'thread T1' u.ctp
converts u.ctp v.ctp
expect_same u.ctp v.ctp
run "$AUGUR" convert novalues.std -o w.ctp
expect_status 2
expect_no_file w.ctp
expect_err "novalues.std"
run "$AUGUR" convert u.ctp -o w.std
expect_status 2
expect_no_file w.std
expect_err "is a model and can be written as .ctp only"
run "$AUGUR" convert t.std -o w.ctp --unroll 3
expect_status 2
expect_err "'--unroll' is for models"
run "$AUGUR" show u.ctp
expect_status 0
expect_same .lib/out u.ctp
run "$AUGUR" show --summary u.ctp
expect_status 0
expect_out '^threads    2$'
expect_out '^  acq +2$'
run "$AUGUR" show --summary --format json u.ctp
expect_status 0
expect_out '"model": \{"threads": 2'
run "$AUGUR" show u.ctp --thread T1
expect_status 2
expect_err "'--thread' is for traces"
cat >loop.ctp <<'END'
shared x = 0
thread T { while (x < 3) { x := x + 1 } }
END
run "$AUGUR" show loop.ctp
expect_status 0
expect_out 'while'
run "$AUGUR" show --unroll 2 loop.ctp
expect_status 0
expect_true "no loop left" [ "$(grep -c while .lib/out)" -eq 0 ]
printf 'shared x = 0\nthread T { x := }\n' >bad.ctp
run "$AUGUR" show bad.ctp
expect_status 2
expect_no_out
expect_err '^bad\.ctp:2:[0-9]+: '
expect_err '^ *\^$'

# fails OUTPUT ARGUMENT...: status 2, a message, and in the directory nothing but
# the old file as it was.
fails() {
    local output=$1
    shift
    rm -rf d && mkdir d
    echo old >"d/$output"
    run "$AUGUR" convert "$@" -o "d/$output"
    expect_status 2
    expect_no_out
    expect_true "a message: $err" [ -s .lib/err ]
    expect_true "only the old file: $(ls d)" [ "$(ls -A d)" = "$output" ]
    expect_true "the old file as it was" [ "$(cat "d/$output")" = old ]
    rm "d/$output"
    run "$AUGUR" convert "$@" -o "d/$output"
    expect_status 2
    expect_true "no file: $(ls d)" [ -z "$(ls -A d)" ]
}

check "nothing half-written after bad input"
awk 'BEGIN { for (i = 0; i < 300000; i++) print "T0|w(x" i % 100 ")|" i; print "rubbish" }' >late.std
: >empty.std
mkdir directory.std
head -c 150 one.trace >cut.trace
for f in late.std empty.std directory.std missing.std cut.trace; do
    for to in u.trace u.std u.rapidbin u.jsonl u.json u.std.gz u.ctp; do
        fails $to $f
    done
done
fails u.values novalues.std

check "a cut trace with --partial"
"$AUGUR" convert late.std -o x.trace 2>/dev/null # bad at its end: does not exist
expect_no_file x.trace
head -n 300000 late.std >long.std
converts long.std long.trace
head -c $(($(stat -c %s long.trace) / 2)) long.trace >half.trace
fails u.std half.trace
run "$AUGUR" convert half.trace --partial -o half.std
expect_status 0
expect_err "^augur: 'half.trace' is incomplete: the recording was cut off$"
expect_true "a beginning of it" [ "$(wc -l <half.std)" -gt 1000 ]
expect_true "the right beginning" cmp -s half.std <(head -n "$(wc -l <half.std)" long.std)
run "$AUGUR" show -s --partial half.trace
expect_status 0
expect_out 'binary, incomplete'

check "outputs that cannot be written"
run "$AUGUR" convert long.std -o /dev/full --to std
expect_status 2
expect_err "^augur: cannot write '/dev/full': No space left on device$"
run "$AUGUR" convert long.std -o /dev/full --to binary
expect_status 2
run "$AUGUR" convert t.std -o nowhere/u.std
expect_status 2
expect_err "^augur: cannot write 'nowhere/u.std': No such file or directory$"
run "$AUGUR" convert t.std -o directory.std
expect_status 2
expect_err "directory"

check "a full disk keeps the old file"
if [ -n "$SANITIZED" ]; then
    limit=64 # sanitizers write no files, the limit is in KiB as without them
else
    limit=64
fi
for to in u.trace u.std u.jsonl u.json u.rapidbin; do
    rm -rf d && mkdir d
    echo old >d/$to
    (ulimit -f $limit && exec "$AUGUR" convert long.std --no-pack -o d/$to) >.lib/out 2>.lib/err </dev/null
    status=$? au_command="convert long.std -o $to with ulimit -f"
    err=$(cat .lib/err)
    expect_status 2
    expect_err "File too large"
    expect_true "only the old file: $(ls d)" [ "$(ls -A d)" = "$to" ]
    expect_true "the old file as it was" [ "$(cat d/$to)" = old ]
done

check "special outputs"
run "$AUGUR" convert t.std -o /dev/null --to std
expect_status 0
expect_true "/dev/null is still there" [ -c /dev/null ]
ln -s target.std link.std
converts t.std target.std
converts t.std link.std
expect_true "a link stays a link" [ -L link.std ]
expect_same target.std t.std
