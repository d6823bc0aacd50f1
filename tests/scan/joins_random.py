#!/usr/bin/env python3
"""Random C programs with loops that create threads and loops that join them (lower/joins.c), with slips: another bound,
beginning or step, joins that are passed by, handles that are overwritten, threads that are created later. ThreadSanitizer
runs them: every pair of lines that it sees race, 'augur scan' must warn about after locksets.

    joins_random.py --augur build/augur --count 20 --seed 1 [--keep DIR]"""
import sys
from owners_random import compare


def loop(r, var, begin, bound, step, body):
    """The statements of body for var = begin, begin + step … below bound."""
    more = f"{var} += {step}" if step != 1 else r.choice([f"{var}++", f"{var} += 1"])
    form = r.choice(["for", "while", "down", "do"])
    if form == "for":
        return [f"    for ({var} = {begin}; {var} < {bound}; {more}) {{"] + body + ["    }"]
    if form == "while":
        return [f"    {var} = {begin};", f"    while ({var} < {bound}) {{"] + body + [f"        {more};", "    }"]
    if form == "do":
        return [f"    {var} = {begin};", f"    if ({var} < {bound}) {{", "    do {"] + body + [f"        {more};", f"    }} while ({var} < {bound});", "    }"]
    return [f"    for ({var} = {begin}; {bound} > {var}; {more}) {{"] + body + ["    }"]


def program(r):
    odd = r.random() < 0.75  # one thing is wrong
    wrong = r.choice(["bound", "begin", "step", "parity", "break", "continue", "moved", "grown", "later", "twice", "copied",
                      "guarded", "detach", "nested", "other"]) if odd else ""
    where = r.choice(["heap", "global", "stack", "struct"])
    handle = lambda i: f"t[{i}].id" if where == "struct" else f"t[{i}]"
    out = ["#include <pthread.h>", "#include <stdlib.h>", "#include <unistd.h>", "struct row { int k; pthread_t id; };",
           "static int data, more;", "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;"]
    if where == "global":
        out.append("static pthread_t t[16];")
    out += ["static void *work(void *arg) {", "    (void)arg;", "    usleep(3000);", "    pthread_mutex_lock(&lock);",
            "    data++;", "    pthread_mutex_unlock(&lock);", "    return NULL;", "}",
            "int main(int argc, char **argv) {", "    (void)argv;", "    int n = argc > 1 ? 3 : 4, m = n, i, j;"]
    if where == "heap":
        out.append("    pthread_t *t = malloc(16 * sizeof *t);")
    elif where == "struct":
        out.append("    struct row *t = calloc(16, sizeof *t);")
    elif where == "stack":
        out.append("    pthread_t t[16];")
    first = r.choice([0, 0, 1])
    step = r.choice([1, 1, 2])
    create = [f"        pthread_create(&{handle('i')}, NULL, work, NULL);"]
    if r.random() < 0.3:
        create.insert(0, "        more++;")
    if wrong == "copied":
        create.append(f"        {handle('i')} = {handle(first)};")
    out += loop(r, "i", first, "n", step, create)
    if wrong == "grown":
        out.append("    n -= 2;")
    if wrong == "twice":
        out += loop(r, "i", first, "n", step, create)
    if wrong == "moved" and where in ("heap", "struct"):
        out += ["    t++;", "    n--;"]
    bound = {"bound": "n - 1", "other": "m - argc"}.get(wrong, "n")
    begin = first + step if wrong == "begin" else first
    join = f"        pthread_join({handle('j')}, NULL);"
    if wrong == "copied":
        join = "        if (j == %d) pthread_join(%s, NULL);" % (first, handle("j"))
    body = [join]
    if wrong == "parity":
        body = ["        if (j & 2) {", "    " + join, "        }"]
    elif wrong == "break":
        body = ["        if (j == n - 1) break;", join] if r.random() < 0.5 else [join, "        if (j == 1) break;"]
    elif wrong == "continue":
        body = [f"        if (j == {first + step} && more >= 0) {{", "            more = 1;", "        } else {", "    " + join, "        }"]
    elif wrong == "detach":
        body = [f"        if (j) pthread_detach({handle('j')}); else pthread_join({handle('j')}, NULL);"]
    joining = loop(r, "j", begin, bound, step * 2 if wrong == "step" else step, body)
    if wrong == "guarded":
        joining = ["    if (argc > 1) {"] + joining + ["    }"]
    if wrong == "later":
        joining += loop(r, "i", first, "n", step, create)
    if wrong == "nested":
        joining = ["    for (int k = 0; k < 2; k++) {"] + (loop(r, "i", first, "n", step, create) if r.random() < 0.5 else []) + \
            ["    if (k == 1) {"] + joining + ["    }", "    data += k;", "    }"]
    out += joining
    out.append("    data += 5;")
    out += ["    usleep(40000);", "    return more == 99;", "}"]
    return "\n".join(out) + "\n"


sys.exit(compare(program, __doc__))
