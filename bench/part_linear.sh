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
for ((round = 0; round < rounds; round++)); do
    time_command atom "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/tsp.trace"
    time_command atom-std "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/tsp.std"
    time_command atom-tenth "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/tsp-tenth.trace"
    time_command elevator "$dir/checked" "${check[@]}" --stream --prop atomicity "$dir/elevator.trace"
    time_command hb "$dir/checked" "${check[@]}" --stream --prop race "$dir/tsp.trace"
    time_command hb-tenth "$dir/checked" "${check[@]}" --stream --prop race "$dir/tsp-tenth.trace"
    time_command syncp "$dir/checked" "${check[@]}" --prop race "$dir/random.trace"
    time_command cycles "$dir/checked" "${check[@]}" --stream --prop deadlock "$dir/random.trace"
    time_command read-tsp "$AUGUR" show --quiet --summary "$dir/tsp.trace"
    time_command wc-tsp wc -l "$dir/tsp.std"
    time_command read-random "$AUGUR" show --quiet --summary "$dir/random.trace"
done

cat <<EOF

## Prediction in linear time: tsp shape with $tsp_events events, random trace with $random_events

Wall-clock time on one core of \`augur check --stream --prop atomicity|race|deadlock\` (sync-preserving races without \`--stream\`), reading
included, of generated traces.
EOF
headed "time, compared"
if [ "$tsp_events" -eq 11000000 ]; then
    atom_target=0.6 std_target=1.5
else
    atom_target=- std_target=-
fi
takes atom "atomicity, tsp, from binary" $atom_target read-tsp "show --summary"
takes atom-std "atomicity, tsp, from STD text" $std_target wc-tsp "wc -l"
takes elevator "atomicity, elevator (50 locks)" 1 read-tsp "show --summary of tsp"
events=$tsp_events
speed hb "races by happens-before, tsp" 20 read-tsp "show --summary"
events=$random_events
# schedules and the search for cycles have budgets of their own: not a matter of so few events
speed syncp "sync-preserving races, random" "$([ -z "$quick" ] && echo 2 || echo -)" read-random "show --summary"
speed cycles "lock-order cycles, random" "$([ -z "$quick" ] && echo 10 || echo -)" read-random "show --summary"
for what in atom hb; do
    now=$(mib $what) before=$(mib $what-tenth)
    limit=$(awk -v b="$before" 'BEGIN { printf "%.1f", b * 1.1 + 2 }')
    [ -z "$quick" ] || limit=- # a tenth is too few to have seen everything
    row "$what, resident at $tsp_events events" "<=" "$limit" MiB "$now" '' \
        "$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%.2f", a / b }') × at a tenth of them"
done

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
