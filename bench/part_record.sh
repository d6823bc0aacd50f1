# bench/part_record.sh: recording beside ThreadSanitizer, helgrind and drd (sourced by run.sh).
# Every program is built natively by gcc -O2 and by clang-19 -O2, with ThreadSanitizer by both, and by
# `augur cc -O2`, which is also run without augur ('off'); helgrind and drd run the native one. The same input, outputs compared, trace writing
# included. augur lets one thread run at a time and compresses on the other core, so
# the table is for two cores, with the ratio on one core beside it.
record_dir=$dir/record
mkdir -p "$record_dir"
small=''
[ -z "$quick" ] || small=1
record_names=() record_skipped=()
declare -A record_args
# program NAME SOURCE ARGS: builds the five
program() {
    local name=$1 source=$2
    gcc -O2 -g -pthread "$source" -o "$record_dir/$name.native"
    clang-19 -O2 -g -pthread "$source" -o "$record_dir/$name.clang"
    gcc -O2 -g -fsanitize=thread -pthread "$source" -o "$record_dir/$name.tsan"
    clang-19 -O2 -g -fsanitize=thread -pthread "$source" -o "$record_dir/$name.tsan-clang"
    "$AUGUR" cc -O2 -g -pthread "$source" -o "$record_dir/$name.augur"
    record_args[$name]=$3
    record_names+=("$name")
}
program counter bench/programs/counter.c "4 ${small:+50000}"
program matrix bench/programs/matrix.c "4 ${small:+128}"
program queue bench/programs/queue.c "${small:+20000}"
# shellcheck source=/dev/null
[ -n "$quick" ] || . bench/record_real.sh
[ -z "$quick" ] || record_skipped+=("pbzip2, zstd, memcached: not with --quick")


# command_of VARIANT NAME: sets cmd
command_of() {
    local args program=$record_dir/$2.$1
    read -ra args <<<"${record_args[$2]}"
    case $1 in
    native | clang | tsan*) cmd=("$program") ;;
    off) cmd=("$record_dir/$2.augur") ;;
    helgrind | drd) cmd=(valgrind --quiet --tool="$1" --log-file=/dev/null "$record_dir/$2.native") ;;
    augur) cmd=("$AUGUR" record --quiet -o "$record_dir/$2.trace" "$program") ;;
    esac
    if [ "$2" = memcached ]; then
        cmd=("$record_dir/serve" "${cmd[@]}")
    else
        cmd+=("${args[@]}")
    fi
}
# The same answer from all, or the times mean nothing (the load of memcached checks its own).
for name in "${record_names[@]}"; do
    [ "$name" != memcached ] || continue
    command_of native "$name"
    "${cmd[@]}" >"$record_dir/native.out"
    for variant in clang tsan tsan-clang off augur; do
        command_of $variant "$name"
        "${cmd[@]}" 2>/dev/null | cmp -s - "$record_dir/native.out" || {
            echo "bench: '$name' ($variant) prints something else than the native program" >&2
            exit 1
        }
    done
done
# time_at_most NAME COMMAND...: as time_command; what is cut off after $record_limit counts as that long (drd takes longer
# than anybody waits for memcached, even for a tenth of this load).
record_limit=180
declare -A record_cut
time_at_most() {
    local name=$1 s c kib from=$EPOCHREALTIME
    shift
    read -r s c kib <<<"$(timeout -s KILL $record_limit "$measure" 1 "$@" || true)"
    if [ -z "${kib:-}" ] && awk -v a="$from" -v b="$EPOCHREALTIME" -v l=$record_limit 'BEGIN { exit !(b - a >= l) }'; then
        s=$record_limit c=$record_limit kib=0
        record_cut[$name]='> '
    fi
    keep "$name" "$s" "$c" "${kib:-}"
}
both=("${on[@]}")
record_rounds=$((rounds < 3 ? rounds : 3))
for cores in 2 1; do
    [ "$cores" = 1 ] && on=("${both[@]}") || on=()
    for ((round = 0; round < record_rounds; round++)); do
        for name in "${record_names[@]}"; do
            for variant in native clang tsan tsan-clang off augur; do
                command_of $variant "$name"
                time_command "$variant-$name-$cores" "${cmd[@]}"
            done
            # Slow and steady: once is enough.
            if [ "$round" -eq 0 ] && [ "$cores" = 2 ]; then
                for variant in helgrind drd; do
                    command_of $variant "$name"
                    time_at_most "$variant-$name-$cores" "${cmd[@]}"
                done
            fi
        done
    done
done
on=("${both[@]}")

cat <<EOF

## Recording beside ThreadSanitizer, helgrind and drd, two cores

