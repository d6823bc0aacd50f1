/* engine/inputs.c: see inputs.h. */
#include "engine/inputs.h"

#include "base/alloc.h"

#include <string.h>

au_status au_input_options(const au_opts *o, au_read_options *r, au_error *err) {
    *r = (au_read_options){.partial = au_opt_flag(o, "partial"),
                           .lenient = au_opt_flag(o, "lenient")};
    const char *from = au_opt_str(o, "from");
    if (!from)
        return AU_OK;
    if (!strcmp(from, "ctp"))
        return au_error_set(err, AU_EUSAGE, "a trace is needed here, not a model");
    r->format = au_format_by_name(from);
    AU_BUG_IF(r->format == AU_FORMAT_AUTO); /* the table knows a name the library does not */
    return AU_OK;
}

bool au_input_is_model(const au_opts *o, const char *path) {
    const char *from = au_opt_str(o, "from");
    if (from)
        return !strcmp(from, "ctp");
    return au_input_names_model(path);
}

bool au_input_names_model(const char *path) {
    size_t n = strlen(path);
    return n >= 4 && !strcmp(path + n - 4, ".ctp");
}

const char **au_input_names(const au_opts *o) {
    const char **input = au_alloc_array(au_operands(o), sizeof *input);
    for (size_t i = 0; i < au_operands(o); i++)
        input[i] = au_operand(o, i);
    return input;
}
