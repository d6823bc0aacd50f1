#!/usr/bin/env bash
# augur test: processes of a suite are recorded wherever they are started, each finding is told once with the tests that show
# it, and what is as before is not analysed again.
. "$(dirname "$0")/lib.sh"

# A process that is given more descriptors than three is always recorded: those that this script was given are no matter of the tests.
for fd in /proc/$$/fd/*; do
    case ${fd##*/} in
    [0-3] | 255) ;; # 3 is closed by 'run', 255 bash keeps for itself
    *) eval "exec ${fd##*/}>&-" ;;
    esac
done

cat >hits.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
int hits, safe;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *racy) {
    if (racy)
        hits++;
    pthread_mutex_lock(&m);
    safe++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(int argc, char **argv) {
    void *racy = argc > 1 && !strcmp(argv[1], "racy") ? &m : 0;
    pthread_t a, b;
    char line[80] = "nothing\n";
    pthread_create(&a, 0, work, racy);
    pthread_create(&b, 0, work, racy);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (argc > 2 && !fgets(line, sizeof line, stdin))
        return 9;
    printf("%d %s %s", safe, argc > 1 ? argv[1] : "", line);
    return argc > 3 ? 3 : 0;
}
END_C
augur_cc() { "$AUGUR" cc "$@"; }
augur_cc -g -O1 -pthread hits.c -o hits
cat >suite.sh <<'END_S'
#!/bin/sh
echo begin
./hits right || exit 1
echo hello | ./hits racy input | cat
sh -c 'exec ./hits racy "two words"' </dev/null
ls >/dev/null
echo end
END_S
chmod +x suite.sh

check "processes behind shells and pipes are recorded, output and input are what they were"
run "$AUGUR" test --store s1 --most 0 -o report.txt ./suite.sh
expect_status 1
printf 'begin\n2 right nothing\n2 racy hello\nend\n' >expected
expect_same .lib/out expected
expect_err '3 processes recorded, 1 of them failed'
expect_true "one finding" test "$(grep -c "race on 'hits'" report.txt)" -eq 1
expect_true "its tests" grep -q "shown by 'hits racy input', 'hits racy two words'" report.txt
expect_true "executed" grep -q 'R1 confirmed' report.txt

check "the finding is replayed by its id, and the store is kept out of git"
run "$AUGUR" replay --store s1 --finding R1
expect_status 1
expect_out 'confirmed: R1'
expect_true ".gitignore" grep -qx '\*' s1/.gitignore
run "$AUGUR" list --store s1 --last
expect_out "race on 'hits'"

check "what is as before is not analysed again, --again does"
run "$AUGUR" test --store s1 -o again.txt ./suite.sh
expect_status 1
expect_err '1 process recorded' # it reads what the suite gives it
expect_err '2 processes are as before, not recorded again'
expect_err '1 recording is as before'
expect_same .lib/out expected
expect_true "the same finding" grep -q "shown by 'hits racy input', 'hits racy two words'" again.txt
run "$AUGUR" test --store s1 --again -o again.txt ./suite.sh
expect_status 1
expect_true "analysed" test "$(grep -c 'as before' .lib/err)" -eq 0

check "what takes something else from outside is recorded again, and so is what has another environment or file"
cat >asks.c <<'END_C'
#include "two.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    char c;
    if (!strcmp(what, "file"))
        fclose(fopen("asks.c", "r"));
    if (!strcmp(what, "there") && access("asks.c", R_OK))
        return 1;
    if (!strcmp(what, "job") && !getenv("CI_JOB_ID"))
        return 1;
    if (!strcmp(what, "stdin") && read(0, &c, 1) != 1)
        return 1;
    if (!strcmp(what, "time") && (time(0) < 0 || getpid() < 0))
        return 1;
    two(locked);
    return 0;
}
END_C
cat >two.h <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static int hits, safe;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *racy(void *p) {
    hits++;
    return p;
}
static void *locked(void *p) {
    pthread_mutex_lock(&m);
    safe++;
    pthread_mutex_unlock(&m);
    return p;
}
static void two(void *(*f)(void *)) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
END_C
augur_cc -g -O1 -pthread -Wno-unused asks.c -o asks
cat >asks.sh <<'END_S'
for way in plain time file there; do ./asks $way; done
echo x | ./asks stdin
echo x | ./asks plain
END_S
run "$AUGUR" test --store sa sh asks.sh
expect_status 0
run "$AUGUR" test --store sa sh asks.sh
expect_status 0
expect_err '4 processes recorded' # file, there, and who could read what comes through a pipe
expect_err '2 processes are as before, not recorded again'
run env MAKELEVEL=3 GITHUB_RUN_ID=7 MALLOC_PERTURB_=9 "$AUGUR" test --store sa ./asks
run env MAKELEVEL=4 GITHUB_RUN_ID=8 MALLOC_PERTURB_=1 "$AUGUR" test --store sa ./asks
expect_err '1 process is as before, not recorded again'
run env MAKELEVEL=4 GITHUB_RUN_ID=8 MALLOC_PERTURB_=1 "$AUGUR" test --store sa sh -c './asks file'
run env MAKELEVEL=3 GITHUB_RUN_ID=9 MALLOC_PERTURB_=1 "$AUGUR" test --store sa sh -c './asks file'
expect_err '1 recording is as before'
run env COLOUR=blue "$AUGUR" test --store sa ./asks
expect_err '1 process recorded'
touch asks
run "$AUGUR" test --store sa ./asks
expect_err '1 process recorded'
expect_err '1 recording is as before'
run "$AUGUR" test --store sa --again ./asks
expect_err '1 process recorded'

