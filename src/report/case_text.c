/* report/case_text.c: a dossier for somebody who wants to know what is wrong, and where; every command's text.
 *
 * First what was looked at, then how many candidates each stage left, then each finding: its
 * status, both sides, the order in which it happens as lines of source, and the command that
 * executes it. Of the order only what matters is shown (case_lines.c). In brief, for who reads traces and
 * models: all in the first line, sides with their event numbers, the order as turns. */
#include "base/limits.h"
#include "report/case_words.h"

#include "report/case_kinds.h"
#include "report/case_lines.h"
#include "report/case_slice.h"

#include <stdlib.h>

enum { SOURCE_WIDTH = 44, PLACE_WIDTH = 28, WIDTH = 100, LINES = 26 /* with the blank one */ };

/* Columns of an order: as wide as they need to be. */
typedef struct {
    size_t thread, place, source;
} widths;

typedef struct {
    const au_dossier *d;
    const au_case_look *look;
    au_out *out;
    bool short_of_lines; /* callers are left out: the story says enough */
    bool cut;            /* … and lines of the story end at the terminal's edge */
} teller;

static const char *paint(const teller *t, const char *code) {
    return t->look->color ? code : "";
}
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define OFF "\033[0m"

static const char *standing_color(au_standing s) {
    static const char *const color[] = {"\033[1;31m", "\033[31m", "\033[33m", DIM};
    return color[s];
}

static void put_count(au_out *out, uint64_t n, const char *what, const char *after) {
    au_out_printf(out, "%" PRIu64 " %s%s%s", n, what, n == 1 ? "" : "s", after);
}

/* ---- the head ------------------------------------------------------------------------------ */

static void put_head(const teller *t) {
    const au_dossier *d = t->d;
    bool program = *d->program && !t->look->brief;
    if (program) {
        const char *slash = strrchr(d->program, '/');
        au_case_put_safe(t->out, slash ? slash + 1 : d->program, 100);
        for (size_t i = 0; i < d->arg.n && i < 6; i++) {
            au_out_char(t->out, ' ');
            au_case_put_safe(t->out, d->arg.at[i], 40);
        }
        if (d->arg.n > 6)
            au_out_str(t->out, " …");
    }
    for (size_t i = 0; i < d->input.n && (i < 3 || t->look->brief) && !program; i++) {
        au_out_str(t->out, i ? ", " : "");
        au_case_put_safe(t->out, d->input.at[i], t->look->brief ? 4096 : 100);
    }
    if (d->input.n > 1 && !t->look->brief)
        au_out_printf(t->out, " (%zu runs)", d->input.n);
    au_out_str(t->out, ": ");
    put_count(t->out, d->events, "event", d->threads ? ", " : "\n");
    if (d->threads) { /* no run is without: nobody has counted */
        put_count(t->out, d->threads, "thread", ", ");
        put_count(t->out, d->locks, "lock", ", ");
        put_count(t->out, d->vars, "variable", "\n");
    }
    if (*d->explored) {
        au_case_put_safe(t->out, d->explored, 2000);
        au_out_char(t->out, '\n');
    }
}

/* The kind of finding that a funnel is about, as the JSON names it. */
static const char *funnel_kind(const au_case_funnel *f) {
    for (int k = 0; k < AU_KINDS; k++)
        if (!strcmp(f->kind, au_kind_prop_name((au_kind)k)))
            return au_kind_name((au_kind)k);
    return f->kind;
}

/* A line a kind, each number with its stage. */
static void put_brief_funnel(const teller *t) {
    const au_dossier *d = t->d;
    au_out_str(t->out, d->funnel.n ? "\nleft after each stage\n" : "");
    for (size_t i = 0; i < d->funnel.n; i++) {
        const au_case_funnel *f = &d->funnel.at[i];
        au_case_put_padded(t->out, funnel_kind(f), 15);
        for (int s = 0; s < AU_STAGES; s++)
            if (f->left[s] != AU_STAGE_UNKNOWN)
                au_out_printf(t->out, "  %s %" PRIu64, au_stage_name(s), f->left[s]);
        if (*f->unit) {
            au_out_str(t->out, "  (");
            au_case_put_safe(t->out, f->unit, 24);
            au_out_char(t->out, ')');
        }
        au_out_char(t->out, '\n');
    }
}

