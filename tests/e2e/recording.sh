# Recordings of real programs as traces: show, convert, check, and whether a replay
# confirms what was predicted.
. "$(dirname "$0")/../e2e/lib.sh"

cat >bank.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct account { int money; char tag[12]; pthread_mutex_t lock; };
static struct account acct[2] = {{100, "", PTHREAD_MUTEX_INITIALIZER},
                                 {100, "", PTHREAD_MUTEX_INITIALIZER}};
struct node { struct node *next; int key; };
struct node *head;
int balance = 5;
char text[32] = "none";
static void pay(int n) {
    pthread_mutex_lock(&acct[1].lock);
    acct[1].money += n;
    pthread_mutex_unlock(&acct[1].lock);
}
static void *worker(void *arg) {
    int *done = arg;
    balance += 3;
    memcpy(text, "worker was here", 16);
    for (int i = 0; i < 3; i++)
        pay(i);
    struct node *n = malloc(sizeof *n);
    n->key = 7;
    n->next = NULL;
    head = n;
    *done = 1;
    return NULL;
}
int main(void) {
    pthread_t t;
    int done = 0;
    pthread_create(&t, NULL, worker, &done);
    char copy[32];
    memcpy(copy, text, sizeof copy);
    pay(balance);
    pthread_join(t, NULL);
    printf("%d %d %d %c\n", acct[1].money, balance, done, copy[0]);
    free(head);
    return 0;
}
EOF

check "a program is built and recorded"
run "$AUGUR" cc -g -O1 bank.c -o bank -pthread
expect_status 0
run "$AUGUR" record -o bank.trace ./bank
expect_status 0
expect_out '^1[01][0-9] 8 1 .$'

check "the events have the program's names and lines"
run "$AUGUR" show bank.trace
expect_status 0
expect_out 'T1 .* acq +acct\[1\]\.lock +bank\.c:13'
expect_out 'T1 .* w +acct\[1\]\.money +bank\.c:14 +10[0-9]'
expect_out 'T1 .* w +balance +bank\.c:19 +8'
expect_out 'T1 .* w +node\(bank\.c:23\)#1\.key +bank\.c:24 +7'
expect_out 'T1 .* w +done in main \(T0\) +bank\.c:27 +1'
expect_out 'T0 .* xcall +pthread_create +bank\.c:33'
expect_out 'T0 .* free +node\(bank\.c:23\)#1 +bank\.c:39'

check "it is a valid trace"
run "$AUGUR" show --lint bank.trace
expect_status 0
expect_out '^no problems'

check "the summary tells the run"
run "$AUGUR" show --summary bank.trace
expect_status 0
expect_out '\(recording\)'
expect_out '^arguments +\./bank$'
expect_out '^schedule +os$'
expect_out '^ended +exit status 0$'
expect_out '^modules +bank\.c \([0-9]+ places, [0-9]+ global variables\)'
expect_out '^hooks +[0-9]+ \(.* bytes each'
run "$AUGUR" show --summary --format json bank.trace
expect_status 0
expect_out '"end": "exit"'

check "a pipe is read like a file"
run bash -c "cat bank.trace | '$AUGUR' show --summary - | grep -c 'recording'"
expect_status 0
expect_out '^1$'

check "its hooks are the indexes"
hooks=$("$AUGUR" show --format json bank.trace | tail -1 | sed 's/.*"index":\([0-9]*\).*/\1/')
told=$("$AUGUR" show --summary --format json bank.trace | grep -A1 '"threads": \[' | grep -o '"hooks": [0-9]*' | grep -o '[0-9]*')
expect_true "T0 ends with hook $told, shown is $hooks" test "$hooks" = "$told"

check "converted, it is still a trace"
run "$AUGUR" convert bank.trace -o bank.std
expect_status 0
run "$AUGUR" show --lint bank.std
expect_status 0
expect_out '^no problems'
run "$AUGUR" convert bank.trace -o bank.jsonl
expect_status 0

check "its races are found, with names and lines"
run "$AUGUR" check --prop race bank.trace
expect_status 1
expect_out "proved  race on 'balance': .* bank\.c:19"
expect_out "proved  race on 'text.*bank\.c:20"

