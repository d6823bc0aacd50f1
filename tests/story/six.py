"""six.py SOURCE REPORT.json: are the findings the bugs that the source says it has?

A line 'BUG id kind name' in its head is a bug: one finding of this kind (or one that is also of this kind) names the object, or
says it; its story has every line that ends in @id. Prints what is wrong; nothing: all is right."""
import json
import re
import sys

lines = open(sys.argv[1]).read().splitlines()
report = json.load(open(sys.argv[2]))
bugs = [m.groups() for m in (re.match(r"[ /*]+BUG (\S+) (\S+) (\S+)$", l) for l in lines) if m]
left = [f for f in report["findings"] if not f.get("aside")]  # what is printed may differ by design


def fits(f, kind, name):
    return kind in (f["kind"], f.get("also")) and name in f["message"] + f.get("var", "") + json.dumps(f["story"])


if len(left) != len(bugs):
    print(f"{len(left)} findings of {len(bugs)} bugs:", [f["message"] for f in left])
for bug, kind, name in bugs:
    found = [f for f in left if fits(f, kind, name)]
    if len(found) != 1:
        print(f"{bug}: {len(found)} findings of kind {kind} with the name {name}")
        continue
    f = found[0]
    left.remove(f)
    shown = {l.get("line") for l in f["story"]}
    wanted = {i + 1 for i, l in enumerate(lines) if re.search(rf"@{bug}\b", l) and "BUG" not in l}
    if f["status"] != "confirmed":
        print(f"{bug}: is {f['status']}")
    if not wanted <= shown:
        print(f"{bug}: the story has not the lines", sorted(wanted - shown), "but", sorted(shown))
    if not 4 <= len(f["story"]) <= 9:
        print(f"{bug}: {len(f['story'])} lines of a story")
    told = json.dumps(f["story"]) + f["message"]
    for bad in ("_M_", "_vptr", "/usr/", "<augur>", "+0'"):
        if bad in told:
            print(f"{bug}: the story has '{bad}': {told}")
