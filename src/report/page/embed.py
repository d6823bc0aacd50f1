#!/usr/bin/env python3
"""embed.py OUTPUT.c HEADER.h NAME PAGE.html STYLE.css... SCRIPT.js...: a page as two C strings,
NAME_before and NAME_after its data, declared in HEADER.h. The styles become one, and so do the
scripts; the page's Content-Security-Policy lets run exactly that script and that style, by their
hashes."""
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


output, header, name, page = *sys.argv[1:4], read(sys.argv[4])
style = "".join(read(p) for p in sys.argv[5:] if p.endswith(".css"))
script = "(() => {\n'use strict';\n" + "".join(read(p) for p in sys.argv[5:] if p.endswith(".js")) + "})();\n"
for what, text, end in (("style", style, "</style"), ("script", script, "</script")):
    if end in text.lower():
        sys.exit(f"embed: the {what} holds '{end}'")
page = page.replace("@SCRIPT_HASH@", digest(script)).replace("@STYLE_HASH@", digest(style))
page = page.replace("@STYLE@", style).replace("@SCRIPT@", script)
before, after = page.split("@DATA@")
with open(output, "w", encoding="utf-8") as f:
    f.write(f'#include "{header}"\n' + bytes_of(name + "_before", before) +
            bytes_of(name + "_after", after))
