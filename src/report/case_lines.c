#include "report/case_lines.h"

#include "base/printable.h"
#include "report/case_kinds.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { PLACE = 64, DID = 96, SOURCES = 6 };

typedef struct {
    size_t from, to; /* events of the order */
    int worth;       /* 0: only if there is room; -1: never */
    bool idle;       /* nothing to see: the end of a thread */
    bool kept;
} group;

/* ---- text ---------------------------------------------------------------------------------- */

size_t au_case_safe_line(char *to, size_t cap, const char *s) {
    size_t width;
    while (isspace((unsigned char)*s))
        s++;
    char *end = to + au_printable(to, cap, s, strlen(s), &width);
    for (char *c = to; c < end; c++)
        if (*c == '\n')
            *c = ' ';
    return width;
}

void au_case_put_padded(au_out *out, const char *s, size_t width) {
    char text[256];
    size_t shown = au_case_safe_line(text, sizeof text, s);
    au_out_str(out, text);
    for (; shown < width; shown++)
        au_out_char(out, ' ');
}

static const char *keep(au_case_lines *l, const char *s, size_t cap) {
    char text[512];
    au_case_safe_line(text, cap < sizeof text ? cap : sizeof text, s);
    return au_arena_strndup(&l->arena, text, strlen(text));
}

const char *au_case_source_line(const au_dossier *d, const char *file, uint32_t line) {
    for (size_t i = 0; i < d->source.n; i++) {
        const au_case_source *s = &d->source.at[i];
        if (line >= s->first && line - s->first < s->n && !strcmp(s->file, file))
            return s->line[line - s->first];
    }
    return NULL;
}

/* ---- groups -------------------------------------------------------------------------------- */

static bool same_line(const au_case_event *a, const au_case_event *b) {
    return !strcmp(a->thread, b->thread) && a->line == b->line && !strcmp(a->file, b->file) &&
           !strcmp(a->label, b->label) && !strcmp(a->location, b->location);
}

static bool is_access(const au_case_event *e) {
    return strstr(e->op, "read") == e->op || strstr(e->op, "write") == e->op ||
           !strncmp(e->op, "atomic-", 7);
}

/* Calls of code without hooks: the source line says it. */
static bool is_call(const au_case_event *e) {
    return strstr(e->op, "call") || !strncmp(e->op, "return", 6);
}

/* Is it about what the finding is about? */
static bool matters(const au_case *c, const au_case_event *e) {
    if (!*e->object)
        return false;
    if (*c->var && !strcmp(c->var, e->object))
        return true;
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *k = &c->event.at[i];
        if (!strcmp(k->object, e->object))
            return true;
        for (uint32_t h = 0; h < k->n_held && !strcmp(k->thread, e->thread); h++)
            if (!strcmp(k->held[h], e->object))
                return true;
    }
    return c->kind == AU_KIND_ASSERTION && is_access(e) && strstr(c->what, e->object);
}

static int worth_of(const au_case *c, const au_case_events *v, const group *g) {
    int worth = 0;
    for (size_t i = g->from; i < g->to; i++)
        worth = v->at[i].decisive ? 2 : matters(c, &v->at[i]) && worth < 1 ? 1 : worth;
    return worth;
}

static bool reads(const au_case_event *e) {
    return !strcmp(e->op, "read") || !strcmp(e->op, "atomic-read") ||
           !strcmp(e->op, "atomic-update");
}

static bool writes(const au_case_event *e) {
    return !strcmp(e->op, "write") || !strcmp(e->op, "atomic-write") ||
           !strcmp(e->op, "atomic-update");
}

/* An assertion of which nothing is said but where it fails: what its thread read last before it is what it
 * is about, and whoever wrote that from another thread has a part in it. */
static void find_sources(const au_case *c, const au_case_events *v, group *g, size_t n) {
    size_t fails = 0, read = 0;
    while (fails < v->n && !v->at[fails].decisive)
        fails++;
    if (c->kind != AU_KIND_ASSERTION || fails == v->n)
        return;
    for (size_t i = fails; i-- > 0 && read < SOURCES;) {
        const au_case_event *e = &v->at[i];
        if (strcmp(e->thread, v->at[fails].thread) || !reads(e) || !*e->object)
            continue;
        read++;
        for (size_t k = i; k-- > 0;) {
            if (strcmp(v->at[k].object, e->object) || !writes(&v->at[k]))
                continue;
            for (size_t at = 0; at < n && strcmp(v->at[k].thread, e->thread); at++)
                if (g[at].from <= k && k < g[at].to && !g[at].worth)
                    g[at].worth = 1;
            break;
        }
    }
}

