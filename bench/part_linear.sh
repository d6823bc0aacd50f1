# bench/part_linear.sh: prediction on traces in linear time (sourced by run.sh).
# The tsp shape is the largest run of seed 001: 11M events, 20 threads, 1510 variables,
# 2 locks; the paper's tool took 12.6 s on it, on a 2.16 GHz machine. The elevator shape
# is its slowest: 78k events, 50 locks; 26.2 s there.
tsp_events=11000000 random_events=10000000
[ "$rounds" -ge 5 ] || tsp_events=2000000 random_events=1000000
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

| what | target | measured | by CPU time | time, compared | |
|---|---|---|---|---|---|
EOF
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
speed syncp "sync-preserving races, random" 2 read-random "show --summary"
speed cycles "lock-order cycles, random" 10 read-random "show --summary"
for what in atom hb; do
    now=$(mib $what) before=$(mib $what-tenth)
    row "$what, resident at $tsp_events events" "<=" \
        "$(awk -v b="$before" 'BEGIN { printf "%.1f", b * 1.1 + 2 }')" MiB "$now" '' \
        "$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%.2f", a / b }') × at a tenth of them"
done
