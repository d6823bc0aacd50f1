/* report/scan_graph.c: see scan_graph.h. The lines that are read here are those of scan/show.h. */
#include "report/scan_graph.h"

#include "base/alloc.h"
#include "report/draw.h"

#include <stdlib.h>
#include <string.h>

/* The next line, without its end; NULL: there is none. Caller frees. */
static char *next_line(const char **at) {
    const char *end = strchr(*at, '\n');
    if (!end)
        return NULL;
    char *line = au_strndup(*at, (size_t)(end - *at));
    *at = end + 1;
    return line;
}

/* What stands before and behind "\t=\t" of a node's line. */
static const char *halves(char *line, const char **where) {
    char *mid = strstr(line, "\t=\t");
    char *first = strchr(line, '\t');
    *where = first && first != mid ? first + 1 : "";
    if (!mid)
        return "";
    *mid = 0;
    return mid + 3;
}

static void put_lines(const au_model *m, const au_warning *w, au_out *out) {
    const au_scan_place *p = au_warning_place(w);
    for (int e = 0; e < (w->kind == AU_KIND_RACE ? 2 : w->kind == AU_KIND_ASSERTION ? 1 : 0); e++) {
        const au_step *s = &m->step.at[p->step[e]];
        au_out_printf(out, "%s%s:%u", e ? " and " : " ", m->thread.at[s->thread].name, s->line);
    }
}

static void put_warning(const au_model *m, const au_warning *w, au_out *out) {
    static const char *const kind[] = {[AU_KIND_RACE] = "race",
                                       [AU_KIND_ASSERTION] = "assertion",
                                       [AU_KIND_DEADLOCK] = "deadlock"};
    au_out_printf(out, "%s", kind[w->kind]);
    if (w->kind == AU_KIND_RACE)
        au_out_printf(out, " on '%s'", m->var.at[w->var].name);
    put_lines(m, w, out);
}

/* Which warnings this stage ruled out. */
static void put_gone(const au_scan_result *r, const au_model *m, au_scan_stage stage, au_out *out) {
    for (size_t i = 0; i < r->warning.n; i++) {
        const au_warning *w = &r->warning.at[i];
        if (w->end != AU_SCAN_GONE || w->gone != stage)
            continue;
        au_out_str(out, "  ruled out: ");
        put_warning(m, w, out);
        au_out_str(out, stage < AU_SCAN_GRAPH     ? "\n"
                        : w->kind == AU_KIND_RACE ? ": no node has both threads before these\n"
                                                  : "\n");
    }
}

static void put_left(const au_scan_result *r, const au_model *m, au_out *out) {
    for (size_t i = 0; i < r->warning.n; i++) {
        const au_warning *w = &r->warning.at[i];
        if (w->end == AU_SCAN_GONE)
            continue;
        au_out_str(out, w->end == AU_SCAN_WITNESSED ? "shown: " : "left: ");
        put_warning(m, w, out);
        au_out_char(out, '\n');
    }
}

static void put_graph(const au_scan_graph *g, bool invariants, au_out *out) {
    const char *at = g->text;
    for (char *line; (line = next_line(&at)); free(line)) {
        const char *where, *holds, *tab;
        switch (*line) {
        case 'n':
            holds = halves(line, &where);
            au_out_printf(out, "  %.*s  ", (int)strcspn(line + 2, "\t"), line + 2);
            for (; *where; where++)
                au_out_str(out, *where == '\t' ? "  " : (char[]){*where, 0});
            if (invariants && *holds)
                au_out_printf(out, "\n      %s", holds);
            au_out_char(out, '\n');
            break;
        case 'e':
            tab = strchr(line, '\t');
            if (!invariants && tab) {
                char *to = strchr(line + 2, ' ');
                au_out_printf(out, "  %.*s -> %.*s  %s\n", (int)(to ? to - line - 2 : 0), line + 2,
                              (int)(to ? tab - to - 1 : 0), to ? to + 1 : "", tab + 1);
            }
            break;
        default:
            au_out_printf(out, "  … and more, nodes and edges: %s\n", line + 2);
        }
    }
}

