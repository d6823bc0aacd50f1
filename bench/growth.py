#!/usr/bin/env python3
"""bench/growth.py: fits exponents and compares them with a baseline.

    growth.py tell MODE MEASURED BASELINE      Markdown: exponents with verdicts, then what was measured
    growth.py update MODE MEASURED BASELINE    writes them into BASELINE: all of a stage that was measured

MEASURED has a line for every measurement: stage, axis, size, instructions, CPU seconds, KiB; '-' is not
measured. The axis 'base' is the stage on next to nothing: what it costs to start, which is taken off.
BASELINE has lines: mode, stage, axis, measure (work or memory), exponent, tolerance; # begins a comment.

An exponent is the slope of the least-squares line through log(size), log(value), over the larger sizes
(four of five or more, else three). 'work' is instructions, which do not depend on how busy the
machine is; CPU seconds are told beside them and not judged. Small values would be noise: at least FLOOR of
a measure counts, so that what does not grow has the exponent 0.
"""
import math
import sys

TOLERANCE = 0.2
FLOOR = {"work": 2e6, "cpu": 0.02, "memory": 4096}
MEASURES = ("work", "cpu", "memory")


def fit(points):
    """The exponent through [(size, value)], None if there are too few."""
    points = sorted(points)
    points = points[-4:] if len(points) >= 5 else points[-3:]
    if len(points) < 3 or points[0][0] <= 0 or any(v <= 0 for _, v in points):
        return None
    xs, ys = [math.log(n) for n, _ in points], [math.log(v) for _, v in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    across = sum((x - mx) ** 2 for x in xs)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / across if across else None


def read_measured(path):
    """{(stage, axis): [(size, {measure: value})]}, in the order of the file; starting costs taken off."""
    lines, base = {}, {}
    for i, line in enumerate(open(path, encoding="utf-8"), 1):
        words = line.split()
        if not words:
            continue
        if len(words) != 6:
            sys.exit(f"growth: {path}:{i}: six words wanted")
        stage, axis, size = words[:3]
        values = {m: float(w) for m, w in zip(MEASURES, words[3:]) if w != "-"}
        if axis == "base":
            base[stage] = values
        else:
            lines.setdefault((stage, axis), []).append((float(size), values))
    for (stage, _), line in lines.items():
        for _, values in line:
            for m in values:
                values[m] = max(values[m] - base.get(stage, {}).get(m, 0), FLOOR[m])
    return lines


def exponents(lines):
    """{(stage, axis, measure): exponent}"""
    out = {}
    for (stage, axis), line in lines.items():
        for m in MEASURES:
            found = fit([(n, v[m]) for n, v in line if m in v])
            if found is not None:
                out[stage, axis, m] = found
    return out


def read_baseline(path):
    """{(mode, stage, axis, measure): (exponent, tolerance)}"""
    out = {}
    for i, line in enumerate(open(path, encoding="utf-8"), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 6 or words[3] not in MEASURES:
            sys.exit(f"growth: {path}:{i}: wanted: mode stage axis work|memory exponent tolerance")
        out[tuple(words[:4])] = (float(words[4]), float(words[5]))
    return out


def tell(mode, lines, baseline):
    found = exponents(lines)
    print("\n| stage and axis | sizes | target | measured, exponent | by CPU time | baseline | |")
    print("|---|---|---|---|---|---|---|")
    for (stage, axis), line in lines.items():
        sizes = sorted(n for n, _ in line)
        for m in ("work", "memory"):
            exponent = found.get((stage, axis, m))
            if exponent is None:
                continue
            known = baseline.get((mode, stage, axis, m))
            if known is None:
                target, was, verdict = "", "none", "MISS"
            else:
                limit = known[0] + known[1]
                target, was = f"<= {limit:.2f}", f"{known[0]:.2f}"
                verdict = "PASS" if exponent <= limit else "MISS"
            cpu = found.get((stage, axis, "cpu")) if m == "work" else None
            print(f"| {stage}, {axis}: {m} | {sizes[0]:g} … {sizes[-1]:g} | {target} | {exponent:.2f} |"
                  f" {'' if cpu is None else f'{cpu:.2f}'} | {was} | {verdict} |")
    print("\nWhat was measured, without what it costs to start:")
    print("\n| stage | axis | size | million instructions | CPU seconds | MiB |\n|---|---|---|---|---|---|")
    for (stage, axis), line in lines.items():
        for size, v in sorted(line, key=lambda p: p[0]):
            cells = [f"{v[m] / by:.3g}" if m in v else "" for m, by in (("work", 1e6), ("cpu", 1), ("memory", 1024))]
            print(f"| {stage} | {axis} | {size:g} | {' | '.join(cells)} |")
    y = "million instructions" if any("work" in v for line in lines.values() for _, v in line) else "CPU seconds"
    print(f'<!-- plot: growth y="{y}" -->\n<!-- plot: growth y=MiB -->')


def update(mode, lines, baseline, path):
    measured = {stage for stage, _ in lines}

    def old(line):
        words = line.split("#")[0].split()
        return len(words) > 1 and words[0] == mode and words[1] in measured

    kept = [line for line in open(path, encoding="utf-8") if not old(line)]
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(kept))
        for (stage, axis, m), exponent in exponents(lines).items():
            if m != "cpu":
                tolerance = baseline.get((mode, stage, axis, m), (0, TOLERANCE))[1]
                f.write(f"{mode:6} {stage:12} {axis:11} {m:7} {exponent:5.2f} {tolerance:g}\n")


def main(args):
    if len(args) != 4 or args[0] not in ("tell", "update"):
        sys.exit("usage: bench/growth.py tell|update MODE MEASURED BASELINE")
    what, mode, measured, path = args
    lines, baseline = read_measured(measured), read_baseline(path)
    if what == "tell":
        tell(mode, lines, baseline)
    else:
        update(mode, lines, baseline, path)


if __name__ == "__main__":
    main(sys.argv[1:])
