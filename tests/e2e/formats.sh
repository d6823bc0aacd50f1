#!/usr/bin/env bash
# What 'augur check' writes for other programs: JSON with everything known of a finding, SARIF 2.1.0
# (validated against the published schema), JUnit XML.
. "$(dirname "$0")/lib.sh"

python=/usr/bin/python3

# ---- inputs: a race, a deadlock, an assertion, a model, a trace of others, a hostile one, nothing ----
build() { # NAME SOURCE
    augur_cc -g -O1 -pthread "$2" -o "$1" && "$AUGUR" record --quiet -o "$1.trace" "./$1" >/dev/null
}
check "programs are recorded"
sed "16s/.*//; 18s/.*//" "$SRC/examples/first/bank.c" >bank.c # only its race
cp "$SRC/examples/first/philosophers.c" "$SRC/examples/assertions/check_then_act.c" .
for n in bank philosophers check_then_act; do
    run build $n $n.c
    expect_status 0
done
cp "$SRC/tests/models/fig1.ctp" .
printf 'T1|acq(l)|1\nT1|w(x)|a.c:2\nT1|rel(l)|3\nT2|r(x)|b.c:5\n' >other.std
printf 'T1|w(x)|1\nT1|fork(T2)|2\nT2|r(x)|3\n' >clean.std
printf 'T<1>|w(x"\x27&{0}[a](b)\xff\x01</script>)|<a&"b>.c:2\nT2|r(x"\x27&{0}[a](b)\xff\x01</script>)|\xff\x02 c%%.c:5\n' >hostile.std
inputs="bank.trace philosophers.trace check_then_act.trace fig1.ctp other.std clean.std hostile.std"

check "every input in every format"
for f in json sarif junit; do
    for i in $inputs; do
        run "$AUGUR" check --format $f -o "$i.$f" "$i"
        expect_status $([ $i = clean.std ] && echo 0 || echo 1)
        expect_no_out
    done
done

# ---- JSON ----
check "JSON: the order of a finding, and what is known of its events"
cat >orders.py <<'END'
import json, sys

def order(name, f, events, left_out):
    last, skipped = {}, 0
    for e in events:
        # (an assertion has no event of its own: it comes with the one before it)
        assert e["index"] > last.get(e["thread"], 0) - (e["op"] == "assert"), (name, e)
        last[e["thread"]] = e["index"]
        skipped += e.get("skipped", 0)
    assert skipped == left_out, (name, skipped, left_out)

findings = 0
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        d = json.load(file)
    assert d["tool"] == "augur" and isinstance(d["findings"], list), name
    for f in d["findings"]:
        findings += 1
        assert len(f["fingerprint"]) == 16, name
        assert [e["decisive"] for e in f["events"]] == list(range(1, len(f["events"]) + 1)), name
        for key in "witness", "observed":
            order(name, f, f.get(key, []), f.get(key + "_left_out", 0))
        if f["status"] == "proved":
            told = [e["decisive"] for e in f["witness"] if "decisive" in e]
            assert sorted(told) == list(range(1, len(f["events"]) + 1)), (name, f["id"], told)
        # every thread gets as far as the schedule says, or further: to its decisive event
        if f["schedule"] and not f.get("witness_left_out"):
            for thread, upto in f["schedule"]:
                steps = [e["index"] for e in f["witness"] if e["thread"] == thread and "decisive" not in e]
                assert all(i <= max(u for t, u in f["schedule"] if t == thread) for i in steps), (name, thread)
assert findings > 8, findings
END
run $python orders.py $(printf '%s.json ' $inputs)
expect_status 0

check "JSON: functions, locks, values, lines of source"
run cat bank.trace.json
expect_out '"function": "deposit".*"decisive": 1, "source": "account.visits\+\+;"'
expect_out '"program": "/.*/bank"'
expect_out '^        "    account.visits\+\+;",$'
run cat philosophers.trace.json
expect_out '"held": \["fork_of\[[012]\]"\], "decisive": 3'
run cat check_then_act.trace.json
expect_out '"op": "write", "object": "balance", .*"value": -5'
run cat other.std.json
expect_out '"held": \["l"\], "decisive": 1'

