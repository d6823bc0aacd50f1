/* lower/thread.c: whole threads: returns of functions that several calls share, calls from the outside,
 * variables of cells. */
#include "lower/build.h"

#include <stdio.h>
#include <string.h>

/* --- returns of shared frames ------------------------------------------------------ */

static void build_returns(bld *b, uint32_t frame, bool away) {
    src *s = b->s;
    const au_src_frame *r = &s->frame.at[frame];
    bool recursive = r->recursive;
    uint32_t from = r->return_to;
    b->node = away ? r->unwind : r->back;
    if (recursive)
        au_bld_havoc(b, from, AU_OVER);
    size_t n = r->n_returns;
    for (size_t i = 0; i < n; i++) {
        struct au_src_return k = s->frame.at[frame].returns[i];
        uint32_t to = away ? k.unwind : k.land, rest = AU_NONE;
        if (i + 1 < n) {
            b->how = recursive ? AU_OVER : AU_EXACT;
            au_bld_branch(
                b, au_term_eq(b->t, au_model_var_term(b->m, from), au_term_const(b->t, 16, i)),
                &rest);
        }
        if (to == AU_NONE)
            au_bld_stop(b);
        else
            au_bld_goto(b, to);
        b->node = rest;
    }
    if (!n)
        au_bld_stop(b);
    b->node = AU_NONE;
}

/* Where a call in recursion comes back, nothing is known of the caller's locals, nor to which of its
 * calls it came back: all of them land in one place. */
static void land(bld *b, const struct au_src_return *k) {
    au_src_frame *f = &b->s->frame.at[k->frame];
    b->node = k->land;
    if (!f->recursive) {
        au_bld_goto(b, k->on);
        return;
    }
    if (f->landing == AU_NONE)
        f->landing = au_bld_node(b);
    au_vec_push(&b->s->frame.at[k->frame].lands, k->on);
    au_bld_goto(b, f->landing);
}

static void build_landing(bld *b, uint32_t frame) {
    src *s = b->s;
    const au_src_frame *f = &s->frame.at[frame];
    if (f->landing == AU_NONE)
        return;
    b->node = f->landing;
    for (size_t j = 0; j < s->frame.at[frame].slot_var.n; j++)
        if (s->frame.at[frame].slot_var.at[j] != AU_NONE)
            au_bld_havoc(b, s->frame.at[frame].slot_var.at[j], AU_OVER);
    au_bld_havoc(b, s->frame.at[frame].return_to, AU_OVER);
    for (size_t i = 0; i < s->frame.at[frame].lands.n; i++) {
        uint32_t rest = AU_NONE;
        if (i + 1 < s->frame.at[frame].lands.n)
            au_bld_choose(b, &rest, AU_OVER);
        au_bld_goto(b, s->frame.at[frame].lands.at[i]);
        b->node = rest;
    }
}

static void build_landings(bld *b, uint32_t frame) {
    src *s = b->s;
    for (size_t i = 0; i < s->frame.at[frame].n_returns; i++) {
        struct au_src_return k = s->frame.at[frame].returns[i];
        land(b, &k);
    }
}

/* Calls from the outside, any of them, again and again; then back to where it was called. What it came
 * from is forgotten: a function that it calls may have called it. */
static void build_hub(bld *b, size_t from) {
    src *s = b->s;
    au_bld_work *w = b->work;
    uint32_t on;
    b->node = w->hub;
    for (size_t i = from; i < w->hub_call.n; i++) {
        au_src_call row = s->call.at[w->hub_call.at[i]];
        au_bld_block block = {.frame = w->hub_from.at[i]};
        b->block = &block;
        b->insn = row.insn;
        au_bld_choose(b, &on, AU_OVER);
        au_bld_call_outside(b, &s->fn.at[s->frame.at[block.frame].fn].code->insn[row.insn], &row);
        if (b->node != AU_NONE) {
            au_bld_flush(b);
            au_bld_goto(b, w->hub_loop);
        }
        au_vec_release(&block.value);
        au_vec_clear(&b->pending);
        b->node = on;
    }
    w->hub = b->node; /* goes on here if more is found */
    b->block = NULL;
}

