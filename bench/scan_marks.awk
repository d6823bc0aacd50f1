# bench/scan_marks.awk: the marks in a program of examples/scan (its README) against what
# 'augur scan --all --format json' says. First file: the source; second: the JSON.
# Prints: REAL SHOWN LOST BOGUS REMOVED-BY-BOX BY-OCTAGON BY-POLYHEDRON BY-SOLVER
# REAL: every pair of lines that is marked so; LOST: those of them that no warning is left of.
# BOGUS: pairs of lines that locksets warn about and no run has at once.
function mark(kind, name, line) {
    n[kind, name]++
    at[kind, name, n[kind, name]] = line
    kinds[kind, name] = kind
}
function order(a, b) { return a < b ? a " " b : b " " a }
FNR == 1 { file++ }
file == 1 && /\/\/ race: / {
    text = $0
    sub(/.*\/\/ race: /, "", text)
    parts = split(text, part, /, */)
    for (i = 1; i <= parts; i++) {
        split(part[i], word, " ")
        kind = word[1]
        if (kind == "bogus1") kind = "bogus"
        if (kind == "real2") continue
        mark(kind, word[2], FNR)
    }
}
file == 2 && /"status": / { status = $2; gsub(/[",]/, "", status); what = "" }
file == 2 && /"what": / { what = $2; gsub(/[",]/, "", what) }
file == 2 && /"message": "race on/ {
    line[1] = line[2] = 0
    rest = $0
    for (i = 1; i <= 2 && match(rest, /:[0-9]+[,"]/); i++) {
        line[i] = substr(rest, RSTART + 1, RLENGTH - 2) + 0
        rest = substr(rest, RSTART + RLENGTH)
    }
    p = order(line[1], line[2])
    warned[p] = warned[p] || !(status == "refuted" && (what == "must-hb" || what == "lockset"))
    if (status == "proved" || status == "confirmed") shown[p] = 1
    if (status != "refuted") left[p] = 1
    else if (!(p in by) || rank(what) > rank(by[p])) by[p] = what
}
function rank(stage) { return index("must-hb lockset graph box octagon polyhedron solver", stage) }
END {
    for (key in kinds) {
        split(key, k, SUBSEP)
        count = n[k[1], k[2]]
        for (i = 1; i <= count; i++)
            for (j = count == 1 ? i : i + 1; j <= count; j++) {
                p = order(at[k[1], k[2], i], at[k[1], k[2], j])
                if (k[1] == "real") {
                    real++ # also if locksets, or nobody at all, never warned: then it is lost
                    ok += (p in shown)
                    lost += !(p in left)
                } else if (p in warned && warned[p]) {
                    bogus++
                    if (!(p in left)) {
                        r = rank(by[p])
                        box += r <= rank("box")
                        oct += r <= rank("octagon")
                        poly += r <= rank("polyhedron")
                        solver++
                    }
                }
            }
    }
    print real + 0, ok + 0, lost + 0, bogus + 0, box + 0, oct + 0, poly + 0, solver + 0
}
