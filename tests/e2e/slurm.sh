#!/usr/bin/env bash
# augur check --on slurm, on a real Slurm of one node: its own munge key, slurm.conf and
# directories below $TMP, its daemons children of this script. Shards are killed half-way: a shard's
# augur stands still where it writes a query into a pipe that nobody reads (--dump), so nothing here
# depends on who is faster.
# SANITIZED: no, because processes and files are what is tested; merge.sh runs the shards sanitized
. "$(dirname "$0")/lib.sh"

# ---- is there what it takes? ----

missing=''
for tool in pgrep munged slurmctld slurmd sbatch squeue scancel sinfo; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
[ "$(id -u)" -eq 0 ] || missing="$missing root"

check "without sbatch the command says so"
mkdir nothing
run env PATH="$TMP/nothing" "$AUGUR" check --on slurm --nodes 2 "$SRC/tests/models/fig5.ctp"
expect_status 2
expect_err "no 'sbatch' in PATH"
expect_no_file .augur

check "what does not go together"
run "$AUGUR" check --on slurm "$SRC/tests/models/fig5.ctp"
expect_status 2
expect_err "needs --nodes"
run "$AUGUR" check --on slurm --nodes 2 --first "$SRC/tests/models/fig5.ctp"
expect_status 2
expect_err "first"
run "$AUGUR" check --on slurm --nodes 2 -
expect_status 2
expect_err "needs files"
run "$AUGUR" check --on slurm --nodes 2 --shard 1/2 "$SRC/tests/models/fig5.ctp"
expect_status 2
expect_err "shard conflicts with --on"
run "$AUGUR" check --on pbs --nodes 2 "$SRC/tests/models/fig5.ctp"
expect_status 2

if [ -n "$missing" ]; then
    check "a check on Slurm"
    skip "not here:$missing"
    exit 0
fi

# ---- the cluster ----

