# bench/length_real.sh: long runs of programs of others (sourced by part_length.sh): Debian's sources, or those of LENGTH_SOURCES
# (a directory with pigz, lbzip2, sqlite3, iperf3 unpacked in it), built by gcc with ThreadSanitizer and by `augur cc`. A program
# whose sources or libraries cannot be had is skipped, visibly; LENGTH_REAL names the programs, '' is none.
#   pigz     50 MB: few events, much memory; the exact stage would take for ever
#   lbzip2   1 MB: about 100 million events, a million shared variables, nothing that repeats
#   sqlite   threadtest4, two threads: locks, and memory that comes and goes
#   iperf3   -P2, ten seconds against a server that is not recorded; one thread a stream since 3.16
length_real=$length_dir/real
mkdir -p "$length_real"
length_names=() length_skipped=()
awk -v n=50000000 'BEGIN { s = 7
    while (k < n) { s = (s * 1103515245 + 12345) % 2147483648
        line = "event " int(s / 65536) " of thread " s % 13 " at line " s % 977
        print line; k += length(line) + 1 } }' >"$length_real/50M"
head -c 1000000 "$length_real/50M" >"$length_real/1M"
# long_program NAME PACKAGE HEADER: build_NAME makes ./program with $cc, run_NAME COMMAND... executes it
long_program() {
    local name=$1 package=$2 header=$3 why variant cc
    if [ -n "$header" ] && ! echo "#include <$header>" | gcc -x c -fsyntax-only - 2>/dev/null; then
        length_skipped+=("$name: <$header> is not installed")
        return 0
    fi
    if [ -d "${LENGTH_SOURCES:-/nowhere}/$package" ]; then
        cp -r "$LENGTH_SOURCES/$package" "$length_real/$name.source"
    elif ! why=$(tools/source.sh "$package" "$length_real/$name.source"); then
        length_skipped+=("$name: $why")
        return 0
    fi
    for variant in tsan augur; do
        cc="gcc -O2 -g -w -fsanitize=thread"
        [ $variant = tsan ] || cc="$(realpath "$AUGUR") cc -O2 -g -w"
        cp -r "$length_real/$name.source" "$length_real/$name.$variant"
        if ! (cd "$length_real/$name.$variant" && "build_$name") >"$length_real/$name.$variant.log" 2>&1; then
            length_skipped+=("$name ($variant): cannot be built: $(tail -n 1 "$length_real/$name.$variant.log")")
            return 0
        fi
        cp "$length_real/$name.$variant/program" "$length_real/$name-$variant"
    done
    length_names+=("$name")
}
build_pigz() { make CC="$cc" CFLAGS= pigz && cp pigz program; }
build_lbzip2() {
    if [ -f configure ]; then
        ./configure CC="$cc" CFLAGS= && make -j2 && cp src/lbzip2 program
    else # upstream's has CMake only
        $cc -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -DPACKAGE_NAME='"lbzip2"' -DPACKAGE_VERSION='"0"' src/*.c -o program -lpthread
    fi
}
build_sqlite() {
    mkdir -p made && cd made && ../configure --disable-tcl && make sqlite3.c &&
        $cc -DSQLITE_THREADSAFE=1 -I. ../test/threadtest4.c sqlite3.c -o ../program -lpthread -ldl -lm
}
build_iperf3() { ./configure CC="$cc" CFLAGS= --disable-shared --without-openssl && make -j2 -C src iperf3 && cp src/iperf3 program; }
# The program runs in a directory of its own: threadtest4 leaves databases.
cat >"$length_real/run" <<END
#!/usr/bin/env bash
# run NAME COMMAND...: the program's own arguments behind COMMAND
name=\$1
shift
cd "\$(mktemp -d -p "$length_real")" || exit
case \$name in
pigz) exec "\$@" -k -c -p 2 "$length_real/50M" >/dev/null ;;
lbzip2) exec "\$@" -k -c -n 2 "$length_real/1M" >/dev/null ;;
sqlite) exec "\$@" 2 >/dev/null ;;
iperf3)
    port=\$((20000 + \$\$ % 20000))
    "$length_real/iperf3-augur" -s -1 -p \$port >/dev/null 2>&1 &
    sleep 2
    "\$@" -c 127.0.0.1 -p \$port -P 2 -t 10 >/dev/null
    wait
    ;;
esac
true
END
chmod +x "$length_real/run"
for name in ${LENGTH_REAL-pigz lbzip2 sqlite iperf3}; do
    case $name in
    pigz) long_program pigz pigz zlib.h ;;
    sqlite) long_program sqlite sqlite3 '' ;;
    *) long_program "$name" "$name" '' ;;
    esac
done
length_budget=60 length_run=30
declare -A length_events
for name in "${length_names[@]}"; do
    trace=$(realpath "$length_dir")/$name.trace
    two=("${on[@]}") on=()
    time_command "length-tsan-$name" env TSAN_OPTIONS="exitcode=0 log_path=$(realpath "$length_dir")/tsan.log" "$length_real/run" "$name" "$(realpath "$length_real/$name-tsan")"
    time_command "length-record-$name" "$length_real/run" "$name" "$(realpath "$AUGUR")" record --quiet -o "$trace" "$(realpath "$length_real/$name-augur")"
    on=("${two[@]}")
    any_status=1
    checked "length-linear-$name" "$trace" --stages lockset
    checked "length-whole-$name" "$trace" --budget $length_budget
    any_status=
    # the recording has no limit; status 1: findings, 3: open questions
    time_command "length-run-$name" "$length_real/run" "$name" bash -c '"$@"; [[ $? =~ ^[013]$ ]]' run \
        "$(realpath "$AUGUR")" run --budget $length_run -o "$(realpath "$length_dir")/run-$name.out" "$(realpath "$length_real/$name-augur")"
    length_events[$name]=$(sed -n '1s/.*: \([0-9]*\) events.*/\1/p' "$length_dir/length-linear-$name.out")
done
