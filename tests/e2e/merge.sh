#!/usr/bin/env bash
# augur check --shard and augur merge: shards together say, byte for byte, what one check says.
. "$(dirname "$0")/lib.sh"

models=$SRC/tests/models

# The same order in every run of this script, another one for every use.
seed=1
mix() {
    seed=$((seed + 1))
    shuf --random-source=<(awk -v s=$seed 'BEGIN { srand(s); for (i = 0; i < 4000; i++) printf "%c", 65 + int(26 * rand()) }')
}

# shards N ARGUMENT...: 1.json … N.json
shards() {
    local n=$1 i
    shift
    rm -f ./[0-9]*.json
    for i in $(seq "$n"); do
        run "$AUGUR" check --no-stats --format json --shard "$i/$n" -o "$i.json" "$@"
        [ "$status" -ne 2 ] || fail "shard $i of $n: $err"
    done
}
whole() {
    run "$AUGUR" check --no-stats --format json -o whole.json "$@"
    whole_status=$status
}
# All of them at once, in some order, the first one twice.
merged() {
    # shellcheck disable=SC2046
    run "$AUGUR" merge --no-stats -o merged.json $(printf '%s\n' ./[0-9]*.json ./1.json | mix)
    expect_status "$whole_status"
    expect_same whole.json merged.json
}
# Two at a time, any two, until one is left.
merged_in_groups() {
    local list
    while list=$(printf '%s\n' ./[0-9]*.json | mix) && [ "$(wc -l <<<"$list")" -gt 1 ]; do
        # shellcheck disable=SC2086,SC2046
        set -- $list
        run "$AUGUR" merge --no-stats --partial -o both "$1" "$2"
        rm "$1" "$2"
        mv both "$1"
    done
    run "$AUGUR" merge --no-stats -o merged.json ./[0-9]*.json
    expect_status "$whole_status"
    expect_same whole.json merged.json
}
# same N ARGUMENT...
same() {
    local n=$1
    shift
    whole "$@"
    shards "$n" "$@"
    merged
}
answers() { cat "$@" | grep -c '"digest"'; }

# ---- what is sharded ----

check "every question is asked in one shard and in no other"
whole "$models/prim_rwlock.ctp"
shards 1 "$models/prim_rwlock.ctp"
all=$(answers 1.json)
grep -o '"call": [0-9]*, "question": [0-9]*' 1.json | sort >all.txt
shards 7 "$models/prim_rwlock.ctp"
cat ./[0-9].json | grep -o '"call": [0-9]*, "question": [0-9]*' | sort >parts.txt
expect_true "$all questions, more than 20" test "$all" -gt 20
expect_same all.txt parts.txt
for i in 1 2 3 4 5 6 7; do
    expect_true "shard $i has something to do" test "$(answers $i.json)" -gt 0
done

check "answers do not depend on the number of workers, nor on the day"
for model in prim_rwlock fig11 raytracer3 prim_lost_update nondet_third_write; do
    run "$AUGUR" check --no-stats --format json --jobs 1 -o one.json "$models/$model.ctp"
    expect_status 1
    run "$AUGUR" check --no-stats --format json --jobs 5 -o five.json "$models/$model.ctp"
    expect_status 1
    expect_same one.json five.json
done

for n in 1 2 3 7; do
    check "models in $n shards"
    for model in fig5 raytracer3 prim_rwlock wide_bank; do
        [ -z "$SANITIZED" ] || [ $model = fig5 ] || continue
        [ $n -lt 7 ] || [ $model = prim_rwlock ] || continue
        same $n "$models/$model.ctp"
        [ $model != prim_rwlock ] || merged_in_groups
    done
done

check "with options of the exact stage"
same 3 --context-bound 0..3 --prop race,assert,atomicity "$models/fig11.ctp"
same 3 --backend both "$models/prim_lost_update.ctp"
same 2 --no-prefix --prop race,nondet --all "$models/raytracer3_common.ctp"
same 3 --window 6 --prop race "$models/prim_rwlock.ctp"
same 2 --stages lockset "$models/fig5.ctp"
same 2 --unroll 2 "$models/spin.ctp"
same 2 --model mcm "$models/fig1.ctp"

