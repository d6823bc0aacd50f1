/* report/dossier.c: see dossier.h. */
#include "report/dossier_priv.h"

#include "base/clock.h"
#include "base/limits.h"
#include "program/elf.h"
#include "program/program.h"
#include "report/case_words.h"
#include "report/common.h"
#include "trace/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { LEAST_STEPS = 24 }; /* of one order; cases for which that is too much have none */

void au_dossier_maker_init(au_dossier_maker *k, au_dossier *d, const au_names *names,
                           const au_trace *t, const au_dossier_options *o) {
    *k = (au_dossier_maker){.d = d, .names = names, .t = t, .o = o};
    au_map_init(&k->function);
    au_map_init(&k->held);
}

void au_dossier_maker_release(au_dossier_maker *k) {
    au_map_release(&k->function);
    au_map_release(&k->held);
    au_vec_release(&k->function_name);
    au_vec_release(&k->held_at);
    for (int i = 0; i < AU_WIRE_SPACES; i++)
        free(k->text[i]);
    free(k->first);
    free(k->event);
}

const char *au_dossier_name(au_dossier_maker *k, uint8_t space, uint32_t id) {
    const au_intern *t = au_names_space_const(k->names, space);
    if (!t || id >= t->n)
        return "?";
    if (!k->text[space])
        k->text[space] = au_alloc_array(t->n, sizeof *k->text[space]);
    if (!k->text[space][id])
        k->text[space][id] = au_dossier_text_copy(k->d, au_intern_str(t, id));
    return k->text[space][id];
}

/* ---- events -------------------------------------------------------------------------------- */

static void place_event(au_dossier_maker *k, const au_event_ref *e, const au_event_text *t,
                        au_case_event *out) {
    char buf[32];
    size_t length;
    uint64_t line;
    if (t && t->place && *t->place) {
        out->location = au_dossier_text_copy(k->d, t->place);
    } else if (e->loc >= AU_LOC_NAMED && e->loc != AU_NONE) {
        out->location = au_dossier_name(k, AU_WIRE_SPACE_LOC, e->loc - AU_LOC_NAMED);
    } else if (e->loc != AU_NONE) {
        snprintf(buf, sizeof buf, "%u", e->loc);
        out->location = au_dossier_text_copy(k->d, buf);
    }
    if (!au_report_split_loc(out->location, &length, &line))
        return;
    out->function = au_dossier_function(k, out->location);
    if (line <= UINT32_MAX) {
        out->file = au_arena_strndup(&k->d->arena, out->location, length);
        out->line = (uint32_t)line;
    }
}

/* A free writes all cells of the block, and no value. */
static bool is_free(const au_dossier_maker *k, const au_event_ref *e) {
    if (!k->freed || !k->t || e->op != AU_OP_WRITE || e->number >= k->t->events.n)
        return false;
    const au_columns *c = &k->t->events;
    bool value = c->any_value && (c->all_value || c->has_value[e->number]);
    return !value && au_map_find(k->freed, au_key2(c->loc[e->number], c->obj[e->number]));
}

au_case_event au_dossier_event(au_dossier_maker *k, const au_event_ref *e, const au_event_text *t) {
    au_case_event out = au_case_event_none();
    out.thread = au_dossier_name(k, AU_WIRE_SPACE_THREAD, e->thread);
    out.called = au_dossier_text_copy(k->d, au_names_called(k->names, e->thread));
    out.index = e->index;
    out.op = t && *t->op ? au_dossier_text_copy(k->d, t->op) : au_report_op(e->op);
    if (t && *t->label)
        out.label = au_dossier_text_copy(k->d, t->label);
    if (e->obj != AU_NONE)
        out.object = au_dossier_name(k, au_op_space(e->op), e->obj);
    if (e->number != AU_NONE64)
        out.number = e->number + 1;
    place_event(k, e, t, &out);
    out.frees = is_free(k, e);
    return out;
}

/* ---- findings ------------------------------------------------------------------------------ */

static const char *message_of(au_dossier_maker *k, const au_finding *f) {
    au_out *out = au_out_memory();
    size_t n;
    au_finding_message(k->names, f, out);
    const char *text = au_out_memory_data(out, &n);
    text = au_arena_strndup(&k->d->arena, text, n);
    au_out_abandon(out);
    return text;
}

/* What was read or written there, if the schedule's values are known. */
static void put_seen(const au_finding *f, const au_event_ref *e, au_case_event *to) {
    for (uint32_t i = f->n_seen; i-- > 0 && !to->has_value;)
        if (f->seen[i].thread == e->thread && f->seen[i].index == e->index &&
            f->seen[i].var == e->obj) {
            to->has_value = true;
            to->value = f->seen[i].value;
        }
}

