/* lower/source.c: code to a model, from one end to the other. */
#include "base/deadline.h"
#include "lower/source_priv.h"
#include "model/sync.h"

#include <stdio.h>
#include <string.h>

const char *au_src_text(src *s, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t n = strlen(text);
    uint32_t id = au_intern_add(&s->texts, text, n);
    while (s->text_at.n <= id)
        au_vec_push(&s->text_at, NULL);
    if (!s->text_at.at[id])
        s->text_at.at[id] = au_arena_strndup(&s->out->arena, text, n);
    return s->text_at.at[id];
}

static void add_over(src *s, bool lost, uint32_t frame, uint32_t insn, const char *fmt,
                     va_list ap) {
    char what[300];
    vsnprintf(what, sizeof what, fmt, ap);
    au_source_over row = {.file = "", .count = 1, .lost = lost};
    row.what = au_src_text(s, "%s", what);
    if (frame != AU_NONE) {
        const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
        row.file = au_src_text(s, "%s", au_code_text(f->code, f->code->file[insn]));
        row.line = f->code->line[insn];
    }
    uint64_t h = au_hash_join(au_hash_join((uintptr_t)row.what, (uintptr_t)row.file), row.line);
    bool fresh;
    uint64_t *at = au_map_put(&s->over_at, h, &fresh);
    if (fresh) {
        *at = s->out->over.n;
        au_vec_push(&s->out->over, row);
    } else {
        s->out->over.at[*at].count++;
    }
}

void au_src_over(src *s, uint32_t frame, uint32_t insn, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_over(s, false, frame, insn, fmt, ap);
    va_end(ap);
}

void au_src_lost(src *s, uint32_t frame, uint32_t insn, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_over(s, true, frame, insn, fmt, ap);
    va_end(ap);
}

void au_src_over_limit(src *s, au_limit l) {
    char text[AU_LIMIT_TEXT];
    au_src_over(s, AU_NONE, 0, "%.290s", au_limit_say(l, 0, 0, text));
}

static void init(src *s) {
    au_map *maps[] = {&s->tls,      &s->bulk_seen, &s->call_at, &s->shared_frame, &s->created_at,
                      &s->heap_at,  &s->fn_obj,    &s->cell_at, &s->over_at,      &s->outside_call,
                      &s->start_at, &s->guard_at,  &s->forward};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        au_map_init(maps[i]);
    au_idtable_init(&s->loc_index);
    au_intern_init(&s->var_name);
    au_intern_init(&s->texts);
    s->global = au_alloc_array(s->n_codes + 1, sizeof *s->global);
    for (size_t m = 0; m < s->n_codes; m++) {
        s->global[m] = au_alloc_array(s->code[m]->n_globals + 1u, sizeof **s->global);
        memset(s->global[m], 0xff, (s->code[m]->n_globals + 1u) * sizeof **s->global);
    }
    s->out_node = au_src_node_add(s, 1);
    s->joined = au_src_node_add(s, 1);
    s->handed = au_src_node_add(s, 1);
    au_src_obj o = {.kind = OBJ_OUTSIDE,
                    .many = true,
                    .escaped = true,
                    .name = "memory of the outside",
                    .frame = AU_NONE,
                    .insn = AU_NONE,
                    .thread = AU_NONE};
    s->outside = au_src_obj_add(s, o);
    uint32_t loc = au_src_loc_of(s, (au_src_loc){.obj = s->outside});
    au_src_part part = au_src_part_of(s, loc);
    au_src_points_add(s, s->out_node, loc);
    au_src_points_add(s, s->handed, loc);
    au_src_points_add(s, part.loaded, loc);
    au_src_edge(s, part.stored, s->out_node);
    au_src_use_add(s, s->out_node, (au_src_use){.kind = USE_OUTSIDE});
}

