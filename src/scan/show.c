/* scan/show.c: see show.h. */
#include "scan/show.h"

#include <inttypes.h>

/* The line of the step that leaves it; 0: nothing does, or none is known. */
static uint32_t line_at(const au_facts *f, uint32_t node) {
    const au_node *n = au_facts_node(f, node);
    for (size_t i = 0; i < n->out.n; i++)
        if (f->m->step.at[n->out.at[i]].line)
            return f->m->step.at[n->out.at[i]].line;
    return 0;
}

static void put_place(const au_scan_shower *x, uint32_t node) {
    uint32_t line = line_at(x->f, node);
    if (line)
        au_out_printf(x->out, "%" PRIu32, line);
    else
        au_out_str(x->out, au_facts_node(x->f, node)->out.n ? "?" : "end");
}

void au_scan_show_node(void *ctx, uint32_t id, au_domain *d, const uint32_t *tuple,
                       const au_abs *a) {
    au_scan_shower *x = ctx;
    if (x->nodes++ >= AU_SCAN_SHOWN_NODES) {
        x->left_out[0]++;
        return;
    }
    au_out_printf(x->out, "n %" PRIu32, id);
    for (uint32_t i = 0; i < x->n_threads; i++) {
        uint32_t t = x->thread ? x->thread[i] : i;
        au_out_printf(x->out, "\t%s:", x->f->m->thread.at[t].name);
        put_place(x, tuple[i]);
    }
    au_out_str(x->out, "\t=\t");
    au_abs_print(d, a, x->out);
    au_out_char(x->out, '\n');
}

void au_scan_show_edge(void *ctx, uint32_t from, uint32_t to, uint32_t begins, uint32_t ends) {
    au_scan_shower *x = ctx;
    if (x->edges++ >= 4 * AU_SCAN_SHOWN_NODES || x->left_out[0]) {
        x->left_out[1]++;
        return;
    }
    au_out_printf(x->out, "e %" PRIu32 " %" PRIu32 "\t%s: ", from, to,
                  x->f->m->thread.at[x->f->owner[begins]].name);
    put_place(x, begins);
    au_out_str(x->out, " to ");
    put_place(x, ends);
    au_out_char(x->out, '\n');
}

void au_scan_show_end(au_scan_shower *x) {
    if (x->left_out[0] || x->left_out[1])
        au_out_printf(x->out, "+ %zu %zu\n", x->left_out[0], x->left_out[1]);
}
