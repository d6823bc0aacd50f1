# bench/part_predict.sh: tables 1 to 3 of Wang et al. on recorded C programs (sourced by run.sh).
# The programs are those of examples/papers: re-created, not the paper's own, so sizes
# differ; what the paper's tables count and decide must come out the same (table 2: all of it) and
# stops the benchmark if not. Time is from recording to verdict; the paper's is of a 1.6 GHz machine,
# of its symbolic analysis alone.
predict_build() { # NAME SOURCE OPTIONS...: NAME.trace in $dir
    local name=$1 source=$2
    shift 2
    "$AUGUR" cc -g -O1 "$@" -o "$dir/$name" "examples/papers/$source.c" -lpthread
    "$AUGUR" record --quiet -o "$dir/$name.trace" "$dir/$name" >/dev/null 2>&1
}
cat >"$dir/predict" <<'END'
#!/bin/sh
# OUT STATUS COMMAND...: the command's JSON in OUT, its exit status must be STATUS
out=$1 want=$2
shift 2
"$@" --format json -o "$out"
[ $? -eq "$want" ]
END
chmod +x "$dir/predict"
predict_field() { # JSON EXPRESSION-OF-d
    python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
predict_must() { # WHAT WANTED GOT
    [ "$2" = "$3" ] || {
        echo "bench: $1: $3 where the paper has $2" >&2
        exit 1
    }
}
checks=("$AUGUR" check --quiet --jobs 1)

# name, source, options, target; the verdict is the paper's (indexer-50a is ours)
predict_table1=()
for name in $(paper_rows symbolic.1) indexer-50a; do
    options=-DN=$(tr -dc 0-9 <<<"$name") target=-
    [[ $name == *a ]] || options+=,-DRIGHT
    case $name in indexer-25a) target=2 ;; indexer-50a) target=20 ;; esac
    predict_table1+=("$name ${name%%-*} $options $target")
done
# name, source, options, target; the counts are the paper's
predict_table2=()
for name in $(paper_rows symbolic.2); do
    target=-
    case $name in
    atom001) options="atom -DTIMES=1" ;;
    atom001a) options="atom -DRIGHT" ;;
    atom002) options="atom -DTIMES=33,-DSTEPS=89" ;;
    atom002a) options="atom -DTIMES=33,-DSTEPS=89,-DRIGHT" ;;
    bank-av-*) options="bank -DK=${name##*-},-DWAITS=0" ;;
    bank-sav-*) options="bank -DK=${name##*-},-DWAITS=2" ;;
    bank-nav-*) options="bank -DK=${name##*-},-DWAITS=4" ;;
    esac
    [ "$name" != bank-nav-8 ] || target=2
    predict_table2+=("$name $options $target")
done
# program here, its rows there
predict_table3=("account account.Main-902,account.Main-1747" "philo philo.Phill" "connectionpool connectionpool"
    "barrier s1.JGFBBarrier-649,s1.JGFBBarrier-799" "elevator elevator.E-3000,elevator.E-4998,elevator.E-8000")
if [ -n "$quick" ]; then # one of each kind
    predict_some=()
    for r in "${predict_table1[@]}" "${predict_table2[@]}"; do
        case $r in
        banking-5* | indexer-25* | atom001* | bank-*av-2*) predict_some+=("$r") ;;
        esac
    done
    predict_table1=() predict_table2=()
    for r in "${predict_some[@]}"; do
        case $r in banking* | indexer*) predict_table1+=("$r") ;; *) predict_table2+=("$r") ;; esac
    done
fi
predict_answer() { # NAME: 0 passed, 1 error
    [ "$1" = indexer-50a ] || [ "$(paper symbolic.1 "$1" property)" = error ] && echo 1 || echo 0
}

