#!/usr/bin/env python3
"""judge.py TOOL KIND LINES SOURCE STATUS OUTPUT: what one run of one tool said about a program.

The same rule for all tools (bench/bugs/README.md). Everything that a tool says becomes reports, each with a
category and with lines of the program's source:

  fail   the run ended by a signal or with a status other than 0; or a failing assertion is predicted
  hang   the run did not end; or a state in which threads wait for each other is predicted
  order  locks taken in both orders
  race   two conflicting accesses that nothing orders; a use of freed memory
  block  a critical region that is not atomic
  misuse anything else about locks and conditions

A report is the bug if its category is one that KIND allows and one of its lines is one of LINES
(a run that really failed or hung needs no line: the program has one bug only). Prints one word:
  failed     the run itself showed the bug          found      a report is the bug
  confirmed, proved, possible                       likewise, by augur, with its own status
  other      there are only reports of something else
  false      a report about a program that is right
  crash      the tool could not run the program
  -          nothing"""
import json
import os
import re
import sys

ALLOWED = {
    "deadlock": {"hang", "order", "misuse"},
    "atomicity": {"fail", "block"},
    "order": {"fail"},
    "pointer": {"fail"},
    "heap": {"fail", "race"},
    "race": {"fail", "race"},
    "assertion": {"fail", "race", "block"},
    "right": set(),
}
AUGUR = {"assertion": "fail", "deadlock": "hang", "race": "race", "atomicity": "block", "lost-update": "block"}


def first_places(text, name):
    """The innermost line of the source in each stack of a report: a stack ends at a blank line."""
    lines = set()
    for stack in re.split(r"\n\s*\n", text):
        found = re.search(re.escape(name) + r":(\d+)", stack)
        if found:
            lines.add(int(found.group(1)))
    return lines


def thread_sanitizer(text, name):
    for report in re.findall(r"WARNING: ThreadSanitizer: .*?(?:\n={18}|\Z)", text, re.S):
        head = report.split("\n", 1)[0]
        # What follows tells where the threads and blocks come from, not where the mistake is.
        body = re.split(r"\n  (?:Thread T\d+|Location is|Mutex M\d+ \(0x\w+\) created) ", report)[0]
        if "data race" in head or "use-after-free" in head:
            category = "race"
        elif "lock-order" in head:
            category = "order"
        else:
            category = "misuse"
        yield category, first_places(body, name)


def valgrind(text, name):
    text = re.sub(r"^==\d+== ?", "", text, flags=re.M)
    start = re.compile(
        r"^(?:Possible data race|Conflicting (?:load|store)|Thread #\d+: lock order|"
        r"Thread #\d+(?:'s call|: (?!lock order))|Thread #\d+ deallocated|Probably a race condition|"
        r"Mutex (?:still|not|re)|The (?:object|impossible)|Invalid|Destroying|Recursive|Attempt|"
        r"(?:Reader-writer lock|Condition variable|Semaphore|Barrier|Unlocking|Exiting thread)).*$", re.M)
    marks = list(start.finditer(text))
    for i, mark in enumerate(marks):
        body = text[mark.start():marks[i + 1].start() if i + 1 < len(marks) else len(text)]
        body = re.split(r"\n(?:-{3}Thread-Announcement|Allocation context|Other segment|mutex .* was first observed|"
                        r" Address 0x|Block was alloc)", body)[0]
        head = mark.group(0)
        if head.startswith(("Possible data race", "Conflicting", "Invalid")):
            category = "race"
        elif "lock order" in head:
            category = "order"
        else:
            category = "misuse"
        yield category, first_places(body, name)


def tool_crashed(text, name):
    """A segmentation fault under a tool whose innermost frame is not the program's: none of its doing (thrd_create
    under ThreadSanitizer and drd, for one)."""
    found = re.search(r"ThreadSanitizer:DEADLYSIGNAL|terminating with default action of signal 11", text)
    if not found:
        return False
    frame = re.search(r"^.*(?:#0 |at 0x).*$", text[found.start():], re.M)
    return not frame or name + ":" not in frame.group(0)


def augur(text):
    for case in json.loads(text)["findings"]:
        lines = {e["line"] for e in case.get("events", []) if "line" in e}
        kind = case.get("also", case["kind"]) # a use after free is also a race
        yield AUGUR.get(kind, "misuse"), lines, case["status"]


def main():
    tool, kind, marked, source, status, output = sys.argv[1:]
    name = os.path.basename(source)
    lines = set() if marked == "*" else {int(n) for n in marked.split(",") if n}
    text = open(output, encoding="utf-8", errors="replace").read()
    best = "-"
    if tool.startswith("augur"):
        grades = ["-", "other", "possible", "proved", "confirmed"]
        if not text.strip():
            sys.exit("judge: '%s' wrote nothing about '%s'" % (tool, source))
        for category, places, certain in augur(text):
            if kind == "right":
                best = "false"
                break
            # A program that ends with another status has no place.
            right = category in ALLOWED[kind] and (marked == "*" or places & lines or (category == "fail"))
            grade = certain if right else "other"
            # Of an assertion the failing execution counts; a race on its way there is not that yet.
            if kind == "assertion" and category != "fail" and grade == "confirmed":
                grade = "proved"
            best = max(best, grade, key=grades.index)
        print(best)
        return
    ended_badly = status == "hang" or int(status) not in (0, 66)
    reports = list({"tsan": thread_sanitizer, "clang": thread_sanitizer, "helgrind": valgrind,
                    "drd": valgrind}.get(tool, lambda *_: [])(text, name))
    if tool != "native" and tool_crashed(text, name):
        print("crash")
        return
    if "ThreadSanitizer:DEADLYSIGNAL" in text:
        ended_badly = True
    if kind == "right":
        if ended_badly and tool == "native":
            sys.exit("judge: '%s' is said to be right, and ended with status %s" % (source, status))
        print("false" if reports or ended_badly else "-")
        return
    if ended_badly and ("hang" if status == "hang" else "fail") in ALLOWED[kind] | {"fail"}:
        print("failed")
        return
    for category, places in reports:
        if category in ALLOWED[kind] and (marked == "*" or places & lines):
            best = "found"
            break
        best = "other"
    print(best)


main()
