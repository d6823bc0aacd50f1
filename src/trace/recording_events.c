/* trace/recording_events.c: one hook of the program as events of the trace. */
#include "trace/recording_priv.h"

#include <stdio.h>

/* ---- objects, in both passes ------------------------------------------------------------ */

au_object *au_recording_birth(au_recording *d, const au_stream_record *r) {
    bool block = r->op == AU_OP_ALLOC;
    au_place *p = au_place_of(d, r->site);
    uint64_t n = r->len;
    if (!n || r->address + n < r->address)
        return NULL;
    if (d->surveyed) {
        au_again_birth(d);
        au_cells_begin(&d->cells, r->address, n, au_name_sync_gone, d);
    } else {
        au_epochs_begin(&d->epochs, &d->survey, r->address, n);
        au_survey_begin(&d->survey, r->address, n);
    }
    au_object x = {.start = r->address,
                   .size = n,
                   .place = (uint32_t)(p - d->places.place.at),
                   .thread = r->thread,
                   .kind = block ? AU_OBJECT_HEAP : AU_OBJECT_LOCAL};
    if (block || !p->tables) {
        x.kind = AU_OBJECT_HEAP; /* of a local variable without tables nobody knows its name */
        x.number = ++p->made;
        if (d->opts.words)
            x.number =
                (uint32_t)++ * au_map_put(&d->locals, (uint64_t)x.place << 16 | r->thread, NULL);
    } else {
        const struct au_tab_site *s = &p->tables->site[p->site];
        x.tables = p->tables;
        x.type = s->type;
        x.name = s->name;
        x.func = s->func;
        uint64_t *made = au_map_put(&d->locals, (uint64_t)x.place << 16 | r->thread, NULL);
        x.number = (uint32_t)++ * made;
    }
    return au_objects_add(&d->objects, &x);
}

/* ---- paths of threads ---------------------------------------------------------------------- */

static struct au_rec_path *path_at(au_recording *d, uint32_t thread) {
    while (d->path.n <= thread)
        au_vec_push(&d->path, ((struct au_rec_path){0, 0}));
    return &d->path.at[thread];
}

uint32_t au_recording_maker(au_recording *d, uint32_t thread) {
    struct au_rec_path *p = path_at(d, thread);
    if (!p->id) {
        char name[32];
        int n = snprintf(name, sizeof name, thread ? "T?%u" : "T%u", thread);
        p->id = au_intern_add(&d->opts.words->path, name, (size_t)n) + 1;
    }
    return p->id - 1;
}

void au_recording_forked(au_recording *d, uint32_t thread, uint64_t child) {
    if (!d->opts.words || child > UINT16_MAX)
        return;
    uint32_t by = au_recording_maker(d, thread);
    struct au_rec_path *c = path_at(d, (uint32_t)child);
    char *name =
        au_sprintf("%s.%u", au_intern_str(&d->opts.words->path, by), ++d->path.at[thread].made);
    c->id = au_intern_add(&d->opts.words->path, name, strlen(name)) + 1;
    free(name);
}

/* ---- the survey --------------------------------------------------------------------------- */

/* What the pointer's type says of the block it points into. */
static void learn(au_recording *d, const au_stream_record *r, au_place *p) {
    enum { TRIES = 8 };
    uint32_t type = p->tables ? p->tables->site[p->site].type : 0;
    if (!type || p->asked >= TRIES)
        return;
    p->asked++;
    const au_object *x = au_objects_find(&d->objects, r->address);
    if (!x || x->kind != AU_OBJECT_HEAP)
        return;
    au_place *made = &d->places.place.at[x->place];
    uint64_t size = au_tables_size(p->tables, type);
    uint8_t kind = p->tables->type[type - 1].kind;
    const struct au_tab_type *before = made->type ? &made->type_tables->type[made->type - 1] : NULL;
    /* One that is all of the block is better than one that it holds several of: the base class of a node. */
    bool better =
        !before || (kind == AU_TYPE_STRUCT &&
                    (before->kind != AU_TYPE_STRUCT ||
                     (size == x->size && au_tables_size(made->type_tables, made->type) < size)));
    if (size && x->size % size == 0 && better)
        made->type = type, made->type_tables = p->tables;
}

