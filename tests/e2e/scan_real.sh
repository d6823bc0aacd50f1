#!/usr/bin/env bash
# augur scan on programs of real size: a written one of some thousand lines in `make check`; with NIGHTLY set
# memcached, zstd and pbzip2 from Debian's sources, each within ten minutes and 4 GiB, all processes
# together. Sources: see real_programs.sh.
. "$(dirname "$0")/lib.sh"

NIGHTLY=${NIGHTLY:-}

# --- a program of pools, queues and objects with locks: 60 kinds of them, four kinds of threads ---

# Every kind has one counter that is bumped without its lock in one of two places (line marked RACE),
# everything else of it is protected.
make_program() {
    awk -v kinds="$1" 'BEGIN {
        print "#include <pthread.h>\n#include <stdlib.h>\n"
        for (k = 0; k < kinds; k++) {
            print "struct item" k " {\n    struct item" k " *next;\n    int key, value;\n};"
            print "static struct {\n    pthread_mutex_t lock;\n    pthread_cond_t more;\n    struct item" k " *head, *tail;\n    int length, closed;\n} queue" k " = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};"
            print "static pthread_mutex_t pool_lock" k " = PTHREAD_MUTEX_INITIALIZER;"
            print "static struct item" k " *pool" k ";\nstatic int pool_size" k ", made" k ", hits" k ", misses" k ";\n"
            print "static struct item" k " *get" k "(int key) {"
            print "    pthread_mutex_lock(&pool_lock" k ");"
            print "    struct item" k " *i = pool" k ";"
            print "    if (i) {\n        pool" k " = i->next;\n        pool_size" k "--;\n        hits" k "++;\n    } else {\n        made" k "++;\n        misses" k "++;\n    }"
            print "    pthread_mutex_unlock(&pool_lock" k ");"
            print "    if (!i)\n        i = malloc(sizeof *i);"
            print "    if (!i)\n        return NULL;"
            print "    i->key = key;\n    i->value = key % 7;\n    i->next = NULL;\n    return i;\n}\n"
            print "static void give" k "(struct item" k " *i) {"
            print "    pthread_mutex_lock(&pool_lock" k ");"
            print "    i->next = pool" k ";\n    pool" k " = i;\n    pool_size" k "++;"
            print "    pthread_mutex_unlock(&pool_lock" k ");\n}\n"
            print "static void put" k "(struct item" k " *i) {"
            print "    pthread_mutex_lock(&queue" k ".lock);"
            print "    if (queue" k ".tail)\n        queue" k ".tail->next = i;\n    else\n        queue" k ".head = i;"
            print "    queue" k ".tail = i;\n    queue" k ".length++;"
            print "    pthread_cond_signal(&queue" k ".more);"
            print "    pthread_mutex_unlock(&queue" k ".lock);\n}\n"
            print "static struct item" k " *take" k "(void) {"
            print "    pthread_mutex_lock(&queue" k ".lock);"
            print "    while (!queue" k ".head && !queue" k ".closed)\n        pthread_cond_wait(&queue" k ".more, &queue" k ".lock);"
            print "    struct item" k " *i = queue" k ".head;"
            print "    if (i) {\n        queue" k ".head = i->next;\n        if (!queue" k ".head)\n            queue" k ".tail = NULL;\n        queue" k ".length--;\n    }"
            print "    pthread_mutex_unlock(&queue" k ".lock);"
            print "    return i;\n}\n"
            print "static void reset" k "(void) {"
            print "    hits" k " = 0; /* RACE */"
            print "}\n"
        }
        print "static void *feeds(void *n) {\n    int from = n != NULL;"
        for (k = 0; k < kinds; k++)
            print "    for (int r = from; r < 100; r++) {\n        struct item" k " *i = get" k "(r);\n        if (i)\n            put" k "(i);\n    }"
        print "    return NULL;\n}\n\nstatic void *eats(void *n) {\n    (void)n;"
        for (k = 0; k < kinds; k++)
            print "    for (struct item" k " *i; (i = take" k "()) != NULL;)\n        give" k "(i);"
        print "    return NULL;\n}\n\nstatic void *cleans(void *n) {\n    (void)n;"
        for (k = 0; k < kinds; k++)
            print "    reset" k "();"
        print "    return NULL;\n}\n\nstatic void *closes(void *n) {\n    (void)n;"
        for (k = 0; k < kinds; k++)
            print "    pthread_mutex_lock(&queue" k ".lock);\n    queue" k ".closed = 1;\n    pthread_cond_broadcast(&queue" k ".more);\n    pthread_mutex_unlock(&queue" k ".lock);"
        print "    return NULL;\n}\n\nint main(void) {\n    pthread_t t[6];"
        print "    for (int i = 0; i < 2; i++) {\n        pthread_create(&t[i], NULL, feeds, i ? t : NULL);\n        pthread_create(&t[2 + i], NULL, eats, NULL);\n    }"
        print "    pthread_create(&t[4], NULL, cleans, NULL);\n    pthread_create(&t[5], NULL, closes, NULL);"
        print "    for (int i = 0; i < 6; i++)\n        pthread_join(t[i], NULL);\n    return 0;\n}"
    }' >"$2"
}

