# tools/same/job.sh 'GROUP INPUT [OPTION...]': one job of tools/same.sh, in a directory of its own.
set -u
# A recording tells which files were open: none but the usual three.
for fd in /proc/self/fd/*; do
    case ${fd##*/} in [012] | 255) ;; *) eval "exec ${fd##*/}>&-" ;; esac
done
read -ra words <<<"$1"
group=${words[0]} input=${words[1]} options=("${words[@]:2}")
name=${input//\//.}
augur=$SAME_PLACE/tool/build/augur
source=$SAME_PLACE/src/$input
work=$SAME_PLACE/work/$group/$name
out=$SAME_OUT/$group/$name
stdin=/dev/null
limit=300 # only for what hangs: such a step is not to be in the corpus
mkdir -p "$work" "$out"
cd "$work" || exit 1

# What every program and every augur sees of its surroundings.
clean() { env -i PATH=/usr/bin:/bin HOME="$SAME_PLACE" LC_ALL=C.UTF-8 "$@"; }
# normal FILE: its text, with what no two runs have in common made equal
normal() { sed -E -f "$SAME_TOOLS/normal.sed" "$1"; }
# left_out GROUP STEP: is it in the list of what is not run?
left_out() { grep -qF -e "$1 $input $2 " -e "$1 * $2 " "$SAME_TOOLS/left_out.txt"; }
# unstable STEP: the recording of this program is another one each time, and that is what the step prints
unstable() {
    case $1 in record* | show | summary | model | pinned | convert.* | *.frames) left_out "$group" recording ;; *) false ;; esac
}
# step NAME COMMAND...: the command, its exit status, its output and its messages become the file NAME
step() {
    local step=$1 status=0 began=$EPOCHREALTIME
    shift
    ! left_out "$group" "$step" || return 0
    # An inner shell: its word about a program that was killed is nobody's business.
    (clean timeout -k 5 $limit "$@" <"$stdin" >"$work/.out" 2>"$work/.err" || exit $?) 2>/dev/null || status=$?
    ! unstable "$step" || return 0
    {
        echo "\$ ${*/#$augur/augur}"
        echo "status $status"
        normal "$work/.out"
        echo "-- standard error"
        normal "$work/.err"
    } >"$out/$step"
    echo "$group $input $step $began $EPOCHREALTIME" >>"$SAME_PLACE/times.$group"
}
# hash NAME FILE: a file whose text would be too much
hash() {
    ! unstable "$1" || return 0
    [ ! -e "$2" ] || normal "$2" | sha256sum | cut -d ' ' -f 1 >"$out/$1"
}
# bytes NAME FILE: what is compared byte by byte, in the group of that
bytes() {
    ! left_out bytes "$1" && ! unstable "$1" || return 0
    mkdir -p "$SAME_OUT/bytes/$name"
    case $1 in
    *.frames) /usr/bin/python3 "$SAME_TOOLS/frames.py" "$2" ;;
    *) sha256sum <"$2" ;;
    esac >"$SAME_OUT/bytes/$name/$1" 2>&1
}

# checks FILE [OPTION...]: what 'augur check' says about it; all_checks: in every format. No answer may depend on time.
checks() {
    local check=("$augur" check -j 1 --timeout 0 "${@:2}")
    step check "${check[@]}" "$1"
    step check.json "${check[@]}" --format json "$1"
    step check.nondet "${check[@]}" --prop nondet --format json "$1"
}
all_checks() {
    local check=("$augur" check -j 1 --timeout 0 "${@:2}")
    checks "$@"
    step check.sarif "${check[@]}" --format sarif "$1"
    step check.junit "${check[@]}" --format junit "$1"
    step check.html "${check[@]}" --format html -o check.html "$1"
    hash check.html.hash check.html
}
conversions() {
    local to
    for to in "${@:2}"; do
        step "convert.$to" "$augur" convert --to "$to" -o "converted.$to" "$1"
        [ -e "converted.$to" ] || continue
        case $to in
        binary) bytes convert.frames converted.binary ;;
        *) hash "convert.$to.hash" "converted.$to" ;;
        esac
    done
}
first_finding() { [ ! -e "$1" ] || sed -n 's/^ *"id": "\(.*\)",$/\1/p' "$1" | head -n 1; }