check "what is said by a plugin, by a pipe or by another descriptor is recorded again"
cat >plug.c <<'END_C'
#include "two.h"
void test(void) { two(WHAT); }
END_C
cat >host.c <<'END_C'
#include <dlfcn.h>
int main(int argc, char **argv) {
    void *p = dlopen(argv[1], RTLD_NOW);
    void (*test)(void) = p ? (void (*)(void))dlsym(p, "test") : 0;
    if (test)
        test();
    return argc > 2 && !test;
}
END_C
augur_cc -g -O1 -pthread host.c -ldl -o host
plug() { augur_cc -g -O1 -pthread -Wno-unused -shared -fPIC -DWHAT="$1" plug.c -o plug.so; }
run "$AUGUR" test --store sg sh -c './host ./plug.so' # it is not there yet
expect_status 0
plug locked
run "$AUGUR" test --store sg sh -c './host ./plug.so'
expect_status 0
expect_err '1 process recorded'
plug racy
run "$AUGUR" test --store sg -o plug.txt sh -c './host ./plug.so'
expect_status 1
expect_err '1 process recorded'
expect_true "the race in it" grep -q "race on 'hits'" plug.txt
gcc -shared -fPIC -pthread -Wno-unused -DWHAT=racy plug.c -o plug.so
run "$AUGUR" test --store sg sh -c './host ./plug.so'
run "$AUGUR" test --store sg sh -c './host ./plug.so' # it has no hooks
expect_err '1 process recorded'
for i in 1 2; do
    run "$AUGUR" test --store sg sh -c ': | ./asks plain; ./asks plain 7<asks.c; ./asks plain'
done
expect_err '2 processes recorded'
expect_err '1 process is as before, not recorded again'

check "variables that may say what is tested make another test; so do those of a job, if it asks for them"
run env CI_JOB_ID=1 CI_NODE_INDEX=1 BUILD_MODE=fast "$AUGUR" test --store sv sh -c './asks plain; ./asks job'
run env CI_JOB_ID=2 CI_NODE_INDEX=1 BUILD_MODE=fast "$AUGUR" test --store sv sh -c './asks plain; ./asks job'
expect_err '1 process recorded' # who asks
expect_err '1 process is as before, not recorded again'
run env CI_JOB_ID=2 CI_NODE_INDEX=2 BUILD_MODE=fast "$AUGUR" test --store sv ./asks plain
expect_err '1 process recorded'
run env CI_JOB_ID=2 CI_NODE_INDEX=1 BUILD_MODE=slow "$AUGUR" test --store sv ./asks plain
expect_err '1 process recorded'

