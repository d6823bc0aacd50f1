#!/usr/bin/env python3
"""Random C programs whose threads work on objects of their own making (lower/roots.c), on strings in members of structures
(lower/cell.c), with slips: objects that are published, chosen among, handed over, written past their member. More than a hundred
pointers are given to a function that augur does not know, so that points-to sets are of no use. ThreadSanitizer runs
them: every pair of lines that it sees race, 'augur scan' must warn about after locksets.

    roots_random.py --augur build/augur --count 20 --seed 1 [--keep DIR]"""
import sys

from owners_random import compare


def program(r):
    odd = r.random() < 0.75

    def slip(p=0.3):
        return odd and r.random() < p

    out = ["#define _GNU_SOURCE", "#include <pthread.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", "#include <unistd.h>",
           "struct job { int a; char name[24]; char kind[8]; long n; struct job *next; };",
           "static struct job first, second;", "static struct job *published;", "static struct job slot[8];", "static int mark[8];", "static __thread struct job mine;",
           "static struct job *make(int n) {", "    struct job *j = malloc(sizeof *j);", "    memset(j, 0, sizeof *j);",
           "    j->n = n;"]
    if slip(0.2):
        out.append("    published = j;")
    out += ["    return j;", "}", "static void fill(struct job *j, const char *name) {", "    j->a++;",
            "    snprintf(j->name, sizeof j->name, \"%s\", name);", "    j->n += (long)strlen(j->name);",
            "    memset(j->kind, 1, %d);" % (16 if slip(0.2) else 8), "}"]
    out += ["static struct job *pick(struct job *x, struct job *y, int n) {",
            "    return n %% 2 ? x : %s;" % ("&first" if slip(0.25) else "y"), "}"]
    out.append("static void strange(void) {")
    for k in range(55):
        out.append(f"    char b{k}[8], c{k}[8];")
    for k in range(55):
        out.append(f"    swab(b{k}, c{k}, 0);")
    out.append("}")
    out += ["static void *work(void *arg) {", "    long me = (long)arg;", "    struct job local;", "    memset(&local, 0, sizeof local);",
            "    struct job *heap = make((int)me);", "    struct job *some = pick(&local, heap, (int)me);", "    swab(&local, heap, 0);",
            "    strange();"]
    uses = ["fill(&local, \"local\");", "fill(heap, \"heap\");", "some->n++;", "heap->next = some;", "fill(&mine, \"mine\");",
            "local.next = heap;", "some->a = (int)strlen(heap->name);"]
    if slip() and "    published = j;" not in out:
        uses.append("heap = realloc(heap, sizeof *heap);\n    some = heap;")
    uses += ["slot[me].n++;", "mark[me] = 1;", "fill(&slot[me], \"slot\");"]
    if slip(0.2):
        uses.append("slot[me + 1].n++;")
    if slip(0.2):
        uses.append("slot[me / 2].a++;")
    if slip(0.2):
        uses.append("mark[(unsigned char)(me << 8)]++;")
    if slip(0.2):
        uses.append("((long *)slot)[me] = 3;")
    if slip():
        uses.append("fill(%s, \"shared\");" % r.choice(["&first", "&second"]))
    if slip():
        uses.append("first.n++;")
    if slip():
        uses.append("first.name[3] = 'x';")
    if slip(0.4):
        uses.append("if (published) {\n        published->a++;\n    }")
    if slip(0.2):
        uses.append("if (me %% 2) {\n        some = %s;\n    }" % r.choice(["&second", "published ? published : heap"]))
    if slip(0.2) and "realloc" not in "".join(uses):
        uses.append("published = heap;")  # what is published lives on
    if slip(0.2):
        uses.append("if (heap->next && heap->next->next) {\n        heap->next->next->n++;\n    }")
    r.shuffle(uses)
    out += ["    " + u for u in uses]
    out.append("    usleep(3000);")
    out += ["    some->n++;", "    return %s;" % ("heap" if slip(0.3) else "NULL"), "}"]
    out += ["int main(void) {", "    pthread_t t[4];", "    struct job *done;", "    strange();", "    fill(&first, \"main\");",
            "    for (long i = 0; i < 4; i++) {", "        pthread_create(&t[i], NULL, work, (void *)i);", "    }"]
    if slip():
        out.append("    fill(&second, \"main\");")
    if slip():
        out.append("    if (published) {\n        fill(published, \"main\");\n    }")
    if slip():
        out.append("    first.kind[2] = 1;")
    if slip():
        out.append("    slot[2].n = 1;")
    out += ["    for (int i = 0; i < 4; i++) {", "        pthread_join(t[i], (void **)&done);"]
    if slip(0.5):
        out.append("        if (done) {\n            done->n++;\n        }")
    out += ["    }", "    return first.a == 99;", "}"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(compare(program, __doc__))
