#!/usr/bin/env bash
# Bad input: a message with its place, exit status 2, no output file, no crash.
. "$(dirname "$0")/lib.sh"

# refused FILE PATTERN: neither shown nor converted, one message that matches.
refused() {
    local how
    for how in "show $1" "show --summary $1" "convert $1 -o out.std" "convert $1 -o out.trace"; do
        # shellcheck disable=SC2086
        run "$AUGUR" $how
        expect_status 2
        expect_no_out
        expect_err "$2"
        expect_true "one line on stderr of $how: $err" [ "$(wc -l <.lib/err)" -eq 1 ]
        expect_true "no output file after $how: $(ls -A)" [ -z "$(find . -maxdepth 1 -name '*out.*')" ]
    done
}
# std TEXT PATTERN
std() {
    printf "$1" >bad.std
    refused bad.std "$2"
}

check "a release by a thread that does not hold the lock"
std 'T1|rel(m)|1\n' "^bad.std:1: thread 'T1' releases 'm', which nobody holds$"
std 'T1|acq(m)|1\nT2|rel(m)|2\n' "^bad.std:2: thread 'T2' releases 'm', which thread 'T1' holds$"
std 'T1|acq(m)|1\nT1|rel(m)|2\nT1|rel(m)|3\n' "^bad.std:3: .*releases 'm', which nobody holds$"

check "an acquire of a lock that another thread holds"
std 'T1|acq(m)|1\nT2|acq(m)|2\n' "^bad.std:2: thread 'T2' acquires 'm' while thread 'T1' holds it$"
std 'T1|acq(m)|1\nT1|acq(m)|2\nT1|rel(m)|3\nT2|acq(m)|4\n' "^bad.std:4: .*while thread 'T1' holds it$"

check "recursion and locks held at the end are fine"
printf 'T1|acq(m)|1\nT1|acq(m)|2\nT1|rel(m)|3\n' >good.std
run "$AUGUR" show good.std
expect_status 0
expect_no_err

check "joins and forks that cannot be"
std 'T1|r(x)|1\nT1|join(T9)|2\n' "^bad.std:2: thread 'T9' is joined, but has no fork and no event$"
std 'T2|r(x)|1\nT1|fork(T2)|2\n' "^bad.std:2: thread 'T2' is forked after its first event$"
std 'T1|fork(T2)|1\nT1|join(T2)|2\nT2|r(x)|3\n' "^bad.std:3: thread 'T2' has an event after its join$"
std 'T1|fork(T1)|1\n' "^bad.std:1: thread 'T1' forks itself$"
std 'T1|fork(T2)|1\nT1|fork(T2)|2\n' "^bad.std:2: thread 'T2' is forked twice; try '--lenient', "

check "an end without a begin"
std 'T1|r(x)|1\nT1|end|2\n' "^bad.std:2: thread 'T1' has an end without a begin$"
std 'T1|begin|1\nT2|end|2\n' "^bad.std:2: thread 'T2' has an end without a begin$"

check "lines that are not events"
std 'T1|r(x)|1\n\nT1|r(x)|2\n' "^bad.std:2: blank line$"
std 'T1|r(x)|1\nT1|foo(x)|2\n' "^bad.std:2: unknown operation 'foo'$"
std 'T1|r(x)|1\nT1|r(x|2\n' "^bad.std:2: missing '\\)'"
std 'T1|r(x)|1\nnonsense\n' "^bad.std:2: "

check "empty files of every kind"
for name in bad.std bad.trace bad.rapidbin bad.values; do
    : >$name
    refused $name "$name"
done
for packer in gzip zstd; do
    printf '' | $packer -c >bad.std.$packer
    mv bad.std.$packer bad.std.packed
    refused bad.std.packed "bad.std.packed"
done

# A good binary trace, small enough to try every byte of it.
"$AUGUR" gen --quiet --events 24 --threads 2 --locks 1 --vars 2 --seed 7 -o good.trace
size=$(stat -c %s good.trace)

