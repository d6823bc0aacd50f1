#!/usr/bin/env python3
"""embed.py OUTPUT.c PAGE.html PAGE.css SCRIPT.js...: the report's page as two C strings, before
and after the data. The scripts become one; the page's Content-Security-Policy lets run exactly
that script and that style, by their hashes."""
import base64
import hashlib
import sys


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def bytes_of(name, text):
    data = text.encode() + b"\0"
    # bytes above 127 as characters: right whether char has a sign or not
    items = [str(b) if b < 128 else f"'\\{b:03o}'" for b in data]
    rows = [", ".join(items[i:i + 32]) for i in range(0, len(items), 32)]
    return f"const char {name}[] = {{\n" + ",\n".join(rows) + "};\n"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


output, page, style = sys.argv[1], read(sys.argv[2]), read(sys.argv[3])
script = "(() => {\n'use strict';\n" + "".join(read(p) for p in sys.argv[4:]) + "})();\n"
for what, text, end in (("style", style, "</style"), ("script", script, "</script")):
    if end in text.lower():
        sys.exit(f"embed: the {what} holds '{end}'")
page = page.replace("@SCRIPT_HASH@", digest(script)).replace("@STYLE_HASH@", digest(style))
page = page.replace("@STYLE@", style).replace("@SCRIPT@", script)
before, after = page.split("@DATA@")
with open(output, "w", encoding="utf-8") as f:
    f.write('#include "report/page.h"\n' + bytes_of("au_page_before", before) +
            bytes_of("au_page_after", after))
