#!/usr/bin/env bash
# tools/layers.sh [ROOT]: checks that a layer includes only itself and layers
# before it in src/layers.txt, that 'wire' and 'rt' stand alone, that 'api' does not
# include 'cli', that 'engine' neither prints nor exits, and that a private header
# (*_priv.h) stays in its layer; includes are written from src/. And that the lists
# in ARCHITECTURE.md and CONTRIBUTING.md are those of src/layers.txt.
# tools/layers.sh --write: writes these lists.
# tools/layers.sh --list: prints the names of the layers.
set -euo pipefail
mode=check
case ${1:-} in
--write | --list)
    mode=${1#--}
    shift
    ;;
esac
cd "${1:-$(dirname "$0")/..}"

layers=$(awk '!/^#/ && NF { printf "%s%s", sep, $1; sep = " " }' src/layers.txt)
if [ "$mode" = list ]; then
    echo "$layers"
    exit 0
fi

# Everything between '<!-- layers -->' and '<!-- end of layers -->' is made here.
map() {
    echo '| folder | what it holds |'
    echo '|---|---|'
    awk '!/^#/ && NF { name = $1; sub(/^[^ ]+ +/, ""); printf "| `src/%s` | %s |\n", name, $0 }' src/layers.txt
    echo '| `rt` | the recorder inside recorded programs (MIT); includes only `src/wire` |'
}
names() { fold -s -w 90 <<<"$layers" | sed 's/ *$//; s/^/    /'; }
# document FILE: its text with the lists made anew
document() {
    case $1 in ARCHITECTURE.md) made=$(map) ;; *) made=$(names) ;; esac
    MADE=$made awk '
        /^<!-- end of layers -->$/ { inside = 0 }
        !inside { print }
        /^<!-- layers -->$/ { inside = 1; print ENVIRON["MADE"] }' "$1"
}
bad=0
for doc in ARCHITECTURE.md CONTRIBUTING.md; do
    [ -e $doc ] || continue
    if [ "$mode" = write ]; then
        document $doc >$doc.new
        mv $doc.new $doc
    elif ! grep -q '^<!-- layers -->$' $doc || ! document $doc | cmp -s - $doc; then
        echo "$doc: its list of layers is not that of src/layers.txt: run tools/layers.sh --write"
        bad=1
    fi
done
[ "$mode" = check ] || exit 0

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
            complain("\047src/" mine "\047 is not a layer of src/layers.txt")
            nextfile
        }
    }
    # What the engine does is for the C interface as well, where nobody reads and nothing may end.
    mine == "engine" && (/(^|[^A-Za-z0-9_])(v?printf|puts|putchar|perror|_?exit)[ ]*\(/ ||
        /(^|[^A-Za-z0-9_])f(printf|puts|write)[ ]*\(.*std(out|err)/) {
        complain("engine prints nothing and does not exit: hand it to the caller")
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
        if (mine == "api" && theirs == "cli")
            complain("api stands on engine and needs no cli, not \047" target "\047")
        if (theirs != mine && target ~ /_priv\.h$/)
            complain("private header \047" target "\047 used outside its layer")
    }
    END {
        if (bad) exit 1
    }
' "${files[@]}" || bad=1
exit $bad
