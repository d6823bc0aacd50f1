#!/usr/bin/env bash
# bench/growth_models.sh ctp|c|std STEPS THREADS LOCKS VARS CANDIDATES: a program or trace of that size on
# standard output; what bench/part_growth.sh makes grow.
#   ctp, c   each thread does STEPS additions, to the variables in turn, each under the lock that belongs to
#            the variable; that a variable has the sum in the end is asserted (ctp); so many flags are read
#            by a thread each without a lock and written by main (c)
#   std      CANDIDATES times: two threads write one more variable without a lock, and take two more
#            locks in two orders; the other numbers are not used
set -euo pipefail
[ $# -eq 6 ] || {
    echo "usage: bench/growth_models.sh ctp|c|std STEPS THREADS LOCKS VARS CANDIDATES" >&2
    exit 2
}
awk -v kind="$1" -v steps="$2" -v threads="$3" -v locks="$4" -v vars="$5" -v flags="$6" '
function var_of(t, i) { return (t * 3 + i) % vars }
BEGIN {
    n0 = 0
    for (t = 1; t <= threads; t++) for (i = 0; i < steps; i++) if (var_of(t, i) == 0) n0++
    if (kind == "ctp") {
        for (v = 0; v < vars; v++) print "shared v" v " = 0"
        for (l = 0; l < locks; l++) print "lock l" l
        print "thread M {"
        for (t = 1; t <= threads; t++) print "  fork T" t
        for (t = 1; t <= threads; t++) print "  join T" t
        print "  check: assert v0 == " n0 "\n}"
        for (t = 1; t <= threads; t++) {
            print "thread T" t " {"
            for (i = 0; i < steps; i++) {
                v = var_of(t, i)
                print "  acq l" v % locks "\n  a := v" v "\n  v" v " := a + 1\n  rel l" v % locks
            }
            print "}"
        }
        exit
    }
    if (kind == "std") {
        print "T0|fork(T1)|1\nT0|fork(T2)|1"
        for (t = 1; t <= 2; t++)
            for (i = 0; i < flags; i++) {
                a = t == 1 ? "a" i : "b" i; b = t == 1 ? "b" i : "a" i; p = "T" t "|"
                print p "w(x" i ")|2\n" p "acq(" a ")|3\n" p "acq(" b ")|4\n" p "rel(" b ")|5\n" p "rel(" a ")|6"
            }
        print "T0|join(T1)|7\nT0|join(T2)|7"
        exit
    }
    print "#include <pthread.h>"
    for (i = 0; i < flags; i++) print "static int flag" i ";"
    for (v = 0; v < vars; v++) print "static int v" v ";"
    for (l = 0; l < locks; l++) print "static pthread_mutex_t l" l " = PTHREAD_MUTEX_INITIALIZER;"
    for (t = 1; t <= threads; t++) {
        print "static void *run" t "(void *p) {"
        for (i = 0; i < flags; i++) if (i % threads + 1 == t) print "    if (flag" i ") return 0;"
        for (i = 0; i < steps; i++) {
            v = var_of(t, i)
            print "    pthread_mutex_lock(&l" v % locks ");\n    v" v "++;"
            print "    pthread_mutex_unlock(&l" v % locks ");"
        }
        print "    return p;\n}"
    }
    print "int main(void) {\n    pthread_t t[" threads + 1 "];"
    for (t = 1; t <= threads; t++) print "    pthread_create(&t[" t "], 0, run" t ", 0);"
    for (i = 0; i < flags; i++) print "    flag" i " = 1;"
    for (t = 1; t <= threads; t++) print "    pthread_join(t[" t "], 0);"
    print "    return 0;\n}"
}'