check "what was not decided is recorded again, without a limit of time, too"
cat >hard.c <<'END_C'
#include <pthread.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x[20], ready, data;
static void *work(void *p) {
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&m);
        x[i % 20] += i * (x[(i + 7) % 20] + 1);
        if (x[i % 20] % 7 == 3)
            ready = 1;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        int r = ready;
        pthread_mutex_unlock(&m);
        if (r)
            data++;
        assert(x[3] != 77777);
    }
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END_C
augur_cc -g -O1 -pthread hard.c -o hard
for i in 1 2; do # of assertions in loops some are checked
    run "$AUGUR" test --store sh --budget 0 --no-explore --no-replay --timeout 0.0001 -o hard.txt ./hard
    expect_true "not all is decided" grep -q '^inconclusive: ' hard.txt
done
expect_err '1 process recorded'
expect_err '1 recording is as before'

check "JSON names the tests; the suite's output goes to standard error"
run "$AUGUR" test --store s1 --format json ./suite.sh
expect_status 1
expect_out '"tests": \["hits racy input", "hits racy two words"\]'
expect_err '^2 racy hello$'

check "a suite that passes and shows nothing; one that fails; exit statuses of tests are their own"
cat >right.sh <<'END_S'
#!/bin/sh
./hits right && ./hits
END_S
chmod +x right.sh
run "$AUGUR" test --store s2 ./right.sh
expect_status 0
expect_err '2 processes recorded, 0 of them failed'
run "$AUGUR" test --store s2 sh -c './hits right x y </etc/hostname; test $? = 3'
expect_status 0
run "$AUGUR" test --store s2 sh -c './hits right; exit 4'
expect_status 1
expect_err "'sh' ended with status 4"

check "nothing built with augur cc"
run "$AUGUR" test --store s3 sh -c 'true'
expect_status 2
expect_err "nothing that 'sh' ran was built with 'augur cc'"
run "$AUGUR" test --store s3 ./no-such-command
expect_status 2

check "a process that is killed is told, the others are analysed"
mkfifo never
run "$AUGUR" test --store s4 sh -c './hits right; ./hits right x <>never & p=$!; sleep 1; kill -9 $p; wait $p; ./hits'
expect_status 3
expect_err '2 processes recorded'
expect_err "'hits right x' was killed before it ended"

check "nobody but the program keeps its descriptors: who waits for the end of a pipe sees it"
cat >ready.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) { /* the child is ready when it closes the pipe, and lives on */
    int ready[2], go[2];
    char fd[2][12], c;
    if (argc > 2) {
        close(atoi(argv[1]));
        return read(atoi(argv[2]), &c, 1) != 0;
    }
    if (pipe(ready) || pipe(go))
        return 3;
    snprintf(fd[0], sizeof fd[0], "%d", ready[1]);
    snprintf(fd[1], sizeof fd[1], "%d", go[0]);
    pid_t pid = fork();
    if (!pid) {
        close(ready[0]);
        close(go[1]);
        execl(argv[0], argv[0], fd[0], fd[1], (char *)0);
        _exit(9);
    }
    close(ready[1]);
    int n = (int)read(ready[0], &c, 1), status = 1; /* its end */
    close(go[1]);
    waitpid(pid, &status, 0);
    return n || status;
}
END_C
augur_cc -g -O1 ready.c -o ready
run timeout 60 "$AUGUR" test --store sd --no-children sh -c "exec $PWD/ready"
expect_status 0
expect_err '2 processes recorded, 0 of them failed'