/* Behind the last decisive event only what the object becomes is of interest. */
static void forget_the_rest(const au_case *c, const au_case_events *v, group *g, size_t n) {
    while (n && g[n - 1].worth < 2) {
        group *x = &g[--n];
        bool seen = false;
        for (size_t i = x->from; i < x->to; i++)
            seen |= is_access(&v->at[i]) && *c->var && !strcmp(v->at[i].object, c->var);
        x->worth = seen ? 1 : -1;
    }
}

/* The decisive ones, then what matters, then what came before, the last first. */
static size_t choose(group *g, size_t n, size_t most) {
    size_t kept = 0;
    for (int worth = 2; worth >= 0; worth--)
        for (size_t i = n; i-- > 0;)
            if (g[i].worth == worth && (kept < most || worth == 2)) {
                /* of what does not matter, only what stands right before something that does */
                if (!worth && (g[i].idle || !(i + 1 < n && g[i + 1].kept)))
                    continue;
                g[i].kept = true;
                kept++;
            }
    return kept;
}

/* ---- lines --------------------------------------------------------------------------------- */

static const char *did(au_case_lines *l, const au_case *c, const au_case_events *v,
                       const group *g) {
    au_out *out = au_out_memory();
    const char *object = c->kind == AU_KIND_DEADLOCK ? "" : c->var; /* told already */
    size_t n, told = 0;
    for (size_t i = g->from; i < g->to; i++) {
        const au_case_event *e = &v->at[i];
        if (is_call(e))
            continue;
        bool waits = c->kind == AU_KIND_DEADLOCK && e->decisive;
        bool named = *e->object && strcmp(e->object, object);
        if (told == 4) {
            au_out_str(out, ", …");
            break;
        }
        if (c->kind == AU_KIND_ASSERTION && e->decisive) {
            au_out_printf(out, "%s%s", told++ ? ", " : "",
                          strcmp(e->op, "crash") ? "fails" : "crashes");
            continue;
        }
        au_out_str(out, told++ ? ", " : "");
        au_case_put_safe(out, waits && *e->object ? "waits for" : au_case_verb(e), 40);
        if (named) {
            au_out_char(out, ' ');
            au_case_put_safe(out, e->object, 32);
            if (is_access(e))
                object = e->object;
        }
        if (e->has_value)
            au_out_printf(out, named ? " = %" PRId64 : " %" PRId64, e->value);
    }
    const char *text = keep(l, au_out_memory_data(out, &n), DID);
    au_out_abandon(out);
    return text;
}

static void make_line(au_case_lines *l, const au_dossier *d, const au_case *c,
                      const au_case_events *v, const group *g, au_case_line *to) {
    const au_case_event *e = &v->at[g->from];
    const char *source = *e->file ? au_case_source_line(d, e->file, e->line) : NULL;
    const char *slash = strrchr(e->location, '/');
    char who[120];
    au_case_thread(e->thread, e->called, who, sizeof who);
    to->thread = keep(l, who, 60);
    to->place = keep(l, slash ? slash + 1 : e->location, PLACE);
    if (!*to->place && *e->label)
        to->place = keep(l, e->label, PLACE);
    to->source = keep(l, source ? source : *e->text ? e->text : "", 256);
    to->did = did(l, c, v, g);
    to->decisive = g->worth == 2;
}

void au_case_lines_make(au_case_lines *l, const au_dossier *d, const au_case *c, size_t most) {
    const au_case_events *v = &c->witness;
    AU_VEC(group) g = {0};
    bool gap = false;
    *l = (au_case_lines){0};
    au_arena_init(&l->arena);
    for (size_t i = 0; i < v->n; i++) {
        bool goes_on = i && same_line(&v->at[i - 1], &v->at[i]) && !v->at[i].skipped &&
                       v->at[i - 1].decisive == 0;
        if (goes_on)
            au_vec_last(&g).to = i + 1;
        else
            au_vec_push(&g, ((group){.from = i, .to = i + 1}));
    }
    for (size_t i = 0; i < g.n; i++) {
        g.at[i].worth = worth_of(c, v, &g.at[i]);
        g.at[i].idle = !strcmp(v->at[g.at[i].from].op, "exit");
    }
    find_sources(c, v, g.at, g.n);
    forget_the_rest(c, v, g.at, g.n);
    l->at = AU_ARENA_ARRAY(&l->arena, au_case_line, choose(g.at, g.n, most));
    for (size_t i = 0; i < g.n; i++) {
        gap |= v->at[g.at[i].from].skipped != 0;
        if (!g.at[i].kept) {
            gap = true;
            continue;
        }
        make_line(l, d, c, v, &g.at[i], &l->at[l->n]);
        l->at[l->n++].skipped = gap;
        gap = false;
    }
    au_vec_release(&g);
}

void au_case_lines_release(au_case_lines *l) {
    au_arena_release(&l->arena);
}
