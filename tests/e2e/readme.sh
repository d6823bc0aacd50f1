#!/usr/bin/env bash
# The commands of README.md and docs/symbolic.md run and print what is shown. A block to run is
#
#     <!-- run -->            (or <!-- run: 1 --> for exit status 1)
#     ```sh
#     build/augur ...
#     ```
#
# and a ```text block after <!-- output --> must be exactly what the block
# before it printed, except that a line '...' stands for any lines.
. "$(dirname "$0")/lib.sh"

# The blocks see the tree as a reader does who stands at its top.
mkdir build
ln -s "$AUGUR" build/augur
ln -s "$SRC/tests" tests
ln -s "$SRC/examples" examples

cat "$SRC/README.md" "$SRC/docs/symbolic.md" | awk '
    /^<!-- run(: [0-9]+)? -->$/ { n++; kind = "sh"; status = $3 == "-->" ? 0 : $3 + 0; print status > ("block-" n ".status"); next }
    /^<!-- output -->$/ { kind = "out"; next }
    /^```/ && kind != "" && !inside { inside = 1; file = "block-" n "." kind; printf "" > file; next }
    /^```/ && inside { inside = 0; kind = ""; close(file); next }
    inside { print > file }
'

# matches EXPECTED ACTUAL: line by line, '...' skips to the next line that fits.
matches() {
    awk -v actual="$2" '
        BEGIN { while ((getline line < actual) > 0) have[++n] = line; at = 1 }
        $0 == "..." { skipping = 1; next }
        {
            if (skipping)
                while (at <= n && have[at] != $0)
                    at++
            skipping = 0
            if (at > n || have[at] != $0) { bad = 1; exit }
            at++
        }
        END { exit bad || (!skipping && at <= n) }
    ' "$1"
}

n=0
for script in $(find . -maxdepth 1 -name 'block-*.sh' | sort -V); do
    n=$((n + 1))
    block=${script%.sh}
    check "block $n: $(head -n 1 "$script")"
    run bash -e "$script"
    expect_status "$(cat "$block.status")"
    if [ -e "$block.out" ]; then
        matches "$block.out" "$TMP/.lib/out" ||
            fail "the text shows something else: $(diff "$block.out" "$TMP/.lib/out" | head -10)"
    fi
done

check "README has commands to run"
expect_true "at least three blocks" [ "$n" -ge 3 ]