/* Where to ask for the locks that are held; a deadlock of the run itself is at its end. */
static uint64_t held_at(const au_finding *f, uint32_t i) {
    bool end = f->event[i].number == AU_NONE64 && f->kind == AU_KIND_DEADLOCK;
    return end ? AU_HELD_AT_END(f->event[i].thread) : f->event[i].number;
}

/* Is the schedule of this one paid for by the budget of all schedules of races? */
static bool is_afforded(au_dossier_maker *k, const au_finding *f) {
    uint64_t reach = f->event[f->n_events - 1].number;
    if (f->kind != AU_KIND_RACE || reach >= AU_LIMIT_RACE_BUDGET - k->cut_events)
        return false;
    k->cut_events += reach + 1;
    return true;
}

/* A schedule that was not written out before, as long as there is room for its turns. */
static void put_cut(au_dossier_maker *k, const au_finding *f, au_case *c, au_intern *threads) {
    au_cut_walk walk;
    au_turn t;
    uint64_t most = au_limit_value(AU_AT_REPORT_TURNS);
    uint64_t free = is_afforded(k, f) ? AU_LIMIT_RACE_TURNS : 0;
    uint64_t room = k->cut_turns < most ? most - k->cut_turns : 0;
    room = room > free ? room : free;
    au_cut_begin(&walk, f->cut, &k->t->events);
    while (c->schedule.n <= room && au_cut_turn(&walk, &t))
        au_case_add_turn(k->d, c, threads, au_report_name(k->names, AU_WIRE_SPACE_THREAD, t.thread),
                         t.upto, AU_MARK_NONE);
    au_cut_end(&walk);
    if (c->schedule.n > room) {
        au_vec_clear(&c->schedule);
        au_vec_clear(&c->thread);
        if (f->standing == AU_IS_PROVED)
            c->why = au_dossier_text_copy(k->d, au_why_text(AU_WHY_READ_LONG));
    }
    if (c->schedule.n > free)
        k->cut_turns += c->schedule.n;
}

static void put_schedule(au_dossier_maker *k, const au_finding *f, au_case *c) {
    au_intern threads;
    au_intern_init(&threads);
    if (f->cut && !f->schedule.n && k->t)
        put_cut(k, f, c, &threads);
    for (uint32_t i = 0; i < f->schedule.n; i++) {
        const au_turn *t = &f->schedule.turn[i];
        au_case_add_turn(k->d, c, &threads,
                         au_report_name(k->names, AU_WIRE_SPACE_THREAD, t->thread), t->upto,
                         (au_turn_mark)t->mark);
    }
    au_intern_release(&threads);
}

/* What it is beyond an order of its events. */
static void put_execution(au_dossier_maker *k, const au_finding *f, au_case *c) {
    c->memory = au_dossier_text_copy(k->d, f->memory);
    c->remedy = au_dossier_text_copy(k->d, f->remedy);
    c->x86 = f->x86;
    for (uint32_t i = 0; i < f->n_sees; i++) {
        const au_sees *s = &f->sees[i];
        au_case_sees to = {.thread = au_dossier_name(k, AU_WIRE_SPACE_THREAD, s->thread),
                           .var = au_dossier_name(k, AU_WIRE_SPACE_VAR, s->var),
                           .by = "",
                           .index = s->index,
                           .by_index = s->by_index};
        if (s->by_index)
            to.by = au_dossier_name(k, AU_WIRE_SPACE_THREAD, s->by);
        au_vec_push(&c->sees, to);
    }
    for (uint32_t i = 0; i < f->n_wrote; i++)
        au_vec_push(&c->wrote,
                    ((au_case_wrote){au_dossier_name(k, AU_WIRE_SPACE_THREAD, f->wrote[i].thread),
                                     au_dossier_name(k, AU_WIRE_SPACE_VAR, f->wrote[i].var),
                                     f->wrote[i].index}));
}