# ---- fingerprints ----
prints() { # FILE: the fingerprints of its findings, sorted
    grep -oE '"fingerprint": "[0-9a-f]{16}"' "$1" | sort
}
check "fingerprints stay when lines move, in another schedule, in another build"
mkdir moved && { printf '/* a comment */\n\n\n' && cat bank.c; } >moved/bank.c
cd moved || exit 1
run build bank bank.c
expect_status 0
run "$AUGUR" check --format json -o moved.json bank.trace
expect_status 1
cd ..
expect_true "the line has moved" grep -q '"line": 24' moved/moved.json
for seed in 1 2 3; do
    "$AUGUR" record --quiet --schedule random --seed $seed -o other.trace ./bank >/dev/null
    "$AUGUR" check --format json -o "seed$seed.json" other.trace
    expect_true "seed $seed tells the same" [ "$(prints seed$seed.json)" = "$(prints bank.trace.json)" ]
done
expect_true "after the edit, too" [ "$(prints moved/moved.json)" = "$(prints bank.trace.json)" ]
expect_true "the race, and the update that is lost by it" [ "$(prints bank.trace.json | wc -l)" -eq 2 ]

check "a source that was changed after the run is told"
touch -d '+2 hours' moved/bank.c
cd moved || exit 1
run "$AUGUR" check --format json bank.trace
expect_out "'bank.c' was changed after the run was recorded"
cd ..
run cat bank.trace.json
expect_true "else nothing is said" [ "$(grep -c 'was changed after' bank.trace.json)" -eq 0 ]

# ---- SARIF ----
check "SARIF: both sides, a flow a thread, fingerprints"
run cat bank.trace.sarif
expect_out '"artifactLocation": \{"uri": "bank.c", "uriBaseId": "SRCROOT"\}'
expect_out '"SRCROOT": \{"uri": "file:///.*/"\}'
expect_out '"primaryLocationLineHash": "[0-9a-f]{16}:1"'
expect_true "three threads" [ "$(grep -cE '"id": "T[012]"' bank.trace.sarif)" -eq 3 ]

check "SARIF: valid by the published schema"
# Not kept here: the schema is OASIS's. Microsoft's package has it with the file's name of the time.
schema=$SRC/build/sarif/sarif-2.1.0-rtm.5.json
sum=2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8
why=''
$python -c 'import jsonschema' 2>/dev/null || why="python3-jsonschema is not installed"
if [ -z "$why" ] && ! echo "$sum  $schema" | sha256sum --quiet -c >/dev/null 2>&1; then
    mkdir -p "$SRC/build/sarif"
    timeout 120 npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0 >npm.log 2>&1 &&
        tar -xzf microsoft-jest-sarif-1.0.0-beta.0.tgz --strip-components=3 -C "$SRC/build/sarif" \
            package/lib/schemas/sarif-2.1.0-rtm.5.json ||
        why="npm cannot fetch @microsoft/jest-sarif: $(grep -m1 -iE 'err' npm.log)"
fi
if [ -n "$why" ]; then
    skip "$why"
else
    expect_true "it is the schema that was read when this was written" \
        [ "$(sha256sum <"$schema")" = "$sum  -" ]
    cat >schema.py <<'END'
import json, sys
import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft4Validator.check_schema(schema)
validator = jsonschema.Draft4Validator(schema)
bad = 0
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as file:
        log = json.load(file)
    for e in validator.iter_errors(log):
        bad += 1
        print(name, "/".join(map(str, e.absolute_path)), e.message[:200])
    # the validator does say no
    del log["runs"][0]["tool"]
    assert not validator.is_valid(log)
