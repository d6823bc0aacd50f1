#!/usr/bin/env bash
# bench/models.sh SHAPE N [M]: writes a model of this shape to standard output.
#
#   incr N [M]     N threads, each M (default N) times x := x + 1 without a lock; can the
#                  sum be wrong? (yes)
#   locked N M     the same with a lock around each (no)
#   flags N M      N threads, each sets M bits of its own in x, one after the other, under a lock;
#                  can one be missing at the end? (no; N * M at most 31)
#   bank-av N      N tellers, each moves money between four accounts of its own in one
#   bank-sav N     atomic block; an auditor writes each account once before they start,
#   bank-nav N     once meanwhile and once after they ended (Wang et al., table 2: 12 N
#                  candidate triples, 4 N after must-happen-before). The locks are nested
#                  but are given up between the read and the write: in -av all 4 N are
#                  real; in -nav the auditor first waits, by a condition variable and a
#                  flag, until the teller is done: none is; in -sav it waits for two of
#                  the four accounts.
#   indexer N      N threads insert 4 messages each into a table of 128 (256 from 33
#   indexer-a N    threads on) entries by compare-and-set with linear probing, as a run of one thread after the
#                  other did it; the property is that one insertion meets no collision, the
#                  first one at an entry that no other thread touches (-a: that another does)
set -euo pipefail
usage="usage: bench/models.sh incr|locked|flags|bank-av|bank-sav|bank-nav|indexer|indexer-a N [M]"
shape=${1:?$usage} n=${2:?$usage} m=${3:-$2}

# all_of N FORMAT: FORMAT with 1 … N
all_of() {
    local i
    for i in $(seq "$1"); do
        # shellcheck disable=SC2059
        printf "$2" "$i"
    done
}

incr() {
    echo "shared x = 0"
    [ -z "$1" ] || echo "lock l"
    echo "thread M {"
    all_of "$n" '  fork T%d\n'
    all_of "$n" '  join T%d\n'
    echo "  check: assert x == $((n * m))"
    echo "}"
    local i
    for i in $(seq "$n"); do
        echo "thread T$i {"
        if [ -n "$1" ]; then
            all_of "$m" '  acq l  x := x + 1  rel l  // %d\n'
        else
            all_of "$m" '  x := x + 1  // %d\n'
        fi
        echo "}"
    done
}

flags() {
    echo "shared x = 0"
    echo "lock l"
    echo "thread M {"
    all_of "$n" '  fork T%d\n'
    all_of "$n" '  join T%d\n'
    echo "  check: assert x == $(((1 << (n * m)) - 1))"
    echo "}"
    local i k bit=0
    for i in $(seq "$n"); do
        echo "thread T$i {"
        for k in $(seq "$m"); do
            echo "  acq l  x := x | $((1 << bit))  rel l  // $k"
            bit=$((bit + 1))
        done
        echo "}"
    done
}

# The auditor's write of an account; the fourth argument: wait for the teller first.
audit() {
    local i=$1 v=$2 value=$3
    if [ -n "$4" ]; then
        echo "  acq done$i"
        echo "  f := flag$i"
        echo "  if (f == 0) { wait told$i done$i  f := flag$i }"
        echo "  assume f == 1"
        echo "  rel done$i"
    fi
    echo "  acq bank  acq acc$i  $v$i := $value  rel acc$i  rel bank"
}

bank() {
    local i v waits
    for i in $(seq "$n"); do
        echo "shared a$i = 0, b$i = 0, c$i = 0, d$i = 0, flag$i = 0"
        echo "lock acc$i, done$i"
        echo "cond told$i"
    done
    echo "lock bank"
    echo "thread M {"
    for i in $(seq "$n"); do
        echo "  a$i := 100  b$i := 100  c$i := 100  d$i := 100"
    done
    all_of "$n" '  fork T%d\n'
    for i in $(seq "$n"); do
        for v in c d a b; do # those that -sav does not wait for come first
            waits=
            case $shape$v in bank-nav? | bank-sav[ab]) waits=1 ;; esac
            audit "$i" "$v" 200 "$waits"
        done
    done
    all_of "$n" '  join T%d\n'
    for i in $(seq "$n"); do
        echo "  a$i := 0  b$i := 0  c$i := 0  d$i := 0"
    done
    echo "}"
    for i in $(seq "$n"); do
        echo "thread T$i {"
        echo "  atomic {"
        for v in a b c d; do
            echo "    acq bank  acq acc$i  p := $v$i  rel acc$i  rel bank"
            echo "    acq bank  acq acc$i  $v$i := p - 10  rel acc$i  rel bank"
        done
        echo "  }"
        if [ "$shape" != bank-av ]; then
            echo "  acq done$i  flag$i := 1  signal told$i  rel done$i"
        fi
        echo "}"
    done
}

# The run: entry[e] is taken by which message; probes[t] lists "entry word won" of thread t.
indexer() {
    local t j w h e won touched=() table=() probes=() line size=128
    [ "$n" -le 32 ] || size=256 # four messages a thread must find a place
    for e in $(seq 0 $((size - 1))); do table[e]=0 touched[e]=''; done
    for t in $(seq "$n"); do
        for j in 1 2 3 4; do
            w=$((t * 1000 + j)) h=$(((j * 11 + t) * 7 % size))
            while :; do
                won=1
                [ "${table[h]}" -eq 0 ] || won=0
                probes[t]="${probes[t]:-} $h:$w:$won"
                case " ${touched[h]} " in *" $t "*) ;; *) touched[h]="${touched[h]} $t" ;; esac
                [ $won -eq 0 ] || break
                h=$(((h + 1) % size))
            done
            table[h]=$w
        done
    done
    # The insertion to look at: won in the run at an entry that one thread (-a: several) touched.
    local want='' probe
    for t in $(seq "$n"); do
        for probe in ${probes[t]}; do
            IFS=: read -r e w won <<<"$probe"
            line=$(wc -w <<<"${touched[e]}")
            [ "$won" -eq 1 ] && [ -z "$want" ] || continue
            if [ "$shape" = indexer-a ] && [ "$line" -gt 1 ]; then
                want=$probe
            elif [ "$shape" = indexer ] && [ "$line" -eq 1 ]; then
                want=$probe
            fi
        done
    done
    if [ -z "$want" ]; then
        echo "models: nobody collides with $n threads" >&2
        exit 1
    fi
    for e in $(seq 0 $((size - 1))); do
        [ -z "${touched[e]}" ] || echo "shared t$e = 0"
    done
    for t in $(seq "$n"); do
        echo "thread T$t {"
        for probe in ${probes[t]}; do
            IFS=: read -r e w won <<<"$probe"
            echo "  [ c := t$e == 0; t$e := c ? $w : t$e ]"
            if [ "$probe" = "$want" ]; then
                echo "  check: assert c == 1"
            else
                echo "  assume c == $won"
            fi
        done
        echo "}"
    done
}

case $shape in
indexer | indexer-a) indexer ;;
incr) incr '' ;;
locked) incr 1 ;;
flags) flags ;;
bank-av | bank-sav | bank-nav) bank ;;
*)
    echo "$usage" >&2
    exit 2
    ;;
esac
