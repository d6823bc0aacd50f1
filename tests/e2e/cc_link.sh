#!/usr/bin/env bash
# augur cc: what is linked: programs by all linkers, archives, shared objects, dlopen,
# relocatable objects, sections collected, stripped; and where the runtime goes.
# SANITIZED: no, because it mostly runs linkers; the driver runs sanitized in cc_lines and cc_diag
. "$(dirname "$0")/lib.sh"

if ! command -v clang-19 >/dev/null; then
    check "clang-19"
    skip "clang-19 is not installed"
    exit 0
fi
export TMPDIR=$TMP/tmp
mkdir "$TMPDIR"
bitcodes() { objcopy -O binary -j .augurbc --set-section-flags .augurbc=alloc "$1" bits 2>/dev/null && grep -ao AUGURBC1 bits | wc -l; }
exports() { nm -D --defined-only "$1" | grep -q " $2\$"; }

cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
int counter;
int in_library(int x);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&m);
        counter = in_library(counter);
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", counter);
    return 0;
}
END
cat >lib.c <<'END'
int calls;
int in_library(int x);
int in_library(int x) { calls++; return x + 1; }
END
cat >unused.c <<'END'
int never_called(int *p);
int never_called(int *p) { return *p; }
END
"$AUGUR" cc -O2 -c main.c lib.c unused.c

for linker in default bfd gold lld; do
    check "a program linked by $linker"
    flag=
    if [ $linker != default ]; then
        flag=-fuse-ld=$linker
        if ! command -v ld.$linker >/dev/null; then
            skip "ld.$linker is not installed"
            continue
        fi
    fi
    for more in "" "-Wl,--gc-sections" "-no-pie" "-rdynamic" "-Wl,-z,now,-z,relro" "-Wl,--as-needed" "-s" "-Wl,--exclude-libs,ALL"; do
        run "$AUGUR" cc $flag $more main.o lib.o unused.o -pthread -o prog
        expect_status 0
        expect_no_err
        run ./prog
        expect_status 0
        expect_out '^200$'
        expect_true "pthread_create is exported ($more)" exports prog pthread_create
        expect_true "hooks are exported ($more)" exports prog __augur_st4
        expect_true "three records of bitcode ($more)" [ "$(bitcodes prog)" -eq 3 ]
    done
done

check "a static library: what is needed of it comes in with its bitcode"
rm -f lib.a
ar rcs lib.a lib.o unused.o
run "$AUGUR" cc main.o lib.a -o prog
expect_status 0
run ./prog
expect_out '^200$'
expect_true "two records" [ "$(bitcodes prog)" -eq 2 ]
run "$AUGUR" cc main.o -L. -l:lib.a -o prog
expect_status 0
run "$AUGUR" cc main.o -Wl,--whole-archive lib.a -Wl,--no-whole-archive -o prog
expect_status 0
expect_true "three records" [ "$(bitcodes prog)" -eq 3 ]
run "$AUGUR" cc main.o -Wl,--start-group lib.a -Wl,--end-group -o prog
expect_status 0

check "a relocatable link is left alone"
run "$AUGUR" cc -r main.o lib.o -o all.o
expect_status 0
expect_true "no runtime in it" [ "$(nm all.o | grep -c ' T __augur_st4')" -eq 0 ]
run "$AUGUR" cc -nostdlib -no-pie -Wl,-r main.o lib.o -o all.o
expect_status 0
run "$AUGUR" cc all.o -o prog
expect_status 0
run ./prog
expect_out '^200$'
expect_true "two records" [ "$(bitcodes prog)" -eq 2 ]

check "strip keeps the bitcode"
strip prog -o stripped
expect_true "two records" [ "$(bitcodes stripped)" -eq 2 ]
run ./stripped
expect_out '^200$'

check "a shared library gets no runtime and finds the program's"
"$AUGUR" cc -O2 -fPIC -c lib.c -o pic.o
for flag in "" "-Wl,-z,defs" "-Wl,--no-undefined" "-Wl,-zdefs -Wl,-soname,libone.so" "-Wl,-Bsymbolic"; do
    run "$AUGUR" cc -shared $flag pic.o -o libone.so
    expect_status 0
    expect_no_err
    expect_true "no runtime in it" [ "$(nm -D --defined-only libone.so | grep -c __augur)" -eq 0 ]
    expect_true "its bitcode" [ "$(bitcodes libone.so)" -eq 1 ]
    run "$AUGUR" cc main.o -L. -lone -Wl,-rpath,"$PWD" -o prog
    expect_status 0
    run ./prog
    expect_out '^200$'
