/* solve/memory.h: when the memory of a worker ends inside a solver. */
#ifndef AU_SOLVE_MEMORY_H
#define AU_SOLVE_MEMORY_H

/* C++ code that gets no memory calls this, which must not return. Without it, it aborts. */
void au_solve_on_no_memory(void (*fn)(void));

#endif