kinds=60
[ -z "$SANITIZED" ] || kinds=12
make_program $kinds medium.c

check "a program of thousands of lines is scanned"
if [ -z "$SANITIZED" ]; then
    expect_true "it has thousands of lines" test "$(wc -l <medium.c)" -gt 4000
fi
run timeout 1200 "$AUGUR" scan --budget 4 --format json -o medium.json medium.c
expect_status 1
expect_no_out

check "every race that was put there is told by file and line, and nothing is called impossible that was not looked at"
python3 - medium.c medium.json <<'E' || fail "see above"
import json, re, sys
source = open(sys.argv[1]).read().split("\n")
races = {n + 1 for n, line in enumerate(source) if "RACE" in line}
report = json.load(open(sys.argv[2]))
told = set()
guarded = []
for f in report["findings"]:
    if f["kind"] != "race":
        continue
    assert f["status"] in ("possible", "proved"), f
    assert len(f["events"]) == 2 and all(e["line"] and e["file"] for e in f["events"]), f
    for e in f["events"]:
        told.add(e["line"])
    if re.match(r"(pool_size|made|misses|pool|queue)\d", f["var"]):
        guarded.append(f["message"])
assert not races - told, ("not told", sorted(races - told)[:5])
assert not guarded, guarded[:5]
E

check "as text: a line for each variable, by file and line, with the locks of each side"
run timeout 1200 "$AUGUR" scan --stages lockset --brief 10 --top 7 medium.c
expect_status 1
expect_out 'undecided races: [0-9]+ of [0-9]+ variables; the most promising of each \(7\)'
expect_out "'hits0'  medium.c:[0-9]+ writes / medium.c:[0-9]+ writes  \(feeds.* holds pool_lock0, cleans.* holds nothing\)"
expect_out '… [0-9]+ more lines'

# --- functions with one copy for several calls (--inline 1: all of them) ---

