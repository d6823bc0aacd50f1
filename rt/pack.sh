#!/bin/sh
# rt/pack.sh ARCHIVE OBJECT...: the runtime as one object in an archive. Names that the runtime
# uses only inside (hidden ones) become local, so that a program may use them too; functions of
# the C library that it stands before become weak, so that a program that defines its own
# (malloc, say) still links. Hooks stay as they are.
set -e
archive=$1
shift
object=${archive%.a}.o
ld -r -o "$object" "$@"
objcopy --localize-hidden --wildcard --weaken-symbol='!__augur_*' --weaken-symbol='*' "$object"
rm -f "$archive"
ar rcsD "$archive" "$object"
rm -f "$object"