static void put_funnel(const teller *t) {
    const au_dossier *d = t->d;
    bool used[AU_STAGES] = {false};
    for (size_t i = 0; i < d->funnel.n; i++)
        for (int s = 0; s < AU_STAGES; s++)
            used[s] |= d->funnel.at[i].left[s] != AU_STAGE_UNKNOWN;
    if (!d->funnel.n)
        return;
    int width = 10;
    for (size_t i = 0; i < d->funnel.n; i++)
        width =
            (int)strlen(d->funnel.at[i].kind) > width ? (int)strlen(d->funnel.at[i].kind) : width;
    au_out_printf(t->out, "\n%s%-*s", paint(t, DIM), width, "left after");
    for (int s = 0; s < AU_STAGES; s++)
        if (used[s])
            au_out_printf(t->out, " %10s", au_stage_name(s));
    au_out_printf(t->out, "%s\n", paint(t, OFF));
    for (size_t i = 0; i < d->funnel.n; i++) {
        const au_case_funnel *f = &d->funnel.at[i];
        au_case_put_padded(t->out, f->kind, (size_t)width);
        for (int s = 0; s < AU_STAGES; s++) {
            if (!used[s])
                continue;
            if (f->left[s] == AU_STAGE_UNKNOWN)
                au_out_printf(t->out, " %10s", "-");
            else
                au_out_printf(t->out, " %10" PRIu64, f->left[s]);
        }
        au_out_str(t->out, "  ");
        au_case_put_safe(t->out, f->unit, 24);
        au_out_char(t->out, '\n');
    }
}

static void put_nondet(const teller *t) {
    const au_nondet_counts *n = &t->d->nondet;
    if (!t->d->has_nondet)
        return;
    au_out_printf(t->out,
                  "\nwitnesses of nondeterminism: %" PRIu64 "\n  infeasible, a cycle %" PRIu64
                  "; feasible, no choice %" PRIu64 " (%" PRIu64 " on shared walks)\n  with choices "
                  "%" PRIu64 ": %" PRIu64 " feasible, %" PRIu64 " infeasible; %" PRIu64
                  " graphs explored\n",
                  n->all, n->cycle, n->shared + n->direct, n->shared, n->chosen + n->refuted,
                  n->chosen, n->refuted, n->graphs);
    if (n->solved || n->unsolved)
        au_out_printf(t->out, "  by the solver: %" PRIu64 " feasible, %" PRIu64 " infeasible\n",
                      n->solved, n->unsolved);
    au_out_printf(t->out,
                  "  feasible %" PRIu64 ", infeasible %" PRIu64 ", undecided %" PRIu64
                  "; reads that can see another write %" PRIu64 "\n",
                  n->shared + n->direct + n->chosen + n->solved,
                  n->cycle + n->refuted + n->unsolved, n->open, n->couples);
}

/* ---- one finding --------------------------------------------------------------------------- */

/* The same event in an order of the case; NULL: it has none. */
static const au_case_event *in_order(const au_case_events *v, uint32_t which) {
    for (size_t i = 0; i < v->n; i++)
        if (v->at[i].decisive == which)
            return &v->at[i];
    return NULL;
}

static void put_held(const teller *t, const au_case_event *e) {
    for (uint32_t i = 0; i < e->n_held; i++) {
        au_out_str(t->out, i ? ", '" : "holding '");
        au_case_put_safe(t->out, e->held[i], 60);
        au_out_char(t->out, '\'');
    }
    if (!e->n_held)
        au_out_str(t->out, "holding no lock");
}

/* A place without the directory that the program ran in. */
static const char *from_here(const au_dossier *d, const char *place) {
    size_t n = strlen(d->cwd);
    return n > 1 && !strncmp(place, d->cwd, n) && place[n] == '/' ? place + n + 1 : place;
}

/* "        called from transfer (bank.c:40), from worker (bank.c:55)" */
static void put_callers(const teller *t, const au_case_event *e) {
    size_t told = 0, left = 0;
    for (uint32_t i = 0; i < e->n_callers; i++) {
        const au_case_frame *f = &e->caller[i];
        if (au_case_is_foreign(f->file))
            continue;
        if (told == AU_LIMIT_TEXT_CALLERS) {
            left++;
            continue;
        }
        au_out_str(t->out, told++ ? ", from " : "        called from ");
        au_case_put_safe(t->out, f->function, 80);
        au_out_printf(t->out, "%s (", paint(t, DIM));
        au_case_put_safe(t->out, from_here(t->d, f->file), 120);
        if (f->line)
            au_out_printf(t->out, ":%" PRIu32, f->line);
        au_out_printf(t->out, ")%s", paint(t, OFF));
    }
    if (left)
        au_out_printf(t->out, ", from %zu more", left);
    if (told)
        au_out_char(t->out, '\n');
}

