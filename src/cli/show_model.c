/* cli/show_model.c: a .ctp model as text, or what it consists of. */
#include "base/json.h"
#include "cli/show.h"
#include "model/ctp.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { OBJ_KINDS = AU_OBJ_BARRIER + 1 };

typedef struct {
    size_t nodes, shared, local, accesses;
    size_t kind[AU_STEP_KINDS], obj[OBJ_KINDS];
    AU_VEC(size_t) steps; /* of each thread */
} counts;

static void count(const au_model *m, counts *c) {
    *c = (counts){0};
    for (size_t i = 0; i < m->thread.n; i++) {
        c->nodes += m->thread.at[i].node.n;
        au_vec_push(&c->steps, 0);
    }
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        c->kind[s->kind]++;
        c->steps.at[s->thread]++;
        c->accesses += s->n_accesses;
    }
    for (size_t i = 0; i < m->var.n; i++) {
        c->shared += m->var.at[i].kind == AU_VAR_SHARED;
        c->local += m->var.at[i].kind == AU_VAR_LOCAL;
    }
    for (size_t i = 0; i < m->obj.n; i++)
        c->obj[m->obj.at[i].kind]++;
}

static void text_summary(au_out *out, const au_model *m, const counts *c, bool color) {
    const char *on = color ? "\033[1m" : "", *off = color ? "\033[0m" : "";
    au_out_printf(out, "model      %s\n", m->file);
    au_out_printf(out, "threads    %zu\n", m->thread.n);
    au_out_printf(out, "nodes      %zu\n", c->nodes);
    au_out_printf(out, "steps      %zu\n", m->step.n);
    au_out_printf(out, "accesses   %zu\n", c->accesses);
    au_out_printf(out, "variables  %zu shared, %zu local\n", c->shared, c->local);
    au_out_printf(out, "objects    %zu", m->obj.n);
    for (size_t k = 0, n = 0; k < OBJ_KINDS; k++)
        if (c->obj[k])
            au_out_printf(out, "%s%zu %s", n++ ? ", " : ": ", c->obj[k],
                          au_obj_kind_name((au_obj_kind)k));
    au_out_printf(out, "\nblocks     %" PRIu32 "\n", m->n_blocks);
    au_out_printf(out, "loops      %s\n", m->has_loops ? "yes" : "no");
    au_out_printf(out, "observed   %zu steps\n", m->observed.n);
    au_out_printf(out, "\n%ssteps%s\n", on, off);
    for (size_t k = 0; k < AU_STEP_KINDS; k++)
        if (c->kind[k])
            au_out_printf(out, "  %-9s  %zu\n", au_step_kind_name((au_step_kind)k), c->kind[k]);
    size_t width = strlen("thread");
    for (size_t i = 0; i < m->thread.n; i++)
        if (strlen(m->thread.at[i].name) > width)
            width = strlen(m->thread.at[i].name);
    au_out_printf(out, "\n%sthreads%s\n  %-*s  nodes  steps  forked\n", on, off, (int)width,
                  "thread");
    for (size_t i = 0; i < m->thread.n; i++) {
        const au_thread *t = &m->thread.at[i];
        au_out_printf(out, "  %-*s  %5zu  %5zu  %6s\n", (int)width, t->name, t->node.n,
                      c->steps.at[i], t->forked ? "yes" : "no");
    }
}

static void json_summary(au_out *out, const au_model *m, const counts *c) {
    au_json j;
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_key(&j, "input");
    au_json_array_inline(&j);
    au_json_string(&j, m->file);
    au_json_end_array(&j);
    au_json_key(&j, "model");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "threads", m->thread.n);
    au_json_put_u64(&j, "nodes", c->nodes);
    au_json_put_u64(&j, "steps", m->step.n);
    au_json_put_u64(&j, "accesses", c->accesses);
    au_json_put_u64(&j, "shared", c->shared);
    au_json_put_u64(&j, "local", c->local);
    au_json_put_u64(&j, "blocks", m->n_blocks);
    au_json_put_bool(&j, "loops", m->has_loops);
    au_json_put_u64(&j, "observed", m->observed.n);
    au_json_end_object(&j);
    au_json_key(&j, "objects");
    au_json_object_inline(&j);
    for (size_t k = 0; k < OBJ_KINDS; k++)
        if (c->obj[k])
            au_json_put_u64(&j, au_obj_kind_name((au_obj_kind)k), c->obj[k]);
    au_json_end_object(&j);
    au_json_key(&j, "steps");
    au_json_object_inline(&j);
    for (size_t k = 0; k < AU_STEP_KINDS; k++)
        if (c->kind[k])
            au_json_put_u64(&j, au_step_kind_name((au_step_kind)k), c->kind[k]);
    au_json_end_object(&j);
    au_json_key(&j, "by_thread");
    au_json_array(&j);
    for (size_t i = 0; i < m->thread.n; i++) {
        au_json_object_inline(&j);
        au_json_put_string(&j, "name", m->thread.at[i].name);
        au_json_put_u64(&j, "nodes", m->thread.at[i].node.n);
        au_json_put_u64(&j, "steps", c->steps.at[i]);
        au_json_put_bool(&j, "forked", m->thread.at[i].forked);
        au_json_end_object(&j);
    }
    au_json_end_array(&j);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}

static au_status usage(const au_opts *o, bool summary, bool json, au_error *err) {
    static const char *const for_traces[] = {"thread",  "range",   "var",    "lock",  "op",
                                             "partial", "lenient", "as-ctp", "slice", "pinned"};
    for (size_t i = 0; i < sizeof for_traces / sizeof *for_traces; i++)
        if (au_opt_given(o, for_traces[i]))
            return au_error_set(err, AU_EUSAGE, "'--%s' is for traces, and '%s' is a model",
                                for_traces[i], au_operand(o, 0));
    if (au_show_tsg_usage(o, err) != AU_OK)
        return err->status;
    if (json && !summary)
        return au_error_set(
            err, AU_EUSAGE,
            "a model is printed as text; '--format json' needs '--summary' or '--tsg'");
    return AU_OK;
}

int au_show_model(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    bool summary = au_opt_flag(o, "summary"), lint = au_opt_flag(o, "lint");
    bool json = !strcmp(au_opt_str(o, "format"), "json");
    bool tsg = au_opt_flag(o, "tsg");
    if (usage(o, summary || lint || tsg, json, &err) != AU_OK)
        return au_cli_fail(&err);
    /* Shown as it is written unless asked otherwise. */
    au_ctp_options opts = {.unroll = AU_NONE};
    if (au_opt_given(o, "unroll"))
        opts.unroll = (uint32_t)au_opt_int(o, "unroll");
    au_model *m = au_ctp_load(au_operand(o, 0), &opts, &err);
    if (!m)
        return au_cli_fail(&err);
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    au_status st = AU_OK;
    if (tsg) {
        st = au_show_tsg(o, m, out, &err);
    } else if (lint) {
        au_out_printf(out, "no problems in %zu steps\n", m->step.n);
    } else if (summary) {
        counts c;
        count(m, &c);
        if (json)
            json_summary(out, m, &c);
        else
            text_summary(out, m, &c, au_cli_color(o, STDOUT_FILENO));
        au_vec_release(&c.steps);
    } else {
        st = au_ctp_print(m, out, &err);
    }
    au_model_free(m);
    if (st != AU_OK)
        au_out_abandon(out);
    else
        st = au_out_commit(out, &err);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
