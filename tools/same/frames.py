#!/usr/bin/env python3
"""tools/same/frames.py FILE: the frames of a binary trace or a recording (src/wire/wire.h): sizes and SHA-256 of
each payload after unpacking, and the text of META frames. tools/same.sh stores it beside the hash of the whole
file: it says whether two recordings differ in their events, in their tables, or only in how they were packed."""
import hashlib
import struct
import subprocess
import sys

KINDS = {1: "NAMES", 2: "META", 3: "EVENTS", 4: "END", 5: "STREAM", 6: "TABLES", 7: "STDIN"}
HEAD, FRAME = 16, struct.Struct("<IBBHIIIIQ")


def unpack(codec, payload):
    if codec == 0:
        return payload
    return subprocess.run(["zstd", "-dcq"], input=payload, stdout=subprocess.PIPE, check=True).stdout


def texts(payload):
    at = 0
    while at + 4 <= len(payload):
        (n,) = struct.unpack_from("<I", payload, at)
        yield payload[at + 4 : at + 4 + n].decode("utf-8", "backslashreplace")
        at += 4 + n


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    print("file", len(data), hashlib.sha256(data).hexdigest())
    print("head", data[:HEAD].hex())
    at = HEAD
    while at + FRAME.size <= len(data):
        _, kind, codec, _, raw, stored, count, _, _ = FRAME.unpack_from(data, at)
        at += FRAME.size
        payload = unpack(codec, data[at : at + stored])
        at += stored
        print(KINDS.get(kind, kind), "codec", codec, "raw", raw, "count", count, hashlib.sha256(payload).hexdigest())
        if kind == 2:
            words = list(texts(payload))
            for key, value in zip(words[::2], words[1::2]):
                print("  ", key, repr(value))
    print("rest", data[at:].hex())


main()