# Nobody outlives this script, however it ends.
child() {
    if setpriv --pdeathsig KILL true 2>/dev/null; then
        exec setpriv --pdeathsig KILL "$@"
    fi
    exec "$@"
}
daemons=()
ours() { pgrep -f "$TMP/(cluster|hold|\.augur)/"; }
# They have nothing to save.
stop_cluster() {
    local pid
    [ ${#daemons[@]} -gt 0 ] || return 0
    for pid in "${daemons[@]}"; do
        kill -9 "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    # Jobs and what serves them are not children of ours, but their directories are.
    for pid in $(ours); do
        [ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null
    done
    daemons=()
}
free_port() {
    local port
    for port in $(shuf -i 20000-30000 -n 50); do
        (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}
start_slurmd() {
    child slurmd -D >>slurmd.out 2>&1 &
    slurmd=$!
    daemons+=("$slurmd")
}
is_idle() { sinfo --noheader --format=%T 2>/dev/null | grep -qx idle; }

cluster=$TMP/cluster
mkdir -p cluster/state cluster/spool cluster/run
chmod 755 cluster cluster/run
head -c 1024 /dev/urandom >cluster/key
chmod 400 cluster/key
node=$(uname -n | cut -d. -f1)
slurmctld_port=$(free_port)
slurmd_port=$(free_port)
cat >cluster/slurm.conf <<END
ClusterName=augur
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$slurmctld_port
SlurmdPort=$slurmd_port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/run/munge.socket
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/run/slurmctld.pid
SlurmdPidFile=$cluster/run/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
KillWait=1
NodeName=$node NodeAddr=127.0.0.1 Port=$slurmd_port CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$cluster/slurm.conf
unset "${!SLURM_JOB@}" "${!SBATCH_@}" "${!SQUEUE_@}"
trap 'code=$?; stop_cluster; (exit $code); au_at_exit' EXIT

check "a Slurm of one node"
child munged --foreground --key-file="$cluster/key" --socket="$cluster/run/munge.socket" \
    --pid-file="$cluster/run/munged.pid" --log-file="$cluster/munged.log" \
    --seed-file="$cluster/run/seed" >munged.out 2>&1 &
daemons+=($!)
munged=$!
wait_for eval '[ -S cluster/run/munge.socket ] || ! kill -0 $munged 2>/dev/null'
if ! [ -S cluster/run/munge.socket ]; then
    skip "munged does not start: $(tail -n 1 munged.out)"
    exit 0
fi
child slurmctld -D >slurmctld.out 2>&1 &
daemons+=($!)
slurmctld=$!
start_slurmd
wait_for eval 'is_idle || ! kill -0 $slurmctld 2>/dev/null || ! kill -0 $slurmd 2>/dev/null'
if ! is_idle; then
    skip "slurmctld or slurmd does not start: $(tail -n 1 slurmctld.out) $(tail -n 1 slurmd.out)"
    exit 0
fi

# ---- what is checked, and what one check says of it ----

cat >many.ctp <<'END'
shared x = 0, y = 0, z = 0
lock l
thread A { a1: x := 1  a2: y := x + 1  acq l  a3: z := 1  rel l  a4: assert y == 2 }
thread B { b1: x := 2  b2: y := x + 2  b3: z := 2  acq l  b4: x := z  rel l }
thread C { c1: z := x  c2: x := y  acq l  c3: y := z  rel l  c4: assert x != 7 }
END
run "$AUGUR" check --no-stats --format json -o whole.json many.ctp
expect_status 1
"$AUGUR" check --no-stats many.ctp >whole.text

# Nothing of ours is left: no job, no file.
expect_clean() {
    expect_no_file .augur
    [ -z "$(squeue --noheader --states=PENDING,RUNNING)" ] || fail "jobs are left: $(squeue)"
}
# begun I: how often shard I was begun
begun() { find hold -name "begun-$1-*" | wc -l; }
expect_begun() {
    local i=1 n
    for n; do
        [ "$(begun $i)" -eq "$n" ] || fail "shard $i was begun $(begun $i) times instead of $n"
        i=$((i + 1))
    done
}

# The augur of the nodes. What stands in hold/first-I and hold/each-I is done the first, each time that
# shard I is begun: 'stand' still half-way, 'die' at once, 'refuse' the input, leave 'half' a result.
cat >node-augur <<END
#!/bin/bash
hold=$TMP/hold
for word; do
    case \$word in
    --shard=*) i=\${word#--shard=} i=\${i%%/*} ;;
    --output=*) output=\${word#--output=} ;;
    esac
done
n=\$(find \$hold -name "begun-\$i-*" | wc -l)
what=\$(cat \$hold/each-\$i 2>/dev/null)
[ \$n -gt 0 ] || what=\$what\$(cat \$hold/first-\$i 2>/dev/null)
echo \$\$ >\$hold/.begun-\$i && mv \$hold/.begun-\$i \$hold/begun-\$i-\$((n + 1))
case \$what in
die) kill -9 \$\$ ;;
refuse) echo "augur: no such input here" >&2; exit 2 ;;
half) head -c 3000 $TMP/shard.json >"\$output"; exit 0 ;;
stand) shift; exec "$AUGUR" check --dump=\$hold/dump-\$i "\$@" ;;
esac
exec "$AUGUR" "\$@"
END
chmod +x node-augur
"$AUGUR" check --format json --shard 2/3 -o shard.json many.ctp

# Shard I stands still at the third of its questions; the others are asked meanwhile.
stand() {
    local q
    q=$("$AUGUR" check --format json --shard "$1/3" many.ctp | sed -n 's/.*"question": \([0-9]*\).*/\1/p' | sed -n 3p)
    mkdir -p "hold/dump-$1"
    mkfifo "hold/dump-$1/q$((q + 1)).smt2"
    echo stand >"hold/first-$1"
}
is_half_way() { find "hold/dump-$1" -name '*.cnf' | grep -q .; }
are_half_way() {
    local i
    for i; do
        is_half_way "$i" || return 1
    done
}
new() {
    rm -rf hold merged.json
    mkdir hold
}
# Begins a check of three shards with more options; finish waits for it.
start() {
    child "$AUGUR" check --no-stats --format json -o merged.json --on slurm --nodes 3 \
        --node-augur "$TMP/node-augur" "$@" many.ctp >.lib/out 2>.lib/err </dev/null &
    checker=$!
}
finish() {
    wait "$checker"
    status=$? au_command="check --on slurm" out=$(cat .lib/out) err=$(cat .lib/err)
}
same_as_whole() {
    expect_status 1
    expect_same whole.json merged.json
    expect_clean
}

