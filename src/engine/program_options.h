/* engine/program_options.h: the program of 'record', 'explore' and 'run': operands, --env and --cwd. */
#ifndef AU_ENGINE_PROGRAM_OPTIONS_H
#define AU_ENGINE_PROGRAM_OPTIONS_H

#include "engine/options.h"
#include "program/program.h"

/* All but p->plan, which is the caller's to set (au_program_init_here zeroes it). The caller releases
 * p, also after an error. The program is found as execvp would, and must have hooks. */
au_status au_program_options(const au_opts *o, au_program *p, au_error *err);
/* The same for this file with these arguments (a list ended by NULL, without its name), in our own
 * environment and directory; it reads nothing and sees no terminal. */
au_status au_program_of_file(const char *path, char *const *arg, au_program *p, au_error *err);
/* The name of the program without its directories; borrowed from p. */
const char *au_program_name(const au_program *p);

#endif
