#!/usr/bin/env python3
"""bench/report.py [--missed] DIRECTORY PART...: one report of what the parts printed.

DIRECTORY/parts holds PART.md, the Markdown that the part printed, and PART.info, 'name: text' a line
(bench/run.sh writes both). Written beside it: index.html, one page with plots and no other file;
benchmarks.md, the same tables below bench/intro.md; results.json, every number of every table. Nothing is
known here of what the parts measure: the tables say it (the head of bench/run.sh tells how).
--missed only prints how many targets these parts missed.
"""
import html
import json
import os
import re
import sys

import plot

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = ("cpu", "memory", "kernel")
VERSIONS = ("augur", "gcc", "clang", "valgrind", "cadical", "z3")


class Table:
    """Cells as text; 'plots' are the attributes of the plot comments that follow it."""

    def __init__(self, head):
        self.head, self.rows, self.plots = head, [], []


def parse(text):
    """The part's blocks: ('head', text), ('text', text), ('table', Table)."""
    blocks, lines, i = [], text.splitlines(), 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            i += 1
        elif line.startswith("#"):
            blocks.append(("head", line.lstrip("#").strip()))
            i += 1
        elif line.startswith("<!--"):
            found = re.match(r"<!-- plot:(.*)-->", line)
            tables = [b for k, b in blocks if k == "table"]
            if found and tables:
                tables[-1].plots.append(plot.attributes(found.group(1)))
            i += 1
        elif line.startswith("|"):
            rows = []
            while i < len(lines) and lines[i].startswith("|"):
                # an empty last cell belongs to the row
                rows.append([c.strip() for c in lines[i].strip()[1:].removesuffix("|").split("|")])
                i += 1
            table = Table(rows[0])
            for r in rows[1:]:
                if not all(re.fullmatch(r":?-+:?", c) for c in r):
                    table.rows.append((r + [""] * len(rows[0]))[: len(rows[0])])
            blocks.append(("table", table))
        else:
            text_lines = []
            while i < len(lines) and lines[i].strip() and lines[i][0] not in "|#<":
                text_lines.append(lines[i].strip())
                i += 1
            blocks.append(("text", " ".join(text_lines)))
            if not text_lines:
                i += 1
    return blocks


def number(text):
    """(value, unit) of a cell that begins with a number; (None, '') of another."""
    found = re.match(r"[<>]?=?\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(.*)", text)
    if not found:
        return None, ""
    value = float(found.group(1))
    return (int(value) if value == int(value) and "." not in found.group(1) else value), found.group(2)


def records(part, blocks):
    """A record for every number of every table; the verdict and target stand at what was measured."""
    section, out = "", []
    for kind, block in blocks:
        if kind == "head":
            section = block
        if kind != "table":
            continue
        verdict_at = len(block.head) - 1 if block.head[-1] == "" else None
        targets = [i for i, h in enumerate(block.head) if h.startswith("target")]
        judged = [i for i, h in enumerate(block.head) if h.startswith("measured")]
        for row in block.rows:
            verdict = row[verdict_at] if verdict_at else ""
            for i in range(1, len(row)):
                value, unit = number(row[i])
                if i in targets or i == verdict_at or value is None:
                    continue
                if not unit and "," in block.head[i]:
                    unit = block.head[i].split(",")[-1].strip()
                record = {"part": part, "section": section, "row": row[0], "column": block.head[i]}
                record.update(value=value, unit=unit)
                if judged and i == judged[0]:
                    record["target"] = row[targets[0]] if targets else ""
                    record["verdict"] = verdict
                out.append(record)
    return out


def read_part(directory, name):
    base = os.path.join(directory, "parts", name)
    if not os.path.exists(base + ".info"):
        return None
    part = {"part": name, "error": []}
    for line in open(base + ".info", encoding="utf-8"):
        key, _, value = line.rstrip("\n").partition(": ")
        if key == "error":
            part["error"].append(value)
        else:
            part[key] = value
    part["blocks"] = parse(open(base + ".md", encoding="utf-8").read())
    part["records"] = records(name, part["blocks"])
    verdicts = [row[-1] for k, t in part["blocks"] if k == "table" and t.head[-1] == "" for row in t.rows]
    part["passed"], part["missed"] = verdicts.count("PASS"), verdicts.count("MISS")
    return part


def failed(part):
    return part.get("status") != "0"


def failure(part):
    return f"This part failed with status {part.get('status', '?')}: {' · '.join(part['error'])}"


def told(part):
    """When and how a part was measured."""
    mode = "quick" if part.get("mode") == "quick" else "full"
    return f"{part.get('date', '?')}, {mode}, {part.get('seconds', '?')} s"


# HTML --------------------------------------------------------------------------------------------


def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"\[([^\]]+)\]\(([^) ]+)\)", r"\1", text)
    return re.sub(r"(?<![\w*])\*([^* ][^*]*)\*(?![\w*])", r"<i>\1</i>", text)


def html_table(table):
    out = ["<div class=wide><table><thead><tr>"]
    out += [f"<th>{inline(h)}</th>" for h in table.head]
    out.append("</tr></thead><tbody>")
    for row in table.rows:
        out.append("<tr>")
        for i, cell in enumerate(row):
            mark = {"PASS": "pass", "MISS": "miss"}.get(cell)
            if mark is None and i and number(cell)[0] is not None and len(cell) <= 16:
                mark = "n"
            elif mark is None and not i and len(cell) <= 36:
                mark = "f"
            out.append(f"<td{f' class={mark}' if mark else ''}>{inline(cell)}</td>")
        out.append("</tr>")
    out.append("</tbody></table></div>")
    return "".join(out)


