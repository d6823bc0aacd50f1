/* cli/scan_table.c: the stages of a scan as a table. */
#include "cli/scan.h"

void au_scan_table(const au_scan_result *r, au_out *out) {
    size_t all = r->warning.n, end[3] = {0};
    for (size_t i = 0; i < r->warning.n; i++)
        end[r->warning.at[i].end]++;
    au_out_printf(out, "shared variables %u, conflicts %zu\n\n", r->shared, all);
    au_out_str(out, "stage          left    seconds  rounds   nodes   edges\n");
    for (au_scan_stage s = AU_SCAN_MUST_HB; s < AU_SCAN_STAGES; s++) {
        const au_scan_stage_result *t = &r->stage[s];
        if (!t->ran)
            continue;
        au_out_printf(out, "%-12s %6zu %10.2f", au_scan_stage_name(s), t->left, t->seconds);
        if (t->rounds)
            au_out_printf(out, " %7u %7zu %7zu", t->rounds, t->nodes, t->edges);
        au_out_char(out, '\n');
    }
    au_out_printf(out,
                  "\nwarnings (locksets) %zu, after invariants %zu, witnessed %zu, undecided %zu\n",
                  r->stage[AU_SCAN_LOCKSET].left,
                  r->stage[AU_SCAN_POLYHEDRON].ran ? r->stage[AU_SCAN_POLYHEDRON].left
                  : r->stage[AU_SCAN_OCTAGON].ran  ? r->stage[AU_SCAN_OCTAGON].left
                  : r->stage[AU_SCAN_BOX].ran      ? r->stage[AU_SCAN_BOX].left
                  : r->stage[AU_SCAN_GRAPH].ran    ? r->stage[AU_SCAN_GRAPH].left
                                                   : r->stage[AU_SCAN_LOCKSET].left,
                  end[AU_SCAN_WITNESSED], end[AU_SCAN_UNDECIDED]);
}
