/* engine/scan_input.c: what 'augur scan' is asked about. */
#include "engine/scan_priv.h"

#include "base/limits.h"
#include "engine/inputs.h"
#include "lower/source.h"
#include "model/ctp.h"

#include <string.h>

static void note(au_scan_input *in, const char *text) {
    au_vec_push(&in->note, au_arena_strndup(&in->arena, text, strlen(text)));
}

static au_status open_model(const au_opts *o, au_scan_input *in, au_error *err) {
    if (au_operands(o) > 1)
        return au_error_set(err, AU_EUSAGE, "one model at a time");
    if (au_opt_given(o, "entry"))
        return au_error_set(err, AU_EUSAGE, "--entry is for programs, not for models");
    in->n_files = 1;
    in->m = au_ctp_load(au_operand(o, 0), &(au_ctp_options){.unroll = AU_NONE}, err);
    if (in->m && au_model_is_weak(in->m))
        in->lost = AU_MODEL_WEAK;
    return in->m ? AU_OK : err->status;
}

/* What the user should know of how the program was read. */
static void tell_source(au_scan_input *in) {
    const au_source *s = in->source;
    char *text = au_sprintf("%u functions (%u of them not called by any thread), %zu threads, %zu "
                            "steps",
                            s->functions, s->unreached, s->model->thread.n, s->model->step.n);
    note(in, text);
    free(text);
    bool several = false, more = false; /* more: of what the program itself starts */
    for (size_t i = 0; i < s->thread.n; i++) {
        several |= s->thread.at[i].several;
        more |= s->thread.at[i].several && s->thread.at[i].created;
    }
    if (several)
        note(in, "threads that are created repeatedly are modelled as two");
    in->more = more;
    for (size_t i = 0; i < s->over.n; i++) {
        const au_source_over *v = &s->over.at[i];
        const char *kind = v->lost ? "left out" : "over-approximated";
        if (v->line)
            text = au_sprintf("%s: %s (%s:%u)%s", kind, v->what, v->file, v->line,
                              v->count > 1 ? " and elsewhere" : "");
        else
            text = au_sprintf("%s: %s", kind, v->what);
        note(in, text);
        if (v->lost && !in->lost)
            in->lost = au_vec_last(&in->note);
        free(text);
    }
}

/* Parts of an object are one thing to a person who looks at two lines, and so are the copies of it that the model keeps apart
 * by the calls that lead to where it is made. */
static void find_same(au_scan_input *in) {
    const au_source *s = in->source;
    au_map known;
    au_map_init(&known);
    in->same = au_alloc_array(in->m->var.n + 1, sizeof *in->same);
    for (uint32_t v = 0; v < in->m->var.n; v++) {
        const char *object = v < s->var.n ? s->var.at[v].object : "";
        in->same[v] = v;
        if (!*object)
            continue;
        uint64_t h =
            au_hash_join(au_hash_bytes(object, strlen(object)), s->var.at[v].outside ? v + 1 : 0);
        bool fresh;
        uint64_t *at = au_map_put(&known, h, &fresh);
        if (fresh)
            *at = v;
        in->same[v] = (uint32_t)*at;
    }
    au_map_release(&known);
}

/* Files, then (after --) options of clang, the first of which begins with '-'. */
static au_status open_source(const au_opts *o, au_scan_input *in, au_error *err) {
    size_t n = 0, n_entries, all = au_operands(o);
    char *const *entry = au_opt_list(o, "entry", &n_entries);
    const char **file = au_alloc_array(all + 1, sizeof *file);
    char **option = au_alloc_array(all + 1, sizeof *option);
    while (n < all && au_operand(o, n)[0] != '-') {
        file[n] = au_operand(o, n);
        n++;
    }
    for (size_t i = n; i < all; i++)
        option[i - n] = (char *)au_operand(o, i);
    au_source_options how = {.entry = (const char *const *)entry,
                             .n_entries = n_entries,
                             .entries_once = au_opt_flag(o, "once"),
                             .svcomp = au_opt_flag(o, "svcomp"),
                             .inline_budget = (uint32_t)au_opt_int(o, "inline")};
    if (n)
        in->source = au_source_read(file, n, option, all - n, &how, err);
    else
        au_error_set(err, AU_EUSAGE, "no source file before the compiler options");
    free(file);
    free(option);
    in->n_files = n;
    if (!in->source)
        return err->status;
    in->m = in->source->model;
    in->exact = au_alloc_array(in->m->step.n + 1, 1);
    memcpy(in->exact, in->source->exact.at, in->source->exact.n);
    in->vague = au_alloc_array(in->m->var.n + 1, 1);
    for (size_t v = 0; v < in->source->var.n && v < in->m->var.n; v++)
        in->vague[v] = in->source->var.at[v].outside ? 2 : in->source->var.at[v].summary;
    find_same(in);
    tell_source(in);
    return AU_OK;
}

au_status au_scan_input_open(const au_opts *o, au_scan_input *in, au_error *err) {
    *in = (au_scan_input){0};
    au_arena_init(&in->arena);
    au_status st =
        au_input_names_model(au_operand(o, 0)) ? open_model(o, in, err) : open_source(o, in, err);
    if (st == AU_OK && in->m->thread.n > AU_MAX_THREADS)
        return au_error_set(err, AU_EUNSUPPORTED, "%s",
                            au_limit_say(AU_AT_THREADS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    return st;
}

void au_scan_input_release(au_scan_input *in) {
    if (in->source)
        au_source_free(in->source);
    else
        au_model_free(in->m);
    free(in->exact);
    free(in->vague);
    free(in->same);
    au_vec_release(&in->note);
    au_arena_release(&in->arena);
    *in = (au_scan_input){0};
}