static void build_hub_returns(bld *b) {
    au_bld_work *w = b->work;
    b->node = w->hub;
    au_bld_havoc(b, w->hub_var, AU_OVER);
    for (size_t i = 0; i < w->hub_back.n; i++) {
        uint32_t rest = AU_NONE;
        if (i + 1 < w->hub_back.n) {
            b->how = AU_OVER;
            au_bld_branch(
                b,
                au_term_eq(b->t, au_model_var_term(b->m, w->hub_var), au_term_const(b->t, 16, i)),
                &rest);
        }
        au_bld_goto(b, w->hub_back.at[i].land);
        b->node = rest;
    }
    for (size_t i = 0; i < w->hub_back.n; i++) {
        struct au_src_return k = w->hub_back.at[i];
        land(b, &k);
    }
}

static void build_jumps(bld *b) {
    for (size_t i = 0; i < b->work->longjmp.n; i++) {
        b->node = b->work->longjmp.at[i];
        for (size_t j = 0; j < b->work->setjmp.n; j++) {
            uint32_t rest = AU_NONE;
            if (j + 1 < b->work->setjmp.n)
                au_bld_choose(b, &rest, AU_OVER);
            au_bld_goto(b, b->work->setjmp.at[j]);
            b->node = rest;
        }
        if (!b->work->setjmp.n)
            au_bld_stop(b);
    }
}

/* --- threads --------------------------------------------------------------------- */

enum { ARGUMENT_BITS = 20, POINTER_BITS = 46 }; /* Linux takes 6 MiB of arguments at most */

/* Any value: of an entry that is an input. main has no fewer than no arguments, and vectors that are
 * not null. */
static void parameter(bld *b, uint32_t thread, uint32_t p, uint32_t var) {
    src *s = b->s;
    bool entry = s->o.n_entries && s->thread.at[thread].by_frame == AU_NONE;
    unsigned w = b->m->var.at[var].width, bits = p ? POINTER_BITS : ARGUMENT_BITS;
    if (thread || entry || w <= bits) {
        au_bld_havoc(b, var, entry ? AU_INPUT : AU_OVER);
        return;
    }
    char name[32];
    snprintf(name, sizeof name, "argument.%u", p);
    uint32_t of = au_bld_new_local(b, name, bits);
    au_bld_havoc(b, of, AU_INPUT);
    au_bld_assign(b, var,
                  au_term_make(b->t, AU_T_ADD, au_term_zext(b->t, au_model_var_term(b->m, of), w),
                               au_term_const(b->t, w, p ? 1 : 0)));
}

/* A constructor: what it is given is the outside's. */
static void build_before(bld *b, au_bld_block *block, uint32_t frame) {
    src *s = b->s;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    uint32_t after = au_bld_node(b);
    for (uint32_t p = 0; p < f->f->n_params; p++) {
        const struct au_code_arg *a = &f->code->arg[f->f->param + p];
        for (uint32_t j = 0; j < a->slots; j++)
            au_bld_havoc(b, au_bld_slot_var(b, frame, (uint32_t)a->at + j), AU_OVER);
    }
    s->frame.at[frame].back = after;
    block->frame = frame;
    au_bld_flush(b);
    b->block = block;
    au_bld_frame(b, frame);
    b->block = NULL;
    b->node = after;
}