static void release(src *s) {
    au_map *maps[] = {&s->tls,      &s->bulk_seen, &s->call_at, &s->shared_frame, &s->created_at,
                      &s->heap_at,  &s->fn_obj,    &s->cell_at, &s->over_at,      &s->outside_call,
                      &s->start_at, &s->guard_at,  &s->forward};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        au_map_release(maps[i]);
    au_idtable_release(&s->loc_index);
    au_intern_release(&s->var_name);
    au_intern_release(&s->texts);
    au_vec_release(&s->text_at);
    for (size_t m = 0; m < s->n_codes; m++)
        free(s->global[m]);
    free(s->global);
    for (size_t i = 0; i < s->node.n; i++) {
        au_vec_release(&s->node.at[i].loc);
        au_vec_release(&s->node.at[i].use);
        if (s->node.at[i].set) {
            au_map_release(s->node.at[i].set);
            free(s->node.at[i].set);
        }
    }
    for (size_t i = 0; i < s->obj.n; i++) {
        au_vec_release(&s->obj.at[i].part);
        au_vec_release(&s->obj.at[i].bulk);
        if (s->records_of && i < s->n_records_of)
            free(s->records_of[i].at);
    }
    for (size_t i = 0; i < s->frame.n; i++) {
        au_vec_release(&s->frame.at[i].callee);
        au_vec_release(&s->frame.at[i].slot_var);
        au_vec_release(&s->frame.at[i].result_var);
        au_vec_release(&s->frame.at[i].lands);
        au_vec_release(&s->frame.at[i].varargs);
        free(s->frame.at[i].returns);
    }
    free(s->records_of);
    au_vec_release(&s->obj_by_name);
    au_vec_release(&s->obj);
    au_vec_release(&s->loc);
    au_vec_release(&s->node);
    au_vec_release(&s->queue);
    au_vec_release(&s->overfull);
    au_vec_release(&s->bulk);
    au_vec_release(&s->bulk_call);
    au_vec_release(&s->frame);
    au_vec_release(&s->new_frame);
    au_vec_release(&s->call);
    for (size_t i = 0; i < s->thread.n; i++)
        au_vec_release(&s->thread.at[i].before);
    au_vec_release(&s->thread);
    au_vec_release(&s->created);
    au_vec_release(&s->specific);
    au_vec_release(&s->cell);
    au_src_index_free(s);
}

/* Edges that au_sync_finish made know what the call's first edge knows. */
static void finish_tables(src *s) {
    au_source *o = s->out;
    const au_model *m = o->model;
    for (size_t i = o->exact.n; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        const au_node *from = &m->thread.at[p->thread].node.at[p->src];
        uint32_t first = from->out.n ? from->out.at[0] : 0;
        for (size_t k = 0; k < from->out.n; k++)
            if (from->out.at[k] < o->exact.n)
                first = from->out.at[k];
        uint8_t exact = first < o->exact.n ? o->exact.at[first] : AU_OVER;
        const char *function = first < o->function.n ? o->function.at[first] : "";
        uint64_t at = first < o->at.n ? o->at.at[first] : UINT64_MAX;
        uint32_t number = first < o->number.n ? o->number.at[first] : 0;
        au_vec_push(&o->exact, exact);
        au_vec_push(&o->function, function);
        au_vec_push(&o->at, at);
        au_vec_push(&o->number, number);
        au_vec_push(&o->guard, 0);
        au_vec_push(&o->unknown, 0);
    }
    for (size_t i = 0; i < s->n_codes; i++)
        au_vec_push(&o->module, s->code[i]->module);
    while (o->var.n < m->var.n)
        au_vec_push(&o->var, ((au_source_var){.object = "", .file = ""}));
    uint8_t *reached = au_alloc_array(s->fn.n + 1, 1);
    for (size_t i = 0; i < s->frame.n; i++) {
        reached[s->frame.at[i].fn] = 1;
        if (s->frame.at[i].shared)
            o->shared_copies++;
        else
            o->inlined++;
    }
    o->functions = (uint32_t)s->fn.n;
    for (size_t i = 0; i < s->fn.n; i++)
        o->unreached += !reached[i];
    free(reached);
}

