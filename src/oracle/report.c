/* oracle/report.c: the oracle's answer as JSON (docs/oracle.md) and as text. */
#include "oracle/oracle.h"

#include "base/clock.h"
#include "base/json.h"
#include "trace/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const memory_name[] = {"sc", "tso", "rc11"};
static const char *const semantics_name[] = {"ctp", "mcm", "cam", "locks"};
static const au_kind kind_of[] = {AU_KIND_ASSERTION, AU_KIND_RACE,   AU_KIND_ATOMICITY,
                                  AU_KIND_DEADLOCK,  AU_KIND_MISUSE, AU_KIND_LOST};
static const char kind_letter[] = {'A', 'R', 'V', 'D', 'L', 'U'};
static const char *const rest_name[] = {"done", "stopped", "waiting", "not started"};

static const char *op_name(const au_step *s, uint32_t var) {
    bool reads = false, writes = false;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (var == AU_NONE || s->access[i].var == var) {
            reads |= !s->access[i].write;
            writes |= s->access[i].write;
        }
    if (s->kind == AU_STEP_ASSERT)
        return "assert";
    return reads && writes ? "update"
           : writes        ? "write"
           : reads         ? "read"
                           : au_step_kind_name(s->kind);
}

/* "t12", or "line 7" where there is no label. */
static const char *place(const au_model *m, const au_step *s, char *buf, size_t size) {
    const char *label = au_step_label(m, s);
    if (*label)
        snprintf(buf, size, "%s", label);
    else
        snprintf(buf, size, "line %u", s->line);
    return buf;
}

static const char *thing(const au_model *m, const au_step *s) {
    if (s->obj == AU_NONE)
        return "";
    bool thread = s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN;
    return thread ? m->thread.at[s->obj].name : m->obj.at[s->obj].name;
}

/* A race is not after itself. */
static bool comes_after_race(au_found kind, const au_oracle_execution *x) {
    return x && x->raced && kind != AU_FOUND_RACE;
}

static void message(const au_model *m, const au_oracle_finding *f, au_out *o) {
    char b[3][96];
    const au_step *s[3] = {0};
    for (uint32_t i = 0; i < f->n_events && i < 3; i++) {
        s[i] = &m->step.at[f->event[i].step];
        place(m, s[i], b[i], sizeof b[i]);
    }
    switch (f->kind) {
    case AU_FOUND_ASSERT:
        au_out_printf(o, "assertion %s of %s fails", b[0], m->thread.at[s[0]->thread].name);
        break;
    case AU_FOUND_RACE:
        au_out_printf(o, "race on '%s': %s %s with %s %s", m->var.at[f->var].name,
                      m->thread.at[s[0]->thread].name, b[0], m->thread.at[s[1]->thread].name, b[1]);
        break;
    case AU_FOUND_ATOMICITY:
        au_out_printf(o, "%s %s comes between %s and %s of %s (%s on '%s')",
                      m->thread.at[s[1]->thread].name, b[1], b[0], b[2],
                      m->thread.at[s[0]->thread].name, f->detail, m->var.at[f->var].name);
        break;
    case AU_FOUND_DEADLOCK:
        au_out_str(o, "deadlock:");
        for (uint32_t i = 0; i < f->n_events; i++) {
            const au_step *w = &m->step.at[f->event[i].step];
            au_out_printf(o, "%s %s waits at %s", i ? "," : "", m->thread.at[w->thread].name,
                          place(m, w, b[0], sizeof b[0]));
            if (*thing(m, w))
                au_out_printf(o, " (%s %s)", op_name(w, AU_NONE), thing(m, w));
        }
        break;
    case AU_FOUND_MISUSE:
        au_out_printf(o, "'%s': %s by %s at %s", m->obj.at[f->obj].name, f->detail,
                      m->thread.at[s[0]->thread].name, b[0]);
        break;
    case AU_FOUND_LOST:
        au_out_printf(
            o, "update of '%s' is lost: %s of %s overwrites %s of %s with what it read at %s",
            m->var.at[f->var].name, b[2], m->thread.at[s[0]->thread].name, b[1],
            m->thread.at[s[1]->thread].name, b[0]);
        break;
    }
    if (f->spurious)
        au_out_str(o, " (needs a wake-up without a signal)");
    if (comes_after_race(f->kind, f->execution))
        au_out_str(o, " (after a race: C11 allows anything there)");
}

/* --- JSON ------------------------------------------------------------------------ */