def html_intro(text):
    """The part of intro.md that explains: paragraphs, lists, one heading a section, code."""
    out, lines, i = [], text.splitlines(), 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("    "):
            block = []
            while i < len(lines) and lines[i].startswith("    "):
                block.append(lines[i][4:])
                i += 1
            out.append("<pre>" + html.escape("\n".join(block), quote=False) + "</pre>")
            continue
        if line.startswith("## "):
            out.append(f"<h3>{inline(line[3:])}</h3>")
        elif line.startswith("# ") or not line.strip():
            pass
        elif line.startswith("- "):
            items = []
            while i < len(lines) and (lines[i].startswith("- ") or (lines[i].startswith("  ") and items)):
                if lines[i].startswith("- "):
                    items.append(lines[i][2:])
                else:
                    items[-1] += " " + lines[i].strip()
                i += 1
            out.append("<ul>" + "".join(f"<li>{inline(t)}</li>" for t in items) + "</ul>")
            continue
        else:
            block = []
            while i < len(lines) and lines[i].strip() and not lines[i].startswith(("- ", "#", "    ")):
                block.append(lines[i].strip())
                i += 1
            out.append(f"<p>{inline(' '.join(block))}</p>")
            continue
        i += 1
    return "\n".join(out)


def page(parts, intro):
    style = open(os.path.join(HERE, "report.css"), encoding="utf-8").read()
    out = [
        "<!doctype html><html lang=en><head><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width, initial-scale=1'>",
        f"<title>augur: benchmarks</title><style>{style}</style></head><body>",
        "<nav><b>augur: benchmarks</b>",
    ]
    for p in parts:
        mark = "bad" if failed(p) else "miss" if p["missed"] else "pass"
        out.append(f"<a class={mark} href='#{p['part']}'>{inline(p['title'])}</a>")
    out.append("</nav><main><h1>augur: benchmarks</h1>")
    newest = max(parts, key=lambda p: p.get("date", ""))
    out.append("<dl>")
    for key in MACHINE + VERSIONS:
        out.append(f"<div><dt>{key}</dt><dd>{inline(newest.get(key, '?'))}</dd></div>")
    out.append("</dl>")
    out.append(html_table(summary(parts)))
    how = "How to read this, and how to repeat it"
    out.append(f"<details><summary>{how}</summary>{html_intro(intro)}</details>")
    for p in parts:
        out.append(f"<section id='{p['part']}'><h2>{inline(p['title'])}</h2>")
        out.append(f"<p class=when>{inline(told(p))}; load {p.get('load', '?')}, augur {inline(p.get('augur', '?'))}</p>")
        if failed(p):
            out.append(f"<p class=failed>{inline(failure(p))}</p>")
        for kind, block in p["blocks"]:
            if kind == "head":
                out.append(f"<h3>{inline(block)}</h3>")
            elif kind == "text":
                out.append(f"<p>{inline(block)}</p>")
            else:
                out += [plot.draw(a, block) for a in block.plots]
                out.append(html_table(block))
        out.append("</section>")
    out.append("</main></body></html>")
    return "\n".join(out) + "\n"


# Markdown, JSON ----------------------------------------------------------------------------------


def summary(parts):
    table = Table(["part", "targets met", "missed", "measured", "s", ""])
    for p in parts:
        state = "FAILED" if failed(p) else "MISS" if p["missed"] else "PASS" if p["passed"] else ""
        mode = "quick" if p.get("mode") == "quick" else "full"
        when = f"{p.get('date', '?')}, {mode}"
        table.rows.append([p["title"], str(p["passed"]), str(p["missed"]), when, p.get("seconds", "?"), state])
    return table


def md_table(table):
    lines = ["| " + " | ".join(table.head) + " |", "|" + "---|" * len(table.head)]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in table.rows])


def markdown(parts, intro):
    newest = max(parts, key=lambda p: p.get("date", ""))
    out = [intro.rstrip(), "", "## This run", ""]
    about = Table(["what", "which"])
    about.rows = [[k, newest.get(k, "?")] for k in MACHINE + VERSIONS]
    out += [md_table(about), "", md_table(summary(parts))]
    for p in parts:
        out += ["", "## " + p["title"], "", f"*{told(p)}*"]
        if failed(p):
            out += ["", failure(p)]
        for kind, block in p["blocks"]:
            out += ["", "### " + block if kind == "head" else block if kind == "text" else md_table(block)]
    return "\n".join(out) + "\n"


def results(parts):
    about = []
    for p in parts:
        about.append({
            "part": p["part"],
            "title": p["title"],
            "date": p.get("date"),
            "quick": p.get("mode") == "quick",
            "status": int(p.get("status", "1")),
            "error": p["error"],
            "seconds": float(p.get("seconds", 0)),
            "cpu_seconds": float(p.get("cpu_seconds", 0)),
            "passed": p["passed"],
            "missed": p["missed"],
            "machine": {k: p.get(k, "?") for k in MACHINE},
            "load": p.get("load"),
            "versions": {k: p.get(k, "?") for k in VERSIONS},
        })
    return {"schema": 1, "parts": about, "records": [r for p in parts for r in p["records"]]}


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(path + ".new", path)


def main(args):
    only_missed = args[:1] == ["--missed"]
    args = args[only_missed:]
    if len(args) < 2:
        sys.exit("usage: bench/report.py [--missed] DIRECTORY PART...")
    directory = args[0]
    parts = [p for p in (read_part(directory, name) for name in args[1:]) if p]
    if only_missed:
        print(sum(p["missed"] for p in parts))
        return
    if not parts:
        sys.exit(f"bench: nothing measured in '{directory}'")
    intro = open(os.path.join(HERE, "intro.md"), encoding="utf-8").read()
    write(directory, "index.html", page(parts, intro))
    write(directory, "benchmarks.md", markdown(parts, intro))
    write(directory, "results.json", json.dumps(results(parts), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
