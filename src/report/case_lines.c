#include "report/case_lines.h"

#include "base/printable.h"
#include "report/case_kinds.h"
#include "report/case_slice.h"
#include "report/case_words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACE = 64, DID = 96, LEAST = 5, NEAR = 40 };

/* Events of one thread in one line of the user's, without another thread between. */
typedef struct {
    size_t from, to; /* of the order */
    const char *file;
    uint32_t line;
    int worth;
    bool kept;
} group;

typedef struct {
    const au_dossier *d;
    const au_case *c;
    const au_case_events *v;
    int *worth; /* by event */
    AU_VEC(group) g;
} maker;

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

/* ---- places -------------------------------------------------------------------------------- */

/* Code that the compiler made up: a destructor that nobody wrote stands at the line of its class. */
static bool is_made_up(const au_dossier *d, const char *file, uint32_t line) {
    const char *text = au_case_source_line(d, file, line);
    while (text && isspace((unsigned char)*text))
        text++;
    return text && (!strncmp(text, "class ", 6) || !strncmp(text, "struct ", 7) ||
                    !strncmp(text, "using ", 6));
}

void au_case_place(const au_dossier *d, const au_case_event *e, const char **file, uint32_t *line) {
    *file = e->file;
    *line = e->line;
    const au_case_frame *deed = e->frees ? au_case_deed(e) : NULL;
    if (deed) { /* the delete, not the destructor */
        *file = deed->file;
        *line = deed->line;
        return;
    }
    if (!au_case_is_foreign(*file) && !is_made_up(d, *file, *line))
        return;
    for (uint32_t i = 0; i < e->n_callers && *e->file; i++) {
        const au_case_frame *f = &e->caller[i];
        if (au_case_is_foreign(f->file) || !f->line || is_made_up(d, f->file, f->line))
            continue;
        *file = f->file;
        *line = f->line;
        return;
    }
}

/* An event of the order, with the callers that its finding knows: of a decisive event, and of others of its thread at the
 * same place right beside it. */
static au_case_event known(const maker *m, size_t i) {
    au_case_event e = m->v->at[i];
    for (size_t k = 0; k < m->c->event.n && !e.n_callers && *e.location; k++) {
        const au_case_event *x = &m->c->event.at[k];
        bool near = e.index <= x->index + NEAR && x->index <= e.index + NEAR;
        if (near && !strcmp(x->location, e.location) && !strcmp(x->thread, e.thread)) {
            e.caller = x->caller;
            e.n_callers = x->n_callers;
        }
    }
    return e;
}

/* ---- groups -------------------------------------------------------------------------------- */

static bool goes_on(const maker *m, const group *g, size_t i, const char *file, uint32_t line) {
    const au_case_event *a = &m->v->at[i - 1], *e = &m->v->at[i];
    return !strcmp(a->thread, e->thread) && g->line == line && !strcmp(g->file, file) &&
           !strcmp(a->label, e->label) && (line || !strcmp(a->location, e->location)) &&
           !e->skipped && !(a->decisive && e->decisive);
}

static void make_groups(maker *m) {
    for (size_t i = 0; i < m->v->n; i++) {
        au_case_event e = known(m, i);
        const char *file;
        uint32_t line;
        au_case_place(m->d, &e, &file, &line);
        if (m->g.n && goes_on(m, &au_vec_last(&m->g), i, file, line))
            au_vec_last(&m->g).to = i + 1;
        else
            au_vec_push(&m->g, ((group){.from = i, .to = i + 1, .file = file, .line = line}));
        group *g = &au_vec_last(&m->g);
        g->worth = m->worth[i] > g->worth ? m->worth[i] : g->worth;
        if (*m->d->program && *e.file && au_case_is_foreign(file) && !e.decisive)
            g->worth = -1; /* nobody knows which line of the user's it belongs to */
    }
}

static bool same_line(const maker *m, const group *a, const group *b) {
    return a->line == b->line && !strcmp(a->file, b->file) &&
           !strcmp(m->v->at[a->from].thread, m->v->at[b->from].thread);
}

static bool is_shown_already(const maker *m, const group *x) {
    for (size_t i = 0; i < m->g.n && x->line; i++)
        if (m->g.at[i].kept && same_line(m, &m->g.at[i], x))
            return true;
    return false;
}

