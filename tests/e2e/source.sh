#!/usr/bin/env bash
# Static models of sources and programs (src/lower/source.h): every recorded run of a program is a run
# of its model; what is shared, private and over-approximated is told.
. "$(dirname "$0")/lib.sh"

build=$(dirname "$AUGUR")
cp "$build/tests/code/source_dump" "$build/tests/code/source_follow" "$TMP/"
for part in augur-llvm.so libaugur_rt.a augur_rt.list; do
    ln -s "$build/$part" "$TMP/$part"
done

# follow NAME PROGRAM ARGS...: records it on some schedules and follows each.
follow() {
    local name=$1 program=$2
    shift 2
    for seed in 1 2; do
        check "a run is one of the model: $name, schedule $seed"
        timeout 1200 "$AUGUR" record --quiet --schedule random --seed $seed -o "$TMP/f.trace" "$program" "$@" >/dev/null 2>&1 || true
        run timeout 1200 "$TMP/source_follow" "$TMP/f.trace" "$program"
        expect_status 0
        expect_out "followed"
    done
}

# Random programs.
for seed in ${SOURCE_SEEDS:-1 2 3 4 5 6 7 8 9 10 1007 1013 1017 1018 1041 1045 1054 3026}; do
    size=$((seed > 3000 ? 16 : seed > 1000 ? 9 : 4))
    "$build/tests/random/gen_c_print" "$seed" $size >"$TMP/p.c"
    "$AUGUR" cc -g -fwrapv "$TMP/p.c" -o "$TMP/p" 2>/dev/null
    follow "random program $seed" "$TMP/p" 0
done

# The examples.
for file in "$SRC"/examples/first/*.c "$SRC"/examples/assertions/*.c "$SRC"/examples/papers/*.c "$SRC"/examples/scan/*.c "$SRC"/tests/code/source/*.c; do
    augur_cc -g "$file" -o "$TMP/x" 2>/dev/null || continue
    follow "${file#"$SRC"/}" "$TMP/x"
done
