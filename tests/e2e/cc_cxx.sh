#!/usr/bin/env bash
# augur c++: exceptions, std::thread and its kin, templates, static and shared libraries,
# augur.h.
# SANITIZED: no, because it mostly runs clang and linkers; the driver runs sanitized in cc_lines and cc_diag
. "$(dirname "$0")/lib.sh"

if ! command -v clang-19 >/dev/null || ! echo '#include <thread>' | clang-19 -x c++ -fsyntax-only - 2>/dev/null; then
    check "clang-19 and a C++ library"
    skip "clang-19 or the headers of C++ are not installed"
    exit 0
fi


cat >threads.cpp <<'END'
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct noisy {
    std::string name;
    explicit noisy(std::string n) : name(std::move(n)) {}
    ~noisy() { std::cout << "gone " << name << "\n"; }
};
static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable cond;
static bool ready;
static std::atomic<int> atomic{0};
static int plain;
static noisy &only() {
    static noisy one("static");
    return one;
}

static void thrower(int n) {
    noisy local("local");
    if (n)
        throw std::runtime_error("thrown " + only().name);
}

template <typename T> static T sum(const std::vector<T> &v) {
    T s{};
    for (auto &x : v)
        s += x;
    return s;
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 50; k++) {
                std::lock_guard<std::mutex> l(mutex);
                plain++;
                atomic++;
            }
            {
                std::unique_lock<std::mutex> l(mutex);
                cond.wait(l, [] { return ready; });
            }
            std::shared_lock<std::shared_mutex> r(shared);
        });
    {
        std::lock_guard<std::mutex> l(mutex);
        ready = true;
    }
    cond.notify_all();
    for (auto &t : threads)
        t.join();
    auto later = std::async(std::launch::async, [] { return sum<int>({1, 2, 3}); });
    std::cout << plain << " " << atomic << " " << later.get() << "\n";
    try {
        std::thread t([] {
            try {
                thrower(1);
            } catch (const std::exception &e) {
                std::cout << e.what() << "\n";
            }
        });
        t.join();
        thrower(2);
    } catch (const std::runtime_error &e) {
        std::cout << "again " << e.what() << "\n";
    }
    return 0;
}
END
cat >want <<'END'
200 200 6
gone local
thrown static
gone local
again thrown static
gone static
END