check "traces, with and without values, of all kinds of findings"
for seed_of in 1 2 3 4 6; do
    "$AUGUR" gen -n 120 -t 3 --locks 2 --vars 3 --values --seed $seed_of -o "t$seed_of.std"
    same 3 --prop race,atomicity,deadlock,nondet,locks "t$seed_of.std"
    [ -z "$SANITIZED" ] || break
done
"$AUGUR" gen -n 2000 -t 4 --seed 5 -o plain.trace
same 2 plain.trace
expect_true "nothing to ask" test "$(answers 1.json)" -eq 0

check "several inputs, merged first"
same 3 "$models/fig5.ctp" "$models/fig5.ctp"
"$AUGUR" gen -n 40 -t 3 --locks 2 --vars 3 --values --seed 4 -o small.std
same 2 small.std small.std

check "recordings, one and several, with their sources"
cp "$SRC/examples/papers/account.c" .
run "$AUGUR" cc -O1 -g account.c -o account -pthread
expect_status 0
run "$AUGUR" record -o account.trace ./account
run "$AUGUR" record --schedule random --seed 3 -o other.trace ./account
same 3 account.trace
expect_true "findings, and lines of source" grep -q '"sources"' whole.json
[ -n "$SANITIZED" ] || same 3 account.trace other.trace

# ---- other forms ----

check "all forms are those of one check"
shards 3 account.trace
for format in text json sarif junit html; do
    # Graphviz does not lay out a graph in the same way every time.
    run "$AUGUR" check --no-stats --format $format account.trace
    sed 's/"graphs":.*//' .lib/out >expected
    run "$AUGUR" merge --no-stats --format $format 2.json 3.json 1.json
    sed 's/"graphs":.*//' .lib/out >got
    cmp -s expected got || fail "as $format they differ"
    expect_status 1
done
expect_true "a page" grep -q '<html' got

check "the findings of a shard are those that it knows"
run "$AUGUR" check --format json --shard 2/3 "$models/fig5.ctp"
expect_status 1
expect_out '"kind": "race"'
run "$AUGUR" check --shard 2/3 "$models/fig5.ctp"
expect_status 1
expect_out "findings: "

check "times: those of all shards together"
for i in 1 2; do
    "$AUGUR" check --format json --shard $i/2 -o "s$i.json" "$models/fig5.ctp"
done
run "$AUGUR" merge s1.json s2.json
a=$(sed -n 's/.*"number".*"seconds": \([0-9.e-]*\).*/\1/p' s1.json)
b=$(sed -n 's/.*"number".*"seconds": \([0-9.e-]*\).*/\1/p' s2.json)
c=$(sed -n 's/.*"stats".*"seconds": \([0-9.e-]*\).*/\1/p' .lib/out)
expect_true "$a + $b is $c" awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { d = a + b - c; exit d * d > 1e-8 }'
run "$AUGUR" merge --no-stats s1.json s2.json
expect_true "no times" test -z "$(grep stats .lib/out)"

# ---- what is missing ----

check "missing shards are named"
shards 7 "$models/fig5.ctp"
run "$AUGUR" merge 2.json 5.json
expect_status 2
expect_no_out
expect_err "of 7 shards these are missing: 1, 3-4, 6-7 "
run "$AUGUR" merge --partial --no-stats 2.json 5.json -o part.json
expect_status 1
run "$AUGUR" merge part.json 1.json
expect_status 2
expect_err "missing: 3-4, 6-7 "
whole "$models/fig5.ctp"
run "$AUGUR" merge --no-stats part.json 1.json 3.json 4.json 6.json 7.json -o merged.json
expect_same whole.json merged.json

check "a result that lacks nothing stays what it is"
run "$AUGUR" merge --no-stats whole.json
expect_status 1
expect_same whole.json .lib/out
run "$AUGUR" merge --no-stats 3.json whole.json part.json
expect_same whole.json .lib/out
run "$AUGUR" merge --format text whole.json
expect_out "13 findings"