# Everything on the node is gone at once, and nobody tells the controller.
power_cut() {
    kill -9 "$slurmd" $(pgrep -f 'slurmstepd: \[') $(pgrep -f "$cluster/spool") \
        "$(cat hold/begun-1-1)" 2>/dev/null
    wait "$slurmd" 2>/dev/null
}

# ---- all goes well ----

check "three shards give what one check gives"
new
start
finish
same_as_whole
expect_begun 1 1 1
expect_no_err

check "as text, too, and with more shards than questions are worth"
run "$AUGUR" check --no-stats --on slurm --nodes 9 --work-dir "$TMP/shared dir" \
    --slurm-options '--time=5 --comment="a b"' many.ctp
expect_status 1
expect_same whole.text .lib/out
expect_clean
expect_no_file "$TMP/shared dir"

# ---- workers die ----

check "a shard killed half-way and one cancelled are done again: nothing lost, nothing double"
new
stand 2
stand 3
start
wait_for are_half_way 2 3 || fail "the shards do not come half-way"
kill -9 "$(cat hold/begun-2-1)"
scancel --state=RUNNING "$(squeue --noheader --array --format='%i %K' | awk '$2 == 3 { print $1 }')"
finish
same_as_whole
expect_begun 1 2 2
expect_err "no result of shard"

check "the node dies under its shard, and comes back"
new
stand 1
start
wait_for is_half_way 1 || fail "the shard does not come half-way"
power_cut
scontrol update NodeName="$node" State=DOWN Reason="power cut"
start_slurmd
wait_for is_idle || fail "the node does not come back: $(sinfo --noheader)"
finish
same_as_whole
expect_begun 2 1 1

check "half a result is none"
new
echo half >hold/first-2
start
finish
same_as_whole
expect_begun 1 2 1

# ---- it cannot be done ----

check "a shard that dies every time ends it"
new
echo die >hold/each-2
start --retries 1
finish
expect_status 3
expect_err "shard 2 of 3 was lost 2 times"
expect_true "shard 2 was begun twice" test "$(begun 2)" -eq 2
expect_no_file merged.json
expect_clean

check "a shard that cannot be done is not tried again"
new
echo refuse >hold/each-3
start
finish
expect_status 2
expect_err "shard 3 of 3 cannot be done.*no such input here"
expect_true "shard 3 was begun once" test "$(begun 3)" -eq 1
expect_clean

check "what sbatch refuses"
run "$AUGUR" check --on slurm --nodes 2 --slurm-options "--partition=none" many.ctp
expect_status 2
expect_err "sbatch refused the job: .*partition"
expect_clean
run "$AUGUR" check --on slurm --nodes 2 --slurm-options "--comment='a" many.ctp
expect_status 2
expect_err "does not end"
expect_clean

check "Ctrl-C cancels the jobs and leaves nothing"
new
stand 1
stand 2
start
wait_for are_half_way 1 2 || fail "the shards do not come half-way"
shards="$(cat hold/begun-1-1) $(cat hold/begun-2-1)"
kill -TERM "$checker" # a shell lets its background jobs ignore INT
finish
expect_status 143
expect_no_file merged.json
expect_clean
is_gone() { [ ! -e "/proc/$1" ]; }
for pid in $shards; do
    wait_for is_gone "$pid" || fail "process $pid of a shard is left"
done

check "nothing is left of the cluster"
stop_cluster
[ -z "$(ours)" ] || fail "processes are left: $(ours | tr '\n' ' ')"
