# bench/part_linear.sh: prediction on traces in linear time (sourced by run.sh).
# The tsp shape is the largest run of Farzan et al.: 11M events, 20 threads, 1510 variables,
# 2 locks; the paper's tool took 12.6 s on it, on a 2.16 GHz machine. The elevator shape
# is its slowest: 78k events, 50 locks; 26.2 s there.
tsp_events=11000000 random_events=10000000
[ -z "$quick" ] || tsp_events=1000000 random_events=500000
"$AUGUR" gen --quiet --shape tsp --events "$tsp_events" -o "$dir/tsp.trace"
"$AUGUR" convert --quiet "$dir/tsp.trace" -o "$dir/tsp.std"
"$AUGUR" gen --quiet --shape tsp --events $((tsp_events / 10)) -o "$dir/tsp-tenth.trace"
"$AUGUR" gen --quiet --shape elevator -o "$dir/elevator.trace"
"$AUGUR" gen --quiet --events "$random_events" --threads 8 --locks 20 --vars 2000 -o "$dir/random.trace"
check=("$AUGUR" check --quiet --most 1 --schedules 0 -o "$dir/answer")
# Findings are exit status 1: no failure here.
cat >"$dir/checked" <<'END'
#!/bin/sh
"$@" || [ $? -eq 1 ]
END
chmod +x "$dir/checked"
# What is compared with reading, each on the same trace in the same format: name, trace, options, target.
compared=("hb              tsp.trace    --stream --prop race      2 happens-before, tsp"
          "hb-random       random.trace --stream --prop race      2 happens-before, random"
          "hb-std          tsp.std      --stream --prop race      2 happens-before, tsp as STD text"
          "atom            tsp.trace    --stream --prop atomicity 2 atomicity, tsp"
          "atom-std        tsp.std      --stream --prop atomicity 2 atomicity, tsp as STD text"
          "atom-random     random.trace --stream --prop atomicity 2 atomicity, random"
          "syncp           random.trace --           --prop race  5 sync-preserving races, random"
          "syncp-tsp       tsp.trace    --           --prop race  5 sync-preserving races, tsp")
# time_cores NAME COMMAND...: on all cores
time_cores() {
    local one=("${on[@]}")
    on=()
    time_command "$@"
    on=("${one[@]}")
}
for ((round = 0; round < rounds; round++)); do
    for c in "${compared[@]}"; do
        read -r name trace stream prop what _ <<<"$c"
        [ "$stream" != -- ] || stream=--jobs=1
        time_command "$name" "$dir/checked" "${check[@]}" "$stream" "$prop" "$what" "$dir/$trace"
    done
    time_command atom-tenth "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/tsp-tenth.trace"
    time_command elevator "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/elevator.trace"
    time_command hb-tenth "$dir/checked" "${check[@]}" --stream --prop race "$dir/tsp-tenth.trace"
    time_command cycles "$dir/checked" "${check[@]}" --stream --prop deadlock "$dir/random.trace"
    for trace in tsp.trace tsp.std random.trace; do
        time_command "read-$trace" "$AUGUR" show --quiet --summary "$dir/$trace"
    done
    time_command wc-tsp wc -l "$dir/tsp.std"
    for jobs in 1 2; do
        for trace in random tsp; do
            time_cores "$trace-by-$jobs" "$dir/checked" "${check[@]}" --jobs $jobs --prop race "$dir/$trace.trace"
            time_cores "$trace-blocks-by-$jobs" "$dir/checked" "${check[@]}" --jobs $jobs --prop atomicity "$dir/$trace.trace"
        done
    done
done

cat <<EOF

## Prediction in linear time: tsp shape with $tsp_events events, random trace with $random_events