check "programs by themselves, and an execution afterwards records nothing"
run "$AUGUR" test --store s5 ./hits
expect_status 0
expect_err '1 process recorded'
expect_true "nothing is left" test ! -e s5/suite
AUGUR_SUITE=$PWD/s5/suite ./hits right >out.txt
expect_true "plain" grep -q '^2 right' out.txt

check "the cases of Catch2, by a program that lists and takes them as Catch2 does"
cat >listed.c <<'END_C'
#include <stdio.h>
#include <string.h>
int runs;
int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--list-test-names-only")) {
        puts("queue: full, then empty\nqueue [slow]");
        return 2;
    }
    runs++;
    printf("%s\n", argc > 1 ? argv[1] : "all");
    return argc != 2;
}
END_C
augur_cc -g -O1 listed.c -o listed
run "$AUGUR" test --store s7 -o listed.txt ./listed
expect_status 0
printf '%s\n' 'queue: full\, then empty' 'queue \[slow\]' >expected
expect_same .lib/out expected
run "$AUGUR" test --store s7 --no-cases -o listed.txt ./listed
expect_status 1
expect_out '^all$'

check "the cases of Catch2 itself"
if [ -n "$SANITIZED" ]; then
    skip "the release build has done it"
elif ! echo '#include <catch2/catch.hpp>' | clang++-19 -x c++ -fsyntax-only - 2>/dev/null; then
    skip "catch2 is not installed"