# Fast ways to spoil a file that must be refused: status 2 and one line, or counted.
spoiled=0 accepted=0
try_spoilt() {
    spoiled=$((spoiled + 1))
    "$AUGUR" convert bad.trace -o out.std >.lib/out 2>.lib/err </dev/null
    status=$? au_command="convert of a trace with $1"
    if [ $status -eq 0 ]; then
        accepted=$((accepted + 1))
        rm -f out.std
    elif [ $status -ne 2 ] || [ "$(wc -l <.lib/err)" -ne 1 ] || [ -e out.std ]; then
        fail "$1: status $status, stderr: $(head -c 400 .lib/err)"
    fi
}

check "a trace cut off at any length"
for ((n = 0; n < size; n++)); do
    head -c $n good.trace >bad.trace
    try_spoilt "its first $n of $size bytes"
done
expect_true "all $spoiled refused, not $accepted accepted" [ $accepted -eq 0 ]
expect_true "there were some" [ $spoiled -gt 100 ]

check "a trace with any byte changed"
spoiled=0 accepted=0
step=1
[ -z "$SANITIZED" ] || step=3
for ((n = 0; n < size; n += step)); do
    old=$(od -An -tu1 -j $n -N 1 good.trace)
    cp good.trace bad.trace
    printf "\\$(printf %03o $((old ^ (1 << n % 8))))" |
        dd of=bad.trace bs=1 seek=$n conv=notrunc status=none
    try_spoilt "a bit of byte $n changed"
done
expect_true "all $spoiled refused, not $accepted accepted" [ $accepted -eq 0 ]

check "bytes after the end of a trace"
{ cat good.trace; printf 'x'; } >bad.trace
refused bad.trace "bad.trace"

check "a version from the future"
{ head -c 8 good.trace; printf '\002\0\0\0'; tail -c +13 good.trace; } >bad.trace
refused bad.trace "bad.trace.*version 2"

check "headers that claim gigabytes cost no memory"
if [ -n "$SANITIZED" ]; then
    skip "sanitizers reserve address space"
else
    # Frame header at 16: raw at +8, stored at +12, count at +16.
    for field in 24 28 32; do
        cp good.trace bad.trace
        printf '\377\377\377\177' | dd of=bad.trace bs=1 seek=$field conv=notrunc status=none
        run bash -c 'ulimit -v 400000; exec "$0" show bad.trace' "$AUGUR"
        expect_status 2
        expect_no_out
        expect_err "bad.trace"
    done
    # RapidBin: i16 threads, i32 locks, i32 variables, i64 events, then no event.
    printf '\177\377\177\377\377\377\177\377\377\377\177\377\377\377\377\377\377\377' >bad.rapidbin
    run bash -c 'ulimit -v 400000; exec "$0" show bad.rapidbin' "$AUGUR"
    expect_status 2
    expect_no_out
    expect_err "bad.rapidbin"
fi

check "a packed input that unpacks to a huge line costs no more than it must"
if [ -n "$SANITIZED" ]; then
    skip "sanitizers reserve address space"
else
    head -c 300000000 /dev/zero | tr '\0' a | zstd -q -c >bad.std.zst
    run bash -c 'ulimit -v 400000; exec "$0" show bad.std.zst' "$AUGUR"
    expect_status 2
    expect_no_out
    expect_err "bad.std.zst"
fi

check "models that are not models"
# ctp TEXT PATTERN
ctp() {
    printf "$1" >bad.ctp
    local how
    for how in "show bad.ctp" "oracle bad.ctp" "convert bad.ctp -o out.ctp"; do
        # shellcheck disable=SC2086
        run "$AUGUR" $how
        expect_status 2
        expect_no_out
        expect_err "$2"
        expect_no_file out.ctp
    done
}
ctp 'shared x = \n' '^bad.ctp:[12]:[0-9]+: '
ctp 'thread T1 { x := }\n' '^bad.ctp:1:18: '
ctp 'thread T1 { acq nothing }\n' "^bad.ctp:1:17: .*'nothing'"
ctp 'thread T1 { a := 1\n' '^bad.ctp:'
ctp '\377\376\n' '^bad.ctp:1:1: '
