# tools/same/list.sh: the jobs of tools/same.sh, a line each: 'GROUP INPUT [OPTION...]', the slowest kinds first.
# Runs in the directory with the inputs.
shopt -s nullglob
job() { grep -qF -e "$1 $2 * " "$SAME_TOOLS/left_out.txt" || echo "$*"; }

for f in examples/scan/*.c tests/scan/*.c; do job scan "$f"; done
for f in tests/retrace/*.c* tests/programs/cond.c tests/programs/many_threads.c tests/programs/mix.c \
    examples/explore/*.c examples/assertions/*.c examples/first/*.c examples/tutorial/*.c examples/ci/*.c \
    examples/papers/*.c tests/explore/*.c tests/explore/calm/*.c tests/family/*.c; do
    grep -q 'main(' "$f" && job program "$f"
done
for f in tests/programs/*.c tests/programs/*.cc; do
    case $f in */cond.c | */many_threads.c | */mix.c) continue ;; esac
    grep -qE '^ \* EXIT [0-9]' "$f" && job program "$f"
done
# Every fifth: all of them would take as long as everything else together.
printf '%s\n' bench/bugs/*.c | awk 'NR % 5 == 1 && $0' | while read -r f; do job program "$f" -include "$PWD/bench/bugs/apart.h"; done
for f in tests/models/*.ctp examples/scan/*.ctp fuzz/corpus/ctp/*; do
    case $f in fuzz/*) [ ! -e "tests/models/${f##*/}" ] || continue ;; esac
    job model "$f"
done
# Of the injected races, which are much alike, every fifth.
find examples/traces tests/golden tests/traces fuzz/corpus/std fuzz/corpus/binary fuzz/corpus/recording -type f 2>/dev/null |
    grep -vE '\.(c|sh|md)$|LICENSE' | sort | awk '!/injected/ || n++ % 5 == 0' | while read -r f; do job trace "$f"; done
for seed in 1 2 3; do
    echo "trace gen-small-$seed --events 300 --threads 3 --atomic --seed $seed"
    echo "trace gen-values-$seed --events 200 --threads 3 --values --seed $seed"
    echo "trace gen-large-$seed --events 3000 --threads 8 --seed $seed"
done
for shape in raytracer account daisy thrift; do
    echo "trace gen-$shape --shape $shape"
done
echo "api examples/api/findings.c"
echo "help help"
echo "wrong wrong"
