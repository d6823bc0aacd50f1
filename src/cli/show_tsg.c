/* cli/show_tsg.c: augur show --tsg: a model's transaction sequence graph, counted and drawn.
 *
 * The counts are those of table 1 in Ganai and Wang: what the program has, what the graph has, and
 * the bits of the ranges that it gives. */
#include "base/json.h"
#include "base/worker.h"
#include "cli/show.h"
#include "report/tsg_dot.h"
#include "tsg/rpt.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    size_t locals, globals, accesses;
    double seconds[2]; /* the graph, the ranges */
    au_metric metric;
} figures;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Shared accesses as the paper counts them: those of variables and those of objects. */
static void count(const au_tsg *g, figures *f) {
    for (size_t i = 0; i < g->m->var.n; i++) {
        f->locals += g->m->var.at[i].kind == AU_VAR_LOCAL;
        f->globals += g->m->var.at[i].kind == AU_VAR_SHARED;
    }
    f->globals += g->m->obj.n;
    for (size_t i = 0; i < g->m->step.n; i++) {
        const au_step *s = &g->m->step.at[i];
        f->accesses += s->n_accesses + (s->kind >= AU_STEP_ACQ);
    }
}

static const char *graph_name(const au_tsg *g) {
    return g->o.kind == AU_TSG_CCFG ? "CCFG" : g->o.kind == AU_TSG_MAT ? "TSG" : "TSG'";
}

static void text(au_out *out, const char *file, const au_rpt *r, const figures *f) {
    const au_tsg *g = r->g;
    au_out_printf(out, "model         %s\n", file);
    au_out_printf(out, "threads       %zu\n", g->m->thread.n);
    au_out_printf(out, "variables     %zu global, %zu local\n", f->globals, f->locals);
    au_out_printf(out, "accesses      %zu\n", f->accesses);
    au_out_printf(out, "transitions   %zu\n", g->m->step.n);
    au_out_printf(out, "graph         %s\n", graph_name(g));
    if (g->o.kind != AU_TSG_CCFG) {
        au_out_printf(out, "MATs          %zu\n", g->mats.n);
        au_out_printf(out, "  switches    %zu, %zu of them never possible\n", g->mat_switches,
                      g->unreachable);
    }
    au_out_printf(out, "nodes         %zu\n", g->nodes);
    au_out_printf(out, "transactions  %zu\n", g->te.n);
    au_out_printf(out, "switches      %zu, %zu of them added\n", g->ce.n, g->added);
    au_out_printf(out, "rounds        %" PRIu32 "\n", r->rounds);
    au_out_printf(out, "bits          %" PRIu64 " local, %" PRIu64 " global\n", f->metric.local,
                  f->metric.global);
    au_out_printf(out, "unreachable   %" PRIu32 " control states\n", f->metric.unreached);
    au_out_printf(out, "assertions    %" PRIu32 " of %" PRIu32 " proved by ranges\n",
                  f->metric.proved, f->metric.asserts);
    au_out_printf(out, "seconds       %.3f graph, %.3f ranges\n", f->seconds[0], f->seconds[1]);
}

static void json(au_out *out, const char *file, const au_rpt *r, const figures *f) {
    const au_tsg *g = r->g;
    au_json j;
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_key(&j, "input");
    au_json_array(&j);
    au_json_string(&j, file);
    au_json_end_array(&j);
    au_json_key(&j, "model");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "threads", g->m->thread.n);
    au_json_put_u64(&j, "locals", f->locals);
    au_json_put_u64(&j, "globals", f->globals);
    au_json_put_u64(&j, "accesses", f->accesses);
    au_json_put_u64(&j, "transitions", g->m->step.n);
    au_json_end_object(&j);
    au_json_key(&j, "graph");
    au_json_object_inline(&j);
    au_json_put_string(&j, "kind", graph_name(g));
    au_json_put_u64(&j, "mats", g->mats.n);
    au_json_put_u64(&j, "mat_switches", g->mat_switches);
    au_json_put_u64(&j, "impossible", g->unreachable);
    au_json_put_u64(&j, "nodes", g->nodes);
    au_json_put_u64(&j, "transactions", g->te.n);
    au_json_put_u64(&j, "switches", g->ce.n);
    au_json_put_u64(&j, "added", g->added);
    au_json_end_object(&j);
    au_json_key(&j, "ranges");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "rounds", r->rounds);
    au_json_put_u64(&j, "local_bits", f->metric.local);
    au_json_put_u64(&j, "global_bits", f->metric.global);
    au_json_put_u64(&j, "unreachable", f->metric.unreached);
    au_json_put_u64(&j, "asserts", f->metric.asserts);
    au_json_put_u64(&j, "proved", f->metric.proved);
    au_json_end_object(&j);
    au_json_key(&j, "stats");
    au_json_object_inline(&j);
    au_json_key(&j, "graph_seconds");
    au_json_double(&j, f->seconds[0]);
    au_json_key(&j, "range_seconds");
    au_json_double(&j, f->seconds[1]);
    au_json_end_object(&j);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}

