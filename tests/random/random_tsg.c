/* tests/random/random_tsg.c: transaction sequence graphs on tiny random models.
 *
 * Exploring only along the switches of a graph (GenMAT, GenMAT', CCFG, either priority, with and
 * without what the MATs give beyond what is needed) shows the same final states, failing
 * assertions, control states and assigned values as full exploration. And ranges enclose: what
 * is assigned and read and the locals in every interleaving, cells where threads change in those
 * along switches; what they call unreachable is never reached. The models are texts, windows of their runs, and
 * recorded runs, whole, sliced and in parts. */
#include "base/out.h"
#include "base/rng.h"
#include "cases.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "odd_model.h"
#include "solve/window.h"
#include "states.h"
#include "symbolic_made.h"
#include "tsg/complete.h"
#include "tsg/rpt.h"

#include <stdio.h>

typedef struct {
    uint64_t models, skipped, plain, graphs, states, less, added, switches, subset, falls,
        unreached, proved, asserts, bare[2], recorded, windows;
} counts;

static uint64_t
    show_bare; /* what the MATs lose by themselves is a failure, too: to see such models */

/* --- models -------------------------------------------------------------------------------- */

static char *take(au_out *o) {
    char *own = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return own;
}

/* Accesses and sections: what the paper has. plain: two threads, one lock at a time. */
static char *text_of_sections(au_rng *r, bool plain) {
    au_out *o = au_out_memory();
    uint32_t threads = plain ? 2 : 2 + au_rng_below(r, 2), most = threads == 3 ? 5 : 8;
    au_out_str(o, "shared x = 0\nshared y = 0\nshared z = 1\nlock l\nlock k\n");
    for (uint32_t t = 0; t < threads; t++) {
        static const char *const name[] = {"x", "y", "z"};
        bool l = false, k = false;
        au_out_printf(o, "thread T%u {\n  p%u := 0\n  q%u := 0\n", t, t, t);
        uint32_t n = 1 + au_rng_below(r, most);
        for (uint32_t i = 0; i < n; i++) {
            const char *v = name[au_rng_below(r, 3)];
            switch (au_rng_below(r, plain ? 8 : 9)) {
            case 0:
            case 1:
                au_out_printf(o, "  p%u := %s\n", t, v);
                break;
            case 2:
                au_out_printf(o, "  %s := p%u + %u\n", v, t, au_rng_below(r, 3));
                break;
            case 3:
                au_out_printf(o, "  %s := %u\n", v, au_rng_below(r, 5));
                break;
            case 4:
                au_out_printf(o, "  q%u := q%u + p%u * 2\n", t, t, t);
                break;
            case 5:
            case 6:
                if (!l && !(plain && k)) {
                    au_out_str(o, "  acq l\n");
                    l = true;
                } else if (l) {
                    au_out_str(o, "  rel l\n");
                    l = false;
                }
                break;
            case 7:
                if (!k && !(plain && l)) {
                    au_out_str(o, "  acq k\n");
                    k = true;
                } else if (k) {
                    au_out_str(o, "  rel k\n");
                    k = false;
                }
                break;
            default:
                au_out_printf(o, "  assert p%u < %u\n", t, 1 + au_rng_below(r, 4));
                break;
            }
        }
        if (l)
            au_out_str(o, "  rel l\n");
        if (k)
            au_out_str(o, "  rel k\n");
        au_out_printf(o, "  q%u := p%u\n}\n", t, t);
    }
    return take(o);
}

/* Loops are kept: nothing here needs them unrolled. */
static au_model *read_model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = AU_NONE};
    return au_ctp_read(text, strlen(text), "model", &o, &err);
}

static char *make_text(uint64_t seed) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 90));
    char *text;
    switch (au_rng_below(&r, 5)) {
    case 0:
        return text_of_sections(&r, true);
    case 1:
    case 2:
        return text_of_sections(&r, false);
    case 3: {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + au_rng_below(&r, 3));
        o.misuse = au_rng_below(&r, 4) == 0;
        o.tries = au_rng_below(&r, 3) == 0;
        o.loops = au_rng_below(&r, 3) == 0;
        text = au_gen_ctp(seed, &o);
        break;
    }
    default:
        text = au_odd_ctp(seed);
        break;
    }
    au_model *m = read_model(text);
    if (!m) {
        free(text);
        return text_of_sections(&r, false);
    }
    au_model_free(m);
    return text;
}

/* --- ranges ------------------------------------------------------------------------------------ */

enum { MOST = 60000, GRAPHS = 9, RANGES = 3 * GRAPHS };

typedef struct {
    au_tsg *graph[GRAPHS];
    au_rpt *rpt[RANGES];
    const char *name[RANGES];
    unsigned graphs, rpts;
    const au_rpt *own; /* of the graph that is being explored; NULL: all */
    au_out *out;
    bool bad;
} ranges;