static void build_thread(bld *b, uint32_t thread) {
    src *s = b->s;
    au_bld_work w = {.hub = AU_NONE};
    b->work = &w;
    b->thread = thread;
    b->mt = s->thread.at[thread].model;
    b->bit = AU_NONE;
    b->block = NULL;
    b->insn = 0;
    b->how = AU_EXACT;
    au_map_clear(&b->forked);
    au_thread *th = &b->m->thread.at[b->mt];
    uint32_t exit = au_bld_node(b);
    th = &b->m->thread.at[b->mt];
    th->exit = exit;
    b->node = th->entry;
    if (s->thread.at[thread].by_frame != AU_NONE && !th->forked) {
        au_bld_stop(b); /* where it would be created is never reached */
        b->work = NULL;
        return;
    }
    uint32_t frame = s->thread.at[thread].frame;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    if (s->thread.at[thread].looping) {
        uint32_t again = au_bld_node(b), out;
        au_bld_goto(b, again);
        b->node = again;
        au_bld_choose(b, &out, AU_INPUT);
        uint32_t on = b->node;
        b->node = out;
        au_bld_goto(b, exit);
        b->node = on;
        s->frame.at[frame].back = again;
    } else {
        s->frame.at[frame].back = exit;
    }
    au_bld_block block = {.frame = frame};
    for (size_t i = 0; i < s->thread.at[thread].before.n; i++)
        build_before(b, &block, s->thread.at[thread].before.at[i]);
    block.frame = frame;
    for (uint32_t p = 0; p < f->f->n_params; p++) {
        const struct au_code_arg *a = &f->code->arg[f->f->param + p];
        for (uint32_t j = 0; j < a->slots; j++) {
            uint32_t v = au_bld_slot_var(b, frame, (uint32_t)a->at + j);
            if (p == 0 && j == 0 && s->thread.at[thread].argument != AU_NONE && a->width == 64 &&
                !s->thread.at[thread].any_argument)
                au_bld_assign(b, v, au_model_var_term(b->m, s->thread.at[thread].argument));
            else
                parameter(b, thread, p, v);
        }
    }
    au_bld_flush(b);
    b->block = &block;
    au_bld_frame(b, frame);
    size_t done = 0;
    while ((w.todo.n || done < w.hub_call.n) && !s->failed) {
        if (!w.todo.n) {
            size_t to = w.hub_call.n;
            build_hub(b, done);
            done = to;
            b->block = &block;
            continue;
        }
        uint32_t shared = au_vec_pop(&w.todo);
        block.frame = shared;
        b->node = s->frame.at[shared].entry;
        au_bld_frame(b, shared);
    }
    b->block = NULL;
    for (uint32_t i = 0; i < s->frame.n && !s->failed; i++)
        if (s->frame.at[i].thread == thread && s->frame.at[i].shared && s->frame.at[i].built) {
            build_returns(b, i, false);
            build_returns(b, i, true);
            build_landings(b, i);
        }
    if (w.hub != AU_NONE && !s->failed)
        build_hub_returns(b);
    for (uint32_t i = 0; i < s->frame.n && !s->failed; i++)
        if (s->frame.at[i].thread == thread)
            build_landing(b, i);
    build_jumps(b);
    au_vec_release(&w.hub_back);
    au_vec_release(&w.hub_call);
    au_vec_release(&w.hub_from);
    au_vec_release(&block.value);
    au_vec_release(&w.todo);
    au_vec_release(&w.setjmp);
    au_vec_release(&w.longjmp);
    b->work = NULL;
}

/* Variables of cells that are needed. */
static void add_variables(bld *b) {
    src *s = b->s;
    au_intern names;
    au_intern_init(&names);
    for (uint32_t i = 0; i < s->cell.n; i++) {
        au_src_cell *c = &s->cell.at[i];
        if (c->parent != i || c->thread == AU_NONE || c->constant || !c->written)
            continue;
        const au_src_loc *l = &s->loc.at[c->loc];
        const au_src_obj *o = &s->obj.at[l->obj];
        bool mine = c->thread != MANY;
        if (mine && !c->exact)
            continue;
        unsigned width = c->exact ? c->bytes * 8 : c->bytes && c->bytes <= 8 ? c->bytes * 8 : 8;
        const char *name = o->name, *quote = strchr(name, '\'');
        char *base = quote ? au_strndup(quote + 1, strcspn(quote + 1, "'")) : au_strdup(name);
        char *full = l->off || l->stride
                         ? au_sprintf("%s%+lld%s", base, (long long)l->off, l->stride ? "*" : "")
                         : au_strdup(base);
        size_t before = names.n;
        au_intern_add(&names, full, strlen(full));
        char *unique = names.n > before ? au_strdup(full) : au_sprintf("%s#%u", full, i);
        free(full);
        c->var = au_model_add_var(b->m, unique, mine ? AU_VAR_LOCAL : AU_VAR_SHARED, width,
                                  c->exact ? c->value : 0,
                                  mine ? s->thread.at[c->thread].model : AU_NONE);
        free(unique);
        free(base);
        while (s->out->var.n <= c->var)
            au_vec_push(&s->out->var, ((au_source_var){.object = "", .file = ""}));
        au_source_var *v = &s->out->var.at[c->var];
        v->object = o->name;
        v->offset = (uint64_t)l->off;
        v->bytes = c->bytes;
        v->summary = !c->exact;
        v->array = l->stride != 0;
        v->outside = o->kind == OBJ_OUTSIDE;
        if (o->kind == OBJ_HEAP || o->kind == OBJ_STACK) {
            const au_src_fn *f = &s->fn.at[s->frame.at[o->frame].fn];
            uint32_t insn = o->insn < f->code->n_insns ? o->insn : f->f->first;
            v->file = au_src_text(s, "%s", au_code_text(f->code, f->code->file[insn]));
            v->line = f->code->line[insn];
        }
    }
    au_intern_release(&names);
}