done
for linker in gold lld; do
    command -v ld.$linker >/dev/null || continue
    run "$AUGUR" cc -fuse-ld=$linker -shared -Wl,-z,defs pic.o -o libone.so
    expect_status 0
    run "$AUGUR" cc -fuse-ld=$linker main.o -L. -lone -Wl,-rpath,"$PWD" -o prog
    expect_status 0
    run ./prog
    expect_out '^200$'
done

check "-z defs still finds what is undefined"
echo 'int not_there(void); int f(void); int f(void) { return not_there(); }' >bad.c
run "$AUGUR" cc -fPIC -shared bad.c -o libbad.so
expect_status 0
rm -f libbad.so
run "$AUGUR" cc -fPIC -shared -Wl,-z,defs bad.c -o libbad.so
expect_status 1
expect_err "undefined reference to .not_there"
expect_true "one link only" [ "$(grep -c 'linker command failed' .lib/err)" -eq 1 ]
expect_no_file libbad.so

check "a version script that hides everything else"
echo '{ global: in_library; local: *; };' >script
run "$AUGUR" cc -shared -Wl,--version-script=script pic.o -o libone.so
expect_status 0
run "$AUGUR" cc main.o ./libone.so -o prog
expect_status 0
run ./prog
expect_out '^200$'

check "dlopen"
cat >opens.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *l = dlopen("./libone.so", RTLD_NOW);
    if (!l) {
        puts(dlerror());
        return 1;
    }
    int (*f)(int);
    *(void **)&f = dlsym(l, "in_library");
    return f(40);
}
END
for flag in "" -fuse-ld=gold -fuse-ld=lld; do
    [ -z "$flag" ] || command -v "ld.${flag#*=}" >/dev/null || continue
    run "$AUGUR" cc $flag -Wl,--gc-sections opens.c -o opens
    expect_status 0
    run ./opens
    expect_status 41
done

check "linker scripts"
echo 'SECTIONS { .mine : { *(.mine) } } INSERT AFTER .data;' >sections.ld
echo 'INPUT(lib.o)' >input.ld
run "$AUGUR" cc main.o input.ld -Wl,-T,sections.ld -o prog
expect_status 0
run ./prog
expect_out '^200$'

check "without the C library: no runtime, and a word about it"
cat >bare.c <<'END'
static int x;
void _start(void);
void _start(void) { x++; __asm__ volatile("mov $60, %eax; mov $5, %edi; syscall"); }
END
run "$AUGUR" cc -nostdlib -ffreestanding bare.c -o bare
expect_status 1
expect_err '^augur: the runtime was not added'
printf '.globl _start\n_start: mov $60, %%eax\nmov $5, %%edi\nsyscall\n.section .note.GNU-stack,"",@progbits\n' >bare.s
run "$AUGUR" cc -nostdlib bare.s -o bare
expect_status 0
run ./bare
expect_status 5

check "a program that defines what the runtime defines too"
cat >own.c <<'END'
#include <stddef.h>
static _Alignas(16) char pool[1 << 20];
static size_t used;
void *malloc(size_t n) { void *p = pool + used; used += (n + 15) & ~(size_t)15; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { char *q = malloc(n); for (size_t i = 0; p && i < n; i++) q[i] = ((char *)p)[i]; return q; }
int main(void) { char *p = malloc(8); return p >= pool && p < pool + sizeof pool ? 0 : 1; }
END
run "$AUGUR" cc -fno-builtin own.c -o own
expect_status 0
run ./own
expect_status 0

check "a failing link: the linker's words, clang's last one, its status"
echo 'int gone(void); int main(void) { return gone(); }' >undefined.c
run "$AUGUR" cc undefined.c -o prog
expect_status 1
expect_err "undefined reference to .gone"
expect_err '^clang-19: error: linker command failed with exit code 1 \(use -v to see invocation\)$'
run "$AUGUR" cc main.o -lno_such_library_here
expect_status 1
expect_err 'no_such_library_here'

check "temporary files are gone"
expect_true "an empty directory: $(ls "$TMPDIR")" [ -z "$(ls -A "$TMPDIR")" ]
