#!/usr/bin/env python3
"""Races that ThreadSanitizer sees in plain runs are among augur's findings.

Each program of recall.list is compiled by clang with -fsanitize=thread and run some times; every pair of lines
that it reports is looked for among what one 'augur run' of the program says (any kind, any status, all
findings). A pair that is not there needs a line in recall.list that explains it.

  recall.py [--runs N] [--only NAME] [--augur PATH] [--sources DIR]

Exit status 1 if a pair is missing and not explained. An explained pair that augur does report is named: its
explanation may be out of date."""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


class Entry:
    """program NAME: what to compile, behind '--' its arguments; 'prepare DIRECTORY: a command', 'options OPTIONS'
    and 'explained LINE LINE: why' lines follow."""

    def __init__(self, name, text):
        self.name = name
        build, _, args = text.partition(" -- ")
        self.build, self.args = shlex.split(build), shlex.split(args)
        self.explained = {}
        self.prepare = []
        self.options = []

    def no_sources(self, where):
        """A directory below @sources@ that the program needs and that is not there."""
        for name in sorted({m for w in self.build for m in re.findall(r"@sources@/([^/]+)", w)}):
            if not where or not os.path.isdir(os.path.join(where, name)):
                return name
        return None


def read_list(path):
    entries = []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            word, _, rest = line.partition(" ")
            head, _, text = rest.partition(": ")
            if word == "program":
                entries.append(Entry(head.strip(), text))
            elif word == "prepare" and entries:
                entries[-1].prepare.append((head.strip(), text.strip()))
            elif word == "options" and entries:
                entries[-1].options = shlex.split(rest)
            elif word == "explained" and entries:
                entries[-1].explained[frozenset(head.split())] = text.strip()
            else:
                sys.exit(f"{path}:{number}: neither 'program', 'prepare', 'options' nor 'explained'")
    return entries


def run(command, where, seconds=120, env=None):
    try:
        return subprocess.run(command, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds,
                              env={**os.environ, **(env or {})}).stdout
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(errors="replace") if isinstance(e.stdout, bytes) else e.stdout or ""


def place(location):
    """'/a/b/bank.c:12:3' -> 'bank.c:12'"""
    m = re.match(r"(.*/)?([^/:]+:\d+)", location or "")
    return m.group(2) if m else None


def own_line(stack, sources):
    """The innermost line of the program itself."""
    for frame in stack:
        m = re.search(r"#\d+ .* (\S+?):(\d+)(?::\d+)? \(", frame)
        if m and os.path.basename(m.group(1)) in sources:
            return f"{os.path.basename(m.group(1))}:{m.group(2)}"
    return None


def pairs_of_tsan(text, sources):
    pairs = set()
    for report in text.split("WARNING: ThreadSanitizer: ")[1:]:
        if not report.startswith(("data race", "heap-use-after-free")):
            continue
        stacks, lines = [], report.splitlines()
        for k, line in enumerate(lines):
            if re.match(r"\s+(Previous )?(atomic )?(read|write|Read|Write|Atomic)\b.* of size", line):
                n = k + 1
                while n < len(lines) and re.match(r"\s+#\d", lines[n]):
                    n += 1
                stacks.append(lines[k + 1:n])
        found = [own_line(s, sources) for s in stacks[:2]]
        if len(found) == 2 and all(found):
            pairs.add(frozenset(found))
    return pairs


def own_place(event, sources):
    """Where an event is in the program itself: its own line, or that of the innermost caller there."""
    for e in [event] + event.get("callers", []):
        if os.path.basename(e.get("file", "")) in sources:
            return place(f"{e['file']}:{e.get('line', 0)}")
    return None


def pairs_of_augur(report, sources):
    pairs = set()
    for f in report["findings"]:
        at = {own_place(e, sources) for e in f.get("events", [])} - {None}
        pairs |= {frozenset((a, b)) for a in at for b in at if len(at) == 1 or a != b}
    return pairs


def compare(entry, o):
    with tempfile.TemporaryDirectory(prefix="recall") as where:
        build = [w.replace("@top@", TOP).replace("@sources@", o.sources or "") for w in entry.build]
        for directory, command in entry.prepare:
            run(["sh", "-c", command], directory.replace("@sources@", o.sources or ""), 600)
        cxx = any(w.endswith((".cpp", ".cc")) for w in build)
        sources = {os.path.basename(w) for w in build if w.endswith((".c", ".cpp", ".cc", ".h"))}
        clang = ["clang++-19" if cxx else "clang-19", "-g", "-O1", "-w", "-fsanitize=thread", "-pthread"]
        told = run(clang + build + ["-o", "tsan"], where)
        if not os.path.exists(os.path.join(where, "tsan")):
            return None, f"does not compile with ThreadSanitizer: {told.strip()[:200]}"
        told = run([o.augur, "c++" if cxx else "cc", "-g", "-O1", "-w", "-pthread"] + build + ["-o", "p"], where)
        if not os.path.exists(os.path.join(where, "p")):
            return None, f"does not compile: {told.strip()[:200]}"
        wanted = set()
        for _ in range(o.runs):
            wanted |= pairs_of_tsan(run(["./tsan"] + entry.args, where, env={"TSAN_OPTIONS": "exitcode=0"}), sources)
        run([o.augur, "run", "--budget=20", "--all", "--format=json", "-o", "r.json"] + entry.options + ["./p"] + entry.args, where, 600)
        try:
            with open(os.path.join(where, "r.json")) as f:
                report = json.load(f)
        except (OSError, ValueError):
            return None, "no report"
        return (wanted, pairs_of_augur(report, sources)), None


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--runs", type=int, default=20)
    a.add_argument("--only")
    a.add_argument("--sources", help="directory of unpacked sources of others, @sources@ in the list")
    a.add_argument("--augur", default=os.environ.get("AUGUR", os.path.join(TOP, "build", "augur")))
    o = a.parse_args()
    o.augur = os.path.abspath(o.augur)
    o.sources = o.sources and os.path.abspath(o.sources)
    bad = programs = pairs = skipped = 0
    for entry in read_list(os.path.join(HERE, "recall.list")):
        if o.only and o.only not in entry.name:
            continue
        absent = entry.no_sources(o.sources)
        if absent:
            print(f"skipped  {entry.name}: no such sources: {absent}", flush=True)
            skipped += 1
            continue
        result, trouble = compare(entry, o)
        if trouble:
            print(f"TROUBLE  {entry.name}: {trouble}")
            bad += 1
            continue
        wanted, found = result
        missing = wanted - found
        programs, pairs = programs + 1, pairs + len(wanted)
        if not wanted:
            print(f"NOTHING  {entry.name}: ThreadSanitizer saw no race in {o.runs} runs: it has no place in the list")
            bad += 1
        for pair in sorted(missing - set(entry.explained), key=sorted):
            print(f"MISSING  {entry.name}: {' and '.join(sorted(pair))}", flush=True)
            bad += 1
        for pair in sorted(found & set(entry.explained), key=sorted):
            print(f"found    {entry.name}: {' and '.join(sorted(pair))}, though its absence is explained", flush=True)
        print(f"ok       {entry.name}: {len(wanted)} pairs, {len(missing & set(entry.explained))} explained",
              *entry.options, flush=True)
    print(f"{programs} programs, {pairs} pairs of lines, {bad} missing or in trouble, {skipped} programs skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
