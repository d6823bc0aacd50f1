#!/usr/bin/env bash
# augur test: processes of a suite are recorded wherever they are started, each finding is told once with the tests that show
# it, and what is as before is not analysed again.
. "$(dirname "$0")/lib.sh"

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
expect_err '3 recordings are as before'
expect_true "the same finding" grep -q "shown by 'hits racy input', 'hits racy two words'" again.txt
run "$AUGUR" test --store s1 --again -o again.txt ./suite.sh
expect_status 1
expect_true "analysed" test "$(grep -c 'as before' .lib/err)" -eq 0

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

check "a process that is killed is no case, the others are"
mkfifo never
run "$AUGUR" test --store s4 sh -c './hits right; ./hits right x <>never & p=$!; sleep 1; kill -9 $p; wait $p; ./hits'
expect_status 0
expect_err '2 processes recorded'

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