static const char *const kind_name[] = {"ccfg", "mat", "mat'"};

static bool holds(const au_model *m, uint32_t var, au_interval v, const uint64_t *value) {
    int64_t x = au_interval_value(value[var], m->var.at[var].width).low;
    return v.low <= x && x <= v.high;
}

static void complain(ranges *g, unsigned i, const au_step *s, const char *what, uint32_t var) {
    const au_model *m = g->rpt[i]->g->m;
    if (!g->bad)
        au_out_printf(g->out, "ranges of %s: %s at step %u (line %u) %s\n", g->name[i], what, s->id,
                      s->line, var == AU_NONE ? "" : m->var.at[var].name);
    g->bad = true;
}

static void before(void *ctx, const au_step *s, const uint64_t *value) {
    ranges *g = ctx;
    for (unsigned i = 0; i < g->rpts; i++) {
        const au_rpt *r = g->rpt[i];
        if (g->own && g->own != r)
            continue;
        if (!r->executed[s->id] || !r->reached[au_facts_src(&r->g->facts, s->id)])
            complain(g, i, s, "an unreachable step is executed", AU_NONE);
        for (uint32_t k = 0; k < s->n_accesses; k++)
            if (!s->access[k].write &&
                !holds(r->g->m, s->access[k].var, r->seen[r->first_seen[s->id] + k], value))
                complain(g, i, s, "a value is read outside its range", s->access[k].var);
    }
}

/* What holds in every interleaving; in those along switches the cells at nodes, too. */
static void after(void *ctx, const au_step *s, bool failed, const uint64_t *value) {
    ranges *g = ctx;
    for (unsigned i = 0; i < g->rpts; i++) {
        const au_rpt *r = g->rpt[i];
        const au_model *m = r->g->m;
        uint32_t state = au_facts_dst(&r->g->facts, s->id), node = r->g->number[state];
        if (g->own && g->own != r)
            continue;
        if (failed) {
            if (!r->fails[s->id])
                complain(g, i, s, "a proved assertion fails", AU_NONE);
            continue;
        }
        if (!r->reached[state] && au_facts_node(&r->g->facts, state)->out.n)
            complain(g, i, s, "an unreachable state is reached", AU_NONE);
        for (uint32_t k = 0; k < s->n_updates; k++)
            if ((g->own || m->var.at[s->update[k].var].kind != AU_VAR_SYNC) &&
                !holds(m, s->update[k].var, r->assigned[r->first[s->id] + k], value))
                complain(g, i, s, "a value is assigned outside its range", s->update[k].var);
        for (uint32_t v = 0; node != AU_NONE && !r->g->inner[node] && v < m->var.n; v++) {
            bool local = m->var.at[v].kind == AU_VAR_LOCAL;
            if ((local ? m->var.at[v].thread == s->thread : g->own != NULL) &&
                (!r->at[node] || !holds(m, v, r->at[node][r->slot[v]], value)))
                complain(g, i, s, "a variable is outside its range", v);
        }
    }
}

static void add_ranges(ranges *g, const au_tsg *graph, au_rpt_options o, const char *name) {
    g->name[g->rpts] = name;
    g->rpt[g->rpts++] = au_rpt_new(graph, &o);
}

/* All graphs of the model, and ranges on each. */
static void make_ranges(const au_model *m, ranges *g) {
    for (int kind = AU_TSG_CCFG; kind <= AU_TSG_MAT_PRIME; kind++)
        for (int how = 0; how < (kind ? 4 : 1); how++) {
            au_tsg_options o = {.kind = (au_tsg_kind)kind, .first_wins = how & 1, .lean = how >> 1};
            au_tsg *t = g->graph[g->graphs++] = au_tsg_new(m, &o);
            add_ranges(g, t, (au_rpt_options){0}, kind_name[kind]);
            if (how == 2 && t->te.n < 12)
                add_ranges(g, t, (au_rpt_options){.look_ahead = 1}, "mat, path by path");
            if (kind == AU_TSG_MAT_PRIME && how == 0 && t->te.n < 8)
                add_ranges(g, t, (au_rpt_options){.look_ahead = 2}, "mat', look ahead 2");
            if (how == 1)
                add_ranges(g, t, (au_rpt_options){.worklist = true}, "mat, by worklist");
            if (how == 3)
                add_ranges(g, t, (au_rpt_options){.no_control = true}, "mat, as in the paper");
        }
}

static void free_ranges(ranges *g) {
    for (unsigned i = 0; i < g->rpts; i++)
        au_rpt_free(g->rpt[i]);
    for (unsigned i = 0; i < g->graphs; i++)
        au_tsg_free(g->graph[i]);
}

