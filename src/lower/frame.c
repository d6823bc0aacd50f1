/* lower/frame.c: objects, frames and threads, made as the points-to analysis finds them. */
#include "base/limits.h"
#include "lower/source_priv.h"

#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- objects --------------------------------------------------------------------- */

uint32_t au_src_obj_add(src *s, au_src_obj o) {
    uint32_t id = (uint32_t)s->obj.n;
    /* Far apart, so that no address is in two objects; never 0. */
    o.address = (uint64_t)(id + 1) << 32;
    au_vec_push(&s->obj, o);
    return id;
}

static void seed_contents(src *s, uint32_t obj, uint32_t module, uint32_t global, uint32_t thread) {
    const au_code *c = s->code[module];
    const struct au_code_global *g = &c->global[global];
    for (uint32_t i = 0; i < g->n_relocs; i++) {
        const struct au_code_reloc *r = &c->reloc[g->reloc + i];
        const struct au_code_const *k = &c->pool[r->constant];
        uint32_t to = AU_NONE;
        if (k->kind == AU_CONST_GLOBAL) {
            uint32_t target = au_src_obj_of_global(s, module, k->index, thread);
            to = au_src_loc_of(s, (au_src_loc){.obj = target, .off = (int64_t)k->value});
        } else if (k->kind == AU_CONST_FUNCTION) {
            uint32_t fn = au_src_fn_by_name(s, module, au_code_text(c, k->index));
            if (fn != AU_NONE)
                to = au_src_loc_of(s, (au_src_loc){.obj = au_src_obj_of_function(s, fn)});
        }
        if (to == AU_NONE)
            continue;
        uint32_t loc = au_src_loc_of(s, (au_src_loc){.obj = obj, .off = (int64_t)r->offset});
        au_src_points_add(s, au_src_part_of(s, loc).stored, to);
    }
}

/* The module that defines it, and its place there. */
static void find_definition(const src *s, uint32_t *module, uint32_t *global) {
    const struct au_code_global *g = &s->code[*module]->global[*global];
    const char *name = au_code_text(s->code[*module], g->name);
    if (g->internal || g->defined)
        return;
    for (uint32_t m = 0; m < s->n_codes; m++)
        for (uint32_t k = 0; k < s->code[m]->n_globals; k++) {
            const struct au_code_global *o = &s->code[m]->global[k];
            if (!o->internal && o->defined && !strcmp(au_code_text(s->code[m], o->name), name)) {
                *module = m;
                *global = k;
                return;
            }
        }
}

uint32_t au_src_obj_of_global(src *s, uint32_t module, uint32_t global, uint32_t thread) {
    uint32_t *place = &s->global[module][global];
    const struct au_code_global *g = &s->code[module]->global[global];
    if (!g->tls)
        thread = AU_NONE;
    if (*place != AU_NONE && thread == AU_NONE)
        return *place;
    uint32_t m = module, k = global;
    find_definition(s, &m, &k);
    g = &s->code[m]->global[k];
    const char *name = au_code_text(s->code[m], g->name);
    uint64_t key = 0;
    if (thread != AU_NONE) {
        key = au_hash_join(au_key2(m, k), thread);
        uint64_t *at = au_map_find(&s->tls, key);
        if (at)
            return (uint32_t)*at - 1;
    }
    uint32_t by_name = AU_NONE;
    if (!g->internal && thread == AU_NONE) {
        by_name = au_intern_add(&s->var_name, name, strlen(name));
        if (by_name < s->obj_by_name.n && s->obj_by_name.at[by_name] != AU_NONE)
            return *place = s->obj_by_name.at[by_name];
        while (s->obj_by_name.n <= by_name)
            au_vec_push(&s->obj_by_name, AU_NONE);
    }
    au_src_obj o = {.kind = OBJ_GLOBAL,
                    .constant = g->constant,
                    .zeroed = true,
                    .module = m,
                    .place = k,
                    .thread = thread,
                    .size = g->size,
                    .frame = AU_NONE,
                    .insn = AU_NONE,
                    .many = !g->defined};
    o.name = thread == AU_NONE ? au_src_text(s, "global '%s'", name)
                               : au_src_text(s, "thread-local '%s' of thread %u", name, thread);
    uint32_t id = au_src_obj_add(s, o);
    if (thread != AU_NONE)
        *au_map_put(&s->tls, key, NULL) = id + 1;
    else
        *place = id;
    if (by_name != AU_NONE)
        s->obj_by_name.at[by_name] = id;
    if (g->defined) {
        seed_contents(s, id, m, k, thread);
    } else {
        au_src_points_add(s, s->out_node, au_src_loc_of(s, (au_src_loc){.obj = id}));
    }
    return id;
}