/* Who holds a robust mutex when he ends gives it back; that it is one shows when somebody
 * else gets it then. */
static void survey_lock(au_recording *d, const au_stream_record *r) {
    if (r->op == AU_OP_EXIT) {
        *au_map_put(&d->exited, r->thread, NULL) = 1;
        return;
    }
    uint64_t *holder = au_map_put(&d->holder, r->address, NULL);
    if (r->op == AU_OP_ACQ && *holder && *holder != r->thread + 1u &&
        au_map_find(&d->exited, *holder - 1))
        *au_map_put(&d->robust, r->address, NULL) = 1;
    *holder = r->op == AU_OP_ACQ ? r->thread + 1u : 0;
}

static void survey_words(au_recording *d, const au_stream_record *r) {
    au_words *w = d->opts.words;
    switch (r->op) {
    case AU_OP_FORK:
        au_recording_forked(d, r->thread, r->address);
        break;
    case AU_OP_READ:
    case AU_OP_WRITE:
    case AU_OP_AREAD:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        au_words_access(w, r->address, r->size, au_recording_maker(d, r->thread),
                        !au_sop_is_read(r->op));
        break;
    case AU_SOP_RREAD:
    case AU_SOP_RWRITE:
    case AU_SOP_RSET:
    case AU_SOP_RCOPY:
        au_words_access(w, r->address, r->len, au_recording_maker(d, r->thread),
                        r->op != AU_SOP_RREAD);
        break;
    case AU_OP_FREE: {
        const au_object *x = au_objects_find(&d->objects, r->address);
        if (x && x->start == r->address)
            au_words_free(w, x->start, x->size, au_recording_maker(d, r->thread));
        break;
    }
    default:
        break;
    }
}

static void survey_access(au_recording *d, const au_stream_record *r) {
    d->accesses++;
    if (d->epochs.on)
        au_epochs_access(&d->epochs, r);
    if (r->told) /* types do not change from one expected access to the next */
        learn(d, r, au_place_of(d, r->site));
}

uint64_t au_recording_accessed(const au_stream_record *r) {
    if (r->op < AU_OPS)
        return au_op_is_access(r->op) ? r->size : 0;
    return r->op >= AU_SOP_RREAD && r->op <= AU_SOP_RCOPY ? r->len : 0;
}

/* Memory that is mapped several times is where it was mapped first: 'own' is the record as it is there. */
static const au_stream_record *at_first(au_recording *d, const au_stream_record *r,
                                        au_stream_record *own) {
    uint64_t n = au_recording_accessed(r),
             first = n ? au_mappings_first(&d->mapped, r->address, n) : r->address;
    d->moved = r->address - first;
    if (!d->moved)
        return r;
    *own = *r;
    own->address = first;
    return own;
}

void au_recording_survey(au_recording *d, const au_stream_record *r) {
    au_stream_record own;
    if ((r->op == AU_OP_READ || r->op == AU_OP_WRITE) && !d->opts.words && !d->opaque.patched &&
        d->mapped.n <= 1) { /* nearly all */
        if (r->size)
            au_survey_access(&d->survey, r->address, r->size, r->thread, r->op == AU_OP_WRITE);
        survey_access(d, r);
        return;
    }
    if (d->opts.words)
        survey_words(d, r);
    if (d->opaque.patched)
        au_opaque_read(d, r);
    if (d->mapped.n > 1)
        r = at_first(d, r, &own);
    if (r->op < AU_OPS && au_op_space(r->op) == AU_WIRE_SPACE_LOCK)
        au_opaque_survey(d, r, NULL);
    switch (r->op) {
    case AU_OP_XCALL:
        au_talk_survey(d, au_place_of(d, r->site));
        au_opaque_survey(d, r, au_place_of(d, r->site));
        return;
    case AU_OP_XRET:
    case AU_OP_CALL:
    case AU_OP_RET:
    case AU_SOP_LAND:
    case AU_OP_FORK:
    case AU_OP_JOIN:
        if (d->epochs.on)
            au_epochs_forked(&d->epochs, r);
        au_opaque_survey(d, r, au_place_of(d, r->site));
        return;
    case AU_OP_ACQ:
    case AU_OP_REL:
    case AU_OP_EXIT:
        survey_lock(d, r);
        return;
    case AU_OP_READ:
    case AU_OP_WRITE:
    case AU_OP_AREAD:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        if (r->size)
            au_survey_access(&d->survey, r->address, r->size, r->thread, !au_sop_is_read(r->op));
        break;
    case AU_SOP_RREAD:
    case AU_SOP_RWRITE:
    case AU_SOP_RSET:
    case AU_SOP_RCOPY:
        au_survey_range(&d->survey, r->address, r->len, r->thread, r->op != AU_SOP_RREAD);
        au_channel_survey(d, r);
        break;
    case AU_OP_ALLOC:
    case AU_SOP_FRAME:
        au_recording_birth(d, r);
        return;
    case AU_OP_FREE: {
        const au_object *x = au_objects_find(&d->objects, r->address);
        if (x && x->start == r->address) {
            au_epochs_free_range(&d->epochs, r, x->start, x->size);
            au_survey_free_range(&d->survey, x->start, x->size, r->thread);
        }
        return;
    }
    default:
        return;
    }
    survey_access(d, r);
}

