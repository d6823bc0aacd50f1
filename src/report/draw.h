/* report/draw.h: graphs drawn by Graphviz. libgvc is loaded when something is drawn: linked, it costs
 * every start of a program more than a millisecond. */
#ifndef AU_REPORT_DRAW_H
#define AU_REPORT_DRAW_H

#include "base/out.h"

/* The font of every text in our graphs: of graphs, nodes and edges. */
#define AU_DRAW_FONT "fontname=\"sans-serif\""

/* Text between double quotes of Graphviz's language. Names can be any bytes; long ones are cut. */
void au_draw_quoted(au_out *o, const char *raw);
/* A graph in Graphviz's language as SVG. AU_EUNSUPPORTED if libgvc is not there. From one thread
 * at a time. */
au_status au_draw_svg(const char *dot, au_out *into, au_error *err);

#endif
