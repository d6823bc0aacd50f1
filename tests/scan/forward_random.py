#!/usr/bin/env python3
"""Random C programs whose main thread stores what it allocates in globals and uses it from there (lower/forward.c), while other
threads do so, too, with slips: other functions store in between, threads store, somebody has the variable's address.
ThreadSanitizer runs them: every pair of lines that it sees race, 'augur scan' must warn about after locksets.

    forward_random.py --augur build/augur --count 20 --seed 1 [--keep DIR]"""
import sys

from owners_random import compare


def program(r):
    names = ["p", "q"]
    out = ["#include <pthread.h>", "#include <setjmp.h>", "#include <stdlib.h>",
           "struct cell { int a, b; };", "static struct cell *p, *q;", "static struct cell first, second;",
           "static jmp_buf back;", "static int tries;", "static __thread int on_main;"]
    address = r.random() < 0.2
    if address:
        out.append("static struct cell **where = &p;")

    def body(of, depth):
        uses = [f"{of}->a++;", f"{of}->b = 2;", f"for (int i = 0; i < 2; i++) {{", f"if (tries) {{"]
        lines = []
        for _ in range(r.randint(2, 4)):
            u = r.choice(uses)
            lines.append(u)
            if u.endswith("{"):
                inner = r.choice([f"{of}->a += 2;", f"{of} = &{r.choice(['first', 'second'])};", "other();" if depth else f"{of}->b++;"])
                lines += ["    " + inner, "}"]
            if depth and r.random() < 0.3:
                lines.append("other();")
        return lines

    of = r.choice(names)
    out.append("static void other(void) {")
    what = r.choice(["store", "nothing", "touch", "jump"])
    if what == "store":
        out.append(f"    {r.choice(names)} = &{r.choice(['first', 'second'])};")
    elif what == "touch":
        out.append(f"    {r.choice(names)}->b++;")
    elif what == "jump":  # both callers have been at their setjmp
        out += ["    if (tries == 1 && on_main) {", "        tries++;", "        longjmp(back, 1);", "    }"]
    out += ["    tries++;", "}"]
    out.append("static void *work(void *arg) {")
    out.append("    struct cell *mine = arg;")
    for _ in range(2):
        out.append("    " + r.choice(["mine->a++;", "mine->b++;", f"if (p) {{ p->a++; }}", f"first.a++;", f"second.b++;"]))
    if r.random() < 0.2:
        out.append(f"    {of} = &second;")
    if r.random() < 0.2:
        out.append("    other();")
    if address and r.random() < 0.6:
        out.append("    *where = &second;")
    out += ["    return 0;", "}"]
    for name in ("one", "two"):
        mine = r.choice(names)
        out.append(f"static void {name}(pthread_t *t) {{")
        fresh = r.choice(["malloc(sizeof *p)", "&first", "&second"])
        out.append(f"    struct cell *made = {fresh};")
        out.append(f"    {mine} = made;")
        if what == "jump":
            out.append("    if (setjmp(back)) {")
            out.append(f"        {mine}->a = 7;")
            out.append("    }")
        out += ["    " + x for x in body(mine, 1)]
        out.append(f"    pthread_create(t, 0, work, {r.choice([mine, mine, '&first', '&second', 'made'])});")
        out += ["    " + x for x in body(mine, 1)]
        if r.random() < 0.3:
            out.append(f"    {mine} = {r.choice(['malloc(sizeof *p)', '&first', '&second'])};")
            out.append(f"    {mine}->b = 5;")
        out.append("}")
    out += ["int main(int argc, char **argv) {", "    pthread_t t[3];", "    on_main = 1;", "    p = q = malloc(sizeof *p);"]
    calls = ["one(&t[0]);", "two(&t[1]);"]
    r.shuffle(calls)
    out += ["    " + c for c in calls]
    out += ["    pthread_join(t[0], 0);", "    pthread_join(t[1], 0);", "    return argc > 9 && argv[1] == (char *)where;" if address else "    return argc > 9;", "}"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(compare(program, __doc__))
