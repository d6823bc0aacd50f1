/* report/tsg_dot.c: see tsg_dot.h. */
#include "report/tsg_dot.h"

#include "base/limits.h"
#include "report/draw.h"

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
        au_draw_quoted(o, au_step_label(g->m, s));
    else
        au_out_printf(o, "%s, line %u", au_step_kind_name(s->kind), s->line);
}

static void put_column(au_out *o, const au_rpt *r, uint32_t thread) {
    const au_tsg *g = r->g;
    au_out_printf(o, "  subgraph cluster_%u {\n    color=\"#dddddd\"; label=\"", thread);
    au_draw_quoted(o, g->m->thread.at[thread].name);
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
    au_out_str(out, "digraph tsg {\n  " AU_DRAW_FONT ";\n  label=\"");
    au_draw_quoted(out, g->m->file);
    au_out_str(out, "\";\n  node [shape=box, style=rounded, " AU_DRAW_FONT ", fontsize=10];\n"
                    "  edge [" AU_DRAW_FONT ", fontsize=8];\n");
    for (uint32_t t = 0; t < g->m->thread.n; t++)
        put_column(out, r, t);
    for (size_t i = 0; i < g->ce.n; i++)
        au_out_printf(out, "  n%u -> n%u [style=%s, constraint=false, color=\"%s\"];\n",
                      g->ce.at[i].from, g->ce.at[i].to, g->ce.at[i].added ? "dotted" : "dashed",
                      g->ce.at[i].added ? "#b06000" : "#3060b0");
    au_out_str(out, "}\n");
}

/* --- drawn ------------------------------------------------------------------------------------- */

au_status au_tsg_draw(const au_rpt *r, const char *path, bool svg, au_error *err) {
    if (svg && (r->g->nodes > AU_LIMIT_TSG_NODES || r->g->ce.n + r->g->te.n > AU_LIMIT_TSG_EDGES))
        return au_error_set(err, AU_EUNSUPPORTED, "%s",
                            au_limit_say(AU_AT_TSG_NODES, r->g->nodes, r->g->ce.n + r->g->te.n,
                                         (char[AU_LIMIT_TEXT]){0}));
    au_out *file = au_out_open(path, err);
    if (!file)
        return err->status;
    au_status st = AU_OK;
    if (svg) {
        au_out *dot = au_out_memory();
        au_tsg_dot(r, dot);
        st = au_draw_svg(au_out_memory_data(dot, NULL), file, err);
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
