#!/usr/bin/env bash
# Certificates of what is refuted: every one of the models here has one, 'augur verify' accepts them, and it
# accepts nothing that was changed afterwards.
. "$(dirname "$0")/../e2e/lib.sh"
models=$SRC/tests/models

# certify MODEL [OPTION...]: into the directory 'c'.
certify() {
    local model=$1
    shift
    rm -rf c
    [ -e "$model" ] || model=$models/$model.ctp
    "$AUGUR" check "$@" --certify c "$model" >check.txt 2>&1
}

# spoil WHAT COMMAND...: changes a copy of 'c' (in 'bad'), which must then be wrong, and not only because the hash of a file is.
spoil() {
    local what=$1
    shift
    spoil_so '^wrong: (proof|question)' "$what" "$@"
}
# spoil_so HOW WHAT COMMAND...: the same, and what is said of it.
spoil_so() {
    local how=$1 what=$2
    shift 2
    rm -rf bad
    cp -r c bad
    (cd bad && "$@")
    expect_true "$what: it changes something" test -n "$(diff -rq c bad)"
    run "$AUGUR" verify bad
    expect_true "$what: refused" test "$status" -eq 1
    expect_out "$how"
}

# spoil_anywhere SEED TIMES: files of 'c' with a bit turned, bytes or lines dropped, doubled or swapped; none is accepted.
cat >anywhere.py <<'END'
import os, random, shutil, subprocess, sys
augur, seed, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
accepted = 0
for i in range(times):
    name = random.choice(sorted(os.listdir('c')))
    old = open('c/' + name, 'rb').read()
    new, line = bytearray(old), old.split(b'\n')
    at, n, how = random.randrange(len(new)), random.randrange(1, 6), random.randrange(5)
    if how == 0:
        new[at] ^= 1 << random.randrange(8)
    elif how == 1:
        del new[at:at + n]
    elif how == 2 or len(line) < 3:
        new[at:at] = new[at:at + n]
    elif how == 3:
        new = bytearray(b'\n'.join(x for k, x in enumerate(line) if k != at % (len(line) - 1)))
    else:
        a, b = at % (len(line) - 1), n % (len(line) - 1)
        line[a], line[b] = line[b], line[a]
        new = bytearray(b'\n'.join(line))
    if new == old:
        continue
    shutil.rmtree('bad', ignore_errors=True)
    shutil.copytree('c', 'bad')
    open('bad/' + name, 'wb').write(new)
    if subprocess.run([augur, 'verify', 'bad'], capture_output=True).returncode not in (1, 2):
        accepted += 1
        print('accepted: seed', seed, 'change', i, 'of', name)
print(accepted, 'accepted')
END
spoil_anywhere() {
    run python3 anywhere.py "$AUGUR" "$1" "$2"
    expect_true "$(head -1 .lib/out)" grep -qx '0 accepted' .lib/out
}

