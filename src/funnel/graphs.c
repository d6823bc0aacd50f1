/* funnel/graphs.c: see graphs.h.
 *
 * The causality graph of a whole run is no picture. Shown are the decisive events, a few events of
 * their threads before them (synchronisation, and accesses to the same variable), and who forked
 * them; of the edges between threads those that do not follow from others. */
#include "funnel/graphs.h"

#include "base/limits.h"
#include "base/worker.h"
#include "graph/cause.h"
#include "model/from_trace.h"
#include "report/common.h"
#include "report/draw.h"
#include "report/tsg_dot.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_NODES = 64, /* of a picture around the decisive events, which are always there */
    BEFORE = 7,      /* events of a thread before its decisive one */
    AFTER = 2,
    TSG_EVENTS = 250,
    TSG_NODES = 120,
    TSG_EDGES = 400,
    TSG_WORK = 20000000,
    SECONDS = 10 /* for drawing one */
};

typedef struct {
    uint32_t event;
    uint32_t decisive; /* from 1; 0: no */
} node;

typedef struct {
    const au_trace *t;
    const au_cause *g;
    const au_finding *f;
    AU_VEC(node) node; /* by event, after choose() */
} picture;

static bool matters(const picture *p, uint32_t e) {
    au_op op = p->t->events.op[e];
    if (au_op_is_access(op))
        return p->t->events.obj[e] == p->f->obj;
    return au_op_space(op) == AU_WIRE_SPACE_LOCK || op == AU_OP_FORK || op == AU_OP_JOIN;
}

static void add(picture *p, uint32_t e, uint32_t decisive) {
    for (size_t i = 0; i < p->node.n; i++)
        if (p->node.at[i].event == e) {
            p->node.at[i].decisive = decisive ? decisive : p->node.at[i].decisive;
            return;
        }
    if (p->node.n < MOST_NODES || decisive)
        au_vec_push(&p->node, ((node){e, decisive}));
}

