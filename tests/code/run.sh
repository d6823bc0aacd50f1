#!/usr/bin/env bash
# tests/code/run.sh PROGRAM.c LEVEL DIR: compiles one of tests/code/programs as `augur cc`
# would, with the hooks of stub.c, in DIR and prints what it printed. AUGUR says which
# build to use. FLAGS:, WITH: and LINK: lines in the program say what else it needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
src=$1 level=$2 dir=$3
build=$(dirname "$AUGUR")
name=$(basename "$src")
word() { sed -n "s,^// $1: ,,p" "$src"; }
read -ra flags <<<"$(word FLAGS)"
read -ra link <<<"$(word LINK)"
read -ra with <<<"$(word WITH)"
cd "$dir"
case $name in *.cpp) lang=c++ ;; *) lang=c ;; esac
if [ ! -e "$name.hooked.bc" ]; then # the same for every level
    (cd "$(dirname "$src")" && clang-19 -x $lang -g -O1 -Xclang -disable-llvm-passes -emit-llvm \
        ${flags[@]+"${flags[@]}"} -c "$name" -o "$dir/$name.bc")
    "$build/tests/code/instrument" "$build/augur-llvm.so" "$name.bc" "$name.hooked.bc" \
        --clean "$name.clean.bc"
fi
clang-19 "-$level" -c "$name.hooked.bc" -o "$name.o" ${flags[@]+"${flags[@]}"}
[ -e stub.o ] || clang-19 -O1 -c "$here/stub.c" -o stub.o -I"$here/../.." -I"$here/../../src"
objects=()
for w in ${with[@]+"${with[@]}"}; do
    clang-19 -O1 -c "$(dirname "$src")/$w" -o "$w.o"
    objects+=("$w.o")
done
clang-19 "$name.o" stub.o ${objects[@]+"${objects[@]}"} -o "$name.exe" ${link[@]+"${link[@]}"}
status=0
"./$name.exe" || status=$?
echo "exit $status"
