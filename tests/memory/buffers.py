"""x86 as a machine (Owens, Sarkar, Sewell 2009): memory, and a buffer of stores for each thread.

A load takes the youngest store of its thread's buffer, or else memory. A store goes to the end of the
buffer; at any time the oldest one moves to memory. A fence (seq_cst), a locked instruction, a seq_cst
store (xchg), and taking or giving back a lock wait until the buffer is empty.
"""
import programs


def _flat(ops):
    """The thread as code: a list in which an 'if' jumps."""
    code = []
    for op in ops:
        if op[0] == "i":
            inner = _flat(op[3])
            code.append(("i", op[1], op[2], len(inner)))
            code += inner
        else:
            code.append(op)
    return code


def _runs(code, state, t):
    """The states after the next instruction of thread t; stopped threads have pc -1."""
    pcs, regs, buffers, memory, owners = state
    pc = pcs[t]
    if pc < 0 or pc >= len(code[t]):
        return
    op, mine, reg = code[t][pc], buffers[t], dict(regs[t])

    def after(pc=pc + 1, buffer=mine, reg=reg, memory=memory, owners=owners):
        return (pcs[:t] + (pc,) + pcs[t + 1:],
                regs[:t] + (tuple(sorted(reg.items())),) + regs[t + 1:],
                buffers[:t] + (buffer,) + buffers[t + 1:], memory, owners)

    def store(var, value):
        return tuple(sorted({**dict(memory), var: value}.items()))

    if op[0] == "w":
        if op[3] != "sc":
            yield after(buffer=mine + ((op[1], op[2]),))
        elif not mine:
            yield after(memory=store(op[1], op[2]))
    elif op[0] == "r":
        own = [v for var, v in mine if var == op[2]]
        yield after(reg={**reg, op[1]: own[-1] if own else dict(memory)[op[2]]})
    elif op[0] == "u":
        if not mine:
            old = dict(memory)[op[2]]
            yield after(reg={**reg, op[1]: old}, memory=store(op[2], old + op[3]))
    elif op[0] == "f":
        if op[1] != "sc" or not mine:
            yield after()
    elif op[0] == "q":
        yield after(pc=pc + 1 if reg.get(op[1], 0) == op[2] else -1)
    elif op[0] == "i":
        yield after(pc=pc + 1 if reg.get(op[1], 0) == op[2] else pc + 1 + op[3])
    elif op[0] == "l":
        if not mine and dict(owners)[op[1]] < 0:
            yield after(owners=tuple(sorted({**dict(owners), op[1]: t}.items())))
    elif op[0] == "L":
        if not mine:
            yield after(owners=tuple(sorted({**dict(owners), op[1]: -1}.items())))


def _drains(state, t):
    pcs, regs, buffers, memory, owners = state
    if buffers[t]:
        var, value = buffers[t][0]
        yield (pcs, regs, buffers[:t] + (buffers[t][1:],) + buffers[t + 1:],
               tuple(sorted({**dict(memory), var: value}.items())), owners)


def finals(threads):
    """Final values (variables, then results) of runs in which every thread comes to its end."""
    n = len(threads)
    code = [_flat(ops) for ops in threads]
    names = programs.variables(threads)
    start = ((0,) * n, ((),) * n, ((),) * n, tuple((v, 0) for v in names),
             tuple((m, -1) for m in programs.locks(threads)))
    seen, todo, found = {start}, [start], set()
    while todo:
        state = todo.pop()
        for t in range(n):
            for nxt in list(_runs(code, state, t)) + list(_drains(state, t)):
                if nxt not in seen:
                    seen.add(nxt)
                    todo.append(nxt)
        pcs, regs, buffers, memory, _ = state
        if all(pc == len(c) for pc, c in zip(pcs, code)) and not any(buffers):
            outs = tuple(programs.result(programs.registers(ops), dict(regs[t]))
                         for t, ops in enumerate(threads) if programs.registers(ops))
            found.add(tuple(dict(memory)[v] for v in names) + outs)
    return found
