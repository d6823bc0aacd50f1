#!/usr/bin/env bash
# tools/symbols.sh BUILD-DIR|FILE.a...: every global symbol that our static
# libraries define begins with au_ (the runtime's archive has rules of its own).
set -euo pipefail

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
