/* model/ctp_read.c: from .ctp text to a model, all stages in a row. */
#include "base/in.h"
#include "base/limits.h"
#include "model/ctp_priv.h"
#include "model/run.h"

au_model *au_ctp_read(const char *text, size_t n, const char *file, const au_ctp_options *opts,
                      au_error *err) {
    au_ctp_ast ast = {0};
    au_arena_init(&ast.arena);
    au_model *m = au_model_new(file);
    au_ctp_lower w = {.ast = &ast,
                      .m = m,
                      .unroll = opts ? opts->unroll : 0,
                      .max_steps = opts && opts->max_steps ? opts->max_steps : AU_LIMIT_CTP_STEPS};
    bool ok =
        au_ctp_lex_init(&ast.lex, text, n, file, err) && au_ctp_parse(&ast) && au_ctp_lower_all(&w);
    if (ok && ast.has_trace)
        ok = au_ctp_observe(&w);
    else if (ok)
        au_model_observe_steps(m, w.max_steps < AU_OBSERVE_STEPS ? w.max_steps : AU_OBSERVE_STEPS);
    au_ctp_lower_release(&w);
    au_vec_release(&ast.decl);
    au_vec_release(&ast.thread);
    au_vec_release(&ast.item);
    au_ctp_lex_release(&ast.lex);
    au_arena_release(&ast.arena);
    if (ok)
        return m;
    au_model_free(m);
    return NULL;
}

au_model *au_ctp_load(const char *path, const au_ctp_options *opts, au_error *err) {
    au_in *in = au_in_open(path, err);
    if (!in)
        return NULL;
    size_t n;
    const char *text = au_in_peek(in, AU_LIMIT_CTP_BYTES + 1, &n, err);
    au_model *m = text ? au_ctp_read(text, n, au_in_name(in), opts, err) : NULL;
    au_in_close(in);
    return m;
}
