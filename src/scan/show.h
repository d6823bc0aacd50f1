/* scan/show.h: the transaction graph of an analysis as lines of text, so that it can be sent by a worker and drawn later
 * (report/scan_graph.h).
 *
 *     n <id> TAB main:12 TAB work.1:30 … TAB = TAB what holds there
 *     e <id> <id> TAB thread: 12 to 15
 *
 * A node is a tuple of boundaries, one a thread, each known by the line of the step that leaves it; an edge is a
 * transaction of one thread. Beyond AU_SCAN_SHOWN_NODES only their number is told ('+ <nodes> <edges>'). */
#ifndef AU_SCAN_SHOW_H
#define AU_SCAN_SHOW_H

#include "scan/reach.h"

enum { AU_SCAN_SHOWN_NODES = 400 };

typedef struct {
    const au_facts *f;
    const uint32_t *thread; /* the focus; NULL: all */
    uint32_t n_threads;
    au_out *out;
    size_t nodes, edges, left_out[2];
} au_scan_shower;

void au_scan_show_node(void *ctx, uint32_t id, au_domain *d, const uint32_t *tuple,
                       const au_abs *a);
void au_scan_show_edge(void *ctx, uint32_t from, uint32_t to, uint32_t begins, uint32_t ends);
void au_scan_show_end(au_scan_shower *x);

#endif
