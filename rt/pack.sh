#!/bin/sh
# rt/pack.sh ARCHIVE OBJECT...: the runtime as one object in an archive. Names that the runtime
# uses only inside (hidden ones) become local, so that a program may use them too; functions of
# the C library that it stands before become weak, so that a program that defines its own
# (malloc, say) still links. Hooks stay as they are.
#
# The compiler makes calls of memcpy, memset, memmove and memcmp out of assignments. In the runtime's own
# files these are not the wrappers, which would tell the runtime's memory as the program's, but functions of
# mem.c that only copy. Files of wrappers that mean the wrapper when they say so are left alone.
set -e
archive=$1
shift
object=${archive%.a}.o
own=$object.own
rm -rf "$own"
mkdir "$own"
for file; do
    case ${file##*/} in
    rt_mem.o | rt_str.o | rt_chk.o) cp "$file" "$own/" ;;
    *) objcopy --redefine-sym memcpy=rt_memcpy --redefine-sym memmove=rt_memmove \
        --redefine-sym memset=rt_memset --redefine-sym memcmp=rt_memcmp "$file" "$own/${file##*/}" ;;
    esac
done
ld -r -o "$object" "$own"/*.o
rm -rf "$own"
objcopy --localize-hidden --wildcard --weaken-symbol='!__augur_*' --weaken-symbol='*' "$object"
rm -f "$archive"
ar rcsD "$archive" "$object"
rm -f "$object"