check "a shard that is killed, or told to stop, leaves no result"
for how in KILL TERM; do
    rm -rf dump
    mkdir dump
    mkfifo dump/q1.smt2 # it stands still where it writes into the pipe
    "$AUGUR" check --format json --shard 1/2 --dump dump -o killed.json "$models/fig5.ctp" &
    killed=$!
    wait_for eval '[ -n "$(find dump -name "*.cnf")" ] || ! kill -0 $killed'
    kill -$how $killed
    wait $killed 2>/dev/null
    expect_no_file killed.json
done

# ---- what does not go together ----

check "shards of another check are refused"
shards 2 "$models/fig5.ctp"
mv 1.json a.json
cp 2.json b.json
refused() {
    run "$AUGUR" merge a.json "$1"
    expect_status 2
    expect_no_out
    expect_err "$2"
}
"$AUGUR" check --format json --shard 2/2 -o x.json "$models/fig11.ctp"
refused x.json "'x.json' is about another input than 'a.json'"
"$AUGUR" check --format json --shard 2/2 --prop race -o x.json "$models/fig5.ctp"
refused x.json "'x.json' was made with other options than 'a.json'"
"$AUGUR" check --format json --shard 2/3 -o x.json "$models/fig5.ctp"
refused x.json "'x.json' is of 3 shards, 'a.json' of 2"
"$AUGUR" check --format json -o x.json "$models/fig11.ctp"
refused x.json "are not of one check"
sed 's/"check": "[0-9a-f]*"/"check": "00"/' b.json >x.json
refused x.json "another version of augur"
"$AUGUR" check --format json --prop race -o x.json "$models/fig5.ctp"
refused x.json "are not of one check"

check "what is no result of a check is refused"
head -c 2000 b.json >x.json
refused x.json "not valid JSON"
: >x.json
refused x.json "not valid JSON"
echo '{"tool": "tsan"}' >x.json
refused x.json "not what augur writes"
echo '{"tool": "augur", "findings": []}' >x.json
refused x.json "not what 'augur check --format json' writes"
echo 'int main(void) { return 0; }' >x.json
refused x.json "not valid JSON"
refused . "directory"
refused nowhere.json "cannot open"
head -c 100000 /dev/urandom >x.json
refused x.json "not valid JSON"

check "a result that was changed is refused"
sed 's/"question": 2,/"question": 4,/' b.json >x.json
refused x.json "answers"
sed '/"question": 2,/d' b.json >x.json
refused x.json "answers"
sed 's/"of": 2,/"of": 0,/' b.json >x.json
refused x.json "of"
sed 's/"number": 2,/"number": 9,/' b.json >x.json
refused x.json "number"
sed 's/"options": \[\]/"options": ["--dump=here"]/' b.json >x.json
run "$AUGUR" merge --partial x.json
expect_status 2
expect_err "options"
expect_no_file here

check "the input must be what it was"
cp "$models/fig5.ctp" mine.ctp
for i in 1 2; do
    "$AUGUR" check --no-stats --format json --shard $i/2 -o "s$i.json" mine.ctp
done
"$AUGUR" check --no-stats --format json -o whole.json mine.ctp
mkdir -p elsewhere
cp s1.json s2.json elsewhere
(cd elsewhere && "$AUGUR" merge --no-stats s1.json s2.json -o merged.json 2>err)
expect_same whole.json elsewhere/merged.json
echo "# more" >>mine.ctp
run "$AUGUR" merge s1.json s2.json
expect_status 2
expect_err "'mine.ctp' is not what it was"
rm mine.ctp
run "$AUGUR" merge s1.json s2.json
expect_status 2
expect_err "input of the shards is needed: cannot open 'mine.ctp'"

document "$SRC/docs/scale-out.md"

check "what cannot be done in shards"
run "$AUGUR" check --shard 1/2 --first "$models/fig5.ctp"
expect_status 2
expect_err "first"
run "$AUGUR" check --shard 1/2 --budget 5 "$models/fig5.ctp"
expect_status 2
expect_err "budget"
run_with plain.trace "$AUGUR" check --shard 1/2 -
expect_status 2
expect_err "needs files"
run "$AUGUR" check --shard 1/2 /dev/null
expect_status 2
expect_err "needs files"
run "$AUGUR" merge
expect_status 2
