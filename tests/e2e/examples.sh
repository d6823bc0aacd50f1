# Every program of examples/ compiles, runs, and its recording replays.
# SANITIZED: no, because programs that are compiled and run take its time; assertions.sh, recorded.sh and replay.sh are sanitized
. "$(dirname "$0")/../e2e/lib.sh"

# example NAME FILE [OPTION...]
example() {
    local name=$1 file=$2
    shift 2
    check "$name: compiles, runs, records and replays"
    run augur_cc -g -O1 -Wall -Wextra -Werror -pthread "$@" "$SRC/examples/$file" -o "$name"
    expect_status 0
    expect_no_err
    case " $* " in *" -DRIGHT "*) # the others may do anything when nobody leads them
        run "./$name"
        expect_status 0
        ;;
    esac
    run "$AUGUR" record --quiet -o "$name.trace" "./$name"
    expect_status 0
    run "$AUGUR" replay "$name.trace"
    expect_status 0
    expect_err "identical"
    rm -f "$name"
}

for n in 2 5 10; do
    example "banking-$n" papers/banking.c -DN=$n -DRIGHT
    example "banking-${n}a" papers/banking.c -DN=$n
done
for n in 10 15 25; do
    example "indexer-$n" papers/indexer.c -DN=$n -DRIGHT
done
example indexer-15a papers/indexer.c -DN=15
example indexer-25a papers/indexer.c -DN=25
example atom001 papers/atom.c
example atom001a papers/atom.c -DRIGHT
example atom002 papers/atom.c -DTIMES=33 -DSTEPS=89
example atom002a papers/atom.c -DTIMES=33 -DSTEPS=89 -DRIGHT
for k in 2 8; do
    example "bank-av-$k" papers/bank.c -DK=$k
    example "bank-sav-$k" papers/bank.c -DK=$k -DWAITS=2
    example "bank-nav-$k" papers/bank.c -DK=$k -DWAITS=4
done
for name in account philo connectionpool barrier elevator; do
    example "$name" "papers/$name.c"
    example "$name-right" "papers/$name.c" -DRIGHT
done
