# bench/part_graph.sh: nondeterminism by witness and choice graphs (sourced by run.sh).
# The shapes have the sizes of Sinha et al.'s table A1, whose times are of a 2.67 GHz machine. Every
# witness is decided, every feasible one executed by the checker within the time. 'alone': each
# witness for itself; otherwise those of one read share their walks.
QUIET=1 tools/build.sh release bench/bench_graph >/dev/null
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
#            shape   feasible (account and daisy: what the paper counts twice counted once), its name there
graph_rows=("account 358       account"
            "daisy   77357     DaisyTest"
            "thrift  79328     ThriftTrace3")
for line in "${graph_rows[@]}"; do
    read -r shape _ <<<"$line"
    "$AUGUR" gen --quiet --shape "$shape" -o "$dir/$shape.trace"
done
long=1000000
[ -z "$quick" ] || long=100000
"$AUGUR" gen --quiet --events $long --threads 8 --locks 20 --vars 2000 -o "$dir/long.trace"
"$AUGUR" gen --quiet --events $((long / 10)) --threads 8 --locks 20 --vars 2000 -o "$dir/tenth.trace"
for ((round = 0; round < rounds; round++)); do
    for line in "${graph_rows[@]}"; do
        read -r shape _ <<<"$line"
        time_graph "$shape" "$dir/$shape.trace" shared
        [ -n "$quick" ] || time_graph "$shape-alone" "$dir/$shape.trace" alone
    done
    [ "$round" -gt 0 ] || {
        time_graph long "$dir/long.trace" shared 30000000
        time_graph tenth "$dir/tenth.trace" shared 30000000
    }
done

cat <<EOF2

## Nondeterminism: witnesses a second, one core

