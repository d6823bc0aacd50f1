#!/usr/bin/env bash
# tools/symbols.sh BUILD-DIR|FILE.a...: every global symbol that our static
# libraries define begins with au_ (the runtime's archive has rules of its own).
# tools/symbols.sh --types [ROOT]: no type name au_… of src and rt is defined twice, so that one name
# means one thing in the whole tree. Names of a single .c file, without the prefix, are its own.
set -euo pipefail

if [ "${1:-}" = --types ]; then
    cd "${2:-$(dirname "$0")/..}"
    mapfile -t files < <(find src rt -name '*.[ch]' 2>/dev/null | sort)
    awk '
        function defined(name) {
            n++
            if (name in where) {
                printf "%s:%d: type \047%s\047 is also defined at %s\n", FILENAME, FNR, name, where[name]
                bad = 1
            } else
                where[name] = FILENAME ":" FNR
        }
        /^typedef.*[ *)]au_[a-z0-9_]+(;|\()/ {
            line = $0
            sub(/^typedef .*[ *)]au_/, "au_", line) # the last au_ name before ; or (
            rest = $0
            if (match(rest, /[ *)]au_[a-z0-9_]+\(/) && rest !~ /AU_VEC\(.*\) au_[a-z0-9_]+;/)
                name = substr(rest, RSTART + 1, RLENGTH - 2)
            else {
                name = line
                sub(/[^a-z0-9_].*/, "", name)
            }
            defined(name)
            next
        }
        /^} au_[a-z0-9_]+;/ { name = $2; sub(/;.*/, "", name); defined(name) }
        END {
            if (!n) print "symbols: no type in src or rt"
            exit bad || !n
        }' "${files[@]:-/dev/null}"
    exit
fi

files=()
for arg in "$@"; do
    if [ -d "$arg" ]; then
        while IFS= read -r f; do files+=("$f"); done < <(find "$arg" -name '*.a' ! -name libaugur_rt.a | sort)
    else
        files+=("$arg")
    fi
done
if [ ${#files[@]} -eq 0 ]; then
    echo "symbols: no static library in: $*" >&2
    exit 1
fi
bad=$(nm -A -g --defined-only -- "${files[@]}" | awk 'NF == 3 && $3 !~ /^au_/')
n=$(nm -g --defined-only -- "${files[@]}" | awk 'NF == 3' | wc -l)
if [ -n "$bad" ]; then
    echo "global symbols without the prefix au_:"
    echo "$bad"
    exit 1
fi
if [ "$n" -eq 0 ]; then
    echo "symbols: no global symbol at all in: ${files[*]}"
    exit 1
fi
echo "$n global symbols"
