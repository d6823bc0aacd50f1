# bench/part_graph.sh: nondeterminism by witness and choice graphs (sourced by run.sh).
# The shapes have the sizes of seed 004's table A1, whose times are of a 2.67 GHz machine. Every
# witness is decided, every feasible one executed by the checker within the time. 'alone': each
# witness for itself; otherwise those of one read share their walks.
QUIET=1 tools/build.sh release bench/bench_graph
graph=build/bench/bench_graph
declare -A graph_says
# time_graph NAME TRACE MODE [BUDGET]
time_graph() {
    local name=$1 s c kib rest
    shift
    read -r s c kib rest <<<"$("${on[@]}" "$graph" "$@" 2>"$dir/graph.err")"
    keep "$name" "$s" "$c" "$kib"
    graph_says[$name]=$rest
}
#            shape   feasible  the paper's seconds
graph_rows=("account 358       1.352"
            "daisy   77357     244"
            "thrift  79328     243")
for line in "${graph_rows[@]}"; do
    read -r shape _ <<<"$line"
    "$AUGUR" gen --quiet --shape "$shape" -o "$dir/$shape.trace"
done
long=1000000
[ "$rounds" -ge 5 ] || long=200000
"$AUGUR" gen --quiet --events $long --threads 8 --locks 20 --vars 2000 -o "$dir/long.trace"
"$AUGUR" gen --quiet --events $((long / 10)) --threads 8 --locks 20 --vars 2000 -o "$dir/tenth.trace"
for ((round = 0; round < rounds; round++)); do
    for line in "${graph_rows[@]}"; do
        read -r shape _ <<<"$line"
        time_graph "$shape" "$dir/$shape.trace" shared
        time_graph "$shape-alone" "$dir/$shape.trace" alone
    done
    [ "$round" -gt 0 ] || {
        time_graph long "$dir/long.trace" shared 30000000
        time_graph tenth "$dir/tenth.trace" shared 30000000
    }
done

cat <<EOF2

## Nondeterminism: witnesses a second, one core

| what | target | measured | by CPU time | compared | |
|---|---|---|---|---|---|
EOF2
thousands() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.0f", n / s / 1000 }'; }
for line in "${graph_rows[@]}"; do
    read -r shape feasible paper <<<"$line"
    for name in "$shape" "$shape-alone"; do
        read -r all infeasible yes graphs _ <<<"${graph_says[$name]}"
        [ $((infeasible + yes)) -eq "$all" ] || {
            echo "bench: '$name': $((all - infeasible - yes)) witnesses were not decided" >&2
            exit 1
        }
        target=200
        [ "$name" = "$shape" ] && [ "$shape" != account ] || target=-
        row "$name: $all witnesses, $yes feasible (paper $feasible), $graphs graphs" ">=" "$target" \
            "k/s" "$(thousands "$all" "${best[$name]}")" "$(thousands "$all" "${cpu[$name]}")" \
            "$(seconds "${best[$name]}") s; paper $paper s"
    done
done
# Memory: at most ten times (and a little) of a tenth of the events, trace and checkers included.
now=$(mib long) before=$(mib tenth)
row "random, $long events: resident" "<=" \
    "$(awk -v b="$before" 'BEGIN { printf "%.1f", b * 10 }')" MiB "$now" '' \
    "$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%.1f", a / b }') × at a tenth of them; $(
        awk '{ print $NF }' <<<"${graph_says[long]}") bytes an event in the graph"
