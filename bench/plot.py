"""bench/plot.py: tables as SVG, for bench/report.py. What to draw stands in the part's Markdown, after
the table:

    <!-- plot: bars columns="measured, s|paper, s" log title="…" -->
        for every row a group of bars, one a column; log: a logarithmic axis
    <!-- plot: growth -->
        of a table stage, axis, size, …: a picture a stage, a line an axis, both axes logarithmic;
        y="…" names the column, exponents are fitted (bench/growth.py)

Colours are classes, so that the page's light and dark styles apply. Written here and not with a plotting
program, because these two pictures are all that is needed and nothing has to be installed for them.
"""
import html
import math
import re
import shlex

import growth


def attributes(text):
    out = {}
    for word in shlex.split(text):
        key, sep, value = word.partition("=")
        out[key] = value if sep else True
    return out


def value_of(text):
    found = re.match(r"[<>]?\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)", text)
    return float(found.group(1)) if found else None


def safe(words):
    return html.escape(words, quote=False)


def text(x, y, words, anchor="start", cls="p"):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' class={cls}>{safe(words)}</text>"


def picture(width, height, title):
    return f"<svg class=plot role=img viewBox='0 0 {width} {height}' width='{width}'><title>{safe(title)}</title>"


def short(v):
    if v == 0:
        return "0"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if v >= size:
            return f"{v / size:g}{letter}"
    return f"{v:.3g}"


def ticks(low, high, log):
    if log:
        return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    step = 10 ** math.floor(math.log10(high))
    while high / step < 4:
        step /= 2
    return [step * i for i in range(int(high / step) + 2)]


def bars(a, table):
    names = a["columns"].split("|")
    columns = [table.head.index(n) for n in names]
    groups = []
    for row in table.rows:
        values = [value_of(row[c]) for c in columns]
        if any(v is not None for v in values):
            groups.append((row[0], values))
    seen = [v for _, vs in groups for v in vs if v]
    if not seen:
        return ""
    log = "log" in a
    low, high = min(seen), max(seen)
    marks = ticks(low, high, log)
    left, width, thick, gap = 150, 560, 9, 8
    bottom = 40 + sum(len(vs) * thick + gap for _, vs in groups)

    def at(v):
        if log:
            span = math.log10(marks[-1] / marks[0]) or 1
            return left + width * max(0.004, math.log10(max(v, marks[0]) / marks[0]) / span)
        return left + width * v / marks[-1]

    out = [picture(left + width + 70, bottom + 24, a.get("title", ", ".join(names)))]
    x = left
    for k, name in enumerate(names):
        out.append(f"<rect class=c{k} x='{x}' y='4' width='10' height='10'/>" + text(x + 14, 13, name))
        x += 34 + 7 * len(name)
    for m in marks:
        out.append(f"<line class=grid x1='{at(m):.1f}' x2='{at(m):.1f}' y1='24' y2='{bottom}'/>")
        out.append(text(at(m), bottom + 14, short(m), "middle"))
    y = 30
    for name, values in groups:
        out.append(text(left - 6, y + len(values) * thick / 2 + 4, name if len(name) < 24 else name[:22] + "…", "end"))
        for k, v in enumerate(values):
            if v is not None:
                long = max(at(v) - left, 1)
                out.append(f"<rect class=c{k} x='{left}' y='{y}' width='{long:.1f}' height='{thick - 1}'>")
                out.append(f"<title>{safe(name)}, {safe(names[k])}: {v:g}</title></rect>")
                out.append(text(max(at(v), left) + 4, y + thick - 1, f"{v:g}", cls="v"))
            y += thick
        y += gap
    out.append("</svg>")
    return "".join(out)


def panel(title, lines, unit):
    """One picture: lines is {axis: [(size, value)]}."""
    points = [p for line in lines.values() for p in line if p[1] > 0]
    if len(points) < 2:
        return ""
    w, h, left, top = 380, 250, 56, 30
    xs = ticks(min(p[0] for p in points), max(p[0] for p in points), True)
    ys = ticks(min(p[1] for p in points), max(p[1] for p in points), True)

    def at(p):
        fx = math.log10(p[0] / xs[0]) / (math.log10(xs[-1] / xs[0]) or 1)
        fy = math.log10(p[1] / ys[0]) / (math.log10(ys[-1] / ys[0]) or 1)
        return left + fx * (w - left - 12), h - 34 - fy * (h - 34 - top)

    out = [picture(w, h + 18 * len(lines), title), text(left, 16, title, cls="t"), text(w - 12, 16, unit, "end")]
    for x in xs:
        px = at((x, ys[0]))[0]
        out.append(f"<line class=grid x1='{px:.1f}' x2='{px:.1f}' y1='{top}' y2='{h - 34}'/>")
        out.append(text(px, h - 20, short(x), "middle"))
    for y in ys:
        py = at((xs[0], y))[1]
        out.append(f"<line class=grid x1='{left}' x2='{w - 12}' y1='{py:.1f}' y2='{py:.1f}'/>")
        out.append(text(left - 5, py + 4, short(y), "end"))
    for k, (axis, line) in enumerate(lines.items()):
        line = [p for p in line if p[1] > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, line))
        out.append(f"<polyline class=l{k} points='{path}'/>")
        for p in line:
            x, y = at(p)
            told = f"{axis} {p[0]:g}: {p[1]:g} {unit}"
            out.append(f"<circle class=c{k} cx='{x:.1f}' cy='{y:.1f}' r='3'><title>{safe(told)}</title></circle>")
        fit = growth.fit(line)
        y = h + 18 * k
        out.append(f"<rect class=c{k} x='{left}' y='{y - 9}' width='10' height='10'/>")
        out.append(text(left + 16, y, f"{axis}: exponent {fit:.2f}" if fit is not None else f"{axis}: too few points"))
    out.append("</svg>")
    return "".join(out)


def growth_panels(a, table):
    column = table.head.index(a["y"])
    stages = {}
    for row in table.rows:
        v = value_of(row[column])
        if v is not None:
            stages.setdefault(row[0], {}).setdefault(row[1], []).append((float(row[2]), v))
    panels = [panel(stage, lines, a["y"]) for stage, lines in stages.items()]
    return "<div class=panels>" + "".join(panels) + "</div>"


def draw(a, table):
    try:
        if "bars" in a:
            return f"<figure>{bars(a, table)}<figcaption>{safe(a.get('title', ''))}</figcaption></figure>"
        if "growth" in a:
            return growth_panels(a, table)
    except (KeyError, ValueError) as e:
        return f"<p class=failed>plot: {html.escape(str(e))}</p>"
    return "<p class=failed>plot: neither bars nor growth</p>"
