#!/usr/bin/env python3
"""Generates programs whose truth is known by construction and checks every word that augur says of them.

A program is a shape filled with parts (parts/*): a value travels by a route, threads exclude each other by a
lock, hand data over through a channel, read a clock. Half of the programs are right: any proved or confirmed
finding is a false word. The others carry a planted bug behind the same edge: it is to be proved or confirmed,
at least possible. A program that is called covered is executed on random schedules as well: none may fail
that augur did not report.

  claims.py [--seed S] [--count N] [--first K] [--schedules N] [--runs N] [--keep DIR] [--jobs J] [--only TEXT] [--list]

Program K of seed S is always the same. Prints a line for every false word, each planted bug that was not found and
each prediction that the program contradicted (it is told as possible, which is no false word, and is a bug of the
model); the last line counts. Ctrl-C and SIGTERM count what was judged until then. Exit status 1 if there was a false word or
under 90 % of the planted bugs were proved or confirmed, or not all programs were judged."""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
MANY = 10 # times as many executions for a program that has not been decided in fewer
ROUTES = ("routes.c", "routes_libc.c", "routes_kernel.c", "routes.cpp")


class Part:
    def __init__(self, file, name, flags, text):
        self.file, self.name, self.text = file, name, text
        self.flags = flags.split()

    @property
    def cxx(self):
        return self.file.endswith(".cpp")


def parts_of(*files):
    parts = []
    for file in files:
        with open(os.path.join(HERE, "parts", file)) as f:
            blocks = re.split(r"^//! *", f.read(), flags=re.M)[1:]
        for block in blocks:
            head, text = block.split("\n", 1)
            name, _, flags = head.partition(":")
            parts.append(Part(file, name.strip(), flags, text.strip() + "\n"))
    return parts


MAIN = """
int main(void) {
    %(open)s
    pthread_t t[2];
    pthread_create(&t[0], 0, %(one)s, 0);
    pthread_create(&t[1], 0, %(two)s, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    %(end)s
    return 0;
}
"""


def main_of(rng, a, b, opened, end=""):
    one, two = (a, b) if rng.random() < 0.5 else (b, a)
    return MAIN % {"open": opened, "one": one, "two": two, "end": end}


def guarded(rng, parts, planted):
    """a writes y only if it saw 5, which b stores after its own write of y."""
    route, lock = rng.choice(parts["routes"]), rng.choice(parts["locks"])
    store = "enter(); x = 5; leave();"
    b = f"{store} y = 1;" if planted else f"y = 1; {store}"
    condition = "route(v) == 5 || v == 0" if planted else "route(v) == 5"
    text = f"""static long x, y;
static void *a(void *_) {{ (void)_; enter(); long v = x; leave(); if ({condition}) y = 2; return 0; }}
static void *b(void *_) {{ (void)_; {b} return 0; }}
"""
    return [route, lock], text + main_of(rng, "a", "b", "lock_open();"), ("race", "y")


def echo(rng, parts, planted):
    """What a saw comes back to it."""
    route, lock = rng.choice(parts["routes"]), rng.choice(parts["locks"])
    claim = "s != 5" if planted else "s == v"
    text = f"""static long x;
static void *a(void *_) {{ (void)_; enter(); long v = x; leave(); long s = route(v); assert({claim}); return 0; }}
static void *b(void *_) {{ (void)_; enter(); x = 5; leave(); return 0; }}
"""
    return [route, lock], text + main_of(rng, "a", "b", "lock_open();"), ("assertion", None)


def handed(rng, parts, planted):
    """a writes y and puts a value into the channel; b gets the value and writes y."""
    route, channel = rng.choice(parts["routes"]), rng.choice(parts["channels"])
    n = rng.randrange(1, 10)
    a = f"put(route({n})); y = 1;" if planted else f"y = 1; put(route({n}));"
    text = f"""static long y;
static void *a(void *_) {{ (void)_; {a} return 0; }}
static void *b(void *_) {{ (void)_; long v = get(); assert(v == {n}); y = 2; return 0; }}
"""
    return [route, channel], text + main_of(rng, "a", "b", "channel_open();"), ("race", "y")