check "what is refuted in the models has certificates that hold"
for f in "$models"/*.ctp; do
    model=$(basename "$f" .ctp)
    [ "$model" != nested_loops ] && [ "$model" != spin ] || continue # need --unroll
    ! grep -qE '\[(rlx|acq|rel|acq_rel) ' "$f" || continue           # refused, see below
    for how in "" --no-prefix; do
        certify "$model" $how
        run "$AUGUR" verify c
        expect_true "$model $how: status $status, $(tail -1 .lib/out)" test "$status" -eq 0
    done
done

check "each stage is counted by itself"
certify prim_rwlock
run "$AUGUR" verify c
expect_status 0
expect_out '^lockset +12 +12$'
expect_out '^interval +[1-9]'
expect_out '^solver +[1-9]'
expect_out '^certified 42 of 42 refutations'

check "the report says how many there are"
expect_true "note" grep -q 'certificates of 42 of 42 refutations' check.txt

check "the program that verifies has nothing of the solver"
run nm "$(dirname "$AUGUR")/augur-verify"
expect_out 'au_rup_check'
expect_true "of src/solve: $(grep -E 'CaDiCaL|au_sat_|au_cssa|au_solve|Z3_' .lib/out)" \
    test -z "$(grep -E 'CaDiCaL|au_sat_|au_cssa|au_solve|Z3_' .lib/out)"

check "what cannot be certified is counted, with the reason"
certify prim_lost_update --context-bound 0
run "$AUGUR" verify c
expect_status 3
expect_out '^not certified: it is refuted for so many switches only'
certify fig1 --model mcm
run "$AUGUR" verify c
expect_status 3
expect_out '^not certified: the reference encoding is that of --model ctp'

check "a counter that is set up before its threads start is a sum"
cat >setup.ctp <<'END'
shared x = 0
lock l
thread M { m1: x := 1  m2: x := 40  m3: fork A  m4: fork B  m5: join A  m6: join B  m7: assert x == 45 }
thread A { a1: acq l  a2: x := x + 2  a3: rel l }
thread B { b1: acq l  b2: x := x + 3  b3: rel l }
trace m1-m4 a1-a3 b1-b3 m5-m7
END
certify setup.ctp --prop assert
run "$AUGUR" verify c
expect_status 0
expect_true "rule S is used for x" grep -qx 'commuting 0' c/*.cert
# … and not where a thread may add before that
sed 's/m2: x := 40  m3: fork A/m3: fork A  m2: x := 40/; s/x == 45/x <= 45/' setup.ctp >late.ctp
certify late.ctp --prop assert
run "$AUGUR" verify c
expect_status 0
expect_true "rule S is not used for x" grep -q '^proof' c/*.cert
expect_true "rule S is not used for x" test -z "$(grep -x 'commuting 0' c/*.cert)"

check "a proof: lemmas, clauses, lines, questions, the model: nothing can be changed"
cat >cause.ctp <<'END'
shared x = 0, y = 0
thread A { a1: x := 1 }
thread B { b1: b := x  b2: assume b == 1  b3: y := 1 }
thread C { c1: c := y  c2: d := x  c3: assert c == 0 || d == 1 }
trace a1 b1 b2 b3 c1 c2 c3
END
certify cause.ctp
run "$AUGUR" verify c
expect_status 0
n=$(ls c/*.cnf | head -1 | sed 's|.*/||; s|.cnf||')
expect_true "there are lemmas" grep -q '^transitive' "c/$n.cert"
spoil "a lemma changed" sed -i '0,/^transitive \([0-9]*\) \([0-9]*\) \([0-9]*\)/s//transitive \2 \1 \3/' "$n.cert"
spoil "a lemma dropped" sed -i '0,/^transitive/{/^transitive/d}' "$n.cert"
spoil "a lemma that is no instance" sed -i '0,/^transitive \([0-9]*\) \([0-9]*\)/s//transitive \1 \1/' "$n.cert"
spoil "a rule named that the model does not have" sed -i 's/^model 1$/model 1\ncommuting 0/' "$n.cert"
spoil "a clause added" sh -c "echo '2 0' >>$n.cnf"
spoil "a clause added, and counted" sh -c \
    "sed -i '1s/.*/p cnf '\"\$(awk 'NR == 1 { print \$3, \$4 + 1 }' $n.cnf)\"'/' $n.cnf; echo '2 0' >>$n.cnf"
