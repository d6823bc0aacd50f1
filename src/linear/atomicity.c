/* linear/atomicity.c: phase I, one pass over the trace.
 *
 * Every thread has a key: its lock context and must-segment, as a small number. A
 * position is what lies between two events of a thread; its key changes only at lock
 * events and where a segment ends.
 *
 * R and W of (thread, variable): the keys right after its reads and writes. AA: the
 * keys of all positions from the first access in a block up to (but not including)
 * the last; WW: from the first write to the last. An access validates what came
 * before it: all keys that were current since the previous access of this block
 * (what is older was validated by that one). So that a block with many lock events
 * and many variables stays cheap, and long ones need no memory, a block keeps its
 * different keys only, ordered by when each was last entered: the keys since a given
 * moment are the beginning of that list.
 *
 * Nearly every access of a long trace repeats what was seen since the thread's last
 * lock event. Each change of key or block gives the thread a new epoch, and a
 * variable remembers in which epoch a read and a write of it was last exhausted:
 * then the next one costs a comparison.
 *
 * Critical sections as blocks: a section with a condition wait is none, so what is
 * found in one is pending until it is over; since 'wait' follows the release of the
 * lock, until the next lock event after it is over. */
#include "linear/atomicity_priv.h"

#include "wire/libc.h"

#include <string.h>

/* What an operation is for us. */
enum { C_READ, C_WRITE, C_RMW, C_OTHER, C_CALL, C_NOTHING };
static const uint8_t class_of[AU_OPS] = {
    [AU_OP_READ] = C_READ,         [AU_OP_WRITE] = C_WRITE,     [AU_OP_AREAD] = C_READ,
    [AU_OP_AWRITE] = C_WRITE,      [AU_OP_RMW] = C_RMW,         [AU_OP_ACQ] = C_OTHER,
    [AU_OP_REL] = C_OTHER,         [AU_OP_FORK] = C_OTHER,      [AU_OP_JOIN] = C_OTHER,
    [AU_OP_BEGIN] = C_OTHER,       [AU_OP_END] = C_OTHER,       [AU_OP_REQ] = C_NOTHING,
    [AU_OP_RDACQ] = C_OTHER,       [AU_OP_WRACQ] = C_OTHER,     [AU_OP_TRYFAIL] = C_NOTHING,
    [AU_OP_WAIT] = C_OTHER,        [AU_OP_WAKE] = C_NOTHING,    [AU_OP_SIGNAL] = C_NOTHING,
    [AU_OP_BROADCAST] = C_NOTHING, [AU_OP_DOWN] = C_OTHER,      [AU_OP_UP] = C_OTHER,
    [AU_OP_ARRIVE] = C_OTHER,      [AU_OP_LEAVE] = C_OTHER,     [AU_OP_ONCE] = C_NOTHING,
    [AU_OP_FENCE] = C_NOTHING,     [AU_OP_DETACH] = C_NOTHING,  [AU_OP_EXIT] = C_NOTHING,
    [AU_OP_INIT] = C_OTHER,        [AU_OP_DESTROY] = C_NOTHING, [AU_OP_ALLOC] = C_NOTHING,
    [AU_OP_FREE] = C_NOTHING,      [AU_OP_CALL] = C_CALL,       [AU_OP_RET] = C_CALL,
    [AU_OP_XCALL] = C_NOTHING,     [AU_OP_XRET] = C_NOTHING,    [AU_OP_LOCKERR] = C_NOTHING,
};

_Static_assert(AU_OPS == 36, "a new operation needs its class here");

static au_vpage no_page; /* knows nothing: epochs start at 1, masks are empty */

au_atomicity *au_atomicity_new(const au_names *names, const au_atomicity_options *o) {
    au_atomicity *a = AU_NEW(au_atomicity);
    a->o = *o;
    a->mode = o->blocks == AU_BLOCKS_AUTO ? AU_BLOCKS_CRITICAL : o->blocks;
    a->names = names;
    a->must = au_must_new();
    au_must_use_names(a->must, names);
    a->ctx = au_lockctx_new();
    return a;
}