def relayed(rng, parts, planted):
    """a sends what it saw, c writes y only if it got 5, which b stores after its own write of y."""
    lock, channel = rng.choice(parts["locks"]), rng.choice(parts["channels"])
    store = "enter(); x = 5; leave();"
    b = f"{store} y = 1;" if planted else f"y = 1; {store}"
    condition = "v == 5 || v == 0" if planted else "v == 5"
    text = f"""static long x, y;
static void *c(void *_) {{ (void)_; long v = get(); if ({condition}) y = 2; return 0; }}
static void *a(void *_) {{ (void)_; pthread_t t; pthread_create(&t, 0, c, 0);
    enter(); long v = x; leave(); put(v); pthread_join(t, 0); return 0; }}
static void *b(void *_) {{ (void)_; {b} return 0; }}
"""
    return [lock, channel], text + main_of(rng, "a", "b", "lock_open(); channel_open();"), ("race", "y")


def counted(rng, parts, planted):
    """Two threads count under the lock; planted: one of them forgets it."""
    route, lock = rng.choice(parts["routes"]), rng.choice(parts["locks"])
    b = "n = n + route(1);" if planted else "enter(); n = n + route(1); leave();"
    text = f"""static long n;
static void *a(void *_) {{ (void)_; enter(); n = n + 1; leave(); return 0; }}
static void *b(void *_) {{ (void)_; {b} return 0; }}
"""
    end = "" if planted else "assert(n == 2);"
    return [route, lock], text + main_of(rng, "a", "b", "lock_open();", end), ("race", "n")


def stamped(rng, parts, planted):
    """Who asks the clock under the lock asks it after the stamp was taken."""
    lock = rng.choice(parts["locks"])
    clock = rng.choice([c for c in parts["clocks"] if not planted or "fine" in c.flags])
    body = "long t = now(); enter();" if planted else "enter(); long t = now();"
    text = f"""static long stamp;
static void *a(void *_) {{ (void)_; {body} assert(t >= stamp); stamp = t; leave(); return 0; }}
static void *b(void *_) {{ return a(_); }}
"""
    return [lock, clock], text + main_of(rng, "a", "b", "lock_open(); clock_open();"), ("assertion", None)


def ordered(rng, parts, planted):
    """Two threads put a message each; main gets both after the joins."""
    channel, route = rng.choice(parts["channels"]), rng.choice(parts["routes"])
    text = """static void *a(void *_) { (void)_; put(route(1)); return 0; }
static void *b(void *_) { (void)_; put(2); return 0; }
"""
    claim = "g == 1" if planted else "g + h == 3"
    end = f"long g = get(), h = get(); assert({claim}); (void)h;"
    return [route, channel], text + main_of(rng, "a", "b", "channel_open();", end), ("assertion", None)


def last(rng, parts, planted):
    """The last writer is any of the two."""
    route, lock = rng.choice(parts["routes"]), rng.choice(parts["locks"])
    text = """static long w;
static void *a(void *_) { (void)_; enter(); w = route(1); leave(); return 0; }
static void *b(void *_) { (void)_; enter(); w = route(2); leave(); return 0; }
"""
    end = "assert(w == 2);" if planted else "assert(w == 1 || w == 2);"
    return [route, lock], text + main_of(rng, "a", "b", "lock_open();", end), ("assertion", None)


SHAPES = (guarded, echo, handed, relayed, counted, stamped, ordered, last)


class Program:
    """Program k of a seed: its text, how to compile it, and its truth."""

    def __init__(self, seed, k, parts):
        rng = random.Random(f"{seed}/{k}")
        self.k, self.planted = k, k % 2 == 1
        while True:
            shape = rng.choice(SHAPES)
            used, body, self.bug = shape(rng, parts, self.planted)
            flags = {f for p in used for f in p.flags}
            self.cxx = any(p.cxx for p in used)
            if not (self.cxx and "c-only" in flags):
                break
        self.name = f"{shape.__name__}({', '.join(p.name for p in used)}){' planted' if self.planted else ''}"
        with open(os.path.join(HERE, "parts", "head.c")) as f:
            head = f.read()
        truth = f"{self.bug[0]} on {self.bug[1]}" if self.bug[1] else self.bug[0]
        self.text = (f"// program {k} of seed {seed}: {self.name}. {shape.__doc__}\n"
                     f"// truth: {truth if self.planted else 'no finding'}\n"
                     + head + "".join(f"\n// {p.file}: {p.name}\n{p.text}" for p in used) + "\n" + body)
        self.flags = sorted(f for f in flags if f.startswith("-"))
        self.nohook = "nohook" in flags


def execute(command, directory, seconds):
    try:
        p = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=seconds, start_new_session=True, text=True, errors="replace")
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        return None, "", ""