/* ---- the second pass ------------------------------------------------------------------------ */

static void put(au_recording *d, au_op op, uint32_t obj, const int64_t *value) {
    au_columns *c = d->c;
    if (c->n == c->cap)
        au_columns_reserve(c, c->n + 1);
    size_t i = c->n++;
    c->op[i] = op;
    c->thread[i] = d->r->thread;
    c->obj[i] = obj;
    c->loc[i] = d->loc;
    c->value[i] = value ? *value : 0;
    c->has_value[i] = value != NULL;
    d->parts++;
}

void au_recording_tell(au_recording *d, au_op op, uint32_t obj) {
    put(d, op, obj, NULL);
}

/* Functions for atomics tell those wider than a word as ranges. */
static au_op access_op(const au_recording *d) {
    uint8_t op = d->r->op;
    if (op < AU_SOP_RREAD)
        return op;
    if (op == AU_SOP_RREAD)
        return d->atomic ? AU_OP_AREAD : AU_OP_READ;
    return d->atomic ? AU_OP_AWRITE : AU_OP_WRITE;
}

/* 4 and 8 bytes are taken for signed, smaller ones not. */
static int64_t as_value(uint64_t bits, unsigned n) {
    if (n >= 8)
        return (int64_t)bits;
    bits &= (UINT64_C(1) << 8 * n) - 1;
    return n == 4 ? (int32_t)bits : (int64_t)bits;
}

static uint32_t var_at(au_recording *d, struct au_cell_word *w, uint64_t at, uint64_t n) {
    uint32_t *v = &au_cells_vars(&d->cells, w)[at & 7];
    if (!*v) {
        uint32_t var = au_name_cell(d, at, n);
        *v = var + 1;
    }
    return *v - 1;
}

/* The part [at, at+n) of the access, one cell. */
static void put_cell(au_recording *d, uint64_t at, uint64_t n) {
    const au_stream_record *r = d->r;
    struct au_cell_word *w = au_cells_touch(&d->cells, at);
    uint32_t var = var_at(d, w, at, n);
    if (n > 8 || (r->op < AU_SOP_RREAD && at < r->address + 8 && at - r->address + n > 8)) {
        put(d, access_op(d), var, NULL);
        return;
    }
    if (d->thin) { /* it would go unheard */
        put(d, access_op(d), var, NULL);
        return;
    }
    uint64_t bits = 0;
    if (r->op < AU_SOP_RREAD && at < r->address + 8) /* beyond: a PATCH before it told */
        bits = r->value >> 8 * (at - r->address);
    else
        bits = au_shadow_get(au_stream_memory(d->stream), at + d->moved, (unsigned)n);
    int64_t value = as_value(bits, (unsigned)n);
    put(d, access_op(d), var, &value);
}

/* An access of memory that nobody shares: one event, or none. */
static void put_own(au_recording *d, uint64_t n) {
    const au_stream_record *r = d->r;
    if (d->opts.fold)
        return;
    if (n)
        put_cell(d, r->address, n);
    else
        put(d, access_op(d), au_name_own(d, r->thread), NULL);
}