/* The decisive ones, then the worthiest, of equals the last. */
static size_t choose(maker *m, size_t most) {
    size_t kept = 0;
    for (size_t i = 0; i < m->g.n; i++)
        if (m->g.at[i].worth >= AU_WORTH_DECISIVE) {
            m->g.at[i].kept = true;
            kept++;
        }
    while (kept < most) {
        group *best = NULL;
        for (size_t i = m->g.n; i-- > 0;) {
            group *x = &m->g.at[i];
            if (x->worth <= 0 || x->kept || (kept >= LEAST && x->worth < AU_WORTH_SHOWN) ||
                (best && best->worth >= x->worth))
                continue;
            best = x;
        }
        if (!best)
            break;
        if (best->worth < 60 && is_shown_already(m, best)) {
            best->worth = 0; /* the same line of the same thread once more */
            continue;
        }
        best->kept = true;
        kept++;
    }
    return kept;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Calls of code without hooks: the source line says it. */
static bool is_call(const au_case_event *e) {
    return strstr(e->op, "call") || !strncmp(e->op, "return", 6);
}

/* A pointer: its number says nothing. */
bool au_case_is_address(int64_t value) {
    return value >= INT64_C(0x100000000000) && value < INT64_C(0x800000000000);
}

/* Is this operation on this object told in the group before event i? */
static bool is_told(const maker *m, const group *g, size_t i) {
    const au_case_event *e = &m->v->at[i];
    for (size_t k = g->from; k < i; k++) {
        const au_case_event *b = &m->v->at[k];
        bool block = b->frees && e->frees; /* of all members of a block */
        if (!strcmp(au_case_verb(b), au_case_verb(e)) && (block || !strcmp(b->object, e->object)) &&
            (m->worth[k] >= AU_WORTH_SHOWN || m->worth[i] < AU_WORTH_SHOWN))
            return true;
    }
    return false;
}

/* Memory that the library allocated for a container, or without a type. */
static bool is_unnamed(const char *object) {
    return !strncmp(object, "heap(", 5) || !strncmp(object, "std::", 5) ||
           !strncmp(object, "__", 2);
}

static bool is_inner(const au_case_event *e) {
    return !e->decisive && !e->frees && is_unnamed(e->object);
}

/* As the finding has it: an execution may know the block by another name. */
static const char *object_of(const au_case *c, const au_case_event *e) {
    return e->decisive && e->decisive <= c->event.n && au_case_is_access(e)
               ? c->event.at[e->decisive - 1].object
               : e->object;
}

/* "reads": an access of memory that has no name, with no value to show. */
static bool says_nothing(const au_case *c, const au_case_event *e) {
    const char *own = object_of(c, e);
    return !e->decisive && !e->frees && au_case_is_access(e) && (!*own || is_unnamed(own)) &&
           (!e->has_value || au_case_is_address(e->value));
}

static void put_did(au_out *out, const au_case *c, const au_case_event *e, const char **object) {
    const char *own = object_of(c, e);
    bool waits = c->kind == AU_KIND_DEADLOCK && e->decisive;
    bool valued = e->has_value && !au_case_is_address(e->value);
    bool again = !strcmp(own, *object) && (valued || *object != c->var);
    bool named = *own && !again && !is_unnamed(own) && !(e->frees && c->narrow);
    au_case_put_safe(out, waits && *e->object ? "waits for" : au_case_verb(e), 40);
    if (named) {
        const char *owner = strstr(own, " in "); /* "total in main (T0)" */
        au_out_char(out, ' ');
        char *name = owner ? au_strndup(own, (size_t)(owner - own)) : NULL;
        au_case_put_safe(out, name ? name : own, 48);
        free(name);
        if (au_case_is_access(e))
            *object = own;
    }
    if (valued)
        au_out_printf(out, named ? " = %" PRId64 : " %" PRId64, e->value);
}

static bool has_outer(const maker *m, const group *g) {
    for (size_t i = g->from; i < g->to; i++)
        if (!is_inner(&m->v->at[i]) && (m->worth[i] >= AU_WORTH_SHOWN || m->v->at[i].decisive ||
                                        !strcmp(m->v->at[i].op, "fork")))
            return true;
    return false;
}

/* What an assertion reads before it fails, in its own line. */
static bool is_condition(const maker *m, const group *g, size_t i) {
    return m->c->kind == AU_KIND_ASSERTION && g->worth >= AU_WORTH_DECISIVE &&
           au_case_is_access(&m->v->at[i]) && m->v->at[i].has_value &&
           !au_case_is_address(m->v->at[i].value);
}

/* The other half of 'n -= 5', of which one access matters. */
static bool is_of_shown(const maker *m, const group *g, size_t i) {
    for (size_t k = g->from; k < g->to; k++)
        if (m->worth[k] >= AU_WORTH_SHOWN && au_case_is_access(&m->v->at[k]) &&
            au_case_is_access(&m->v->at[i]) && !strcmp(m->v->at[k].object, m->v->at[i].object))
            return true;
    return false;
}

static const char *did(au_case_lines *l, const maker *m, const group *g) {
    const au_case *c = m->c;
    au_out *out = au_out_memory();
    const char *object = c->kind == AU_KIND_DEADLOCK ? "" : c->var; /* told already */
    size_t n, told = 0;
    for (size_t i = g->from; i < g->to; i++) {
        const au_case_event *e = &m->v->at[i];
        bool fails = c->kind == AU_KIND_ASSERTION && e->decisive && !au_case_is_access(e);
        if (is_call(e) || (!fails && (is_told(m, g, i) || says_nothing(c, e))) ||
            (is_inner(e) && has_outer(m, g)) ||
            (g->worth >= AU_WORTH_SHOWN && m->worth[i] < AU_WORTH_SHOWN && !is_condition(m, g, i) &&
             !is_of_shown(m, g, i)))
            continue;
        if (told == 4) {
            au_out_str(out, ", …");
            break;
        }
        au_out_str(out, told++ ? ", " : "");
        if (fails)
            au_out_str(out, !strcmp(e->op, "crash")          ? "crashes"
                            : !strcmp(e->op, "ends-program") ? "then ends the program"
                                                             : "fails");
        else
            put_did(out, c, e, &object);
    }
    const char *text = keep(l, au_out_memory_data(out, &n), DID);
    au_out_abandon(out);
    return text;
}

static void put_place(au_case_lines *l, const au_dossier *d, const char *file, uint32_t line,
                      au_case_line *to) {
    const char *source = au_case_source_line(d, file, line);
    char *place = au_sprintf("%s:%" PRIu32, au_case_base_name(file), line);
    to->place = keep(l, place, PLACE);
    to->source = keep(l, source ? source : "", 256);
    to->file = au_arena_strndup(&l->arena, file, strlen(file));
    to->line = line;
    free(place);
}

static void make_line(au_case_lines *l, const maker *m, const group *g, au_case_line *to) {
    const au_case_event *e = &m->v->at[g->from];
    char who[120];
    au_case_thread(e->thread, e->called, who, sizeof who);
    to->thread = keep(l, who, 60);
    to->file = to->source = "";
    if (g->line && *g->file && !*e->label)
        put_place(l, m->d, g->file, g->line, to);
    else
        to->place = keep(l, *e->location ? au_case_base_name(e->location) : e->label, PLACE);
    if (!*to->source)
        to->source = keep(l, e->text, 256);
    to->did = did(l, m, g);
    to->decisive = g->worth >= AU_WORTH_DECISIVE;
    to->step = g->from;
}

/* ---- calls that lead there ----------------------------------------------------------------- */

static bool has_line(const au_case_lines *l, const char *thread, const char *file, uint32_t line) {
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].line == line && !strcmp(l->at[i].file, file) &&
            !strcmp(l->at[i].thread, thread))
            return true;
    return false;
}

