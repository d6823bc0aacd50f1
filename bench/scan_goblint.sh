# bench/scan_goblint.sh: the static half on the public Goblint benchmark collection (repository goblint/bench, folder
# pthread); sourced by part_scan.sh. The programs are not part of augur: GOBLINT_PTHREAD names the folder, and without it
# this is skipped, visibly. Each has 60 seconds and is not executed. Memory is of all processes together (scan_watch).
goblint_names=(ctrace_comb pfscan_comb aget_comb ptester knot_comb smtprc_comb ypbind_comb zebedee_comb automount_comb zfs-fuse_comb)
if [ -z "${GOBLINT_PTHREAD:-}" ] || [ ! -d "$GOBLINT_PTHREAD" ]; then
    echo "skipped: programs of goblint/bench: GOBLINT_PTHREAD does not name the folder 'pthread' of that repository" >&2
else
    echo
    echo "### Programs of the Goblint collection, scanned"
    echo
    echo "What is left after each stage, as pairs of lines; \`augur scan --no-replay --budget 60 FILE -- -w\`."
    echo
    echo "| program | lines | steps | conflicting pairs | after fork/join | after locksets | after invariants | witnessed | undecided | s | MiB |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    for name in "${goblint_names[@]}"; do
        file=$GOBLINT_PTHREAD/$name.c
        [ -f "$file" ] || continue
        scan_begun=$EPOCHREALTIME scan_status=0
        "$AUGUR" scan --no-replay --budget 60 --format json -o "$dir/scan.json" "$file" -- -w 2>"$dir/scan.said" &
        scan_pid=$!
        scan_watch "$dir/scan.memory" $scan_pid &
        wait $scan_pid || scan_status=$?
        s=$(awk -v a="$scan_begun" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
        wait $!
        if [ "$scan_status" = 2 ]; then
            echo "| $name | $(wc -l <"$file") | not read: $(tail -n 1 "$dir/scan.said") | | | | | | | $(seconds "$s") | |"
            continue
        fi
        goblint_field() { sed -n "s/.*\"race\": {.*\"$1\": \([0-9]*\).*/\1/p" "$dir/scan.json" | head -n 1; }
        steps=$(sed -n 's/.* threads, \([0-9]*\) steps.*/\1/p' "$dir/scan.json" | head -n 1)
        after=$(goblint_field interval)
        [ -n "$after" ] || after=$(goblint_field lockset)
        shown=$(grep -c '"status": "proved"' "$dir/scan.json" || true)
        open=$(grep -c '"status": "possible"' "$dir/scan.json" || true)
        echo "| $name | $(wc -l <"$file") | $steps | $(goblint_field candidates) | $(goblint_field must-hb) | $(goblint_field lockset) | $after | $shown | $open | $(seconds "$s") | $(($(cat "$dir/scan.memory") / 1024)) |"
    done
fi
