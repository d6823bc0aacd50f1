# bench/paper.awk: cells of bench/papers.txt; -v table=symbolic.1 -v row=banking-2 -v columns='threads length'.
# Prints them in one line; a table, row or column that is not there ends the benchmark.
$1 == "@" { inside = $2 == table; if (inside) { found = 1; for (i = 3; i <= NF; i++) at[$i] = i - 2 } next }
inside && $1 == row {
    hit = 1
    n = split(columns, want, " ")
    for (i = 1; i <= n; i++) {
        if (!(want[i] in at)) { print "papers: table " table " has no column '" want[i] "'" >"/dev/stderr"; bad = 1 }
        line = line (i > 1 ? " " : "") $(at[want[i]])
    }
    print line
    exit
}
END {
    if (!found) print "papers: no table " table >"/dev/stderr"
    else if (!hit) print "papers: table " table " has no row '" row "'" >"/dev/stderr"
    exit bad || !hit
}
