#!/usr/bin/env python3
"""augur oracle --memory-model against programs that share nothing with it.

    check_models.py AUGUR literature           verdicts that papers state
    check_models.py AUGUR litmus MOST [SHAPE ...]
                                               litmus tests with orders and fences, of each shape all
                                               choices, or so many by chance
    check_models.py AUGUR random SEED COUNT    small random programs

rc11 is compared with axioms.py (the paper's axioms over all candidates: final values, races, numbers
of executions), tso with buffers.py (x86 as a machine with buffers: final values), sc with
'augur oracle' on interleavings. Prints one line 'ok ...' or the first program that differs; status 1.
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

import axioms
import buffers
import programs


class Differs(Exception):
    pass


def ask(augur, threads, memory, props="race,assert"):
    text = programs.ctp(threads)
    with tempfile.NamedTemporaryFile("w", suffix=".ctp", delete=False) as f:
        f.write(text)
    try:
        run = subprocess.run([augur, "oracle", "--memory-model", memory, "--prop", props, f.name],
                             capture_output=True, text=True)
    finally:
        os.unlink(f.name)
    if run.returncode not in (0, 1):
        raise Differs("status %d: %s\n%s" % (run.returncode, run.stderr, text))
    return json.loads(run.stdout)


def finals(threads, answer):
    names = programs.variables(threads) + [r for r in programs.results(threads) if r]
    return {tuple(s["shared"][v] for v in names) for s in answer["final_states"] if s["complete"]}


def races(answer):
    found = set()
    for f in answer["findings"]:
        if f["kind"] == "race":
            ends = []
            for e in f["events"]:
                thread, number = e["label"][1:].split("_")
                ends.append((int(thread) - 1, int(number)))
            found.add(tuple(sorted(ends)))
    return found


def same(what, threads, here, there):
    if here != there:
        raise Differs("%s: augur %s, expected %s\n%s" % (what, here, there, programs.ctp(threads)))


def compare(augur, threads, memories=("rc11", "tso")):
    if "rc11" in memories:
        expected = axioms.rc11(threads)
        answer = ask(augur, threads, "rc11")
        same("rc11, final values", threads, finals(threads, answer), expected.finals)
        same("rc11, races", threads, races(answer), expected.races)
        same("rc11, executions", threads, answer["executions"], expected.executions)
        same("rc11, blocked", threads, answer["blocked"], expected.blocked)
        same("rc11, undefined", threads, answer["undefined"], bool(expected.races))
    if "tso" in memories:
        answer = ask(augur, threads, "tso")
        same("tso, final values", threads, finals(threads, answer), buffers.finals(threads))


# ---- litmus tests -------------------------------------------------------------------------------

STORES = ("na", "rlx", "rel", "sc")
LOADS = ("na", "rlx", "acq", "sc")
UPDATES = ("rlx", "acq", "rel", "acq_rel", "sc")
FENCES = (None, "acq", "rel", "acq_rel", "sc")

# Threads of (operation, ...) without orders; '-' is a place where a fence may stand, '?a1': only with
# 1 in a.
SHAPES = {
    "SB": [["Wx1", "-", "Ray"], ["Wy1", "-", "Rbx"]],
    "MP": [["Wx1", "-", "Wy1"], ["Ray", "-", "Rbx"]],
    "LB": [["Rax", "-", "Wy1"], ["Rby", "-", "Wx1"]],
    "S": [["Wx2", "-", "Wy1"], ["Ray", "-", "Wx1"]],
    "R": [["Wx1", "-", "Wy1"], ["Wy2", "-", "Rax"]],
    "2+2W": [["Wx1", "-", "Wy2"], ["Wy1", "-", "Wx2"]],
    "CoRR": [["Wx1"], ["Rax", "-", "Rbx"]],
    "CoWR": [["Wx1", "-", "Rax"], ["Wx2"]],
    "CoRW": [["Rax", "-", "Wx1"], ["Wx2"]],
    "CoWW": [["Wx1", "-", "Wx2"], ["Rax"]],
    "WRC": [["Wx1"], ["Rax", "-", "Wy1"], ["Rby", "-", "Rcx"]],
    "RWC": [["Wx1"], ["Rax", "-", "Rby"], ["Wy1", "-", "Rcx"]],
    "ISA2": [["Wx1", "-", "Wy1"], ["Ray", "-", "Wz1"], ["Rbz", "-", "Rcx"]],
    # the six cycles over three threads that diy calls Z6: Z6.x, the next, is Z6.3
    "Z6.0": [["Wx1", "-", "Wy1"], ["Ray", "-", "Wz1"], ["Wz2", "-", "Rbx"]],
    "Z6.1": [["Wx2", "-", "Wy1"], ["Wy2", "-", "Wz1"], ["Raz", "-", "Wx1"]],
    "Z6.2": [["Wx2", "-", "Wy1"], ["Ray", "-", "Wz1"], ["Rbz", "-", "Wx1"]],
    "Z6.4": [["Wx1", "-", "Wy1"], ["Wy2", "-", "Raz"], ["Wz1", "-", "Rbx"]],
    "Z6.5": [["Wx1", "-", "Wy1"], ["Wy2", "-", "Wz1"], ["Wz2", "-", "Rax"]],
    "Z6.U": [["Wx1", "-", "Wy1"], ["Uby", "-", "Rcy"], ["Wy3", "-", "Rax"]],  # of Lahav et al. 2017
    "Z6.x": [["Wx1", "-", "Wy1"], ["Wy2", "-", "Wz1"], ["Raz", "-", "Rbx"]],
    "MP?": [["Wx1", "-", "Wy1"], ["Ray", "?a1", "-", "Rbx"]],
    "MPU": [["Wx1", "-", "Wy1"], ["Uay"], ["Rby", "-", "Rcx"]],  # a release sequence
    "2+U": [["Uax", "-", "Wy1"], ["Uby", "-", "Rcx"]],
    "IRIW": [["Wx1"], ["Wy1"], ["Rax", "-", "Rby"], ["Rcy", "-", "Rdx"]],
}


def build(shape, orders, fences):
    orders, fences = iter(orders), iter(fences)
    threads = []
    for ops in SHAPES[shape]:
        thread = []
        for op in ops:
            if op == "-":
                fence = next(fences)
                if fence:
                    thread.append(("f", fence))
            elif op[0] == "?":
                thread.append(("q", op[1], int(op[2])))
            elif op[0] == "W":
                thread.append(("w", op[1], int(op[2]), next(orders)))
            elif op[0] == "U":
                thread.append(("u", op[1], op[2], 1, next(orders)))
            else:
                thread.append(("r", op[1], op[2], next(orders)))
        threads.append(thread)
    return threads


def variants(shape):
    ops = [op for thread in SHAPES[shape] for op in thread]
    of = {"W": STORES, "R": LOADS, "U": UPDATES}
    orders = [of[op[0]] for op in ops if op[0] in of]
    places = sum(op == "-" for op in ops)
    for o in itertools.product(*orders):
        for f in itertools.product(FENCES, repeat=places):
            yield o, f


def litmus(augur, most, shapes):
    said = []
    for shape in shapes:
        every = list(variants(shape))
        chosen = random.Random(shape).sample(every, min(most, len(every)))
        for orders, fences in chosen:
            compare(augur, build(shape, orders, fences))
        said.append("%s %d of %d" % (shape, len(chosen), len(every)))
    return ", ".join(said)


# ---- what is known ------------------------------------------------------------------------------

# shape, orders of the accesses, fences, the final values of the results that are asked about, and
# whether they are allowed by sc, tso, rc11. Sources: Sewell et al. 2010 (x86-TSO), Maranget, Sarkar,
# Sewell 2012 (a tutorial introduction), Lahav et al. 2017 (RC11), Batty et al. 2011 (mapping).
# What is asked: registers of each thread with loads, then final values where the test is about them.
KNOWN = [
    ("SB", "rlx rlx rlx rlx", "", {"a": 0, "b": 0}, "no yes yes"),
    ("SB", "rel acq rel acq", "", {"a": 0, "b": 0}, "no yes yes"),
    ("SB", "sc sc sc sc", "", {"a": 0, "b": 0}, "no no no"),
    ("SB", "rlx rlx rlx rlx", "sc sc", {"a": 0, "b": 0}, "no no no"),
    ("SB", "rlx rlx rlx rlx", "sc acq_rel", {"a": 0, "b": 0}, "no yes yes"),
    ("SB", "sc sc sc rlx", "", {"a": 0, "b": 0}, "no no yes"),
    ("MP", "rlx rlx rlx rlx", "", {"a": 1, "b": 0}, "no no yes"),
    ("MP", "rlx rel acq rlx", "", {"a": 1, "b": 0}, "no no no"),
    ("MP", "na rel acq na", "", {"a": 1, "b": 0}, "no no no"),
    ("MP", "rlx rlx acq rlx", "", {"a": 1, "b": 0}, "no no yes"),
    ("MP", "rlx rel rlx rlx", "", {"a": 1, "b": 0}, "no no yes"),
    ("MP", "rlx rlx rlx rlx", "rel acq", {"a": 1, "b": 0}, "no no no"),
    ("MP", "rlx rlx rlx rlx", "acq rel", {"a": 1, "b": 0}, "no no yes"),
    ("LB", "rlx rlx rlx rlx", "", {"a": 1, "b": 1}, "no no no"),
    ("S", "rlx rlx rlx rlx", "", {"a": 1, "x": 2}, "no no yes"),
    ("S", "rlx rel acq rlx", "", {"a": 1, "x": 2}, "no no no"),
    ("R", "rlx rlx rlx rlx", "", {"a": 0, "y": 2}, "no yes yes"),
    ("R", "sc sc sc sc", "", {"a": 0, "y": 2}, "no no no"),
    ("R", "rlx rlx rlx rlx", "sc sc", {"a": 0, "y": 2}, "no no no"),
    ("2+2W", "rlx rlx rlx rlx", "", {"x": 1, "y": 1}, "no no yes"),
    ("2+2W", "rel rel rel rel", "", {"x": 1, "y": 1}, "no no yes"),
    ("2+2W", "sc sc sc sc", "", {"x": 1, "y": 1}, "no no no"),
    ("2+2W", "rlx rlx rlx rlx", "sc sc", {"x": 1, "y": 1}, "no no no"),
    ("CoRR", "rlx rlx rlx", "", {"a": 1, "b": 0}, "no no no"),
    ("CoWR", "rlx rlx rlx", "", {"a": 0}, "no no no"),
    ("CoRW", "rlx rlx rlx", "", {"a": 1}, "no no no"),
    ("CoWW", "rlx rlx rlx", "", {"x": 1}, "no no no"),
    ("WRC", "rlx rlx rlx rlx rlx", "", {"a": 1, "b": 1, "c": 0}, "no no yes"),
    ("WRC", "rel acq rlx acq rlx", "", {"a": 1, "b": 1, "c": 0}, "no no yes"),
    ("WRC", "rlx acq rel acq rlx", "", {"a": 1, "b": 1, "c": 0}, "no no no"),
    ("WRC", "rel acq rel acq rlx", "", {"a": 1, "b": 1, "c": 0}, "no no no"),
    ("RWC", "rel acq acq rel acq", "", {"a": 1, "b": 0, "c": 0}, "no yes yes"),
    ("RWC", "sc sc sc sc sc", "", {"a": 1, "b": 0, "c": 0}, "no no no"),
    ("RWC", "rlx rlx rlx rlx rlx", "sc sc", {"a": 1, "b": 0, "c": 0}, "no no no"),
    ("ISA2", "rlx rlx rlx rlx rlx rlx", "", {"a": 1, "b": 1, "c": 0}, "no no yes"),
    ("ISA2", "rlx rel acq rel acq rlx", "", {"a": 1, "b": 1, "c": 0}, "no no no"),
    ("MPU", "rlx rel rlx acq rlx", "", {"b": 2, "a": 1, "c": 0}, "no no no"),
    ("MPU", "rlx rlx rlx acq rlx", "", {"b": 2, "a": 1, "c": 0}, "no no yes"),
    ("MPU", "rlx rlx acq_rel acq rlx", "", {"b": 2, "a": 1, "c": 0}, "no no yes"),
    ("MPU", "rlx rlx rlx acq rlx", "rel", {"b": 2, "a": 1, "c": 0}, "no no no"),
    ("MPU", "rlx rel rlx rlx rlx", "", {"b": 2, "a": 1, "c": 0}, "no no yes"),
    ("Z6.x", "sc rel sc rel acq sc", "", {"y": 2, "a": 1, "b": 0}, "no no yes"),
    ("Z6.x", "sc sc sc sc sc sc", "", {"y": 2, "a": 1, "b": 0}, "no no no"),
    ("Z6.0", "rlx rlx rlx rlx rlx rlx", "", {"z": 2, "a": 1, "b": 0}, "no yes yes"),
    ("Z6.0", "rlx rel acq rel rel acq", "", {"z": 2, "a": 1, "b": 0}, "no yes yes"),
    ("Z6.0", "sc sc sc sc sc sc", "", {"z": 2, "a": 1, "b": 0}, "no no no"),
    ("Z6.1", "rlx rlx rlx rlx rlx rlx", "", {"y": 2, "a": 1, "x": 2}, "no no yes"),
    ("Z6.1", "rel rel rel rel acq rel", "", {"y": 2, "a": 1, "x": 2}, "no no yes"),
    ("Z6.1", "sc sc sc sc sc sc", "", {"y": 2, "a": 1, "x": 2}, "no no no"),
    ("Z6.2", "rlx rlx rlx rlx rlx rlx", "", {"x": 2, "a": 1, "b": 1}, "no no yes"),
    ("Z6.2", "rlx rel acq rel acq rlx", "", {"x": 2, "a": 1, "b": 1}, "no no no"),
    ("Z6.4", "rlx rlx rlx rlx rlx rlx", "", {"y": 2, "a": 0, "b": 0}, "no yes yes"),
    ("Z6.4", "rlx rlx rlx rlx rlx rlx", "sc sc sc", {"y": 2, "a": 0, "b": 0}, "no no no"),
    ("Z6.4", "sc sc sc sc sc sc", "", {"y": 2, "a": 0, "b": 0}, "no no no"),
    ("Z6.5", "rlx rlx rlx rlx rlx rlx", "", {"y": 2, "z": 2, "a": 0}, "no yes yes"),
    ("Z6.5", "rlx rlx rlx rlx rlx rlx", "sc sc sc", {"y": 2, "z": 2, "a": 0}, "no no no"),
    ("Z6.5", "sc sc sc sc sc sc", "", {"y": 2, "z": 2, "a": 0}, "no no no"),
    ("Z6.U", "sc rel sc rlx sc sc", "", {"b": 1, "c": 3, "a": 0}, "no no yes"),
    ("Z6.U", "sc sc sc sc sc sc", "", {"b": 1, "c": 3, "a": 0}, "no no no"),
    ("IRIW", "rlx rlx rlx rlx rlx rlx", "", {"a": 1, "b": 0, "c": 1, "d": 0}, "no no yes"),
    ("IRIW", "rel rel acq acq acq acq", "", {"a": 1, "b": 0, "c": 1, "d": 0}, "no no yes"),
    ("IRIW", "sc sc sc sc sc sc", "", {"a": 1, "b": 0, "c": 1, "d": 0}, "no no no"),
    ("IRIW", "rlx rlx rlx rlx rlx rlx", "sc sc", {"a": 1, "b": 0, "c": 1, "d": 0}, "no no no"),
    ("IRIW", "sc sc acq sc acq sc", "", {"a": 1, "b": 0, "c": 1, "d": 0}, "no no yes"),
]


# Does C11 call it a race?
RACES = [
    ("MP?", "na rel acq na", "", False),
    ("MP?", "na rlx rlx na", "rel acq", False),
    ("MP?", "na sc sc na", "", False),
    ("MP?", "rlx rlx rlx rlx", "", False),
    ("MP?", "na rlx acq na", "", True),
    ("MP?", "na rel rlx na", "", True),
    ("MP?", "na rlx rlx na", "acq rel", True),
    ("MP?", "na rel acq rlx", "", False),
    ("MP?", "na rlx rlx rlx", "", True),
    ("MP", "na rel acq na", "", True),
    ("SB", "na na na na", "", True),
    ("CoWW", "na rlx rlx", "", True),
]


def seen(threads, values):
    """The final values by name: variables, and registers out of the results."""
    names = programs.variables(threads)
    out = dict(zip(names, values))
    numbers = list(values[len(names):])
    for ops in threads:
        regs = programs.registers(ops)
        if regs:
            number = numbers.pop(0)
            for r in reversed(regs):
                out[r] = number % programs.BASE
                number //= programs.BASE
    return out


def literature(augur):
    for shape, orders, fences, asked, verdict in KNOWN:
        places = sum(op == "-" for thread in SHAPES[shape] for op in thread)
        threads = build(shape, orders.split(), (fences.split() + [None] * places)[:places])
        for memory, expected in zip(("sc", "tso", "rc11"), verdict.split()):
            answer = ask(augur, threads, memory)
            found = [s for s in (seen(threads, v) for v in finals(threads, answer))
                     if all(s[k] == asked[k] for k in asked)]
            if bool(found) != (expected == "yes"):
                raise Differs("%s %s %s under %s: augur says %s, known is %s\n%s" %
                              (shape, orders, fences, memory, "yes" if found else "no", expected,
                               programs.ctp(threads)))
    for shape, orders, fences, raced in RACES:
        places = sum(op == "-" for thread in SHAPES[shape] for op in thread)
        threads = build(shape, orders.split(), (fences.split() + [None] * places)[:places])
        same("rc11, a race", threads, bool(races(ask(augur, threads, "rc11"))), raced)
    return "%d verdicts, %d on races" % (3 * len(KNOWN), len(RACES))


# ---- random programs ----------------------------------------------------------------------------


def random_thread(rng, ops, regs, depth, with_locks):
    out, held = [], False
    while len(out) < ops:
        var = rng.choice("xxy" if rng.random() < 0.7 else "xyz")
        kind = rng.choice("wwwrrrruffil" + ("q" if rng.random() < 0.3 else ""))
        if kind == "w":
            out.append(("w", var, rng.randint(1, 2), rng.choice(("na", "rlx", "rlx", "rel", "sc"))))
        elif kind == "r":
            regs.append("r%d" % len(regs))
            out.append(("r", regs[-1], var, rng.choice(("na", "rlx", "rlx", "acq", "sc"))))
        elif kind == "u":
            regs.append("r%d" % len(regs))
            out.append(("u", regs[-1], var, rng.randint(1, 2),
                        rng.choice(("rlx", "acq", "rel", "acq_rel", "sc"))))
        elif kind == "f":
            out.append(("f", rng.choice(("acq", "rel", "acq_rel", "sc", "sc"))))
        elif kind == "q" and regs and not held and not depth:
            out.append(("q", rng.choice(regs), rng.randint(0, 1)))
        elif kind == "i" and regs and not depth:
            inner = random_thread(rng, rng.randint(1, 2), [], 1, False)
            inner = [op for op in inner if op[0] in "wf"]
            if inner:
                out.append(("i", rng.choice(regs), rng.randint(0, 1), inner))
        elif kind == "l" and with_locks and not depth:
            out.append(("L" if held else "l", "m"))
            held = not held
    if held:
        out.append(("L", "m"))
    return out


def random_program(rng):
    n = rng.choice((2, 2, 2, 3))
    with_locks = rng.random() < 0.3
    size = {2: 4, 3: 2}[n]
    return [random_thread(rng, rng.randint(1, size), [], 0, with_locks) for _ in range(n)]


def many(augur, seed, count):
    for i in range(count):
        threads = random_program(random.Random(seed * 1000003 + i))
        try:
            compare(augur, threads)
        except Differs as e:
            raise Differs("seed %d, program %d: %s" % (seed, i, e))
    return "%d programs, seed %d" % (count, seed)


def main():
    augur, what, more = sys.argv[1], sys.argv[2], sys.argv[3:]
    try:
        if what == "literature":
            print("ok " + literature(augur))
        elif what == "litmus":
            print("ok " + litmus(augur, int(more[0]), more[1:] or SHAPES))
        else:
            print("ok " + many(augur, int(more[0]), int(more[1])))
    except Differs as e:
        print("differs: %s" % e)
        return 1
    return 0


sys.exit(main())
