#!/usr/bin/env bash
# tools/format.sh: C files are as clang-format (Debian 12's, version 14) leaves
# them. Status 77 if it is not there: other versions format differently.
# 'tools/format.sh -i' formats them.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=''
for t in clang-format clang-format-14; do
    if command -v $t >/dev/null && $t --version | grep -q 'version 14\.'; then
        tool=$t
        break
    fi
done
if [ -z "$tool" ]; then
    echo "clang-format 14 is not installed"
    exit 77
fi
find . -name '*.[ch]' -not -path './build*' -not -path './.*' -print0 | xargs -0 -r $tool "${@:---dry-run}" -Werror
