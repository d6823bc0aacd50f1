#!/usr/bin/env python3
"""Random programs with locks in objects that stand for several, and what 'augur scan' may not leave out.

    paths_random.py make SEED FUNCTIONS > p.c      the program; every function has a list of its own
    paths_random.py judge SEED FUNCTIONS < output  of 'augur scan --stages lockset'; complains about what was lost

The functions are executed here, many times each by chance: an access is a line, a node and the locks that are held.
Two accesses of one node with no lock in common race, and their lines must be told together."""
import random
import re
import sys

POINTERS = ["p", "q", "r"]
HEAD = """#include <pthread.h>
#include <stdlib.h>
struct node {
    struct node *next;
    pthread_mutex_t m, k;
    int n;
};
static __attribute__((noinline)) void lock_m(struct node *x) { pthread_mutex_lock(&x->m); }
static __attribute__((noinline)) void unlock_m(struct node *x) { pthread_mutex_unlock(&x->m); }
static __attribute__((noinline)) struct node *lock_next(struct node *x) { struct node *y = x->next; pthread_mutex_lock(&y->m); return y; }
static __attribute__((noinline)) int try_m(struct node *x) { return !pthread_mutex_trylock(&x->m); }
""".splitlines()


def statements(rng, depth, budget):
    out = []
    for _ in range(rng.randint(2, 5 if depth else 9)):
        if budget[0] <= 0:
            break
        budget[0] -= 1
        a, b = rng.choice(POINTERS), rng.choice(POINTERS)
        field = rng.choice("mmk")
        kind = rng.choices(
            ["access", "lock", "unlock", "copy", "next", "pick", "helper", "unhelper", "locknext",
             "if", "while", "try", "tryhelper", "section", "hand"],
            [8, 4, 4, 2, 2, 1, 2, 2, 2, 2, 2, 1, 1, 5, 2])[0]
        if kind == "section":
            out += [("lock", a, field), ("access", a), ("unlock", a, field)]
        elif kind == "hand":
            out += [("lock", a, "m"), ("step", b, a), ("lock", b, "m"), ("unlock", a, "m"),
                    ("access", b), ("unlock", b, "m")]
        elif kind in ("if", "while") and depth < 2:
            more = statements(rng, depth + 1, budget) if kind == "if" and rng.random() < 0.5 else []
            out.append((kind, statements(rng, depth + 1, budget), more))
        elif kind in ("try", "tryhelper") and depth < 2:
            out.append((kind, a, statements(rng, depth + 1, budget)))
        elif kind in ("lock", "unlock"):
            out.append((kind, a, field))
        elif kind in ("copy",):
            out.append(("copy", a, b))
        elif kind in ("access", "next", "pick", "helper", "unhelper"):
            out.append((kind, a))
        elif kind == "locknext":
            out.append((kind, a, b))
    return out


class Program:
    def __init__(self, seed, functions):
        rng = random.Random(seed)
        self.text = list(HEAD)
        self.body = []
        for f in range(functions):
            self.text.append(f"static struct node *list{f}[64];")
            self.text.append(f"static __attribute__((noinline)) void work{f}(void) {{")
            self.text.append(f"    struct node *p = list{f}[rand() & 1], *q = list{f}[rand() & 1], *r = p;")
            self.body.append(self.write(statements(rng, 0, [24]), f, 1))
            self.text.append("    (void)q, (void)r;")
            self.text.append("}")
        self.text.append("static void *work(void *a) {")
        self.text += [f"    work{f}();" for f in range(functions)]
        self.text += ["    return a;", "}", "int main(int argc, char **argv) {", "    pthread_t t, u;", "    (void)argv;"]
        for f in range(functions):
            self.text += ["    for (int i = 0; i < argc; i++) {",
                          f"        list{f}[i] = calloc(1, sizeof(struct node));",
                          f"        if (!list{f}[i])", "            return 1;",
                          f"        list{f}[i]->next = list{f}[0];", "    }",
                          f"    list{f}[0]->next = list{f}[argc - 1];"]
        self.text += ["    pthread_create(&t, NULL, work, NULL);", "    pthread_create(&u, NULL, work, NULL);",
                      "    pthread_join(t, NULL);", "    pthread_join(u, NULL);", "    return 0;", "}"]

    def write(self, list_, f, depth):
        """The statements as text; they come back with their lines."""
        out = []
        pad = "    " * depth

        def line(text):
            self.text.append(pad + text)
            return len(self.text)

        for s in list_:
            kind = s[0]
            if kind == "access":
                out.append(("access", s[1], line(f"{s[1]}->n++;")))
                continue
            if kind in ("if", "while"):
                line(f"{kind} (rand() & 1) {{")
                one = self.write(s[1], f, depth + 1)
                two = []
                if kind == "if" and s[2]:
                    line("} else {")
                    two = self.write(s[2], f, depth + 1)
                line("}")
                out.append((kind, one, two))
                continue
            if kind in ("try", "tryhelper"):
                line(f"if (!pthread_mutex_trylock(&{s[1]}->m)) {{" if kind == "try" else f"if (try_m({s[1]})) {{")
                out.append(("try", s[1], self.write(s[2], f, depth + 1)))
                line("}")
                continue
            line({"lock": lambda: f"pthread_mutex_lock(&{s[1]}->{s[2]});",
                  "unlock": lambda: f"pthread_mutex_unlock(&{s[1]}->{s[2]});",
                  "copy": lambda: f"{s[1]} = {s[2]};",
                  "step": lambda: f"{s[1]} = {s[2]}->next;",
                  "next": lambda: f"{s[1]} = {s[1]}->next;",
                  "pick": lambda: f"{s[1]} = list{f}[rand() & 1];",
                  "helper": lambda: f"lock_m({s[1]});",
                  "unhelper": lambda: f"unlock_m({s[1]});",
                  "locknext": lambda: f"{s[1]} = lock_next({s[2]});"}[kind]())
            out.append(s)
        return out


