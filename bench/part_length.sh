# bench/part_length.sh: long runs of which little is distinct, beside ThreadSanitizer (sourced by run.sh).
# Programs of others (length_real.sh), and one program of our own (bench/programs/long.c) at several lengths, LENGTH_SIZES in millions of events (1000 takes
# minutes). ThreadSanitizer looks on while the program runs; augur records it, then checks the recording: both times are
# given. The first thing that the threads do is a race and so is the last: both have to be found.
length_dir=$dir/length
mkdir -p "$length_dir"
: "${LENGTH_SIZES:=10 100 1000}"
[ -z "$quick" ] || LENGTH_SIZES='10 20'
read -ra length_sizes <<<"$LENGTH_SIZES"
gcc -O2 -g -fsanitize=thread -pthread bench/programs/long.c -o "$length_dir/long.tsan"
"$AUGUR" cc -O2 -g -pthread bench/programs/long.c -o "$length_dir/long"
# checked KEY TRACE OPTIONS...: one check; what it printed is in KEY.out
checked() {
    local key=$1 trace=$2
    shift 2
    # findings are status 1, which time_command takes for a failure; a program of others may have none, or open questions
    local ends=${any_status:+0|3|}1
    time_command "$key" bash -c 'ends=$0; "$@"; [[ $? =~ ^($ends)$ ]]' "$ends" "$AUGUR" check --quiet "$@" -o "$length_dir/$key.out" "$trace"
}
length_names=() length_skipped=("pigz, lbzip2, sqlite, iperf3: not with --quick")
length_rounds=$((rounds < 2 ? rounds : 2))
for size in "${length_sizes[@]}"; do
    # ten events a round of the two threads
    "$AUGUR" record --quiet -o "$length_dir/$size.trace" "$length_dir/long" 2 $((size * 100000)) >/dev/null
    for ((round = 0; round < length_rounds; round++)); do
        two=("${on[@]}") on=()
        time_command "length-tsan-$size" env TSAN_OPTIONS="exitcode=0 log_path=$length_dir/tsan.log" "$length_dir/long.tsan" 2 $((size * 100000))
        time_command "length-record-$size" "$AUGUR" record --quiet -o "$length_dir/$size.trace" "$length_dir/long" 2 $((size * 100000))
        on=("${two[@]}")
        checked "length-linear-$size" "$length_dir/$size.trace" --stages lockset
        checked "length-whole-$size" "$length_dir/$size.trace"
    done
done

# shellcheck source=/dev/null
[ -n "$quick" ] || . bench/length_real.sh

cat <<EOF2

## Long runs

Seconds of a run of \`bench/programs/long.c\` with two threads, and of programs of others (\`bench/length_real.sh\`; their whole check has
\`--budget 60\`), under ThreadSanitizer (gcc -O2), of \`augur record\`, of the linear stages
(\`augur check --stages lockset\`) and of the whole check, and what the check takes in memory. Of repeated accesses a long recording keeps the first and
the last ([check.md](check.md)).

| million events | TSan, s | record, s | linear stages, s | whole check, s | linear + record / TSan | recording, KiB | memory, MiB |
|---|---|---|---|---|---|---|---|
EOF2
for size in "${length_sizes[@]}"; do
    awk -v size="$size" -v t="${best[length-tsan-$size]}" -v r="${best[length-record-$size]}" \
        -v l="${best[length-linear-$size]}" -v w="${best[length-whole-$size]}" -v m="$(mib "length-whole-$size")" \
        -v b="$(stat -c %s "$length_dir/$size.trace")" \
        'BEGIN { printf "| %d | %.2f | %.2f | %.2f | %.2f | %.1f | %.0f | %.1f |\n", size, t, r, l, w, (l + r) / t, b / 1024, m }'
done
for name in "${length_names[@]}"; do
    awk -v name="$name" -v e="${length_events[$name]}" -v t="${best[length-tsan-$name]}" -v r="${best[length-record-$name]}" \
        -v l="${best[length-linear-$name]}" -v w="${best[length-whole-$name]}" -v m="$(mib "length-whole-$name")" \
        -v b="$(stat -c %s "$length_dir/$name.trace")" \
        'BEGIN { printf "| %s, %.1f | %.2f | %.2f | %.2f | %.2f | %.1f | %.0f | %.1f |\n", name, e / 1e6, t, r, l, w, (l + r) / t, b / 1024, m }'
done
echo '<!-- plot: bars columns="TSan, s|record, s|linear stages, s|whole check, s" log title="Seconds, logarithmic" -->'
headed "ThreadSanitizer's run"
for size in "${length_sizes[@]}"; do
    events=$((size * 1000000))
    speed=$(per_second "${cpu[length-linear-$size]}")
    row "linear stages, $size M events" ">=" 10 "M events/s of CPU" "$speed" "$speed" \
        "$(ratio "length-linear-$size" "length-tsan-$size") × its time"
    takes "length-whole-$size" "whole check, $size M events" 60 "length-tsan-$size" "its time"
    row "memory, $size M events" "<=" 600 MiB "$(mib "length-whole-$size")" '' ''
    found=0
    for race in first last; do
        ! grep -q "proved *race on '$race'" "$length_dir/length-linear-$size.out" || found=$((found + 1))
    done
    row "races at both ends of $size M events, proved" ">=" 2 races "$found" '' ''
done
for name in "${length_names[@]}"; do
    events=${length_events[$name]}
    if [ "$name" = pigz ]; then # few events, but of much memory
        takes "length-linear-$name" "linear stages, $name" 5 "length-tsan-$name" "its time"
    else
        speed=$(per_second "${cpu[length-linear-$name]}")
        row "linear stages, $name" ">=" 10 "M events/s of CPU" "$speed" "$speed" "$(ratio "length-linear-$name" "length-tsan-$name") × its time"
    fi
    takes "length-whole-$name" "check --budget $length_budget, $name" $((length_budget + length_budget / 10)) "length-tsan-$name" "its time"
    takes "length-run-$name" "run --budget $length_run, $name" "$(awk -v s=$length_run -v r="${best[length-record-$name]}" 'BEGIN { print s * 1.1 + r }')" "length-tsan-$name" "its time"
    row "memory, $name" "<=" 600 MiB "$(mib "length-whole-$name")" '' ''
done
# exponent KEY...: of the growth from the smallest to the largest length
exponent() {
    awk -v a="$1" -v b="$2" -v n="${length_sizes[0]}" -v m="${length_sizes[-1]}" \
        'BEGIN { printf "%.2f", log(b / a) / log(m / n) }'
}
row "growth of the linear stages' time" "<=" 1.1 exponent \
    "$(exponent "${cpu[length-linear-${length_sizes[0]}]}" "${cpu[length-linear-${length_sizes[-1]}]}")" '' ''
row "growth of the whole check's memory" "<=" 0.2 exponent \
    "$(exponent "${peak[length-whole-${length_sizes[0]}]}" "${peak[length-whole-${length_sizes[-1]}]}")" '' ''
for what in "${length_skipped[@]}"; do
    echo
    echo "skipped: $what"
done