check "what is held, and who is not started, is known past a call that others make, too; not past one that gives it back"
cat >calls.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int kept, lost, early, again;
static int next(int x) {
    return x > 3 ? next(x - 3) : x + 1;
}
static void let_go(int x) {
    if (x > 1)
        let_go(x - 1);
    else
        pthread_mutex_unlock(&m);
}
static void *one(void *p) {
    (void)next(1);
    pthread_mutex_lock(&m);
    kept = next(kept);
    kept++;
    let_go(2);
    lost++;
    pthread_mutex_lock(&m);
    again = next(again) + early;
    again++;
    pthread_mutex_unlock(&m);
    return p;
}
static void *two(void *p) {
    pthread_mutex_lock(&m);
    kept = next(kept);
    kept++;
    lost++;
    again++;
    pthread_mutex_unlock(&m);
    (void)next(early);
    return p;
}
int main(void) {
    pthread_t a, b;
    early = next(1);
    early++;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    (void)next(2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return next(kept + lost) == 0;
}
END
run timeout 1200 "$AUGUR" scan --inline 1 --stages lockset --format json -o calls.json calls.c
expect_status 1
vars=$(grep -o '"var": "[a-z]*"' calls.json | sort -u | tr '\n' ' ')
expect_true "only 'lost' is left: $vars" test "$vars" = '"var": "lost" '

if [ -z "$NIGHTLY" ] || [ -n "$SANITIZED" ]; then
    check "memcached, zstd and pbzip2"
    skip "only nightly (NIGHTLY=1), with the release build"
    exit 0
fi

# --- real programs --------------------------------------------------------------------------------------


# watched FILE PID: the largest memory of a process and all its children, in KiB, until it ends
watched() {
    local most=0
    while kill -0 "$2" 2>/dev/null; do
        local now=0 p
        for p in "$2" $(pgrep -P "$2"); do
            now=$((now + $(awk '/^Pss:/ { print $2 }' /proc/"$p"/smaps_rollup 2>/dev/null || echo 0)))
        done
        [ $now -le $most ] || most=$now
        sleep 1
    done
    echo $most >"$1"
}

# scanned NAME PROGRAM: within ten minutes and 4 GiB; leaves NAME.json
scanned() {
    local begun=$EPOCHSECONDS
    "$AUGUR" scan --no-replay --format json -o "$1.json" "$2" >"$1.out" 2>"$1.err" &
    local pid=$!
    watched "$1.memory" $pid &
    local watcher=$!
    wait $pid
    status=$? au_command="augur scan $2" err=$(cat "$1.err") out=
    wait $watcher
    expect_status 1
    expect_true "ten minutes: $((EPOCHSECONDS - begun)) s" test $((EPOCHSECONDS - begun)) -le 600
    expect_true "4 GiB: $(cat "$1.memory") KiB" test "$(cat "$1.memory")" -le 4194304
    expect_true "it was measured" test "$(cat "$1.memory")" -gt 10000
    python3 - "$1.json" <<'E' || fail "see above"
import json, sys
report = json.load(open(sys.argv[1]))
races = [f for f in report["findings"] if f["kind"] == "race"]
assert races
for f in races:
    assert f["status"] in ("possible", "proved"), f
    assert len(f["events"]) == 2, f
    assert all(e.get("location") for e in f["events"]), f
    assert f["status"] == "proved" or f["reason"], f
left = [k for k in report["funnel"]["race"] if k != "unit"]
assert report["funnel"]["race"]["solver"] == len(races), (report["funnel"], len(races))
E
}
# tells NAME VARIABLE FILE: a race on it is listed, with a line of this file
tells() {
    python3 - "$1.json" "$2" "$3" <<'E' || fail "$1: no race on '$2' in $3"
import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    if f.get("var", "").split("#")[0] == sys.argv[2] and any(sys.argv[3] in e["location"] for e in f["events"]):
        sys.exit(0)
sys.exit(1)
E
}

if ! command -v clang-19 >/dev/null || ! command -v dpkg-source >/dev/null; then
    check "real programs"
    skip "clang-19 or dpkg-dev is not installed"
    exit 0
fi

check "pbzip2 is scanned"
if ! compiles '#include <bzlib.h>'; then
    skip "libbz2-dev is not installed"
elif ! get pbzip2 pbzip2; then
    skip "$why"
else
    run make -s -C pbzip2 -j "$jobs" CC="$AUGUR cc" CXX="$AUGUR c++ -Wno-reserved-user-defined-literal -w" pbzip2
    expect_status 0
    scanned pbzip2 pbzip2/pbzip2
    # read by consumers without the lock under which the producer ends it
    tells pbzip2 _ZL13terminateFlag pbzip2.cpp
fi

check "zstd is scanned"
if ! get libzstd zstd; then
    skip "$why"
else
    run make -s -C zstd/programs -j "$jobs" CC="$AUGUR cc" zstd
    expect_status 0
    scanned zstd zstd/programs/zstd
    tells zstd g_displayLevel cover.c # set by main, read by the pool's threads
fi

check "memcached is scanned"
if ! compiles '#include <event.h>'; then
    skip "libevent-dev is not installed"
elif ! get memcached memcached; then
    skip "$why"
else
    cd memcached
    run ./configure CC="$AUGUR cc"
    expect_status 0
    run make -s -j "$jobs" memcached
    expect_status 0
    cd ..
    scanned memcached memcached/memcached
    # benign ones that are known: the clock that one thread sets and all others read …
    tells memcached current_time memcached.c
    # … the hash table's size, read by everybody while the maintenance thread grows it
    tells memcached hashpower assoc.c
fi