/* A range of any length, cell by cell. While the survey goes on, accesses that divide it are still to come: a short
 * one is one cell a word. */
static void access_range(au_recording *d, uint64_t n) {
    enum { A_FEW_WORDS = 64 };
    uint64_t at = d->r->address, end = at + n, from = 0;
    bool open = false, any = false;
    uint64_t k = at >> 3, words = (((end - 1) >> 3) - k + 1) & (UINT64_MAX >> 3); /* may wrap */
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = (k + i) << 3;
        struct au_cell_word *w = au_cells_touch(&d->cells, word);
        if (w->state != AU_CELLS_SHARED) {
            if (open)
                put_cell(d, from, word - from);
            open = false;
            continue;
        }
        any = true;
        unsigned starts = w->bounds | (d->cells.growing && words <= A_FEW_WORDS);
        if (i == 0)
            starts = (starts | 1u << (at & 7)) & (0xffu << (at & 7));
        else if (!open)
            starts |= 1;
        if (i == words - 1 && (end & 7))
            starts &= (1u << (end & 7)) - 1;
        for (; starts; starts &= starts - 1) {
            uint64_t next = word + (unsigned)__builtin_ctz(starts);
            if (open)
                put_cell(d, from, next - from);
            from = next;
            open = true;
        }
    }
    if (open)
        put_cell(d, from, end - from);
    if (!any)
        put_own(d, n);
}

static void access_small(au_recording *d) {
    const au_stream_record *r = d->r;
    unsigned off = r->address & 7, n = r->size;
    if (off + n > 8 || !n) {
        if (n)
            access_range(d, n);
        else
            put_own(d, 0);
        return;
    }
    struct au_cell_word *w = au_cells_touch(&d->cells, r->address);
    if (w->state != AU_CELLS_SHARED) {
        put_own(d, n);
        return;
    }
    unsigned inside = ((1u << (off + n)) - 1) & ~((2u << off) - 1);
    if (w->bounds & inside) {
        access_range(d, n);
        return;
    }
    int64_t value = as_value(r->value, n);
    put(d, r->op, var_at(d, w, r->address, n), &value);
}

static void free_cell(void *ctx, uint64_t at, uint32_t var) {
    au_recording *d = ctx;
    (void)at;
    au_map_put(&d->facts.freed, au_key2(d->loc, var), NULL);
    put(d, AU_OP_WRITE, var, NULL);
}

/* A free writes all of the block: who still uses it races with that. */
static void release(au_recording *d) {
    au_object *x = au_objects_find(&d->objects, d->r->address);
    if (!x || x->start != d->r->address) {
        if (!d->opts.fold)
            put(d, AU_OP_FREE, au_name_own(d, d->r->thread), NULL);
        return;
    }
    x->freed = true;
    if (!d->opts.fold)
        put(d, AU_OP_FREE, au_name_object(d, x), NULL);
    au_cells_each(&d->cells, x->start, x->size, free_cell, d);
}

static void birth(au_recording *d) {
    au_object *x = au_recording_birth(d, d->r);
    if (!d->opts.fold)
        put(d, AU_OP_ALLOC, x ? au_name_object(d, x) : au_name_own(d, d->r->thread), NULL);
}

/* ---- synchronisation ------------------------------------------------------------------------ */

static uint64_t reader_key(uint32_t lock, uint16_t thread) {
    return (uint64_t)lock << 16 | thread;
}

/* Before an acquire that the trace could not explain. */
static void make_free(au_recording *d, uint32_t lock) {
    au_lock_state *l = &d->lock.at[lock];
    for (uint16_t t = 0; l->readers && t < d->thread.n; t++) {
        uint64_t *k = au_map_find(&d->readers, reader_key(lock, t));
        if (k)
            *k = 0;
    }
    *l = (au_lock_state){0};
    put(d, AU_OP_INIT, lock, NULL);
}

