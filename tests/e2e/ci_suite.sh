#!/usr/bin/env bash
# Continuous integration of a test suite: the script of examples/ci/suite.sh as the workflows of GitHub and GitLab call it, and
# the snippets for CTest, Meson and Automake of docs/ci.md.
# SANITIZED: no, because it is about scripts and build systems; suite.sh takes the command itself sanitized
. "$(dirname "$0")/lib.sh"

ci=$SRC/examples/ci
mkdir bin
ln -s "$AUGUR" bin/augur
export PATH=$PWD/bin:$PATH
git_() { git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c commit.gpgsign=false "$@"; }

mkdir project
cd project || exit 1
cat >lib.h <<'END_C'
#include <pthread.h>
static inline void two(void *(*f)(void *)) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
END_C
for name in hits visits; do
    printf '#include "lib.h"\nstatic int %s;\nstatic void *work(void *p) {\n    %s++;\n    return p;\n}\nint main(void) {\n    two(work);\n    return 0;\n}\n' \
        $name $name >$name.c
done
sed -i 's/    visits++;/    __atomic_fetch_add(\&visits, 1, 5);/' visits.c
cat >CMakeLists.txt <<'END_C'
cmake_minimum_required(VERSION 3.20)
project(p C)
find_package(Threads)
enable_testing()
foreach(name hits visits)
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} Threads::Threads)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
END_C
cat >meson.build <<'END_C'
project('p', 'c')
foreach name : ['hits', 'visits']
  test(name, executable(name, name + '.c', dependencies: dependency('threads')))
endforeach
END_C
cat >configure.ac <<'END_C'
AC_INIT([p], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END_C
cat >Makefile.am <<'END_C'
AM_CFLAGS = -pthread
AM_LDFLAGS = -pthread
check_PROGRAMS = hits visits
TESTS = $(check_PROGRAMS)
END_C
mkdir ci
cp "$ci/suite.sh" ci/
printf '%s\n' build .augur 'augur*' >.gitignore
git_ init -q . && git_ add . && git_ commit -qm one
make_it() {
    CC='augur cc' CXX='augur c++' cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo >cmake.txt 2>&1 &&
        cmake --build build >>cmake.txt 2>&1 || fail "$(tail -n 3 cmake.txt)"
}

check "GitHub: it fails for a finding, annotates, and writes what the workflow hands on"
make_it
export AUGUR_BUDGET=60
run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$PWD/../summary.md" sh ci/suite.sh ctest --test-dir build
expect_status 1
expect_out '^::error file=hits.c,line=4,title=augur R1%3A confirmed::'
expect_true "the summary has the story" grep -q "T. writes 'hits' = 1 in work (.*hits.c:4)" ../summary.md
expect_true "a count" grep -qF '**augur: 1 finding**' ../summary.md
for file in augur.html augur.sarif augur-junit.xml augur.md .augur; do
    expect_file $file
done
expect_true "the SARIF names the file from the top" grep -q '"uri": "hits.c"' augur.sarif

check "with the store kept, nothing is analysed again"
run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$PWD/../summary.md" GITHUB_RUN_ID=2 sh ci/suite.sh ctest --test-dir build
expect_status 1
expect_err '2 processes are as before'

check "a baseline, and a pull request that changes nothing of it"
augur report --format baseline -o augur-baseline.json
run sh ci/suite.sh ctest --test-dir build
expect_status 0
expect_true "known" grep -qF '**augur: 0 findings** (and 1 that is known)' augur.md
rm augur-baseline.json
git_ checkout -qb topic
run env AUGUR_SINCE=main sh ci/suite.sh ctest --test-dir build
expect_status 0
expect_err '2 of 2 recordings execute nothing that was changed'
sed -i 's/    __atomic.*/    visits++;/' visits.c
make_it
run env AUGUR_SINCE=main sh ci/suite.sh ctest --test-dir build
expect_status 1
expect_true "what it brings, and nothing else" grep -q "race on 'visits'" augur.md
expect_true "not the other" test "$(grep -c "race on 'hits'" augur.md)" -eq 0

check "a suite without anything of augur has no report, and that is no success"
run sh ci/suite.sh true
expect_status 2

check "the workflows: valid YAML, and every step is about what the script takes and writes"
for file in github-suite.yml gitlab.yml; do
    if python3 -c 'import yaml' 2>/dev/null; then
        expect_true "YAML of $file" python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$ci/$file"
    fi
    expect_true "$file calls it" grep -q 'sh ci/suite.sh ctest --test-dir build' "$ci/$file"
    expect_true "$file keeps the store" grep -q '\.augur' "$ci/$file"
    expect_true "$file installs packages" grep -q 'apt-get install -y /tmp/.*\.deb' "$ci/$file"
    for name in $(grep -o 'augur[-a-z]*\.\(html\|sarif\|md\|xml\)' "$ci/$file" | sort -u); do
        expect_true "$name of $file" grep -q "$name" ci/suite.sh
    done
    expect_true "the build of $file" grep -qF 'CC="augur cc" CXX="augur c++" cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo' "$ci/$file"
done

check "Meson"
if ! command -v meson >/dev/null; then
    skip "meson is not installed"
else
    CC='augur cc' meson setup ../meson . >meson.txt 2>&1 && ninja -C ../meson >>meson.txt 2>&1 || fail "$(tail -n 3 meson.txt)"
    run augur test --store ../sm -o ../meson.out meson test -C ../meson
    expect_status 1
    expect_err '2 processes recorded'
    expect_true "found" grep -q "race on 'hits'" ../meson.out
    run augur test --store ../sm -o ../meson.out meson test -C ../meson # which sets MALLOC_PERTURB_ anew
    expect_err '2 (processes|recordings) are as before'
fi

check "Automake"
if ! command -v automake >/dev/null; then
    skip "automake is not installed"
else
    cp -r . ../auto
    cd ../auto || exit 1
    { aclocal && autoconf && automake --add-missing && ./configure CC='augur cc' CFLAGS='-g -O1' && make check TESTS=; } >auto.txt 2>&1 ||
        fail "$(tail -n 3 auto.txt)"
    run augur test --store ../sa -o ../auto.out make check
    expect_status 1
    expect_err '2 processes recorded'
    expect_true "found" grep -q "race on 'hits'" ../auto.out
fi