/* What only phase I asks for: as much as the pairs will need. */
static void release_seen(au_athread *th, au_hot *h) {
    for (uint32_t p = 0; p < h->n_pages; p++)
        if (h->page[p] != &no_page)
            free(h->page[p]);
    free(h->page);
    h->page = NULL;
    h->n_pages = 0;
    for (size_t s = 0; s < th->openers.n; s++)
        au_vec_release(&th->openers.at[s].at);
    au_vec_release(&th->openers);
    au_vec_release(&th->live);
    au_keyset_release(&th->have);
    au_map_release(&th->key_of);
    au_map_release(&th->locs);
}

void au_atomicity_forget(au_atomicity *a) {
    for (size_t i = 0; i < a->thread.n; i++) {
        au_athread *th = &a->thread.at[i];
        release_seen(th, &a->hot.at[i]);
        au_lockwalk_release(&th->walk);
        au_vec_release(&th->keys);
        au_vec_release(&th->slot);
        au_vec_release(&th->single);
        au_vec_release(&th->pair);
        for (int k = 0; k < 2; k++)
            au_vec_release(&th->wit[k]);
    }
}

void au_atomicity_free(au_atomicity *a) {
    if (!a)
        return;
    au_atomicity_forget(a);
    au_vec_release(&a->thread);
    au_vec_release(&a->hot);
    au_vec_release(&a->not_nested);
    au_vec_release(&a->combos);
    au_vec_release(&a->first);
    au_online_free(a->online);
    au_must_free(a->must);
    au_lockctx_free(a->ctx);
    free(a);
}

/* --- epochs and pages -------------------------------------------------------------- */

/* After 2^32 epochs or blocks: the old ones must not match. */
static void forget_known(au_athread *th, au_hot *h) {
    for (uint32_t p = 0; p < h->n_pages; p++)
        for (int i = 0; i < 64 && h->page[p] != &no_page; i++) {
            au_known *k = &h->page[p]->at[i];
            k->block = k->wblock = k->epoch[0] = k->epoch[1] = 0;
        }
    au_vec_clear(&th->live);
    for (size_t i = 0; i < th->openers.n; i++)
        th->openers.at[i].block = 0;
    for (size_t i = 0; i < th->keys.n; i++)
        th->keys.at[i].block = 0;
}

static void new_epoch(au_athread *th, au_hot *h) {
    if (++h->epoch)
        return;
    forget_known(th, h);
    h->epoch = 1;
}

static au_vpage *page_of(au_hot *h, uint32_t var) {
    uint32_t p = var / 64;
    if (p >= h->n_pages) {
        uint32_t n = h->n_pages * 2 > p + 1 ? h->n_pages * 2 : p + 1;
        h->page = au_realloc_array(h->page, n, sizeof *h->page);
        for (uint32_t i = h->n_pages; i < n; i++)
            h->page[i] = &no_page;
        h->n_pages = n;
    }
    if (h->page[p] == &no_page)
        h->page[p] = AU_NEW(au_vpage);
    return h->page[p];
}

/* --- keys ------------------------------------------------------------------------------ */

static void unlink_key(au_athread *th, uint32_t k) {
    au_key *x = &th->keys.at[k];
    if (x->newer == AU_NONE)
        th->newest = x->older;
    else
        th->keys.at[x->newer].older = x->older;
    if (x->older != AU_NONE)
        th->keys.at[x->older].newer = x->newer;
}

/* The thread's key is current in its block from now on. */
static void enter_key(au_athread *th, au_hot *h) {
    h->block_has |= h->key_bit;
    au_key *x = &th->keys.at[th->key];
    if (x->block == th->block) {
        if (th->newest == th->key)
            return;
        unlink_key(th, th->key);
    }
    x->block = th->block;
    x->tick = ++th->tick;
    x->newer = AU_NONE;
    x->older = th->newest;
    if (th->newest != AU_NONE)
        th->keys.at[th->newest].newer = th->key;
    th->newest = th->key;
}

static uint32_t bit_of(const au_athread *th, uint32_t key) {
    const au_key *k = &th->keys.at[key];
    return k->bits == th->bits ? k->bit : AU_FEW;
}

/* Gives a key a bit in the masks. When there are none left, all start anew, but not more
 * often than it costs little. */
