# bench/part_growth.sh: how the work and the memory of each stage grow with events, threads, locks, variables
# and candidates (sourced by run.sh). One number doubles, the others stay. The work is counted in
# instructions by valgrind, so the exponents are the same on a busy machine; CPU seconds and memory are
# measured without it. bench/growth.py fits and compares with bench/growth.txt; GROWTH_UPDATE=1 writes that
# file instead of judging by it. GROWTH_STAGES='race nondet' measures only these.
growth_measured=$dir/measured
: >"$growth_measured"
growth_mode=full growth_events=20000
[ -z "$quick" ] || growth_mode=quick growth_events=10000
QUIET=1 tools/build.sh release bench/bench_graph tests/code/retrace >/dev/null
mkdir -p "$dir/retracer"
cp build/tests/code/retrace "$dir/retracer/retrace"
ln -sf "$PWD/build/augur-llvm.so" "$dir/retracer/augur-llvm.so"
growth_valgrind=''
if command -v valgrind >/dev/null; then
    growth_valgrind=1
    cc -shared -fPIC -O1 bench/count_forks.c -o "$dir/count_forks.so"
fi
# Findings are exit status 1: no failure here.
cat >"$dir/checked" <<'END'
#!/bin/sh
"$@" || [ $? -eq 1 ]
END
chmod +x "$dir/checked"

# growth_input STAGE AXIS SIZE: makes the input, sets $file. Every axis has its default in $n.
growth_input() {
    local stage=$1 axis=$2 size=$3
    local -A n=([events]=$growth_events [threads]=8 [locks]=16 [variables]=256 [candidates]=0)
    case $stage in tsg | solve | scan-*) n=([events]=4 [threads]=4 [locks]=4 [variables]=8 [candidates]=0) ;; esac
    case $stage in scan-*) n[threads]=3 n[locks]=2 n[variables]=4 ;; esac
    case $stage in scan-graph) n[candidates]=1 ;; scan-solver) n[events]=1 ;; esac
    case $stage in retrace | recorded) n=([events]=2000 [threads]=4) ;; esac
    case $stage in nondet) n[events]=1000 n[variables]=64 ;; esac
    [ "$axis" = base ] || n[$axis]=$size
    file=$dir/$stage-$axis-$size
    case $stage/$axis in
    recorded/threads)
        "$AUGUR" cc -g -O1 -DK="${n[threads]}" -DWAITS=0 -o "$file.prog" examples/papers/bank.c -lpthread
        "$AUGUR" record --quiet -o "$file" "$file.prog" >/dev/null 2>&1
        ;;
    retrace/* | recorded/base)
        [ "$axis" != base ] || n=([events]=1 [threads]=1)
        [ -e "$dir/counter" ] || "$AUGUR" cc -O2 -g -pthread bench/programs/counter.c -o "$dir/counter"
        "$AUGUR" record --quiet -o "$file" "$dir/counter" "${n[threads]}" $((n[events] / n[threads])) >/dev/null 2>&1
        ;;
    tsg/* | solve/* | scan-*/*)
        local kind=ctp
        case $stage in scan-*) kind=c ;; esac
        [ "$axis" != base ] || n=([events]=1 [threads]=2 [locks]=1 [variables]=1 [candidates]=0)
        file=$file.$kind
        if [ "$stage/$axis" = solve/candidates ]; then
            bash bench/models.sh bank-av "$size" >"$file"
        else
            bash bench/growth_models.sh $kind "${n[events]}" "${n[threads]}" "${n[locks]}" "${n[variables]}" \
                "${n[candidates]}" >"$file"
        fi
        ;;
    atomicity/candidates) # N threads have N (N - 1) violations
        file=$file.trace
        "$AUGUR" gen --quiet --shape raytracer --threads "$(awk -v c="$size" 'BEGIN { printf "%.0f", sqrt(c) + 0.5 }')" -o "$file"
        ;;
    */candidates)
        file=$file.std
        bash bench/growth_models.sh std 0 0 0 0 "$size" >"$file"
        ;;
    *)
        [ "$axis" != base ] || n=([events]=20 [threads]=2 [locks]=1 [variables]=1)
        case $stage in read-text) file=$file.std ;; *) file=$file.trace ;; esac
        # Locks nested at random make so many cycles that the search ends at its limit: not here.
        local depth=2
        [ $stage != deadlock ] || depth=1
        "$AUGUR" gen --quiet --events "${n[events]}" --threads "${n[threads]}" --locks "${n[locks]}" \
            --vars "${n[variables]}" --atomic --depth $depth -o "$file"
        ;;
    esac
}
# growth_command STAGE AXIS: sets cmd for $file
growth_command() {
    local check=("$AUGUR" check --quiet --jobs 1 --most 1 --schedules 0 -o "$dir/answer")
    case $1 in
    read-*) cmd=("$AUGUR" show --quiet --summary "$file") ;;
    race-hb) cmd=("${check[@]}" --stream --prop race "$file") ;;
    race) cmd=("${check[@]}" --prop race "$file") ;;
    atomicity | deadlock) cmd=("${check[@]}" --stream --prop "$1" "$file") ;;
    nondet) cmd=(build/bench/bench_graph "$file" shared) ;;
    tsg) cmd=("$AUGUR" show --tsg "$file") ;;
    solve)
        cmd=("${check[@]}" --timeout 0 --window 0 --prop assert "$file")
        [ "$2" != candidates ] || cmd=("${check[@]}" --timeout 0 --window 0 --prop atomicity "$file")
        ;;
    retrace) cmd=("$dir/retracer/retrace" "$file") ;;
    recorded) cmd=("${check[@]}" --timeout 0 --prop atomicity "$file") ;;
    scan-warn) cmd=("$AUGUR" scan --quiet --jobs 1 --stages lockset -o "$dir/answer" "$file") ;;
    scan-graph) cmd=("$AUGUR" scan --quiet --jobs 1 --stages box --graph-timeout 1000 -o "$dir/answer" "$file") ;;
    scan-solver) cmd=("$AUGUR" scan --quiet --jobs 1 --graph-timeout 1000 --timeout 1000 -o "$dir/answer" "$file") ;;
    esac
}
# growth_count COMMAND...: instructions of it and of what it forks; not of other programs that it runs (clang)
growth_count() {
    rm -f "$dir"/vg.*
    LD_PRELOAD=$dir/count_forks.so "$dir/checked" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        --log-file="$dir/vg.%p" "$@" >/dev/null 2>"$dir/vg-err" || {
        echo "bench: '$*' failed under valgrind: $(tail -n 1 "$dir/vg-err")" >&2
        exit 1
    }
    awk '/I +refs:/ { gsub(/,/, "", $NF); s += $NF } END { print s }' "$dir"/vg.*
}
# grow STAGE AXIS SIZE...: with --quick the first three, and only of some stages and axes
grow() {
    local stage=$1 axis=$2 size round best_c='' s c kib most=0 work
    shift 2
    case " ${GROWTH_STAGES:-$stage} " in *" $stage "*) ;; *) return 0 ;; esac
    local list=("$@")
    if [ -n "$quick" ]; then
        case $stage/$axis in
        */base) ;;
        read-binary/* | race-hb/* | recorded/* | scan-solver/*) return 0 ;;
        */events | solve/candidates | scan-graph/candidates) list=("${@:1:3}") ;;
        *) return 0 ;;
        esac
    fi
    grep -q "^$stage base" "$growth_measured" || [ "$axis" = base ] || grow "$stage" base 0
    for size in "${list[@]}"; do
        growth_input "$stage" "$axis" "$size"
        growth_command "$stage" "$axis"
        best_c='' most=0
        for ((round = 0; round < (rounds < 3 ? 1 : 3); round++)); do
            read -r s c kib <<<"$("${on[@]}" "$measure" 1 "$dir/checked" "${cmd[@]}" 2>"$dir/err")"
            [ -n "${kib:-}" ] || {
                echo "bench: $stage, $size $axis: could not be measured: $(tail -n 1 "$dir/err")" >&2
                exit 1
            }
            best_c=$(min "$best_c" "$c")
            [ "$most" -ge "$kib" ] || most=$kib
        done
        work=-
        [ -z "$growth_valgrind" ] || work=$(growth_count "${cmd[@]}")
        echo "$stage $axis $size $work $best_c $most" >>"$growth_measured"
        rm -f "$file" "$file.prog"
    done
}
e=$growth_events
events_up=("$e" $((2 * e)) $((4 * e)) $((8 * e)) $((16 * e)))
for growth_stage in read-text read-binary race-hb race atomicity deadlock nondet; do
    case $growth_stage in
    nondet) grow $growth_stage events 250 500 1000 2000 4000 ;;
    *) grow $growth_stage events "${events_up[@]}" ;;
    esac
    [ $growth_stage != read-binary ] || continue
    grow $growth_stage threads 4 8 16 32
    grow $growth_stage locks 8 16 32 64
    case $growth_stage in
    nondet) grow $growth_stage variables 32 64 128 256 ;;
    *) grow $growth_stage variables 64 128 256 512 ;;
    esac
    case $growth_stage in
    race | race-hb) grow $growth_stage candidates 250 500 1000 2000 4000 ;;
    deadlock) grow $growth_stage candidates 500 1000 2000 4000 8000 ;;
    atomicity) grow $growth_stage candidates 380 870 1560 3540 6320 ;;
    esac
