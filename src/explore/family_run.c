/* explore/family_run.c: a recording as a model that can stand beside others. */
#include "explore/family_priv.h"

#include "trace/recording.h"
#include "wire/stream.h"

#include <inttypes.h>

/* ---- loading ---------------------------------------------------------------------------------- */

static au_status load_trace(au_family *f, const char *path, au_family_run *r, au_error *err) {
    au_read_options how = {.fold = false, .limit = f->o.most_events};
    au_reader *reader = au_reader_open(path, &how, err);
    if (!reader)
        return err->status;
    r->t = au_trace_load_from(reader, err);
    au_status st = r->t ? AU_OK : err->status;
    if (!st && !au_reader_facts(reader))
        st = au_error_set(err, AU_EUNSUPPORTED, "'%s' is not a recording of 'augur record'", path);
    if (!st && f->o.most_events && r->t->events.n > f->o.most_events)
        st = au_error_set(err, AU_EUNSUPPORTED, "'%s' has %zu events, more than %" PRIu64, path,
                          r->t->events.n, f->o.most_events);
    if (!st && !f->codes) {
        char *note = NULL;
        f->codes = au_codes_open(reader, &note, err);
        st = f->codes ? AU_OK : err->status;
        if (note)
            au_family_note_gap(f, "%s", note);
        free(note);
    }
    au_reader_free(reader);
    return st;
}

static au_status retrace(au_family *f, const char *path, au_family_run *r, au_error *err) {
    au_bitset open = {0};
    /* What a free leaves behind is only known at the end of a run: no step of a common way. */
    au_retrace_options o = {.read = {.fold = false, .limit = f->o.most_events},
                            .checks = f->o.checks & ~(unsigned)AU_CHECK_UAF,
                            .split = 0};
    au_open_variables(r->t, &open);
    au_symbolic_init(&r->s, r->t);
    r->has_s = true;
    au_status st = au_retrace(path, f->codes, &o, &open, &r->s, &r->facts, err);
    au_bitset_release(&open);
    if (!st && r->facts.mismatch)
        st = au_error_set(err, AU_EINTERNAL, "a bug of augur: '%s' could not be followed: %s", path,
                          r->facts.what);
    return st;
}

/* ---- what its steps are -------------------------------------------------------------------------- */

static au_status name_threads(au_family_run *r, const char *path, au_error *err) {
    const au_trace *t = r->t;
    size_t n = t->names.thread.n;
    char **name = au_alloc_array(n, sizeof *name);
    uint32_t *made = au_alloc_array(n, sizeof *made);
    uint32_t first = au_intern_find(&t->names.thread, "T0", 2);
    au_status st = AU_OK;
    if (first != AU_NO_ID)
        name[first] = au_strdup("T0");
    for (size_t e = 0; e < t->events.n; e++) {
        if (t->events.op[e] != AU_OP_FORK)
            continue;
        uint32_t who = t->events.thread[e], child = t->events.obj[e];
        if (name[who] && !name[child])
            name[child] = au_sprintf("%s.%u", name[who], ++made[who]);
    }
    r->thread = au_alloc_array(r->m->thread.n, sizeof *r->thread);
    for (uint32_t i = 0; i < r->m->thread.n && !st; i++) {
        const char *of = r->m->thread.at[i].name;
        uint32_t id = au_intern_find(&t->names.thread, of, strlen(of));
        if (id == AU_NO_ID || !name[id])
            st = au_error_set(err, AU_EUNSUPPORTED, "'%s': nobody is seen to make thread '%s'",
                              path, of);
        else
            r->thread[i] = au_strdup(name[id]);
    }
    for (size_t i = 0; i < n; i++)
        free(name[i]);
    free(name);
    free(made);
    return st;
}

static void place_of_step(const au_family_run *r, uint32_t step, au_run_step *x) {
    const au_step *s = &r->m->step.at[step];
    x->line = s->line;
    x->file = s->loc == AU_NONE ? "" : au_intern_str(&r->m->strings, s->loc);
    x->text = "";
}

static void describe_event(const au_family_run *r, size_t e, uint64_t index, au_run_step *x) {
    const au_columns *c = &r->t->events;
    bool value = c->any_value && c->has_value[e] && c->value[e];
    x->hooks = au_hooks_step_end(&r->t->hooks, c->thread[e], index);
    switch (c->op[e]) {
    case AU_OP_ACQ:
    case AU_OP_DOWN:
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
        x->tries = value;
        break;
    default:
        break;
    }
}