/* "T1 writes 'balance' = 20 (10 in the run) in deposit (bank.c:19), holding 'lock'" */
static void put_side(const teller *t, const au_case *c, size_t i) {
    const au_case_event *e = &c->event.at[i];
    const au_case_event *now = in_order(&c->witness, (uint32_t)i + 1);
    const au_case_event *was = in_order(&c->observed, (uint32_t)i + 1);
    bool waits = c->kind == AU_KIND_DEADLOCK;
    bool fails = c->kind == AU_KIND_ASSERTION && !au_case_is_access(e);
    au_out_str(t->out, "    ");
    au_case_put_thread(t->out, e);
    if (t->look->brief)
        au_out_printf(t->out, " event %" PRIu64, e->index);
    if (!fails || t->look->brief) {
        au_out_char(t->out, ' ');
        au_case_put_safe(t->out, waits && *e->object ? "waits for" : au_case_verb(e), 40);
    }
    if (*e->object && !fails) {
        au_out_str(t->out, " '");
        au_case_put_safe(t->out, e->object, 80);
        au_out_char(t->out, '\'');
    }
    if (now && now->has_value && !fails && !au_case_is_address(now->value)) {
        au_out_printf(t->out, " = %" PRId64, now->value);
        if (was && was->has_value && was->value != now->value)
            au_out_printf(t->out, " (%" PRId64 " in the run)", was->value);
    }
    if (*e->function) {
        au_out_str(t->out, " in ");
        au_case_put_safe(t->out, e->function, 80);
    }
    if (*e->label) {
        au_out_str(t->out, " at ");
        au_case_put_safe(t->out, e->label, 40);
    }
    if (*e->location) {
        au_out_printf(t->out, "%s (", paint(t, DIM));
        au_case_put_safe(t->out, from_here(t->d, e->location), 120);
        au_out_printf(t->out, ")%s", paint(t, OFF));
    }
    if (!fails && (e->n_held || !t->look->brief)) { /* of models, nobody knows */
        au_out_str(t->out, ", ");
        put_held(t, e);
    }
    au_out_char(t->out, '\n');
    if (!t->short_of_lines)
        put_callers(t, e);
}

static void put_did(const teller *t, const au_case_line *l, const widths *w, size_t blanks) {
    enum { MOST = 200, LEAST = 12 };
    char text[4 * MOST + 8];
    size_t at = 4 + 2 + w->thread + 2 + w->place + 2 + w->source + 2, width = t->look->width;
    size_t room = width > at + LEAST ? width - at : LEAST;
    au_out_printf(t->out, "%*s", (int)blanks, "");
    if (t->cut && room < MOST) {
        au_case_safe_line(text, room + 1, l->did);
        au_out_str(t->out, text);
    } else {
        au_out_str(t->out, l->did);
    }
}

static void put_line(const teller *t, const au_case_line *l, const widths *w) {
    size_t width;
    char text[4 * SOURCE_WIDTH + 8];
    au_out_printf(t->out, "    %s%c ", l->decisive ? paint(t, BOLD) : "", l->decisive ? '>' : ' ');
    au_case_put_padded(t->out, l->thread, w->thread);
    au_out_str(t->out, "  ");
    au_case_put_padded(t->out, l->place, w->place);
    au_out_str(t->out, w->source ? "  " : "");
    width = au_case_safe_line(text, SOURCE_WIDTH + 1, l->source);
    au_out_str(t->out, text);
    if (*l->did)
        put_did(t, l, w, (width < w->source ? w->source - width : 0) + 2);
    au_out_printf(t->out, "%s\n", l->decisive ? paint(t, OFF) : "");
}

static void widen(size_t *width, size_t n, size_t most) {
    if (n > *width && n <= most)
        *width = n;
}