uint32_t au_src_obj_of_function(src *s, uint32_t fn) {
    uint64_t *at = au_map_find(&s->fn_obj, fn);
    if (at)
        return (uint32_t)*at - 1;
    au_src_obj o = {
        .kind = OBJ_FUNCTION, .place = fn, .frame = AU_NONE, .insn = AU_NONE, .thread = AU_NONE};
    o.name = au_code_text(s->fn.at[fn].code, s->fn.at[fn].f->name);
    uint32_t id = au_src_obj_add(s, o);
    *au_map_put(&s->fn_obj, fn, NULL) = id + 1;
    return id;
}

/* In a program that is too large for copies of its functions, memory that one of them allocates is
 * the same object whatever thread calls it. */
static bool by_site(const src *s, uint32_t frame) {
    return s->frame.at[frame].shared && s->instructions > 4 * (uint64_t)s->o.inline_budget;
}

static uint64_t site_key(const src *s, uint32_t frame, uint32_t insn) {
    return au_key2(AU_NONE - 1 - s->frame.at[frame].fn, insn);
}

uint32_t au_src_heap_find(const src *s, uint32_t frame, uint32_t insn) {
    const uint64_t *at = au_map_find(&s->heap_at, au_key2(frame, insn));
    if (!at && s->frame.at[frame].shared)
        at = au_map_find(&s->heap_at, site_key(s, frame, insn));
    return at ? (uint32_t)*at - 1 : AU_NONE;
}

uint32_t au_src_obj_of_heap(src *s, uint32_t frame, uint32_t insn, bool zeroed, uint64_t size,
                            bool stack) {
    uint32_t known = au_src_heap_find(s, frame, insn);
    if (known != AU_NONE)
        return known;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    uint64_t key = au_key2(frame, insn);
    if (!stack && by_site(s, frame))
        key = site_key(s, frame, insn);
    au_src_obj o = {.kind = stack ? OBJ_STACK : OBJ_HEAP,
                    .frame = frame,
                    .insn = insn,
                    .thread = AU_NONE,
                    .zeroed = zeroed,
                    .size = size};
    const char *name = au_code_text(f->code, f->f->name);
    if (insn >= f->code->n_insns) /* a copy that a parameter points to */
        o.name = au_src_text(s, "argument of %s", name);
    else if (stack)
        o.name =
            au_src_text(s, "local of %s (%s:%u)", name,
                        base_name(au_code_text(f->code, f->code->file[insn])), f->code->line[insn]);
    else
        o.name =
            au_src_text(s, "memory allocated at %s:%u",
                        base_name(au_code_text(f->code, f->code->file[insn])), f->code->line[insn]);
    uint32_t id = au_src_obj_add(s, o);
    *au_map_put(&s->heap_at, key, NULL) = id + 1;
    return id;
}

uint32_t au_src_obj_of_thread(src *s, uint32_t thread, const char *function) {
    const char *name = au_src_text(s, "memory that %s gives thread %u", function, thread);
    uint64_t key = au_hash_join((uintptr_t)name, thread);
    uint64_t *at = au_map_find(&s->tls, key);
    if (at)
        return (uint32_t)*at - 1;
    au_src_obj o = {.kind = OBJ_STACK,
                    .frame = s->thread.at[thread].frame,
                    .insn = UINT32_MAX - 8,
                    .thread = thread,
                    .vague = true, /* what lies there the library changes at any call */
                    .name = name};
    uint32_t id = au_src_obj_add(s, o);
    *au_map_put(&s->tls, key, NULL) = id + 1;
    return id;
}

/* --- frames ---------------------------------------------------------------------- */