else
    cat >catch.cc <<'END_C'
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>
static int counter, guarded;
static std::mutex mutex;
TEST_CASE("counter: racy, and [open]") {
    std::thread a([] { counter++; }), b([] { counter++; });
    a.join();
    b.join();
    REQUIRE(counter <= 2);
}
TEST_CASE("locked", "[right]") {
    auto add = [] {
        std::lock_guard<std::mutex> held(mutex);
        guarded++;
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
    REQUIRE(guarded == 2);
}
TEST_CASE("never", "[.]") { abort(); }
END_C
    # what is not the test's takes long to compile, and is a library's in most projects
    printf '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n' >catch_main.cc
    clang++-19 -c catch_main.cc -o catch_main.o
    "$AUGUR" c++ -g -O1 -pthread catch.cc catch_main.o -o catch
    run "$AUGUR" test --store s9 --budget 20 -o catch.txt ./catch
    expect_status 1
    expect_err '2 processes recorded'
    expect_true "one finding, one case" grep -qF "shown by 'catch counter: racy\, and \[open\]'" catch.txt
    expect_true "no other" test "$(grep -c 'shown by' catch.txt)" -eq 1
fi

check "a project of CMake, two tests at a time"
mkdir project
cp hits.c project
cat >project/CMakeLists.txt <<'END_C'
cmake_minimum_required(VERSION 3.20)
project(p C)
find_package(Threads)
add_executable(hits hits.c)
target_link_libraries(hits Threads::Threads)
enable_testing()
add_test(NAME right COMMAND hits right)
add_test(NAME racy COMMAND hits racy)
add_test(NAME again COMMAND hits racy)
END_C
if ! command -v cmake >/dev/null; then
    skip "cmake is not installed"
else
    CC="$AUGUR cc" cmake -S project -B built -DCMAKE_BUILD_TYPE=Debug >cmake.log 2>&1
    cmake --build built >>cmake.log 2>&1 || fail "$(tail -n 3 cmake.log)"
    run "$AUGUR" test --store s8 -o ctest.txt ctest --test-dir built -j2
    expect_status 1
    expect_out '100% tests passed'
    expect_err '3 processes recorded'
    expect_true "one finding" test "$(grep -c "shown by 'hits racy'" ctest.txt)" -eq 1
fi

check "the cases of GoogleTest, one at a time"
if [ -n "$SANITIZED" ]; then
    skip "compiles for long; the release build has done it"
elif ! echo '#include <gtest/gtest.h>' | clang++-19 -x c++ -fsyntax-only - 2>/dev/null; then
    skip "libgtest-dev is not installed"
else
    cat >cases.cc <<'END_C'
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
static int counter, guarded;
static std::mutex mutex;
TEST(Counter, Racy) {
    std::thread a([] { counter++; }), b([] { counter++; });
    a.join();
    b.join();
    EXPECT_LE(counter, 2);
}
TEST(Counter, Locked) {
    auto add = [] {
        std::lock_guard<std::mutex> held(mutex);
        guarded++;
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
    EXPECT_EQ(guarded, 2);
}
TEST(Counter, DISABLED_Never) { abort(); }
END_C
    "$AUGUR" c++ -g -O1 -pthread cases.cc -lgtest -lgtest_main -o cases
    run "$AUGUR" test --store s6 --budget 20 -o cases.txt ./cases
    expect_status 1
    expect_err '2 processes recorded'
    expect_true "one finding, one case" grep -q "shown by 'cases --gtest_filter=Counter.Racy'\$" cases.txt
    expect_true "no other" test "$(grep -c 'shown by' cases.txt)" -eq 1
fi

check "children of fork are recorded, theirs too, and replayed"
cat >forks.c <<'END_C'
#include "two.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void child(void *(*f)(void *), int deeper) {
    if (fork() == 0) {
        two(f);
        if (deeper)
            child(racy, 0);
        exit(deeper);
    }
    int status;
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
}
int main(void) {
    child(locked, 0);
    child(locked, 1);
    if (fork() == 0)
        execlp("true", "true", (char *)0);
    wait(0);
    return 0;
}
END_C
augur_cc -g -O1 -pthread forks.c -o forks
run "$AUGUR" test --store sf -o forks.txt ./forks
expect_status 1
printf '0\n0\n1\n' >expected
expect_same .lib/out expected
expect_err '1 process recorded'
expect_err '3 children of fork'
expect_true "the child of a child" grep -q "shown by 'forks \[child 2.1\]'\$" forks.txt
expect_true "only there" test "$(grep -c 'shown by' forks.txt)" -eq 1
run "$AUGUR" replay --store sf --finding R1
expect_status 1
expect_out 'confirmed: R1'
run "$AUGUR" test --store sf -o forks.txt ./forks
expect_status 1
expect_err '4 recordings are as before'
expect_true "the finding stays" grep -q 'R1 confirmed' forks.txt
run "$AUGUR" test --store sf2 --no-children ./forks
expect_status 0

check "a child that becomes another program is looked at as that, not executed once more as a child"
cat >starts.c <<'END_C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    FILE *f = fopen("begun", "a"); /* each execution of this program leaves a line */
    fputs(argc > 1 ? "child\n" : "parent\n", f);
    fclose(f);
    for (int i = 0; i < 3 && argc < 2; i++) {
        if (fork() == 0) {
            if (i == 1)
                _exit(0);
            execl(argv[0], argv[0], "again", (char *)0);
        }
        wait(0);
    }
    return 0;
}
END_C
: >begun
augur_cc -g -O1 starts.c -o starts
run "$AUGUR" test --store se --no-replay --no-explore ./starts
expect_status 0
expect_err '3 processes recorded'
expect_err '1 child of fork'
expect_true "one execution more, for the second" test "$(grep -c parent begun)" -eq 2

check "a child stays one if its own child, or nobody, becomes another program"
cat >stays.c <<'END_C'
#include "two.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    FILE *f = fopen("began", "a"); /* each execution of this program leaves a line */
    fputs("parent\n", f);
    fclose(f);
    if (fork() == 0) {
        if (fork() == 0)
            execl("/bin/true", "true", (char *)0);
        wait(0);
        two(racy);
        _exit(0);
    }
    wait(0);
    if (fork() == 0) {
        execl("./none", "none", (char *)0); /* it is no program */
        _exit(0);
    }
    wait(0);
    return 0;
}
END_C
printf '\177no program' >none
chmod +x none
augur_cc -g -O1 -pthread stays.c -o stays
: >began
run "$AUGUR" test --store sy --no-replay --no-explore -o stays.txt ./stays
expect_status 1
expect_true "the first" grep -q "shown by 'stays \[child 1\]'\$" stays.txt
expect_true "both are executed once more" test "$(grep -c parent began)" -ge 3