static void put_order(const teller *t, const au_case *c) {
    au_case_lines lines;
    widths w = {0};
    au_case_lines_make(&lines, t->d, c, AU_LIMIT_STORY_LINES);
    for (size_t i = 0; i < lines.n; i++) {
        char text[4 * SOURCE_WIDTH + 8];
        size_t width = au_case_safe_line(text, SOURCE_WIDTH + 1, lines.at[i].source);
        widen(&w.thread, strlen(lines.at[i].thread), 24);
        widen(&w.place, strlen(lines.at[i].place), PLACE_WIDTH);
        widen(&w.source, width, SOURCE_WIDTH);
    }
    if (lines.n)
        au_out_printf(t->out, "    %s\n",
                      c->replay == AU_REPLAY_CONFIRMED ? "it happened in this order:"
                                                       : "it happens in this order:");
    for (size_t i = 0; i < lines.n; i++)
        put_line(t, &lines.at[i], &w);
    au_case_lines_release(&lines);
}

/* "schedule: T1:1-14 T2:1-3" */
static void put_turns(const teller *t, const au_case *c) {
    uint64_t *from = au_alloc_array(c->thread.n, sizeof *from);
    size_t n = c->schedule.n;
    au_out_str(t->out, "    schedule:");
    for (size_t i = 0; i < n; i++) {
        const au_turn *x = &c->schedule.at[i];
        /* The end matters: that is where it goes wrong. */
        if (n > AU_LIMIT_TEXT_TURNS && i == AU_LIMIT_TEXT_TURNS / 2)
            au_out_printf(t->out, " … %zu turns …", n - AU_LIMIT_TEXT_TURNS);
        if (n <= AU_LIMIT_TEXT_TURNS || i < AU_LIMIT_TEXT_TURNS / 2 ||
            i >= n - AU_LIMIT_TEXT_TURNS / 2) {
            au_out_char(t->out, ' ');
            au_case_put_safe(t->out, c->thread.at[x->thread], 40);
            au_out_printf(t->out, ":%" PRIu64, from[x->thread] + 1);
            if (x->upto > from[x->thread] + 1)
                au_out_printf(t->out, "-%" PRIu64, x->upto);
            if (x->mark)
                au_out_printf(t->out, " (%s)",
                              x->mark == AU_MARK_TIMEOUT ? "timeout" : "spurious wake-up");
        }
        from[x->thread] = x->upto;
    }
    au_out_char(t->out, '\n');
    free(from);
}

static const char *called(const au_case *c, const char *thread) {
    for (size_t i = 0; i < c->event.n; i++)
        if (!strcmp(c->event.at[i].thread, thread))
            return c->event.at[i].called;
    for (size_t i = 0; i < c->witness.n; i++)
        if (!strcmp(c->witness.at[i].thread, thread))
            return c->witness.at[i].called;
    return "";
}

/* In turns, as the schedule is: "values: T1: x=0 x:=2  T2: x=2". */
static void put_values(const teller *t, const au_case *c) {
    size_t n = c->value.n, first = n > AU_LIMIT_TEXT_VALUES ? n - AU_LIMIT_TEXT_VALUES : 0;
    au_out_str(t->out, first ? "    values: …" : "    values:");
    for (size_t i = first; i < n; i++) { /* the end matters */
        const au_case_value *v = &c->value.at[i];
        if (i == first || strcmp(c->value.at[i - 1].thread, v->thread)) {
            au_out_char(t->out, ' ');
            char who[120];
            au_case_thread(v->thread, called(c, v->thread), who, sizeof who);
            au_case_put_safe(t->out, who, 100);
            au_out_char(t->out, ':');
        }
        au_out_char(t->out, ' ');
        au_case_put_safe(t->out, v->var, 80);
        au_out_printf(t->out, "%s%" PRId64, v->write ? ":=" : "=", v->value);
    }
    au_out_char(t->out, '\n');
}