static void put_schedule(const au_model *m, au_json *j, const au_oracle_turn *t, uint32_t n) {
    au_json_key(j, "schedule");
    au_json_array_inline(j);
    for (uint32_t i = 0; i < n; i++) {
        au_json_array(j);
        au_json_string(j, m->thread.at[t[i].thread].name);
        au_json_u64(j, t[i].upto);
        au_json_end_array(j);
    }
    au_json_end_array(j);
}

static void put_event(const au_model *m, au_json *j, const char *key, au_oracle_event e) {
    au_json_key(j, key);
    if (e.step == AU_NONE) {
        au_json_string(j, "initial");
        return;
    }
    au_json_array_inline(j);
    au_json_string(j, m->thread.at[m->step.at[e.step].thread].name);
    au_json_u64(j, e.index);
    au_json_end_array(j);
}

/* What each read of an execution sees, and the writes of each variable in their order. */
static void put_execution(const au_model *m, au_json *j, const au_oracle_execution *x) {
    if (!x)
        return;
    au_json_key(j, "execution");
    au_json_object(j);
    au_json_key(j, "reads");
    au_json_array(j);
    for (uint32_t i = 0; i < x->n_reads; i++) {
        au_json_object_inline(j);
        put_event(m, j, "read", x->read[i].read);
        au_json_put_string(j, "var", m->var.at[x->read[i].var].name);
        put_event(m, j, "sees", x->read[i].writer);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_key(j, "writes");
    au_json_array(j);
    for (uint32_t i = 0; i < x->n_writes; i++) {
        au_json_object_inline(j);
        au_json_put_string(j, "var", m->var.at[x->write[i].var].name);
        put_event(m, j, "write", x->write[i].event);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_end_object(j);
}

static void event_fields(const au_model *m, au_json *j, const au_step *s, uint32_t var) {
    au_json_put_string(j, "thread", m->thread.at[s->thread].name);
    au_json_put_string(j, "op", op_name(s, var));
    if (*au_step_label(m, s))
        au_json_put_string(j, "label", au_step_label(m, s));
    if (*thing(m, s))
        au_json_put_string(j, "object", thing(m, s));
    au_json_put_string(j, "file", s->loc == AU_NONE ? m->file : au_intern_str(&m->strings, s->loc));
    au_json_put_u64(j, "line", s->line);
}

/* Where values or synchronisation are ignored, what is seen need not happen; nor need it after a race. */
static const char *status_name(const au_oracle_options *o, bool after_race) {
    return after_race                                                 ? "possible"
           : o->semantics == AU_SEM_CTP || o->semantics == AU_SEM_MCM ? "proved"
                                                                      : "possible";
}

static void put_finding(const au_model *m, const au_oracle_options *o, au_json *j,
                        const au_oracle_finding *f, unsigned number) {
    char id[16];
    snprintf(id, sizeof id, "%c%u", kind_letter[f->kind], number);
    au_json_object(j);
    au_json_put_string(j, "id", id);
    au_json_put_string(j, "kind", au_kind_name(kind_of[f->kind]));
    au_json_put_string(j, "status", status_name(o, comes_after_race(f->kind, f->execution)));
    if (f->var != AU_NONE)
        au_json_put_string(j, "var", m->var.at[f->var].name);
    if (f->obj != AU_NONE)
        au_json_put_string(j, "object", m->obj.at[f->obj].name);
    if (*f->detail)
        au_json_put_string(j, f->kind == AU_FOUND_ATOMICITY ? "pattern" : "what", f->detail);
    au_json_key(j, "events");
    au_json_array(j);
    for (uint32_t i = 0; i < f->n_events; i++) {
        const au_step *s = &m->step.at[f->event[i].step];
        au_json_object_inline(j);
        event_fields(m, j, s, f->var);
        au_json_put_u64(j, "index", f->event[i].index);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    put_schedule(m, j, f->turn, f->n_turns);
    put_execution(m, j, f->execution);
    if (f->spurious)
        au_json_put_bool(j, "spurious_wakeup", true);
    if (comes_after_race(f->kind, f->execution))
        au_json_put_bool(j, "after_race", true);
    au_out *text = au_out_memory();
    message(m, f, text);
    au_json_put_string(j, "message", au_out_memory_data(text, NULL));
    au_out_abandon(text);
    au_json_end_object(j);
}

static void put_event_or(const au_model *m, au_json *j, const char *key, uint32_t step,
                         const char *otherwise, uint32_t var) {
    au_json_key(j, key);
    if (step == AU_NONE) {
        au_json_string(j, otherwise);
        return;
    }
    au_json_object_inline(j);
    event_fields(m, j, &m->step.at[step], var);
    au_json_end_object(j);
}

static void put_read(const au_model *m, au_json *j, const au_read_from *rf) {
    au_json_object(j);
    au_json_put_string(j, "var", m->var.at[rf->var].name);
    put_event_or(m, j, "read", rf->read, "final", rf->var);
    put_event_or(m, j, "writer", rf->writer, "initial", rf->var);
    au_json_put_bool(j, "observed", rf->observed);
    put_schedule(m, j, rf->turn, rf->n_turns);
    put_execution(m, j, rf->execution);
    if (rf->execution && rf->execution->raced)
        au_json_put_bool(j, "after_race", true);
    if (rf->spurious)
        au_json_put_bool(j, "spurious_wakeup", true);
    au_json_end_object(j);
}

/* A read that can see another write, in the common form of a finding. */
static void put_nondet(const au_model *m, const au_oracle_options *o, au_json *j,
                       const au_read_from *rf, unsigned number) {
    char id[16], a[96], b[96];
    bool raced = rf->execution && rf->execution->raced;
    snprintf(id, sizeof id, "N%u", number);
    au_json_object(j);
    au_json_put_string(j, "id", id);
    au_json_put_string(j, "kind", "nondeterminism");
    au_json_put_string(j, "status", status_name(o, raced));
    au_json_put_string(j, "var", m->var.at[rf->var].name);
    au_json_key(j, "events");
    au_json_array(j);
    const uint32_t step[2] = {rf->writer, rf->read};
    for (int i = 0; i < 2; i++) {
        if (step[i] == AU_NONE)
            continue;
        au_json_object_inline(j);
        event_fields(m, j, &m->step.at[step[i]], rf->var);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    put_schedule(m, j, rf->turn, rf->n_turns);
    put_execution(m, j, rf->execution);
    if (rf->spurious)
        au_json_put_bool(j, "spurious_wakeup", true);
    if (raced)
        au_json_put_bool(j, "after_race", true);
    char *text =
        au_sprintf("%s of '%s' can see %s%s",
                   rf->read == AU_NONE ? "the end" : place(m, &m->step.at[rf->read], a, sizeof a),
                   m->var.at[rf->var].name,
                   rf->writer == AU_NONE ? "the initial value"
                                         : place(m, &m->step.at[rf->writer], b, sizeof b),
                   raced ? " (after a race: C11 allows anything there)" : "");
    au_json_put_string(j, "message", text);
    free(text);
    au_json_end_object(j);
}

static void put_ranges(const au_model *m, au_json *j, const au_oracle_result *r) {
    au_json_key(j, "ranges");
    au_json_array(j);
    for (size_t i = 0; i < r->range.n;) {
        const au_range *first = &r->range.at[i];
        const au_thread *t = &m->thread.at[first->thread];
        au_json_object_inline(j);
        au_json_put_string(j, "thread", t->name);
        au_json_put_u64(j, "node", first->node);
        if (t->node.at[first->node].out.n) {
            const au_step *s = &m->step.at[t->node.at[first->node].out.at[0]];
            if (*au_step_label(m, s))
                au_json_put_string(j, "before", au_step_label(m, s));
        }
        au_json_key(j, "vars");
        au_json_object(j);
        for (; i < r->range.n && r->range.at[i].thread == first->thread &&
               r->range.at[i].node == first->node;
             i++) {
            au_json_key(j, m->var.at[r->range.at[i].var].name);
            au_json_array(j);
            au_json_i64(j, r->range.at[i].low);
            au_json_i64(j, r->range.at[i].high);
            au_json_end_array(j);
        }
        au_json_end_object(j);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_finals(const au_model *m, au_json *j, const au_oracle_result *r) {
    au_json_key(j, "final_states");
    au_json_array(j);
    for (size_t i = 0; i < r->final.n; i++) {
        const au_final *f = &r->final.at[i];
        au_json_object(j);
        au_json_put_bool(j, "complete", f->complete);
        if (f->value) {
            au_json_key(j, "shared");
            au_json_object_inline(j);
            size_t n = 0;
            for (size_t v = 0; v < m->var.n; v++) {
                unsigned w = m->var.at[v].width;
                if (m->var.at[v].kind == AU_VAR_SHARED)
                    au_json_put_i64(j, m->var.at[v].name,
                                    (int64_t)(f->value[n++] << (64 - w)) >> (64 - w));
            }
            au_json_end_object(j);
        }
        if (!f->complete) {
            au_json_key(j, "threads");
            au_json_object_inline(j);
            for (uint32_t t = 0; t < m->thread.n; t++)
                au_json_put_string(j, m->thread.at[t].name, rest_name[f->rest[t]]);
            au_json_end_object(j);
        }
        put_schedule(m, j, f->turn, f->n_turns);
        put_execution(m, j, f->execution);
        if (f->execution && f->execution->raced)
            au_json_put_bool(j, "after_race", true);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_sizes(const au_model *m, au_json *j) {
    size_t locks = 0, vars = 0;
    for (size_t i = 0; i < m->obj.n; i++)
        locks += m->obj.at[i].kind <= AU_OBJ_RWLOCK;
    for (size_t v = 0; v < m->var.n; v++)
        vars += m->var.at[v].kind == AU_VAR_SHARED;
    au_json_key(j, "trace");
    au_json_object_inline(j);
    au_json_put_u64(j, "threads", m->thread.n);
    au_json_put_u64(j, "events", m->observed.n);
    au_json_put_u64(j, "locks", locks);
    au_json_put_u64(j, "vars", vars);
    au_json_end_object(j);
}

void au_oracle_json(const au_model *m, const au_oracle_options *o, const au_oracle_result *r,
                    double seconds, au_out *out) {
    au_json j;
    unsigned number[6] = {0}, reads = 0;
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_put_string(&j, "command", "oracle");
    au_json_key(&j, "input");
    au_json_array_inline(&j);
    au_json_string(&j, m->file);
    au_json_end_array(&j);
    put_sizes(m, &j);
    au_json_put_string(&j, "model", semantics_name[o->semantics]);
    if (o->memory_asked || r->weak)
        au_json_put_string(&j, "memory_model", memory_name[o->memory]);
    if (r->weak) {
        au_json_put_u64(&j, "executions", r->executions);
        au_json_put_u64(&j, "blocked", r->blocked);
    }
    if (r->weak && o->memory == AU_MEMORY_RC11)
        au_json_put_bool(&j, "undefined", r->undefined);
    au_json_put_bool(&j, "prefix", !o->whole);
    au_json_key(&j, "context_bound");
    if (o->context_bound == AU_NONE)
        au_json_null(&j);
    else
        au_json_u64(&j, o->context_bound);
    au_json_put_bool(&j, "keep_reads", o->keep_reads);
    au_json_put_bool(&j, "exhaustive", r->exhaustive);
    au_json_key(&j, "inconclusive");
    au_json_array_inline(&j);
    if (!r->exhaustive)
        au_json_string(&j, r->reason);
    au_json_end_array(&j);
    au_json_key(&j, "observed");
    au_json_object_inline(&j);
    put_schedule(m, &j, r->observed.at, (uint32_t)r->observed.n);
    au_json_end_object(&j);
    au_json_key(&j, "findings");
    au_json_array(&j);
    for (size_t i = 0; i < r->finding.n; i++)
        put_finding(m, o, &j, &r->finding.at[i], ++number[r->finding.at[i].kind]);
    for (size_t i = 0; i < r->read_from.n; i++)
        if (r->read_from.at[i].changed)
            put_nondet(m, o, &j, &r->read_from.at[i], ++reads);
    au_json_end_array(&j);
    if (o->props & AU_PROP_NONDET) {
        au_json_key(&j, "reads_from");
        au_json_array(&j);
        for (size_t i = 0; i < r->read_from.n; i++)
            put_read(m, &j, &r->read_from.at[i]);
        au_json_end_array(&j);
    }
    if (!r->weak)
        put_ranges(m, &j, r);
    put_finals(m, &j, r);
    au_json_key(&j, "stats");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "states", r->states);
    au_json_put_u64(&j, "moves", r->moves);
    au_json_key(&j, "seconds");
    au_json_double(&j, seconds);
    au_json_put_u64(&j, "peak_kib", au_peak_kib());
    au_json_end_object(&j);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}

/* --- text -------------------------------------------------------------------------- */

static void text_schedule(const au_model *m, const au_oracle_turn *t, uint32_t n, au_out *o) {
    au_out_str(o, "    schedule:");
    uint32_t *from = au_alloc_array(m->thread.n, sizeof *from);
    for (uint32_t i = 0; i < n; i++) {
        au_out_printf(o, " %s:%u", m->thread.at[t[i].thread].name, from[t[i].thread] + 1);
        if (t[i].upto > from[t[i].thread] + 1)
            au_out_printf(o, "-%u", t[i].upto);
        from[t[i].thread] = t[i].upto;
    }
    free(from);
    au_out_str(o, n ? "\n" : " (at the start)\n");
}

static void text_event(const au_model *m, au_oracle_event e, au_out *o) {
    char b[96];
    const au_step *s = e.step == AU_NONE ? NULL : &m->step.at[e.step];
    if (s)
        au_out_printf(o, "%s:%u (%s)", m->thread.at[s->thread].name, e.index,
                      place(m, s, b, sizeof b));
    else
        au_out_str(o, "the initial value");
}

static void text_execution(const au_model *m, const au_oracle_execution *x, au_out *o) {
    if (!x)
        return;
    for (uint32_t i = 0; i < x->n_reads; i++) {
        au_out_str(o, "      ");
        text_event(m, x->read[i].read, o);
        au_out_printf(o, " reads '%s' from ", m->var.at[x->read[i].var].name);
        text_event(m, x->read[i].writer, o);
        au_out_char(o, '\n');
    }
    for (uint32_t i = 0; i < x->n_writes; i++) {
        bool first = !i || x->write[i].var != x->write[i - 1].var;
        if (first)
            au_out_printf(o, "%s      writes of '%s' in order: ", i ? "\n" : "",
                          m->var.at[x->write[i].var].name);
        else
            au_out_str(o, ", ");
        text_event(m, x->write[i].event, o);
    }
    if (x->n_writes)
        au_out_char(o, '\n');
}

static void text_head(const au_model *m, const au_oracle_options *o, const au_oracle_result *r,
                      au_out *out) {
    au_out_printf(out, "%s: ", m->file);
    if (r->weak)
        au_out_printf(out, "%llu executions (and %llu that do not come to their end), ",
                      (unsigned long long)r->executions, (unsigned long long)r->blocked);
    au_out_printf(out, "%llu states, %llu moves, ", (unsigned long long)r->states,
                  (unsigned long long)r->moves);
    if (r->weak)
        au_out_printf(out, "memory model %s\n", memory_name[o->memory]);
    else
        au_out_printf(out, "model %s%s%s\n", semantics_name[o->semantics],
                      o->memory_asked ? ", memory model sc" : "",
                      o->whole ? ", whole runs only" : "");
    if (r->undefined)
        au_out_str(out, "undefined: some execution has a race, and C11 does not say what the "
                        "program does then\n");
    if (!r->exhaustive)
        au_out_printf(out, "not exhaustive: %s\n", r->reason);
}

void au_oracle_text(const au_model *m, const au_oracle_options *o, const au_oracle_result *r,
                    au_out *out) {
    size_t changed = 0, complete = 0;
    text_head(m, o, r, out);
    for (size_t i = 0; i < r->finding.n; i++) {
        au_out_str(out, "  ");
        message(m, &r->finding.at[i], out);
        au_out_char(out, '\n');
        text_schedule(m, r->finding.at[i].turn, r->finding.at[i].n_turns, out);
        text_execution(m, r->finding.at[i].execution, out);
    }
    for (size_t i = 0; i < r->read_from.n; i++) {
        const au_read_from *rf = &r->read_from.at[i];
        char a[96], b[96];
        if (!rf->changed)
            continue;
        changed++;
        au_out_printf(out, "  %s of '%s' can see %s\n",
                      rf->read == AU_NONE ? "the end"
                                          : place(m, &m->step.at[rf->read], a, sizeof a),
                      m->var.at[rf->var].name,
                      rf->writer == AU_NONE ? "the initial value"
                                            : place(m, &m->step.at[rf->writer], b, sizeof b));
        text_schedule(m, rf->turn, rf->n_turns, out);
        text_execution(m, rf->execution, out);
    }
    for (size_t i = 0; i < r->final.n; i++)
        complete += r->final.at[i].complete;
    au_out_printf(out, "%zu findings, %zu reads that can see another write, %zu final states",
                  r->finding.n, changed, complete);
    if (r->final.n > complete)
        au_out_printf(out, ", %zu ends that are not complete", r->final.n - complete);
    au_out_char(out, '\n');
}
