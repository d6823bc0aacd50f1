"""Executions of a small program under RC11, by the paper's definitions and nothing else.

Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11 (PLDI 2017), with
release sequences of C++20. Written from the paper, as sets of pairs, over all candidates: every path
of every thread with every value at every read, every write for a read that wrote its value, every
order of the writes of a variable, every order of the sections of a lock. A read-modify-write is two
events, as in the paper; initial values are writes before everything.
"""
import itertools

import programs


class Event:
    def __init__(self, thread, kind, var, value, order, label):
        self.thread, self.kind, self.var = thread, kind, var
        self.value, self.order, self.label = value, order, label


def _paths(ops, domain, regs, done):
    """Every (operations with what they read and wrote, registers, stopped) of a thread."""
    if not ops:
        yield done, regs, False
        return
    (number, op, inner), rest = ops[0], ops[1:]
    if op[0] == "w":
        yield from _paths(rest, domain, regs, done + [("W", op[1], None, op[2], op[3], number)])
    elif op[0] == "r":
        for v in domain[op[2]]:
            yield from _paths(rest, domain, {**regs, op[1]: v},
                              done + [("R", op[2], v, None, op[3], number)])
    elif op[0] == "u":
        for v in domain[op[2]]:
            yield from _paths(rest, domain, {**regs, op[1]: v},
                              done + [("U", op[2], v, v + op[3], op[4], number)])
    elif op[0] == "f":
        yield from _paths(rest, domain, regs, done + [("F", None, None, None, op[1], number)])
    elif op[0] == "q":
        if regs.get(op[1], 0) == op[2]:
            yield from _paths(rest, domain, regs, done)
        else:
            yield done, regs, True
    elif op[0] in "lL":
        yield from _paths(rest, domain, regs, done + [(op[0], op[1], None, None, "na", number)])
    elif regs.get(op[1], 0) == op[2]:
        yield from _paths(inner + rest, domain, regs, done)
    else:
        yield from _paths(rest, domain, regs, done)


def _domains(threads):
    """Values that a variable might have: more than it does, never less."""
    stores = {v: {0} for v in programs.variables(threads)}
    adds = {v: [] for v in stores}

    def look(ops):
        for op in ops:
            if op[0] == "w":
                stores[op[1]].add(op[2])
            elif op[0] == "u":
                adds[op[2]].append(op[3])
            elif op[0] == "i":
                look(op[3])

    for ops in threads:
        look(ops)
    for v in stores:
        for n in range(1, len(adds[v]) + 1):
            for some in itertools.combinations(adds[v], n):
                stores[v] |= {x + sum(some) for x in list(stores[v])}
    return {v: sorted(s) for v, s in stores.items()}


def closure(pairs):
    after = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    whole = set()
    for a in list(after):
        seen, todo = set(), list(after[a])
        while todo:
            b = todo.pop()
            if b not in seen:
                seen.add(b)
                todo += after.get(b, ())
        whole |= {(a, b) for b in seen}
    return whole


def compose(r, s):
    after = {}
    for a, b in s:
        after.setdefault(a, []).append(b)
    return {(a, c) for a, b in r for c in after.get(b, ())}


def acyclic(pairs):
    return all(a != b for a, b in closure(pairs))


class Execution:
    """Everything about one candidate."""

    def __init__(self, events, sb, rmw, rf, mo, sections):
        self.e, self.sb, self.rmw, self.rf, self.mo = events, sb, rmw, rf, mo
        self.sync = sections  # pairs: a lock given back, then taken
        self.rb = {(r, w2) for (w, r) in rf for (w1, w2) in mo if w1 == w and w2 != r}
        n = range(len(events))
        self.ids = list(n)

    def rel(self, i):
        e = self.e[i]
        return e.order in ("rel", "acq_rel", "sc") and e.kind in "WF"

    def acq(self, i):
        e = self.e[i]
        return e.order in ("acq", "acq_rel", "sc") and e.kind in "RF"

    def atomic(self, i):
        return self.e[i].kind in "RW" and self.e[i].order != "na"

    def happens_before(self):
        # rs = [W atomic] ; (rf ; rmw)*
        step = compose(self.rf, self.rmw)
        rs = {(w, w) for w in self.ids if self.e[w].kind == "W" and self.atomic(w)}
        rs |= {(a, b) for (a, b) in closure(step) if self.e[a].kind == "W" and self.atomic(a)}
        fence = {(i, i) for i in self.ids if self.e[i].kind == "F"}
        here = {(i, i) for i in self.ids}
        to_read = {(w, r) for (w, r) in self.rf if self.atomic(r)}
        sw = {(i, i) for i in self.ids if self.rel(i)}
        sw = compose(sw, compose(fence, self.sb) | here)
        sw = compose(compose(sw, rs), to_read)
        sw = compose(sw, compose(self.sb, fence) | here)
        sw = {(a, b) for (a, b) in sw if self.acq(b)}
        return closure(self.sb | sw | self.sync)

    def loc(self, i):
        return self.e[i].var if self.e[i].kind in "RW" else None

    def same(self, pairs):
        return {(a, b) for (a, b) in pairs if self.loc(a) and self.loc(a) == self.loc(b)}

    def atomicity(self):
        return not (self.rmw & compose(self.rb, self.mo))

    def consistent(self, hb):
        eco = closure(self.rf | self.mo | self.rb)
        if any(a == b for a, b in hb) or any((b, a) in eco for (a, b) in hb):
            return False
        if not self.atomicity() or not acyclic(self.sb | self.rf):
            return False
        if not any(e.order == "sc" for e in self.e):
            return True
        other = self.sb - self.same(self.sb)
        scb = (self.sb | compose(compose(other, hb), other) | self.same(hb) | self.mo | self.rb)
        here = {(i, i) for i in self.ids}
        esc = {(i, i) for i in self.ids if self.e[i].order == "sc"}
        fsc = {(i, i) for i in self.ids if self.e[i].order == "sc" and self.e[i].kind == "F"}
        base = compose(compose(esc | compose(fsc, hb | here), scb),
                       esc | compose(hb | here, fsc))
        fences = compose(compose(fsc, hb | compose(compose(hb, eco), hb)), fsc)
        return acyclic(base | fences)

    def races(self, hb):
        found = set()
        for a in self.ids:
            for b in self.ids:
                x, y = self.e[a], self.e[b]
                if (a < b and x.thread != y.thread and min(x.thread, y.thread) >= 0 and
                        self.loc(a) and self.loc(a) == self.loc(b) and "W" in x.kind + y.kind and
                        "na" in (x.order, y.order) and (a, b) not in hb and (b, a) not in hb):
                    found.add(tuple(sorted([(x.thread, x.label), (y.thread, y.label)])))
        return found


