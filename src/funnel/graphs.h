/* funnel/graphs.h: pictures in a dossier: of findings what must come before what, of small inputs the
 * transaction sequence graph. For reports that a person looks at. */
#ifndef AU_FUNNEL_GRAPHS_H
#define AU_FUNNEL_GRAPHS_H

#include "funnel/check_run.h"
#include "model/model.h"
#include "report/case.h"

/* d is of c (au_check_run_dossier): case i is finding i. The causality graph around the decisive
 * events of the first 'most' cases, and the graph of transactions if the trace is small and
 * has values. What cannot be drawn at all (no libgvc, a long trace) is said as a note. */
void au_dossier_graphs(au_dossier *d, const au_check_run *c, size_t most);
/* The graph of transactions of a model, unless it is too large to be looked at. */
void au_dossier_graph_of_model(au_dossier *d, const au_model *m);

#endif