check "a child that is made while other threads run is not recorded, and that is said"
cat >late.c <<'END_C'
#include "two.h"
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t go;
static void *wait_for(void *p) {
    sem_wait(&go);
    return p;
}
int main(void) {
    pthread_t t;
    sem_init(&go, 0, 0);
    pthread_create(&t, 0, wait_for, 0);
    if (fork() == 0)
        _exit(0);
    wait(0);
    sem_post(&go);
    pthread_join(t, 0);
    return 0;
}
END_C
augur_cc -g -O1 -pthread late.c -o late
run "$AUGUR" test --store sl ./late
expect_status 3
expect_err "late \[child 1\]: the child of a fork is not recorded: other threads ran"

check "a test that fails only when it is recorded is told as that, one that fails is a failure"
cat >slow.sh <<'END_S'
#!/bin/sh
./hits right
test -z "${AUGUR_SUITE:-}"
END_S
chmod +x slow.sh
run "$AUGUR" test --store sr ./slow.sh
expect_status 3
expect_err "'./slow.sh' fails only when it is recorded"
run "$AUGUR" test --store sr --no-retry ./slow.sh
expect_status 1

check "what goes another way when it is executed again is not held against the program"
cat >once.c <<'END_C'
#include "two.h"
#include <stdio.h>
#include <string.h>
int main(void) { /* the segment is its parent's, and gone afterwards */
    FILE *f = fopen(getenv("GIVEN"), "r");
    if (!f)
        abort();
    two(racy);
    return 0;
}
END_C
augur_cc -g -O1 -pthread once.c -o once
run "$AUGUR" test --store so -o once.txt sh -c 'echo x >given; GIVEN=$PWD/given ./once; rm given'
expect_true "no crash" test "$(grep -c 'ended by signal' once.txt)" -eq 0
expect_true "the race" grep -qE "R1 (proved|possible) +race on 'hits'" once.txt
expect_true "why" grep -q "'once' goes another way when it is executed again" once.txt

check "other options, another analysis"
run "$AUGUR" test --store s2 --prop deadlock -o more.txt ./right.sh
expect_true "nothing is as before" test "$(grep -c 'as before' .lib/err)" -eq 0

check "JUnit: each case of the suite is a test case"
run "$AUGUR" test --store s1 --format junit -o junit.xml ./suite.sh
expect_status 1
expect_true "one that passes" grep -qF '<testcase classname="augur.test" name="hits right" time="0"/>' junit.xml
expect_true "one that fails" grep -qF '<failure message="shows R1"/>' junit.xml

check "a baseline and a verdict hold for what is as before"
run "$AUGUR" report --store s1 --format baseline -o base.json
run "$AUGUR" test --store s1 --baseline base.json -o known.txt ./suite.sh
expect_status 0
expect_true "known" grep -q 'R1 confirmed.*known: in the baseline' known.txt
run "$AUGUR" test --store s1 -o known.txt ./suite.sh
expect_status 1
"$AUGUR" triage --store s1 R1 --as wontfix --note 'statistics' 2>/dev/null
run "$AUGUR" test --store s1 -o known.txt ./suite.sh
expect_status 0

check "the whole store: each finding once, with its tests and its state"
run "$AUGUR" test --store sf -o forks.txt ./forks
run "$AUGUR" run --store sf --budget 10 ./hits racy
run "$AUGUR" report --store sf --whole
expect_out "race on 'hits'.*\[new\]"
expect_out "race on 'hits'.*\[open\]"
expect_out "shown by 'forks \[child 2.1\]'"
run "$AUGUR" report --store sf --whole --format json
expect_out '"state": "new"'
run "$AUGUR" report --store sf --whole --run 1
expect_status 2