def _sections(paths):
    """By lock, the sections: (thread, number of the take, of the give) in each thread's order."""
    found = {}
    for t, (ops, _, _) in enumerate(paths):
        open_at = {}
        for i, op in enumerate(ops):
            if op[0] == "l":
                open_at[op[1]] = i
            elif op[0] == "L":
                found.setdefault(op[1], []).append((t, open_at.pop(op[1]), i))
    return found


def _orders(items):
    """Interleavings of the items of several threads that keep each thread's own order."""
    for order in itertools.permutations(items):
        last = {}
        for item in order:
            if last.get(item[0], -1) > item[1]:
                break
            last[item[0]] = item[1]
        else:
            yield order


def _candidates(threads, paths):
    events, first = [], {}
    init = {}
    for v in programs.variables(threads):
        init[v] = len(events)
        events.append(Event(-1, "W", v, 0, "na", 0))
    sb, rmw = set(), set()
    at = {}
    for t, (ops, _, _) in enumerate(paths):
        mine = []
        for i, (kind, var, read, wrote, order, label) in enumerate(ops):
            at[t, i] = len(events)
            if kind in "RU":
                mine.append(len(events))
                events.append(Event(t, "R", var, read, order, label))
            if kind in "WU":
                if kind == "U":
                    rmw.add((len(events) - 1, len(events)))
                mine.append(len(events))
                events.append(Event(t, "W", var, wrote, order, label))
            if kind in "FlL":
                mine.append(len(events))
                events.append(Event(t, kind, None, None, order, label))
        sb |= {(a, b) for i, a in enumerate(mine) for b in mine[i + 1:]}
        sb |= {(a, b) for a in init.values() for b in mine}
    # the order in the RMW of C11: its read acquires, its write releases
    reads = [i for i, e in enumerate(events) if e.kind == "R"]
    writes = {}
    for i, e in enumerate(events):
        if e.kind == "W":
            writes.setdefault(e.var, []).append(i)
    choices = [[w for w in writes.get(events[r].var, ()) if events[w].value == events[r].value and
                (r, w) not in rmw] for r in reads]
    if any(not c for c in choices):
        return
    sections = _sections(paths)
    for sources in itertools.product(*choices):
        rf = set(zip(sources, reads))
        if not acyclic(sb | rf):
            continue
        mos = [[(init[v],) + p for p in itertools.permutations(w for w in writes[v] if w != init[v])]
               for v in writes]
        for mo_lists in itertools.product(*mos):
            mo = {(a, b) for line in mo_lists for i, a in enumerate(line) for b in line[i + 1:]}
            for lock_orders in itertools.product(*[list(_orders(s)) for s in sections.values()]):
                sync = {(at[s[0], s[2]], at[q[0], q[1]]) for line in lock_orders
                        for i, s in enumerate(line) for q in line[i + 1:]}
                yield Execution(events, sb, rmw, rf, mo, sync), mo_lists


class Answer:
    def __init__(self):
        self.finals, self.races = set(), set()
        self.executions = self.blocked = 0


def rc11(threads):
    """Final values (variables, then results) of complete executions, races by labels, how many."""
    answer = Answer()
    domain = _domains(threads)
    names = programs.variables(threads)
    every = [list(_paths(programs.numbered(ops), domain, {}, [])) for ops in threads]
    for paths in itertools.product(*every):
        stopped = any(p[2] for p in paths)
        for x, mo_lists in _candidates(threads, paths):
            hb = x.happens_before()
            if not x.consistent(hb):
                continue
            answer.races |= x.races(hb)
            if stopped:
                answer.blocked += 1
                continue
            answer.executions += 1
            last = {x.e[line[0]].var: x.e[line[-1]].value for line in mo_lists}
            outs = tuple(programs.result(programs.registers(ops), p[1])
                         for ops, p in zip(threads, paths) if programs.registers(ops))
            answer.finals.add(tuple(last[v] for v in names) + outs)
    return answer
