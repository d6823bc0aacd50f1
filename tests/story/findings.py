"""findings.py REPORT.json: one line a finding: kind, the older kind, status, lines, number of variants."""
import json
import sys

for f in json.load(open(sys.argv[1]))["findings"]:
    lines = ",".join(str(line) for line in sorted({e.get("line", 0) for e in f["events"]}))
    assert f["variants"] == len(f.get("folded", [])), f["id"]
    assert all(v["schedule"] and v["earlier_fingerprint"] for v in f.get("folded", [])), f["id"]
    print(f["kind"], f.get("also", "-"), f["status"], lines, f["variants"])