# Programs of frameworks: $1 what it is called, $2 source, $3 libraries; $4 cases, $5 who shows the race.
framework() {
    check "the cases of $1"
    if [ -n "$SANITIZED" ]; then
        skip "the release build has done it"
        return
    fi
    if ! augur_cc -g -O1 -pthread "$2" $3 -o "${2%.c}" 2>/dev/null; then
        skip "the framework is not installed"
        return
    fi
    run "$AUGUR" test --store "f-$2" --budget 30 -o "$2.txt" "./${2%.c}"
    expect_status 1
    expect_err "$4"
    expect_true "the case" grep -qE "shown by '$5'\$" "$2.txt"
    expect_true "no other" test "$(grep -c 'shown by' "$2.txt")" -eq 1
}
cat >ck.c <<'END_C'
#include "two.h"
#include <check.h>
START_TEST(test_racy) { two(racy); }
END_TEST
START_TEST(test_locked) { two(locked); ck_assert_int_eq(safe, 2); }
END_TEST
int main(void) {
    Suite *s = suite_create("Counters");
    TCase *a = tcase_create("Plain"), *b = tcase_create("Locks & more");
    tcase_add_test(a, test_locked);
    tcase_add_test(a, test_racy);
    tcase_add_test(b, test_locked);
    suite_add_tcase(s, a);
    suite_add_tcase(s, b);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
END_C
framework "Check, which forks for each" ck.c "-lcheck -lsubunit -lrt -lm" '3 children of fork' \
    'ck \[Plain\] \[Counters\] \[child 2\]'
cat >cm.c <<'END_C'
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "two.h"
static void test_racy(void **s) { (void)s; two(racy); }
static void test_locked(void **s) { (void)s; two(locked); assert_int_equal(safe, 2); }
int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(test_locked), cmocka_unit_test(test_racy)};
    return cmocka_run_group_tests(all, 0, 0);
}
END_C
framework cmocka cm.c -lcmocka '2 processes recorded' 'cm \[test_racy\]'

check "the cases of Criterion, each with the process that it makes for it"
cat >cr.c <<'END_C'
#include <criterion/criterion.h>
#include "two.h"
Test(counter, with_lock) { two(locked); cr_assert_eq(safe, 2); }
Test(counter, without) { two(racy); }
Test(other, off, .disabled = true) { abort(); }
END_C
if [ -n "$SANITIZED" ]; then
    skip "the release build has done it"
elif ! augur_cc -g -O1 -pthread cr.c -lcriterion -o cr 2>/dev/null; then
    skip "libcriterion-dev is not installed"
else
    run "$AUGUR" test --store scr --budget 20 -o cr.txt ./cr
    expect_err '4 processes recorded, 0 of them failed'
    expect_true "the race" grep -qE "^R[0-9]+ (proved|possible) +race on 'hits'" cr.txt
    expect_true "no crash that only the execution has" test "$(grep -c 'ended by signal' cr.txt)" -eq 0
fi

check "a suite that is killed while it analyses loses nothing that was finished"
cat >many.sh <<'END_S'
for i in 1 2 3 4 5 6; do ./hits right $i x </etc/hostname; done
true
END_S
setsid "$AUGUR" test --store sk --jobs 1 -o killed.txt sh many.sh >killed.out 2>killed.err &
suite=$!
for _ in $(seq 300); do
    [ "$(find sk/runs -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)" -ge 3 ] && break # the third has begun
    sleep 0.1
done
kill -9 -- -$suite
wait $suite 2>/dev/null
run "$AUGUR" test --store sk --jobs 1 -o killed.txt sh many.sh
expect_status 0
expect_err '6 processes recorded'
expect_err '[2-6] recordings are as before'