/* --- adequate ---------------------------------------------------------------------------------- */

static bool may(void *ctx, uint32_t thread, uint32_t node, uint32_t to, uint32_t at) {
    const ranges *r = ctx;
    const au_tsg *g = r->own->g;
    return au_tsg_may_switch(g, g->facts.base[thread] + node, g->facts.base[to] + at);
}

static void explore_graph(const au_model *m, ranges *r, const au_states *full, counts *c,
                          au_out *out) {
    const au_tsg *g = r->own->g;
    const au_tsg_options *o = &g->o;
    au_states_how how = {.may = may, .ctx = r, .most = MOST * 3, .seen = after, .before = before};
    au_states e;
    au_states_walk(m, &how, &e);
    if (e.all) {
        c->graphs++;
        c->states += full->states;
        c->less += e.states;
        c->added += g->added;
        c->switches += g->ce.n;
        const char *lost = au_states_less(full, &e);
        if (lost)
            au_out_printf(out, "%s%s%s: %s is lost\n", kind_name[o->kind],
                          o->first_wins ? " --first" : "", o->lean ? " lean" : "", lost);
        lost = au_states_less(&e, full);
        if (lost)
            au_out_printf(out, "%s: %s out of nowhere\n", kind_name[o->kind], lost);
    }
    au_states_release(&e);
}

static bool may_bare(void *ctx, uint32_t thread, uint32_t node, uint32_t to, uint32_t at) {
    const au_tsg *g = ctx;
    return au_tsg_may_switch(g, g->facts.base[thread] + node, g->facts.base[to] + at);
}

/* What the paper's sets lose by themselves: counted. */
static void explore_bare(const au_model *m, const au_states *full, counts *c, au_out *out) {
    for (int k = 0; k < 2; k++) {
        au_tsg_options o = {.kind = k ? AU_TSG_MAT_PRIME : AU_TSG_MAT, .bare = true};
        au_tsg *g = au_tsg_new(m, &o);
        au_states_how how = {.may = may_bare, .ctx = g, .most = MOST * 3};
        au_states e;
        au_states_walk(m, &how, &e);
        const char *lost = e.all ? au_states_less(full, &e) : NULL;
        c->bare[k] += lost != NULL;
        if (lost && show_bare)
            au_out_printf(out, "%s alone: %s is lost\n", kind_name[1 + k], lost);
        au_states_release(&e);
        au_tsg_free(g);
    }
}

/* TP(MAT') in TP(MAT): a theorem of the paper that does not hold; counted. */
static bool is_subset(const au_model *m) {
    au_facts f;
    au_facts_make(&f, m);
    au_mat_vec a = {0}, b = {0};
    au_switch_vec x = {0}, y = {0};
    au_mat_generate(&f, &(au_mat_options){.dummies = true}, &a);
    au_mat_generate(&f, &(au_mat_options){.feasible_only = true, .dummies = true}, &b);
    au_mat_switches(&a, &x);
    au_mat_switches(&b, &y);
    bool all = true;
    for (size_t i = 0; i < y.n; i++)
        all &= au_switches_have(&x, y.at[i].from, y.at[i].to);
    au_vec_release(&a);
    au_vec_release(&b);
    au_vec_release(&x);
    au_vec_release(&y);
    au_facts_release(&f);
    return all;
}

/* How the metric moves from graph to graph: CCFG, TSG, TSG'. */
static void count_bits(const ranges *g, counts *c) {
    au_metric m[3];
    for (unsigned i = 0; i < g->rpts; i++)
        if (!g->rpt[i]->g->o.first_wins && !g->rpt[i]->o.look_ahead && !g->rpt[i]->o.no_control &&
            !g->rpt[i]->g->o.lean)
            au_rpt_metric(g->rpt[i], &m[g->rpt[i]->g->o.kind]);
    c->falls += m[0].local + m[0].global >= m[1].local + m[1].global &&
                m[1].local + m[1].global >= m[2].local + m[2].global;
    c->unreached += m[2].unreached;
    c->proved += m[2].proved;
    c->asserts += m[2].asserts;
}

static char *check(const au_model *m, counts *c) {
    au_out *out = au_out_memory();
    ranges r = {.out = out};
    au_states_how all = {.most = MOST, .ctx = &r, .seen = after, .before = before};
    au_states full;
    make_ranges(m, &r);
    au_states_walk(m, &all, &full);
    if (full.all) {
        c->plain += au_complete_plain(&r.graph[0]->facts);
        for (unsigned i = 0; i < r.rpts; i++) {
            r.own = r.rpt[i];
            explore_graph(m, &r, &full, c, out);
        }
        c->subset += is_subset(m);
        explore_bare(m, &full, c, out);
        count_bits(&r, c);
    } else {
        c->skipped++;
    }
    au_states_release(&full);
    free_ranges(&r);
    char *found = take(out);
    if (*found)
        return found;
    free(found);
    return NULL;
}