Wall-clock time on one core of \`augur check --stream --prop atomicity|race|deadlock\` (sync-preserving races without \`--stream\`), reading
included, of generated traces. Ratios to reading are those of CPU times; two processes run on two cores, and are judged by the wall clock.
EOF
headed "time, compared"
if [ "$tsp_events" -eq 11000000 ]; then
    atom_target=0.6 std_target=1.5
else
    atom_target=- std_target=-
fi
takes atom "atomicity, tsp, from binary" $atom_target read-tsp.trace "show --summary"
takes atom-std "atomicity, tsp, from STD text" $std_target wc-tsp "wc -l"
takes elevator "atomicity, elevator (50 locks)" 1 read-tsp.trace "show --summary of tsp"
events=$tsp_events
speed hb "races by happens-before, tsp" 20 read-tsp.trace "show --summary"
events=$random_events
# schedules and the search for cycles have budgets of their own: not a matter of so few events
speed syncp "sync-preserving races, random" "$([ -z "$quick" ] && echo 2 || echo -)" read-random.trace "show --summary"
speed cycles "lock-order cycles, random" "$([ -z "$quick" ] && echo 10 || echo -)" read-random.trace "show --summary"
# near the cost of reading: the same trace read and only counted, by the processor's time
cpu_ratio() { awk -v a="${cpu[$1]}" -v b="${cpu[$2]}" 'BEGIN { printf "%.2f", a / b }'; }
for c in "${compared[@]}"; do
    read -r name trace _ _ _ target title <<<"$c"
    [ -z "$quick" ] || target=-
    row "$title: CPU time, times reading" "<=" "$target" "×" "$(cpu_ratio "$name" "read-$trace")" \
        "$(seconds "${cpu[$name]}")" "show --summary: $(seconds "${cpu[read-$trace]}") s"
done
two=1.6
[ -z "$quick" ] && [ "$(nproc)" -ge 2 ] || two=-
for trace in random tsp; do
    for what in races:by "broken blocks:blocks-by"; do
        key=$trace-${what#*:}
        row "${what%:*} by two processes, $trace" ">=" $two "× as fast" "$(awk -v a="${best[$key-1]}" -v b="${best[$key-2]}" 'BEGIN { printf "%.2f", a / b }')" \
            "$(seconds "${cpu[$key-2]}")" "one: $(seconds "${cpu[$key-1]}") s"
    done
done
for what in atom hb; do
    now=$(mib $what) before=$(mib $what-tenth)
    limit=$(awk -v b="$before" 'BEGIN { printf "%.1f", b * 1.1 + 2 }')
    [ -z "$quick" ] || limit=- # a tenth is too few to have seen everything
    row "$what, resident at $tsp_events events" "<=" "$limit" MiB "$now" '' \
        "$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%.2f", a / b }') × at a tenth of them"
done

# What grows with locks and threads, not with events: each size is four times the one before.
nested_locks=16000 many_threads=5000
[ -z "$quick" ] || nested_locks=4000 many_threads=1000
# nest_trace N: one thread holds N locks at once, another comes after it
nest_trace() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) printf "T0|acq(l%d)|%d\n", i, 10 + i
        print "T0|w(y)|2"
        for (i = n; i-- > 0;) printf "T0|rel(l%d)|%d\n", i, 10 + i
        print "T1|w(y)|3"
    }'
}
# thread_trace N: N threads, one variable that they all access without a lock
thread_trace() {
    awk -v n="$1" 'BEGIN {
        for (i = 1; i <= n; i++) printf "T0|fork(T%d)|1\n", i
        for (i = 1; i <= n; i++) printf "T%d|r(y)|2\nT%d|w(y)|3\n", i, i
        for (i = 1; i <= n; i++) printf "T0|join(T%d)|4\n", i
    }'
}
for size in "$nested_locks" $((nested_locks / 4)); do
    nest_trace "$size" >"$dir/nest-$size.std"
    for prop in deadlock race atomicity; do
        for ((round = 0; round < rounds; round++)); do
            time_command "nest-$prop-$size" "$dir/checked" "${check[@]}" --prop $prop "$dir/nest-$size.std"
        done
    done
done
for size in "$many_threads" $((many_threads / 4)); do
    thread_trace "$size" >"$dir/threads-$size.std"
    for ((round = 0; round < rounds; round++)); do
        time_command "threads-$size" "$dir/checked" "${check[@]}" --prop race "$dir/threads-$size.std"
    done
done
# exponent NAME SIZE: how time grows from a quarter of it
exponent() { awk -v a="${cpu[$1-$2]}" -v b="${cpu[$1-$(($2 / 4))]}" 'BEGIN { printf "%.2f", log((a + .001) / (b + .001)) / log(4) }'; }
cat <<EOF

## Many locks, many threads

\`augur check --prop …\` on one thread that holds $nested_locks locks at once, and on $many_threads threads that all access one
variable; the exponent is that of the time from a quarter of them.
EOF
headed "growth from a quarter"
for prop in deadlock race atomicity; do
    row "$prop, $nested_locks nested locks" "<=" 1 s "$(seconds "${best[nest-$prop-$nested_locks]}")" \
        "$(seconds "${cpu[nest-$prop-$nested_locks]}")" "n^$(exponent nest-$prop "$nested_locks")"
done
row "races, $many_threads threads" "<=" 5 s "$(seconds "${best[threads-$many_threads]}")" \
    "$(seconds "${cpu[threads-$many_threads]}")" "n^$(exponent threads "$many_threads")"

# Table 1 of Farzan et al. Its Java programs are not to be had; a generated trace of the same threads, variables,
# locks and events stands for each run: raytracer is the same run (all counts are the paper's), tsp and
# elevator are shapes, the rest are random traces with atomic blocks, whose violations are of course others.
#            row           how it is made
linear_runs=("elevator-9K   --events 9000 --threads 3 --vars 32 --locks 8 --depth 3"
             "elevator-29K  --events 29000 --threads 5 --vars 32 --locks 8 --depth 3"
             "elevator-78K  --shape elevator"
             "raytracer-86  --shape raytracer --threads 10"
             "raytracer-160 --shape raytracer --threads 20"
             "raytracer-320 --shape raytracer --threads 40"
             "stack         --events 105 --threads 2 --vars 4 --locks 2"
             "vector        --events 107 --threads 2 --vars 4 --locks 2"
             "hedc-176      --events 176 --threads 10 --vars 6 --locks 2"
             "hedc-132      --events 132 --threads 10 --vars 6 --locks 2"
             "tsp-97        --events 97 --threads 3 --vars 30 --locks 2"
             "tsp-18K       --events 18000 --threads 8 --vars 50 --locks 2"
             "tsp-1.4M      --events 1400000 --threads 5 --vars 140 --locks 2"
             "tsp-2.5M      --events 2500000 --threads 10 --vars 140 --locks 2"
             "tsp-11M       --shape tsp")
cat <<EOF

## Farzan et al., table 1: atomicity of runs of this size

\`augur check --stream --prop atomicity\`, seconds of the processor, the best of $rounds, beside the paper's (2.16 GHz). The paper's
programs are Java and not to be had. *same*: the run itself, of which everything is known (raytracer); *shape*: a
generated trace with its threads, variables, locks, events and blocks; *size*: a random trace with its threads, variables,
locks and events. Only the counts of *same* can be compared, and must agree.

| run | made as | threads | variables | locks | events | measured, s | paper, s | violations | paper, w-r-w | paper, others |
|---|---|---|---|---|---|---|---|---|---|---|
EOF
for r in "${linear_runs[@]}"; do
    read -r name how <<<"$r"
    [ -z "$quick" ] || [ "$name" != tsp-11M ] || how="--shape tsp --events $tsp_events"
    atomic=--atomic kind=size
    case $how in
    *raytracer*) atomic='' kind=same ;;
    *--shape*) atomic='' kind=shape ;;
    esac
    # shellcheck disable=SC2086
    "$AUGUR" gen --quiet $how $atomic -o "$dir/run.trace"
    for ((round = 0; round < (rounds < 5 ? 1 : rounds); round++)); do
        time_command "run-$name" "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/run.trace"
    done
    "$dir/checked" "$AUGUR" check --quiet --schedules 0 --stream --prop atomicity --format json -o "$dir/run.json" "$dir/run.trace"
    read -r paper_s paper_wrw paper_others <<<"$(paper meta.1 "$name" s wrw others)"
    read -r found threads vars locks events <<<"$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
t = d["trace"]
print(d["funnel"]["atomicity"]["lockset"], t["threads"], t["vars"], t["locks"], t["events"])' "$dir/run.json")"
    if [ $kind = same ] && [ "$found" -ne "$paper_others" ]; then
        echo "bench: $name: $found violations where the paper has $paper_others" >&2
        exit 1
    fi
    echo "| $name | $kind | $threads | $vars | $locks | $events | $(printf '%.3f' "${cpu[run-$name]}") | $paper_s | $found | $paper_wrw | $paper_others |"
done
echo '<!-- plot: bars columns="measured, s|paper, s" log title="Seconds for one run, logarithmic; the machines differ" -->'