static uint32_t add_frame(src *s, uint32_t fn, uint32_t thread, uint32_t parent, uint32_t insn,
                          bool shared) {
    const au_src_fn *f = au_src_fn_get(s, fn);
    au_src_frame r = {.fn = fn,
                      .thread = thread,
                      .parent = parent,
                      .insn = insn,
                      .shared = shared,
                      .again = shared,
                      .return_to = AU_NONE,
                      .landing = AU_NONE,
                      .entry = AU_NONE,
                      .back = AU_NONE,
                      .unwind = AU_NONE};
    r.node = au_src_node_add(s, f->f->slots + 1 + f->f->result_slots);
    r.result = r.node + f->f->slots + 1;
    if (parent != AU_NONE && !shared) {
        const au_src_frame *p = &s->frame.at[parent];
        const au_src_fn *pf = &s->fn.at[p->fn];
        r.again = p->again || pf->cyclic[insn - pf->f->first];
        r.depth = p->depth + 1;
    }
    s->thread.at[thread].instructions += f->f->n;
    s->instructions += f->f->n;
    uint32_t id = (uint32_t)s->frame.n;
    au_vec_push(&s->frame, r);
    au_vec_push(&s->new_frame, id);
    return id;
}

static uint32_t shared_frame(src *s, uint32_t thread, uint32_t fn) {
    uint64_t key = au_key2(thread, fn), *at = au_map_find(&s->shared_frame, key);
    if (at)
        return (uint32_t)*at - 1;
    uint32_t id = add_frame(s, fn, thread, AU_NONE, AU_NONE, true);
    *au_map_put(&s->shared_frame, key, NULL) = id + 1;
    return id;
}

static bool is_ancestor(const src *s, uint32_t frame, uint32_t fn) {
    for (uint32_t f = frame; f != AU_NONE; f = s->frame.at[f].parent)
        if (s->frame.at[f].fn == fn)
            return true;
    return false;
}

/* One operand's slot to a node. */
static void flow_operand(src *s, uint32_t frame, au_operand o, uint32_t to) {
    if (o >= 0) {
        au_src_edge(s, s->frame.at[frame].node + (uint32_t)o, to);
        return;
    }
    uint32_t loc = au_src_const_loc(s, frame, o);
    if (loc != AU_NONE)
        au_src_points_add(s, to, loc);
}

static void flow_any(src *s, uint32_t frame, au_operand o, uint32_t to) {
    if (o >= 0) {
        au_src_use_add(s, s->frame.at[frame].node + (uint32_t)o,
                       (au_src_use){.kind = USE_ANY, .to = to});
        return;
    }
    uint32_t loc = au_src_const_loc(s, frame, o);
    if (loc != AU_NONE)
        au_src_points_add(s, to,
                          au_src_loc_of(s, (au_src_loc){.obj = s->loc.at[loc].obj, .stride = 1}));
}

/* What the table says of the function that this call names; NULL: its code is there, or nothing. */
static const au_libc *library_of(const src *s, uint32_t frame, uint32_t insn) {
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    const struct au_code_call *c = &f->code->call[f->code->insn[insn].aux];
    if (!c->name || au_src_direct(s, s->frame.at[frame].fn, c) != AU_NONE)
        return NULL;
    return au_src_library_find(au_code_text(f->code, c->name));
}