static void acquire(au_recording *d, uint32_t lock, const int64_t *value) {
    au_lock_state *l = &d->lock.at[lock];
    struct au_sync_info s = au_names_sync(d->names, lock);
    uint8_t kind = s.kind, op = d->r->op;
    uint16_t me = (uint16_t)(d->r->thread + 1);
    bool again = kind == AU_WIRE_OBJ_RLOCK || kind == AU_WIRE_OBJ_UNKNOWN;
    if (au_sync_is_robust(s)) /* whether the one before died with it, the call says, and no event */
        au_recording_reply(d, d->r->thread, AU_REPLY_NUMBER);
    if (op == AU_OP_RDACQ) {
        if (l->holder && (l->holder != me || !again))
            make_free(d, lock);
        if (!l->holder) {
            ++*au_map_put(&d->readers, reader_key(lock, d->r->thread), NULL);
            l->readers++;
        } else {
            l->depth++;
        }
    } else {
        if (l->readers || (l->holder && (l->holder != me || !again)))
            make_free(d, lock);
        l->holder = me;
        l->depth++;
    }
    put(d, op, lock, value);
}

static void release_lock(au_recording *d, uint32_t lock) {
    au_lock_state *l = &d->lock.at[lock];
    uint64_t *reads = l->readers ? au_map_find(&d->readers, reader_key(lock, d->r->thread)) : NULL;
    if (l->holder == d->r->thread + 1) {
        if (!--l->depth)
            l->holder = 0;
    } else if (reads && *reads) {
        --*reads;
        l->readers--;
    } else {
        int64_t why = AU_LOCKERR_NOT_OWNER;
        put(d, AU_OP_LOCKERR, lock, &why);
        return;
    }
    put(d, AU_OP_REL, lock, NULL);
}

/* A thread that waits has no event but the end of that; if it was cancelled, the trace
 * does not have it. */
static void end_waits(au_recording *d, au_rec_thread *t) {
    if (t->waits)
        put(d, AU_OP_WAKE, t->waits - 1, NULL);
    if (t->arrived)
        put(d, AU_OP_LEAVE, t->arrived - 1, NULL);
    t->waits = t->arrived = 0;
}

static void synchronise(au_recording *d) {
    const au_stream_record *r = d->r;
    uint32_t lock = au_name_sync(d, r->address);
    au_rec_thread *t = &d->thread.at[r->thread];
    int64_t number = (int64_t)r->value, *value = r->value ? &number : NULL;
    bool sem = au_names_sync(d->names, lock).kind == AU_WIRE_OBJ_SEM;
    switch (r->op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_RDACQ:
        if (!sem) {
            acquire(d, lock, value);
            return;
        }
        break;
    case AU_OP_REL:
        if (!sem) {
            release_lock(d, lock);
            return;
        }
        break;
    case AU_OP_INIT:
        make_free(d, lock);
        return;
    case AU_OP_WAIT:
        t->waits = lock + 1;
        break;
    case AU_OP_ARRIVE:
        t->arrived = lock + 1;
        break;
    case AU_OP_WAKE:
        if (t->waits != lock + 1)
            return; /* told by nothing */
        t->waits = 0;
        break;
    case AU_OP_LEAVE:
        if (t->arrived != lock + 1)
            return;
        t->arrived = 0;
        break;
    default:
        break;
    }
    put(d, r->op, lock, value);
}

/* ---- the rest ----------------------------------------------------------------------------------- */

static uint32_t block_named(au_recording *d, const char *name) {
    return au_intern_add(&d->names->block, name, strlen(name));
}

static void fail(au_recording *d) {
    static const char *const what[] = {"assertion failed", "abort", "trap", "reach_error"};
    uint64_t k = d->r->value;
    put(d, AU_OP_XCALL, block_named(d, k < 4 ? what[k] : "failure"), NULL);
}

/* See survey_lock. */
static void give_back(au_recording *d) {
    for (size_t i = 0; d->robust.n && i < d->object.n; i++) {
        au_lock_state *l = &d->lock.at[d->object.at[i].lock];
        if (l->holder != d->r->thread + 1u || !au_map_find(&d->robust, d->object.at[i].address))
            continue;
        for (; l->depth; l->depth--)
            put(d, AU_OP_REL, d->object.at[i].lock, NULL);
        l->holder = 0;
    }
}

/* Somewhere between a call of code without hooks and its return it asks what no event tells. */
static void ask_foreign(au_recording *d, uint16_t thread) {
    au_libc_reply kind = au_opaque_foreign(d, thread);
    if (kind)
        au_recording_reply(d, thread, kind);
}