static void add_case(au_dossier_maker *k, const au_finding *f, bool shown) {
    au_case *c = au_dossier_add(k->d, f->kind);
    c->standing = f->standing;
    if (f->obj != AU_NONE)
        c->var = au_dossier_name(
            k, au_case_is_about_lock(c) ? AU_WIRE_SPACE_LOCK : AU_WIRE_SPACE_VAR, f->obj);
    c->what = au_dossier_text_copy(k->d, f->detail);
    c->why = au_dossier_text_copy(k->d, au_finding_why(f));
    c->message = message_of(k, f);
    c->spurious = f->spurious;
    for (uint32_t i = 0; i < f->n_events; i++) {
        au_case_event e = au_dossier_event(k, &f->event[i], f->text ? &f->text[i] : NULL);
        if (f->until && f->until[i] > e.index)
            e.until = f->until[i];
        e.decisive = i + 1;
        if (shown)
            au_dossier_put_held(k, held_at(f, i), &e);
        put_seen(f, &f->event[i], &e);
        au_vec_push(&c->event, e);
    }
    if (shown)
        put_schedule(k, f, c);
    for (uint32_t i = 0; i < f->n_seen; i++) {
        const au_access_seen *a = &f->seen[i];
        au_vec_push(&c->value, ((au_case_value){au_dossier_name(k, AU_WIRE_SPACE_THREAD, a->thread),
                                                au_dossier_name(k, AU_WIRE_SPACE_VAR, a->var),
                                                a->index, a->value, a->write}));
    }
    put_execution(k, f, c);
}

/* Is it one of those that are shown? 'of_kind' counts them, from 0. */
static bool is_shown(const au_dossier_maker *k, const au_finding *f, size_t of_kind[AU_KINDS]) {
    return of_kind[f->kind]++ < k->o->most || !k->o->most;
}

static void find_all_held(au_dossier_maker *k, const au_findings *all) {
    AU_VEC(uint64_t) number = {0};
    size_t of_kind[AU_KINDS] = {0};
    for (size_t i = 0; i < all->finding.n; i++) {
        bool shown = is_shown(k, &all->finding.at[i], of_kind);
        for (uint32_t e = 0; e < all->finding.at[i].n_events && shown; e++)
            au_vec_push(&number, held_at(&all->finding.at[i], e));
    }
    au_dossier_find_held(k, number.at, number.n);
    au_vec_release(&number);
}

/* ---- the head ------------------------------------------------------------------------------ */

static void put_head(au_dossier_maker *k, const au_check_outcome *c) {
    au_dossier *d = k->d;
    for (size_t i = 0; i < k->o->n_inputs; i++)
        au_vec_push(&d->input, au_dossier_text_copy(d, k->o->input[i]));
    d->seconds = k->o->seconds;
    d->peak_kib = au_peak_kib();
    d->threads = k->names->thread.n;
    d->locks = c->locks;
    d->vars = k->names->var.n;
    d->events = c->events;
    d->has_nondet = c->has_nondet;
    d->nondet = c->nondet;
    for (int i = 0; i < AU_KINDS; i++) {
        if (!c->looked_for[i])
            continue;
        au_case_funnel f = {.kind = au_kind_prop_name((au_kind)i),
                            .unit = au_dossier_text_copy(d, c->funnel[i].unit)};
        memcpy(f.left, c->funnel[i].left, sizeof f.left);
        au_vec_push(&d->funnel, f);
    }
    for (size_t i = 0; i < c->inconclusive.n; i++)
        au_vec_push(&d->inconclusive, au_dossier_text_copy(d, c->inconclusive.at[i]));
    for (size_t i = 0; i < c->note.n; i++)
        au_vec_push(&d->note, au_dossier_text_copy(d, c->note.at[i]));
}

static const char *meta_of(void *ctx, const char *key) {
    return au_reader_meta(ctx, key);
}

/* The files that the compiler read for this program or library. What a recording says of itself is not asked. */
static void add_compiled(au_dossier *d, const char *path) {
    au_elf e;
    struct au_embed head;
    const unsigned char *record;
    const char *last = "";
    if (au_elf_open(&e, path, NULL) != AU_OK)
        return;
    for (size_t at = 0; (record = au_elf_record(&e, AU_EMBED_TABLES, &at, &head));) {
        au_tables *t = au_tables_read(record, head.total, NULL);
        for (uint32_t i = 0; t && i < t->head.n_sites; i++) {
            const char *file = au_tables_text(t, t->site[i].file);
            if (*file && strcmp(file, last))
                au_vec_push(&d->compiled, last = au_dossier_text_copy(d, file));
        }
        if (t)
            au_tables_free(t);
    }
    au_elf_close(&e);
}