static void give_bit(au_athread *th, au_hot *h, uint32_t key) {
    if (bit_of(th, key) != AU_FEW)
        return;
    if (th->bits_used == AU_FEW && h->index - th->bits_at > 1024 * (uint64_t)h->n_pages) {
        th->bits++;
        th->bits_used = 0;
        th->bits_at = h->index;
        for (uint32_t p = 0; p < h->n_pages; p++)
            for (int i = 0; i < 64 && h->page[p] != &no_page; i++)
                memset(h->page[p]->at[i].has, 0, sizeof h->page[p]->at[i].has);
        h->block_has = 0;
        if (h->block) /* and the keys that the block has had */
            for (uint32_t k = th->newest; k != AU_NONE; k = th->keys.at[k].older) {
                if (th->bits_used < AU_FEW - 1) {
                    th->keys.at[k].bit = th->bits_used++;
                    th->keys.at[k].bits = th->bits;
                }
                h->block_has |= UINT32_C(1) << bit_of(th, k);
            }
    }
    if (bit_of(th, key) == AU_FEW && th->bits_used < AU_FEW) {
        th->keys.at[key].bit = th->bits_used++;
        th->keys.at[key].bits = th->bits;
    }
}

static void find_key(au_atomicity *a, uint16_t t) {
    au_athread *th = &a->thread.at[t];
    au_hot *h = &a->hot.at[t];
    uint32_t segment = au_must_segment(a->must, t);
    bool fresh;
    uint64_t *at = au_map_put(&th->key_of, au_key2(th->walk.id, segment), &fresh);
    if (fresh) {
        AU_BUG_IF(th->keys.n >> 30);
        *at = th->keys.n;
        au_vec_push(&th->keys, ((au_key){.ctx = th->walk.id, .segment = segment}));
    }
    th->key = (uint32_t)*at;
    give_bit(th, h, th->key);
    h->key_bit = UINT32_C(1) << bit_of(th, th->key);
}

static void change_key(au_atomicity *a, uint16_t t) {
    au_athread *th = &a->thread.at[t];
    au_hot *h = &a->hot.at[t];
    find_key(a, t);
    new_epoch(th, h);
    if (h->block)
        enter_key(th, h);
}

static void add_threads(au_atomicity *a, uint16_t t) {
    while (a->thread.n <= t) {
        uint16_t n = (uint16_t)a->thread.n;
        au_vec_push(&a->hot, ((au_hot){.epoch = 1}));
        au_athread *th = au_vec_add(&a->thread);
        memset(th, 0, sizeof *th);
        au_map_init(&th->key_of);
        au_map_init(&th->locs);
        th->newest = AU_NONE;
        th->bits = 1;
        find_key(a, n);
    }
}

/* --- blocks ----------------------------------------------------------------------------- */

static uint64_t have_key(const au_witness *w) {
    return (uint64_t)w->slot << 32 | (uint64_t)w->key << 2 | w->kind;
}

static void open_block(au_atomicity *a, uint16_t t) {
    au_athread *th = &a->thread.at[t];
    au_hot *h = &a->hot.at[t];
    if (!++th->block) {
        forget_known(th, h);
        th->block = 1;
    }
    h->block = th->block;
    h->block_has = 0;
    th->tick = 0;
    th->newest = AU_NONE;
    th->rec_mark = (uint32_t)th->pair.n;
    au_vec_clear(&th->live);
    enter_key(th, h);
    new_epoch(th, h);
}

static void close_block(au_atomicity *a, uint16_t t) {
    au_hot *h = &a->hot.at[t];
    h->block = h->block_has = 0;
    new_epoch(&a->thread.at[t], h);
}

static void know(au_athread *th, au_hot *h, const au_witness *w) {
    uint32_t var = th->slot.at[w->slot].var;
    h->page[var / 64]->at[var % 64].has[w->kind] |= (uint16_t)(1u << bit_of(th, w->key));
}

/* What the section that is over (or open at the end of the trace) showed counts. */
static void commit(au_athread *th, au_hot *h, bool all) {
    for (size_t i = th->sure; i < th->wit[1].n && !all; i++)
        know(th, h, &th->wit[1].at[i]);
    th->sure = th->wit[1].n;
    th->ended = false;
}