bool au_src_late(src *s) {
    enum { EVERY = 1 << 8 };
    if (!s->failed && s->asked++ % EVERY == 0 && au_deadline_over()) {
        au_error_set(s->err, AU_EUNSUPPORTED, "%s", au_deadline_why());
        s->failed = true;
    }
    return s->failed;
}

/* A cycle in some thread's graph? */
static bool find_loops(const au_model *m) {
    for (size_t t = 0; t < m->thread.n; t++) {
        const au_thread *th = &m->thread.at[t];
        uint32_t *in = au_alloc_array(th->node.n + 1, sizeof *in);
        AU_VEC(uint32_t) todo = {0};
        size_t seen = 0;
        for (size_t i = 0; i < th->node.n; i++)
            for (size_t k = 0; k < th->node.at[i].out.n; k++)
                in[m->step.at[th->node.at[i].out.at[k]].dst]++;
        for (uint32_t i = 0; i < th->node.n; i++)
            if (!in[i])
                au_vec_push(&todo, i);
        while (todo.n) {
            uint32_t i = au_vec_pop(&todo);
            seen++;
            for (size_t k = 0; k < th->node.at[i].out.n; k++) {
                uint32_t to = m->step.at[th->node.at[i].out.at[k]].dst;
                if (!--in[to])
                    au_vec_push(&todo, to);
            }
        }
        au_vec_release(&todo);
        free(in);
        if (seen < th->node.n)
            return true;
    }
    return false;
}

au_source *au_source_of_codes(const au_code *const *code, size_t n, const au_source_options *o,
                              au_error *err) {
    au_error own = AU_ERROR_NONE;
    src s = {.code = code, .n_codes = n, .err = err ? err : &own};
    if (o)
        s.o = *o;
    if (!s.o.inline_budget)
        s.o.inline_budget = 20000;
    if (!s.o.instances)
        s.o.instances = 2;
    if (!s.o.most_targets)
        s.o.most_targets = 12;
    if (!s.o.most_steps)
        s.o.most_steps = 4000000;
    s.most_work = UINT64_C(3000000000);
    s.out = AU_NEW(au_source);
    au_arena_init(&s.out->arena);
    au_guards_init(&s.out->guards);
    au_src_index(&s);
    init(&s);
    const char *file = n ? "program" : "";
    if (n && code[0]->n_insns)
        file = au_code_text(code[0], code[0]->file[0]);
    s.out->model = au_model_new(file);
    au_src_forward_find(&s);
    au_status st = au_src_begin(&s);
    if (st == AU_OK) {
        au_src_solve(&s);
        if (!s.failed) {
            au_src_frames_finish(&s);
            au_src_find_compared(&s);
            au_src_cells(&s);
            s.asked = 0; /* it looks at once */
            if (!au_src_late(&s))
                au_src_build(&s);
        }
        if (!s.failed) {
            au_src_fold(&s);
            au_sync_finish(s.out->model);
            s.out->model->has_loops = find_loops(s.out->model);
            finish_tables(&s);
            const char *wrong = au_model_check(s.out->model);
            if (wrong)
                s.failed = au_error_set(s.err, AU_EINTERNAL, "the model of the source is wrong: %s",
                                        wrong) != AU_OK;
        }
        st = s.failed ? s.err->status : AU_OK;
    }
    au_source *out = s.out;
    release(&s);
    if (st != AU_OK) {
        au_source_free(out);
        return NULL;
    }
    return out;
}

void au_source_free(au_source *s) {
    if (!s)
        return;
    au_model_free(s->model);
    au_vec_release(&s->exact);
    au_vec_release(&s->function);
    au_vec_release(&s->var);
    au_vec_release(&s->thread);
    au_vec_release(&s->over);
    au_vec_release(&s->at);
    au_vec_release(&s->number);
    au_vec_release(&s->guard);
    au_vec_release(&s->unknown);
    au_vec_release(&s->stranger);
    au_guards_release(&s->guards);
    au_vec_release(&s->module);
    au_arena_release(&s->arena);
    free(s);
}
