/* api/result.c: what a check found, in structs that the caller looks at. A dossier (report/case.h) holds
 * everything; the structs point into it. */
#include "api/api_priv.h"
#include "engine/forms.h"
#include "report/case.h"

#include <stdlib.h>
#include <string.h>

/* What the caller sees comes first. */
typedef struct {
    au_api_finding pub;
    const au_api_event *event, *step;
    const au_api_turn *turn;
} finding;

struct au_api_result {
    au_dossier d;
    au_api_summary summary;
    finding *finding;
    au_api_funnel *funnel;
};

/* The numbers are part of the interface. */
_Static_assert((int)AU_API_RACE == AU_KIND_RACE && (int)AU_API_ATOMICITY == AU_KIND_ATOMICITY &&
                   (int)AU_API_DEADLOCK == AU_KIND_DEADLOCK &&
                   (int)AU_API_ASSERTION == AU_KIND_ASSERTION &&
                   (int)AU_API_NONDETERMINISM == AU_KIND_NONDET &&
                   (int)AU_API_LOCK_MISUSE == AU_KIND_MISUSE &&
                   (int)AU_API_LOST_UPDATE == AU_KIND_LOST &&
                   (int)AU_API_OUTPUT == AU_KIND_OUTPUT && AU_KINDS == 8,
               "kinds of findings have other numbers");
_Static_assert((int)AU_API_CONFIRMED == AU_IS_CONFIRMED && (int)AU_API_PROVED == AU_IS_PROVED &&
                   (int)AU_API_POSSIBLE == AU_IS_POSSIBLE && (int)AU_API_REFUTED == AU_IS_REFUTED,
               "standings have other numbers");
_Static_assert(AU_API_NOT_RUN == AU_STAGE_UNKNOWN, "funnels have another unknown");

const char *au_api_kind_name(au_api_kind k) {
    return (unsigned)k < AU_KINDS ? au_kind_name((au_kind)k) : "";
}

const char *au_api_standing_name(au_api_standing s) {
    return (unsigned)s <= AU_IS_REFUTED ? au_standing_name((au_standing)s) : "";
}

const char *au_api_stage_name(size_t stage) {
    return stage < AU_STAGES ? au_stage_name((int)stage) : NULL;
}

/* ---- from a dossier ---------------------------------------------------------------------- */

static const au_api_event *events(au_api_result *r, const au_case_events *from) {
    au_api_event *to = AU_ARENA_ARRAY(&r->d.arena, au_api_event, from->n);
    for (size_t i = 0; i < from->n; i++) {
        const au_case_event *e = &from->at[i];
        to[i] = (au_api_event){.thread = e->thread,
                               .index = e->index,
                               .op = e->op,
                               .object = e->object,
                               .label = e->label,
                               .location = e->location,
                               .file = e->file,
                               .function = e->function,
                               .line = e->line,
                               .has_value = e->has_value,
                               .value = e->value,
                               .skipped = e->skipped,
                               .decisive = e->decisive};
    }
    return to;
}

static const au_api_turn *turns(au_api_result *r, const au_case *c) {
    au_api_turn *to = AU_ARENA_ARRAY(&r->d.arena, au_api_turn, c->schedule.n);
    for (size_t i = 0; i < c->schedule.n; i++)
        to[i] = (au_api_turn){c->thread.at[c->schedule.at[i].thread], c->schedule.at[i].upto,
                              au_mark_name((au_turn_mark)c->schedule.at[i].mark)};
    return to;
}

static void put_finding(au_api_result *r, const au_case *c, finding *to) {
    to->pub = (au_api_finding){.id = c->id,
                               .kind = (au_api_kind)c->kind,
                               .standing = (au_api_standing)c->standing,
                               .object = c->var,
                               .what = c->what,
                               .why = c->why,
                               .message = c->message,
                               .fingerprint = c->fingerprint,
                               .events = c->event.n,
                               .turns = c->schedule.n,
                               .steps = c->witness.n,
                               .spurious = c->spurious};
    to->event = events(r, &c->event);
    to->step = events(r, &c->witness);
    to->turn = turns(r, c);
}

