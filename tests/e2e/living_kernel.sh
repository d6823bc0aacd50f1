# PARTS: 2
# Another schedule than the recorded one is executed with a living kernel: what the process tells the kernel comes back
# as it would, clocks do not go back, and what really can happen behind the same calls is still confirmed.
. "$(dirname "$0")/../e2e/lib.sh"

# The program for ways through the kernel, by name and number.
programs=$SRC/tests/claims/programs

not_failed() {
    ! grep -q 'assertion failed' "$TMP/.lib/err"
}
not_said() {
    ! grep -qE "$1" "$TMP/.lib/out"
}

echoes="PIPE EVENT PAIR DATAGRAM SIZE PLACE MEMORY MQUEUE MESSAGE SEMAPHORE POLL SELECT EPOLL TIMER PENDING RAISE SIGWAIT TCP
    UDP WAITING LONG MONOTONIC SECONDS DAY MIXED USED SLEPT"
for name in $echoes; do
    mine || continue
    check "what cannot happen is not confirmed: $name"
    run augur_cc -g -D_GNU_SOURCE "-DECHO=$name" "$programs/living_kernel.c" -o echo -pthread -lrt
    expect_status 0
    run "$AUGUR" run --compare-output none ./echo # of the file's size, say, both are right
    expect_out 'finding'
    expect_true "nothing is confirmed: $out" not_said '^[A-Z][0-9]+ confirmed'
done
[ "$PART" -eq 1 ] || exit 0

# What can happen, behind the same calls. BUG is what the first thread does, and the second.
bug() {
    cat >bug.c <<C
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static int x, y, end[2], fd;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static volatile int got;
static void handler(int sig) { got = sig; }
static void *first(void *a) { char c; uint64_t w = 1; struct timespec t; (void)c, (void)w, (void)t; $2 return a; }
static void *second(void *a) { char c; uint64_t w = 1; struct timespec t; (void)c, (void)w, (void)t; $3 return a; }
int main(void) {
    pthread_t a, b;
    $1
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    (void)x, (void)y, (void)end, (void)fd, (void)m, (void)n;
}
C
    run "$AUGUR" cc -g -w bug.c -o bug -pthread
    expect_status 0
    run "$AUGUR" run ./bug
    expect_status 1
}

check "a race beside a pipe is confirmed"
bug 'pipe(end);' 'write(end[1], "a", 1); y++;' 'y++; read(end[0], &c, 1);'
expect_out '^R1 confirmed  race on .y'
check "a race behind a read that waits is confirmed"
bug 'pipe(end);' 'write(end[1], "a", 1); y++;' 'read(end[0], &c, 1); y++;'
expect_out '^R1 confirmed  race on .y'
check "a race behind poll is confirmed"
bug 'pipe(end);' 'write(end[1], "a", 1); y++;' 'struct pollfd p = {end[0], POLLIN, 0}; poll(&p, 1, -1); y++;'
expect_out '^R1 confirmed  race on .y'
check "a race beside an event counter is confirmed"
bug 'fd = eventfd(0, EFD_NONBLOCK);' 'write(fd, &w, 8); y++;' 'y++; read(fd, &w, 8);'
expect_out '^R1 confirmed  race on .y'
check "a race beside clocks is confirmed"
bug '' 'clock_gettime(CLOCK_MONOTONIC, &t); y = t.tv_nsec;' 'clock_gettime(CLOCK_MONOTONIC, &t); y = t.tv_sec;'
expect_out '^R1 confirmed  race on .y'
check "a deadlock beside a pipe is confirmed"
bug 'pipe(end);' \
    'pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); write(end[1], "a", 1);' \
    'pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); read(end[0], &c, 1);'
expect_out '^D1 confirmed  deadlock'
check "a port that is opened again and again"
cat >port.c <<'C'
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static int y, listener;
static struct sockaddr_in s = {.sin_family = AF_INET};
static void *serve(void *a) {
    char b[4];
    int c = accept(listener, 0, 0);
    y++;
    return read(c, b, 4) == 4 && write(c, b, 4) == 4 ? a : 0;
}
int main(void) {
    pthread_t t;
    char b[4] = "abc";
    s.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s.sin_port = htons(PORT);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (void *)&s, sizeof s) || listen(listener, 4))
        return 1;
    pthread_create(&t, 0, serve, 0);
    int c = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c, (void *)&s, sizeof s))
        return 2;
    y++;
    if (write(c, b, 4) != 4 || read(c, b, 4) != 4)
        return 3;
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" cc -g "-DPORT=$((20000 + $$ % 10000))" port.c -o port -pthread
run "$AUGUR" run ./port
expect_status 1
expect_out '^R1 (confirmed|proved)  race on .y'
expect_true "no run failed: $out" not_said 'exit status|in use'

