# bench/part_solve.sh: the exact stage on models (sourced by run.sh).
# The models are those of bench/models.sh; the paper's times (Wang et al., tables 1 and 2)
# are of a 1.6 GHz machine and of its own programs, of which these have the shape. Every
# answer is checked: a wrong one stops the benchmark.
cat >"$dir/answers" <<'END'
#!/bin/sh
want=$1
shift
"$@"
[ $? -eq "$want" ]
END
chmod +x "$dir/answers"
exact=("$AUGUR" check --quiet --jobs 1 -o "$dir/answer")

#            name         shape          answer prop      target  the paper's row
solve_rows=("incr-8       incr/8         1      assert    1       -"
            "incr-12      incr/12        1      assert    2       -"
            "incr-16      incr/16        1      assert    5       -"
            "locked-4x4   locked/4/4     0      assert    1       -"
            "flags-4x4    flags/4/4      0      assert    1       -"
            "indexer-15a  indexer-a/15   1      assert    -       symbolic.1"
            "indexer-20a  indexer-a/20   1      assert    -       symbolic.1"
            "indexer-25   indexer/25     0      assert    -       symbolic.1"
            "indexer-25a  indexer-a/25   1      assert    2       symbolic.1"
            "indexer-50a  indexer-a/50   1      assert    20      -"
            "bank-av-8    bank-av/8      1      atomicity -       symbolic.2"
            "bank-sav-8   bank-sav/8     1      atomicity -       symbolic.2"
            "bank-nav-2   bank-nav/2     0      atomicity -       symbolic.2"
            "bank-nav-4   bank-nav/4     0      atomicity -       symbolic.2"
            "bank-nav-8   bank-nav/8     0      atomicity 2       symbolic.2")
# For the comparison with z3: what takes it more than half a second, but not for ever.
z3_rows=("incr-4 incr/4 1 assert" "incr-5 incr/5 1 assert" "incr-6 incr/6 1 assert"
         "locked-3x2 locked/3/2 0 assert" "locked-3x3 locked/3/3 0 assert"
         "bank-av-2 bank-av/2 1 atomicity" "bank-nav-1 bank-nav/1 0 atomicity"
         "bank-nav-2 bank-nav/2 0 atomicity" "bank-sav-2 bank-sav/2 1 atomicity"
         "indexer-15a indexer-a/15 1 assert" "indexer-20a indexer-a/20 1 assert")
z3_limit=${Z3_LIMIT:-120} z3_mean=20 # seconds; less for a quick look
if [ -n "$quick" ]; then
    z3_rows=("incr-4 incr/4 1 assert" "locked-3x2 locked/3/2 0 assert" "bank-nav-1 bank-nav/1 0 atomicity")
    z3_limit=${Z3_LIMIT:-5} z3_mean=- # cut off too early to be judged
fi

make_model() { # NAME SHAPE
    # shellcheck disable=SC2086
    [ -e "$dir/$1.ctp" ] || bash bench/models.sh ${2//\// } >"$dir/$1.ctp"
}

for r in "${solve_rows[@]}"; do
    read -r name shape answer prop _ <<<"$r"
    make_model "$name" "$shape"
done
for ((round = 0; round < rounds; round++)); do
    for r in "${solve_rows[@]}"; do
        read -r name _ answer prop _ <<<"$r"
        time_command "$name" "$dir/answers" "$answer" "${exact[@]}" --prop "$prop" "$dir/$name.ctp"
    done
done

cat <<EOF

## The exact stage: model to verdict, one core

\`augur check --jobs 1 --prop assert|atomicity\` of models of \`bench/models.sh\`, which have the shape of the paper's programs (1.6 GHz
there). Every answer is the expected one.
EOF
headed "Wang et al. took"
for r in "${solve_rows[@]}"; do
    read -r name _ answer _ target paper <<<"$r"
    case $paper in
    symbolic.1) paper="$(paper symbolic.1 "$name" predict) s" ;;
    symbolic.2) paper="$(paper symbolic.2 "$name" s) s" ;;
    *) paper='' ;;
    esac
    verdict=refuted
    [ "$answer" -eq 0 ] || verdict=found
    row "$name: $verdict" "<=" "$target" s "$(seconds "${best[$name]}")" "$(seconds "${cpu[$name]}")" "$paper"
done

cat <<EOF

## The two backends

The same command, once with \`--backend z3 --timeout $z3_limit\`, which counts as $z3_limit s when it has no answer by then.

| query | z3, s | cadical, s | ratio |
|---|---|---|---|
EOF
ratios=''
for r in "${z3_rows[@]}"; do
    read -r name shape answer prop <<<"$r"
    make_model "$name" "$shape"
    time_command "$name" "$dir/answers" "$answer" "${exact[@]}" --prop "$prop" "$dir/$name.ctp"
    # Over the limit is exit status 3: the limit counts then.
    read -r s _ <<<"$("${on[@]}" "$measure" 1 sh -c '"$@"; [ $? -le 3 ]' - "${exact[@]}" \
        --timeout $z3_limit --backend z3 --prop "$prop" "$dir/$name.ctp")"
    printf '| %s | %s | %s | %s |\n' "$name" "$(seconds "$s")" "$(printf '%.3f' "${best[$name]}")" \
        "$(awk -v a="$s" -v b="${best[$name]}" 'BEGIN { printf "%.0f", a / b }')"
    ratios+="$s ${best[$name]}"$'\n'
done
mean=$(awk '$1 > 0.5 { s += log($1 / $2); n++ } END { printf "%.1f", n ? exp(s / n) : 0 }' <<<"$ratios")
echo '<!-- plot: bars columns="z3, s|cadical, s" log title="Seconds for one query, logarithmic" -->'
headed
row "geometric mean of the ratios where z3 takes more than 0.5 s" ">=" $z3_mean × "$mean" '' ''
