#!/usr/bin/env python3
"""containers.py CLANG SOURCE.c OUTPUT.c: the functions of rt/cxx/containers.c as LLVM's text, in a C string.

Of the module's flags only the version of debug information stays: the others belong to whoever compiles the
program that they are put into, and must not disagree."""
import os
import re
import subprocess
import sys

clang, source, output = sys.argv[1:]
folder = os.path.dirname(os.path.abspath(source))
ir = subprocess.run(
    [clang, "-std=gnu17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-Xclang", "-disable-llvm-passes",
     "-gline-tables-only", "-fno-strict-aliasing", "-fdebug-compilation-dir=<augur>",
     "-ffile-prefix-map=" + folder + "/=", "-S", "-emit-llvm", "-o", "-", os.path.abspath(source)],
    check=True, stdout=subprocess.PIPE, text=True).stdout
version = re.search(r'^(!\d+) = !\{i32 2, !"Debug Info Version", i32 \d+\}$', ir, re.M)
if not version:
    sys.exit("containers: no version of debug information")
ir, n = re.subn(r"^!llvm\.module\.flags = .*$", "!llvm.module.flags = !{" + version[1] + "}", ir, flags=re.M)
if n != 1:
    sys.exit("containers: no module flags")
ir = re.sub(r'^(; ModuleID = |source_filename = ).*$', "", ir, flags=re.M)
# the compiler leaves the directory of a file out where its path was mapped; it is nobody's file (dinfo.c)
ir = ir.replace('directory: ""', 'directory: "<augur>"')
data = ir.encode()
with open(output, "w") as f:
    f.write('#include "llvm/adopt.h"\n\nconst char au_containers[] = {\n')
    for i in range(0, len(data), 24):
        f.write(",".join(map(str, data[i:i + 24])) + ",\n")
    f.write("0};\nconst unsigned long au_containers_size = %d;\n" % len(data))
