# bench/part_tsg.sh: transaction sequence graphs and ranges (sourced by run.sh): the two tables of
# seed 000 on models of the same sizes and manners (bench/tsg_models.sh). The paper's times are of a
# 3.4 GHz machine with a limit of 20 minutes; here a row may take tsg_limit seconds.
tsg_limit=${TSG_LIMIT:-60}
#          name   TSG' in the paper, s: graph and ranges; the solver with ranges; S or U
tsg_rows=("cp1    <1  <1  S" "cp2    <1  <1  S" "cp3    1   5   S"
          "atom1  <1  <1  S" "atom2  <1  <1  S" "atom3  <1  1   S" "atom4  <1  2   S"
          "bank1  <1  <1  U" "bank2  <1  1   U" "bank3  1   1   U"
          "index1 <1  <1  U" "index2 1   1   U" "index3 22  15  U" "index4 275 252 U")
for r in "${tsg_rows[@]}"; do
    read -r name _ <<<"$r"
    bash bench/tsg_models.sh "$name" >"$dir/$name.ctp"
done

cat <<EOF

## Transaction sequence graphs: counts, bits and seconds (seed 000, table 1)

M: MATs; C: context switches, of them added; TE: transactions; l, g: bits of local and global ranges;
U: control states never reached; TO: more than $tsg_limit s. Seconds: graph and ranges, the best of $rounds.

| model | n | L | G | A | T | CCFG C | TE | s | l | g | TSG M | C | added | TE | s | l | g | U | TSG' M | C | added | TE | s | l | g | U | paper, s |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOF
# tsg_show NAME KIND OPTION...: the JSON of the quickest of the rounds, "TO" if one took too long
tsg_show() {
    local name=$1 kind=$2 i s least=''
    shift 2
    for ((i = 0; i < rounds; i++)); do
        "${on[@]}" timeout "$tsg_limit" "$AUGUR" show --tsg --format json "$@" "$dir/$name.ctp" >"$dir/tsg" || {
            echo TO >"$dir/$name.$kind"
            return 0
        }
        s=$(sed -n 's/.*"graph_seconds": \([^,]*\), "range_seconds": \([^}]*\)}.*/\1 \2/p' "$dir/tsg" |
            awk '{ print $1 + $2 }')
        if [ -z "$least" ] || awk -v a="$s" -v b="$least" 'BEGIN { exit !(a < b) }'; then
            least=$s
            { cat "$dir/tsg" && echo "\"seconds\": $s"; } >"$dir/$name.$kind"
        fi
    done
}
tsg_field() { # NAME KIND FIELD
    if [ "$(cat "$dir/$1.$2")" = TO ]; then
        echo TO
    else
        sed -n "s/.*\"$3\": \\([0-9.e+-]*\\).*/\\1/p" "$dir/$1.$2" | head -n 1 |
            awk -v s="$3" '{ if (s == "seconds") printf "%.3f\n", $1; else print $1 }'
    fi
}
for r in "${tsg_rows[@]}"; do
    read -r name paper _ <<<"$r"
    tsg_show "$name" ccfg --ccfg
    tsg_show "$name" tsg --mat
    tsg_show "$name" prime
    printf '| %s |' "$name"
    for f in threads locals globals accesses transitions; do
        printf ' %s |' "$(tsg_field "$name" prime $f)"
    done
    for f in switches transactions seconds local_bits global_bits; do
        printf ' %s |' "$(tsg_field "$name" ccfg $f)"
    done
    for kind in tsg prime; do
        for f in mats switches added transactions seconds local_bits global_bits unreachable; do
            printf ' %s |' "$(tsg_field "$name" $kind $f)"
        done
    done
    printf ' %s |\n' "$paper"
done
time_command tsg-index4 "$AUGUR" show --tsg "$dir/index4.ctp"
cat <<EOF

| what | target | measured | by CPU time | | |
|---|---|---|---|---|---|
EOF
row "index4: GenMAT' and ranges, the whole command" "<=" 5 s "$(seconds "${best[tsg-index4]}")" \
    "$(seconds "${cpu[tsg-index4]}")" "275 s in the paper"
row "index4: memory" "<=" 1024 MiB "$(mib tsg-index4)" '' ''

cat <<EOF

## The solver with ranges and with whole transactions (seed 000, table 2)

Processor seconds of \`augur check --prop assert --jobs 1\`, the median of $rounds; TO: no answer in $tsg_limit s.

| model | answer | full widths | ranges | ranges, --order transactions | paper, ranges |
|---|---|---|---|---|---|
EOF
# tsg_once NAME ANSWER OPTION...: prints processor seconds, nothing for another answer (none within the limit)
tsg_once() {
    local name=$1 want=$2 cpu_s
    shift 2
    read -r _ cpu_s _ <<<"$("${on[@]}" "$measure" 1 sh -c '"$@"; [ $? -eq '"$want"' ]' - "$AUGUR" check --quiet \
        --jobs 1 --window 0 --timeout "$tsg_limit" --prop assert -o "$dir/answer" "$@" "$dir/$name.ctp" 2>/dev/null)" || true
    printf '%s\n' "${cpu_s:-TO}"
}
# tsg_middle "TIMES": the median, or TO if one is
tsg_middle() {
    case $1 in *TO*) echo TO ;; *) sort -n <<<"$1" | awk 'NF { v[++n] = $1 } END { printf "%.3f", v[int((n + 1) / 2)] }' ;; esac
}
slower='' ratios='' orders=''
for r in "${tsg_rows[@]}"; do
    read -r name _ paper answer <<<"$r"
    want=0
    [ "$answer" = U ] || want=1
    full='' ranges='' order=''
    for ((i = 0; i < rounds; i++)); do # side by side: a disturbance hits all three
        full+=$(tsg_once "$name" $want --widths full)$'\n'
        ranges+=$(tsg_once "$name" $want --widths ranges)$'\n'
        order+=$(tsg_once "$name" $want --widths ranges --order transactions)$'\n'
    done
    full=$(tsg_middle "$full") ranges=$(tsg_middle "$ranges") order=$(tsg_middle "$order")
    printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$answer" "$full" "$ranges" "$order" "$paper"
    full=${full/TO/$tsg_limit} ranges=${ranges/TO/$tsg_limit} order=${order/TO/$tsg_limit}
    ratios+="$full $ranges"$'\n'
    orders+="$ranges $order"$'\n'
    if awk -v a="$full" -v b="$ranges" 'BEGIN { exit !((a > 0.1 || b > 0.1) && b > 1.1 * a) }'; then
        slower+=" $name"
    fi
done
tsg_mean() { awk '$1 > 0.1 { s += log($1 / $2); n++ } END { printf "%.2f", n ? exp(s / n) : 1 }' <<<"$1"; }
cat <<EOF

| what | target | measured | by CPU time | | |
|---|---|---|---|---|---|
EOF
row "rows over 0.1 s that ranges make more than 10 % slower:${slower:- none}" "<=" 0 rows "$(wc -w <<<"$slower")" '' ''
row "geometric mean of full widths to ranges, rows over 0.1 s (the aim: 5)" ">=" - × "$(tsg_mean "$ratios")" '' ''
row "geometric mean of events to transactions, rows over 0.1 s" ">=" - × "$(tsg_mean "$orders")" '' ''