check "a race beside a signal to the process itself is confirmed"
bug 'signal(SIGUSR1, handler);' 'kill(getpid(), SIGUSR1); y++;' 'y++;'
expect_out '^R1 confirmed  race on .y'

check "a child is asked in every schedule, and answers what it was asked"
run augur_cc -g "$programs/outside_echo.c" -o outside -pthread
expect_status 0
run "$AUGUR" run ./outside
expect_true "nothing is confirmed or proved: $out" not_said '^[A-Z][0-9]+ (confirmed|proved)'
check "input from outside that nobody could have caused otherwise is one"
run augur_cc -g -DRACE "$programs/outside_echo.c" -o outside -pthread
run "$AUGUR" run ./outside
expect_out '^R1 confirmed  race on .y'

for by in WAITPID WAITID READ SYSTEM; do
    check "a child that answers something else, by $by, though nothing else was told, is from outside"
    rm -rf once .augur
    run augur_cc -g -w "-DBY=$by" "$programs/child_outside.c" -o outside -pthread
    expect_status 0
    run "$AUGUR" run ./outside # in copies of the folder, without 'once'
    expect_out '^R1 confirmed  race on .x'
    expect_true "the child made its file" [ -e once ]
    run "$AUGUR" replay .augur/runs/1/1.trace --finding R1
    expect_out '^proved: R1'
    rm once
    run "$AUGUR" replay .augur/runs/1/1.trace --finding R1
    expect_out '^confirmed: R1'
done

# Replays of the recorded order.
again() {
    run "$AUGUR" record --quiet -o "$1.trace" "./$1"
    expect_status 0
    run "$AUGUR" replay --times 3 "$1.trace"
    expect_status 0
    expect_err '^augur: identical'
}
check "an accept that waited gets the same descriptor again"
run augur_cc -g "$programs/replay_accept.c" -o accept -pthread
again accept
check "a child that is asked through a socket is asked again"
run augur_cc -g -w "$programs/replay_child.c" -o child -pthread
again child
for call in 'write(end[1], all, sizeof all)' 'writev(end[1], v, 2)' 'send(end[1], all, sizeof all, 0)' \
    'sendto(end[1], all, sizeof all, 0, 0, 0)' 'sendmsg(end[1], &m, 0)'; do
    check "a child hears all of a long question: ${call%%(*}"
    run augur_cc -g -w "-DASK=$call" "$programs/replay_question.c" -o question -pthread
    again question
done
check "a signal that sigsuspend waited for does not stay behind"
run augur_cc -g "$programs/replay_sigsuspend.c" -o suspend -pthread
again suspend
check "a signal that sigwait took does not stay behind"
run augur_cc -g -DSIGWAIT "$programs/replay_sigsuspend.c" -o sigwait -pthread
again sigwait
check "calls that name the process by its number find it"
run augur_cc -g "$programs/replay_ids.c" -o ids -pthread
again ids
check "threads of TBB"
run augur_cxx -std=c++20 -g "$programs/replay_tbb.cpp" -o tbb -ltbb
again tbb

# T2 alone, then T1.
turn_around() {
    run "$AUGUR" record --quiet -o "$1.trace" "./$1"
    expect_status 0
    forked=$("$AUGUR" show "$1.trace" | awk '$2 == "T0" && $4 == "fork" { n = $3 } END { print n }')
    printf 'T0 %s\nT2 %s\nT1 %s\n' "$forked" "$(last T2 "$1")" "$(last T1 "$1")" >turns
    run "$AUGUR" replay "$1.trace" --schedule turns
}
last() { "$AUGUR" show "$2.trace" | awk -v t="$1" '$2 == t { n = $3 } END { print n }'; }
check "a timer behind one that was set twice moves the clock"
run augur_cc -g -w "$SRC/tests/claims/words/timer_rearmed.c" -o rearmed -pthread
turn_around rearmed
expect_out '^confirmed: the schedule of 3 turns was executed'
expect_true "no assertion failed: $err" not_failed
check "a send that waits has no limit for receiving"
run augur_cc -g -w "$programs/socket_direction.c" -o direction -pthread
turn_around direction
expect_out '^diverged: .*T2 cannot reach'
check "what two threads tell a pipe is heard in the order of the schedule"
cat >tell.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int end[2];
static void *first(void *a) { return write(end[1], "A", 1) == 1 ? a : 0; }
static void *second(void *a) { return write(end[1], "B", 1) == 1 ? a : 0; }
int main(void) {
    pthread_t t, u;
    char c = 0;
    if (pipe(end))
        return 1;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    if (read(end[0], &c, 1) != 1)
        return 1;
    assert(c == 'A');
}
C
run "$AUGUR" cc -g tell.c -o tell -pthread
turn_around tell
expect_out '^confirmed: the schedule of 3 turns was executed'
expect_err 'an assertion failed'
