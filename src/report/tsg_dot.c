/* report/tsg_dot.c: see tsg_dot.h. */
#include "report/tsg_dot.h"

#include "base/printable.h"

#include <dlfcn.h>
#include <graphviz/gvc.h>

enum { MOST_NODES = 2000, MOST_EDGES = 5000 };

/* In double quotes, where Graphviz knows \" and escapes such as \N of its own. */
static void put_quoted(au_out *o, const char *raw) {
    char text[1024];
    size_t n = au_printable(text, sizeof text, raw, strlen(raw), NULL);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"' || text[i] == '\\')
            au_out_char(o, '\\');
        if (text[i] == '\n')
            au_out_str(o, "\\n");
        else
            au_out_char(o, text[i]);
    }
}

/* A control state is known by the step that leaves it. */
static void put_state(au_out *o, const au_tsg *g, uint32_t v) {
    uint32_t state = g->node.at[v];
    const au_node *node = au_facts_node(&g->facts, state);
    if (!node->out.n) {
        au_out_str(o, "end");
        return;
    }
    const au_step *s = &g->m->step.at[node->out.at[0]];
    if (*au_step_label(g->m, s))
        put_quoted(o, au_step_label(g->m, s));
    else
        au_out_printf(o, "%s, line %u", au_step_kind_name(s->kind), s->line);
}

static void put_column(au_out *o, const au_rpt *r, uint32_t thread) {
    const au_tsg *g = r->g;
    au_out_printf(o, "  subgraph cluster_%u {\n    color=\"#dddddd\"; label=\"", thread);
    put_quoted(o, g->m->thread.at[thread].name);
    au_out_str(o, "\";\n");
    for (uint32_t v = 0; v < g->node.n; v++) {
        if (g->facts.owner[g->node.at[v]] != thread || g->inner[v])
            continue;
        bool dead = !r->reached[g->node.at[v]];
        au_out_printf(o, "    n%u [label=\"", v);
        put_state(o, g, v);
        au_out_printf(o, "\"%s];\n", dead ? ", color=\"#aaaaaa\", fontcolor=\"#aaaaaa\"" : "");
    }
    for (size_t i = 0; i < g->te.n; i++)
        if (g->facts.owner[g->node.at[g->te.at[i].from]] == thread)
            au_out_printf(o, "    n%u -> n%u [penwidth=1.8];\n", g->te.at[i].from, g->te.at[i].to);
    au_out_str(o, "  }\n");
}

void au_tsg_dot(const au_rpt *r, au_out *out) {
    const au_tsg *g = r->g;
    au_out_str(out, "digraph tsg {\n  label=\"");
    put_quoted(out, g->m->file);
    au_out_str(out,
               "\";\n  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=10];\n"
               "  edge [fontname=\"sans-serif\", fontsize=8];\n");
    for (uint32_t t = 0; t < g->m->thread.n; t++)
        put_column(out, r, t);
    for (size_t i = 0; i < g->ce.n; i++)
        au_out_printf(out, "  n%u -> n%u [style=%s, constraint=false, color=\"%s\"];\n",
                      g->ce.at[i].from, g->ce.at[i].to, g->ce.at[i].added ? "dotted" : "dashed",
                      g->ce.at[i].added ? "#b06000" : "#3060b0");
    au_out_str(out, "}\n");
}

/* --- drawn ------------------------------------------------------------------------------------- */

typedef struct {
    GVC_t *(*context)(void);
    int (*free_context)(GVC_t *);
    int (*layout)(GVC_t *, graph_t *, const char *);
    int (*free_layout)(GVC_t *, graph_t *);
    int (*render)(GVC_t *, graph_t *, const char *, char **, unsigned int *);
    void (*free_data)(char *);
    Agraph_t *(*read)(const char *);
    int (*close)(Agraph_t *);
} gv;

static bool find(void *lib, const char *name, void *into) {
    void *p = lib ? dlsym(lib, name) : NULL;
    memcpy(into, &p, sizeof p); /* ISO C has no way from data to functions */
    return p != NULL;
}

static au_status load(gv *v, au_error *err) {
    void *lib = dlopen("libgvc.so.6", RTLD_NOW | RTLD_LOCAL);
    void *graphs = dlopen("libcgraph.so.6", RTLD_NOW | RTLD_LOCAL);
    if (find(lib, "gvContext", &v->context) && find(lib, "gvFreeContext", &v->free_context) &&
        find(lib, "gvLayout", &v->layout) && find(lib, "gvFreeLayout", &v->free_layout) &&
        find(lib, "gvRenderData", &v->render) && find(lib, "gvFreeRenderData", &v->free_data) &&
        find(graphs, "agmemread", &v->read) && find(graphs, "agclose", &v->close))
        return AU_OK;
    return au_error_set(err, AU_EUNSUPPORTED,
                        "cannot load libgvc (Debian: graphviz), which draws; a '.dot' file needs "
                        "nothing");
}

static au_status to_svg(const gv *v, const char *dot, au_out *into, au_error *err) {
    GVC_t *c = v->context();
    Agraph_t *graph = v->read(dot);
    char *data = NULL;
    unsigned n = 0;
    bool laid = graph && !v->layout(c, graph, "dot");
    bool drawn = laid && !v->render(c, graph, "svg", &data, &n);
    if (drawn)
        au_out_write(into, data, n);
    if (data)
        v->free_data(data);
    if (laid)
        v->free_layout(c, graph);
    if (graph)
        v->close(graph);
    v->free_context(c);
    return drawn ? AU_OK : au_error_set(err, AU_EINTERNAL, "graphviz cannot draw the graph");
}

au_status au_tsg_draw(const au_rpt *r, const char *path, bool svg, au_error *err) {
    if (svg && (r->g->nodes > MOST_NODES || r->g->ce.n + r->g->te.n > MOST_EDGES))
        return au_error_set(err, AU_EUNSUPPORTED,
                            "a graph of %zu nodes and %zu edges is too large to be drawn; write a "
                            "'.dot' file",
                            r->g->nodes, r->g->ce.n + r->g->te.n);
    gv v = {0};
    if (svg && load(&v, err) != AU_OK)
        return err->status;
    au_out *file = au_out_open(path, err);
    if (!file)
        return err->status;
    au_status st = AU_OK;
    if (svg) {
        au_out *dot = au_out_memory();
        au_tsg_dot(r, dot);
        st = to_svg(&v, au_out_memory_data(dot, NULL), file, err);
        au_out_abandon(dot);
    } else {
        au_tsg_dot(r, file);
    }
    if (st != AU_OK) {
        au_out_abandon(file);
        return st;
    }
    return au_out_commit(file, err);
}