for flags in -O0 "-O2 -std=c++20" "-O2 -fno-pie -no-pie" "-O1 -static-libstdc++ -static-libgcc" "-O2 -fuse-ld=gold" "-O2 -fuse-ld=lld -Wl,--gc-sections -ffunction-sections"; do
    check "threads and exceptions, $flags"
    case $flags in *-fuse-ld=*)
        linker=${flags#*-fuse-ld=}
        if ! command -v "ld.${linker%% *}" >/dev/null; then
            skip "ld.${linker%% *} is not installed"
            continue
        fi
        ;;
    esac
    run "$AUGUR" c++ $flags -Wall -Wextra -pthread threads.cpp -o threads
    expect_status 0
    expect_no_err
    run ./threads
    expect_status 0
    expect_same .lib/out want
done

check "libstdc++ calls the runtime's pthread_create"
expect_true "it is exported" grep -q ' [TW] pthread_create' <(nm -D --defined-only threads)

check "-fno-exceptions -fno-rtti"
echo 'int main() { return 4; }' >small.cpp
run "$AUGUR" c++ -fno-exceptions -fno-rtti small.cpp -o small
expect_status 0
run ./small
expect_status 4
cp small.cpp small.c
run "$AUGUR" c++ -x c++ small.c -o small
expect_status 0
run ./small
expect_status 4

check "an exception through two libraries"
cat >thrower.cpp <<'END'
#include <stdexcept>
struct fault : std::runtime_error { using std::runtime_error::runtime_error; };
void throws(int);
void throws(int n) { if (n > 0) throw fault("from the library"); }
END
cat >between.c <<'END'
void call(void (*f)(int), int n);
void call(void (*f)(int), int n) { f(n); }
END
cat >catcher.cpp <<'END'
#include <cstdio>
#include <stdexcept>
void throws(int);
extern "C" void call(void (*f)(int), int n);
int main() {
    try { call(throws, 1); } catch (const std::runtime_error &e) { std::puts(e.what()); return 6; }
    return 0;
}
END
run "$AUGUR" c++ -O2 -fPIC -shared -Wl,-z,defs thrower.cpp -o libthrower.so
expect_status 0
expect_no_err
run "$AUGUR" cc -O2 -fexceptions -c between.c -o between.o
expect_status 0
rm -f libbetween.a
ar rcs libbetween.a between.o
run "$AUGUR" c++ -O2 catcher.cpp -L. -lbetween -lthrower -Wl,-rpath,"$PWD" -o catcher
expect_status 0
run ./catcher
expect_status 6
expect_out '^from the library$'

check "precompiled header of C++"
printf '#include <vector>\n#include <string>\ninline int six() { return 6; }\n' >all.hpp
echo 'int main() { std::vector<int> v(1, six()); return v[0]; }' >pch.cpp
run "$AUGUR" c++ -O2 -x c++-header all.hpp -o all.hpp.pch
expect_status 0
run "$AUGUR" c++ -O2 -include all.hpp pch.cpp -o pch
expect_status 0
expect_no_err
run ./pch
expect_status 6

check "inline assembler, thread_local, constructors, weak and alias"
cat >odd.cpp <<'END'
#include <cstdio>
thread_local int mine = 3;
struct before { before() { std::puts("before"); } ~before() { std::puts("after"); } } object;
extern "C" int strong() { return 2; }
extern "C" int other() __attribute__((alias("strong")));
extern "C" int missing() __attribute__((weak));
int main() {
    int x = 1;
    asm volatile("addl %1, %0" : "+r"(x) : "r"(mine));
    return x + other() + (missing ? 100 : 0);
}
END
run "$AUGUR" c++ -O2 odd.cpp -o odd
expect_status 0
run ./odd
expect_status 6
expect_out '^before$'
expect_out '^after$'

# ---- augur.h ----

cat >remarks.c <<'END'
#include <augur.h>
#include <stdio.h>
static int x, evaluated;
static int look(void) { evaluated++; return 1; }
int main(void) {
    AUGUR_ATOMIC_BEGIN("both");
    x = 1;
    AUGUR_ATOMIC_BEGIN("inner");
    AUGUR_ATOMIC_END();
    AUGUR_ATOMIC_END();
    AUGUR_ASSERT(look());
    AUGUR_ASSERT(x == 1 && ((int[]){1, 2})[0] == 1);
    AUGUR_IGNORE(x++);
    AUGUR_IGNORE(x++, x++; x++);
    if (x)
        AUGUR_IGNORE(x++);
    else
        AUGUR_IGNORE(x--);
    AUGUR_IGNORE_BEGIN();
    x++;
    AUGUR_IGNORE_END();
    AUGUR_HAPPENS_BEFORE(&x);
    AUGUR_HAPPENS_AFTER(&x);
    printf("%d %d\n", x, evaluated);
    return 0;
}
END
cp remarks.c remarks.cpp
sed -i 's/((int\[\]){1, 2})\[0\]/x/' remarks.cpp

check "augur.h in an ordinary build is nothing"
for compiler in "gcc -std=c99" "gcc -std=c17" "clang-19 -std=c17" "g++ -std=c++11" "clang-19 -x c++ -std=c++20"; do
    command -v "${compiler%% *}" >/dev/null || continue
    source=remarks.c
    case $compiler in *++*) source=remarks.cpp ;; esac
    run $compiler -Wall -Wextra -Wpedantic -Werror -O2 -I "$SRC/include" -c $source -o remarks.o
    expect_status 0
    expect_no_err
    expect_true "no call of augur" [ "$(nm remarks.o | grep -c augur)" -eq 0 ]
    run gcc remarks.o -o remarks
    run ./remarks
    expect_out '^7 0$'
done

check "augur.h in a build of augur"
run "$AUGUR" cc -Wall -Wextra -Wpedantic -Werror remarks.c -o remarks
expect_status 0
expect_no_err
expect_true "calls of augur" grep -q __augur_ignore_begin <(nm remarks)
run ./remarks
expect_status 0
expect_out '^7 1$'
run "$AUGUR" c++ -Wall -Wextra -Wpedantic -Werror remarks.cpp -o remarks
expect_status 0
expect_no_err
run ./remarks
expect_out '^7 1$'
