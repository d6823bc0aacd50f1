#!/usr/bin/env bash
# augur cc as the compiler of make, CMake, meson and autoconf with automake and libtool: tiny
# projects with a program, a static and a shared library, in C and C++.
# SANITIZED: no, because it runs other people's build tools; the driver runs sanitized in cc_lines and cc_diag
. "$(dirname "$0")/lib.sh"

if ! command -v clang-19 >/dev/null; then
    check "clang-19"
    skip "clang-19 is not installed"
    exit 0
fi
export TMPDIR=$TMP/tmp
mkdir "$TMPDIR"
export CC="$AUGUR cc" CXX="$AUGUR c++"
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
has_hooks() { readelf -SW "$1" 2>/dev/null | grep -q '\.augurbc'; }

mkdir src
cat >src/sum.c <<'END'
#include "sum.h"
int total;
int sum(int a, int b) { total += a; return a + b; }
END
printf '#ifdef __cplusplus\nextern "C" {\n#endif\nint sum(int a, int b);\nint product(int a, int b);\n#ifdef __cplusplus\n}\n#endif\n' >src/sum.h
cat >src/product.c <<'END'
#include "sum.h"
static int last;
int product(int a, int b) { return last = a * b; }
END
cat >src/main.c <<'END'
#include "sum.h"
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *p) {
    pthread_mutex_lock(&m);
    n = sum(n, product(2, 3));
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
END
cat >src/xmain.cpp <<'END'
#include "sum.h"
#include <iostream>
#include <mutex>
#include <thread>
static int n;
int main() {
    std::mutex m;
    auto work = [&] { std::lock_guard<std::mutex> l(m); n = sum(n, product(2, 3)); };
    std::thread a(work), b(work);
    a.join();
    b.join();
    std::cout << n << std::endl;
    return n == 12 ? 0 : 1;
}
END
have_cxx=$(echo '#include <thread>' | clang-19 -x c++ -fsyntax-only - 2>/dev/null && echo yes)

# The programs that a build made: main and, with a C++ library, xmain.
judge() {
    run "./$1/main"
    expect_status 0
    expect_out '^18$'
    if [ -n "$have_cxx" ]; then
        run "./$1/xmain"
        expect_status 0
        expect_out '^12$'
    fi
}

check "make, with its own rules, in parallel"
cp -r src with-make
cat >with-make/Makefile <<END
CFLAGS = -O2 -g -Wall -MMD
CXXFLAGS = -O2 -g -Wall -MMD
LDLIBS = -lpthread
all: main ${have_cxx:+xmain}
main: main.o libsum.a libproduct.so
	\$(CC) \$(LDFLAGS) main.o libsum.a -L. -lproduct -Wl,-rpath,'\$\$ORIGIN' \$(LDLIBS) -o \$@
xmain: xmain.o libsum.a libproduct.so
	\$(CXX) \$(LDFLAGS) xmain.o libsum.a -L. -lproduct -Wl,-rpath,'\$\$ORIGIN' \$(LDLIBS) -o \$@
libsum.a: sum.o
	\$(AR) rcs \$@ sum.o
libproduct.so: product.c
	\$(CC) \$(CFLAGS) -fPIC -shared -Wl,-z,defs \$< -o \$@
-include *.d
END
run make -s -j4 -C with-make
expect_status 0
expect_no_err
judge with-make
expect_true "hooks" has_hooks with-make/main
run make -q -C with-make
expect_status 0

check "configure by autoconf, automake and libtool"
if command -v autoreconf >/dev/null && command -v automake >/dev/null && command -v libtoolize >/dev/null; then
    cp -r src with-auto
    cat >with-auto/configure.ac <<END
AC_INIT([tiny],[1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
${have_cxx:+AC_PROG_CXX}
AM_PROG_AR
LT_INIT
AC_CHECK_HEADERS([pthread.h no_such_header.h])
AC_CHECK_FUNCS([pthread_create no_such_function])
AC_SEARCH_LIBS([cos],[m])
AC_CHECK_SIZEOF([long])
AC_C_BIGENDIAN
AC_CHECK_LIB([pthread],[pthread_create])
AC_RUN_IFELSE([AC_LANG_PROGRAM([],[return 0;])],[],[AC_MSG_ERROR([programs do not run])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
    cat >with-auto/Makefile.am <<END
bin_PROGRAMS = main ${have_cxx:+xmain}
noinst_LIBRARIES = libsum.a
lib_LTLIBRARIES = libproduct.la
libsum_a_SOURCES = sum.c sum.h
libproduct_la_SOURCES = product.c
libproduct_la_LDFLAGS = -no-undefined
main_SOURCES = main.c
main_LDADD = libsum.a libproduct.la
xmain_SOURCES = xmain.cpp
xmain_LDADD = libsum.a libproduct.la
END
    (cd with-auto && autoreconf -i >auto.log 2>&1) || fail "autoreconf: $(tail -3 with-auto/auto.log)"
    mkdir auto-build
    cd auto-build
    run ../with-auto/configure --prefix="$PWD/../auto-inst"
    expect_status 0
    expect_out 'whether the C compiler works... yes'
    expect_out 'whether the compiler supports GNU C... yes'
    expect_out 'checking for gcc option to accept|checking for .* option to enable C11'
    expect_out 'checking for pthread_create... yes'
    expect_out 'checking for no_such_function... no'
    expect_out 'checking for no_such_header.h... no'
    expect_out 'checking size of long... 8'
    expect_out 'if .* supports -fPIC|option to produce PIC... -fPIC'
    expect_out 'whether to build shared libraries... yes'
    run make -s -j4
    expect_status 0
    run make -s install
    expect_status 0
    cd ..
    judge auto-inst/bin
    expect_true "hooks" has_hooks auto-inst/bin/main
    expect_true "hooks in the shared library" has_hooks auto-inst/lib/libproduct.so
    # The answers must be those that clang gives.
    mkdir auto-plain
    (cd auto-plain && CC=clang-19 CXX=clang++-19 ../with-auto/configure >/dev/null 2>&1)
    for d in auto-build auto-plain; do
        sed -n 's/^\(ac_cv_[a-z0-9_]*\)=/\1=/p' $d/config.log | grep -v -e _CC= -e _CXX= -e _CPP= -e _env_ -e path_ -e ac_cv_lib_error_at -e prog_ >$d.cache
    done
    expect_same auto-build.cache auto-plain.cache
else
    skip "autoconf, automake or libtool is not installed"
fi

check "CMake"
if command -v cmake >/dev/null; then
    cp -r src with-cmake
    cat >with-cmake/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.18)
project(tiny LANGUAGES C ${have_cxx:+CXX})
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
include(CheckFunctionExists)
check_function_exists(no_such_function HAVE_NONE)
check_function_exists(printf HAVE_PRINTF)
if(HAVE_NONE OR NOT HAVE_PRINTF)
  message(FATAL_ERROR "wrong answers")
endif()
include(CheckIPOSupported)
add_library(sum STATIC sum.c)
add_library(product SHARED product.c)
target_link_options(product PRIVATE -Wl,-z,defs)
add_executable(main main.c)
target_link_libraries(main sum product Threads::Threads)
if(CMAKE_CXX_COMPILER)
  add_executable(xmain xmain.cpp)
  target_compile_features(xmain PRIVATE cxx_std_17)
  target_link_libraries(xmain sum product Threads::Threads)
endif()
END
    run cmake -S with-cmake -B cmake-build -DCMAKE_BUILD_TYPE=RelWithDebInfo
    expect_status 0
    expect_out 'The C compiler identification is Clang 19'
    expect_out 'Check for working C compiler: .*works|Check for working C compiler: .*skipped'
    run cmake --build cmake-build -j4
    expect_status 0
    judge cmake-build
    expect_true "hooks" has_hooks cmake-build/main
    expect_true "hooks in the shared library" has_hooks cmake-build/libproduct.so
    expect_true "no runtime among what CMake thinks every program needs" \
        [ "$(grep -rl libaugur_rt cmake-build/CMakeFiles/*/*.cmake | wc -l)" -eq 0 ]
else
    skip "cmake is not installed"
fi

check "meson"
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    cp -r src with-meson
    cat >with-meson/meson.build <<END
project('tiny', 'c'${have_cxx:+, 'cpp'}, default_options: ['buildtype=debugoptimized'])
cc = meson.get_compiler('c')
assert(cc.get_id() == 'clang')
assert(cc.has_function('printf'))
assert(not cc.has_function('no_such_function'))
assert(cc.has_header('pthread.h'))
assert(cc.sizeof('long') == 8)
assert(cc.run('int main(void) { return 0; }').returncode() == 0)
assert(cc.has_argument('-Wshadow'))
assert(not cc.has_argument('-fno-such-argument'))
threads = dependency('threads')
sum = static_library('sum', 'sum.c')
product = shared_library('product', 'product.c')
executable('main', 'main.c', link_with: [sum, product], dependencies: threads)
END
    if [ -n "$have_cxx" ]; then
        echo "executable('xmain', 'xmain.cpp', link_with: [sum, product], dependencies: threads)" >>with-meson/meson.build
    fi
    run meson setup with-meson meson-build
    expect_status 0
    run ninja -C meson-build
    expect_status 0
    judge meson-build
    expect_true "hooks" has_hooks meson-build/main
    # meson's own check for undefined symbols (b_lundef) is on by default
    expect_true "hooks in the shared library" has_hooks meson-build/libproduct.so
else
    skip "meson is not installed"
fi

check "temporary files are gone"
expect_true "an empty directory: $(ls "$TMPDIR")" [ -z "$(ls -A "$TMPDIR" | grep augur)" ]
