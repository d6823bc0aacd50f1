/* report/text.c: a summary that fits a terminal. */
#include "base/limits.h"
#include "base/printable.h"
#include "report/common.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_funnel(const au_report *r, au_out *out) {
    bool any = false;
    for (int k = 0; k < AU_KINDS; k++) {
        const au_funnel *f = r->funnel[k];
        if (!f)
            continue;
        au_out_printf(out, "%s%-15s", any ? "" : "\nleft after each stage\n",
                      au_kind_name((au_kind)k));
        any = true;
        for (int s = 0; s < AU_STAGES; s++)
            if (f->left[s] != AU_STAGE_UNKNOWN)
                au_out_printf(out, "  %s %" PRIu64, au_stage_name(s), f->left[s]);
        au_out_printf(out, *f->unit ? "  (%s)\n" : "%s\n", f->unit);
    }
}

static void put_nondet(const au_nondet_counts *n, au_out *out) {
    au_out_printf(out,
                  "\nwitnesses of nondeterminism: %" PRIu64 "\n  infeasible, a cycle %" PRIu64
                  "; feasible, no choice %" PRIu64 " (%" PRIu64 " on shared walks)\n  with choices "
                  "%" PRIu64 ": %" PRIu64 " feasible, %" PRIu64 " infeasible; %" PRIu64
                  " graphs explored\n",
                  n->all, n->cycle, n->shared + n->direct, n->shared, n->chosen + n->refuted,
                  n->chosen, n->refuted, n->graphs);
    if (n->solved || n->unsolved)
        au_out_printf(out, "  by the solver: %" PRIu64 " feasible, %" PRIu64 " infeasible\n",
                      n->solved, n->unsolved);
    au_out_printf(out,
                  "  feasible %" PRIu64 ", infeasible %" PRIu64 ", undecided %" PRIu64
                  "; reads that can see another write %" PRIu64 "\n",
                  n->shared + n->direct + n->chosen + n->solved,
                  n->cycle + n->refuted + n->unsolved, n->open, n->couples);
}

static const char *color_of(const au_report *r, au_standing s) {
    static const char *const color[] = {"\033[1;31m", "\033[31m", "\033[33m", "\033[2m"};
    return r->color ? color[s] : "";
}

static void put_schedule(const au_report *r, const au_schedule *s, au_out *out) {
    uint64_t *from = au_alloc_array(r->names->thread.n, sizeof *from);
    au_out_str(out, "    schedule:");
    for (uint32_t i = 0; i < s->n; i++) {
        const au_turn *t = &s->turn[i];
        /* The end matters: that is where it goes wrong. */
        if (s->n > AU_LIMIT_TEXT_TURNS && i == AU_LIMIT_TEXT_TURNS / 2)
            au_out_printf(out, " … %" PRIu32 " turns …", s->n - AU_LIMIT_TEXT_TURNS);
        if (s->n <= AU_LIMIT_TEXT_TURNS || i < AU_LIMIT_TEXT_TURNS / 2 ||
            i >= s->n - AU_LIMIT_TEXT_TURNS / 2) {
            au_out_char(out, ' ');
            au_report_put_name(out, r->names, AU_WIRE_SPACE_THREAD, t->thread);
            au_out_printf(out, ":%" PRIu64, from[t->thread] + 1);
            if (t->upto > from[t->thread] + 1)
                au_out_printf(out, "-%" PRIu64, t->upto);
            if (t->mark)
                au_out_str(out, " (woken by nobody)");
        }
        from[t->thread] = t->upto;
    }
    au_out_char(out, '\n');
    free(from);
}

/* In turns, as the schedule is: "T1: x=0 x:=2  T2: x=2". */
static void put_seen(const au_report *r, const au_finding *f, au_out *out) {
    au_out_str(out, "    values:");
    for (uint32_t i = 0; i < f->n_seen; i++) {
        const au_access_seen *a = &f->seen[i];
        if (f->n_seen > AU_LIMIT_TEXT_VALUES && i < f->n_seen - AU_LIMIT_TEXT_VALUES) {
            if (!i)
                au_out_str(out, " …");
            continue; /* the end matters */
        }
        if (!i || f->seen[i - 1].thread != a->thread ||
            (f->n_seen > AU_LIMIT_TEXT_VALUES && i == f->n_seen - AU_LIMIT_TEXT_VALUES)) {
            au_out_char(out, ' ');
            au_report_put_name(out, r->names, AU_WIRE_SPACE_THREAD, a->thread);
            au_out_char(out, ':');
        }
        au_out_char(out, ' ');
        au_report_put_name(out, r->names, AU_WIRE_SPACE_VAR, a->var);
        au_out_printf(out, "%s%" PRId64, a->write ? ":=" : "=", a->value);
    }
    au_out_char(out, '\n');
}