/* … or not. */
static void drop_section(au_athread *th, const au_hot *h) {
    if (h->block || th->ended)
        th->pair.n = th->rec_mark;
    for (size_t i = th->sure; i < th->wit[1].n; i++)
        au_keyset_remove(&th->have, have_key(&th->wit[1].at[i]));
    th->wit[1].n = th->sure;
    th->ended = false;
}

static void see_wait(au_atomicity *a, uint16_t t) {
    au_athread *th = &a->thread.at[t];
    if (a->mode != AU_BLOCKS_CRITICAL)
        return;
    drop_section(th, &a->hot.at[t]);
    if (a->hot.at[t].block)
        close_block(a, t);
    th->after_wait = au_lockwalk_empty(&th->walk);
}

/* The first 'begin' of a trace: blocks are what is marked, forget the sections. */
static void start_over(au_atomicity *a) {
    a->mode = AU_BLOCKS_MARKED;
    a->restarts++;
    for (size_t i = 0; i < a->thread.n; i++) {
        au_athread *th = &a->thread.at[i];
        for (size_t k = 0; k < th->wit[1].n; k++)
            au_keyset_remove(&th->have, have_key(&th->wit[1].at[k]));
        au_vec_clear(&th->wit[1]);
        th->sure = 0;
        au_vec_clear(&th->pair);
        th->ended = th->after_wait = false;
        au_hot *h = &a->hot.at[i];
        for (uint32_t p = 0; p < h->n_pages; p++)
            for (int j = 0; j < 64 && h->page[p] != &no_page; j++)
                h->page[p]->at[j].has[AU_WIT_AA] = h->page[p]->at[j].has[AU_WIT_WW] = 0;
        if (h->block)
            close_block(a, (uint16_t)i);
    }
}

/* --- events other than accesses --------------------------------------------------------- */

static bool is_lock(const au_atomicity *a, uint32_t obj) {
    return !a->names || au_names_sync(a->names, obj).kind != AU_WIRE_OBJ_SEM;
}

static void acquire(au_atomicity *a, uint16_t t, uint32_t lock, bool shared) {
    au_athread *th = &a->thread.at[t];
    if (th->ended)
        commit(th, &a->hot.at[t], a->o.all);
    bool outermost = au_lockwalk_empty(&th->walk);
    if (au_lockwalk_acq(&th->walk, a->ctx, lock, shared) == AU_LOCK_SAME)
        return;
    change_key(a, t);
    if (a->mode != AU_BLOCKS_CRITICAL || !outermost)
        return;
    if (!th->after_wait)
        open_block(a, t);
    th->after_wait = false;
}

static void release(au_atomicity *a, uint16_t t, uint32_t lock, bool fully, const au_event_ref *e) {
    au_athread *th = &a->thread.at[t];
    au_lock_effect effect = au_lockwalk_rel(&th->walk, a->ctx, lock, fully);
    if (effect == AU_LOCK_SAME)
        return;
    if (effect == AU_LOCK_OUT_OF_ORDER && !th->unnested && !fully) {
        th->unnested = true;
        au_vec_push(&a->not_nested, ((au_not_nested){t, *e}));
    }
    change_key(a, t);
    if (a->mode == AU_BLOCKS_CRITICAL && a->hot.at[t].block && au_lockwalk_empty(&th->walk)) {
        close_block(a, t);
        th->ended = true;
    }
}