/* "T1:2 reads 'y' from the initial value". Of a variable with one write its order says nothing. */
static void put_execution(const teller *t, const au_case *c) {
    static const char *const x86[] = {"", ", and x86 does it, too",
                                      "; x86 does not do it by itself"};
    au_out_printf(t->out, "    in no interleaving, but %s%s. In this execution:\n",
                  !strcmp(c->memory, "tso") ? "x86 allows it (tso)" : "C11 allows it (rc11)",
                  x86[c->x86]);
    for (size_t i = 0; i < c->sees.n; i++) {
        const au_case_sees *s = &c->sees.at[i];
        au_out_str(t->out, "      ");
        au_case_put_safe(t->out, s->thread, 40);
        au_out_printf(t->out, ":%" PRIu64 " reads '", s->index);
        au_case_put_safe(t->out, s->var, 80);
        au_out_str(t->out, "' from ");
        au_case_put_safe(t->out, *s->by ? s->by : "the initial value", 40);
        if (*s->by)
            au_out_printf(t->out, ":%" PRIu64, s->by_index);
        au_out_char(t->out, '\n');
    }
    for (size_t i = 0, n; i < c->wrote.n; i += n) {
        for (n = 1; i + n < c->wrote.n && !strcmp(c->wrote.at[i + n].var, c->wrote.at[i].var);)
            n++;
        if (n == 1)
            continue;
        au_out_str(t->out, "      writes of '");
        au_case_put_safe(t->out, c->wrote.at[i].var, 80);
        au_out_str(t->out, "' in order:");
        for (size_t k = i; k < i + n; k++) {
            au_out_str(t->out, k > i ? ", " : " ");
            au_case_put_safe(t->out, c->wrote.at[k].thread, 40);
            au_out_printf(t->out, ":%" PRIu64, c->wrote.at[k].index);
        }
        au_out_char(t->out, '\n');
    }
    if (*c->remedy) {
        au_out_str(t->out, "    it is forbidden if ");
        au_case_put_safe(t->out, c->remedy, 600);
        au_out_char(t->out, '\n');
    }
}

enum { MOST_TESTS = 4 };

static void put_tests(const teller *t, const au_case *c) {
    if (c->test.n)
        au_out_str(t->out, "    shown by ");
    for (size_t i = 0; i < c->test.n && i < MOST_TESTS; i++) {
        au_out_str(t->out, i ? ", '" : "'");
        au_case_put_safe(t->out, c->test.at[i], 100);
        au_out_char(t->out, '\'');
    }
    if (c->test.n > MOST_TESTS)
        au_out_printf(t->out, " and %zu more", c->test.n - MOST_TESTS);
    if (c->test.n)
        au_out_char(t->out, '\n');
}

static void put_replay(const teller *t, const au_case *c) {
    put_tests(t, c);
    static const char *const said[] = {[AU_REPLAY_NOT_TRIED] = "not replayed",
                                       [AU_REPLAY_CONFIRMED] = "replayed: it happens",
                                       [AU_REPLAY_NOT_SHOWN] = "replayed, but it did not happen",
                                       [AU_REPLAY_DIVERGED] = "replay diverged"};
    if (c->replay != AU_REPLAY_NOT_TRIED || *c->replay_text) {
        au_out_printf(t->out, "    %s", said[c->replay]);
        if (*c->replay_text) {
            au_out_str(t->out, ": ");
            au_case_put_safe(t->out, c->replay_text, 400);
        }
        au_out_char(t->out, '\n');
    }
    if (*c->replay_command) {
        au_out_printf(t->out, "    %s$ ", paint(t, DIM));
        au_case_put_safe(t->out, c->replay_command, 500);
        au_out_printf(t->out, "%s\n", paint(t, OFF));
    }
}

/* ": T1 holds 'a' and waits for 'b', T2 holds 'b' and waits for 'a'" */
static void put_waiters(const teller *t, const au_case *c) {
    for (size_t i = 0; i < c->event.n && i < 3; i++) {
        const au_case_event *e = &c->event.at[i];
        au_out_str(t->out, i ? ", " : ": ");
        au_case_put_thread(t->out, e);
        if (e->n_held) {
            au_out_str(t->out, " holds '");
            au_case_put_safe(t->out, e->held[e->n_held - 1], 60);
            au_out_str(t->out, "' and");
        }
        au_out_str(t->out, *e->object ? " waits for '" : " waits");
        au_case_put_safe(t->out, e->object, 60);
        au_out_str(t->out, *e->object ? "'" : "");
    }
    if (c->event.n > 3)
        au_out_printf(t->out, ", and %zu more wait", c->event.n - 3);
}