static void put_finding(const au_report *r, const au_finding *f, size_t number, au_out *out) {
    char id[24], loc[256];
    au_finding_id(f->kind, number, id, sizeof id);
    au_out_printf(out, "\n%s %s%s%s  ", id, color_of(r, f->standing), au_standing_name(f->standing),
                  r->color ? "\033[0m" : "");
    au_finding_message(r->names, f, out);
    au_out_char(out, '\n');
    for (uint32_t k = 0; k < f->n_events; k++) {
        const au_event_ref *e = &f->event[k];
        au_out_str(out, "    ");
        au_report_put_name(out, r->names, AU_WIRE_SPACE_THREAD, e->thread);
        au_out_printf(out, " event %" PRIu64 "  ", e->index);
        if (f->text && *f->text[k].label)
            au_out_printf(out, "%s: ", f->text[k].label);
        au_out_printf(out, "%s(", f->text && *f->text[k].op ? f->text[k].op : au_op_name(e->op));
        if (e->obj != AU_NONE)
            au_report_put_name(out, r->names, au_op_space(e->op), e->obj);
        au_out_char(out, ')');
        if (*au_report_place(r->names, e, f->text ? &f->text[k] : NULL, loc, sizeof loc)) {
            char safe[512];
            au_out_str(out, "  ");
            au_out_write(out, safe, au_printable(safe, sizeof safe, loc, strlen(loc), NULL));
        }
        au_out_char(out, '\n');
    }
    if (*au_finding_why(f))
        au_out_printf(out, "    %s\n", au_finding_why(f));
    if (f->schedule.n)
        put_schedule(r, &f->schedule, out);
    if (f->n_seen)
        put_seen(r, f, out);
}

static void put_count(au_out *out, uint64_t n, const char *what, const char *after) {
    au_out_printf(out, "%" PRIu64 " %s%s%s", n, what, n == 1 ? "" : "s", after);
}

void au_report_text(const au_report *r, au_out *out) {
    size_t by[4] = {0}, number[AU_KINDS] = {0};
    for (size_t i = 0; i < r->n_inputs; i++)
        au_out_printf(out, "%s%s", i ? ", " : "", r->input[i]);
    au_out_str(out, ": ");
    put_count(out, r->events, "event", ", ");
    put_count(out, r->threads, "thread", ", ");
    put_count(out, r->locks, "lock", ", ");
    put_count(out, r->vars, "variable", "\n");
    put_funnel(r, out);
    if (r->nondet)
        put_nondet(r->nondet, out);
    for (size_t i = 0; i < r->findings->finding.n; i++) {
        const au_finding *f = &r->findings->finding.at[i];
        by[f->standing]++;
        if (++number[f->kind] <= r->most || !r->most)
            put_finding(r, f, number[f->kind], out);
    }
    for (int k = 0; k < AU_KINDS; k++)
        if (r->most && number[k] > r->most)
            au_out_printf(out, "\n… and %zu more of kind %s (--most 0 shows all)\n",
                          number[k] - r->most, au_kind_name((au_kind)k));
    for (size_t i = 0; i < r->n_notes; i++)
        au_out_printf(out, "\nnote: %s\n", r->note[i]);
    for (size_t i = 0; i < r->n_inconclusive; i++)
        au_out_printf(out, "\ninconclusive: %s\n", r->inconclusive[i]);
    au_out_char(out, '\n');
    put_count(out, r->findings->finding.n, "finding", "");
    if (r->findings->finding.n)
        au_out_str(out, ": ");
    if (by[AU_IS_CONFIRMED])
        au_out_printf(out, "%zu confirmed, ", by[AU_IS_CONFIRMED]);
    if (r->findings->finding.n)
        au_out_printf(out, "%zu proved, %zu possible", by[AU_IS_PROVED], by[AU_IS_POSSIBLE]);
    if (!r->timeless)
        au_out_printf(out, " (%.2f s)", r->seconds);
    au_out_char(out, '\n');
}