spoil "a clause dropped" sed -i '40d' "$n.cnf"
spoil "a literal turned" sed -i '41s/^-\?/-/;42s/^-//' "$n.cnf"
spoil "the end of the proof cut" truncate -s -3 "$n.drat"
spoil "a line of the proof removed" sh -c "tail -c +8 $n.drat >x && mv x $n.drat"
spoil "an empty proof" truncate -s 0 "$n.drat"
spoil "no proof" rm "$n.drat"
spoil "a question more" sed -i '0,/^question.*/s//&\nquestion race 0 1 - 0 - - 0 0 0/' "$n.cert"
spoil "a question less" sed -i '0,/^question/{/^question/d}' "$n.cert"
spoil "what was found is said to be refuted" sed -i "s/^end /refuted 1 solver race 0 1 - 0 - - 0 0 0 proof $n\n&/" refuted.txt
spoil "another model" sed -i 's/d == 1/d != 7/' model-1.ctp
spoil "whole runs instead of prefixes" sed -i 's/^model 1 0 /model 1 1 /' refuted.txt

check "… and whatever else is changed in a file is noticed: blanks, the order of lines"
spoil_anywhere 1 60
spoil "a blank in a clause" sed -i '40s/ /  /' "$n.cnf"
spoil "two clauses on a line" sh -c "tr '\\n' ' ' <$n.cnf | sed 's/ /\\n/4' >x && mv x $n.cnf"

check "the list and the model are what was written: what needs no proof any more is missed"
spoil_so '^wrong: the list' "the last question is gone" sh -c 'tac refuted.txt | sed "0,/^refuted/{/^refuted/d}" | tac >x; mv x refuted.txt'
spoil_so '^wrong: the list' "the first question is gone" sed -i '0,/^refuted/{/^refuted/d}' refuted.txt
spoil_so '^wrong: the list' "all questions are gone" sed -i '/^refuted/d' refuted.txt
spoil_so '^wrong: the list' "another stage" sed -i '0,/^refuted 1 [a-z-]*/s//refuted 1 graph/' refuted.txt
spoil_so '^wrong: the list' "what had a certificate has none" sed -i '0,/ proof [0-9]*$/s// none for a reason/' refuted.txt
spoil_so '^wrong: the list' "its hash" sed -i 's/^end .*/end 17/' refuted.txt
spoil_so '^wrong: model 1: it is not the one' "a remark in the model" sh -c 'echo "// nothing" >>model-1.ctp'
spoil_so '^wrong: model 1: it is not the one' "an access that nobody asked about" sed -i '0,/^thread A {/s//& a0: y := 0/' model-1.ctp
rm -rf bad && cp -r c bad
echo "refuted 1 solver race 0 1 - 0 - - 0 0 0 none later" >>bad/refuted.txt
run "$AUGUR" verify bad
expect_status 2
expect_err "it is damaged"

check "another question's proof"
certify prim_rwlock --prop nondet
mv c other
certify prim_rwlock --prop assert,locks
spoil "all files of another proof" sh -c 'for f in ../other/*.cnf; do b=$(basename $f .cnf); a=$(ls *.cnf | head -1); a=${a%.cnf}; cp ../other/$b.cert $a.cert; cp ../other/$b.cnf $a.cnf; cp ../other/$b.drat $a.drat; done'
spoil "the clauses of another" sh -c 'cp ../other/$(cd ../other; ls *.cnf | head -1) $(ls *.cnf | head -1)'

check "a path and a lock: each link counts"
certify prim_fork_join
expect_true "there is a path" grep -q ' path ' c/refuted.txt
spoil "a path that leads elsewhere" sed -i '0,/\(race [0-9]* [0-9]*\) \(.*\) path .*/s//\1 \2 path 0 1/' refuted.txt
certify prim_lock
expect_true "there is a lock" grep -q ' lock 0$' c/refuted.txt
spoil "no such lock" sed -i 's/ lock 0$/ lock 7/' refuted.txt
spoil "a lock that is not held" sed -i '0,/acq/s//nop #/; 0,/rel/s//nop #/' model-1.ctp

