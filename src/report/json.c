/* report/json.c: the JSON of design section 6. */
#include "base/json.h"
#include "base/clock.h"
#include "report/common.h"

static const char *prop_name(au_kind k) {
    static const char *const name[AU_KINDS] = {"race",   "atomicity", "deadlock",
                                               "assert", "nondet",    "locks"};
    return name[k];
}

static void put_event(const au_report *r, au_json *j, const au_event_ref *e, const au_event_text *t,
                      uint64_t until) {
    char loc[4096];
    size_t file;
    uint64_t line;
    au_json_object_inline(j);
    au_json_put_string(j, "thread", au_report_name(r->names, AU_WIRE_SPACE_THREAD, e->thread));
    au_json_put_u64(j, "index", e->index);
    au_json_put_string(j, "op", t && *t->op ? t->op : au_report_op(e->op));
    if (t && *t->label)
        au_json_put_string(j, "label", t->label);
    if (e->obj != AU_NO_OBJ)
        au_json_put_string(j, "object", au_report_name(r->names, au_op_space(e->op), e->obj));
    if (*au_report_place(r->names, e, t, loc, sizeof loc)) {
        au_json_put_string(j, "location", loc);
        if (au_report_split_loc(loc, &file, &line)) {
            au_json_key(j, "file");
            au_json_string_n(j, loc, file);
            au_json_put_u64(j, "line", line);
        }
    }
    if (until > e->index)
        au_json_put_u64(j, "until", until);
    if (e->number != AU_NO_NUMBER)
        au_json_put_u64(j, "event", e->number + 1);
    au_json_end_object(j);
}

static void put_seen(const au_report *r, au_json *j, const au_finding *f) {
    au_json_key(j, "values");
    au_json_array(j);
    for (uint32_t i = 0; i < f->n_seen; i++) {
        const au_access_seen *a = &f->seen[i];
        au_json_object_inline(j);
        au_json_put_string(j, "thread", au_report_name(r->names, AU_WIRE_SPACE_THREAD, a->thread));
        au_json_put_u64(j, "index", a->index);
        au_json_put_string(j, "op", a->write ? "write" : "read");
        au_json_put_string(j, "var", au_report_name(r->names, AU_WIRE_SPACE_VAR, a->var));
        au_json_put_i64(j, "value", a->value);
        au_json_end_object(j);
    }
    au_json_end_array(j);
}

static void put_finding(const au_report *r, au_json *j, const au_finding *f, size_t number) {
    char id[24];
    au_finding_id(f->kind, number, id, sizeof id);
    au_json_object(j);
    au_json_put_string(j, "id", id);
    au_json_put_string(j, "kind", au_kind_name(f->kind));
    au_json_put_string(j, "status", au_standing_name(f->standing));
    if (f->obj != AU_NO_OBJ) {
        bool lock = f->kind == AU_KIND_MISUSE || f->kind == AU_KIND_DEADLOCK;
        au_json_put_string(
            j, lock ? "lock" : "var",
            au_report_name(r->names, lock ? AU_WIRE_SPACE_LOCK : AU_WIRE_SPACE_VAR, f->obj));
    }
    if (*f->detail)
        au_json_put_string(j, f->kind == AU_KIND_ATOMICITY ? "pattern" : "what", f->detail);
    if (*f->why)
        au_json_put_string(j, "reason", f->why);
    au_json_key(j, "events");
    au_json_array(j);
    for (uint32_t k = 0; k < f->n_events; k++)
        put_event(r, j, &f->event[k], f->text ? &f->text[k] : NULL, f->until ? f->until[k] : 0);
    au_json_end_array(j);
    au_json_key(j, "schedule");
    au_json_array_inline(j);
    for (uint32_t k = 0; k < f->schedule.n; k++) {
        au_json_array(j);
        au_json_string(j,
                       au_report_name(r->names, AU_WIRE_SPACE_THREAD, f->schedule.turn[k].thread));
        au_json_u64(j, f->schedule.turn[k].upto);
        if (f->schedule.turn[k].spurious)
            au_json_string(j, "spurious");
        au_json_end_array(j);
    }
    au_json_end_array(j);
    if (f->n_seen)
        put_seen(r, j, f);
    if (f->spurious)
        au_json_put_bool(j, "spurious_wakeup", true);
    au_out *text = au_out_memory();
    size_t n;
    au_finding_message(r->names, f, text);
    const char *message = au_out_memory_data(text, &n);
    au_json_key(j, "message");
    au_json_string_n(j, message, n);
    au_out_abandon(text);
    au_json_end_object(j);
}