static void put_program(au_dossier *d, const au_dossier_subject *c) {
    au_program p;
    struct stat st;
    struct tm tm;
    char when[32];
    if (!c->facts)
        return;
    d->events = c->facts->hooks;
    if (au_program_get(&p, meta_of, c->reader, NULL) == AU_OK) {
        d->program = au_dossier_text_copy(d, p.exe);
        d->cwd = au_dossier_text_copy(d, p.cwd);
        for (char **a = p.argv + 1; *a; a++)
            au_vec_push(&d->arg, au_dossier_text_copy(d, *a));
        d->recorded = true;
        add_compiled(d, p.exe);
        for (char **l = p.libraries; l && *l; l++)
            add_compiled(d, au_library_path(*l));
        au_program_release(&p);
    }
    /* A recording has no date in it: two of the same run are the same bytes. */
    if (!stat(c->path, &st) && gmtime_r(&st.st_mtime, &tm) &&
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm))
        d->when = au_dossier_text_copy(d, when);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void add_cases(au_dossier_maker *k, const au_findings *all) {
    size_t of_kind[AU_KINDS] = {0};
    for (size_t i = 0; i < all->finding.n; i++)
        add_case(k, &all->finding.at[i], is_shown(k, &all->finding.at[i], of_kind));
    au_dossier_number(k->d);
}

static void add_limit(au_dossier *d, au_limit l, uint64_t n) {
    char text[AU_LIMIT_TEXT];
    au_vec_push(&d->note, au_dossier_text_copy(d, au_limit_say(l, n, 0, text)));
}

static void add_orders(au_dossier_maker *k, const au_findings *all) {
    size_t left = AU_LIMIT_ORDERS_STEPS, n = all->finding.n;
    for (size_t i = 0; i < n && k->o->steps; i++) {
        size_t steps = left / (2 * (n - i));
        steps = steps < LEAST_STEPS ? LEAST_STEPS : steps > k->o->steps ? k->o->steps : steps;
        if (left < 2 * steps) {
            add_limit(k->d, AU_AT_ORDERS_STEPS, n - i);
            break;
        }
        if (k->view)
            au_dossier_model_orders(k, &all->finding.at[i], &k->d->at.at[i], steps);
        else
            au_dossier_orders(k, &all->finding.at[i], &k->d->at.at[i], steps);
        left -= k->d->at.at[i].witness.n + k->d->at.at[i].observed.n;
    }
    uint64_t lost = au_limit_taken(AU_AT_ORDER_SEARCHED);
    if (lost)
        add_limit(k->d, AU_AT_ORDER_SEARCHED, lost);
}

static void mark(au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++)
        au_case_mark(d, &d->at.at[i]);
}

/* The directory that a file is in; the caller frees it. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? au_strndup(path, (size_t)(slash - path) + 1) : au_strdup(".");
}

void au_dossier_find_sources(au_dossier *d) {
    bool recorded = *d->program;
    char *beside = directory_of(d->input.n ? d->input.at[0] : "");
    char *program = directory_of(d->program), *above = au_sprintf("%s..", program);
    /* Files are named as the compiler found them: in the directory of the program, often, or above 'build'. */
    const char *dir[] = {recorded ? "" : NULL,      recorded ? d->cwd : NULL, beside, ".",
                         recorded ? program : NULL, recorded ? above : NULL};
    au_dossier_sources(d, dir, sizeof dir / sizeof *dir);
    free(beside);
    free(program);
    free(above);
}

void au_dossier_of_check(au_dossier *d, const au_dossier_subject *c, const au_dossier_options *o) {
    au_dossier_maker k;
    au_dossier_maker_init(&k, d, c->names, c->trace, o);
    k.freed = c->facts ? &c->facts->freed : NULL;
    put_head(&k, c->outcome);
    put_program(d, c);
    if (c->reader)
        au_dossier_sites(&k, c->reader);
    find_all_held(&k, &c->outcome->findings);
    add_cases(&k, &c->outcome->findings);
    if (c->trace)
        add_orders(&k, &c->outcome->findings);
    if (c->facts)
        for (size_t i = 0; i < d->at.n; i++)
            d->at.at[i].recording = au_dossier_text_copy(d, c->path);
    if (o->sources)
        au_dossier_find_sources(d);
    mark(d);
    au_dossier_maker_release(&k);
}

void au_dossier_of_model(au_dossier *d, const au_check_outcome *c, const au_model_view *view,
                         const au_dossier_options *o) {
    au_dossier_maker k;
    au_dossier_maker_init(&k, d, &view->names, NULL, o);
    k.view = view;
    put_head(&k, c);
    add_cases(&k, &c->findings);
    add_orders(&k, &c->findings);
    if (o->sources) {
        const char *dir[] = {"", "."};
        au_dossier_sources(d, dir, sizeof dir / sizeof *dir);
    }
    mark(d);
    au_dossier_maker_release(&k);
}
