#!/usr/bin/env bash
# bench/run.sh, bench/report.py and bench/growth.py on planted parts and numbers: nothing is measured here.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir -p parts out
cat >parts/part_trace.sh <<'END'
cat <<EOF2

## Planted

What is measured: nothing. \`true\`
EOF2
headed compared
row "quick enough" "<=" 2 s 1.50 1.4 "3 × cp"
row "too slow <b>" "<=" 2 s 2.50 2.4 ''
row "not judged" ">=" - "M events/s" 7 '' ''
cat <<'EOF2'

| model | ours, s | paper, s |
|---|---|---|
| one | 0.5 | <1 |
| two | 12 | TO |
<!-- plot: bars columns="ours, s|paper, s" log -->
EOF2
END
cat >parts/part_linear.sh <<'END'
echo
echo "## Half of it"
echo
echo "| a | b |"
echo "|---|---|"
echo "| x | 1 |"
false
echo "| y | 2 |"
END
sed 's/1.50/1.75/' parts/part_trace.sh >parts/part_graph.sh
bench() { run env AUGUR="$AUGUR" BENCH_PARTS="$TMP/parts" BENCH_OUT="$TMP/out" bash "$SRC/bench/run.sh" "$@"; }
json() { # EXPRESSION of d: must be true
    python3 -c 'import json, sys; d = json.load(open("out/results.json")); sys.exit(not eval(sys.argv[1]))' "$1" || fail "results.json: $1"
}

check "a part that is not there is refused"
bench nosuch
expect_status 2
expect_err "no part 'nosuch'"
expect_err "parts: trace linear"

check "one part: Markdown on standard output, a page, JSON"
bench trace
expect_status 0
expect_out "^\| quick enough \| <= 2 s \| 1.50 s \| 1.4 \| 3 × cp \| PASS \|$"
expect_out "targets missed: 1"
json 'd["parts"][0]["part"] == "trace" and d["parts"][0]["status"] == 0 and d["parts"][0]["missed"] == 1'
json 'all(d["parts"][0]["versions"].get(k) for k in ("augur", "gcc", "clang", "valgrind", "cadical", "z3"))'
json '[r for r in d["records"] if r["row"] == "quick enough" and r["column"] == "measured"] == [{"part": "trace", "section": "Planted", "row": "quick enough", "column": "measured", "value": 1.5, "unit": "s", "target": "<= 2 s", "verdict": "PASS"}]'
json 'any(r["row"] == "two" and r["value"] == 12 and r["unit"] == "s" for r in d["records"])'
json 'not any(r["row"] == "two" and r["column"] == "paper, s" for r in d["records"])'
grep -q "<section id='trace'>" out/index.html || fail "no section"
grep -q "<svg .*</svg>" out/index.html || fail "no picture"
grep -q "too slow &lt;b&gt;" out/index.html || fail "text is not quoted"
grep -qE "(src|href)=['\"]?(http|//)" out/index.html && fail "the page needs another file"
python3 - <<'END' || fail "the page is not well formed"
from html.parser import HTMLParser
void, stack = {"meta", "br", "hr", "link"}, []
class P(HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag not in void: stack.append(tag)
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag): assert stack.pop() == tag, tag
p = P(); p.feed(open("out/index.html", encoding="utf-8").read()); assert not stack, stack
END
grep -q "^### Planted$" out/benchmarks.md || fail "no section in the Markdown"

check "--strict: a missed target is a failure"
bench --strict trace
expect_status 1

check "a part that fails loses nothing but itself, and the status tells"
bench linear graph
expect_status 1
expect_err "failed: linear"
json '[p["part"] for p in d["parts"]] == ["trace", "linear", "graph"]'
json '[p["status"] for p in d["parts"]] == [0, 1, 0]'
json 'any(r["part"] == "graph" and r["value"] == 1.75 for r in d["records"])'
grep -q "This part failed with status 1" out/index.html || fail "the page does not say so"
grep -q "This part failed with status 1" out/benchmarks.md || fail "the Markdown does not say so"
grep -q "^| y | 2 |" out/benchmarks.md && fail "the part went on after its failure"

check "a part run again keeps the others, with their dates"
sed -i 's/^date: .*/date: 2001-02-03 04:05 UTC/' out/parts/trace.info
bench graph
expect_status 0
json 'd["parts"][0]["date"].startswith("2001") and not d["parts"][2]["date"].startswith("2001")'
grep -q "2001-02-03" out/benchmarks.md || fail "the old date is gone"

# lines EXPONENT NOISE: a stage that grows so, over five sizes
lines() {
    awk -v e="$1" -v noise="$2" 'BEGIN { print "s base 0 5000000 0.01 9000"
        for (k = 0; k < 5; k++) { n = 1000 * 2 ^ k; f = 1 + noise * (k % 2 ? 1 : -1)
            printf "s events %d %.0f %.3f %.0f\n", n, 5000000 + f * 9000 * n ^ e, 0.5 * n / 1000, 9000 + f * 20 * n } }'
}
cat >growth.txt <<'END'
# planted
full s events work 1.00 0.2
full s events memory 1.00 0.2
END
growth() { run python3 -B "$SRC/bench/growth.py" "$@"; }

check "growth: the exponent is fitted, what it costs to start is taken off"
lines 1 0 >measured
growth tell full measured growth.txt
expect_status 0
expect_out "^\| s, events: work \| 1000 … 16000 \| <= 1.20 \| 1.00 \| 1.0. \| 1.00 \| PASS \|$"
expect_out "^\| s, events: memory .* 1.00 .* PASS \|$"
expect_out '^<!-- plot: growth y="million instructions" -->$'

check "growth: 0.3 more is caught, 0.15 is not"
lines 1.3 0 >measured
growth tell full measured growth.txt
expect_out "^\| s, events: work .* \| 1.30 \| .* MISS \|$"
lines 1.15 0 >measured
growth tell full measured growth.txt
expect_out "^\| s, events: work .* \| 1.15 \| .* PASS \|$"

check "growth: noise of a tenth is not"
lines 1 0.1 >measured
growth tell full measured growth.txt
expect_out "^\| s, events: work .* PASS \|$"
expect_out "^\| s, events: memory .* PASS \|$"

check "growth: what does not grow has the exponent 0, whatever its noise"
printf 's base 0 7000000 0.01 9000\ns events 1 7100000 0.01 9100\ns events 2 7900000 0.01 9900\ns events 4 7050000 0.01 9200\n' >measured
growth tell full measured growth.txt
expect_out "^\| s, events: work .* \| 0.00 \| .* PASS \|$"

check "growth: what the baseline does not know is a miss until it is written there"
lines 1 0 | sed 's/^s /new /' >measured
growth tell full measured growth.txt
expect_out "^\| new, events: work .* none \| MISS \|$"
growth update full measured growth.txt
expect_status 0
growth tell full measured growth.txt
expect_out "^\| new, events: work .* PASS \|$"
grep -q "^# planted$" growth.txt || fail "the comment is gone"

check "growth: bad files are told"
echo "s events 1 2" >measured
growth tell full measured growth.txt
expect_status 1
expect_err "measured:1: six words wanted"
echo "full s events speed 1 0.2" >growth.txt
lines 1 0 >measured
growth tell full measured growth.txt
expect_status 1
expect_err "growth.txt:1: wanted"

check "the committed baseline can be read, and has both modes"
run python3 -B -c 'import sys; sys.path.insert(0, sys.argv[1]); import growth
b = growth.read_baseline(sys.argv[1] + "/growth.txt"); print(*sorted({k[0] for k in b}), len(b))' "$SRC/bench"
expect_status 0
expect_out "^full quick [0-9]{2,}$"

check "every number of the papers has its table and row"
for cell in "tsg.1 index4 p_s 275" "meta.1 tsp-11M s 12.58" "symbolic.1 indexer-25a predict 26.1" "symbolic.2 bank-nav-8 s 140.6" \
    "symbolic.3 account.Main-902 real 2" "semantic.1 TOTAL invariants 24" "semantic.2 ctrace-3 s 2303" "nondet.A1 DaisyTest s 244"; do
    read -r table row column value <<<"$cell"
    run awk -f "$SRC/bench/paper.awk" -v table="$table" -v row="$row" -v columns="$column" "$SRC/bench/papers.txt"
    expect_out "^$value$"
done
run awk '$1 == "@" { n = NF - 2; next } NF && $1 !~ /^#/ && NF != n { print; bad = 1 } END { exit bad }' "$SRC/bench/papers.txt"
expect_status 0
run awk -f "$SRC/bench/paper.awk" -v table=tsg.1 -v row=cp1 -v columns=nosuch "$SRC/bench/papers.txt"
expect_status 1
expect_err "no column 'nosuch'"