static void bind(src *s, uint32_t frame, uint32_t insn, uint32_t callee, bool outside) {
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn], *g = &s->fn.at[s->frame.at[callee].fn];
    const au_code_insn *i = &f->code->insn[insn];
    const struct au_code_call *c = &f->code->call[i->aux];
    const au_libc *lib = library_of(s, frame, insn);
    bool once = lib && lib->does == AU_DOES_SYNC && lib->sync == AU_SYNC_ONCE;
    bool callback = lib && lib->does == AU_DOES_CALLBACK;
    uint32_t base = s->frame.at[callee].node;
    for (uint32_t k = 0; k < g->f->n_params && !once; k++) {
        const struct au_code_arg *p = &g->code->arg[g->f->param + k];
        if (outside || callback) {
            for (uint32_t j = 0; j < p->slots; j++) {
                uint32_t to = base + (uint32_t)p->at + j;
                if (outside)
                    au_src_edge(s, s->handed, to);
                for (uint32_t a = 0; callback && a < c->n_args; a++)
                    flow_any(s, frame, f->code->arg[c->arg + a].at, to);
                if (callback && strchr(lib->args, 'x'))
                    au_src_points_add(s, to, au_src_loc_of(s, (au_src_loc){.obj = s->outside}));
            }
            continue;
        }
        if (k >= c->n_args)
            break;
        const struct au_code_arg *a = &f->code->arg[c->arg + k];
        if (p->byval) {
            uint32_t obj =
                au_src_obj_of_heap(s, callee, UINT32_MAX - 16 - k, false, p->byval, true);
            uint32_t loc = au_src_loc_of(s, (au_src_loc){.obj = obj});
            au_src_points_add(s, base + (uint32_t)p->at, loc);
            uint32_t to = au_src_node_add(s, 2), from = to + 1, call = (uint32_t)s->bulk_call.n;
            au_src_bulk_call b = {.to = to, .from = from, .bytes = p->byval};
            au_vec_push(&s->bulk_call, b);
            au_src_use_add(s, to, (au_src_use){.kind = USE_BULK_TO, .to = call});
            au_src_use_add(s, from, (au_src_use){.kind = USE_BULK_FROM, .to = call});
            au_src_points_add(s, to, loc);
            flow_operand(s, frame, a->at, from);
            continue;
        }
        for (uint32_t j = 0; j < p->slots && j < a->slots; j++)
            flow_operand(s, frame, a->at >= 0 ? a->at + (au_operand)j : a->at - (au_operand)j,
                         base + (uint32_t)p->at + j);
    }
    if (g->f->varargs) /* what is passed so is found again through outside memory only */
        for (uint32_t k = g->f->n_params; k < c->n_args; k++)
            for (uint32_t j = 0; j < f->code->arg[c->arg + k].slots; j++) {
                au_operand at = f->code->arg[c->arg + k].at;
                flow_operand(s, frame, at >= 0 ? at + (au_operand)j : at - (au_operand)j,
                             s->out_node);
            }
    if (outside || once || callback || i->dst == AU_NONE)
        return;
    for (uint32_t j = 0; j < c->result_slots && j < g->f->result_slots; j++)
        au_src_edge(s, s->frame.at[callee].result + j, s->frame.at[frame].node + i->dst + j);
}

void au_src_call_found(src *s, uint32_t frame, uint32_t insn, uint32_t fn, bool outside) {
    uint64_t key = au_key2(frame, insn);
    uint64_t *at = au_map_put(&s->call_at, key, NULL);
    uint32_t n = 0;
    for (uint32_t k = (uint32_t)*at; k; k = s->call.at[k - 1].next, n++)
        if (s->call.at[k - 1].fn == fn)
            return;
    const au_src_frame *f = &s->frame.at[frame];
    uint32_t thread = f->thread;
    const au_src_fn *g = au_src_fn_get(s, fn);
    bool share = outside || f->shared || f->depth >= AU_LIMIT_SRC_DEPTH ||
                 is_ancestor(s, frame, fn) ||
                 s->thread.at[thread].instructions + (uint64_t)g->f->n > s->o.inline_budget ||
                 s->instructions + g->f->n > 4 * (uint64_t)s->o.inline_budget || n >= 4;
    if (f->depth >= AU_LIMIT_SRC_DEPTH && !f->shared && !outside)
        au_src_over_limit(s, AU_AT_SRC_DEPTH);
    au_src_call row = {.insn = insn, .fn = fn, .next = (uint32_t)*au_map_find(&s->call_at, key)};
    row.frame = share ? shared_frame(s, thread, fn) : add_frame(s, fn, thread, frame, insn, false);
    const au_libc *lib = library_of(s, frame, insn);
    if (lib && lib->does == AU_DOES_CALLBACK) /* one call of it may call its function often */
        s->frame.at[row.frame].again = true;
    au_vec_push(&s->call, row);
    *au_map_find(&s->call_at, key) = s->call.n;
    bool known = false;
    au_src_frame *me = &s->frame.at[frame];
    for (size_t i = 0; i < me->callee.n && !known; i++)
        known = me->callee.at[i] == row.frame;
    if (!known)
        au_vec_push(&me->callee, row.frame);
    bind(s, frame, insn, row.frame, outside);
}

/* --- threads --------------------------------------------------------------------- */