static int by_event(const void *a, const void *b) {
    const node *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Around one of the decisive events. */
static void add_around(picture *p, uint32_t e) {
    const au_columns *c = &p->t->events;
    uint16_t thread = c->thread[e];
    uint32_t left = BEFORE;
    for (uint32_t i = e; i-- > 0;) {
        if (left && c->thread[i] == thread && matters(p, i)) {
            add(p, i, 0);
            left--;
        } else if (c->op[i] == AU_OP_FORK && c->obj[i] == thread) {
            add(p, i, 0); /* nothing of the thread stands before */
            break;
        }
    }
    left = AFTER;
    for (uint32_t i = e + 1; i < c->n && left; i++)
        if (c->thread[i] == thread && matters(p, i)) {
            add(p, i, 0);
            left--;
        }
}

static bool choose(picture *p) {
    for (uint32_t i = 0; i < p->f->n_events; i++) {
        uint64_t number = p->f->event[i].number;
        if (number >= p->t->events.n)
            return false;
        add(p, (uint32_t)number, i + 1);
    }
    for (uint32_t i = 0; i < p->f->n_events; i++)
        add_around(p, (uint32_t)p->f->event[i].number);
    qsort(p->node.at, p->node.n, sizeof *p->node.at, by_event);
    return p->node.n > 1;
}

static void put_label(const picture *p, uint32_t e, au_out *o) {
    const au_columns *c = &p->t->events;
    char text[80], loc[512];
    const char *place = au_report_loc(&p->t->names, c->loc[e], loc, sizeof loc);
    const char *slash = strrchr(place, '/');
    snprintf(
        text, sizeof text, "%s%s%.48s%s", au_op_name(c->op[e]), c->obj[e] == AU_NONE ? "" : "(",
        c->obj[e] == AU_NONE ? "" : au_report_name(&p->t->names, au_op_space(c->op[e]), c->obj[e]),
        c->obj[e] == AU_NONE ? "" : ")");
    au_draw_quoted(o, text);
    if (*place) {
        snprintf(text, sizeof text, "%.60s", slash ? slash + 1 : place);
        au_out_str(o, "\\n");
        au_draw_quoted(o, text);
    }
}

static void put_columns(const picture *p, au_out *o) {
    const au_columns *c = &p->t->events;
    for (size_t i = 0; i < p->node.n; i++) {
        uint16_t thread = c->thread[p->node.at[i].event];
        size_t last = i;
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = c->thread[p->node.at[k].event] != thread;
        if (!first)
            continue;
        au_out_printf(o, "  subgraph cluster_%u {\n    color=\"#dddddd\"; label=\"", thread);
        char name[64];
        snprintf(name, sizeof name, "%.60s",
                 au_report_name(&p->t->names, AU_WIRE_SPACE_THREAD, thread));
        au_draw_quoted(o, name);
        au_out_str(o, "\";\n");
        for (size_t k = i; k < p->node.n; k++) {
            if (c->thread[p->node.at[k].event] != thread)
                continue;
            au_out_printf(o, "    n%zu [label=\"", k);
            put_label(p, p->node.at[k].event, o);
            au_out_printf(o, "\"%s];\n",
                          p->node.at[k].decisive ? ", style=\"rounded,filled\", color=\"#b3261e\", "
                                                   "fillcolor=\"#fcebe8\", penwidth=1.6"
                                                 : "");
            if (k != i)
                au_out_printf(o, "    n%zu -> n%zu;\n", last, k);
            last = k;
        }
        au_out_str(o, "  }\n");
    }
}

/* Edges from one thread to another that do not follow from others through nodes shown. */
static void put_order(const picture *p, au_out *o) {
    const node *v = p->node.at;
    const uint16_t *thread = p->t->events.thread;
    for (size_t a = 0; a < p->node.n; a++)
        for (size_t b = a + 1; b < p->node.n; b++) {
            if (thread[v[a].event] == thread[v[b].event] ||
                !au_cause_before(p->g, v[a].event, v[b].event))
                continue;
            bool follows = false;
            for (size_t k = a + 1; k < b && !follows; k++)
                follows = au_cause_before(p->g, v[a].event, v[k].event) &&
                          au_cause_before(p->g, v[k].event, v[b].event);
            if (!follows)
                au_out_printf(o, "  n%zu -> n%zu [color=\"#3060b0\"];\n", a, b);
        }
}

static void put_conflict(const picture *p, au_out *o) {
    const node *v = p->node.at;
    for (size_t a = 0; a < p->node.n; a++)
        for (size_t b = 0; b < p->node.n; b++)
            if (v[a].decisive && v[b].decisive == v[a].decisive + 1)
                au_out_printf(o,
                              "  n%zu -> n%zu [color=\"#b3261e\", style=dashed, penwidth=1.6, "
                              "constraint=false%s];\n",
                              a, b, p->f->kind == AU_KIND_RACE ? ", dir=none" : "");
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* A graph in Graphviz's language, to be drawn. */
typedef struct {
    const char *name, *finding;
    au_out *dot;
} sheet;

typedef struct {
    au_dossier *d;
    AU_VEC(sheet) sheet;
    const char *trouble; /* the first one, in the dossier's memory; NULL: none */
} sheets;

/* In a process of its own: libgvc leaks, takes long for some graphs, and is not ours to trust with names
 * that can be anything. */
static void draw_one(void *ctx, uint32_t i, au_out *out) {
    const sheets *all = ctx;
    au_error err = AU_ERROR_NONE;
    if (au_draw_svg(au_out_memory_data(all->sheet.at[i].dot, NULL), out, &err) != AU_OK)
        au_out_str(out, err.text); /* and no '<' before it */
}

static bool take(void *ctx, const au_job_result *r) {
    sheets *all = ctx;
    const sheet *s = &all->sheet.at[r->index];
    if (r->end == AU_JOB_DONE && r->size && *r->data == '<')
        au_vec_push(&all->d->graph,
                    ((au_case_graph){s->name, au_arena_strndup(&all->d->arena, r->data, r->size),
                                     au_dossier_text_copy(all->d, s->finding)}));
    else if (!all->trouble)
        all->trouble = r->end == AU_JOB_DONE ? au_arena_strndup(&all->d->arena, r->data, r->size)
                                             : au_dossier_text_copy(all->d, r->detail);
    return true;
}

static void say_why_not(au_dossier *d, const char *what) {
    au_out *text = au_out_memory();
    au_out_printf(text, "not all graphs are drawn: %s", what);
    au_vec_push(&d->note, au_dossier_text_copy(d, au_out_memory_data(text, NULL)));
    au_out_abandon(text);
}

static void draw_all(sheets *all) {
    au_error err = AU_ERROR_NONE;
    uint32_t n = (uint32_t)all->sheet.n;
    au_pool_limits limits = {.jobs = 1, .seconds = SECONDS, .batch = n};
    if (n && au_pool_run(n, &limits, draw_one, take, all, &err) != AU_OK)
        all->trouble = au_dossier_text_copy(all->d, err.text);
    if (all->trouble)
        say_why_not(all->d, all->trouble);
    for (uint32_t i = 0; i < n; i++)
        au_out_abandon(all->sheet.at[i].dot);
    au_vec_release(&all->sheet);
}

/* ---- which --------------------------------------------------------------------------------- */

static void add_cause(sheets *all, const picture *p, const char *finding) {
    au_out *dot = au_out_memory();
    au_out_str(dot, "digraph cause {\n  " AU_DRAW_FONT "; fontsize=12; labeljust=l; ranksep=0.3;\n"
                    "  node [shape=box, style=rounded, " AU_DRAW_FONT ", fontsize=10];\n"
                    "  edge [" AU_DRAW_FONT "];\n");
    put_columns(p, dot);
    put_order(p, dot);
    put_conflict(p, dot);
    au_out_str(dot, "}\n");
    au_vec_push(&all->sheet, ((sheet){"causality graph", finding, dot}));
}

static void add_transactions(sheets *all, const au_model *m) {
    au_tsg_options how = {.kind = AU_TSG_MAT_PRIME, .most_nodes = TSG_NODES};
    au_rpt_options ranges = {.look_ahead = 1, .most_work = TSG_WORK};
    au_tsg *g = m->step.n > 4 * TSG_EVENTS ? NULL : au_tsg_new(m, &how);
    bool small = g && g->nodes <= TSG_NODES && g->te.n + g->ce.n <= TSG_EDGES;
    au_rpt *r = small ? au_rpt_new(g, &ranges) : NULL;
    if (r) {
        au_out *dot = au_out_memory();
        au_tsg_dot(r, dot);
        au_vec_push(&all->sheet, ((sheet){"transaction sequence graph", "", dot}));
    }
    au_rpt_free(r);
    au_tsg_free(g);
}

void au_dossier_graph_of_model(au_dossier *d, const au_model *m) {
    sheets all = {.d = d};
    add_transactions(&all, m);
    draw_all(&all);
}

void au_dossier_graphs(au_dossier *d, const au_check_run *c, size_t most) {
    au_error err = AU_ERROR_NONE;
    const au_findings *found = &c->outcome.findings;
    size_t n = found->finding.n < d->at.n ? found->finding.n : d->at.n;
    sheets all = {.d = d};
    if (!c->trace || !n || !most)
        return;
    au_cause *g[2] = {NULL, NULL};
    if (c->trace->events.n > AU_LIMIT_GRAPH_EVENTS)
        au_error_set(&err, AU_EUNSUPPORTED, "%s",
                     au_limit_say(AU_AT_GRAPH_EVENTS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    for (size_t i = 0; i < n && i < most && err.status == AU_OK; i++) {
        const au_finding *f = &found->finding.at[i];
        /* Who asks which write a read sees, takes the other reads as they were; for all others
         * holds only what does whatever reads see. */
        bool reads = f->kind == AU_KIND_NONDET;
        if (!g[reads])
            g[reads] = au_cause_new(c->trace, &(au_cause_options){.no_reads = !reads}, &err);
        picture p = {.t = c->trace, .g = g[reads], .f = f};
        if (p.g && choose(&p))
            add_cause(&all, &p, d->at.at[i].fingerprint);
        au_vec_release(&p.node);
    }
    au_cause_free(g[0]);
    au_cause_free(g[1]);
    if (err.status != AU_OK)
        say_why_not(d, err.text);
    else if (n > most)
        au_vec_push(&d->note, au_dossier_text_copy(d, au_limit_say(AU_AT_GRAPHS, n - most, 0,
                                                                   (char[AU_LIMIT_TEXT]){0})));
    if (c->trace->events.n <= TSG_EVENTS && c->trace->events.any_value) {
        au_error none = AU_ERROR_NONE;
        au_model *m = au_model_from_trace(c->trace, NULL, &none);
        if (m) /* else: values that a model cannot pin; then there is no picture */
            add_transactions(&all, m);
        au_model_free(m);
    }
    draw_all(&all);
}
