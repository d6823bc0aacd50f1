# record/world.h: an execution finds the files that the recorded run found, and leaves none behind. Each program is right,
# and wrong in a directory where it ran before: the files that a run makes are there only for that run.
# SANITIZED: no, because what is tested is what is found
. "$(dirname "$0")/lib.sh"

head='#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int made;
static int make(void);
static void *work(void *a) {
    pthread_mutex_lock(&m);
    made += make();
    pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(made == 1);
    return 0;
}'

# NAME EXPRESSION PATH: 'make' is 1 where the file was not there; what is found after the run
world() {
    check "$1"
    printf '%s\nstatic int make(void) {\n    %s\n}\n' "$head" "$2" >"$1.c"
    rm -rf "$3"
    run "$AUGUR" cc -w -g -O1 -pthread "$1.c" -o "$1"
    expect_status 0
    run "$AUGUR" run --quiet --budget 10 "./$1"
    ! grep -Eq '^[A-Z][0-9]+ ' <<<"$out" || fail "a finding: $out"
    expect_true "what the recorded run made is there" test -e "$3"
    expect_true "nothing else is" test -z "$(find . -name '*augur-held*' -o -name 'made*' ! -path "./$3" ! -path "./$3/*")"
    rm -rf "$3" .augur
}
world exclusive 'return open("made", O_CREAT | O_EXCL | O_RDWR, 0600) >= 0;' made
world directory 'int n = !mkdir("made.d", 0700); FILE *f = fopen("made.d/in", "w"); if (f) fclose(f); return n;' made.d
world renamed 'int n = access("made.new", F_OK) != 0; fclose(fopen("made.old", "w")); rename("made.old", "made.new"); return n;' made.new
world number 'char s[32]; sprintf(s, "made.%d", getpid() * 0 + 7); FILE *f = fopen(s, "a+"); fputs("x", f); long n = ftell(f); fclose(f); return n == 1;' made.7
world semaphore 'char s[40]; sprintf(s, "/augur-%u", getppid() * 0 + '$$'); return sem_open(s, O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED;' "/dev/shm/sem.augur-$$"
world socket 'struct sockaddr_un u = {AF_UNIX, "made.s"}; return !bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&u, sizeof u);' made.s
world memory 'char s[40]; sprintf(s, "/augur-%u", getppid() * 0 + '$$'); return shm_open(s, O_CREAT | O_EXCL | O_RDWR, 0600) >= 0;' "/dev/shm/augur-$$"
world raw 'return syscall(SYS_openat, AT_FDCWD, "made.raw", O_CREAT | O_EXCL | O_RDWR, 0600) >= 0;' made.raw
world linked 'int n = !link("linked.c", "made.link"); return n;' made.link
world pipe 'return !mkfifo("made.pipe", 0600);' made.pipe

check "a message queue that the recorded run made is not there in another execution"
if unshare --ipc true 2>/dev/null; then
    cat >remove.c <<'C'
#include <mqueue.h>
int main(int n, char **name) { return n < 2 || mq_unlink(name[1]); }
C
    cc -w remove.c -o remove -lrt
    printf '%s\nstatic int make(void) {\n    return mq_open("/augur-%d", O_CREAT | O_EXCL | O_RDWR, 0600, (void *)0) >= 0;\n}\n' "$head" $$ >queue.c
    run "$AUGUR" cc -w -g -O1 -pthread queue.c -o queue -lrt
    expect_status 0
    run "$AUGUR" run --quiet --budget 10 ./queue
    ! grep -Eq '^[A-Z][0-9]+ ' <<<"$out" || fail "a finding: $out"
    expect_true "that of the recorded run is there" ./remove "/augur-$$"
else
    skip "no namespace of its own for an execution here"
fi

check "files are back although augur is killed in the middle of an execution"
printf '%s\n#include <signal.h>\nstatic int make(void) {\n    int f = open("made", O_CREAT | O_EXCL | O_WRONLY, 0600); if (!access("now", F_OK)) kill(syscall(SYS_getppid), SIGKILL); if (f >= 0) dprintf(f, "recorded"); return f >= 0;\n}\n' "$head" >killed.c
run "$AUGUR" cc -w -g -O1 -pthread killed.c -o killed
run "$AUGUR" record --quiet -o killed.trace ./killed
expect_status 0
touch now
run "$AUGUR" replay --quiet killed.trace
expect_true "it was killed (exit status $status)" [ "$status" -eq 137 ]
for _ in $(seq 200); do
    [ -n "$(find . -name '.augur-held-*')" ] || break
    sleep 0.05
done
expect_true "what was in it" test "$(cat made)" = recorded
rm -f now made

check "a file of the recorded run is back after a replay, with what was in it"
printf '%s\nstatic int make(void) {\n    int f = open("made", O_CREAT | O_EXCL | O_WRONLY, 0600); if (f >= 0) dprintf(f, "recorded"); return f >= 0;\n}\n' "$head" >kept.c
run "$AUGUR" cc -w -g -O1 -pthread kept.c -o kept
run "$AUGUR" record --quiet -o kept.trace ./kept
expect_status 0
printf ' and more' >>made
run "$AUGUR" replay --quiet kept.trace
expect_status 0
expect_true "the user's" test "$(cat made)" = "recorded and more"

check "a file that was there before stays, whatever the executions do"
rm -rf made .augur
printf 'mine' >made
run "$AUGUR" run --quiet --budget 5 ./kept
expect_true "it is there" test "$(cat made)" = mine

check "what a replay makes stays where the recorded run's file was moved away"
rm -rf made .augur
run "$AUGUR" record --quiet -o kept.trace ./kept
mv made elsewhere
run "$AUGUR" replay --quiet kept.trace
expect_status 0
expect_true "the replay's" cmp made elsewhere