uint32_t au_src_thread_add(src *s, uint32_t fn, uint32_t by_frame, uint32_t by_insn,
                           uint32_t instance, bool several) {
    au_src_thread t = {.fn = fn,
                       .by_frame = by_frame,
                       .by_insn = by_insn,
                       .instance = instance,
                       .several = several,
                       .like = AU_NONE,
                       .argument = AU_NONE};
    uint32_t id = (uint32_t)s->thread.n;
    t.handle = UINT64_C(0x7f0000000000) + id;
    au_vec_push(&s->thread, t);
    uint32_t node = au_src_node_add(s, 1);
    au_vec_push(&s->specific, node);
    uint32_t frame = add_frame(s, fn, id, AU_NONE, AU_NONE, false);
    s->thread.at[id].frame = frame;
    if (by_frame != AU_NONE && s->fn.at[fn].f->result_slots)
        au_src_edge(s, s->frame.at[frame].result, s->joined);
    return id;
}

uint32_t au_src_frame_before(src *s, uint32_t thread, uint32_t fn) {
    uint32_t frame = add_frame(s, fn, thread, AU_NONE, AU_NONE, false);
    au_vec_push(&s->thread.at[thread].before, frame);
    return frame;
}

static void add_created(src *s, uint64_t key, uint32_t thread) {
    uint64_t *at = au_map_put(&s->created_at, key, NULL);
    for (uint32_t k = (uint32_t)*at; k; k = s->created.at[k - 1].next)
        if (s->created.at[k - 1].thread == thread)
            return;
    au_src_created c = {.thread = thread, .next = (uint32_t)*at};
    au_vec_push(&s->created, c);
    *at = s->created.n;
}

static void pass_argument(src *s, uint32_t frame, uint32_t insn, uint32_t thread) {
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    const struct au_code_call *c = &f->code->call[f->code->insn[insn].aux];
    const au_libc *lib = au_src_library_find(au_code_text(f->code, c->name));
    const char *a = lib ? strchr(lib->args, 'a') : NULL;
    uint32_t fn = s->thread.at[thread].fn;
    if (lib && lib->sync == AU_SYNC_START && s->fn.at[fn].f->n_params) {
        const uint64_t *object = au_map_find(&s->start_at, au_key2(frame, insn));
        const struct au_code_arg *me = &s->fn.at[fn].code->arg[s->fn.at[fn].f->param];
        s->thread.at[thread].any_argument = true;
        if (object)
            au_src_edge(s, (uint32_t)*object - 1,
                        s->frame.at[s->thread.at[thread].frame].node + (uint32_t)me->at);
        return;
    }
    if (!a || !s->fn.at[fn].f->n_params || (uint32_t)(a - lib->args) >= c->n_args)
        return;
    const struct au_code_arg *p = &s->fn.at[fn].code->arg[s->fn.at[fn].f->param];
    flow_operand(s, frame, f->code->arg[c->arg + (uint32_t)(a - lib->args)].at,
                 s->frame.at[s->thread.at[thread].frame].node + (uint32_t)p->at);
}

/* A thread that this call makes when another thread, or another function, executes it. */
static uint32_t of_site(const src *s, uint32_t frame, uint32_t insn, uint32_t fn) {
    for (uint32_t t = 0; t < s->thread.n; t++) {
        const au_src_thread *th = &s->thread.at[t];
        if (th->fn == fn && th->by_insn == insn && th->by_frame != AU_NONE && th->like == AU_NONE &&
            s->frame.at[th->by_frame].fn == s->frame.at[frame].fn)
            return t;
    }
    return AU_NONE;
}

static uint32_t instances_of(const src *s, uint32_t thread) {
    const au_src_thread *of = &s->thread.at[thread];
    uint32_t n = 0;
    for (uint32_t t = 0; t < s->thread.n; t++) {
        const au_src_thread *th = &s->thread.at[t];
        n += th->fn == of->fn &&
             (th->like == thread || (th->by_frame == of->by_frame && th->by_insn == of->by_insn));
    }
    return n;
}