/* What it is, in the words of its message, without the sides. */
static void put_words(const teller *t, const au_case *c) {
    static const char *const before[AU_KINDS] = {[AU_KIND_RACE] = "race on '",
                                                 [AU_KIND_ATOMICITY] = "atomic block broken (",
                                                 [AU_KIND_DEADLOCK] = "deadlock",
                                                 [AU_KIND_ASSERTION] = "assertion fails",
                                                 [AU_KIND_NONDET] = "read of another write of '",
                                                 [AU_KIND_MISUSE] = "'",
                                                 [AU_KIND_LOST] = "lost update of '",
                                                 [AU_KIND_OUTPUT] = "different output: "};
    if ((c->kind == AU_KIND_ASSERTION && *c->what) || c->narrow) {
        au_case_put_safe(t->out, c->narrow ? c->message : c->what, 300);
        return;
    }
    au_out_str(t->out, before[c->kind]);
    if (c->kind == AU_KIND_DEADLOCK)
        put_waiters(t, c);
    if (c->kind == AU_KIND_DEADLOCK || c->kind == AU_KIND_ASSERTION)
        return;
    if (c->kind == AU_KIND_OUTPUT) {
        au_case_put_safe(t->out, c->what, 300);
        return;
    }
    if (c->kind == AU_KIND_ATOMICITY) {
        au_case_put_safe(t->out, c->what, 200);
        au_out_str(t->out, " on '");
    }
    au_case_put_safe(t->out, c->var, 100);
    au_out_str(t->out, c->kind == AU_KIND_ATOMICITY ? "')" : "'");
    if (c->kind == AU_KIND_MISUSE || (c->kind == AU_KIND_LOST && *c->what)) {
        au_out_str(t->out, ": ");
        au_case_put_safe(t->out, c->what, 200);
    }
}

static void put_title(const teller *t, const au_case *c) {
    au_out_printf(t->out, "\n%s", paint(t, BOLD));
    au_case_put_safe(t->out, c->id, 40);
    au_out_printf(t->out, "%s %s%s%s  ", paint(t, OFF), paint(t, standing_color(c->standing)),
                  au_standing_name(c->standing), paint(t, OFF));
    if (t->look->brief)
        au_case_put_safe(t->out, c->message, 1100);
    else
        put_words(t, c);
    if (c->aside)
        au_out_str(t->out, "  (does not count)");
    if (*c->state) {
        au_out_str(t->out, "  [");
        au_case_put_safe(t->out, c->state, 40);
        au_out_char(t->out, ']');
    }
    if (c->known || *c->triage) {
        au_out_str(t->out, "  [");
        au_case_put_safe(t->out, *c->triage ? c->triage : "known", 40);
        if (*c->note) {
            au_out_str(t->out, ": ");
            au_case_put_safe(t->out, c->note, 200);
        }
        au_out_char(t->out, ']');
    }
    au_out_char(t->out, '\n');
}

/* A text of our own in lines of WIDTH columns. */
static void put_wrapped(const teller *t, const char *before, const char *text) {
    size_t at = 4 + strlen(before), n;
    bool first = true;
    au_out_printf(t->out, "    %s", before);
    for (; *text; text += n + (text[n] == ' '), first = false) {
        n = strcspn(text, " ");
        if (at + n + 1 > WIDTH) {
            au_out_str(t->out, "\n        ");
            at = 8;
        } else if (!first) {
            au_out_char(t->out, ' ');
            at++;
        }
        au_out_write(t->out, text, n);
        at += n;
    }
    au_out_char(t->out, '\n');
}

/* "3 variants: the same cause, told once": how many of which kind, and with --verbose each of them. */
static void put_variants(const teller *t, const au_case *c) {
    if (!c->variant.n)
        return;
    for (size_t i = 0; i < c->variant.n; i++) {
        const au_case *v = &c->variant.at[i];
        if (v->kind != AU_KIND_LOST || v->standing >= AU_IS_POSSIBLE)
            continue;
        if (c->kind == AU_KIND_LOST)
            au_out_printf(t->out, "    lost with it (%s): '%s': ", au_standing_name(v->standing),
                          v->var);
        else
            au_out_printf(t->out,
                          "    an update is lost by it (%s): ", au_standing_name(v->standing));
        au_case_put_safe(t->out, v->what, 100);
        au_out_char(t->out, '\n');
        break;
    }
    for (size_t i = 0; i < c->variant.n; i++) {
        const au_case *v = &c->variant.at[i];
        if (v->narrow != AU_NARROW_USE_AFTER_FREE || c->narrow)
            continue;
        au_out_printf(t->out, "    memory is used after it is freed by it (%s)\n",
                      au_standing_name(v->standing));
        break;
    }
    au_out_str(t->out, "    ");
    put_count(t->out, c->variant.n, "variant", " of the same cause");
    au_out_str(t->out, t->look->verbose ? ":\n" : " (--verbose shows them)\n");
    for (size_t i = 0; i < c->variant.n && t->look->verbose; i++) {
        const au_case *v = &c->variant.at[i];
        au_out_printf(t->out, "      %s %s  ", v->id, au_standing_name(v->standing));
        au_case_put_safe(t->out, v->message, 1100);
        au_out_char(t->out, '\n');
        if (v->schedule.n)
            put_turns(t, v);
    }
}