Wall-clock seconds of the program alone (gcc -O2), with ThreadSanitizer by gcc and by clang-19 (-O2 -fsanitize=thread), under \`valgrind
--tool=helgrind\` and \`drd\` (once, cut off after $record_limit s: its ratios are then lower bounds), and under \`augur record\` (\`augur cc -O2\`), the trace written to disk. The outputs are the same.

| program | native, s | TSan gcc, s | TSan clang, s | helgrind, s | drd, s | augur record, s | augur / TSan gcc | on one core | augur / TSan clang | helgrind / augur | drd / augur | augur / native | hooks, M | ns a hook | bytes a hook | bytes a record |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOF
# value KEY FILE: a number out of `augur show --summary --format json`
value() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$2" | head -n 1; }
: >"$record_dir/ratios"
for name in "${record_names[@]}"; do
    "$AUGUR" show --quiet --summary --format json "$record_dir/$name.trace" >"$record_dir/summary"
    hooks=$(value hooks "$record_dir/summary")
    records=$(value records "$record_dir/summary")
    bytes=$(stat -c %s "$record_dir/$name.trace")
    awk -v name="$name" -v n="${best[native-$name-2]}" -v t="${best[tsan-$name-2]}" \
        -v h="${best[helgrind-$name-2]}" -v a="${best[augur-$name-2]}" \
        -v tc="${best[tsan-clang-$name-2]}" -v d="${best[drd-$name-2]}" -v t1="${best[tsan-$name-1]}" -v a1="${best[augur-$name-1]}" \
        -v hooks="${hooks:-0}" -v records="${records:-0}" -v bytes="$bytes" \
        -v hc="${record_cut[helgrind-$name-2]:-}" -v dc="${record_cut[drd-$name-2]:-}" \
        -v ratios="$record_dir/ratios" 'BEGIN {
        printf "| %s | %.3f | %.3f | %.3f | %s%.2f | %s%.2f | %.3f | %.2f | %.2f | %.2f | %s%.1f | %s%.1f | %.1f | %.1f | %.1f | %s | %s |\n",
            name, n, t, tc, hc, h, dc, d, a, a / t, a1 / t1, a / tc, hc, h / a, dc, d / a, a / n, hooks / 1e6, hooks ? a * 1e9 / hooks : 0,
            hooks ? sprintf("%.3f", bytes / hooks) : "?", records ? sprintf("%.1f", bytes / records) : "?"
        print a / t, a1 / t1, h / a, hooks ? bytes / hooks : 99, a / tc, d / a, a / n, t / n, tc / n, h / n, d / n >>ratios
    }'
done
# mean COLUMN: the geometric mean
mean() { awk -v c="$1" '{ s += log($c) } END { printf "%.2f", exp(s / NR) }' "$record_dir/ratios"; }
echo '<!-- plot: bars columns="native, s|TSan gcc, s|TSan clang, s|helgrind, s|drd, s|augur record, s" log title="Seconds, logarithmic" -->'
headed
row "recording against ThreadSanitizer, 2 cores, geometric mean of ${#record_names[@]} programs" "<=" 1 "× TSan's time" "$(mean 1)" '' "$(mean 2) × on one core"
row "recording against ThreadSanitizer by clang, geometric mean" "<=" - "× TSan's time" "$(mean 5)" '' ''
row "helgrind against recording, geometric mean" ">=" 5 "× augur's time" "$(mean 3)" '' ''
row "drd against recording, geometric mean" ">=" - "× augur's time" "$(mean 6)" '' ''
row "recording against the native program, geometric mean" "<=" - "× native" "$(mean 7)" '' "TSan by gcc $(mean 8), by clang $(mean 9), helgrind $(mean 10), drd $(mean 11)"
row "bytes a hook, geometric mean" "<=" 1 bytes "$(mean 4)" '' ''
cat <<EOF

## A program built by \`augur cc\` and run without augur

Wall-clock seconds on one core; and bytes of code (those of the runtime are in the program), bytes of the file,
each against clang-19 -O2 -g.

| program | gcc, s | clang, s | off, s | off / clang | code, clang | code, augur cc | code, × | file, × |
|---|---|---|---|---|---|---|---|---|
EOF
# code FILE: bytes of its machine code
code() { size -A "$1" | awk '$1 == ".text" || $1 == "augur_text" { n += $2 } END { print n }'; }
: >"$record_dir/off"
for name in "${record_names[@]}"; do
    awk -v name="$name" -v g="${best[native-$name-1]}" -v c="${best[clang-$name-1]}" -v o="${best[off-$name-1]}" \
        -v cc="$(code "$record_dir/$name.clang")" -v ca="$(code "$record_dir/$name.augur")" \
        -v fc="$(stat -c %s "$record_dir/$name.clang")" -v fa="$(stat -c %s "$record_dir/$name.augur")" \
        -v out="$record_dir/off" 'BEGIN {
        printf "| %s | %.3f | %.3f | %.3f | %.2f | %d | %d | %.2f | %.2f |\n", name, g, c, o, o / c, cc, ca, ca / cc, fa / fc
        print o / c >>out
    }'
done
headed
# Small inputs end before the start of the program is forgotten: no target there.
off_mean=1.10 off_worst=1.25
[ -z "$quick" ] || off_mean=- off_worst=-
row "built by augur cc, run without augur, geometric mean" "<=" "$off_mean" "× clang's time" \
    "$(awk '{ s += log($1) } END { printf "%.2f", exp(s / NR) }' "$record_dir/off")" '' ''
row "built by augur cc, run without augur, the slowest" "<=" "$off_worst" "× clang's time" \
    "$(awk '$1 > m { m = $1 } END { printf "%.2f", m }' "$record_dir/off")" '' ''
for what in "${record_skipped[@]}"; do
    echo
    echo "skipped: $what"
done