static au_status draw(const au_opts *o, const au_rpt *r, au_error *err) {
    const char *path = au_opt_str(o, "draw");
    if (!path)
        return AU_OK;
    size_t n = strlen(path);
    bool svg = n > 4 && !strcmp(path + n - 4, ".svg");
    if (!svg && !(n > 4 && !strcmp(path + n - 4, ".dot")))
        return au_error_set(err, AU_EUSAGE, "'--draw %s' ends neither in '.svg' nor in '.dot'",
                            path);
    return au_tsg_draw(r, path, svg, err);
}

au_status au_show_tsg_usage(const au_opts *o, au_error *err) {
    static const char *const only[] = {"mat",  "ccfg", "priority", "look-ahead",
                                       "draw", "bare", "timeout",  "memory"};
    for (size_t i = 0; i < sizeof only / sizeof *only && !au_opt_flag(o, "tsg"); i++)
        if (au_opt_given(o, only[i]))
            return au_error_set(err, AU_EUSAGE, "'--%s' needs '--tsg'", only[i]);
    if (au_opt_flag(o, "mat") && au_opt_flag(o, "ccfg"))
        return au_error_set(err, AU_EUSAGE, "'--mat' conflicts with '--ccfg'");
    if (au_opt_flag(o, "tsg") && (au_opt_flag(o, "summary") || au_opt_flag(o, "lint")))
        return au_error_set(err, AU_EUSAGE, "'--tsg' conflicts with '--summary' and '--lint'");
    return AU_OK;
}

/* What the child works on, and what the parent has heard of it. */
typedef struct {
    const au_opts *o;
    const au_model *m;
    au_out *out;
    au_error *err;
    au_status st;
} job;

static au_tsg_options graph_options(const au_opts *o) {
    return (au_tsg_options){.kind = au_opt_flag(o, "ccfg")  ? AU_TSG_CCFG
                                    : au_opt_flag(o, "mat") ? AU_TSG_MAT
                                                            : AU_TSG_MAT_PRIME,
                            .first_wins = !strcmp(au_opt_str(o, "priority"), "first"),
                            .bare = au_opt_flag(o, "bare")};
}

/* In a process of its own, which a limit may end. The first byte says whether the rest is the answer or an
 * error. */
static void work(void *ctx, uint32_t index, au_out *out) {
    const job *k = ctx;
    (void)index;
    figures f = {0};
    au_error err = AU_ERROR_NONE;
    au_tsg_options how = graph_options(k->o);
    double start = now();
    au_tsg *g = au_tsg_new(k->m, &how);
    f.seconds[0] = now() - start;
    au_rpt *r =
        au_rpt_new(g, &(au_rpt_options){.look_ahead = (unsigned)au_opt_int(k->o, "look-ahead")});
    f.seconds[1] = now() - start - f.seconds[0];
    count(g, &f);
    au_rpt_metric(r, &f.metric);
    if (draw(k->o, r, &err) != AU_OK) {
        au_out_char(out, (char)err.status);
        au_out_str(out, err.text);
    } else {
        au_out_char(out, AU_OK);
        if (!strcmp(au_opt_str(k->o, "format"), "json"))
            json(out, au_operand(k->o, 0), r, &f);
        else
            text(out, au_operand(k->o, 0), r, &f);
    }
    au_rpt_free(r);
    au_tsg_free(g);
}

static bool heard(void *ctx, const au_job_result *r) {
    job *k = ctx;
    const char *remedy = "of a recording '--slice FILE:LINE' takes a part";
    if (r->end == AU_JOB_TIMEOUT)
        k->st = au_error_set(
            k->err, AU_EUNSUPPORTED,
            "the graph of %zu steps and its ranges take more than %g s (--timeout); %s",
            k->m->step.n, au_opt_number(k->o, "timeout"), remedy);
    else if (r->end == AU_JOB_MEMORY)
        k->st = au_error_set(k->err, AU_EUNSUPPORTED,
                             "the graph of %zu steps and its ranges need more than %lld MiB "
                             "(--memory); %s",
                             k->m->step.n, (long long)au_opt_int(k->o, "memory"), remedy);
    else if (r->end != AU_JOB_DONE || !r->size)
        k->st = au_error_set(k->err, AU_EINTERNAL, "the process that makes the graph ended: %s",
                             r->end == AU_JOB_DONE ? "no result" : r->detail);
    else if (r->data[0] != AU_OK)
        k->st = au_error_set(k->err, (au_status)r->data[0], "%.*s", (int)r->size - 1, r->data + 1);
    else
        au_out_write(k->out, r->data + 1, r->size - 1);
    return true;
}

au_status au_show_tsg(const au_opts *o, const au_model *m, au_out *out, au_error *err) {
    if (au_model_is_weak(m))
        au_cli_note(o, "the graph and its ranges are those of interleavings: %s", AU_MODEL_WEAK);
    job k = {o, m, out, err, AU_OK};
    au_pool_limits limits = {.jobs = 1,
                             .seconds = au_opt_number(o, "timeout"),
                             .memory_bytes = (uint64_t)au_opt_int(o, "memory") << 20};
    au_status st = au_pool_run(1, &limits, work, heard, &k, err);
    return st == AU_OK ? k.st : st;
}
