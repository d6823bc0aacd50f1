#!/usr/bin/env bash
# The HTML report as a file: of recordings, traces and models, with graphs, whole or not at all. What it
# does in a browser is in tests/browser.
. "$(dirname "$0")/lib.sh"

# The data in the page.
data_of() {
    awk 'sub(/.*<script type="application\/json" id="dossier">/, "") { inside = 1 }
         inside { end = sub(/<\/script>.*/, ""); print; if (end) exit }' "$1"
}
page() { # FILE INPUT OPTION...: a page with findings, and its data in FILE.json
    local file=$1
    shift
    run "$AUGUR" check --format html -o "$file" "$@"
    expect_status 1
    expect_true "a page" grep -q '^<!doctype html>$' "$file"
    expect_true "it ends" grep -q '^</html>$' "$file"
    data_of "$file" >"$file.json"
    expect_true "no markup in the data" [ "$(grep -c '<' "$file.json")" -eq 0 ]
    expect_true "an object" grep -q '^{"tool":"augur",.*}$' "$file.json"
}

check "of a recording: findings, orders, sources, both graphs"
augur_cc -g -O1 -pthread "$SRC/examples/first/bank.c" -o bank &&
    "$AUGUR" record --quiet -o bank.trace ./bank >/dev/null || fail "cannot be recorded"
page bank.html bank.trace
for part in '"id":"R1"' '"witness":\[' '"observed":\[' '"account.visits++;"\|    account.visits++;' \
    '"name":"causality graph","finding":"[0-9a-f]*"' '"name":"transaction sequence graph"'; do
    expect_true "$part" grep -q "$part" bank.html.json
done

check "the data are those of --format json"
run "$AUGUR" check --format json bank.trace
expect_status 1
expect_true "the same message" grep -qF \
    "$(sed -n 's/.*"message": \("race on .*"\).*/\1/p' "$TMP/.lib/out")" bank.html.json

check "of a model, with its graph"
page fig1.html "$SRC/tests/models/fig1.ctp"
expect_true "transactions" grep -q '"name":"transaction sequence graph"' fig1.html.json

check "of a text trace whose names are markup"
printf 'T1|w(</script><b>)|a.c:1\nT2|w(</script><b>)|a.c:2\n' >bad.std
page bad.html bad.std
expect_true "escaped" grep -qF '\u003c/script>\u003cb>' bad.html.json

check "of a stream, where there are no orders"
page stream.html --stream bad.std

check "of nothing that was found"
printf 'T1|w(x)|1\n' >fine.std
run "$AUGUR" check --format html -o fine.html fine.std
expect_status 0
expect_true "no finding" grep -q '"findings":\[\]' fine.html

check "a file that cannot be written is said"
run "$AUGUR" check --format html -o no/such/dir.html bad.std
expect_status 2
expect_err "no/such/dir.html"

check "many findings: graphs of the first ones only"
awk 'BEGIN { for (t = 1; t <= 2; t++) for (i = 0; i < 60; i++) printf "T%d|w(v%d)|f.c:%d\n", t, i, i + 1 }' >many.std
page many.html many.std
expect_true "24 graphs" [ "$(grep -o '"name":"causality graph"' many.html.json | wc -l)" -eq 24 ]