job_program() {
    local compiler=cc flags=(-w -g -O1 -pthread -D_GNU_SOURCE "${options[@]}") link with first
    case $input in *.cc | *.cpp) compiler=c++ ;; esac
    # tests/retrace says what its programs need, tests/programs what is on standard input
    read -ra with <<<"$(sed -n 's,^// FLAGS: ,,p' "$source")"
    flags+=("${with[@]}")
    read -ra link <<<"$(sed -n 's,^// LINK: ,,p' "$source")"
    read -ra with <<<"$(sed -n 's,^// WITH: ,,p' "$source")"
    printf '%b' "$(sed -n '/^#include/q; s/^ \* IN //p' "$source" | sed 's/ *\*\/$//')" >stdin.txt
    [ ! -s stdin.txt ] || stdin=$work/stdin.txt
    cp "$source" . # so that locations are short
    step object "$augur" "$compiler" "${flags[@]}" -c "${source##*/}" -o program.o
    step link "$augur" "$compiler" "${flags[@]}" program.o "${with[@]/#/$(dirname "$source")/}" -o program "${link[@]}"
    [ -x program ] || return 0
    bytes object.hash program.o
    step record "$augur" record -o t.trace ./program
    [ -e t.trace ] || return 0
    bytes record.frames t.trace
    step show "$augur" show t.trace
    step summary "$augur" show --summary t.trace
    step model "$augur" show --model t.trace
    conversions t.trace std jsonl binary
    # In every format only the examples.
    case $input in
    examples/*)
        step pinned "$augur" show --pinned t.trace
        step lint "$augur" show --lint t.trace
        conversions t.trace perfetto values rapidbin ctp
        all_checks t.trace
        step check.checks "$augur" check -j 1 --timeout 0 --checks null,div,bounds,uaf --atomic function --format json t.trace
        ;;
    *) checks t.trace ;;
    esac
    step replay "$augur" replay t.trace
    first=$(first_finding "$out/check.json")
    [ -z "$first" ] || step replay.finding "$augur" replay t.trace --finding "$first"
    case $input in
    bench/*) ;; # they sleep (apart.h): when a sleeper goes on is the system's choice
    *)
        step record.random "$augur" record --schedule random --seed 7 -o random.trace ./program
        [ ! -e random.trace ] || bytes random.frames random.trace
        step record.pct "$augur" record --schedule pct --seed 7 -o pct.trace ./program
        [ ! -e pct.trace ] || bytes pct.frames pct.trace
        ;;
    esac
    local run=("$augur" run -j 1 --timeout 0 --budget 0 --limit 60 --no-explore)
    step run.json "${run[@]}" --html run.html --format json ./program
    hash run.html.hash run.html
    step report "$augur" report
    case $input in examples/*) step run "${run[@]}" ./program ;; esac
    step list "$augur" list
    step report.sarif "$augur" report --format sarif
    step report.baseline "$augur" report --format baseline
    case $input in
    examples/* | tests/explore/* | tests/family/*)
        step explore "$augur" explore -j 1 --timeout 1000 --run-timeout 60 --budget 0 --max-runs 10 ./program
        step explore.json "$augur" explore -j 1 --timeout 1000 --run-timeout 60 --budget 0 --max-runs 10 --no-check \
            --format json ./program
        ;;
    esac
}

job_scan() {
    local scan=("$augur" scan -j 1 --timeout 1000 --graph-timeout 1000 --unroll 4)
    cp "$source" .
    step scan "${scan[@]}" --all --no-replay "${source##*/}"
    step scan.json "${scan[@]}" --format json "${source##*/}"
    step scan.lockset "${scan[@]}" --stages lockset --all --brief 0 "${source##*/}"
    case $input in
    tests/*) step scan.deadlock "${scan[@]}" --prop deadlock --no-replay "${source##*/}" ;; # minutes for the others
    esac
    step scan.list "$augur" list
}

job_model() {
    local draw
    cp "$source" m.ctp
    step show "$augur" show m.ctp
    step summary "$augur" show --summary m.ctp
    step lint "$augur" show --lint m.ctp
    step tsg "$augur" show --tsg --draw tsg.dot m.ctp
    [ ! -e tsg.dot ] || cp tsg.dot "$out/tsg.dot"
    for draw in mat ccfg bare; do step "tsg.$draw" "$augur" show --tsg "--$draw" m.ctp; done
    step oracle "$augur" oracle --max-states 200000 m.ctp
    step oracle.text "$augur" oracle --max-states 200000 --format text m.ctp
    conversions m.ctp ctp std
    all_checks m.ctp --unroll 3
    step check.transactions "$augur" check -j 1 --timeout 0 --unroll 3 --order transactions --format json m.ctp
    step check.mcm "$augur" check -j 1 --timeout 0 --unroll 3 --model cam --no-prefix --format json m.ctp
    step check.bound "$augur" check -j 1 --timeout 0 --unroll 3 --context-bound 0..2 m.ctp
    step check.z3 "$augur" check -j 1 --timeout 0 --unroll 2 --prop assert --backend both m.ctp
    step scan "$augur" scan -j 1 --timeout 1000 --graph-timeout 1000 --unroll 4 --all m.ctp
    step scan.json "$augur" scan -j 1 --timeout 1000 --graph-timeout 1000 --unroll 4 --prop race,assert,deadlock \
        --format json m.ctp
}