sys.exit(bad > 0)
END
    run $python schema.py "$schema" $(printf '%s.sarif ' $inputs)
    expect_status 0
    expect_no_out
fi

# ---- JUnit ----
check "JUnit: well-formed, and it counts right"
cat >junit.py <<'END'
import sys
import xml.etree.ElementTree as tree

for name in sys.argv[1:]:
    root = tree.parse(name).getroot()
    assert root.tag == "testsuites", name
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases) > 0, name
    assert int(suite.get("failures")) == sum(c.find("failure") is not None for c in cases), name
    assert int(suite.get("skipped")) == sum(c.find("skipped") is not None for c in cases), name
    assert (int(suite.get("failures")) > 0) == (not name.startswith("clean")), name
    assert len({(c.get("classname"), c.get("name")) for c in cases}) == len(cases), name
END
run $python junit.py $(printf '%s.junit ' $inputs)
expect_status 0
expect_no_err

check "a trace from a pipe: findings without schedules in every format"
for f in json sarif junit; do
    run_with other.std "$AUGUR" check --format $f -
    expect_status 1
    expect_out possible
done

# ---- confirmed findings: the witness is what happened ----
check "the witness of a confirmed finding is the replay's, values and all"
cat >confirmed.py <<'END'
import json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    d = json.load(file)
confirmed = [f for f in d["findings"] if f["status"] == "confirmed"]
assert confirmed, "nothing is confirmed"
for f in confirmed:
    assert f["replay"]["outcome"] == "confirmed", f["id"]
    memory = {}
    gap = False
    for e in f["witness"]:
        gap |= "skipped" in e
        plain = e["op"] in ("read", "write")
        assert not plain or "value" in e, (f["id"], e)
        # memory is sequentially consistent, so a read sees the last write
        if e["op"] == "read" and not gap:
            assert memory.get(e["object"], e["value"]) == e["value"], (f["id"], e)
        if plain:
            memory[e["object"]] = e["value"]
    told = sorted(e["decisive"] for e in f["witness"] if "decisive" in e)
    assert told == list(range(1, len(f["events"]) + 1)), (f["id"], told)
print(len(confirmed))
END
for n in bank philosophers check_then_act; do
    run "$AUGUR" run -q --no-explore --store "$n.store" ./$n
    expect_status 1
    run "$AUGUR" report --store "$n.store" --format json -o $n.json
    expect_status 0
    run $python confirmed.py $n.json
    expect_status 0
    expect_out '^[1-9]'
    for f in sarif junit perfetto; do
        run "$AUGUR" report --store "$n.store" --format $f -o $n.$f
        expect_status 0
    done
done
[ ! -e schema.py ] || run $python schema.py "$schema" bank.sarif philosophers.sarif check_then_act.sarif
expect_status 0
run $python junit.py bank.junit philosophers.junit check_then_act.junit
expect_status 0

check "annotations of a workflow: names below the root of the sources, %XX for what the commands mean"
mkdir -p project/.git project/src project/build
cp "$SRC/examples/first/bank.c" "project/src/bank, 1.c"
(
    cd project/build
    augur_cc -g -O1 -pthread "$PWD/../src/bank, 1.c" -o bank
    "$AUGUR" run --quiet --format github -o github.txt ./bank
    "$AUGUR" report --format sarif -o bank.sarif
) >/dev/null 2>&1
run cat project/build/github.txt
expect_out '^::error file=src/bank%2C 1\.c,line=21,title=augur R1%3A confirmed::race on .account\.visits.: T1 writes at .*%0A'
expect_true "a line a finding" test "$(grep -c "^::error" project/build/github.txt)" -eq 2
run cat project/build/bank.sarif
expect_out '"uri": "src/bank%2C%201\.c"'
expect_out '"uri": "file://.*/project/"'
expect_true "nothing but commands" test -z "$(grep -v '^::' project/build/github.txt)"
