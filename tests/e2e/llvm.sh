#!/usr/bin/env bash
# The LLVM module: programs of tests/code/programs, instrumented and linked with hooks
# that print what they are told, must print the same at every -O, and what stands in
# their .hooks file. The records in section .augurbc must survive everything that
# linkers and strip do.
. "$(dirname "$0")/lib.sh"

code=$SRC/tests/code
build=$(dirname "$AUGUR")

for program in "$code"/programs/*.hooks; do
    program=${program%.hooks}
    name=$(basename "$program")
    levels='O0 O1 O2 O3 Os'
    [ -z "$SANITIZED" ] || levels='O2'
    for level in $levels; do
        check "hooks of $name at -$level"
        run "$code/run.sh" "$program" "$level" "$TMP"
        expect_status 0
        expect_same .lib/out "$program.hooks"
    done
done

# What the records must still say after anything: one bitcode, one tables for each source.
records() {
    "$build/tests/code/records" "$@"
}
expect_records() {
    records "$1" >found.txt || fail "records of $1: $(tail -n 1 found.txt)"
    expect_true "$2 modules in $1" test "$(grep -c '^bitcode good$' found.txt)" -eq "$2"
    expect_true "$2 tables in $1" test "$(grep -c '^tables ' found.txt)" -eq "$2"
}

check "the clean module is in the object, and its plan is the same again"
"$code/run.sh" "$code/programs/branches.c" O2 "$TMP" >/dev/null
expect_records branches.c.o 1
records branches.c.o --sites --bitcode got | grep '^site' >sites.txt
expect_same got0.bc branches.c.clean.bc
run "$build/tests/code/replan" got0.bc
expect_status 0
expect_same .lib/out sites.txt
"$code/run.sh" "$code/programs/exceptions.cpp" O2 "$TMP" >/dev/null
records exceptions.cpp.o --sites --bitcode cpp | grep '^site' >sites.txt
run "$build/tests/code/replan" cpp0.bc
expect_same .lib/out sites.txt
expect_true "there are sites" test "$(wc -l <sites.txt)" -gt 50

check "records survive archives, ld -r, --gc-sections, strip and shared objects"
"$code/run.sh" "$code/programs/sizes.c" O2 "$TMP" >/dev/null
"$code/run.sh" "$code/programs/memory.c" O2 "$TMP" >/dev/null
objcopy --redefine-sym main=main2 --redefine-sym b=b2 memory.c.o second.o
ar rcs both.a sizes.c.o second.o
expect_records both.a 2
ld -r -o together.o sizes.c.o second.o
expect_records together.o 2
clang-19 -Wl,--gc-sections together.o stub.o -o gc.exe
expect_records gc.exe 2
clang-19 -Wl,--gc-sections sizes.c.o -Wl,--whole-archive both.a -Wl,--no-whole-archive \
    -Wl,--allow-multiple-definition stub.o -o archive.exe
expect_records archive.exe 3
cp gc.exe stripped.exe
strip stripped.exe
expect_records stripped.exe 2
run ./stripped.exe
expect_status 0
strip --strip-debug together.o
expect_records together.o 2
clang-19 -g -O1 -Xclang -disable-llvm-passes -emit-llvm -fPIC -c "$code/programs/memory.c" -o pic.bc
"$build/tests/code/instrument" "$build/augur-llvm.so" pic.bc pic.h.bc
clang-19 -O2 -fPIC -shared -Wl,--gc-sections pic.h.bc -o lib.so
strip lib.so
expect_records lib.so 1

check "variables and types come from debug information"
cat >tables.c <<'END'
typedef struct account {
    int id;
    long balance;
    struct { short low : 3, high : 5; };
    union { float f; unsigned u; } v;
    struct account *next;
} account;
account acct[4];
static double grid[2][3];
const char *const names[] = {"a"};
int main(void) {
    static int count;
    count++;
    grid[1][1] = 1;
    return acct[count].balance || names[0][0] != 'a';
}
END
run "$code/run.sh" "$TMP/tables.c" O1 "$TMP"
expect_status 0
STUB_TABLES=1 ./tables.c.exe >tables.txt
for line in 'global acct 128 tables.c:8 type ' 'global grid 48 tables.c:9 type ' \
    'global count 4 tables.c:12 type int' 'global names 8 tables.c:10 type ' \
    'type struct account kind 3 size 32 count 0' '  \.balance +8' '  \.low +16' '  \.v +20' \
    '  \.next +24' 'type  kind 2 size 24 count 3' 'type  kind 2 size 48 count 2'; do
    expect_true "tables say '$line'" grep -q "^$line" tables.txt
done

expect_true "string literals are not variables" test "$(grep -c '\.str' tables.txt)" -eq 0

check "without debug information there are still hooks"
clang-19 -O1 -Xclang -disable-llvm-passes -emit-llvm -c "$code/programs/sizes.c" -o bare.bc
run "$build/tests/code/instrument" "$build/augur-llvm.so" bare.bc bare.h.bc
expect_status 0
clang-19 -O2 bare.h.bc stub.o -o bare.exe
run ./bare.exe
expect_status 0
expect_out '^st4 main:0 7$'

check "debug information can be left out of the object"
run "$build/tests/code/instrument" "$build/augur-llvm.so" sizes.c.bc nodebug.bc --drop-debug
expect_status 0
clang-19 -O2 -c nodebug.bc -o nodebug.o
expect_true "no .debug_info" test "$(objdump -h nodebug.o | grep -c debug_info)" -eq 0
expect_records nodebug.o 1

check "what is not bitcode is refused, and nothing is written"
echo 'not bitcode' >text.bc
run "$build/tests/code/instrument" "$build/augur-llvm.so" text.bc text.h.bc
expect_status 2
expect_err "'text.bc' is not bitcode of LLVM 19"
expect_true "no output" test ! -e text.h.bc
head -c 2000 sizes.c.bc >cut.bc
run "$build/tests/code/instrument" "$build/augur-llvm.so" cut.bc cut.h.bc
expect_status 2
run "$build/tests/code/instrument" "$build/augur-llvm.so" missing.bc cut.h.bc
expect_status 2
expect_err "cannot read 'missing.bc'"
run "$build/tests/code/instrument" "$build/augur-llvm.so" sizes.c.bc no/such/dir.bc
expect_status 2
expect_err "cannot create 'no/such/dir.bc'"

check "an empty source stays empty"
: >empty.c
clang-19 -O1 -Xclang -disable-llvm-passes -emit-llvm -c empty.c -o empty.bc
run "$build/tests/code/instrument" "$build/augur-llvm.so" empty.bc empty.h.bc
expect_status 0
clang-19 -c empty.h.bc -o empty.o
expect_true "no symbols" test -z "$(nm empty.o 2>/dev/null)"
