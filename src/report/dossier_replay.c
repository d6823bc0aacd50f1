/* report/dossier_replay.c: a finding was executed on the program; the recording of that is its
 * witness. */
#include "report/dossier_priv.h"

#include "report/case_words.h"

#include <stdlib.h>

static uint32_t id_of(const au_intern *t, const char *name) {
    return au_intern_find(t, name, strlen(name));
}

/* The decisive events of the case in this run. */
static void find_events(au_dossier_maker *k, const au_case *c, au_finding *f) {
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        au_event_ref *to = &f->event[i];
        uint32_t thread = id_of(&k->names->thread, e->thread);
        uint32_t obj =
            id_of(au_case_is_about_lock(c) ? &k->names->lock : &k->names->var, e->object);
        *to = (au_event_ref){.number = AU_NONE64, .index = e->index, .obj = obj};
        if (thread == AU_NONE || c->kind == AU_KIND_ASSERTION)
            continue;
        to->thread = (uint16_t)thread;
        if (au_dossier_find_event(k, thread, e->index, obj, &to->number))
            to->op = k->t->events.op[to->number];
    }
}

/* Where the locks of an event are held; what a deadlock waits at was never executed. */
static uint64_t held_at(const au_finding *f, uint32_t i) {
    bool waits = f->kind == AU_KIND_DEADLOCK && f->event[i].number == AU_NONE64;
    return waits ? AU_HELD_AT_END(f->event[i].thread) : f->event[i].number;
}

/* What the decisive events did, now that it is known. */
static void tell_decisive(au_dossier_maker *k, const au_finding *f, au_case *c) {
    for (size_t i = 0; i < c->witness.n; i++) {
        const au_case_event *w = &c->witness.at[i];
        if (!w->decisive || !w->has_value)
            continue;
        c->event.at[w->decisive - 1].has_value = true;
        c->event.at[w->decisive - 1].value = w->value;
    }
    for (uint32_t i = 0; i < f->n_events; i++)
        au_dossier_put_held(k, held_at(f, i), &c->event.at[i]);
}

static void replace_witness(au_dossier_maker *k, au_case *c, size_t steps) {
    au_findings one;
    AU_VEC(uint64_t) number = {0};
    au_findings_init(&one);
    au_finding *f = au_findings_add(&one, c->kind, (uint32_t)c->event.n);
    find_events(k, c, f);
    for (uint32_t i = 0; i < f->n_events; i++)
        if (held_at(f, i) != AU_NONE64)
            au_vec_push(&number, held_at(f, i));
    au_dossier_find_held(k, number.at, number.n);
    au_vec_clear(&c->witness);
    c->witness_cut = 0;
    c->witness_left_out = 0;
    au_dossier_what_happened(k, f, c, steps);
    tell_decisive(k, f, c);
    au_vec_release(&number);
    au_findings_release(&one);
}

au_status au_dossier_of_replay(au_dossier *d, au_case *c, const char *recording,
                               const au_dossier_options *o, au_error *err) {
    au_read_options how = {.fold = true, .partial = true, .thin = true, .late = AU_LATE_FAIL};
    au_reader *r = au_reader_open(recording, &how, err);
    au_trace *t = r ? au_trace_load_from(r, err) : NULL;
    if (t && t->events.n < UINT32_MAX) {
        au_dossier_maker k;
        au_dossier_maker_init(&k, d, &t->names, t, o);
        k.freed = au_reader_facts(r) ? &au_reader_facts(r)->freed : NULL;
        au_dossier_sites(&k, r);
        replace_witness(&k, c, o->steps);
        au_dossier_maker_release(&k);
    }
    au_status st = t ? AU_OK : err ? err->status : AU_EFORMAT;
    au_trace_free(t);
    au_reader_free(r);
    return st;
}