def is_planted(finding, bug):
    kinds = {finding.get("kind"), finding.get("also")}
    if bug[0] == "race":
        return "race" in kinds and str(finding.get("var", "")).startswith(bug[1])
    return bug[0] in kinds


class Judge:
    """Compiles a program, runs augur on it and weighs its words against the truth."""

    def __init__(self, options):
        self.o, self.stop = options, threading.Event()

    def build(self, p, directory):
        source = "p.cpp" if p.cxx else "p.c"
        with open(os.path.join(directory, source), "w") as f:
            f.write(p.text)
        command = [self.o.augur, "c++" if p.cxx else "cc", "-g", "-w"]
        command += ["-std=c++20"] if p.cxx else []
        if p.nohook:
            link = os.path.join(directory, "nohook.o")
            text = ["gcc", "-c", os.path.join(HERE, "parts", "nohook.c"), "-o", link]
            if execute(text, directory, 60)[0] != 0:
                return "the part without hooks does not compile"
            source = [source, "nohook.o"]
            if p.cxx: # its functions have C's names
                with open(os.path.join(directory, "p.cpp"), "w") as f:
                    f.write(re.sub(r"^extern ", 'extern "C" ', p.text, flags=re.M))
        else:
            source = [source]
        status, out, err = execute(command + source + ["-o", "p", "-lpthread", "-lm"] + p.flags, directory, 120)
        return None if status == 0 else f"does not compile: {err.strip().splitlines()[:2]}"

    def judge(self, p):
        """-> (program, false words, found or None, covered, disagreements, trouble); None: stopped before"""
        if self.stop.is_set():
            return None
        directory = tempfile.mkdtemp(prefix="claim")
        try:
            false, found, covered, disagree, trouble = self.judge_in(p, directory)
            missed = p.planted and found not in ("confirmed", "proved")
            if self.o.keep and (false or trouble or disagree or missed):
                shutil.copytree(directory, os.path.join(self.o.keep, str(p.k)), dirs_exist_ok=True)
            return p, false, found, covered, disagree, trouble
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def judge_in(self, p, directory):
        why = self.build(p, directory)
        if why:
            return [], None, False, 0, why
        # Nearly all is decided in the first executions. What cannot be covered takes all that it may: every eighth gets more.
        # They are counted, not timed, so that a busy machine judges the same.
        report, said, why = self.run(directory, self.o.runs * (1 if p.k % 8 else MANY))
        if why:
            return [], None, False, 0, why
        false, best = self.weigh(report, p)
        if p.planted and best not in ("confirmed", "proved"):
            report, said, why = self.run(directory, self.o.runs * MANY)
            if why:
                return false, best, False, 0, why
            more, best = self.weigh(report, p)
            false += more
        false += self.check_alone(p, directory)
        covered = self.is_covered(report, said)
        if covered and p.planted and best is None:
            false.append("covered, without the planted bug")
        elif covered and best is None:
            failed = self.fails_at_random(directory)
            if failed:
                false.append(f"covered, and fails on a random schedule: {failed}")
        return false, best, covered, report.get("disagreements", 0), None

    def run(self, directory, runs):
        """-> (the report, what was said, why there is none)"""
        shutil.rmtree(os.path.join(directory, ".augur"), ignore_errors=True)
        status, out, err = execute([self.o.augur, "run", f"--max-runs={runs}", f"--budget={self.o.limit / 2}", "--format=json",
                                    "-o", "report.json", "./p"], directory, self.o.limit)
        with open(os.path.join(directory, "said.txt"), "w") as f:
            f.write(out + err)
        try:
            with open(os.path.join(directory, "report.json")) as f:
                return json.load(f), out + err, None
        except (OSError, ValueError):
            return None, "", f"no report (exit status {status}): {err.strip()[-200:]}"

    def weigh(self, report, p):
        """-> (false words, the best word said of the planted bug)"""
        false, best = [], None
        for finding in report["findings"]:
            said = finding["status"]
            if p.planted and is_planted(finding, p.bug):
                if best is None or said in ("confirmed", "proved"):
                    best = said if best != "confirmed" else best
            elif said in ("confirmed", "proved") and not (p.planted and self.follows(finding, p)):
                false.append(f"{said}: {finding['message']}")
        return false, best

    def check_alone(self, p, directory):
        """What is proved from a recording, the program being executed no more."""
        execute([self.o.augur, "record", "--quiet", "-o", "c.trace", "./p"], directory, 60)
        execute([self.o.augur, "check", "--format=json", "-o", "check.json", "c.trace"], directory, self.o.limit)
        try:
            with open(os.path.join(directory, "check.json")) as f:
                return ["check alone: " + word for word in self.weigh(json.load(f), p)[0]]
        except (OSError, ValueError):
            return [] # a program that cannot be recorded gave no report before

    @staticmethod
    def is_covered(report, text):
        if "exhaustive" in report:
            return bool(report["exhaustive"])
        return "Every interleaving of this input was covered" in text

    @staticmethod
    def follows(finding, p):
        """Another true finding of a planted program: what the bug does next."""
        if p.bug[0] == "race": # two unordered writes of y: both orders, and what reads it
            return finding["kind"] in ("atomicity", "nondeterminism") and finding.get("var", "").startswith(p.bug[1])
        return finding["kind"] in ("atomicity", "nondeterminism")

    def fails_at_random(self, directory):
        for seed in range(1, self.o.schedules + 1):
            status, out, err = execute([self.o.augur, "record", "-o", "r.trace", "--policy=random",
                                        f"--seed={seed}", "./p"], directory, 60)
            if status != 0:
                return f"seed {seed}, exit status {status}"
        return None


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--seed", default="1")
    a.add_argument("--count", type=int, default=100)
    a.add_argument("--first", type=int, default=0)
    a.add_argument("--schedules", type=int, default=200)
    a.add_argument("--limit", type=int, default=240, help="seconds for one 'augur run'")
    a.add_argument("--runs", type=int, default=40, help="executions of a program that 'augur run' may take to explore")
    a.add_argument("--keep", help="directory for programs that gave false words")
    a.add_argument("--jobs", type=int, default=os.cpu_count())
    a.add_argument("--only", help="only programs whose name contains this")
    a.add_argument("--list", action="store_true", help="print the names, run nothing")
    a.add_argument("--show", action="store_true", help="print the programs, run nothing")
    a.add_argument("--augur", default=os.environ.get("AUGUR", os.path.join(HERE, "..", "..", "build", "augur")))
    o = a.parse_args()
    o.augur = os.path.abspath(o.augur)
    parts = {"routes": parts_of(*ROUTES), "locks": parts_of("locks.c"), "channels": parts_of("channels.c"),
             "clocks": parts_of("clocks.c")}
    programs = [Program(o.seed, k, parts) for k in range(o.first, o.first + o.count)]
    if o.only:
        programs = [p for p in programs if o.only in p.name]
    if o.list or o.show:
        for p in programs:
            print(p.text if o.show else f"{p.k} {p.name}")
        return 0
    n = {"false": 0, "trouble": 0, "disagree": 0, "covered": 0, "planted": 0, "confirmed": 0, "proved": 0, "possible": 0}
    judge, done = Judge(o), 0
    for number in (signal.SIGINT, signal.SIGTERM): # what is begun is judged to its end, and counted
        signal.signal(number, lambda *_: judge.stop.set())
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for result in pool.map(judge.judge, programs):
            if not result:
                continue
            p, false, found, covered, disagree, trouble = result
            done += 1
            for word in false:
                print(f"FALSE    {p.k} {p.name}: {word}", flush=True)
            if disagree:
                print(f"DISAGREE {p.k} {p.name}: {disagree}", flush=True)
            if trouble:
                print(f"TROUBLE  {p.k} {p.name}: {trouble}", flush=True)
            elif p.planted and found not in ("confirmed", "proved"):
                print(f"{'POSSIBLE' if found else 'MISSED  '} {p.k} {p.name}", flush=True)
            n["false"] += bool(false)
            n["disagree"] += bool(disagree)
            n["trouble"] += bool(trouble)
            n["covered"] += covered
            n["planted"] += p.planted
            if p.planted and found:
                n[found] = n.get(found, 0) + 1
    shown = n["confirmed"] + n["proved"]
    if done < len(programs):
        print(f"stopped: {done} of {len(programs)} programs were judged")
    print(f"{done} programs: {n['false']} with a false word, {n['trouble']} in trouble, {n['covered']} covered, "
          f"{n['disagree']} where model and program disagree; "
          f"planted {n['planted']}: {n['confirmed']} confirmed, {n['proved']} proved, {n['possible']} possible, "
          f"{n['planted'] - shown - n['possible']} missed")
    return 1 if n["false"] or n["trouble"] or shown * 10 < n["planted"] * 9 or done < len(programs) else 0


if __name__ == "__main__":
    sys.exit(main())