static void other(au_recording *d, au_place *p) {
    const au_stream_record *r = d->r;
    uint32_t library = au_opaque_event(d, r, p);
    int64_t number = (int64_t)r->value;
    au_rec_thread *t = &d->thread.at[r->thread];
    bool functions = !d->opts.fold || d->opts.calls;
    switch (r->op) {
    case AU_OP_FORK:
    case AU_OP_JOIN:
    case AU_OP_DETACH:
        if (r->op == AU_OP_FORK)
            au_recording_forked(d, r->thread, r->address);
        if (r->address < au_stream_threads(d->stream))
            put(d, r->op, au_name_thread(d, (uint32_t)r->address), NULL);
        return;
    case AU_OP_BEGIN: {
        const uint64_t *name = au_map_find(&d->blocks, r->address);
        t->depth++;
        put(d, r->op, name ? (uint32_t)*name : au_place_func(d, p), NULL);
        return;
    }
    case AU_OP_END: {
        const uint64_t *name = au_map_find(&d->blocks, r->address);
        if (!t->depth)
            return;
        t->depth--;
        put(d, r->op, name ? (uint32_t)*name : au_place_func(d, p), NULL);
        return;
    }
    case AU_OP_CALL:
        if (functions)
            put(d, r->op, au_place_func(d, p), NULL);
        return;
    case AU_OP_RET:
        if (functions)
            put(d, r->op, AU_NONE, NULL);
        return;
    case AU_SOP_LAND: /* returns to the frame of this depth */
        if (functions)
            put(d, AU_OP_RET, AU_NONE, &number);
        return;
    case AU_OP_XCALL:
        if (!d->opts.fold && library) {
            int64_t opaque = 1;
            put(d, r->op, au_opaque_name(d, p, library), &opaque);
        } else if (!d->opts.fold || p->once) { /* who asks whether it has begun needs that one */
            put(d, r->op, au_place_func(d, p), NULL);
        }
        au_talk_call(d, p, r->thread);
        if (p->reply)
            au_recording_reply(d, r->thread, p->reply);
        ask_foreign(d, r->thread);
        return;
    case AU_OP_XRET:
        au_talk_return(d, r->thread);
        ask_foreign(d, r->thread);
        if (!d->opts.fold)
            put(d, r->op, AU_NONE, &number);
        return;
    case AU_SOP_FAIL:
        fail(d);
        return;
    case AU_SOP_BEFORE:
    case AU_SOP_AFTER:
        au_ordered_event(d, r);
        return;
    case AU_OP_EXIT:
        give_back(d);
        put(d, r->op, AU_NONE, NULL);
        return;
    default:
        put(d, r->op, AU_NONE, NULL);
        return;
    }
}

/* Could the thread not be stopped between its last event and this one? As the runtime does
 * it: a call is one point, but for waiting, and none for memory functions (malloc, strcpy:
 * the point is before the call); so are the pieces of a long range and the two events of a
 * copy. */
static bool is_glued(const au_recording *d, const au_rec_thread *t, const au_stream_record *r) {
    int code = au_channel_is(r->address) ? au_channel_code_of(r->address) : -1;
    bool inside = code >= 0 && code & AU_CHANNEL_HELD && code & AU_CHANNEL_NOW;
    if (code >= 0 && !inside)
        return false; /* what others sent is waited for here */
    switch (r->op) {
    case AU_OP_WAKE:
    case AU_OP_LEAVE:
    case AU_OP_XCALL:
        return false;
    case AU_OP_ACQ:
        if (t->last.op == AU_OP_WAKE)
            return false;
        break;
    case AU_OP_WAIT:
        return true;
    case AU_SOP_RCOPY:
        if (t->last.op == AU_SOP_RREAD && t->last.address == r->value && t->last.len == r->len)
            return true;
        break;
    default:
        break;
    }
    if (r->op >= AU_SOP_RREAD && r->op <= AU_SOP_RCOPY && r->op == t->last.op &&
        r->address == t->last.address + t->last.len && t->last.len >= 1u << 15)
        return true;
    unsigned kind = au_place_kind(d, r->site);
    bool memory = r->op == AU_OP_ALLOC || r->op == AU_OP_FREE || r->op == AU_OP_READ ||
                  r->op == AU_OP_WRITE || (r->op >= AU_SOP_RREAD && r->op <= AU_SOP_RCOPY) ||
                  au_libc_is_state(r->address);
    return kind >= 2 || (kind && memory);
}