check "every schedule is executed by the program"
"$AUGUR" check --prop race --format json bank.trace >bank.json
for id in $(grep -o '"id": "[^"]*"' bank.json | grep -o '[A-Z][0-9]*'); do
    run "$AUGUR" replay bank.trace --finding "$id" --findings bank.json
    expect_out '^confirmed'
done

check "recordings of random schedules: valid, and what is proved is confirmed"
for seed in 1 2 3 4 5; do
    "$AUGUR" record -q --schedule random --seed $seed --switch-every 5 -o r.trace ./bank >/dev/null
    run "$AUGUR" show --lint r.trace
    expect_out '^no problems'
    "$AUGUR" check --format json r.trace >r.json
    for id in $(grep -B1 -A3 '"id"' r.json | grep -B3 '"status": "proved"' | grep -o '"id": "[^"]*"' | grep -o '[A-Z][0-9]*'); do
        run "$AUGUR" replay r.trace --finding "$id" --findings r.json
        expect_out '^confirmed'
    done
done

check "functions as atomic blocks"
cat >func.c <<'EOF'
#include <pthread.h>
int x = 7;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int get(void) { pthread_mutex_lock(&m); int v = x; pthread_mutex_unlock(&m); return v; }
static void set(int v) { pthread_mutex_lock(&m); x = v; pthread_mutex_unlock(&m); }
__attribute__((noinline)) static int twice(void) { int v = get(); return v + get(); }
static void *reader(void *p) { twice(); return p; }
static void *writer(void *p) { set(7); return p; }
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, reader, 0);
    pthread_create(&t[1], 0, writer, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
EOF
run "$AUGUR" cc -g func.c -o func -pthread
run "$AUGUR" record -q -o func.trace ./func
run "$AUGUR" check --prop atomicity func.trace
expect_status 0
run "$AUGUR" check --prop atomicity --atomic function func.trace
expect_status 1
expect_out "proved  atomic block broken \(RWR on 'x'\)"
run "$AUGUR" replay func.trace --finding V1 --findings <("$AUGUR" check --prop atomicity --atomic function --format json func.trace)
expect_out '^confirmed'

check "a recording that was cut"
head -c $(($(stat -c %s bank.trace) - 30)) bank.trace >cut.trace
run "$AUGUR" show cut.trace
expect_status 2
expect_err "was cut here"
run "$AUGUR" show --partial --summary cut.trace
expect_status 0
expect_out 'incomplete'

check "a recording with a flipped byte"
at=$(od -An -tu1 -j400 -N1 bank.trace)
{
    head -c 400 bank.trace
    printf "\\$(printf %03o $((at ^ 255)))"
    tail -c +402 bank.trace
} >flip.trace
run "$AUGUR" show flip.trace
expect_status 2
expect_err 'flip\.trace: '

check "a run that itself deadlocked is not answered with nothing"
cat >dead.c <<'EOF'
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
static void *wait_for_it(void *arg) {
    sem_wait(&never);
    return arg;
}
int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, wait_for_it, NULL);
    pthread_join(t, NULL);
    return 0;
}
EOF
run "$AUGUR" cc -g dead.c -o dead -pthread
expect_status 0
run "$AUGUR" record -o dead.trace ./dead
expect_status 1
run "$AUGUR" check dead.trace
expect_status 1
expect_out '^D1 proved  deadlock: '
expect_out 'it happened in the recorded run itself'
run "$AUGUR" replay --quiet --finding D1 dead.trace
expect_status 1
expect_out '^confirmed: D1: deadlock'

check "asked three times, a program that ignores signals is killed, its recording kept"
cat >deaf.c <<'EOF'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    signal(SIGTERM, SIG_IGN);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
EOF
run "$AUGUR" cc -g deaf.c -o deaf -pthread
expect_status 0
"$AUGUR" record -o deaf.trace ./deaf >deaf.out 2>deaf.err &
recorder=$!
wait_for grep -q ready deaf.out
wait_for eval '! kill -TERM $recorder 2>/dev/null' || fail "it does not end, however often it is asked"
wait $recorder
run "$AUGUR" show --partial --summary deaf.trace
expect_status 0
expect_out 'xcall'
