#!/usr/bin/env python3
"""Random C programs that hand elements of arrays to threads (lower/own.c), use semaphores as locks (tsg/sems.h) and join
in rounds (tsg/lives.h), or hand over what they allocate, with slips. ThreadSanitizer runs them: every pair of lines that it sees race, 'augur scan' must
warn about after locksets.

    owners_random.py --augur build/augur --count 20 --seed 1 [--keep DIR]"""
import argparse, json, os, random, re, subprocess, sys, tempfile


def program(r):
    odd = r.random() < 0.7  # something may be wrong

    def slip(p=0.35):
        return odd and r.random() < p

    kind = r.choice(["heap", "global", "stack"])
    by = r.choice(["pointer", "index"])
    step = 2 if slip() else 1
    first = "base" if kind == "heap" else "cells"
    out = ["#include <pthread.h>", "#include <semaphore.h>", "#include <stdlib.h>", "#include <string.h>", "#include <unistd.h>",
           "struct cell { int a, b; char text[16]; long c; };", "static struct cell *base;",
           "static int shared, rounds_done, readers;", "static sem_t sem;",
           "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;"]
    if kind == "global":
        out.append("static struct cell cells[64];")
    out.append("static void touch(struct cell *c) {")
    out.append("    c->a++;")
    out.append("}")
    out.append("static void *work(void *arg) {")
    if by == "pointer":
        out.append("    struct cell *me = arg;")
    else:
        out.append("    long n = (long)arg;")
        out.append(f"    struct cell *me = &base[{'n / 2' if slip() else 'n'}];")
    uses = ["touch(me);", "me->b = 1;", "memset(me->text, 0, sizeof me->text);", "me->c += me->b;"]
    if slip():
        uses.append("me[1].b = 2;")
    if slip():
        uses.append("memset(me, 1, 2 * sizeof *me);")
    if by == "index":
        uses.append("base[n].b++;")
        if slip():
            uses.append("base[n + 1].b++;")
        if slip():
            uses.append("((int *)base)[n] = 3;")
    r.shuffle(uses)
    out += ["    " + u for u in uses]
    guard = r.choice(["sem", "group", "none"])
    if guard == "sem":
        out.append("    sem_wait(&sem);" if not slip(0.2) else "    ;")
        out.append("    shared++;")
        out.append("    sem_post(&sem);")
    elif guard == "group":
        out += ["    pthread_mutex_lock(&lock);",
                f"    if (readers == {1 if slip(0.2) else 0}) {{", "        sem_trywait(&sem);" if slip(0.1) else "        sem_wait(&sem);", "    }",
                "    readers++;", "    pthread_mutex_unlock(&lock);",
                "    shared++;" if slip(0.5) else "    me->b += shared;",
                "    pthread_mutex_lock(&lock);", "    readers--;", "    if (readers == 0) {",
                "        sem_post(&sem);", "    }", "    pthread_mutex_unlock(&lock);",
                "    sem_wait(&sem);", "    shared += 2;", "    sem_post(&sem);"]
    out += ["    return NULL;", "}", "static void *one(void *arg) {", "    *(int *)arg += 1;", "    return NULL;", "}"]
    out.append("static void rounds(int n) {")
    out += ["    pthread_t t;", "    int value = 0;", "    for (int i = 0; i < n; i++) {", "        value++;",
            "        pthread_create(&t, NULL, one, &value);"]
    if slip(0.3):
        out.append("        value++;")
    if slip(0.3):
        out += ["        if (i % 2) {", "            pthread_join(t, NULL);", "        } else {", "            pthread_detach(t);", "        }"]
    else:
        out.append("        pthread_join(t, NULL);")
    out += ["    }", "    rounds_done = value;", "}"]
    # objects that are allocated, filled and handed over
    out += ["static pthread_t server[64];", "static struct cell *kept;", "static void *serve(void *arg) {", "    struct cell *c = arg;",
            "    usleep(2000);", "    c->a++;", "    for (int i = 0; i < 16; i++) {", "        c->text[i] = (char)c->b;", "    }"]
    if slip(0.2):
        out.append("    kept->c++;")
    listed = slip(0.2)
    freed = not listed and r.random() < 0.5
    if freed:
        out.append("    free(c);")
    out += ["    return NULL;", "}", "static void accept_all(int n) {", "    struct cell *c = calloc(1, sizeof *c);",
            "    kept = calloc(1, sizeof *kept);", "    for (int i = 0; i < n; i++) {"]
    out.append("        if (i % 2 == 0) {" if slip(0.2) and not freed else "        {" if not slip(0.15) or freed else "        if (!c) {")
    out += ["            c = %s;" % r.choice(["calloc(1, sizeof *c)", "malloc(sizeof *c)"]), "        }", "        c->b = i;"]
    if listed:
        out.append("        kept = c;")
    out.append("        pthread_create(&server[i], NULL, serve, c);")
    if slip(0.25) and not freed:
        out.append("        c->a = 4;")
    if slip(0.2) and not freed:
        out += ["        c->c = 1;", "        pthread_t again;", "        pthread_create(&again, NULL, serve, c);", "        pthread_detach(again);"]
    out += ["    }", "    for (int i = 0; i < n; i++) {", "        pthread_join(server[i], NULL);", "    }", "}"]
    out.append("static pthread_t thread[64];")
    out.append("static void start(int n) {")
    out.append("    for (int i = 0; i < n; i += %d) {" % step)
    out.append("        %s[i].a = i;" % first)
    if slip():
        out.append("        %s[i + 1].a = i;" % first)
    arg = f"&{first}[{'i / 2' if slip(0.2) else 'i'}]" if by == "pointer" else ("(void *)(long)(i / 2)" if slip(0.2) else "(void *)(long)i")
    out.append(f"        pthread_create(&thread[i], NULL, work, {arg});")
    if slip():
        out.append("        %s[i].c = 7;" % first)
    if slip(0.2):
        out.append("        base++;")
    out.append("    }")
    out.append("}")
    out += ["int main(int argc, char **argv) {", "    (void)argv;", "    int n = argc > 1 ? 4 : 6;", "    sem_init(&sem, 0, 1);"]
    if kind == "stack":
        out.append("    static struct cell cells_[64];")
    out.append({"heap": "    base = calloc(64, sizeof *base);", "global": "    base = cells;", "stack": "    base = cells_;"}[kind])
    out.append("    start(n);")
    if slip(0.2):
        out.append("    start(n);")
    out.append("    rounds(n);")
    out.append("    accept_all(n);")
    out += ["    for (int i = 0; i < n; i += %d)" % step, "        pthread_join(thread[i], NULL);", "    return base[0].a + rounds_done == 99;", "}"]
    return "\n".join(l if kind != "stack" else l.replace("cells[", "base[") for l in out) + "\n"