static void put_all(au_api_result *r) {
    const au_dossier *d = &r->d;
    r->summary = (au_api_summary){.answer = d->at.n             ? AU_API_FOUND
                                            : d->inconclusive.n ? AU_API_UNDECIDED
                                                                : AU_API_NOTHING,
                                  .findings = d->at.n,
                                  .funnels = d->funnel.n,
                                  .inconclusive = d->inconclusive.n,
                                  .notes = d->note.n,
                                  .threads = d->threads,
                                  .events = d->events,
                                  .locks = d->locks,
                                  .vars = d->vars,
                                  .seconds = d->seconds,
                                  .peak_kib = d->peak_kib};
    r->finding = AU_ARENA_ARRAY(&r->d.arena, finding, d->at.n);
    for (size_t i = 0; i < d->at.n; i++)
        put_finding(r, &d->at.at[i], &r->finding[i]);
    r->funnel = AU_ARENA_ARRAY(&r->d.arena, au_api_funnel, d->funnel.n);
    for (size_t i = 0; i < d->funnel.n; i++)
        r->funnel[i] = (au_api_funnel){d->funnel.at[i].kind, d->funnel.at[i].unit, AU_STAGES,
                                       d->funnel.at[i].left};
}

au_api_result *au_api_result_read(const char *text, size_t n, au_error *err) {
    au_api_result *r = AU_NEW(au_api_result);
    au_dossier_init(&r->d);
    if (au_dossier_read(&r->d, text, n, "the check's answer", err) != AU_OK) {
        au_api_result_free(r);
        return NULL;
    }
    put_all(r);
    return r;
}

void au_api_result_free(au_api_result *r) {
    if (!r)
        return;
    au_dossier_release(&r->d);
    free(r);
}

/* ---- looking ----------------------------------------------------------------------------- */

const au_api_summary *au_api_result_summary(const au_api_result *r) {
    return &r->summary;
}

const au_api_finding *au_api_result_finding(const au_api_result *r, size_t i) {
    return i < r->d.at.n ? &r->finding[i].pub : NULL;
}

const au_api_event *au_api_finding_event(const au_api_finding *f, size_t i) {
    return i < f->events ? &((const finding *)f)->event[i] : NULL;
}

const au_api_event *au_api_finding_step(const au_api_finding *f, size_t i) {
    return i < f->steps ? &((const finding *)f)->step[i] : NULL;
}

const au_api_turn *au_api_finding_turn(const au_api_finding *f, size_t i) {
    return i < f->turns ? &((const finding *)f)->turn[i] : NULL;
}

const au_api_funnel *au_api_result_funnel(const au_api_result *r, size_t i) {
    return i < r->d.funnel.n ? &r->funnel[i] : NULL;
}

const char *au_api_result_inconclusive(const au_api_result *r, size_t i) {
    return i < r->d.inconclusive.n ? r->d.inconclusive.at[i] : NULL;
}

const char *au_api_result_note(const au_api_result *r, size_t i) {
    return i < r->d.note.n ? r->d.note.at[i] : NULL;
}

/* ---- reports ----------------------------------------------------------------------------- */

static bool put(const au_api_result *r, const char *format, au_out *out) {
    if (format && !strcmp(format, "text")) {
        au_dossier_text(&r->d, &(au_case_look){0}, out);
        return true;
    }
    return format && au_form_put(&r->d, format, out);
}

static au_status write_file(const au_api_result *r, const char *format, const char *path,
                            au_error *err) {
    if (!path || !strcmp(path, "-"))
        return au_error_set(err, AU_EUSAGE, "a report needs a file name");
    au_api_lock(); /* unfinished files are listed in base/out.c */
    au_out *out = au_out_open(path, err);
    au_status st = out ? AU_OK : err->status;
    if (out && !put(r, format, out)) {
        st = au_error_set(err, AU_EUSAGE, "unknown report format '%s'", format ? format : "");
        au_out_abandon(out);
    } else if (out) {
        st = au_out_commit(out, err);
    }
    au_api_unlock();
    return st;
}

au_api_status au_api_result_write(const au_api_result *r, const char *format, const char *path,
                                  char *error, size_t size) {
    au_error err = AU_ERROR_NONE;
    au_status st = write_file(r, format, path, &err);
    if (error && size) {
        size_t n = strlen(err.text) < size ? strlen(err.text) : size - 1;
        memcpy(error, err.text, n);
        error[n] = 0;
    }
    return au_api_status_of(st);
}

char *au_api_result_report(const au_api_result *r, const char *format, size_t *n) {
    au_out *out = au_out_memory();
    char *text = NULL;
    if (put(r, format, out)) {
        size_t size;
        const char *data = au_out_memory_data(out, &size);
        text = au_strndup(data, size);
        if (n)
            *n = size;
    }
    au_out_abandon(out);
    return text;
}

void au_api_free(void *p) {
    free(p);
}