/* --- what differs, made small --------------------------------------------------------------------- */

static char *check_text(const char *text) {
    counts c = {0};
    au_model *m = read_model(text);
    char *found = m ? check(m, &c) : NULL;
    au_model_free(m);
    return found;
}

static bool still_differs(const char *text, void *ctx) {
    (void)ctx;
    char *found = check_text(text);
    free(found);
    return found != NULL;
}

/* One that is not text, or not the same text. */
static bool whole_model(uint64_t seed, const au_model *m, const char *what, counts *c) {
    char *found = check(m, c);
    if (!found)
        return true;
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_memory();
    printf("seed %llu: %s\n", (unsigned long long)seed, what);
    if (au_ctp_print(m, out, &err) == AU_OK)
        printf("%s", au_out_memory_data(out, NULL));
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        printf("# %s: %u to %u %s, line %u\n", m->thread.at[p->thread].name, p->src, p->dst,
               au_step_kind_name(p->kind), p->line);
    }
    for (size_t t = 0; t < m->thread.n; t++)
        printf("# %s: entry %u, exit %u\n", m->thread.at[t].name, m->thread.at[t].entry,
               m->thread.at[t].exit);
    for (size_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].init)
            printf("# %s begins with %llu\n", m->var.at[v].name,
                   (unsigned long long)m->var.at[v].init);
    printf("%s", found);
    au_out_abandon(out);
    free(found);
    return false;
}

/* A part of its run, from a state in the middle: locks may be held there. */
static bool one_window(uint64_t seed, const au_model *m, counts *c) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 91));
    uint32_t n = (uint32_t)m->observed.n, first = au_rng_below(&r, n);
    au_window w;
    au_window_init(&w, m, first, first + 1 + au_rng_below(&r, n - first));
    c->windows++;
    bool good = whole_model(seed, w.m, "a window", c);
    au_window_release(&w);
    return good;
}

static bool one_model(uint64_t seed, counts *c) {
    au_cases_enter(seed);
    char *text = make_text(seed);
    au_model *m = read_model(text);
    AU_BUG_IF(!m);
    c->models++;
    char *found = check(m, c);
    if (found) {
        char *less = au_shrink_ctp(text, still_differs, NULL), *what = check_text(less);
        printf("seed %llu\n%s\n%s", (unsigned long long)seed, less, what);
        free(less);
        free(what);
    }
    bool good = !found;
    free(found);
    if (good && m->observed.n && !m->has_loops && seed % 3 == 0)
        good = one_window(seed, m, c);
    au_model_free(m);
    free(text);
    return good;
}

/* The model of a recorded run, of a slice or a part of it. */
static bool one_recorded(uint64_t seed, counts *c) {
    char what[200];
    au_cases_enter(seed);
    au_model *m = au_made_recorded(seed, what);
    if (!m)
        return true;
    c->models++;
    c->recorded++;
    bool good = whole_model(seed, m, what, c);
    au_model_free(m);
    return good;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    const cases_option more[] = {{"bare", &show_bare}, {NULL, NULL}};
    au_cases_options(&all, argc, argv, more);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++) {
        uint64_t seed = au_cases_seed(&all, i);
        bad += !(seed % 3 == 2 ? one_recorded(seed, &c) : one_model(seed, &c));
    }
    printf(
        "%llu models (%llu of recorded runs; %llu windows besides; %llu too large, %llu with "
        "nothing to add), "
        "%llu graphs: %llu switches, "
        "%llu of them added; %llu states for %llu; TP(MAT') in TP(MAT) in %llu; bits "
        "fall from CCFG to TSG to TSG' in %llu; %llu control states never reached, %llu of %llu "
        "assertions proved; GenMAT alone loses something in %llu, GenMAT' in %llu; %llu failures\n",
        (unsigned long long)c.models, (unsigned long long)c.recorded, (unsigned long long)c.windows,
        (unsigned long long)c.skipped, (unsigned long long)c.plain, (unsigned long long)c.graphs,
        (unsigned long long)c.switches, (unsigned long long)c.added, (unsigned long long)c.less,
        (unsigned long long)c.states, (unsigned long long)c.subset, (unsigned long long)c.falls,
        (unsigned long long)c.unreached, (unsigned long long)c.proved,
        (unsigned long long)c.asserts, (unsigned long long)c.bare[0], (unsigned long long)c.bare[1],
        (unsigned long long)bad);
    return bad != 0;
}