void au_scan_graph_text(const au_scan_result *r, const au_model *m, bool invariants, au_out *out) {
    for (au_scan_stage s = AU_SCAN_MUST_HB; s < AU_SCAN_STAGES; s++) {
        if (!r->stage[s].ran)
            continue;
        au_out_printf(out, "stage %s: %zu left\n", au_scan_stage_name(s), r->stage[s].left);
        for (size_t i = 0; i < r->graph.n; i++)
            if (r->graph.at[i].stage == s) {
                au_out_str(out, " graph\n");
                put_graph(&r->graph.at[i], invariants, out);
            }
        put_gone(r, m, s, out);
    }
    put_left(r, m, out);
}

/* --- drawn ------------------------------------------------------------------------------------------ */

static void put_quoted_lines(au_out *out, const char *text) {
    char *copy = au_strdup(text);
    for (char *part = copy; part;) {
        char *tab = strchr(part, '\t');
        if (tab)
            *tab = 0;
        au_draw_quoted(out, part);
        if (tab)
            au_out_str(out, "\\n");
        part = tab ? tab + 1 : NULL;
    }
    free(copy);
}

static void dot_graph(const au_scan_graph *g, size_t number, bool invariants, au_out *out) {
    const char *at = g->text;
    for (char *line; (line = next_line(&at)); free(line)) {
        const char *where, *holds, *tab = strchr(line, '\t');
        if (*line == 'n') {
            holds = halves(line, &where);
            au_out_printf(out, "  g%zu_%.*s [label=\"", number, (int)strcspn(line + 2, "\t"),
                          line + 2);
            put_quoted_lines(out, where);
            if (invariants && *holds) {
                au_out_str(out, "\\n");
                au_draw_quoted(out, holds);
            }
            au_out_str(out, "\"];\n");
        } else if (*line == 'e' && tab) {
            char *to = strchr(line + 2, ' ');
            if (!to || to > tab)
                continue;
            au_out_printf(out, "  g%zu_%.*s -> g%zu_%.*s [label=\"", number, (int)(to - line - 2),
                          line + 2, number, (int)(tab - to - 1), to + 1);
            au_draw_quoted(out, tab + 1);
            au_out_str(out, "\"];\n");
        } else if (*line == '+') {
            au_out_printf(out, "  g%zu_more [shape=plaintext, label=\"… and more: %s\"];\n", number,
                          line + 2);
        }
    }
}

void au_scan_graph_dot(const au_scan_result *r, const au_model *m, bool invariants, au_out *out) {
    au_scan_stage last = AU_SCAN_MUST_HB;
    for (size_t i = 0; i < r->graph.n; i++)
        if (r->graph.at[i].stage > last)
            last = r->graph.at[i].stage;
    au_out_str(out, "digraph transactions {\n  " AU_DRAW_FONT
                    ";\n  labelloc=t; labeljust=l;\n  label=\"");
    au_draw_quoted(out, m->file);
    au_out_printf(out, ", stage %s\\l", au_scan_stage_name(last));
    for (size_t i = 0; i < r->warning.n; i++) {
        const au_warning *w = &r->warning.at[i];
        au_out *one = au_out_memory();
        put_warning(m, w, one);
        if (w->end == AU_SCAN_GONE)
            au_out_printf(out, "ruled out by %s: ", au_scan_stage_name(w->gone));
        else
            au_out_str(out, w->end == AU_SCAN_WITNESSED ? "shown: " : "left: ");
        au_draw_quoted(out, au_out_memory_data(one, NULL));
        au_out_str(out, "\\l");
        au_out_abandon(one);
    }
    au_out_str(out, "\";\n  node [shape=box, style=rounded, " AU_DRAW_FONT ", fontsize=10];\n"
                    "  edge [" AU_DRAW_FONT ", fontsize=8];\n");
    for (size_t i = 0; i < r->graph.n; i++)
        if (r->graph.at[i].stage == last)
            dot_graph(&r->graph.at[i], i, invariants, out);
    au_out_str(out, "}\n");
}

au_status au_scan_graph_draw(const au_scan_result *r, const au_model *m, bool invariants,
                             const char *path, bool svg, au_error *err) {
    au_out *file = au_out_open(path, err);
    if (!file)
        return err->status;
    au_status st = AU_OK;
    if (svg) {
        au_out *dot = au_out_memory();
        au_scan_graph_dot(r, m, invariants, dot);
        st = au_draw_svg(au_out_memory_data(dot, NULL), file, err);
        au_out_abandon(dot);
    } else {
        au_scan_graph_dot(r, m, invariants, file);
    }
    if (st != AU_OK) {
        au_out_abandon(file);
        return st;
    }
    return au_out_commit(file, err);
}