static void other(au_atomicity *a, const au_event_ref *e) {
    uint16_t t = e->thread;
    au_athread *th = &a->thread.at[t];
    switch (e->op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_RDACQ:
        if (is_lock(a, e->obj))
            acquire(a, t, e->obj, e->op == AU_OP_RDACQ);
        else if (au_must_event(a->must, e->op, t, e->obj))
            change_key(a, t);
        break;
    case AU_OP_REL:
        if (is_lock(a, e->obj))
            release(a, t, e->obj, false, e);
        else if (au_must_event(a->must, e->op, t, e->obj))
            change_key(a, t);
        break;
    case AU_OP_BEGIN:
        if (a->o.blocks == AU_BLOCKS_AUTO && a->mode == AU_BLOCKS_CRITICAL)
            start_over(a);
        if (!th->depth++ && a->mode == AU_BLOCKS_MARKED)
            open_block(a, t);
        break;
    case AU_OP_END:
        if (th->depth && !--th->depth && a->mode == AU_BLOCKS_MARKED)
            close_block(a, t);
        break;
    case AU_OP_WAIT:
        see_wait(a, t);
        break;
    case AU_OP_INIT: /* whoever held the old object holds nothing now */
        for (size_t i = 0; i < a->thread.n; i++)
            release(a, (uint16_t)i, e->obj, true, e);
        au_must_event(a->must, e->op, t, e->obj);
        break;
    default:
        if (au_must_event(a->must, e->op, t, e->obj))
            change_key(a, t);
    }
}

/* A function is entered or left. A return with a value is the landing of an exception or a
 * longjmp in the frame of that depth. */
static void call(au_atomicity *a, const au_block *b, size_t i) {
    enum { OUTERMOST = 2 }; /* 1: the thread's first function */
    uint16_t t = b->thread[i];
    au_athread *th = &a->thread.at[t];
    uint32_t before = th->calls;
    if (b->op[i] == AU_OP_CALL)
        th->calls += th->calls < UINT32_MAX;
    else if (au_block_has_value(b, i) && b->value[i] >= 0 && b->value[i] < th->calls)
        th->calls = (uint32_t)b->value[i];
    else
        th->calls -= th->calls > 0;
    if (before < OUTERMOST && th->calls >= OUTERMOST)
        open_block(a, t);
    else if (before >= OUTERMOST && th->calls < OUTERMOST)
        close_block(a, t);
}

/* --- accesses ------------------------------------------------------------------------------ */

static uint32_t slot_of(au_atomicity *a, au_athread *th, au_known *k, uint32_t var) {
    if (!k->slot) {
        au_slot *x = au_vec_add(&th->slot);
        *x = (au_slot){.var = var};
        k->slot = (uint32_t)th->slot.n;
        if (a->vars <= var)
            a->vars = var + 1;
    }
    return k->slot - 1;
}

static void add_single(au_athread *th, uint32_t slot, uint32_t key, uint8_t kind,
                       const au_access_place *p) {
    au_witness w = {.slot = slot, .key = key, .kind = kind, .second = AU_NONE};
    if (!au_keyset_add(&th->have, have_key(&w)))
        return;
    w.first = (uint32_t)th->single.n;
    au_vec_push(&th->single, *p);
    au_vec_push(&th->wit[0], w);
}

static uint32_t record(au_athread *th, au_prev *p) {
    if (p->rec == AU_NONE) {
        p->rec = (uint32_t)th->pair.n;
        au_vec_push(&th->pair, p->at);
    }
    return p->rec;
}

static void add_between(au_atomicity *a, au_athread *th, uint32_t slot, uint32_t key, uint8_t kind,
                        au_prev *e1, au_prev *e2) {
    au_witness w = {.slot = slot, .key = key, .kind = kind};
    uint64_t id = have_key(&w);
    if (!au_keyset_add(&th->have, id))
        return;
    w.first = record(th, e1);
    w.second = record(th, e2);
    au_vec_push(&th->wit[1], w);
    if (a->mode != AU_BLOCKS_CRITICAL)
        th->sure = th->wit[1].n;
}

/* All keys since 'done' lie between e1 and e2. */
static void validate(au_atomicity *a, au_athread *th, au_known *known, uint8_t kind, uint64_t done,
                     au_prev *e1, au_prev *e2) {
    for (uint32_t k = th->newest; k != AU_NONE && th->keys.at[k].tick > done;
         k = th->keys.at[k].older) {
        uint32_t bit = UINT32_C(1) << bit_of(th, k);
        if (known->has[kind] & bit)
            continue;
        add_between(a, th, known->slot - 1, k, kind, e1, e2);
        if (a->mode != AU_BLOCKS_CRITICAL)
            known->has[kind] |= (uint16_t)bit; /* nothing for a key without a bit */
    }
}

