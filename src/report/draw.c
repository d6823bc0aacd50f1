/* report/draw.c: see draw.h. */
#include "report/draw.h"

#include "base/printable.h"

#include <dlfcn.h>
#include <graphviz/gvc.h>
#include <string.h>

/* In double quotes, where Graphviz knows \" and escapes such as \N of its own. */
void au_draw_quoted(au_out *o, const char *raw) {
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

/* ---- libgvc, by hand ---- */

typedef struct {
    GVC_t *(*context)(void);
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
    if (find(lib, "gvContext", &v->context) && find(lib, "gvLayout", &v->layout) &&
        find(lib, "gvFreeLayout", &v->free_layout) && find(lib, "gvRenderData", &v->render) &&
        find(lib, "gvFreeRenderData", &v->free_data) && find(graphs, "agmemread", &v->read) &&
        find(graphs, "agclose", &v->close))
        return AU_OK;
    return au_error_set(err, AU_EUNSUPPORTED,
                        "cannot load libgvc (Debian: graphviz), which draws; a '.dot' file needs "
                        "nothing");
}

/* One context for all graphs, never freed: the fonts that were named belong to it, and Graphviz's text
 * layout (libgvplugin_pango, at least up to 2.43) compares with the name of the last one, whichever
 * context that was of. */
static GVC_t *the_context;

au_status au_draw_svg(const char *dot, au_out *into, au_error *err) {
    gv v = {0};
    if (load(&v, err) != AU_OK)
        return err->status;
    if (!the_context)
        the_context = v.context();
    GVC_t *c = the_context;
    Agraph_t *graph = v.read(dot);
    char *data = NULL;
    unsigned n = 0;
    bool laid = graph && !v.layout(c, graph, "dot");
    bool drawn = laid && !v.render(c, graph, "svg", &data, &n);
    if (drawn)
        au_out_write(into, data, n);
    if (data)
        v.free_data(data);
    if (laid)
        v.free_layout(c, graph);
    if (graph)
        v.close(graph);
    return drawn ? AU_OK : au_error_set(err, AU_EINTERNAL, "graphviz cannot draw the graph");
}
