/* engine/inputs.h: the operands of a command as inputs: which are models, how traces are read. */
#ifndef AU_ENGINE_INPUTS_H
#define AU_ENGINE_INPUTS_H

#include "engine/options.h"
#include "trace/reader.h"

/* --from, --partial of every command that reads a trace. */
au_status au_input_options(const au_opts *o, au_read_options *r, au_error *err);
/* Is this input a model? By --from, else by its name. */
bool au_input_is_model(const au_opts *o, const char *path);
bool au_input_names_model(const char *path); /* ends in .ctp */
/* The operands as an array that the caller frees. */
const char **au_input_names(const au_opts *o);

#endif