done
grow tsg events 4 8 16 32 64
grow tsg threads 3 6 12 24
grow tsg locks 1 2 4 8
grow tsg variables 4 8 16 32
grow solve events 4 8 16 32 64
grow solve threads 3 6 12 24
grow solve locks 1 2 4 8
grow solve variables 4 8 16 32
grow solve candidates 2 4 8 16
grow retrace events 4000 8000 16000 32000 64000
grow retrace threads 4 8 16 32
grow recorded threads 1 2 4 8
for growth_stage in scan-warn scan-graph scan-solver; do
    [ $growth_stage = scan-solver ] || grow $growth_stage events 2 4 8 16
    [ $growth_stage = scan-solver ] || grow $growth_stage threads 2 4 8 16
    [ $growth_stage = scan-solver ] || grow $growth_stage variables 4 8 16 32
    grow $growth_stage candidates 2 4 8 16
done

cat <<END

## Exponents: the slope of log(work) over log(size)

One number doubles, the others stay (\`bench/growth_models.sh\`, \`bench/models.sh\`, \`augur gen\`). Work: instructions
by \`valgrind --tool=callgrind\`; memory: resident. The target is the baseline of \`bench/growth.txt\` and 0.2;
1 is linear. An exponent near 0 says that the stage does not notice; on the axes threads, locks and variables
the number of events stays.
END
if [ -z "$growth_valgrind" ]; then
    echo
    echo "skipped: valgrind is not installed: instructions are not counted, work is not judged"
fi
cp "$growth_measured" "$BENCH_OUT/growth-$growth_mode.txt"
if [ -n "${GROWTH_UPDATE:-}" ]; then
    python3 -B bench/growth.py update $growth_mode "$growth_measured" bench/growth.txt
    echo
    echo "The baseline was written by this run (GROWTH_UPDATE): a PASS below says nothing."
fi
python3 -B bench/growth.py tell $growth_mode "$growth_measured" bench/growth.txt
