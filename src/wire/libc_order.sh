#!/bin/sh
# wire/libc_order.sh SRC CC...: the numbers of the rows of wire/libc.def in the order of their names, for
# wire/libc.c to look them up by halving. SRC is the folder 'src', CC a C compiler with its options.
# SPDX-License-Identifier: MIT
set -e
src=$1
shift
# Names are taken as strings: what the compiler has macros for stays as it is written.
printf '%s\n' '#define F(name, ...) #name ;' '#define S(name, ...) #name ;' '#define B(...)' \
    '#include "wire/libc.def"' |
    "$@" -E -P -I "$src" -x c - | tr -d '" \n' | tr ';' '\n' |
    awk 'NF { print $1, n++ }' | LC_ALL=C sort | awk '{ print $2 "," }'
