/* cli/scan_list.c: undecided warnings, a line for each variable: for programs with very many of them. */
#include "cli/scan.h"

#include <string.h>

/* "memory allocated at a.c:3+8*#12" is another copy of "memory allocated at a.c:3+8*". */
static size_t name_length(const char *name) {
    const char *mark = strrchr(name, '#');
    return mark && mark[1] && strspn(mark + 1, "0123456789") == strlen(mark + 1)
               ? (size_t)(mark - name)
               : strlen(name);
}

typedef struct {
    const au_warning *best;
    size_t pairs, variables; /* others: whose most promising pair is of the same lines */
    uint32_t under;          /* the group it is told with, AU_NONE: itself */
} group;
typedef struct {
    const au_model *m;
    AU_VEC(group) group;
    au_idtable index;
} groups;

static bool same_name(const void *ctx, uint32_t id, const void *key) {
    const groups *g = ctx;
    const char *a = g->m->var.at[g->group.at[id].best->var].name;
    const char *b = g->m->var.at[*(const uint32_t *)key].name;
    return name_length(a) == name_length(b) && !strncmp(a, b, name_length(a));
}

static void gather(const au_scan_result *r, groups *g) {
    for (size_t i = 0; i < r->warning.n; i++) {
        const au_warning *w = &r->warning.at[i];
        if (w->kind != AU_KIND_RACE || w->end != AU_SCAN_UNDECIDED)
            continue;
        const char *name = g->m->var.at[w->var].name;
        uint64_t h = au_hash_bytes(name, name_length(name));
        uint32_t id = au_idtable_find(&g->index, h, same_name, g, &w->var);
        if (id == AU_NONE) {
            id = (uint32_t)g->group.n;
            au_vec_push(&g->group, ((group){.best = w, .under = AU_NONE}));
            au_idtable_add(&g->index, h, id);
        }
        g->group.at[id].pairs += 1;
    }
}

static uint64_t lines_of(const au_model *m, const au_warning *w) {
    uint64_t h[2];
    for (int e = 0; e < 2; e++) {
        const au_step *s = &m->step.at[au_warning_place(w)->step[e]];
        h[e] = au_hash_join(au_hash_join(s->line, s->loc), s->line ? w->write[e] : s->id);
    }
    return h[0] < h[1] ? au_hash_join(h[0], h[1]) : au_hash_join(h[1], h[0]);
}

/* A call that touches a hundred variables is one line. Returns how many groups are left. */
static size_t fold(groups *g) {
    size_t n = 0;
    au_map seen;
    au_map_init(&seen);
    for (size_t i = 0; i < g->group.n; i++) {
        uint64_t *at = au_map_put(&seen, lines_of(g->m, g->group.at[i].best), NULL);
        if (*at) {
            g->group.at[i].under = (uint32_t)*at - 1;
            g->group.at[*at - 1].variables++;
            g->group.at[*at - 1].pairs += g->group.at[i].pairs;
        } else {
            *at = i + 1;
            n++;
        }
    }
    au_map_release(&seen);
    return n;
}

static void put_place(const au_model *m, const au_step *s, bool write, au_out *out) {
    const char *file = s->loc == AU_NONE ? m->file : au_intern_str(&m->strings, s->loc);
    au_out_printf(out, "%s:%u %s", file, s->line, write ? "writes" : "reads");
}

static void put_side(const au_model *m, const au_step *s, const char *held, au_out *out) {
    au_out_printf(out, "%s holds %s", m->thread.at[s->thread].name, *held ? held : "nothing");
}

static void put_group(const au_model *m, const group *g, au_out *out) {
    const au_warning *w = g->best;
    const char *name = m->var.at[w->var].name;
    const au_scan_place *p = au_warning_place(w);
    const au_step *a = &m->step.at[p->step[0]], *b = &m->step.at[p->step[1]];
    au_out_printf(out, "  '%.*s'  ", (int)name_length(name), name);
    put_place(m, a, w->write[0], out);
    au_out_str(out, " / ");
    put_place(m, b, w->write[1], out);
    au_out_str(out, "  (");
    put_side(m, a, w->held[0], out);
    au_out_str(out, ", ");
    put_side(m, b, w->held[1], out);
    au_out_char(out, ')');
    if (g->variables)
        au_out_printf(out, "  and %zu more, also of %zu other variables", g->pairs - 1,
                      g->variables);
    else if (g->pairs > 1)
        au_out_printf(out, "  and %zu more", g->pairs - 1);
    au_out_char(out, '\n');
}

void au_scan_list(const au_scan_result *r, const au_model *m, size_t top, au_out *out) {
    groups g = {.m = m};
    size_t pairs = 0;
    au_idtable_init(&g.index);
    gather(r, &g);
    for (size_t i = 0; i < g.group.n; i++)
        pairs += g.group.at[i].pairs;
    size_t all = fold(&g), n = top && top < all ? top : all, told = 0;
    au_out_printf(out,
                  "\nundecided races: %zu of %zu variables; the most promising of each (%zu)\n",
                  pairs, g.group.n, n);
    for (size_t i = 0; i < g.group.n && told < n; i++)
        if (g.group.at[i].under == AU_NONE) {
            put_group(m, &g.group.at[i], out);
            told++;
        }
    if (n < all)
        au_out_printf(out, "  … %zu more lines: --top 0; every pair: --format json\n", all - n);
    else
        au_out_str(out, "  (every pair: --format json)\n");
    if (r->folded)
        au_out_printf(out,
                      "%zu pairs of lines are too many to list: each line is listed once, beside "
                      "one that it conflicts with\n",
                      r->folded);
    au_out_char(out, '\n');
    au_vec_release(&g.group);
    au_idtable_release(&g.index);
}
