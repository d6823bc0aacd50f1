/* report/scan_graph.h: the transaction graphs of a scan, with what holds at each node and which warnings each stage ruled
 * out: as text, and in Graphviz's language. As figure 2 of Kahlon et al. 2009. */
#ifndef AU_REPORT_SCAN_GRAPH_H
#define AU_REPORT_SCAN_GRAPH_H

#include "base/out.h"
#include "scan/scan.h"

/* invariants: what holds at each node, too. */
void au_scan_graph_text(const au_scan_result *r, const au_model *m, bool invariants, au_out *out);
/* The last graphs: those of the last stage that has any. */
void au_scan_graph_dot(const au_scan_result *r, const au_model *m, bool invariants, au_out *out);
/* To a file; svg: drawn by libgvc (report/draw.h). */
au_status au_scan_graph_draw(const au_scan_result *r, const au_model *m, bool invariants,
                             const char *path, bool svg, au_error *err);

#endif