class Stop(Exception):
    """Waits for itself, or what it does is not allowed: this run goes no further."""


def execute(rng, list_, at, held, seen):
    for s in list_:
        kind = s[0]
        if kind == "access":
            seen.add((s[2], at[s[1]], frozenset(held)))
        elif kind in ("lock", "helper", "locknext"):
            if kind == "locknext":
                at[s[1]] = 1 - at[s[2]]
            lock = (at[s[1]], s[2] if kind == "lock" else "m")
            if lock in held:
                raise Stop
            held.add(lock)
        elif kind in ("unlock", "unhelper"):
            lock = (at[s[1]], s[2] if kind == "unlock" else "m")
            if lock not in held:
                raise Stop
            held.remove(lock)
        elif kind in ("copy",):
            at[s[1]] = at[s[2]]
        elif kind == "step":
            at[s[1]] = 1 - at[s[2]]
        elif kind == "next":
            at[s[1]] = 1 - at[s[1]]
        elif kind == "pick":
            at[s[1]] = rng.randint(0, 1)
        elif kind == "if":
            execute(rng, s[1] if rng.random() < 0.5 else s[2], at, held, seen)
        elif kind == "while":
            for _ in range(rng.randint(0, 3)):
                execute(rng, s[1], at, held, seen)
        elif kind == "try":
            if (at[s[1]], "m") not in held and rng.random() < 0.8:
                held.add((at[s[1]], "m"))
                execute(rng, s[2], at, held, seen)


def judge(seed, functions, output):
    told = set()
    for line in output:
        m = re.match(r"R\d+ .*': .* at \S*:(\d+), .* at \S*:(\d+)$", line)
        if m:
            told.add(frozenset(map(int, m.groups())))
    program = Program(seed, functions)
    rng = random.Random(seed + 1)
    lost = quiet = 0
    for body in program.body:
        seen = set()
        for _ in range(600):
            p, q = rng.randint(0, 1), rng.randint(0, 1)
            try:
                execute(rng, body, {"p": p, "q": q, "r": p}, set(), seen)
            except Stop:
                pass
        pairs = {}
        for a in seen:
            for b in seen:
                if a[0] <= b[0] and a[1] == b[1]:
                    key = frozenset((a[0], b[0]))
                    pairs[key] = pairs.get(key, False) or not a[2] & b[2]
        for pair, race in pairs.items():
            if race and pair not in told:
                print(f"seed {seed}: the race of lines {sorted(pair)} is not told")
                lost += 1
            quiet += not race and pair not in told
    print(f"{quiet} pairs are ruled out, {len(told)} told, {lost} lost")
    return lost > 0


if __name__ == "__main__":
    what, seed, functions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if what == "make":
        print("\n".join(Program(seed, functions).text))
    else:
        sys.exit(judge(seed, functions, sys.stdin.read().splitlines()))