static void put_whole(const teller *t, const au_case *c) {
    put_title(t, c);
    for (size_t i = 0; i < c->event.n; i++)
        put_side(t, c, i);
    if (*c->why) {
        au_out_str(t->out, "    ");
        au_case_put_safe(t->out, c->why, 1100);
        au_out_char(t->out, '\n');
    }
    if (*c->harm) {
        au_out_str(t->out, "    what it does: ");
        au_case_put_safe(t->out, c->harm_text, 400);
        au_out_char(t->out, '\n');
    }
    if (t->look->brief && c->schedule.n)
        put_turns(t, c);
    if (t->look->brief && c->value.n)
        put_values(t, c);
    if (*c->memory)
        put_execution(t, c);
    if (!t->look->brief && (c->witness.n || c->schedule.n))
        put_order(t, c);
    put_variants(t, c);
    if (!t->look->brief && *t->d->program)
        put_wrapped(t, "what to do: ", au_case_advice(c));
    put_replay(t, c);
}

static size_t lines_of(const char *text, size_t n) {
    size_t lines = 0;
    for (const char *s = text; (s = memchr(s, '\n', (size_t)(text + n - s))); s++)
        lines++;
    return lines;
}

/* At most LINES lines, unless everything is asked for: callers go first, then what does not fit beside a line of the story. */
static void put_case(const teller *t, const au_case *c) {
    enum { ROUNDS = 3 };
    bool done = false;
    for (int round = 0; round < ROUNDS && !done; round++) {
        au_out *whole = au_out_memory(), *wrapped = au_out_memory();
        teller one = *t;
        size_t n;
        one.out = whole;
        one.short_of_lines = round > 0;
        one.cut = round > 1 && t->look->width;
        put_whole(&one, c);
        const char *text = au_out_memory_data(whole, &n);
        au_case_put_wrapped(wrapped, text, n, t->look->width ? t->look->width : SIZE_MAX);
        text = au_out_memory_data(wrapped, &n);
        done =
            round + 1 == ROUNDS || lines_of(text, n) <= LINES || t->look->verbose || t->look->brief;
        if (done)
            au_out_write(t->out, text, n);
        au_out_abandon(whole);
        au_out_abandon(wrapped);
    }
}

/* What somebody should see first: what fails before one's eyes, then what corrupts, then what may. */
static unsigned severity_of(const au_case *c) {
    static const unsigned kind[AU_KINDS] = {
        [AU_KIND_ASSERTION] = 0, [AU_KIND_DEADLOCK] = 2,  [AU_KIND_MISUSE] = 3,
        [AU_KIND_LOST] = 4,      [AU_KIND_ATOMICITY] = 5, [AU_KIND_RACE] = 6,
        [AU_KIND_NONDET] = 8,    [AU_KIND_OUTPUT] = 7};
    bool memory = c->narrow == AU_NARROW_USE_AFTER_FREE || c->narrow == AU_NARROW_DOUBLE_FREE ||
                  c->narrow == AU_NARROW_MEMORY;
    return memory ? 1 : kind[c->kind] + (c->narrow == AU_NARROW_STALE);
}

