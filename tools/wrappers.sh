#!/usr/bin/env bash
# tools/wrappers.sh BUILD-DIR|ARCHIVE [SRC]: the functions that the runtime defines before the C library's (the weak
# symbols of its archive, see rt/pack.sh) are those that the column 'runtime' of SRC/wire/libc.def calls WRAPS,
# STANDS or TELLS, one by one or as a family; and every such family has a member.
set -euo pipefail

archive=${1:?usage: tools/wrappers.sh BUILD-DIR|ARCHIVE [SRC]}
[ ! -d "$archive" ] || archive=$archive/libaugur_rt.a
src=${2:-$(dirname "$0")/../src}

defined=$(nm --defined-only -- "$archive" | awk 'NF == 3 && $2 == "W" { print $3 }' | LC_ALL=C sort -u)
if [ -z "$defined" ]; then
    echo "wrappers: no weak symbol in '$archive'" >&2
    exit 1
fi
# One line a row: its kind, 'WRAPS', 'STANDS', …, its name.
table=$(printf '%s\n' '#define F(name, runtime, ...) row #runtime #name ;' '#define S(name, runtime, ...) row #runtime #name ;' \
    '#define B(name, runtime, ...) family #runtime name ;' '#include "wire/libc.def"' |
    cc -E -P -I "$src" -x c - | tr -d '"\n' | tr ';' '\n')
{
    sed 's/^/symbol - /' <<<"$defined"
    echo "$table"
} | awk '
    $1 == "symbol" { defined[$3] = 1; n++ }
    $1 == "row" { row[$3] = $2 }
    $1 == "family" && stands($2) { family[$3] = 0 }
    function stands(kind) { return kind == "WRAPS" || kind == "STANDS" || kind == "TELLS" }
    END {
        for (name in defined) {
            of = ""
            for (begin in family)
                if (index(name, begin) == 1) {
                    of = begin
                    family[begin]++
                }
            if (of == "" && !(name in row)) {
                printf "the runtime defines \047%s\047, which has no row in wire/libc.def\n", name
                bad++
            } else if (of == "" && !stands(row[name])) {
                printf "the runtime defines \047%s\047; its row in wire/libc.def does not say so\n", name
                bad++
            }
        }
        for (name in row)
            if (stands(row[name]) && !(name in defined)) {
                printf "wire/libc.def: \047%s\047 is %s, but the runtime does not define it\n", name, row[name]
                bad++
            }
        for (begin in family)
            if (!family[begin]) {
                printf "wire/libc.def: of the family \047%s\047 the runtime defines nothing\n", begin
                bad++
            }
        if (bad) exit 1
        printf "%d functions before the C library\n", n
    }'
