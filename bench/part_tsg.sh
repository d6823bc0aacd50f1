# bench/part_tsg.sh: transaction sequence graphs and ranges (sourced by run.sh): the two tables of
# Ganai and Wang on models of the same sizes and manners (bench/tsg_models.sh). The paper's times are of a
# 3.4 GHz machine with limits of 20 and 25 minutes; here a row may take tsg_limit seconds.
tsg_limit=30
[ -z "$quick" ] || tsg_limit=2
tsg_limit=${TSG_LIMIT:-$tsg_limit}
read -ra tsg_rows <<<"$(paper_rows tsg.1 | tr '\n' ' ')"
tsg_left=''
if [ -n "$quick" ]; then
    tsg_rows=("${tsg_rows[@]:0:12}")
    tsg_left=' index3 and index4 are left out (--quick).'
    bash bench/tsg_models.sh index4 >"$dir/index4.ctp"
fi
for name in "${tsg_rows[@]}"; do
    bash bench/tsg_models.sh "$name" >"$dir/$name.ctp"
done

cat <<EOF

## Transaction sequence graphs: counts, bits and seconds (Ganai and Wang, table 1)

\`augur show --tsg\` (\`--ccfg\`, \`--mat\`, and as it is). n, L, G, A, T: threads, locals, globals, accesses, transitions; M: MATs; C: context
switches, of them added; TE: transactions; l, g: bits of local and global ranges; U: control states never reached; TO: more
than $tsg_limit s (the paper: 1200 s). Seconds: graph and ranges, the best of $rounds. The paper's programs are not to be had any more: models of their
sizes and manners (\`bench/tsg_models.sh\`); the paper's numbers stand in the row below each, its U are in its text: bank2 1, bank3 1,
index1 64, index2 32.$tsg_left

| model | n | L | G | A | T | CCFG C | CCFG TE | CCFG s | CCFG l | CCFG g | TSG M | TSG C | TSG added | TSG TE | TSG s | TSG l | TSG g | TSG U | TSG' M | TSG' C | TSG' added | TSG' TE | TSG' s | TSG' l | TSG' g | TSG' U |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
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
for name in "${tsg_rows[@]}"; do
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
    read -ra p <<<"$(paper tsg.1 "$name" n L G A T c_C c_TE c_s c_l c_g t_M t_C t_TE t_s t_l t_g p_M p_C p_TE p_s p_l p_g)"
    printf '\n| %s, paper |' "$name"
    printf ' %s |' "${p[@]:0:12}" - "${p[@]:12:4}" - "${p[@]:16:2}" - "${p[@]:18:4}" -
    echo
done
time_command tsg-index4 "$AUGUR" show --tsg "$dir/index4.ctp"
headed
row "index4: GenMAT' and ranges, the whole command" "<=" 5 s "$(seconds "${best[tsg-index4]}")" \
    "$(seconds "${cpu[tsg-index4]}")" "$(paper tsg.1 index4 p_s) s in the paper"
row "index4: memory" "<=" 1024 MiB "$(mib tsg-index4)" '' ''

cat <<EOF

## The solver with ranges and with whole transactions (Ganai and Wang, table 2)

Processor seconds of \`augur check --prop assert --jobs 1\` with \`--widths full --order events\`, with \`--widths ranges\`, and with \`--order transactions\` too, the
best of $rounds; TO: no answer in $tsg_limit s. Then as the paper has it: for each of the three graphs (\`--graph ccfg\`, \`tsg\`, \`tsg-prime\`), transactions as that
graph has them, with 32 bits (32, \`--widths full\`) and with ranges (R). The paper's solver is Yices 1.0.28. Beyond 3000 boundaries or 0.3 to 3 s of propagation a
graph is left out, and the question is asked without it.$tsg_left

| model | answer | full widths | ranges | ranges, transactions | CCFG 32 | CCFG R | TSG 32 | TSG R | TSG' 32 | TSG' R | paper, CCFG 32 | paper, CCFG R | paper, TSG 32 | paper, TSG R | paper, TSG' 32 | paper, TSG' R |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOF
# tsg_once NAME ANSWER OPTION... (a model or a recording): prints processor seconds, nothing for another answer (none within the limit)
tsg_once() {
    local file="$dir/$1.ctp" want=$2 cpu_s
    [ ! -f "$dir/$1.trace" ] || file="$dir/$1.trace"
    shift 2
    read -r _ cpu_s _ <<<"$("${on[@]}" "$measure" 1 sh -c '"$@"; [ $? -eq '"$want"' ]' - "$AUGUR" check --quiet \
        --jobs 1 --window 0 --timeout "$tsg_limit" --prop assert -o "$dir/answer" "$@" "$file" 2>/dev/null)" || true
    printf '%s\n' "${cpu_s:-TO}"
}
# tsg_least "TIMES": the best of them, or TO if one is. Not the median: that of five such times is off by a fifth here.
tsg_least() {
    case $1 in *TO*) echo TO ;; *) sort -n <<<"$1" | awk 'NF && !n++ { printf "%.3f", $1 }' ;; esac
}
slower='' ratios='' orders=''
for name in "${tsg_rows[@]}"; do
    read -r answer p <<<"$(paper tsg.2 "$name" answer c_32 c_R t_32 t_R p_32 p_R)"
    want=0
    [ "$answer" = U ] || want=1
    full='' ranges='' order=''
    for ((i = 0; i < rounds; i++)); do # side by side: a disturbance hits all three
        # what had no answer once is not asked again
        [[ $full == *TO* ]] || full+=$(tsg_once "$name" $want --widths full --order events)$'\n'
        [[ $ranges == *TO* ]] || ranges+=$(tsg_once "$name" $want --widths ranges --order events)$'\n'
        [[ $order == *TO* ]] || order+=$(tsg_once "$name" $want --widths ranges --order transactions)$'\n'
    done
    full=$(tsg_least "$full") ranges=$(tsg_least "$ranges") order=$(tsg_least "$order")
    graphs=''
    for kind in ccfg tsg tsg-prime; do # one round: six columns more
        for width in full ranges; do
            graphs+=" $(tsg_least "$(tsg_once "$name" $want --graph $kind --order transactions --widths $width)") |"
        done
    done
    printf '| %s | %s | %s | %s | %s |%s %s |\n' "$name" "$answer" "$full" "$ranges" "$order" "$graphs" "${p// / | }"
    full=${full/TO/$tsg_limit} ranges=${ranges/TO/$tsg_limit} order=${order/TO/$tsg_limit}
    ratios+="$full $ranges"$'\n'
    orders+="$ranges $order"$'\n'
    if awk -v a="$full" -v b="$ranges" 'BEGIN { exit !((a > 0.1 || b > 0.1) && b > 1.1 * a) }'; then
        slower+=" $name"
    fi
done
tsg_mean() { awk '$1 > 0.1 { s += log($1 / $2); n++ } END { printf "%.2f", n ? exp(s / n) : 1 }' <<<"$1"; }
echo '<!-- plot: bars columns="full widths|ranges|paper, TSG'"'"' 32|paper, TSG'"'"' R" log title="Seconds of the solver, logarithmic; <1 is drawn as 1, no bar: no answer" -->'
headed
row "rows over 0.1 s that ranges make more than 10 % slower:${slower:- none}" "<=" 0 rows "$(wc -w <<<"$slower")" '' ''
row "geometric mean of full widths to ranges, rows over 0.1 s (they have no data; see below)" ">=" - × "$(tsg_mean "$ratios")" '' ''
row "geometric mean of events to transactions, rows over 0.1 s" ">=" - × "$(tsg_mean "$orders")" '' ''

cat <<EOF

## Ranges where values are computed

The models above pass values on: their masks fold, and the order is the cost. Here are products, squares, remainders and quotients
(\`bench/tsg_models.sh\`), and a recorded program with such (\`bench/programs/shop.c\`). Processor seconds as above; TO counts as $tsg_limit s.

| model | answer | full widths | ranges | full widths to ranges |
|---|---|---|---|---|
EOF
"$AUGUR" cc -g -O1 -pthread bench/programs/shop.c -o "$dir/shop"
"$AUGUR" record --quiet -o "$dir/shop.trace" "$dir/shop" >/dev/null
data_ratios='' data_slower=''
for line in "square U" "product U" "quotient U" "sum S" "shop U"; do
    read -r name answer <<<"$line"
    want=0
    [ "$answer" = U ] || want=1
    [ "$name" = shop ] || bash bench/tsg_models.sh "$name" >"$dir/$name.ctp"
    full='' ranges=''
    for ((i = 0; i < rounds; i++)); do
        [[ $full == *TO* ]] || full+=$(tsg_once "$name" $want --widths full --order events)$'\n'
        [[ $ranges == *TO* ]] || ranges+=$(tsg_once "$name" $want --widths ranges)$'\n'
    done
    full=$(tsg_least "$full") ranges=$(tsg_least "$ranges")
    printf '| %s | %s | %s | %s | %s |\n' "$name" "$answer" "$full" "$ranges" \
        "$(awk -v a="${full/TO/$tsg_limit}" -v b="${ranges/TO/$tsg_limit}" 'BEGIN { printf "%.1f", a / (b > 0.001 ? b : 0.001) }')"
    full=${full/TO/$tsg_limit} ranges=${ranges/TO/$tsg_limit}
    data_ratios+="$full $ranges"$'\n'
    if awk -v a="$full" -v b="$ranges" 'BEGIN { exit !(b > a) }'; then
        data_slower+=" $name"
    fi
done
headed
row "geometric mean of full widths to ranges, where values are computed" ">=" 5 × "$(tsg_mean "$data_ratios")" '' ''
row "rows of this table that ranges make slower:${data_slower:- none}" "<=" 0 rows "$(wc -w <<<"$data_slower")" '' ''
