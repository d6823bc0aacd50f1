#!/usr/bin/env bash
# tools/docs.sh [ROOT]: what our documents point at exists: the targets of
# Markdown links and paths in `backquotes` that begin with one of our directories.
# Paths with a placeholder (<name>, *, …) are left alone, and so are addresses.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

bad=0
while IFS= read -r doc; do
    dir=$(dirname "$doc")
    while IFS= read -r target; do
        target=${target%%#*}
        case $target in '' | *://* | mailto:*) continue ;; esac
        if [ ! -e "$dir/$target" ]; then
            echo "$doc: link to '$target', which does not exist"
            bad=1
        fi
    done < <(sed '/^```/,/^```/d' "$doc" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
    while IFS= read -r path; do
        case $path in *[\<\>*…{}\$]* | *NAME* | *...*) continue ;; esac
        path=${path%/}
        if [ ! -e "$path" ]; then
            echo "$doc: names '$path', which does not exist"
            bad=1
        fi
    done < <(sed '/^```/,/^```/d' "$doc" |
        grep -oE '`(src|rt|tests|tools|fuzz|docs|bench|examples|\.ci)/[^` ]*`' | tr -d '`')
done < <(find . -name '*.md' -not -path './build*' -not -path './.*' -not -path './node_modules/*')
exit $bad
