#!/usr/bin/env python3
"""Random C programs with locks of their own making: counts of readers and flags of writers under a mutex (tsg/counted.h), with slips:
something is not looked at before it is set, looked at once only, given by who does not have it, reset while others run, set without the
mutex. ThreadSanitizer runs them: every pair of lines that it sees race, 'augur scan' must warn about after locksets.

    counted_random.py --augur build/augur --count 20 --seed 1 [--keep DIR]"""
import sys

from owners_random import compare


def program(r):
    odd = r.random() < 0.8

    def slip(p=0.3):
        return odd and r.random() < p

    flag = r.choice(["int", "int", "unsigned", "long", "char", "_Bool"])
    readers = r.random() < 0.75
    zero = {"r": r.choice(["l->readers == 0", "!l->readers", "l->readers <= 0", "l->readers < 1"]),
            "w": r.choice(["l->writer == 0", "!l->writer", "l->writer != 1", "l->writer < 1"])}

    def busy(what):
        some = [f"!({zero[k]})" if r.random() < 0.5 else {"r": "l->readers", "w": "l->writer"}[k] for k in what]
        r.shuffle(some)
        return " || ".join(some) or "0"

    def wait(what):
        if slip(0.2):
            what = what[1:] if r.random() < 0.5 else what[:-1]
        form = r.choice(["while", "while", "loop", "give up"]) if not slip(0.25) else "if"
        if form == "loop":
            inner = "break;"
            for k in what:
                inner = f"if ({zero[k]}) {{ {inner} }}"
            return ["    for (;;) {", f"        {inner or 'break;'}", "        pthread_cond_wait(&l->c, &l->m);", "    }"]
        if form == "give up":  # … and comes again
            return [f"    while ({busy(what)}) {{", "        pthread_mutex_unlock(&l->m);", "        sched_yield();", "        pthread_mutex_lock(&l->m);", "    }"]
        return [f"    {form} ({busy(what)})", "        pthread_cond_wait(&l->c, &l->m);"]

    out = ["#include <pthread.h>", "#include <sched.h>", "#include <stdlib.h>",
           "struct own { int readers, waiting; %s writer; pthread_mutex_t m; pthread_cond_t c; };" % flag,
           "static struct own own = {.m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER};",
           "static long first, second, third;"]
    lock, unlock = "    pthread_mutex_lock(&l->m);", "    pthread_mutex_unlock(&l->m);"
    out += ["static void write_lock(struct own *l) {", lock]
    count = r.random() < 0.3
    if count:
        out.append("    l->waiting++;")
    out += wait(["r", "w"] if readers else ["w"])
    if count:
        out.append("    l->waiting--;")
    out.append("    " + (r.choice(["l->writer = 1;", "l->writer++;"]) if flag != "_Bool" else "l->writer = 1;"))
    out += [unlock, "}", "static void write_unlock(struct own *l) {", lock]
    guarded = r.random() < 0.3
    clear = r.choice(["l->writer = 0;", "l->writer--;"]) if flag != "_Bool" else "l->writer = 0;"
    out.append(f"    if (l->writer) {{ {clear} }}" if guarded else f"    {clear}")
    out += ["    pthread_cond_broadcast(&l->c);", unlock, "}"]
    if slip(0.25):
        out[-2:-2] = ["    pthread_mutex_unlock(&l->m);", "    l->writer = 0;", "    pthread_mutex_lock(&l->m);"]
    out += ["static void read_lock(struct own *l) {", lock] + wait(["w"] if not slip(0.3) else []) + ["    l->readers++;", unlock, "}"]
    out += ["static void read_unlock(struct own *l) {", lock,
            "    if (--l->readers == 0)" if r.random() < 0.5 else "    l->readers--;" + " if (l->readers == 0)",
            "        pthread_cond_broadcast(&l->c);", unlock, "}"]

    def writes():
        inner = [r.choice(["first++;", "second += first; sched_yield();", "third++;"]) for _ in range(r.randint(1, 2))]
        body = ["write_lock(&own);"] + inner + ["write_unlock(&own);"]
        if slip(0.25):
            body = inner[:1] + body
        if slip(0.25):
            body.append("if (own.waiting > 5) write_unlock(&own);")
        if slip(0.25):
            body.insert(1, "if (first % 3 == 1) { write_unlock(&own); write_lock(&own); }")
        if slip(0.25):
            body[-1] = "if (first % 3) write_unlock(&own); else { own.writer = 0; }"
        if slip(0.2):
            body[-1] = "write_unlock(&own); write_unlock(&own);"
        return body

    def reads():
        if not readers:
            return writes()
        body = ["read_lock(&own);", r.choice(["sum += first;", "sum += second;", "sum += third + first;"]), "read_unlock(&own);"]
        if slip(0.25):
            body[1] = "third++;"
        if slip(0.2):
            body[-1] = "read_unlock(&own); if (sum == 99) read_unlock(&own);"
        if slip(0.2):
            body.reverse()
        return body

    for name, what in (("one", writes), ("two", reads), ("three", r.choice([reads, writes]))):
        out += [f"static void *{name}(void *arg) {{", "    long sum = 0;", "    for (int i = 0; i < 400; i++) {"]
        out += ["        " + b for b in what()]
        if r.random() < 0.2:
            out += ["        " + b for b in reads()]
        out += ["    }", "    return arg ? (void *)sum : 0;", "}"]
    out += ["int main(int argc, char **argv) {", "    pthread_t t[4];", "    (void)argc;"]
    reset = ["    own.readers = 0;", "    own.writer = 0;"]
    late = slip(0.25)
    if not late and r.random() < 0.5:
        out += reset
    out.append("    pthread_create(&t[0], 0, one, argv);")
    if late:
        out += reset
    out += ["    pthread_create(&t[1], 0, two, argv);", "    pthread_create(&t[2], 0, three, argv);"]
    out += [f"    pthread_create(&t[3], 0, {r.choice(['one', 'two', 'three'])}, argv);"]
    out += ["    struct timespec soon = {0, 300000000};", "    nanosleep(&soon, 0);", "    exit(0);", "}"]
    out[0] = "#include <time.h>\n#include <pthread.h>"
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(compare(program, __doc__))