void au_recording_reply(au_recording *d, uint16_t thread, au_libc_reply kind) {
    if (d->thin)
        au_thin_reply(d->thin, thread, kind);
    else if (!d->ahead) /* nobody makes schedules of it */
        au_hooks_reply(&d->hooks, thread, kind);
}

bool au_recording_plain(au_recording *d, const au_stream_record *r) {
    unsigned off = r->address & 7, n = r->size;
    if ((r->op != AU_OP_READ && r->op != AU_OP_WRITE) || !n || off + n > 8 || d->opaque.patched ||
        d->mapped.n > 1 || au_place_kind(d, r->site) || au_channel_is(r->address))
        return false;
    au_rec_thread *t = &d->thread.at[r->thread];
    if (t->waits || t->arrived || t->signalled)
        return false;
    struct au_cell_word *w = au_cells_touch(&d->cells, r->address);
    unsigned inside = ((1u << (off + n)) - 1) & ~((2u << off) - 1);
    bool shared = w->state == AU_CELLS_SHARED;
    if (shared && w->bounds & inside)
        return false;
    t->last.op = r->op;
    t->last.address = r->address;
    t->last.value = r->value;
    t->last.len = r->len;
    if (!shared) {
        au_thin_nothing(d->thin, r->thread, r->index);
        return true;
    }
    d->r = r;
    uint32_t var = var_at(d, w, r->address, n), loc = au_place_loc(d, au_place_of(d, r->site));
    au_thin_access(d->thin, r->thread, r->index, r->op, var, loc);
    return true;
}

void au_recording_event(au_recording *d, const au_stream_record *r) {
    au_place *p = au_place_of(d, r->site);
    d->r = r;
    d->loc = au_place_loc(d, p);
    d->atomic = p->atomic && au_place_kind(d, r->site);
    d->parts = 0;
    au_rec_thread *t = &d->thread.at[r->thread];
    bool glued = is_glued(d, t, r);
    t->last.op = r->op;
    t->last.address = r->address;
    t->last.value = r->value;
    t->last.len = r->len;
    if (__builtin_expect(t->waits || t->arrived, 0) && r->op != AU_OP_WAKE && r->op != AU_OP_LEAVE)
        end_waits(d, t);
    if (__builtin_expect(t->signalled, 0))
        au_talk_signalled(d, r->thread);
    if (d->opaque.patched)
        au_opaque_read(d, r);
    au_stream_record own;
    d->moved = 0;
    if (__builtin_expect(d->mapped.n > 1, 0))
        d->r = r = at_first(d, r, &own);
    switch (r->op) {
    case AU_OP_READ:
    case AU_OP_WRITE:
    case AU_OP_AREAD:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        access_small(d);
        break;
    case AU_SOP_RREAD:
    case AU_SOP_RWRITE:
    case AU_SOP_RSET:
    case AU_SOP_RCOPY: {
        bool channel = au_channel_touches(d, r);
        if (channel)
            au_channel_before(d, r);
        if (r->len)
            access_range(d, r->len);
        else
            put_own(d, 0);
        if (channel)
            au_channel_after(d, r);
        break;
    }
    case AU_OP_ALLOC:
    case AU_SOP_FRAME:
        birth(d);
        break;
    case AU_OP_FREE:
        release(d);
        break;
    default:
        if (r->op < AU_OPS && au_op_space(r->op) == AU_WIRE_SPACE_LOCK) {
            au_opaque_event(d, r, p);
            synchronise(d);
        } else {
            other(d, p);
        }
        break;
    }
    if (!d->parts && !d->opts.fold) /* what a trace cannot say is still a hook */
        put(d, AU_OP_XRET, AU_NONE, NULL);
    if (d->thin)
        au_thin_hook(d->thin, r->thread, r->index, d->c, glued);
    else if (d->base.hooks) /* one pass: too many to be kept (recording_online.c) */
        au_hooks_note(&d->hooks, r->thread, d->parts, glued);
}
