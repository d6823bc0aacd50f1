#!/usr/bin/env bash
# tools/symbols.sh sees a global symbol without the prefix.
. "$(dirname "$0")/../e2e/lib.sh"

library() {
    rm -f ./*.o ./*.a
    printf '%s\n' "$1" >a.c
    gcc -c a.c && ar rcs liba.a a.o
    run bash "$SRC/tools/symbols.sh" .
}

check "prefixed and static names are fine"
library 'int au_x; static int y; int au_f(void) { return y++; }'
expect_status 0
expect_out "^2 global symbols"

check "a function without the prefix is found"
library 'int au_x; int helper(void) { return 1; }'
expect_status 1
expect_out "helper"

check "a variable without the prefix is found"
library 'int counter = 3;'
expect_status 1
expect_out "counter"

check "two libraries are looked at, and only their symbols"
library 'int au_x;'
printf 'int au_z;\n' >b.c
gcc -c b.c && ar rcs libb.a b.o
run bash "$SRC/tools/symbols.sh" .
expect_status 0
expect_out "^2 global symbols"
printf 'int zebra;\n' >b.c
gcc -c b.c && ar rcs libb.a b.o
run bash "$SRC/tools/symbols.sh" .
expect_status 1
expect_out "libb.a:b.o:.* zebra$"

check "no library at all is not a pass"
rm -f ./*.a
run bash "$SRC/tools/symbols.sh" .
expect_status 1

# types FILE TEXT: a tree with that file and one that defines au_list and au_fn
types() {
    mkdir -p tree/src/base tree/src/trace
    printf 'typedef struct {\n    int x;\n} au_list;\ntypedef void au_fn(void *au_ctx);\ntypedef struct au_map au_map;\n' \
        >tree/src/base/a.h
    printf '%s\n' "$1" >tree/src/trace/b.h
    run bash "$SRC/tools/symbols.sh" --types tree
}

check "types with names of their own are fine, and so are their uses"
types 'typedef AU_VEC(au_list) au_lists;
typedef au_list *au_find_fn(const au_map *m);
struct au_map { int n; };'
expect_status 0
expect_no_out

check "a type name defined twice is found, however it is defined"
for text in 'typedef enum { A } au_list;' 'typedef AU_VEC(int) au_list;' 'typedef struct au_list au_list;' \
    'typedef int au_list(int x);' 'typedef struct {
} au_list;'; do
    types "$text"
    expect_status 1
    expect_out "^src/trace/b.h:[12]: type 'au_list' is also defined at src/base/a.h:3"
done
types 'typedef int au_fn(int x);'
expect_status 1