for r in "${predict_table1[@]}" "${predict_table2[@]}"; do
    read -r name source options _ <<<"$r"
    # shellcheck disable=SC2086
    predict_build "$name" "$source" ${options//,/ }
done
for r in "${predict_table3[@]}"; do
    read -r name _ <<<"$r"
    predict_build "$name" "$name"
    predict_build "$name-right" "$name" -DRIGHT
done
for ((round = 0; round < rounds; round++)); do
    for r in "${predict_table1[@]}"; do
        read -r name _ <<<"$r"
        time_command "$name" "$dir/predict" "$dir/$name.json" "$(predict_answer "$name")" \
            "${checks[@]}" --prop assert "$dir/$name.trace"
        time_command "$name/cb" sh -c '"$@" --format json -o "$0"; [ $? -lt 2 ]' \
            "$dir/$name.cb.json" "${checks[@]}" --prop assert --context-bound 2 "$dir/$name.trace"
    done
    for r in "${predict_table2[@]}"; do
        read -r name _ <<<"$r"
        real=$(paper symbolic.2 "$name" real)
        time_command "$name" "$dir/predict" "$dir/$name.json" "$((real > 0))" \
            "${checks[@]}" --prop atomicity "$dir/$name.trace"
    done
    for r in "${predict_table3[@]}"; do
        read -r name _ <<<"$r"
        for v in "$name" "$name-right"; do
            time_command "$v" sh -c '"$@" --format json -o "$0"; [ $? -lt 2 ]' "$dir/$v.json" \
                "${checks[@]}" --prop atomicity "$dir/$v.trace"
        done
    done
done

cat <<EOF

## Wang et al., table 1: assertions of recorded programs

\`augur check --jobs 1 --prop assert\` of a recording, from trace to verdict, and with \`--context-bound 2\`. With a bound the main thread's start
and joins count: an error that needs more than two changes of thread in all is "none" there. The programs are re-created
(\`examples/papers\`); the paper's slicing and prediction are of its own ones at 1.6 GHz, BMC and explicit search are the tools it
compares with. The answers must be the paper's; indexer-50a is not in it.

| program | threads | variables | events | answer | target, s | measured, s | bound 2, s | paper, length | paper, slicing s | paper, s | paper, bound 2 s | paper, BMC s | paper, explicit s | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOF
for r in "${predict_table1[@]}"; do
    read -r name _ _ target <<<"$r"
    answer=$(predict_answer "$name")
    p='- - - - - -'
    [ "$name" = indexer-50a ] || p=$(paper symbolic.1 "$name" length slicing predict predict_cb bmc explicit)
    json=$dir/$name.json
    verdict=''
    [ "$target" = - ] || judge "${best[$name]}" "<=" "$target"
    word=passed
    [ "$answer" -eq 0 ] || word=error
    predict_must "$name, findings proved" "$(predict_field "$json" "len(d['findings'])")" \
        "$(predict_field "$json" "sum(f['status']=='proved' for f in d['findings'])")"
    predict_must "$name, inconclusive" 0 "$(predict_field "$json" "len(d['inconclusive'])")"
    found=''
    [ "$answer" -eq "$(predict_field "$dir/$name.cb.json" "int(bool(d['findings']))")" ] || found=' (none)'
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" \
        "$(predict_field "$json" "d['trace']['threads']")" "$(predict_field "$json" "d['trace']['vars']")" \
        "$(predict_field "$json" "d['trace']['events']")" "$word" "$([ "$target" = - ] || echo "<= $target")" \
        "$(seconds "${best[$name]}")" "$(seconds "${best[$name/cb]}")$found" "${p// / | }" "$verdict"
done
echo '<!-- plot: bars columns="measured, s|paper, s" log title="Seconds, logarithmic; the machines and the programs differ" -->'

cat <<EOF

## Wang et al., table 2: atomicity of recorded programs

\`augur check --jobs 1 --prop atomicity\` of a recording. Triples: candidates, after must-happen-before, real, and what locks alone leave. All four are
the paper's, or the benchmark fails. The programs are re-created, so threads, variables and events are ours.

| program | threads | variables | events | candidates | must-hb | real | locks only | target, s | measured, s | paper, threads | paper, variables | paper, events | paper, s | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
EOF
for r in "${predict_table2[@]}"; do
    read -r name _ _ target <<<"$r"
    read -r pavs hb real locks <<<"$(paper symbolic.2 "$name" pavs hb_pavs real without_data)"
    p=$(paper symbolic.2 "$name" threads svars original s)
    json=$dir/$name.json
    verdict=''
    [ "$target" = - ] || judge "${best[$name]}" "<=" "$target"
    predict_must "$name, triples" "$pavs $hb $locks $real" \
        "$(predict_field "$json" "' '.join(str(d['funnel']['atomicity'][k]) for k in ('candidates','must-hb','lockset','solver'))")"
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" \
        "$(predict_field "$json" "d['trace']['threads']")" "$(predict_field "$json" "d['trace']['vars']")" \
        "$(predict_field "$json" "d['trace']['events']")" "$pavs" "$hb" "$real" "$locks" "$([ "$target" = - ] || echo "<= $target")" \
        "$(seconds "${best[$name]}")" "${p// / | }" "$verdict"
done
echo '<!-- plot: bars columns="measured, s|paper, s" log title="Seconds, logarithmic; the machines and the programs differ" -->'

cat <<EOF

## Wang et al., table 3: the Java programs' kin in C

The same command. The paper's programs are Java: here are recorded C programs of the same ideas (\`examples/papers\`; -right: with the bug
repaired), with the paper's rows below each. Triples: candidates, after must-happen-before, what locks alone leave, real. The paper's rows at
the end have no kin.

| program | threads | events | candidates | must-hb | locks only | real | s |
|---|---|---|---|---|---|---|---|
EOF
predict_paper3() { # ROW SUFFIX
    local p
    read -ra p <<<"$(paper symbolic.3 "$1" threads events pavs hb_pavs ls_pavs real s)"
    printf '| paper, %s |' "$1$2"
    printf ' %s |' "${p[@]}"
    echo
}
predict_told=' '
for r in "${predict_table3[@]}"; do
    read -r name there <<<"$r"
    for v in "$name" "$name-right"; do
        json=$dir/$v.json
        predict_must "$v, inconclusive" 0 "$(predict_field "$json" "len(d['inconclusive'])")"
        printf '| %s | %s | %s | %s | %s |\n' "$v" \
            "$(predict_field "$json" "d['trace']['threads']")" "$(predict_field "$json" "d['trace']['events']")" \
            "$(predict_field "$json" "' | '.join(str(d['funnel']['atomicity'][k]) for k in ('candidates','must-hb','lockset','solver'))")" \
            "$(seconds "${best[$v]}")"
    done
    for p in ${there//,/ }; do
        predict_paper3 "$p" ''
        predict_told+="$p "
    done
done
for p in $(paper_rows symbolic.3); do
    case $predict_told in *" $p "*) ;; *) predict_paper3 "$p" ' (no kin)' ;; esac
done

# The same programs made as long as the paper's runs, and longer. One thread runs after the other (--policy pct --depth 1):
# threads meet at few places of the run, and its own order shows nothing. Failures are found and confirmed.
# name, source, options, property, target, the paper's table and row, its columns of length and seconds
long_rows=("banking-2 banking -DN=2,-DTIMES=38,-DRIGHT assert - symbolic.1/banking-2"
    "banking-2a banking -DN=2,-DTIMES=14 assert - symbolic.1/banking-2a"
    "banking-5 banking -DN=5,-DTIMES=30,-DRIGHT assert - symbolic.1/banking-5"
    "banking-5a banking -DN=5,-DTIMES=11 assert - symbolic.1/banking-5a"
    "banking-10 banking -DN=10,-DTIMES=26,-DRIGHT assert - symbolic.1/banking-10"
    "banking-10a banking -DN=10,-DTIMES=10 assert 0.5 symbolic.1/banking-10a"
    "banking-10a-40 banking -DN=10,-DTIMES=40 assert 2 -"
    "account account -DTIMES=24 atomicity - symbolic.3/account.Main-902"
    "account-48 account -DTIMES=48 atomicity - symbolic.3/account.Main-1747"
    "account-right account -DTIMES=19,-DRIGHT atomicity - symbolic.3/account.Main-902"
    "elevator elevator -DCALLS=32,-DRIGHT atomicity - symbolic.3/elevator.E-3000"
    "elevator-43 elevator -DCALLS=44,-DRIGHT atomicity - symbolic.3/elevator.E-4998"
    "elevator-57 elevator -DCALLS=58,-DRIGHT atomicity - symbolic.3/elevator.E-8000"
    "banking-10a-163 banking -DN=10,-DTIMES=163 assert 10 symbolic.3/tsp.Tsp")
[ -n "$quick" ] || long_rows+=("banking-50a-700 banking -DN=50,-DTIMES=700 assert 60 -")
cat >"$dir/confirms" <<'END'
#!/bin/sh
# CHECK TRACE AUGUR: finds a failure of the assertion, and executes the program on its schedule
$1 --format json -o "$2.json" "$2"
[ $? -eq 1 ] || exit 1
"$3" replay --quiet "$2" --findings "$2.json" --finding A1 >"$2.said" 2>/dev/null
grep -q ^confirmed: "$2.said"
END
chmod +x "$dir/confirms"
for r in "${long_rows[@]}"; do
    read -r name source options _ <<<"$r"
    # shellcheck disable=SC2086
    "$AUGUR" cc -g -O1 ${options//,/ } -o "$dir/long-$name" "examples/papers/$source.c" -lpthread
    "$AUGUR" record --quiet --policy pct --depth 1 -o "$dir/long-$name.trace" "$dir/long-$name" >/dev/null 2>&1
done
for ((round = 0; round < (rounds < 2 ? rounds : 2); round++)); do
    for r in "${long_rows[@]}"; do
        read -r name _ _ prop _ <<<"$r"
        case $name in
        banking-*a*) time_command "long-$name" "$dir/confirms" "${checks[*]} --prop $prop" "$dir/long-$name.trace" "$AUGUR" ;;
        *) time_command "long-$name" sh -c '"$@" --format json -o "$0"; [ $? -lt 2 ]' "$dir/long-$name.json" \
            "${checks[@]}" --prop "$prop" "$dir/long-$name.trace" ;;
        esac
    done
done

cat <<EOF

## Wang et al., tables 1 to 3: runs as long as the paper's

The programs above with -DTIMES or -DCALLS, recorded with \`--policy pct --depth 1\` (one thread after the other), beside the paper's rows of
that length: \`augur check --jobs 1 --prop assert|atomicity\`. Of assertions that fail \`augur replay --finding A1\` is part of the time: the program is executed on the
schedule that was found. The last rows have lengths that the paper has none of, or of another program (tsp).

| program | events | answer | target, s | measured, s | paper, row | paper, length | paper, s | |
|---|---|---|---|---|---|---|---|---|
EOF
for r in "${long_rows[@]}"; do
    read -r name _ _ prop target there <<<"$r"
    verdict='' length='' took='' answer=confirmed
    [ "$target" = - ] || judge "${best[long-$name]}" "<=" "$target"
    case $there in
    symbolic.1/*) read -r length took <<<"$(paper symbolic.1 "${there#*/}" length predict)" ;;
    symbolic.3/*) read -r length took <<<"$(paper symbolic.3 "${there#*/}" events s)" ;;
    esac
    case $name in
    banking-*a*) ;;
    *)
        n=$(predict_field "$dir/long-$name.json" "sum(f['status']=='proved' for f in d['findings'])")
        answer=refuted
        [ "$n" -eq 0 ] || answer="$n proved"
        predict_must "$name, findings proved" "$n" "$(predict_field "$dir/long-$name.json" "len(d['findings'])")"
        ;;
    esac
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" \
        "$("$AUGUR" show --summary "$dir/long-$name.trace" | awk '$1 == "events" { print $2 }')" "$answer" \
        "$([ "$target" = - ] || echo "<= $target")" "$(seconds "${best[long-$name]}")" "${there#*/}" "$length" "$took" "$verdict"
done
echo '<!-- plot: bars columns="measured, s|paper, s" log title="Seconds, logarithmic; the machines and the programs differ" -->'

# Deadlocks between places far apart, of threads that ran one after the other.
#           name             KIND
dead_rows=("circle-of-locks 0" "two-units 1" "early-signal 2")
cat >"$dir/deadlocks" <<'END'
#!/bin/sh
# CHECK TRACE AUGUR: finds a deadlock, and executes the program on its schedule
$1 --format json -o "$2.json" "$2"
[ $? -eq 1 ] || exit 1
"$3" replay --quiet "$2" --findings "$2.json" --finding D1 >"$2.said" 2>/dev/null
grep -q ^confirmed: "$2.said"
END
chmod +x "$dir/deadlocks"
for r in "${dead_rows[@]}"; do
    read -r name kind <<<"$r"
    "$AUGUR" cc -g -O1 -pthread -DKIND="$kind" -DRIGHT=0 -o "$dir/dead-$name" bench/programs/waits.c
    "$AUGUR" record --quiet --policy pct --depth 1 -o "$dir/dead-$name.trace" "$dir/dead-$name" >/dev/null 2>&1
done
for ((round = 0; round < (rounds < 2 ? rounds : 2); round++)); do
    for r in "${dead_rows[@]}"; do
        read -r name _ <<<"$r"
        time_command "dead-$name" "$dir/deadlocks" "${checks[*]} --prop deadlock" "$dir/dead-$name.trace" "$AUGUR"
    done
done

cat <<EOF

## Deadlocks in long runs

\`bench/programs/waits.c\`, recorded with \`--policy pct --depth 1\`: \`augur check --jobs 1 --prop deadlock\` and
\`augur replay --finding D1\`, which executes the program into the deadlock.
EOF
headed
for r in "${dead_rows[@]}"; do
    read -r name _ <<<"$r"
    row "$name, $("$AUGUR" show --summary "$dir/dead-$name.trace" | awk '$1 == "events" { print $2; exit }') events: confirmed" "<=" 5 s \
        "$(seconds "${best[dead-$name]}")" "$(seconds "${cpu[dead-$name]}")" ''
done
