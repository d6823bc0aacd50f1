/* report/tsg_dot.h: a transaction sequence graph as a picture: a column for each thread,
 * transactions solid, switches dashed (added ones dotted), what is never reached grey. */
#ifndef AU_REPORT_TSG_DOT_H
#define AU_REPORT_TSG_DOT_H

#include "base/out.h"
#include "tsg/rpt.h"

/* In Graphviz's language. Names can be any bytes. */
void au_tsg_dot(const au_rpt *r, au_out *out);
/* To a file: so, or drawn as SVG by libgvc, which is loaded for it (it costs every start of a
 * program more than a millisecond). AU_EUNSUPPORTED if it is not there, or the graph is too large to
 * be worth looking at. */
au_status au_tsg_draw(const au_rpt *r, const char *path, bool svg, au_error *err);

#endif