/* The slot in the current block. */
static au_live *live_of(au_athread *th, uint32_t slot, bool *first) {
    au_slot *s = &th->slot.at[slot];
    *first = s->live >= th->live.n || th->live.at[s->live].slot != slot;
    if (*first) {
        s->live = (uint32_t)th->live.n;
        au_vec_push(&th->live, ((au_live){.slot = slot}));
    }
    return &th->live.at[s->live];
}

static void in_block(au_atomicity *a, au_athread *th, const au_hot *h, au_known *k, bool write,
                     const au_access_place *p) {
    au_prev e2 = {*p, AU_NONE};
    uint64_t tick = th->tick;
    bool first;
    au_live *s = live_of(th, k->slot - 1, &first);
    if (first) {
        k->block = th->block;
        s->a_done = tick - 1;
    } else {
        if (s->a_done < tick)
            validate(a, th, k, AU_WIT_AA, s->a_done, &s->access, &e2);
        s->a_done = tick;
    }
    bool exhausted = !first;
    if (write) {
        if (s->wrote) {
            if (s->w_done < tick)
                validate(a, th, k, AU_WIT_WW, s->w_done, &s->write, &e2);
            s->w_done = tick;
        } else {
            s->w_done = tick - 1;
            s->wrote = true;
            k->wblock = th->block;
            exhausted = false;
        }
        s->write = e2;
    }
    s->access = e2;
    if (exhausted)
        k->epoch[write] = h->epoch;
}

/* 'all': numbers for pairs of numbers. */
static uint32_t combine(au_atomicity *a, au_athread *th, uint32_t x, uint32_t y) {
    bool fresh;
    uint64_t *at = au_map_put(&th->locs, au_key2(x, y), &fresh);
    if (fresh) {
        *at = a->combos.n;
        au_vec_push(&a->combos, au_key2(x, y));
    }
    AU_BUG_IF(*at >> 30);
    return (uint32_t)*at;
}

/* 'all': the key of a witness stands for (key, location or pair of locations). */
static void access_all(au_atomicity *a, au_athread *th, const au_hot *h, uint32_t slot, bool read,
                       bool write, const au_access_place *p) {
    uint32_t mine = combine(a, th, th->key, p->loc);
    if (read)
        add_single(th, slot, mine, AU_WIT_R, p);
    if (write)
        add_single(th, slot, mine, AU_WIT_W, p);
    if (!h->block)
        return;
    while (th->openers.n <= slot)
        memset(au_vec_add(&th->openers), 0, sizeof(au_openers));
    au_openers *s = &th->openers.at[slot];
    if (s->block != th->block) {
        s->block = th->block;
        au_vec_clear(&s->at);
    }
    au_prev e2 = {*p, AU_NONE};
    bool known = false;
    for (size_t i = 0; i < s->at.n; i++) {
        au_block_open o = s->at.at[i];
        au_prev e1 = {o.at, AU_NONE};
        uint32_t locs = combine(a, th, o.at.loc, p->loc);
        for (uint32_t k = th->newest; k != AU_NONE && th->keys.at[k].tick >= o.tick;
             k = th->keys.at[k].older) {
            uint32_t c = combine(a, th, k, locs);
            add_between(a, th, slot, c, AU_WIT_AA, &e1, &e2);
            if (write && o.write)
                add_between(a, th, slot, c, AU_WIT_WW, &e1, &e2);
        }
        known |= o.at.loc == p->loc && o.at.op == p->op;
    }
    if (known)
        return;
    if (s->at.n < AU_LIMIT_BLOCK_LOCATIONS)
        au_vec_push(&s->at, ((au_block_open){*p, th->tick, write}));
    else
        a->truncated++;
}

/* What a library keeps for itself: nobody means two draws of rand to be one. */
static bool is_state(const au_atomicity *a, uint32_t var) {
    return a->names && var < a->names->var.n &&
           au_libc_names_state(au_intern_str(&a->names->var, var));
}

