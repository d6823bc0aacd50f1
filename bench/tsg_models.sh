#!/usr/bin/env bash
# bench/tsg_models.sh NAME: a model of the size of that program in Ganai and Wang's table 1.
#
# The programs themselves are not to be had any more; these have their numbers of threads,
# variables and shared accesses, and their manner:
#   cp1-3     two threads, N = 1, 5, 25 rounds of two sections of one lock each
#   atom1-4   two threads fill a buffer: reserve a place, write, publish (Wang et al.'s apache bugs)
#   bank1-3   eight tellers move money between accounts; what they count is checked
#   index1-4  threads put messages into a table by linear probing, a lock an entry; in index1 no
#             two of them ever meet, in index2 half of them do
# Beyond the paper, where values are computed and not only passed on:
#   square    two threads: squares and remainders
#   product   three threads multiply what others stored
#   quotient  three threads share by division
#   sum       three threads add to an accumulator what they read of each other, weighted
set -euo pipefail
name=${1:?usage: bench/tsg_models.sh cp1-3|atom1-4|bank1-3|index1-4|square|product|quotient|sum}

case $name in
cp1) set -- cp 1 ;;
cp2) set -- cp 5 ;;
cp3) set -- cp 25 ;;
atom1) set -- atom 1 1 ;;
atom2) set -- atom 2 1 ;;
atom3) set -- atom 20 4 ;;
atom4) set -- atom 21 5 ;;
bank1) set -- bank 5 7 0 ;;
bank2) set -- bank 7 11 1 ;;
bank3) set -- bank 8 11 1 ;;
index1) set -- index 8 7 56 8 ;;
index2) set -- index 18 5 27 9 ;;
index3) set -- index 30 17 92 0 ;;
index4) set -- index 32 30 123 0 ;;
square) set -- square 2 ;;
product) set -- product 2 ;;
quotient) set -- quotient 2 ;;
sum) set -- sum 2 ;;
*)
    echo "tsg_models.sh: no model '$name'" >&2
    exit 2
    ;;
esac

awk -v kind="$1" -v n="$2" -v a="${3:-0}" -v b="${4:-0}" -v c="${5:-0}" '
function main_of(workers, check,   i) {
    print "thread M {"
    for (i = 1; i <= workers; i++) print "  fork T" i
    for (i = 1; i <= workers; i++) print "  join T" i
    print "  check: assert " check "\n}"
}
# Values that stay below 256 and depend on the order of the sections.
function cp(   t, i) {
    print "shared X = 0, Y = 1\nlock L"
    for (t = 1; t <= 2; t++) {
        print "thread T" t " {"
        for (i = 1; i <= n; i++) {
            print "  acq L\n  p := X\n  p := " (t == 1 ? "(p + 1) & 255" : "(p * 2) & 255")
            print "  X := p\n  rel L"
            print "  acq L\n  q := Y\n  q := " (t == 1 ? "(q ^ p) & 127" : "(q + 3) & 127")
            print "  Y := q\n  rel L"
        }
        print "}"
    }
    x = 0
    for (i = 1; i <= n; i++) x = (x + 1) % 256
    for (i = 1; i <= n; i++) x = (x * 2) % 256
    main_of(2, "X != " x)
}
# Sections that read two values, and sections that store what is computed from them.
function data(threads, first, second, check,   t, i, a, b) {
    print "shared X = 3, Y = 2, Z = 0\nlock L"
    for (t = 1; t <= threads; t++) {
        print "thread T" t " {"
        for (i = 1; i <= n; i++) {
            a = first; b = second
            gsub(/T/, t, a); gsub(/T/, t, b)
            print "  acq L\n  p := X\n  q := Y\n  rel L\n  acq L\n  X := " a "\n  Y := " b
            print "  z := Z\n  Z := z > p * q ? z : p * q\n  rel L"
        }
        print "}"
    }
    main_of(threads, check)
}
# a: places of the buffer.
function atom(   t, i, k) {
    printf "shared len = 0, full = 0"
    for (k = 0; k < 2 * a; k++) printf ", buf%d = 0", k
    print "\nlock L"
    for (t = 1; t <= 2; t++) {
        print "thread T" t " {"
        for (i = 0; i < n; i++) {
            k = (2 * i + t) % (2 * a)
            print "  acq L\n  p := len\n  rel L\n  p := (p + 1) % 64\n  buf" k " := p"
            print "  acq L\n  len := p\n  q := full\n  full := (q + p) & 1023\n  rel L"
        }
        print "}"
    }
    main_of(2, "len == " (2 * n) % 64)
}
# a: accounts; b: each teller keeps a count that is checked on its way.
function bank(   t, i, k, j) {
    printf "shared total = 0, bad = 0"
    for (k = 0; k < a; k++) printf ", acc%d = 100", k
    print ""
    for (k = 0; k < a; k++) print "lock l" k
    print "lock L"
    for (t = 1; t <= 8; t++) {
        print "thread T" t " {\n  n := 0"
        for (i = 0; i < n; i++) {
            k = (t + i) % a; j = (t + 3 * i + 1) % a
            print "  acq l" k "\n  p" i % 6 " := acc" k "\n  p" i % 6 " := p" i % 6 " - " t
            print "  acc" k " := p" i % 6 "\n  rel l" k
            if (j != k) {
                print "  acq l" j "\n  p" i % 6 " := acc" j "\n  p" i % 6 " := p" i % 6 " + " t
                print "  acc" j " := p" i % 6 "\n  rel l" j
            }
            if (b) print "  n := n + 1"
        }
        if (b && t == 1) print "  if (n > " n ") { bad := 1 }"
        print "  acq L\n  q := total\n  total := q + " n "\n  rel L\n}"
    }
    main_of(8, "total <= " 8 * n)
}
# n threads, a messages each, b entries; the first c threads have entries of their own.
function put(t, h, i) {
    print "  acq l" h "\n  r := e" h
    print "  if (r == 0) { e" h " := " t " } else { full := full + 1 }"
    print "  rel l" h
}
function index_of(   t, i, h) {
    printf "shared e0 = 0"
    for (h = 1; h < b; h++) printf ", e%d = 0", h
    print ""
    for (h = 0; h < b; h++) print "lock l" h
    for (t = 1; t <= n; t++) {
        print "thread T" t " {\n  full := 0"
        for (i = 0; i < a; i++) {
            if (c == n) h = (t - 1) * a + i
            else if (c && t <= c) h = (t - 1) * 2 + i % 2
            else if (c) h = 2 * c + (t + i) % (b - 2 * c)
            else h = (t * 7 + i * 5) % b
            put(t, h % b, i)
        }
        print "}"
    }
    main_of(n, "e" (c ? 0 : 7) " >= 1")
}
BEGIN {
    if (kind == "square") data(2, "(p * p + T) % 251", "(q * q + p) % 127", "Z % 97 != 96")
    else if (kind == "product") data(3, "(p * 5 + T) % 11", "(q * p + T) % 7", "Z % 61 != 59")
    else if (kind == "quotient") data(3, "p * 7 / 3 % 40 + T", "100 / (q + T)", "Z % 97 != 96")
    else if (kind == "sum") data(3, "(p + q * T) % 100", "(q + p) % 50", "Z % 89 != 88")
    else if (kind == "cp") cp()
    else if (kind == "atom") atom()
    else if (kind == "bank") bank()
    else index_of()
}'
