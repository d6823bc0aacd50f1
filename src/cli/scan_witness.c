/* cli/scan_witness.c: the schedule of a violation as SV-COMP's tools read it (GraphML, format 1.0):
 * a path of nodes; an edge is a step with its thread and line. */
#include "cli/scan.h"

#include <inttypes.h>

/* Text of an element. */
static void put_text(au_out *out, const char *s) {
    for (; *s; s++)
        switch (*s) {
        case '<':
            au_out_str(out, "&lt;");
            break;
        case '>':
            au_out_str(out, "&gt;");
            break;
        case '&':
            au_out_str(out, "&amp;");
            break;
        default:
            au_out_char(out, (unsigned char)*s < 0x20 ? ' ' : *s);
            break;
        }
}

static void put_data(au_out *out, const char *key, const char *value) {
    au_out_printf(out, "   <data key=\"%s\">", key);
    put_text(out, value);
    au_out_str(out, "</data>\n");
}

const au_warning *au_scan_svcomp_shown(const au_engine_scan *s) {
    const au_scan_result *r = &s->result;
    for (size_t i = 0; i < r->warning.n; i++)
        if (r->warning.at[i].end == AU_SCAN_WITNESSED && !r->warning.at[i].inexact)
            return &r->warning.at[i];
    for (size_t i = 0; i < s->told.n && i < s->dossier.at.n; i++)
        if (s->dossier.at.at[i].standing == AU_IS_CONFIRMED &&
            r->warning.at[s->told.at[i]].end == AU_SCAN_WITNESSED)
            return &r->warning.at[s->told.at[i]];
    return NULL;
}

void au_scan_svcomp_witness(const au_engine_scan *s, const char *file, au_out *out) {
    static const char *const key[] = {"witness-type", "sourcecodelang", "producer",
                                      "programfile",  "entry",          "violation",
                                      "threadId",     "startline",      "createThread"};
    const au_model *m = s->in.m;
    const au_warning *w = au_scan_svcomp_shown(s);
    AU_BUG_IF(!w);
    au_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        au_out_printf(out, " <key id=\"%s\" attr.name=\"%s\" attr.type=\"string\" for=\"%s\"/>\n",
                      key[i], key[i],
                      i < 4   ? "graph"
                      : i < 6 ? "node"
                              : "edge");
    au_out_str(out, " <graph edgedefault=\"directed\">\n");
    put_data(out, "witness-type", "violation_witness");
    put_data(out, "sourcecodelang", "C");
    put_data(out, "producer", "augur " AU_VERSION);
    put_data(out, "programfile", file);
    size_t n = w->solution.schedule.n;
    for (size_t i = 0; i <= n; i++) {
        au_out_printf(out, "  <node id=\"N%zu\">\n", i);
        if (i == 0)
            put_data(out, "entry", "true");
        if (i == n)
            put_data(out, "violation", "true");
        au_out_str(out, "  </node>\n");
    }
    for (size_t i = 0; i < n; i++) {
        const au_step *p = &m->step.at[w->solution.schedule.at[i]];
        au_out_printf(out, "  <edge source=\"N%zu\" target=\"N%zu\">\n", i, i + 1);
        au_out_printf(out, "   <data key=\"threadId\">%" PRIu32 "</data>\n", p->thread);
        if (p->line)
            au_out_printf(out, "   <data key=\"startline\">%" PRIu32 "</data>\n", p->line);
        if (p->kind == AU_STEP_FORK)
            au_out_printf(out, "   <data key=\"createThread\">%" PRIu32 "</data>\n", p->obj);
        au_out_str(out, "  </edge>\n");
    }
    au_out_str(out, " </graph>\n</graphml>\n");
}