static void access(au_atomicity *a, const au_block *b, size_t i, bool read, bool write) {
    uint16_t t = b->thread[i];
    au_hot *h = &a->hot.at[t];
    au_athread *th = &a->thread.at[t];
    uint32_t var = b->obj[i];
    au_known *k = &page_of(h, var)->at[var % 64];
    if (!k->slot && is_state(a, var))
        return;
    uint32_t slot = slot_of(a, th, k, var);
    au_access_place p = {b->first + i, h->index, b->loc[i], b->op[i]};
    if (a->o.all) {
        access_all(a, th, h, slot, read, write, &p);
        return;
    }
    for (uint8_t kind = AU_WIT_R; kind <= AU_WIT_W; kind++)
        if ((kind == AU_WIT_R ? read : write) && !(k->has[kind] & h->key_bit)) {
            add_single(th, slot, th->key, kind, &p);
            k->has[kind] |= (uint16_t)h->key_bit;
        }
    if (h->block) {
        in_block(a, th, h, k, write, &p);
        if (read && write && k->epoch[1] == h->epoch)
            k->epoch[0] = h->epoch;
    } else {
        if (read)
            k->epoch[0] = h->epoch;
        if (write)
            k->epoch[1] = h->epoch;
    }
}

/* Does this access of a known variable tell nothing new? */
static inline bool is_stale(const au_hot *h, const au_known *k, unsigned write) {
    if (k->epoch[write] == h->epoch)
        return true;
    if (!(k->has[write] & h->key_bit))
        return false;
    if (!h->block)
        return true;
    uint32_t lacks = h->block_has & ~(uint32_t)k->has[AU_WIT_AA];
    if (!write)
        return k->block == h->block && !lacks;
    return k->wblock == h->block && !(lacks | (h->block_has & ~(uint32_t)k->has[AU_WIT_WW]));
}

/* Brings nearer what a later event will look at. */
__attribute__((always_inline)) static inline void look_ahead(const au_atomicity *a,
                                                             const au_block *b, size_t i) {
    enum { AHEAD = 16 };
    if (i + AHEAD >= b->n || b->thread[i + AHEAD] >= a->hot.n)
        return;
    const au_hot *h = &a->hot.at[b->thread[i + AHEAD]];
    uint32_t var = b->obj[i + AHEAD];
    if (var / 64 < h->n_pages)
        __builtin_prefetch(&h->page[var / 64]->at[var % 64]);
}

static inline bool is_mine(const au_atomicity *a, uint32_t var) {
    return !a->o.parts || (var >> a->o.together & (a->o.parts - 1)) == a->o.part;
}

void au_atomicity_block(au_atomicity *a, const au_block *b) {
    if (a->mode == AU_BLOCKS_NONE)
        return;
    for (size_t i = 0; i < b->n; i++) {
        look_ahead(a, b, i);
        uint16_t t = b->thread[i];
        if (__builtin_expect(t >= a->hot.n, 0))
            add_threads(a, t);
        au_hot *h = &a->hot.at[t];
        h->index++;
        uint8_t class = class_of[b->op[i]];
        if (class <= C_RMW && !is_mine(a, b->obj[i]))
            continue;
        if (class <= C_WRITE) {
            uint32_t var = b->obj[i];
            if (var / 64 < h->n_pages && is_stale(h, &h->page[var / 64]->at[var % 64], class))
                continue;
            access(a, b, i, class == C_READ, class == C_WRITE);
        } else if (class == C_RMW) {
            access(a, b, i, true, true);
        } else if (class == C_CALL) {
            if (a->mode == AU_BLOCKS_FUNCTION)
                call(a, b, i);
        } else if (class == C_OTHER) {
            au_event_ref e = {.number = b->first + i,
                              .index = h->index,
                              .obj = b->obj[i],
                              .loc = b->loc[i],
                              .thread = t,
                              .op = b->op[i]};
            other(a, &e);
        }
    }
}

void au_atomicity_finish(au_atomicity *a, au_findings *out, au_atomicity_result *r,
                         au_found_fn *found, void *ctx) {
    au_must_finish(a->must);
    for (size_t i = 0; i < a->thread.n; i++)
        commit(&a->thread.at[i], &a->hot.at[i], a->o.all);
    for (size_t i = 0; i < a->thread.n && !a->online; i++) /* who polls may do so once more */
        release_seen(&a->thread.at[i], &a->hot.at[i]);
    au_atomicity_pairs(a, out, r, found, ctx);
}
