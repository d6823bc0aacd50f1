# bench/part_trace.sh: reading, writing and generating traces (sourced by run.sh).
# The round before the first one counts: it makes the inputs and fills the page cache.
gen=("$AUGUR" gen --quiet --threads 8)
events=$((million * 1000000))
"${gen[@]}" --events "$events" -o "$dir/a.std"
"${gen[@]}" --events "$events" -o "$dir/a.trace"
"${gen[@]}" --events "$events" --no-pack -o "$dir/raw.trace"
zstd -q -1 -k "$dir/raw.trace" -o "$dir/raw.zst"
for m in $sizes; do
    "${gen[@]}" --events "${m}M" -o "$dir/$m.trace"
done
cat "$dir"/a.* "$dir"/raw.* >/dev/null

for ((round = 0; round < rounds; round++)); do
    time_command gen "${gen[@]}" --events "$events" -o "$dir/out.trace"
    time_command gen-raw "${gen[@]}" --events "$events" --no-pack -o "$dir/out.trace"
    time_command gen-std "${gen[@]}" --events "$events" -o "$dir/out.std"
    time_command cp "cp" "$dir/a.std" "$dir/out.std"
    time_load std "$dir/a.std"
    time_load std-stream "$dir/a.std" stream
    time_command wc wc -l "$dir/a.std"
    time_load bin "$dir/a.trace"
    time_load bin-stream "$dir/a.trace" stream
    time_load raw "$dir/raw.trace"
    time_command unzstd zstd -q -dc "$dir/raw.zst"
    time_command cat cat "$dir/raw.trace"
    time_command show "$AUGUR" show --quiet --summary "$dir/a.trace"
    time_command show-std "$AUGUR" show --quiet --summary "$dir/a.std"
done
for m in $sizes; do
    time_command "show-$m" "$AUGUR" show --quiet --summary "$dir/$m.trace"
done

cat <<EOF

## Traces: ${million}M events

Wall-clock time on one core of \`augur gen --threads 8\`, of reading into columns or block by block (\`bench/load.c\`) and of \`augur show
--summary\`, beside what \`cp\`, \`wc\`, \`zstd\` and \`cat\` do with the same bytes.
EOF
headed "time, compared"
text='cp of the text' unpack='zstd -d of its columns'
gen_target=2
[ -z "$quick" ] || gen_target=- # of 10M events
takes gen "gen, binary" $gen_target cp "$text"
takes gen-raw "gen, binary without compression" - cp "$text"
takes gen-std "gen, STD text" $gen_target cp "$text"
speed std "load STD text into columns" 10 wc "wc -l"
speed std-stream "stream STD text" - wc "wc -l"
speed bin "load binary into columns" 60 unzstd "$unpack"
speed raw "load binary without compression" - cat cat
speed bin-stream "stream binary" - unzstd "$unpack"
speed show "show --summary, binary" - unzstd "$unpack"
speed show-std "show --summary, STD text" - wc "wc -l"
first=''
for m in $sizes; do
    now=$(mib "show-$m")
    if [ -z "$first" ]; then
        first=$now
        row "show --summary of ${m}M events, resident" "<=" 200 MiB "$now" '' ''
    else
        # does not grow: a tenth for what the allocator does
        limit=$(awk -v f="$first" 'BEGIN { l = f * 1.1 + 1; printf "%.1f", l < 200 ? l : 200 }')
        row "show --summary of ${m}M events, resident" "<=" "$limit" MiB "$now" '' \
            "$(awk -v a="$now" -v b="$first" 'BEGIN { printf "%.2f", a / b }') × the memory of the first"
    fi
done