static void put_funnel(const au_report *r, au_json *j) {
    au_json_key(j, "funnel");
    au_json_object(j);
    for (int k = 0; k < AU_KINDS; k++) {
        if (!r->funnel[k])
            continue;
        au_json_key(j, prop_name((au_kind)k));
        au_json_object_inline(j);
        for (int s = 0; s < AU_STAGES; s++)
            if (r->funnel[k]->left[s] != AU_STAGE_UNKNOWN)
                au_json_put_u64(j, au_stage_name(s), r->funnel[k]->left[s]);
        if (*r->funnel[k]->unit)
            au_json_put_string(j, "unit", r->funnel[k]->unit);
        au_json_end_object(j);
    }
    au_json_end_object(j);
}

static void put_texts(au_json *j, const char *key, const char *const *text, size_t n) {
    au_json_key(j, key);
    if (n > 1)
        au_json_array(j);
    else
        au_json_array_inline(j);
    for (size_t i = 0; i < n; i++)
        au_json_string(j, text[i]);
    au_json_end_array(j);
}

/* The columns of the paper's table A1, and what its tool did not have. */
static void put_nondet(const au_nondet_counts *n, au_json *j) {
    uint64_t feasible = n->shared + n->direct + n->chosen + n->solved;
    au_json_key(j, "nondeterminism");
    au_json_object(j);
    au_json_put_u64(j, "witnesses", n->all);
    au_json_put_u64(j, "cycle", n->cycle);
    au_json_put_u64(j, "no_choice", n->shared + n->direct);
    au_json_put_u64(j, "with_choices", n->chosen + n->refuted);
    au_json_put_u64(j, "choices_infeasible", n->refuted);
    au_json_put_u64(j, "graphs", n->graphs);
    au_json_put_u64(j, "cycles_learned", n->learned);
    au_json_put_u64(j, "on_shared_walks", n->shared);
    au_json_put_u64(j, "events_walked", n->walked);
    au_json_put_u64(j, "solver_feasible", n->solved);
    au_json_put_u64(j, "solver_infeasible", n->unsolved);
    au_json_put_u64(j, "feasible", feasible);
    au_json_put_u64(j, "infeasible", n->cycle + n->refuted + n->unsolved);
    au_json_put_u64(j, "undecided", n->open);
    au_json_put_u64(j, "same_value", n->same_value);
    au_json_put_u64(j, "not_looked_at", n->left);
    au_json_put_u64(j, "pairs", n->pairs);
    au_json_put_u64(j, "read_couples_broken", n->couples);
    au_json_end_object(j);
}

void au_report_json(const au_report *r, au_out *out) {
    au_json j;
    size_t number[AU_KINDS] = {0};
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    put_texts(&j, "input", r->input, r->n_inputs);
    au_json_key(&j, "trace");
    au_json_object_inline(&j);
    au_json_put_u64(&j, "threads", r->threads);
    au_json_put_u64(&j, "events", r->events);
    au_json_put_u64(&j, "locks", r->locks);
    au_json_put_u64(&j, "vars", r->vars);
    au_json_end_object(&j);
    put_funnel(r, &j);
    if (r->nondet)
        put_nondet(r->nondet, &j);
    au_json_key(&j, "findings");
    au_json_array(&j);
    for (size_t i = 0; i < r->findings->finding.n; i++)
        put_finding(r, &j, &r->findings->finding.at[i], ++number[r->findings->finding.at[i].kind]);
    au_json_end_array(&j);
    put_texts(&j, "inconclusive", r->inconclusive, r->n_inconclusive);
    if (r->n_notes)
        put_texts(&j, "notes", r->note, r->n_notes);
    au_json_key(&j, "stats");
    au_json_object_inline(&j);
    au_json_key(&j, "seconds");
    au_json_double(&j, r->seconds);
    au_json_put_u64(&j, "peak_kib", au_peak_kib());
    au_json_end_object(&j);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}