static void insert_call(au_case_lines *l, const maker *m, size_t at, const au_case_frame *f,
                        const char *callee) {
    au_case_line made = {.thread = l->at[at].thread, .did = "", .step = l->at[at].step};
    put_place(l, m->d, f->file, f->line, &made);
    bool told = *callee && strncmp(callee, "std::", 5) && strncmp(callee, "__", 2);
    char *text = au_sprintf(told ? "calls %s" : "calls", callee);
    made.did = keep(l, text, DID);
    free(text);
    memmove(&l->at[at + 1], &l->at[at], (l->n - at) * sizeof *l->at);
    l->at[at] = made;
    l->n++;
}

/* The first line that the thread shows of the function that line 'at' is in: the call comes before it. */
static size_t first_in(const au_case_lines *l, const maker *m, size_t at) {
    const au_case_event *e = &m->v->at[l->at[at].step];
    size_t first = at;
    for (size_t i = at; i-- > 0;) {
        const au_case_event *x = &m->v->at[l->at[i].step];
        if (!strcmp(x->thread, e->thread) && strcmp(x->function, e->function))
            break;
        if (!strcmp(x->thread, e->thread))
            first = i;
    }
    return first;
}

/* Where there is room: the user's calls that lead to the decisive lines. */
static void add_calls(au_case_lines *l, const maker *m, size_t most) {
    for (size_t i = 0; i < l->n && l->n < most; i++) {
        const au_case_event *e = NULL;
        for (size_t k = 0; k < m->c->event.n && l->at[i].decisive && l->at[i].step < m->v->n; k++)
            if (!strcmp(m->c->event.at[k].thread, m->v->at[l->at[i].step].thread) &&
                m->c->event.at[k].n_callers)
                e = &m->c->event.at[k];
        for (uint32_t k = 0; e && k < e->n_callers; k++) {
            const au_case_frame *f = &e->caller[k];
            if (au_case_is_foreign(f->file) || !f->line || is_made_up(m->d, f->file, f->line))
                continue;
            if (has_line(l, l->at[i].thread, f->file, f->line))
                continue;
            insert_call(l, m, first_in(l, m, i), f, k ? e->caller[k - 1].function : e->function);
            i++;
            break;
        }
    }
}

void au_case_lines_make(au_case_lines *l, const au_dossier *d, const au_case *c, size_t most) {
    maker m = {.d = d, .c = c, .v = &c->witness, .worth = au_case_slice(d, c)};
    *l = (au_case_lines){0};
    au_arena_init(&l->arena);
    make_groups(&m);
    size_t kept = choose(&m, most);
    l->at = AU_ARENA_ARRAY(&l->arena, au_case_line, kept + c->event.n + most);
    for (size_t i = 0; i < m.g.n; i++)
        if (m.g.at[i].kept)
            make_line(l, &m, &m.g.at[i], &l->at[l->n++]);
    if (*d->program)
        add_calls(l, &m, most < LEAST + 2 ? most : LEAST + 2);
    au_vec_release(&m.g);
    free(m.worth);
}

void au_case_lines_release(au_case_lines *l) {
    au_arena_release(&l->arena);
}
