/* cli/cmd_oracle.c: augur oracle. */
#include "base/clock.h"
#include "cli/cli.h"
#include "engine/check_options.h"
#include "engine/inputs.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "oracle/oracle.h"

#include <string.h>

static au_semantics semantics(const char *name) {
    return !strcmp(name, "mcm")     ? AU_SEM_MCM
           : !strcmp(name, "cam")   ? AU_SEM_CAM
           : !strcmp(name, "locks") ? AU_SEM_LOCKS
                                    : AU_SEM_CTP;
}

static au_atomic_blocks atomic_blocks(const char *name) {
    return !strcmp(name, "marked")     ? AU_ATOMIC_MARKED
           : !strcmp(name, "critical") ? AU_ATOMIC_CRITICAL
           : !strcmp(name, "none")     ? AU_ATOMIC_NONE
                                       : AU_ATOMIC_AUTO;
}

static au_memory memory(const char *name) {
    return !strcmp(name, "tso")    ? AU_MEMORY_TSO
           : !strcmp(name, "rc11") ? AU_MEMORY_RC11
                                   : AU_MEMORY_SC;
}

static au_oracle_options options(const au_opts *o) {
    au_oracle_options q = AU_ORACLE_DEFAULTS;
    q.memory = memory(au_opt_str(o, "memory-model"));
    q.memory_asked = au_opt_given(o, "memory-model");
    q.semantics = semantics(au_opt_str(o, "model"));
    q.atomic = atomic_blocks(au_opt_str(o, "atomic"));
    q.whole = !au_opt_flag(o, "prefix");
    q.keep_reads = au_opt_flag(o, "keep-reads");
    if (au_opt_given(o, "context-bound"))
        q.context_bound = (uint32_t)au_opt_int(o, "context-bound");
    q.max_states = (uint64_t)au_opt_int(o, "max-states");
    q.props = au_prop_option(o);
    if (q.memory != AU_MEMORY_SC && !au_opt_given(o, "prop"))
        q.props &= ~(unsigned)(AU_PROP_ATOMICITY | AU_PROP_LOST);
    return q;
}

static au_model *model_of_trace(const au_opts *o, const char *path, au_error *err) {
    au_read_options how = {0};
    if (au_input_options(o, &how, err))
        return NULL;
    au_trace *t = au_trace_load(path, &how, err);
    au_model *m = t ? au_model_from_trace(t, NULL, err) : NULL;
    if (m)
        au_cli_repairs(o, t->repairs, path);
    au_trace_free(t);
    return m;
}

static au_model *load(const au_opts *o, au_error *err) {
    const char *path = au_operand(o, 0);
    if (!au_input_is_model(o, path)) {
        if (memory(au_opt_str(o, "memory-model")) == AU_MEMORY_SC)
            return model_of_trace(o, path, err);
        au_error_set(err, AU_EUSAGE,
                     "'--memory-model %s' is for .ctp models: a trace does not say what else its "
                     "reads might see",
                     au_opt_str(o, "memory-model"));
        return NULL;
    }
    au_ctp_options how = {0};
    if (au_opt_given(o, "unroll"))
        how.unroll = (uint32_t)au_opt_int(o, "unroll");
    return au_ctp_load(path, &how, err);
}

int au_cmd_oracle(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    double begun = au_now();
    au_oracle_options q = options(o);
    au_model *m = load(o, &err);
    if (!m)
        return au_cli_fail(&err);
    int status = AU_EXIT_INTERNAL;
    au_oracle_result *r = au_oracle_run(m, &q, &err);
    au_out *out = r ? au_out_open(au_opt_str(o, "output"), &err) : NULL;
    if (!out) {
        status = au_cli_fail(&err);
    } else {
        if (!strcmp(au_opt_str(o, "format"), "text"))
            au_oracle_text(m, &q, r, out);
        else
            au_oracle_json(m, &q, r, au_now() - begun, out);
        if (au_out_commit(out, &err) != AU_OK)
            status = au_cli_fail(&err);
        else if (au_oracle_found(r))
            status = AU_EXIT_FOUND;
        else
            status = r->exhaustive ? AU_EXIT_NOTHING : AU_EXIT_INTERNAL;
    }
    au_oracle_free(r);
    au_model_free(m);
    return status;
}
