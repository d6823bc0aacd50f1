/* cli/scan_input.c: what 'augur scan' is asked about. */
#include "cli/scan.h"

#include "model/ctp.h"

#include <string.h>

au_status au_scan_input_open(const au_opts *o, au_scan_input *in, au_error *err) {
    *in = (au_scan_input){0};
    au_arena_init(&in->arena);
    const char *path = au_operand(o, 0);
    if (!au_cli_names_model(path))
        return au_error_set(err, AU_EUNSUPPORTED, "'%s' is no .ctp model", path);
    if (au_operands(o) > 1)
        return au_error_set(err, AU_EUSAGE, "one model at a time");
    in->m = au_ctp_load(path, &(au_ctp_options){.unroll = AU_NONE}, err);
    if (!in->m)
        return err->status;
    if (in->m->thread.n > AU_MAX_THREADS)
        return au_error_set(err, AU_EUNSUPPORTED, "a model with more than %u threads",
                            AU_MAX_THREADS);
    return AU_OK;
}

void au_scan_input_release(au_scan_input *in) {
    if (!in->source)
        au_model_free(in->m);
    free(in->exact);
    au_vec_release(&in->note);
    au_arena_release(&in->arena);
    *in = (au_scan_input){0};
}