def tsan(source, binary):
    subprocess.run(["gcc", "-g", "-O0", "-w", "-fsanitize=thread", "-pthread", "-o", binary, source], check=True)
    pairs = set()
    for args in ([], ["x"], []):
        env = dict(os.environ, TSAN_OPTIONS="halt_on_error=0 report_signal_unsafe=0 exitcode=0")
        try:
            p = subprocess.run([binary] + args, capture_output=True, text=True, timeout=20, env=env)
        except subprocess.TimeoutExpired:
            continue
        for report in p.stderr.split("WARNING: ThreadSanitizer: data race")[1:]:
            lines = []
            for part in re.split(r"(?:Read|Write|Previous read|Previous write|Atomic \w+) of size", report, flags=re.I)[1:3]:
                part = part.split("\n\n")[0]  # its stack; not where somebody slept
                m = re.search(r"program\.c:(\d+)", part)
                if m and not re.search(r"#0 (malloc|calloc|realloc) ", part):  # that is no access of the program
                    lines.append(int(m.group(1)))
            if len(lines) == 2:
                pairs.add(tuple(sorted(lines)))
    return pairs


def compare(program, about):
    """Makes programs and compares what races with what is left; for the command line. 1: a race was lost."""
    a = argparse.ArgumentParser(description=about)
    a.add_argument("--augur", default="build/augur")
    a.add_argument("--count", type=int, default=20)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--keep")
    o = a.parse_args()
    seen = lost = removed = left = 0
    with tempfile.TemporaryDirectory() as d:
        for case in range(o.count):
            text = program(random.Random(o.seed * 100000 + case))
            source = os.path.join(d, "program.c")
            open(source, "w").write(text)
            real = tsan(source, os.path.join(d, "program"))
            p = subprocess.run([o.augur, "scan", "--no-replay", "--all", "--stages", "lockset", "--format", "json", source],
                               capture_output=True, text=True)
            if p.returncode not in (0, 1, 3):
                sys.exit(f"seed {o.seed} case {case}: scan failed: {p.stderr}")
            warned = set()
            for f in json.loads(p.stdout)["findings"]:
                if f["kind"] != "race":
                    continue
                pair = tuple(sorted(e["line"] for e in f["events"]))
                if f["status"] == "refuted":
                    removed += 1
                else:
                    left += 1
                    warned.add(pair)
            seen += len(real)
            for pair in sorted(real - warned):
                lost += 1
                print(f"seed {o.seed} case {case}: lines {pair} race, and no warning is left")
                if o.keep:
                    open(os.path.join(o.keep, f"lost_{o.seed}_{case}.c"), "w").write(text)
    print(f"{o.count} programs, {seen} pairs of lines raced, {lost} lost; {removed} warnings ruled out, {left} left")
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(compare(program, __doc__))