/* See source.h. */
static bool stand_for_any_two(const src *s) {
    for (uint32_t t = 0; t < s->thread.n; t++) {
        const au_src_thread *th = &s->thread.at[t];
        size_t made = 0;
        if (th->by_frame == AU_NONE)
            continue;
        for (size_t i = 0; i < s->created.n; i++)
            made += s->created.at[i].thread == t;
        if (made != 1 || th->like != AU_NONE)
            return false;
        for (uint32_t by = th->by_frame; by != AU_NONE;) {
            const au_src_thread *maker = &s->thread.at[s->frame.at[by].thread];
            if (maker->fn == th->fn)
                return false;
            by = maker->by_frame;
        }
    }
    return s->o.instances >= 2;
}

void au_src_build(src *s) {
    bld b = {.s = s,
             .m = s->out->model,
             .t = s->out->model->terms,
             .bit = AU_NONE,
             .atomic = AU_NONE,
             .joins = AU_NONE};
    au_map *maps[] = {&b.lock,   &b.cond,   &b.sem,        &b.barrier,   &b.once,
                      &b.rwlock, &b.names,  &b.vague,      &b.recursive, &b.count,
                      &b.forked, &b.joined, &b.stranger_at};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        au_map_init(maps[i]);
    for (uint32_t t = 0; t < s->thread.n; t++) {
        au_src_thread *th = &s->thread.at[t];
        const au_src_fn *f = &s->fn.at[th->fn];
        const char *name = au_code_text(f->code, f->f->name);
        char *full = s->thread.n == 1 || !t ? au_strdup(name) : au_sprintf("%s.%u", name, t);
        th->model = au_model_add_thread(b.m, full);
        free(full);
        au_source_thread row = {.entry = au_src_text(s, "%s", name),
                                .instance = th->instance,
                                .several = th->several,
                                .file = ""};
        if (th->by_frame != AU_NONE) {
            row.created = true;
            const au_src_fn *by = &s->fn.at[s->frame.at[th->by_frame].fn];
            row.file = au_src_text(s, "%s", au_code_text(by->code, by->code->file[th->by_insn]));
            row.line = by->code->line[th->by_insn];
            char *arg = au_sprintf("$argument.%u", t);
            th->argument = au_model_add_var(b.m, arg, AU_VAR_SYNC, 64, 0, AU_NONE);
            free(arg);
        }
        au_vec_push(&s->out->thread, row);
    }
    s->out->any_two = stand_for_any_two(s);
    add_variables(&b);
    au_bld_sync_find(&b);
    s->out->sections = b.atomic;
    au_bld_paths(&b);
    au_bld_owners(&b);
    au_bld_roots(&b);
    au_bld_private(&b);
    au_bld_types(&b);
    au_bld_joins(&b);
    for (uint32_t t = 0; t < s->thread.n && !s->failed; t++)
        build_thread(&b, t);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        au_map_release(maps[i]);
    au_vec_release(&b.pending);
    au_vec_release(&b.all_joined);
}
