#!/usr/bin/env python3
"""Random C programs whose threads build structures of their own (lower/private.c) and reach memory that augur cannot tell apart by
several types (lower/typed.c), with slips: a pointer gets out through a field, a copy of bytes, a function pointer, a variable argument,
a table of the C library, what a thread returns. More than a hundred pointers are given to a function that
augur does not know. ThreadSanitizer runs them: every pair of lines that it sees race, 'augur scan' must warn about after locksets.

    private_random.py --augur build/augur --count 20 --seed 1 [--keep DIR]"""
import sys

from owners_random import compare

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct item { long id; int uses; char name[24]; struct item *next; double weight; };
struct box { struct item *first, *last; int count; struct item own; };
struct head { long id; int uses; };
struct pair { struct item *a, *b; };
static struct item *published;
static struct box *shared_box;
static struct item *table[8];
static pthread_barrier_t leaving; /* nobody uses locals of who has gone */
static void (*hook)(struct item *);
static void keep(struct item *i) {
    published = i;
}
static void drop(struct item *i) {
    i->uses--;
}
static struct item *make(long id) {
    struct item *i = malloc(sizeof *i);
    memset(i, 0, sizeof *i);
    i->id = id;
    return i;
}
static void give(struct item **to, long id) {
    *to = make(id);
}
static void add(struct box *b, struct item *i) {
    i->next = b->first;
    b->first = i;
    if (!b->last) {
        b->last = i;
    }
    b->count++;
}
static long total(struct box *b) {
    long sum = 0;
    for (struct item *i = b->first; i; i = i->next) {
        i->uses++;
        sum += i->id;
    }
    return sum;
}
static struct pair both(struct item *a, struct item *b) {
    struct pair p = {a, b};
    return p;
}
static void vary(int n, ...) {
    va_list all;
    va_start(all, n);
    for (int k = 0; k < n; k++) {
        struct item *i = va_arg(all, struct item *);
        i->uses++;
        VARY
    }
    va_end(all);
}
static int by_id(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    SORT
    return x->id < y->id ? -1 : x->id > y->id;
}
static void touch(struct item *i) {
    i->uses++;
    i->weight += 1;
    i->name[0] = 'x';
}
"""


def program(r):
    odd = r.random() < 0.8

    def slip(p):
        return odd and r.random() < p

    out = [HEAD.replace("VARY", "published = i;" if slip(0.15) else ";").replace("SORT", "published = (struct item *)x;" if slip(0.15) else ";")]
    out.append("static void strange(void) {")
    for k in range(55):
        out.append(f"    char b{k}[8], c{k}[8];")
    for k in range(55):
        out.append(f"    swab(b{k}, c{k}, 0);")
    out.append("}")
    out += ["static void *work(void *arg) {", "    long me = (long)arg;", "    struct box mine, *heap = malloc(sizeof *heap), copy;",
            "    struct item local, *one, *two, *all[3];", "    struct pair p;",
            "    memset(&mine, 0, sizeof mine);", "    memset(heap, 0, sizeof *heap);", "    memset(&local, 0, sizeof local);", "    strange();",
            "    give(&one, me);", "    two = make(me + 10);", "    p = both(one, two);"]
    uses = ["add(&mine, one);\n    total(&mine);", "add(heap, two);\n    total(heap);", "touch(&local);", "touch(one);", "touch(two);",
            "touch(p.b);", "mine.own.uses++;\n    touch(&mine.own);", "memcpy(&copy, &mine, sizeof copy);\n    if (copy.first) {\n        copy.first->uses++;\n    }",
            "vary(2, one, &local);", "all[0] = one;\n    all[1] = two;\n    all[2] = &local;\n    qsort(all, 3, sizeof *all, by_id);\n    all[1]->uses++;",
            "drop(&local);", "snprintf(two->name, sizeof two->name, \"%ld\", me);", "((struct head *)one)->uses++;"]
    uses = [u for u in uses if r.random() < (0.1 if u.startswith(("vary", "all")) else 0.6)]
    outs = [("published = one;", 0.12), ("shared_box = heap;", 0.12), ("shared_box->first = two;", 0.1), ("heap->last = &local;\n    shared_box = heap;", 0.1),
            ("memcpy(&published, &two, sizeof published);", 0.1), ("memcpy(shared_box, &mine, sizeof mine);", 0.1), ("hook(two);", 0.15),
            ("hsearch((ENTRY){\"item\", two}, ENTER);", 0.12), ("__atomic_store_n(&table[me], one, __ATOMIC_RELAXED);", 0.1),
            ("table[me] = p.a;", 0.1), ("published = both(two, one).b;", 0.1), ("give(&published, me);", 0.1),
            ("p = *(struct pair *)&mine;\n    published = p.a ? p.a : one;", 0.1), ("two = realloc(two, sizeof *two);\n    published = two;", 0.06),
            ("uintptr_t number = (uintptr_t)one;\n    published = (struct item *)number;", 0.06),
            ("{\n        __extension__ __int128 wide = (__int128)(uintptr_t)two;\n        memcpy(&table[me], &wide, sizeof table[me]);\n    }", 0.05)]
    uses += [o for o, p in outs if slip(p)]
    ins = [("if (published) {\n        touch(published);\n    }", 0.5), ("if (shared_box->first) {\n        shared_box->first->uses++;\n    }", 0.4),
           ("if (shared_box->last) {\n        touch(shared_box->last);\n    }", 0.3), ("shared_box->count++;", 0.2),
           ("if (table[(me + 1) % 4]) {\n        touch(table[(me + 1) % 4]);\n    }", 0.3),
           ("ENTRY *e = hsearch((ENTRY){\"item\", NULL}, FIND);\n    if (e) {\n        ((struct item *)e->data)->uses++;\n    }", 0.4),
           ("if (published) {\n        ((struct head *)published)->uses = 4;\n    }", 0.3)]
    tail = [i for i, p in ins if slip(p)]
    r.shuffle(uses)
    r.shuffle(tail)
    out += ["    " + u for u in uses]
    out.append("    usleep(3000);")
    out += ["    " + u for u in tail]
    out += ["    touch(one);", "    local.uses++;", "    usleep(2000);", "    heap->count++;", "    pthread_barrier_wait(&leaving);", "    return %s;" % ("two" if slip(0.2) else "NULL"), "}"]
    out += ["static struct box first_box;", "int main(void) {", "    pthread_t t[4];", "    struct item *done;", "    shared_box = &first_box;",
            "    hook = %s;" % ("keep" if slip(0.3) else "drop"), "    pthread_barrier_init(&leaving, NULL, 5);", "    hcreate(16);", "    strange();",
            "    for (long i = 0; i < 4; i++) {", "        pthread_create(&t[i], NULL, work, (void *)i);", "    }", "    usleep(4000);"]
    if slip(0.4):
        out.append("    if (published) {\n        touch(published);\n    }")
    out += ["    pthread_barrier_wait(&leaving);", "    for (int i = 0; i < 4; i++) {", "        pthread_join(t[i], (void **)&done);"]
    if slip(0.5):
        out.append("        if (done) {\n            done->uses++;\n        }")
    out += ["    }", "    return 0;", "}"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(compare(program, __doc__))
