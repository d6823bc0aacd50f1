#!/usr/bin/env bash
# Real programs: Debian's sources of pbzip2, zstd and memcached, built through their own build
# systems by augur cc, a real job recorded, the recording validated and replayed.
#
# `make check` takes small jobs, and replays only pbzip2's; `make nightly` (NIGHTLY set) takes
# 20 MB and replays all. Every recording is retraced: each event must be the one that the program's
# bitcode makes (docs/retrace.md). The sources come from `apt-get source`; REAL_SOURCES=DIR names a directory that
# holds them (*.dsc and what belongs to it) already. Without sources, or without what a
# program needs, its checks are skipped.
# SANITIZED: no, because programs and tools of others take the time; record, replay and retrace run sanitized
. "$(dirname "$0")/lib.sh"

NIGHTLY=${NIGHTLY:-}


# ---- jobs ----

size=2500000
[ -z "$NIGHTLY" ] || size=20000000
# Text that compresses about as well as text does, the same every time.
awk -v n=$size 'BEGIN { s = 7
    while (k < n) { s = (s * 1103515245 + 12345) % 2147483648
        line = "event " int(s / 65536) " of thread " s % 13 " at line " s % 977
        print line; k += length(line) + 1 } }' | head -c $size >input

# The tool looks for its parts beside itself.
cp "$(dirname "$AUGUR")/tests/code/retrace" "$TMP/retrace"
ln -s "$(dirname "$AUGUR")/augur-llvm.so" "$TMP/augur-llvm.so"
# followed TRACE: retraced to its end, every event checked
followed() {
    run timeout 1800 "$TMP/retrace" "$@"
    expect_status 0
    case $out in
    *mismatch:* | *cut:*) fail "$(grep -E 'mismatch|cut' <<<"$out")" ;;
    esac
    [ "$(sed -n 's/^events //p' <<<"$out")" = "$(sed -n 's/^followed //p' <<<"$out")" ] ||
        fail "not all events followed: $out"
}
# traced NAME COMMAND...: records and retraces
traced() {
    local name=$1
    shift
    run timeout 1200 "$AUGUR" record -o "$name.trace" "$@"
    expect_status 0
    followed "$name.trace" --values
    followed "$name.trace"
    rm -f "$name.trace"
}

# job NAME OUTPUT COMMAND...: records, validates and replays a command that writes OUTPUT.
job() {
    local name=$1 output=$2
    shift 2
    rm -f "$output"
    run timeout 1200 "$AUGUR" record -o "$name.trace" "$@"
    expect_status 0
    expect_err 'augur: [0-9]+ threads, [0-9]+ events'
    mv "$output" "$output.recorded" || fail "no output"
    run timeout 1200 "$AUGUR" show --lint "$name.trace"
    expect_status 0
    expect_out '^no problems in [0-9]+ events'
    run timeout 1200 "$AUGUR" replay "$name.trace"
    expect_status 0
    expect_err '^augur: identical: '
    expect_same "$output" "$output.recorded"
    decoded "$name.trace"
    rm -f "$name.trace"
}

# decoded RECORDING: every module of the program decodes to well-formed code
mkdir -p bin
cp "$(dirname "$AUGUR")/tests/code/codes_list" bin/
ln -sf "$(dirname "$AUGUR")/augur-llvm.so" bin/
decoded() {
    run timeout 1200 bin/codes_list "$1"
    expect_status 0
    expect_out ': decoded, [0-9]+ functions$'
    expect_true "modules that were not decoded: $(grep -v ': decoded, [0-9]* functions$' .lib/out)" \
        test "$(grep -vc ': decoded, [0-9]* functions$' .lib/out)" -eq 0
}

if ! command -v clang-19 >/dev/null || ! command -v dpkg-source >/dev/null; then
    check "real programs"
    skip "clang-19 or dpkg-dev is not installed"
    exit 0
fi

check "pbzip2 is built by its Makefile"
if ! compiles '#include <bzlib.h>'; then
    skip "libbz2-dev is not installed"
elif ! get pbzip2 pbzip2; then
    skip "$why"