\`bench/bench_graph.c\`: every witness of \`augur gen --shape\` decided, every feasible one executed by the checker within the time. The
shapes have the counts of the paper's traces, which are not to be had.
EOF2
headed compared
thousands() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.0f", n / s / 1000 }'; }
for line in "${graph_rows[@]}"; do
    read -r shape feasible name_there <<<"$line"
    paper_s=$(paper nondet.A1 "$name_there" s)
    for name in "$shape" "$shape-alone"; do
        [ -n "${best[$name]:-}" ] || continue
        read -r all infeasible yes graphs _ <<<"${graph_says[$name]}"
        [ $((infeasible + yes)) -eq "$all" ] || {
            echo "bench: '$name': $((all - infeasible - yes)) witnesses were not decided" >&2
            exit 1
        }
        target=200
        [ "$name" = "$shape" ] && [ "$shape" != account ] || target=-
        row "$name: $all witnesses, $yes feasible (paper $feasible), $graphs graphs" ">=" "$target" \
            "k/s" "$(thousands "$all" "${best[$name]}")" "$(thousands "$all" "${cpu[$name]}")" \
            "$(seconds "${best[$name]}") s; paper $paper_s s"
    done
done
# Recordings: a bounded queue with conditions (bench/programs/queue.c), where the threads wait for each other all the time.
"$AUGUR" cc -g -O1 -pthread bench/programs/queue.c -o "$dir/queue"
items=3200
[ -z "$quick" ] || items=400
"$AUGUR" record --quiet -o "$dir/queue.trace" "$dir/queue" $items >/dev/null
time_graph queue "$dir/queue.trace" shared
read -r all _ yes graphs _ <<<"${graph_says[queue]}"
row "recorded queue, $items items: $all witnesses, $yes feasible, $graphs graphs" ">=" 200 "k/s" \
    "$(thousands "$all" "${best[queue]}")" "$(thousands "$all" "${cpu[queue]}")" "$(seconds "${best[queue]}") s"
row "recorded queue, $items items: seconds" "<=" 30 s "$(seconds "${best[queue]}")" "$(seconds "${cpu[queue]}")" ''
# Memory: at most ten times (and a little) of a tenth of the events, trace and checkers included.
now=$(mib long) before=$(mib tenth)
row "random, $long events: resident" "<=" \
    "$(awk -v b="$before" 'BEGIN { printf "%.1f", b * 10 }')" MiB "$now" '' \
    "$(awk -v a="$now" -v b="$before" 'BEGIN { printf "%.1f", a / b }') × at a tenth of them; $(
        awk '{ print $NF }' <<<"${graph_says[long]}") bytes an event in the graph"

# Table A1 and its summary. The other traces have no shape: a recorded program of the same idea (examples/papers), or
# a random trace with the paper's threads, events, locks and variables.
#           row          how
graph_also=("conpool      papers/connectionpool" "liveness -" "SynchBench -" "Barrier papers/barrier" "Elevator papers/elevator"
            "philo papers/philo" "ThriftTrace1 -" "ThriftTrace2 -")
cat <<EOF2

## Sinha et al., table A1: witnesses of nondeterminism

Milliseconds by CPU time beside the paper's (2.67 GHz). The paper's traces are not to be had. *shape*: a generated trace with all
of its counts; *kin*: a recorded C program of the same idea; *size*: a random trace with its threads, events, locks and variables.
The paper's two phases are its own; here 'by a cycle' is without, 'refuted' after turning choices round.

| trace | made as | events | witnesses | infeasible by a cycle | refuted | feasible | graphs a witness | measured, ms | paper, events | paper, witnesses | paper, infeasible by a cycle | paper, feasible | paper, graphs a witness | paper, ms |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOF2
graph_row() { # ROW KIND TRACE
    local s c kib all infeasible yes graphs cycle refuted events p
    read -r s c kib all infeasible yes graphs _ <<<"$("${on[@]}" "$graph" "$3" shared 2>"$dir/graph.err")"
    read -r cycle refuted <<<"$(sed -n 's/^cycle \([0-9]*\).* refuted \([0-9]*\) .*/\1 \2/p' "$dir/graph.err")"
    events=$("$AUGUR" show --quiet --summary --format json "$3" | sed -n 's/.*"events": \([0-9]*\).*/\1/p' | head -n 1)
    read -ra p <<<"$(paper nondet.A1 "$1" events witnesses cycle feasible graphs s)"
    awk -v row="$1" -v kind="$2" -v e="$events" -v all="$all" -v cycle="$cycle" -v refuted="$refuted" -v yes="$yes" -v g="$graphs" -v c="$c" \
        -v p="${p[*]}" 'BEGIN { split(p, P)
        printf "| %s | %s | %d | %d | %d | %d | %d | %.3f | %.1f | %s | %s | %s | %s | %s | %g |\n", row, kind, e, all, cycle, refuted, yes,
            all ? g / all : 0, c * 1000, P[1], P[2], P[3], P[4], P[5], P[6] * 1000 }'
    echo "$refuted $all $cycle $yes $infeasible $graphs $c" >>"$dir/graph-sums"
}
: >"$dir/graph-sums"
for row in $(paper_rows nondet.A1); do
    found=''
    for line in "${graph_rows[@]}"; do
        read -r shape _ name_there <<<"$line"
        [ "$name_there" != "$row" ] || found=$shape
    done
    if [ -n "$found" ]; then
        graph_row "$row" shape "$dir/$found.trace"
        continue
    fi
    for line in "${graph_also[@]}"; do
        read -r name_there how <<<"$line"
        [ "$name_there" = "$row" ] || continue
        if [ "$row/$quick" = SynchBench/1 ]; then
            echo "| SynchBench | not with --quick | | | | | | | | | | | | | |"
        elif [ "$how" = - ]; then
            read -r threads events locks vars <<<"$(paper nondet.A1 "$row" threads events locks variables)"
            "$AUGUR" gen --quiet --threads "$threads" --events "$events" --locks "$locks" --vars "$vars" -o "$dir/also.trace"
            graph_row "$row" size "$dir/also.trace"
        else
            "$AUGUR" cc -g -O1 -o "$dir/also" "examples/$how.c" -lpthread
            "$AUGUR" record --quiet -o "$dir/also.trace" "$dir/also" >/dev/null 2>&1
            graph_row "$row" kin "$dir/also.trace"
        fi
    done
done
echo '<!-- plot: bars columns="measured, ms|paper, ms" log title="Milliseconds for a trace, logarithmic; machines and, but for shapes, traces differ" -->'
cat <<EOF2

## Sinha et al., table I: the summary

The paper's 25 traces in its two groups, and all of the traces above.

| group | traces | witnesses | infeasible by a cycle | feasible | infeasible | seconds | graphs a witness |
|---|---|---|---|---|---|---|---|
EOF2
for row in $(paper_rows nondet.I); do
    read -ra p <<<"$(paper nondet.I "$row" traces witnesses cycle feasible infeasible s graphs)"
    echo "| paper, $row | ${p[0]} | ${p[1]} | ${p[2]} | ${p[3]} | ${p[4]} | ${p[5]} | ${p[6]} |"
done
awk '{ n++; all += $2; cycle += $3; yes += $4; no += $5; g += $6; s += $7 }
    END { printf "| the traces above | %d | %d | %d | %d | %d | %.2f | %.3f |\n", n, all, cycle, yes, no, s, g / all }' "$dir/graph-sums"
