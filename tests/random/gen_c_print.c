/* tests/random/gen_c_print.c: one random C program (gen_c.h) as text.
 * usage: gen_c_print SEED [SIZE [wide [cxx]]] */
#include "gen_c.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    gen_text text = {0};
    gen_c_plan plan = {.seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                       .size = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 3,
                       .wide = argc > 3,
                       .cxx = argc > 4};
    gen_c_head(&text);
    gen_c_program(&text, 0, &plan);
    gen_c_main(&text, 1);
    fwrite(text.at, 1, text.n, stdout);
    au_vec_release(&text);
    return 0;
}