check "a trace: what each stage ruled out is counted by itself, and certified"
cat >l.std <<'END'
M|w(y)|1|1
M|fork(A)|1
M|fork(B)|2
A|acq(l)|3
A|r(x)|5|0
A|w(x)|6|1
A|r(y)|5|1
A|rel(l)|6
B|acq(l)|7
B|r(x)|8|1
B|w(x)|9|2
B|rel(l)|9
M|join(A)|9
M|join(B)|9
M|r(x)|9|2
END
rm -rf c
run "$AUGUR" check --prop race,atomicity,deadlock,nondet --certify c l.std
expect_out 'infeasible, a cycle 29'
run "$AUGUR" verify c
expect_status 0
expect_out '^must-hb +3 +3$'
expect_out '^lockset +5 +5$'
expect_out '^graph +29 +29$'
expect_out '^certified 37 of 37 refutations'
spoil "another path" sed -i '0,/ path 0 1 /s// path 0 2 /' refuted.txt
spoil "a lock of a pair that holds none" sed -i '0,/must-hb race \(.*\) path .*/s//must-hb race \1 lock 0/' refuted.txt
spoil "a witness that can be" sed -i '0,/graph nondeterminism 15 10 - 1 - - 1/s//graph nondeterminism 15 10 - 1 - - 3/' refuted.txt
spoil "a form that there is not" sed -i '0,/^question nondeterminism \(.*\) [123] 0 0$/s//question nondeterminism \1 4 0 0/' 1.cert
spoil "the write of another thread" sed -i '0,/^question nondeterminism 5 17 /s//question nondeterminism 5 10 /' 1.cert

spoil_anywhere 2 60

check "a graph that refutes findings, and the solver after it"
"$AUGUR" gen --threads 3 --events 120 --seed 5 --with-values -o g.trace
rm -rf c
run "$AUGUR" check --certify c g.trace
expect_out 'certificates of 4 of 4 refutations'
run "$AUGUR" verify c
expect_status 0
expect_out '^graph +2 +2$'
expect_out '^solver +2 +2$'

check "what is not listed is counted"
run "$AUGUR" gen --threads 4 --events 3000 --vars 8 --shared-fraction 0.9 --seed 5 --with-values -o many.trace
rm -rf c
"$AUGUR" check --prop nondet --certify c many.trace >check.txt
run "$AUGUR" verify c
expect_status 3
expect_out '^not certified: there are more than a list of certificates holds \([0-9]{5,}\)'

check "recordings: every stage, ranges included"
for name in publish double_checked check_then_act; do
    "$AUGUR" cc -g -O1 -pthread "$SRC/examples/assertions/$name.c" -o $name
    "$AUGUR" record --quiet -o $name.trace ./$name >/dev/null
    rm -rf c
    run "$AUGUR" check --prop race,atomicity,deadlock,assert,nondet,locks --certify c $name.trace
    run "$AUGUR" verify c
    expect_true "$name: status $status, $(tail -1 .lib/out)" test "$status" -eq 0
    case $name in
    publish) expect_out '^must-hb +[1-9]' ;;
    double_checked) expect_out '^interval +[1-9]' ;;
    check_then_act) expect_out '^lockset +[1-9]' ;;
    esac
    expect_out '^graph +[1-9]'
    expect_out '^solver +[1-9]'
done

check "weak memory orders have no certificates"
run "$AUGUR" check --certify c "$models/memory_orders.ctp"
expect_status 2
expect_err "'--certify' proves what no interleaving does"

check "a shard has no certificates"
run "$AUGUR" check --shard 1/2 --certify c --format json "$models/fig1.ctp"
expect_status 2
expect_err 'certify conflicts with --shard'

check "usage"
run "$AUGUR" verify
expect_status 2
run "$AUGUR" verify nothing
expect_status 2
expect_err "cannot open 'nothing/refuted.txt'"
certify prim_lock
sed -i '$d' c/refuted.txt
run "$AUGUR" verify c
expect_status 2
expect_err "it is damaged"

check "a check that failed leaves nothing that verify accepts"
certify prim_lock
run "$AUGUR" check --certify c missing.ctp
expect_status 2
run "$AUGUR" verify c
expect_status 2
expect_err "has not come to its end"