void au_src_create_found(src *s, uint32_t frame, uint32_t insn, uint32_t fn) {
    uint64_t key = au_key2(frame, insn);
    const uint64_t *at = au_map_find(&s->created_at, key);
    for (uint32_t k = at ? (uint32_t)*at : 0; k; k = s->created.at[k - 1].next)
        if (s->thread.at[s->created.at[k - 1].thread].fn == fn)
            return;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    /* A thread that creates its own kind, through whatever others: it is among those there are. */
    uint32_t same = AU_NONE;
    for (uint32_t t = s->frame.at[frame].thread; t != AU_NONE && same == AU_NONE;) {
        const au_src_thread *th = &s->thread.at[t];
        if (th->fn == fn && th->by_insn == insn && th->by_frame != AU_NONE &&
            s->frame.at[th->by_frame].fn == s->frame.at[frame].fn)
            same = t;
        t = th->by_frame == AU_NONE ? AU_NONE : s->frame.at[th->by_frame].thread;
    }
    uint32_t site = same == AU_NONE && s->thread.n >= AU_LIMIT_SRC_SITE_THREADS
                        ? of_site(s, frame, insn, fn)
                        : AU_NONE;
    if (site != AU_NONE && instances_of(s, site) < s->o.instances) {
        /* There was one, and this call makes another. */
        s->thread.at[site].several = true;
        uint32_t t = au_src_thread_add(s, fn, frame, insn, instances_of(s, site), true);
        s->thread.at[t].like = site;
        add_created(s, key, t);
        pass_argument(s, frame, insn, t);
    }
    if (site != AU_NONE)
        au_src_over_limit(s, AU_AT_SRC_SITE_THREADS);
    if (same == AU_NONE)
        same = site;
    if (same == AU_NONE && s->thread.n >= AU_LIMIT_SRC_THREADS) {
        for (uint32_t t = 0; t < s->thread.n && same == AU_NONE; t++)
            if (s->thread.at[t].fn == fn && s->thread.at[t].by_frame != AU_NONE)
                same = t;
        au_src_over(s, frame, insn, "%s",
                    au_limit_say(AU_AT_SRC_THREADS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
        if (same == AU_NONE) {
            au_error_set(s->err, AU_EUNSUPPORTED, "the program has %s",
                         au_limit_say(AU_AT_SRC_THREADS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
            s->failed = true;
            return;
        }
    }
    if (same != AU_NONE) {
        uint32_t of_frame = s->thread.at[same].by_frame, of_insn = s->thread.at[same].by_insn;
        for (uint32_t t = 0; t < s->thread.n; t++)
            if (s->thread.at[t].fn == fn &&
                ((s->thread.at[t].by_frame == of_frame && s->thread.at[t].by_insn == of_insn) ||
                 s->thread.at[t].like == same)) {
                s->thread.at[t].several = true;
                add_created(s, key, t);
                pass_argument(s, frame, insn, t);
            }
        return;
    }
    bool several = s->frame.at[frame].again || f->cyclic[insn - f->f->first];
    for (uint32_t k = 0; k < (several ? s->o.instances : 1); k++) {
        uint32_t t = au_src_thread_add(s, fn, frame, insn, k, several);
        add_created(s, key, t);
        pass_argument(s, frame, insn, t);
    }
}

/* --- at the end ------------------------------------------------------------------ */

/* A shared frame is recursive if it can call itself. */
static void find_recursion(src *s) {
    AU_VEC(uint32_t) stack = {0};
    uint32_t *seen = au_alloc_array(s->frame.n + 1, sizeof *seen);
    for (uint32_t f = 0; f < s->frame.n; f++) {
        if (!s->frame.at[f].shared)
            continue;
        au_vec_clear(&stack);
        au_vec_push(&stack, f);
        while (stack.n && !s->frame.at[f].recursive) {
            const au_src_frame *r = &s->frame.at[au_vec_pop(&stack)];
            for (size_t i = 0; i < r->callee.n; i++) {
                uint32_t to = r->callee.at[i];
                if (to == f)
                    s->frame.at[f].recursive = true;
                if (seen[to] == f + 1)
                    continue;
                seen[to] = f + 1;
                au_vec_push(&stack, to);
            }
        }
    }
    free(seen);
    au_vec_release(&stack);
}

void au_src_frames_finish(src *s) {
    find_recursion(s);
    for (size_t i = 0; i < s->obj.n; i++) {
        au_src_obj *o = &s->obj.at[i];
        if (o->kind != OBJ_HEAP && o->kind != OBJ_STACK)
            continue;
        const au_src_frame *r = &s->frame.at[o->frame];
        const au_src_fn *f = &s->fn.at[r->fn];
        bool cyclic = o->insn < f->f->first + f->f->n && f->cyclic[o->insn - f->f->first];
        o->many = cyclic || (o->kind == OBJ_HEAP ? r->again : r->recursive);
    }
}