else
    # its string literals are not those of C++11: clang says so of itself
    run make -s -C pbzip2 -j "$jobs" CC="$AUGUR cc" \
        CXX="$AUGUR c++ -Wno-reserved-user-defined-literal -w" pbzip2
    expect_status 0
    expect_no_err
    prog=pbzip2/pbzip2

    check "pbzip2 compresses, recorded and replayed"
    job compress input.bz2 $prog -q -k -p2 -1 input
    expect_true "the input comes back" cmp -s input <(bzip2 -dc input.bz2)

    check "pbzip2 decompresses, recorded and replayed"
    mkdir -p back
    cp input.bz2 back/
    job decompress back/input $prog -q -k -d -p2 back/input.bz2
    expect_same input back/input
fi

check "zstd is built by its Makefile"
if ! get libzstd zstd; then
    skip "$why"
else
    run make -s -C zstd/programs -j "$jobs" CC="$AUGUR cc" zstd
    expect_status 0
    expect_no_err
    prog=zstd/programs/zstd

    if [ -n "$NIGHTLY" ]; then
        check "zstd compresses with two threads, recorded and replayed"
        job compress input.zst $prog -q -T2 input -o input.zst
        expect_true "the input comes back" cmp -s input <(zstd -dcq input.zst)

        check "zstd decompresses, recorded and replayed"
        job decompress back.zst $prog -q -d input.zst -o back.zst
        expect_same input back.zst
    else
        head -c 200000 input >small
        check "zstd compresses with two threads, recorded and retraced"
        traced compress $prog -q -T2 small -o small.zst
        check "zstd decompresses, recorded and retraced"
        traced decompress $prog -q -d small.zst -o small.back
        expect_same small small.back
    fi
fi

check "memcached is built by its configure script"
port=$((20000 + $$ % 20000))
wait_for_port() {
    wait_for eval '{ exec 8<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null && exec 8>&-' || fail "memcached does not listen"
}
if ! compiles '#include <event.h>'; then
    skip "libevent-dev is not installed"
elif ! get memcached memcached; then
    skip "$why"
else
    cd memcached
    run ./configure CC="$AUGUR cc"
    expect_status 0
    run make -s -j "$jobs" memcached
    expect_status 0
    cd ..

    check "memcached serves clients, recorded"
    "$AUGUR" record -o served.trace memcached/memcached -u "$(id -un)" -l 127.0.0.1 -p $port -t 4 \
        >served.out 2>&1 &
    server=$!
    wait_for_port
    values=60
    [ -z "$NIGHTLY" ] || values=400
    cat >client.sh <<'END'
# so many values set and got again, through one connection
exec 8<>"/dev/tcp/127.0.0.1/$1"
for i in $(seq "$3"); do
    v="value $i of client $2"
    printf 'set key%s-%d 0 0 %d\r\n%s\r\n' "$2" "$i" "${#v}" "$v" >&8
    IFS= read -r answer <&8
    [ "$answer" = $'STORED\r' ] || exit 1
    printf 'get key%s-%d\r\n' "$2" "$i" >&8
    IFS= read -r head <&8
    IFS= read -r got <&8
    IFS= read -r end <&8
    [ "$got" = "$v"$'\r' ] || exit 2
done
END
    clients=()
    for c in 1 2 3; do
        timeout 1200 bash client.sh $port $c $values &
        clients+=($!)
    done
    for c in "${clients[@]}"; do
        wait "$c" || fail "a client got a wrong answer: status $?"
    done
    if [ -n "$NIGHTLY" ] && command -v memcslap >/dev/null; then
        timeout 1200 memcslap -s 127.0.0.1:$port --concurrency=4 --execute-number=500 --test=set >slap 2>&1 ||
            fail "memcslap: $(tail -1 slap)"
    fi
    kill -TERM $server
    wait $server
    status=$? au_command="augur record memcached"
    err=$(cat served.out)
    expect_status 0
    grep -q 'augur: [0-9]* threads, [0-9]* events' served.out || fail "no recording: $err"
    run timeout 1200 "$AUGUR" show --lint served.trace
    expect_status 0
    expect_out '^no problems in [0-9]+ events'
    decoded served.trace

    check "memcached is retraced"
    followed served.trace --values
    followed served.trace

    [ -n "$NIGHTLY" ] || exit 0
    check "memcached's replay is followed as far as its sockets allow, and says where it ends"
    run timeout 1200 "$AUGUR" replay served.trace
    if [ $status -ne 0 ]; then
        expect_err '^augur: diverged after [1-9][0-9]* of [0-9]+ events'
    else
        expect_err '^augur: identical: '
    fi
fi
