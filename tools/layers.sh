#!/usr/bin/env bash
# tools/layers.sh [ROOT]: checks that a layer includes only itself and layers
# before it in this list, that 'wire' and 'rt' stand alone, and that a private
# header (*_priv.h) stays in its layer. Includes are written from src/.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

layers="base wire trace model linear graph tsg solve witness oracle front scan report store funnel explore scale cli api"

mapfile -t files < <(find src rt -name '*.[ch]' 2>/dev/null | sort)
if [ ${#files[@]} -eq 0 ]; then
    echo "layers: no source in src or rt"
    exit 1
fi
awk -v layers="$layers" '
    BEGIN { n = split(layers, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
    function complain(what) {
        printf "%s:%d: %s\n", FILENAME, FNR, what
        bad++
    }
    FNR == 1 {
        split(FILENAME, part, "/")
        mine = part[1] == "rt" ? "rt" : part[2]
        if (mine != "rt" && !(mine in rank)) {
            complain("\047src/" mine "\047 is not a layer that tools/layers.sh knows")
            nextfile
        }
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        target = quoted[2]
        if (target !~ /^[a-z0-9_]+\/[A-Za-z0-9_.\/-]+$/) {
            complain("include \047" target "\047 is not written as layer/file.h")
            next
        }
        theirs = target
        sub(/\/.*/, "", theirs)
        if (mine == "rt") {
            if (theirs != "rt" && theirs != "wire")
                complain("rt may include only wire, not \047" target "\047")
        } else if (!(theirs in rank)) {
            complain("include \047" target "\047 names no layer")
        } else if (mine == "wire" && theirs != "wire") {
            complain("wire includes nothing of ours, not \047" target "\047")
        } else if (rank[theirs] > rank[mine]) {
            complain(mine " may not include \047" target "\047: " theirs " stands below it")
        }
        if (theirs != mine && target ~ /_priv\.h$/)
            complain("private header \047" target "\047 used outside its layer")
    }
    END {
        if (bad) exit 1
    }
' "${files[@]}"
