"""Small programs with memory orders: their text as .ctp, and nothing about what they mean.

A program is a list of threads, a thread a list of operations:

    ("w", var, value, order)        a store of a constant
    ("r", reg, var, order)          a load
    ("u", reg, var, add, order)     a read-modify-write: reg := var, var := var + add
    ("f", order)                    a fence
    ("q", reg, value)               the thread stops here unless reg has the value
    ("i", reg, value, operations)   the operations if reg has the value
    ("l", lock), ("L", lock)        takes, gives back a lock

Orders are na (not atomic), rlx, acq, rel, acq_rel, sc. Every thread with registers ends by storing
them in a variable of its own, so that the final values tell what it read.
"""


def registers(ops):
    found = []
    for op in ops:
        if op[0] in "ru" and op[1] not in found:
            found.append(op[1])
        if op[0] == "i":
            found += [r for r in registers(op[3]) if r not in found]
    return found


def variables(threads):
    found = set()
    for ops in threads:
        for op in ops:
            if op[0] == "w":
                found.add(op[1])
            elif op[0] in "ru":
                found.add(op[2])
            elif op[0] == "i":
                found |= set(variables([op[3]]))
    return sorted(found)


def locks(threads):
    found = set()
    for ops in threads:
        for op in ops:
            if op[0] in "lL":
                found.add(op[1])
            elif op[0] == "i":
                found |= set(locks([op[3]]))
    return sorted(found)


BASE = 16  # of the number in which a thread's registers are stored


def result(regs, values):
    number = 0
    for r in regs:
        number = number * BASE + values.get(r, 0)
    return number


def _access(text, order):
    if order == "na":
        return text
    return "[%s %s]" % (order, text)


def _text(ops, indent, lines, label):
    for op in ops:
        label[0] += 1
        name = "t%d_%d: " % (label[1], label[0])
        if op[0] == "w":
            body = _access("%s := %d" % (op[1], op[2]), op[3])
        elif op[0] == "r":
            body = _access("%s := %s" % (op[1], op[2]), op[3])
        elif op[0] == "u":
            body = _access("%s := %s; %s := %s + %d" % (op[1], op[2], op[2], op[2], op[3]), op[4])
        elif op[0] == "f":
            body = "fence " + op[1]
        elif op[0] == "q":
            body = "assume %s == %d" % (op[1], op[2])
        elif op[0] == "l":
            body = "acq " + op[1]
        elif op[0] == "L":
            body = "rel " + op[1]
        else:
            lines.append("%s%sif (%s == %d) {" % (indent, name, op[1], op[2]))
            _text(op[3], indent + "  ", lines, label)
            lines.append(indent + "}")
            continue
        lines.append(indent + name + body)


def results(threads):
    """The variable that each thread stores its registers in; None: it has none."""
    return ["out%d" % (t + 1) if registers(ops) else None for t, ops in enumerate(threads)]


def ctp(threads):
    names = variables(threads) + [r for r in results(threads) if r]
    lines = ["shared " + ", ".join(names)] if names else []
    if locks(threads):
        lines.append("lock " + ", ".join(locks(threads)))
    for t, ops in enumerate(threads):
        lines.append("thread T%d {" % (t + 1))
        regs = registers(ops)
        if regs:
            lines.append("  local " + ", ".join(regs))
        _text(ops, "  ", lines, [0, t + 1])
        if regs:
            number = "0"
            for r in regs:
                number = "(%s) * %d + %s" % (number, BASE, r)
            lines.append("  out%d := %s" % (t + 1, number))
        if not ops:
            lines.append("  nop")
        lines.append("}")
    return "\n".join(lines) + "\n"


def numbered(ops, label=None):
    """The operations with the numbers that their labels have."""
    label = label if label is not None else [0]
    out = []
    for op in ops:
        label[0] += 1
        number = label[0]
        out.append((number, op, numbered(op[3], label) if op[0] == "i" else None))
    return out
