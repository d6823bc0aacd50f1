#include "solve/memory.h"

/* std::set_new_handler: C++ has no C name for it. */
typedef void handler(void);
extern handler *au_set_new_handler(handler *fn) __asm__("_ZSt15set_new_handlerPFvvE");

void au_solve_on_no_memory(void (*fn)(void)) {
    au_set_new_handler(fn);
}