static int by_severity(const void *x, const void *y) {
    const au_case *a = *(const au_case *const *)x, *b = *(const au_case *const *)y;
    if (a->known != b->known)
        return a->known ? 1 : -1;
    if (severity_of(a) != severity_of(b))
        return severity_of(a) < severity_of(b) ? -1 : 1;
    if (a->standing != b->standing)
        return a->standing < b->standing ? -1 : 1;
    if (au_case_harm_rank(a) != au_case_harm_rank(b))
        return au_case_harm_rank(a) > au_case_harm_rank(b) ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Of a program the worst first, and of what is known only that it is there. */
static void put_cases(const teller *t) {
    const au_dossier *d = t->d;
    bool sorted = *d->program && !t->look->brief;
    size_t number[AU_KINDS] = {0}, most = t->look->most;
    const au_case **at = au_alloc_array(d->at.n, sizeof *at);
    for (size_t i = 0; i < d->at.n; i++)
        at[i] = &d->at.at[i];
    if (sorted && d->at.n)
        qsort(at, d->at.n, sizeof *at, by_severity);
    for (size_t i = 0; i < d->at.n; i++) {
        if (++number[at[i]->kind] > most && most)
            continue;
        if (sorted && at[i]->known && !t->look->verbose)
            put_title(t, at[i]);
        else
            put_case(t, at[i]);
    }
    for (int k = 0; k < AU_KINDS; k++)
        if (most && number[k] > most)
            au_out_printf(t->out, "\n… and %zu more of kind %s (--most 0 shows all)\n",
                          number[k] - most, au_kind_name((au_kind)k));
    free(at);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void put_remarks(const teller *t) {
    const au_dossier *d = t->d;
    for (size_t i = 0; i < d->note.n + d->inconclusive.n; i++) {
        bool note = i < d->note.n;
        au_out_str(t->out, note ? "\nnote: " : "\ninconclusive: ");
        au_case_put_safe(t->out, note ? d->note.at[i] : d->inconclusive.at[i - d->note.n], 1100);
        au_out_char(t->out, '\n');
    }
}

static void put_sum(const teller *t) {
    size_t by[AU_IS_REFUTED + 1] = {0}, known = 0, shown = 0;
    for (size_t i = 0; i < t->d->at.n; i++) {
        by[t->d->at.at[i].standing]++;
        known += t->d->at.at[i].known;
    }
    au_out_char(t->out, '\n');
    put_count(t->out, t->d->at.n, "finding", "");
    for (int s = 0; s <= AU_IS_REFUTED; s++)
        if (by[s])
            au_out_printf(t->out, "%s%zu %s", shown++ ? ", " : ": ", by[s],
                          au_standing_name((au_standing)s));
    if (known)
        au_out_printf(t->out, "; %zu known", known);
    if (!t->d->timeless)
        au_out_printf(t->out, " (%.2f s)", t->d->seconds);
    au_out_char(t->out, '\n');
}

/* A bug of augur, whoever reads it: what was proved was not so. */
static void put_disagreements(const teller *t) {
    uint64_t n = t->d->disagreements;
    if (n)
        au_out_printf(t->out,
                      "model and program disagree: %" PRIu64
                      " execution%s went another way than was "
                      "proved (please report this)\n",
                      n, n == 1 ? "" : "s");
}

static const char *memory_claim(const char *memory) {
    return !strcmp(memory, "rc11")  ? "every execution that C11 allows (rc11) was looked at; load "
                                      "buffering, which ISO C "
                                      "and Arm allow, is none of them"
           : !strcmp(memory, "tso") ? "every execution of x86 (tso) was looked at, of the model as "
                                      "it is written: what a "
                                      "compiler may reorder before is not in it"
                                    : "every interleaving (sc) was looked at";
}

/* The last line, of whoever explored: is there anything left to ask? */
static void put_coverage(const teller *t) {
    /* A check that claims nothing does not look as if it did. */
    if (!*t->d->claim && t->d->inconclusive.n) {
        size_t n = t->d->inconclusive.n;
        au_out_printf(t->out, "not exhaustive: %zu question%s undecided, among them: ", n,
                      n == 1 ? "" : "s");
        au_case_put_safe(t->out, t->d->inconclusive.at[0], 1000);
        au_out_printf(t->out, ". Try %s.\n", au_dossier_hint(t->d));
    }
    if (*t->d->memory && au_dossier_is_exhaustive(t->d))
        au_out_printf(t->out, "exhaustive: %s.\n", memory_claim(t->d->memory));
    if (!*t->d->claim) {
        if (!t->d->inconclusive.n && !t->d->at.n && *t->d->beyond && !t->d->complete) {
            au_out_str(t->out, "not exhaustive: ");
            au_case_put_safe(t->out, t->d->beyond, 1000);
            au_out_str(t->out, ".\n");
        }
        return;
    }
    char *text = au_dossier_coverage(t->d);
    au_out_str(t->out, au_dossier_is_exhaustive(t->d) ? "exhaustive: " : "not exhaustive: ");
    au_case_put_safe(t->out, text, 2000);
    au_out_char(t->out, '\n');
    free(text);
}

void au_case_text(const au_dossier *d, const au_case *c, const au_case_look *look, au_out *out) {
    put_case(&(teller){.d = d, .look = look, .out = out}, c);
}

void au_dossier_text(const au_dossier *d, const au_case_look *look, au_out *out) {
    teller t = {.d = d, .look = look, .out = out};
    put_head(&t);
    if (look->brief)
        put_brief_funnel(&t);
    else
        put_funnel(&t);
    put_nondet(&t);
    put_cases(&t);
    put_remarks(&t);
    put_sum(&t);
    put_disagreements(&t);
    put_coverage(&t);
}