static void describe_steps(au_family_run *r) {
    const au_trace *t = r->t;
    const au_model *m = r->m;
    r->step = au_alloc_array(m->step.n, sizeof *r->step);
    r->ended = au_alloc_array(m->thread.n, sizeof *r->ended);
    r->length = au_alloc_array(m->thread.n, sizeof *r->length);
    uint64_t *index = au_alloc_array(t->names.thread.n, sizeof *index);
    uint64_t *of_event = au_alloc_array(t->events.n, sizeof *of_event);
    uint8_t *last = au_alloc_array(t->names.thread.n, 1);
    for (uint32_t i = 0; i < m->step.n; i++)
        place_of_step(r, i, &r->step[i]);
    for (size_t e = 0; e < t->events.n; e++) {
        uint32_t s = au_symbolic_step(&r->map, e);
        of_event[e] = ++index[t->events.thread[e]];
        last[t->events.thread[e]] = t->events.op[e];
        if (s != AU_NONE)
            describe_event(r, e, of_event[e], &r->step[s]);
    }
    for (size_t i = 0; i < r->s.fact.n; i++) {
        const au_fact *f = &r->s.fact.at[i];
        uint32_t s = au_symbolic_fact(&r->map, i);
        if (s == AU_NONE || m->step.at[s].n_accesses)
            continue;
        au_run_step *x = &r->step[s];
        if (f->after != AU_NONE)
            x->hooks = au_hooks_step_end(&t->hooks, f->thread, of_event[f->after]);
        x->site = f->site;
        x->side = f->side;
        x->goal = f->kind == AU_FACT_PIN      ? AU_GOAL_VALUE
                  : f->kind == AU_FACT_ASSUME ? AU_GOAL_BRANCH
                                              : AU_GOAL_ASSERT;
        x->text = au_intern_str(&r->s.strings, f->text);
        x->file = au_intern_str(&r->s.strings, f->file);
        x->line = f->line;
    }
    /* What a read asks of what follows: right behind it. */
    for (uint32_t i = 1; i < m->step.n; i++)
        if (m->step.at[i].kind == AU_STEP_ASSUME && !r->step[i].hooks && !r->step[i].site &&
            m->step.at[i - 1].n_accesses && m->step.at[i - 1].dst == m->step.at[i].src &&
            m->step.at[i - 1].thread == m->step.at[i].thread) {
            r->step[i] = r->step[i - 1];
            r->step[i].tries = false;
            r->step[i].goal = AU_GOAL_VALUE;
            r->step[i].text = "a read";
            r->step[i].site = au_hash_join(au_hash_bytes(r->step[i].file, strlen(r->step[i].file)),
                                           r->step[i].line);
        }
    for (uint32_t i = 0; i < m->thread.n; i++) {
        const char *of = m->thread.at[i].name;
        uint32_t id = au_intern_find(&t->names.thread, of, strlen(of));
        bool ender = r->facts.ended && r->facts.end_thread == strtoul(of + 1, NULL, 10) &&
                     (r->facts.end == AU_END_EXIT || r->facts.end == AU_END_SIGNAL ||
                      r->facts.end == AU_END_ASSERT);
        r->ended[i] = ender || last[id] == AU_OP_EXIT;
        r->length[i] = index[id] ? au_hooks_after(&t->hooks, (uint16_t)id, index[id], false) : 0;
    }
    free(index);
    free(of_event);
    free(last);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

au_status au_family_run_load(au_family *f, const char *path, au_family_run *r, au_error *err) {
    *r = (au_family_run){0};
    au_status st = load_trace(f, path, r, err);
    if (!st)
        st = retrace(f, path, r, err);
    if (st)
        return st;
    au_plan_among among = {.fresh = true};
    au_symbolic_plan *p = au_symbolic_plan_among(&r->s, &among, err);
    if (p)
        r->m = au_model_from_plan(p, NULL, &r->map, err);
    au_symbolic_plan_free(p);
    if (!r->m)
        return err->status;
    st = au_symbolic_check(&r->s, r->m, &r->map, err);
    if (!st)
        st = name_threads(r, path, err);
    if (!st)
        describe_steps(r);
    if (!st && r->s.none)
        au_family_note_gap(f, "'%s' was not followed to its end: %s", path, r->s.none);
    if (!st && r->facts.unknown_events)
        au_family_note_gap(f, "%" PRIu64 " events of '%s' are of code without bitcode",
                           r->facts.unknown_events, path);
    return st;
}

void au_family_run_release(au_family_run *r) {
    if (r->thread)
        for (size_t i = 0; i < r->m->thread.n; i++)
            free(r->thread[i]);
    free(r->thread);
    free(r->step);
    free(r->ended);
    free(r->length);
    au_symbolic_map_release(&r->map);
    au_model_free(r->m);
    if (r->has_s)
        au_symbolic_release(&r->s);
    au_trace_free(r->t);
}