job_trace() {
    local file=t.trace shard
    case $input in
    gen-*) step gen "$augur" gen "${options[@]}" -o t.trace ;;
    *) file=${input##*/} && cp "$source" . ;;
    esac
    step show "$augur" show "$file"
    step show.json "$augur" show --format json "$file"
    step summary "$augur" show --summary "$file"
    step summary.json "$augur" show --summary --format json "$file"
    step lint "$augur" show --lint "$file"
    conversions "$file" std jsonl perfetto values rapidbin ctp binary
    all_checks "$file"
    step check.stream "$augur" check --stream "$file"
    step check.all "$augur" check -j 1 --timeout 0 --all --format json "$file"
    step check.partial "$augur" check -j 1 --timeout 0 --partial --stages graph "$file"
    for shard in 1 2; do
        step "shard.$shard" "$augur" check -j 1 --timeout 0 --shard "$shard/2" --format json -o "$shard.json" "$file"
    done
    step merge "$augur" merge --format text 1.json 2.json
    step oracle "$augur" oracle --max-states 20000 "$file"
}

job_api() {
    local file
    step build gcc -I "$SAME_PLACE/tool/include" "$source" -o findings -L "$SAME_PLACE/tool/build" -laugur \
        -Wl,-rpath,"$SAME_PLACE/tool/build"
    for file in examples/traces/hidden_race.std examples/traces/two_orders.std tests/golden/v1.trace \
        tests/golden/formats/bank.std tests/models/fig1.ctp tests/models/deadlock_classic.ctp fuzz/corpus/std/std-lint; do
        step "${file##*/}" ./findings --set jobs=1 --sarif out.sarif "$SAME_PLACE/src/$file"
        hash "${file##*/}.sarif.hash" out.sarif
        rm -f out.sarif
    done
    step option ./findings --set nothing=1 "$SAME_PLACE/src/examples/traces/hidden_race.std"
}

job_help() {
    local command
    step help "$augur" help
    step version "$augur" --version
    step markdown "$augur" help --markdown
    step completion "$augur" help --completion
    step doctor "$augur" doctor
    for command in cc c++ run list triage report explore record replay check scan show merge convert gen oracle doctor help; do
        step "$command" "$augur" help "$command"
        step "$command.option" "$augur" "$command" --help
    done
}

# Wrong usage and bad files: a line each.
job_wrong() {
    local n=0 line
    printf 'T1|rel(m)|1\n' >release.std
    printf 'T1|acq(m)|1\nT2|acq(m)|2\n' >acquire.std
    printf 'T1|r(x)|1\n\nnonsense\n' >blank.std
    printf 'T1|r(x)|1|9223372036854775808\n' >large.std
    printf 'T1|fork(T1)|1\n' >fork.std
    printf 'Read T1\n' >short.values
    printf 'shared x = 0\nthread A { x := }\n' >syntax.ctp
    printf 'thread A { y := z + 1 acq nothing }\n' >names.ctp
    printf 'AUGURTRC\377\0\0\0\0\0\0\0' >version.trace
    head -c 100 "$SAME_PLACE/src/tests/golden/v1.trace" >cut.trace
    head -c 4000 /dev/zero >zeros.trace
    : >empty.std
    printf '{"tool": "augur", "findings": [}' >bad.json
    printf 'int main(void) { return x; }\n' >bad.c
    printf 'int main(void) { return 0; }\n' >plain.c
    gcc plain.c -o plain
    for file in *.std *.values *.ctp *.trace; do
        step "show.$file" "$augur" show "$file"
        step "lint.$file" "$augur" show --lint "$file"
        step "check.$file" "$augur" check "$file"
        step "convert.$file" "$augur" convert "$file" -o converted.trace
    done
    while IFS= read -r line; do
        n=$((n + 1))
        # shellcheck disable=SC2086
        step "$(printf %02d $n)" "$augur" $line
    done <<'L'
nothing
--nothing
show
show --nothing fork.std
show nowhere.std
show --range 5..1 fork.std
show --op nothing fork.std
check
check --prop nothing fork.std
check --timeout -1 fork.std
check --context-bound x fork.std
check --shard 3/2 fork.std
check --from nothing fork.std
check --format nothing fork.std
check --on slurm nowhere.trace
check --reach nothing syntax.ctp
convert acquire.std
convert acquire.std -o out.nothing
convert plain.c -o out.trace
gen --events 3 --threads 65536
gen --shape nothing
record
record ./nowhere
record ./plain
record ./plain.c
run ./plain
run ./nowhere
run --baseline nowhere.json ./plain
run --suppressions nowhere.txt ./plain
explore ./plain
explore --max-runs x ./plain
replay
replay nowhere.trace
replay v1.trace --finding R1
replay --finding R1
list
list --kind nothing
triage R1 --as wontfix
triage
report
report --format nothing
merge
merge bad.json
merge nowhere.json
scan
scan nowhere.c
scan bad.c
scan plain.c
scan --entry nothing plain.c
scan syntax.ctp
oracle
oracle syntax.ctp
oracle fork.std
cc
cc nowhere.c
cc bad.c
cc -static plain.c
cc -m32 plain.c
cc -fsanitize=thread plain.c
help nothing
L
}

"job_$group"
# The exploration of programs leaves much behind.
cd / && rm -rf "$work"
