# bench/scan_real.sh: the static half on memcached, zstd and pbzip2 from Debian's sources, built by
# augur cc; sourced by part_scan.sh. Memory is of all processes together. What cannot be had is skipped, visibly.
scan_home=$dir/scan_real
mkdir -p "$scan_home"
# scan_build NAME PACKAGE HEADER COMMAND...: true, and NAME.program made by COMMAND in its sources
scan_build() {
    local name=$1 package=$2 header=$3 why
    shift 3
    if [ -n "$header" ] && ! echo "#include <$header>" | gcc -x c -fsyntax-only - 2>/dev/null; then
        echo "skipped: $name: <$header> is not installed" >&2
        return 1
    fi
    if ! why=$(tools/source.sh "$package" "$scan_home/$name"); then
        echo "skipped: $name: $why" >&2
        return 1
    fi
    if ! (cd "$scan_home/$name" && "$@") >"$scan_home/$name.log" 2>&1; then
        echo "bench: '$name' cannot be built: $(tail -n 1 "$scan_home/$name.log")" >&2
        exit 1
    fi
}
scan_tool=$(realpath "$AUGUR")
scan_pbzip2() { make -j2 CC="$scan_tool cc" CXX="$scan_tool c++ -w -Wno-reserved-user-defined-literal" pbzip2 && cp pbzip2 ../pbzip2.program; }
scan_zstd() { make -C programs -j2 CC="$scan_tool cc" zstd && cp programs/zstd ../zstd.program; }
scan_memcached() { ./configure CC="$scan_tool cc" && make -j2 memcached && cp memcached ../memcached.program; }

# scan_watch FILE PID: the most memory (PSS, KiB) of a process and its children until it ends
scan_watch() {
    local most=0 now p
    while kill -0 "$2" 2>/dev/null; do
        now=0
        for p in "$2" $(pgrep -P "$2"); do
            now=$((now + $(awk '/^Pss:/ { print $2 }' "/proc/$p/smaps_rollup" 2>/dev/null || echo 0)))
        done
        [ $now -le $most ] || most=$now
        sleep 0.5
    done
    echo $most >"$1"
}

echo
echo "### Real programs, scanned"
echo
echo "| program | threads | steps | conflicts | after fork/join | locksets | witnessed | undecided | s | MiB |"
echo "|---|---|---|---|---|---|---|---|---|---|"
scan_slowest=0 scan_largest=0
for scan_row in 'pbzip2 pbzip2 bzlib.h' 'zstd libzstd' 'memcached memcached event.h'; do
    read -r name package header <<<"$scan_row"
    scan_build "$name" "$package" "$header" "scan_$name" || continue
    scan_begun=$EPOCHREALTIME scan_status=0
    "$AUGUR" scan --format json -o "$dir/scan.json" "$scan_home/$name.program" &
    scan_pid=$!
    scan_watch "$dir/scan.memory" $scan_pid &
    wait $scan_pid || scan_status=$?
    s=$(awk -v a="$scan_begun" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
    wait $!
    [ "$scan_status" -le 1 ] || {
        echo "bench: '$name' could not be scanned" >&2
        exit 1
    }
    mib=$(($(cat "$dir/scan.memory") / 1024))
    scan_field() { sed -n "s/.*\"race\": {.*\"$1\": \([0-9]*\).*/\1/p" "$dir/scan.json" | head -n 1; }
    told=$(sed -n 's/.* functions (.*), \([0-9]*\) threads, \([0-9]*\) steps.*/\1 | \2/p' "$dir/scan.json" | head -n 1)
    shown=$(grep -c '"status": "proved"' "$dir/scan.json" || true)
    open=$(grep -c '"status": "possible"' "$dir/scan.json" || true)
    echo "| $name | $told | $(scan_field candidates) | $(scan_field must-hb) | $(scan_field lockset) | $shown | $open | $(seconds "$s") | $mib |"
    scan_slowest=$(awk -v a="$scan_slowest" -v b="$s" 'BEGIN { print (a > b ? a : b) }')
    scan_largest=$((mib > scan_largest ? mib : scan_largest))
done
echo
echo "| what | target | measured | | | |"
echo "|---|---|---|---|---|---|"
row "memcached, zstd, pbzip2: longest" "<=" 600 s "$(seconds "$scan_slowest")" "" ""
row "… and the most memory, all processes" "<=" 4096 MiB "$scan_largest" "" ""
