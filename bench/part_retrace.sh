# bench/part_retrace.sh: following recorded runs instruction by instruction (sourced by run.sh).
# The walk is the whole of it: both passes over the recording, the interpreter, the self-check;
# 'with terms' also makes the symbolic model's terms. By CPU time, one thread. Native is gcc -O2 on
# the same input, its CPU time too.
retrace_dir=$dir/retrace
mkdir -p "$retrace_dir"
QUIET=1 tools/build.sh release tests/code/retrace >/dev/null
cp build/tests/code/retrace "$retrace_dir/retrace"
ln -s "$PWD/build/augur-llvm.so" "$retrace_dir/augur-llvm.so"
small=''
[ -z "$quick" ] || small=1
declare -A retrace_args=([counter]="4 50000" [matrix]="4 128" [queue]=50000)
[ -z "$small" ] || retrace_args=([counter]="4 5000" [matrix]="4 64" [queue]=5000)
# of the quickest round: SECONDS INSTRUCTIONS EVENTS
declare -A walked
walk() {
    local name=$1 key=$2 s
    shift 2
    "${on[@]}" "$retrace_dir/retrace" "$retrace_dir/$name.trace" "$@" >"$retrace_dir/out" \
        2>"$retrace_dir/err" || {
        echo "bench: '$name' could not be retraced: $(cat "$retrace_dir/out")" >&2
        exit 1
    }
    s=$(sed -n 's/^seconds .*processor \([0-9.]*\),.*/\1/p' "$retrace_dir/err")
    walked[$name-$key]=$(min "${walked[$name-$key]:-}" "$s")
    walked[$name-instructions]=$(sed -n 's/^instructions //p' "$retrace_dir/out")
    walked[$name-events]=$(sed -n 's/^events //p' "$retrace_dir/out")
}
for name in counter matrix queue; do
    read -ra args <<<"${retrace_args[$name]}"
    gcc -O2 -g -pthread "bench/programs/$name.c" -o "$retrace_dir/$name.native"
    "$AUGUR" cc -O2 -g -pthread "bench/programs/$name.c" -o "$retrace_dir/$name"
    "$AUGUR" record --quiet -o "$retrace_dir/$name.trace" "$retrace_dir/$name" "${args[@]}" >/dev/null
done
for ((round = 0; round < rounds; round++)); do
    for name in counter matrix queue; do
        read -ra args <<<"${retrace_args[$name]}"
        time_command "native-walk-$name" "$retrace_dir/$name.native" "${args[@]}"
        walk "$name" values --values
        [ "$round" -gt 1 ] || walk "$name" terms
    done
done

cat <<EOF

## Retracing recorded runs

CPU seconds of following a recording (\`tests/code/retrace --values\`: both passes, the interpreter, the self-check), and with the terms of the
symbolic model, which \`augur check\` makes of it. Native: gcc -O2 on the same input.

| program | hooks | instructions | walk, s | million instructions/s | walk / native | with terms, s |
|---|---|---|---|---|---|---|
EOF
all_instructions=0 all_seconds=0
for name in counter matrix queue; do
    awk -v name="$name" -v e="${walked[$name-events]}" -v i="${walked[$name-instructions]}" \
        -v s="${walked[$name-values]}" -v t="${walked[$name-terms]}" -v n="${cpu[native-walk-$name]}" \
        'BEGIN { printf "| %s | %d | %d | %.2f | %.1f | %.0f | %.2f |\n", name, e, i, s, i / s / 1e6, s / n, t }'
    all_instructions=$((all_instructions + walked[$name-instructions]))
    all_seconds=$(awk -v a="$all_seconds" -v b="${walked[$name-values]}" 'BEGIN { print a + b }')
done
headed
row "all three programs" ">=" 20 "M instructions/s" "$(awk -v i="$all_instructions" -v s="$all_seconds" 'BEGIN { printf "%.1f", i / s / 1e6 }')" '' ''
