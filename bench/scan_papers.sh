# bench/scan_papers.sh: the tables of Kahlon et al. 2009 beside the table of part_scan.sh (which sources it; its rows are in
# $dir/scan-rows).
# The paper's drivers are of Linux kernels of 2008, sliced and closed by hand; neither slices nor environments were
# published. So its rows stand alone; what is re-created is figure 1 and the kind of code.
cat <<EOF

## Kahlon et al. 2009, table 1: warnings on Linux drivers

The paper's programs are drivers, cut out and closed by hand, which are not to be had; its rows stand by themselves. Only ctrace, a logging
library, has a kin here, written anew after its idea. The last row is the sum over all programs of the table above.

| driver | KLOC | shared variables | warnings | lockset, s | after invariants | invariants, s | witnessed | unknown |
|---|---|---|---|---|---|---|---|---|
EOF
for scan_row in $(paper_rows semantic.1); do
    p=$(paper semantic.1 "$scan_row" kloc shared warnings lockset_s invariants invariants_s witnessed unknown)
    again=' (not re-created)'
    case $scan_row in ctrace) again='' ;; TOTAL) again=' of the nine' ;; esac
    echo "| paper, $scan_row$again | ${p// / | } |"
    [ "$scan_row" != ctrace ] || awk -F '|' '$2 ~ /ctrace/ { print "| ours, ctrace.c (kin) | | |" $3 "| |" $6 "|" $9 "|" $7 "|" $8 "|" }' "$dir/scan-rows"
done
awk -F '|' '{ w += $3; i += $6; s += $7; o += $8; t += $9 } END { printf "| ours, all of examples/scan | | | %d | | %d | %.2f | %d | %d |\n", w, i, t, s, o }' "$dir/scan-rows"
cat <<EOF

## Kahlon et al. 2009, table 2: model checking what is left

Also of the paper alone: the depth of the error trace, seconds, MB. Ours are 'solver s' and 'witnessed' of the first table, all
warnings of a program together.

| warning | depth | paper, s | paper, MB |
|---|---|---|---|
EOF
for scan_row in $(paper_rows semantic.2); do
    p=$(paper semantic.2 "$scan_row" depth s mb)
    echo "| paper, $scan_row (not re-created) | ${p// / | } |"
done
