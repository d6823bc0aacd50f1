/* trace/recording_opaque.c: calls of code without hooks order.
 *
 * What a library keeps between its calls is not in the recording: one thread may put something into a queue of it, and
 * another take that out. So calls of one library keep the order that they had, and are ordered: wherever control goes into
 * it (a call, the return of a function that it called) or comes out of it (the return, a function of the program that it
 * calls) is a place of one chain, and so is what it does inside to locks, conditions and semaphores. Places, not whole calls: another thread may enter while one is inside and blocked.
 *
 * A read that sees what code without hooks wrote is a place of the chains of those who can have written it. If another
 * thread's call may have done so, not ordered by fork or join, it is besides a reply (replies.h): the call may have no
 * chain. Files that are mapped are written by whoever has a descriptor.
 *
 * In the trace a place of the chain whose next place is another thread's is the first of a 'once' of its own, and that
 * next place waits for it. The survey finds out where the chain goes from thread to thread.
 *
 * Which calls count: those of functions that order (au_libc_orders), and indirect ones, unless what is called has hooks
 * (the runtime tells: AU_NOTE_CODE). A recording of an earlier version tells nothing, and nothing is ordered.
 * Libraries of which one needs another are one. A thread that was made inside of a library, and begins in code without
 * hooks, begins inside of it.
 *
 * Who puts several runs together (opts.words) gets no chains: another run has others, and what is predicted there is
 * executed by the program, its libraries included, before anything is said. */
#include "trace/recording_priv.h"

#include <stdio.h>

enum { NOWHERE = 0 }; /* else: a library, + 1 */

void au_opaque_init(au_opaque *o) {
    *o = (au_opaque){0};
    au_map_init(&o->code);
    au_intern_init(&o->library);
}

void au_opaque_release(au_opaque *o) {
    for (size_t i = 0; i < o->thread.n; i++)
        au_vec_release(&o->thread.at[i].call);
    au_vec_release(&o->thread);
    for (size_t i = 0; i < o->chain.n; i++)
        au_vec_release(&o->chain.at[i].moves);
    au_vec_release(&o->chain);
    au_map_release(&o->code);
    au_intern_release(&o->library);
}

/* Between the passes: where the chains move stays known, and what was called. */
void au_opaque_again(au_opaque *o) {
    for (size_t i = 0; i < o->thread.n; i++)
        au_vec_release(&o->thread.at[i].call);
    au_vec_clear(&o->thread);
    for (size_t i = 0; i < o->chain.n; i++) {
        o->chain.at[i].places = o->chain.at[i].next = 0;
        o->chain.at[i].last = 0;
        o->chain.at[i].time = 0;
    }
    o->time = 0;
    o->unseen = 0;
    o->patched = false;
}

/* ---- what is called ------------------------------------------------------------------------ */

void au_opaque_code(au_recording *d, const au_stream_record *r) {
    uint64_t at;
    if (r->n < 9)
        return;
    memcpy(&at, r->data, 8);
    uint8_t what = r->data[8];
    uint32_t library = au_intern_add(&d->opaque.library, (const char *)r->data + 9, r->n - 9);
    while (d->opaque.chain.n <= library)
        *au_vec_add(&d->opaque.chain) = (au_opaque_chain){0};
    *au_map_put(&d->opaque.code, at, NULL) = (uint64_t)(library + 1) << 8 | what;
}

static bool begins_with(const char *name, const char *const *with, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, with[i], strlen(with[i])))
            return true;
    return false;
}

/* Where the call goes. Its library is NOWHERE if it does not order: the table knows libc's functions; those beside it
 * keep nothing of the program's (libm), or synchronise by what the runtime wraps (libstdc++). */
static struct au_opaque_call call_of(const au_recording *d, const au_stream_record *r,
                                     const au_place *p) {
    static const char *const libc[] = {"libc.so", "libpthread.", "librt.", "libdl."};
    static const char *const beside[] = {"libm.so", "libgcc_s",   "libstdc++", "libc++",
                                         "ld-",     "libatomic.", "libunwind."};
    struct au_opaque_call c = {NOWHERE, AU_REPLY_UNSTATED};
    const uint64_t *code = au_map_find(&d->opaque.code, r->address);
    if (code && (*code & 0xff) == AU_CODE_RUNTIME) /* it goes on to libc's own */
        c.foreign = p->foreign[true];
    if (!code || (*code & 0xff) != AU_CODE_OTHER)
        return c;
    uint32_t library = (uint32_t)(*code >> 8);
    const char *name = au_intern_str(&d->opaque.library, library - 1);
    bool base = begins_with(name, libc, sizeof libc / sizeof *libc);
    bool near = begins_with(name, beside, sizeof beside / sizeof *beside);
    c.foreign = p->foreign[base || near];
    if (!near && p->order & (base ? AU_ORDER_BASE : AU_ORDER_OTHER))
        c.library = library;
    return c;
}

static const char *name_of(const au_recording *d, uint32_t library) {
    const char *name = au_intern_str(&d->opaque.library, library - 1);
    return !*name ? "the program's code without hooks" : *name == '?' ? "unknown code" : name;
}

/* ---- where threads are ----------------------------------------------------------------------- */

static au_opaque_thread *thread_at(au_recording *d, uint32_t thread) {
    while (d->opaque.thread.n <= thread) {
        au_opaque_thread *t = au_vec_add(&d->opaque.thread);
        *t = (au_opaque_thread){0};
        au_vec_push(&t->call, (struct au_opaque_call){0});
    }
    return &d->opaque.thread.at[thread];
}

/* What a library locks and whom it wakes depends on what it keeps. A wait and its end are one piece with the release
 * before and the acquisition behind. */
static bool is_place_inside(au_opaque_thread *t, uint8_t op) {
    bool woken = t->woken;
    t->woken = op == AU_OP_WAKE;
    switch (op) {
    case AU_OP_ACQ:
        return !woken;
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
    case AU_OP_TRYFAIL:
    case AU_OP_REL:
    case AU_OP_SIGNAL:
    case AU_OP_BROADCAST:
    case AU_OP_DOWN:
    case AU_OP_UP:
    case AU_OP_ARRIVE:
        return true;
    default:
        return false;
    }
}

/* The library whose chain the record is a place of. Follows the thread. */
static uint32_t place_of(au_recording *d, const au_stream_record *r, const au_place *p) {
    au_opaque_thread *t = thread_at(d, r->thread);
    struct au_opaque_call *top = &au_vec_last(&t->call);
    uint32_t library = NOWHERE;
    t->foreign = AU_REPLY_UNSTATED;
    if (r->op < AU_OPS && au_op_space(r->op) == AU_WIRE_SPACE_LOCK)
        return is_place_inside(t, r->op) ? top->library : NOWHERE;
    switch (r->op) {
    case AU_OP_XCALL:
        *top = call_of(d, r, p);
        t->foreign = top->foreign;
        if (p->unseen)
            t->unseen = ++d->opaque.unseen;
        return top->library;
    case AU_OP_XRET:
        library = top->library;
        t->foreign = top->foreign;
        if (t->call.n > 1) /* what a thread began in, it stays in */
            *top = (struct au_opaque_call){0};
        return library;
    case AU_OP_CALL:
        library = top->library;
        au_vec_push(&t->call, (struct au_opaque_call){0});
        return library;
    case AU_OP_RET:
        if (t->call.n > 1)
            t->call.n--;
        return au_vec_last(&t->call).library;
    case AU_SOP_LAND:
        if (r->value + 1 < t->call.n)
            t->call.n = (size_t)r->value + 1;
        library = au_vec_last(&t->call).library;
        if (t->call.n > 1)
            au_vec_last(&t->call) = (struct au_opaque_call){0};
        return library;
    case AU_OP_FORK: /* what comes before it comes before the new thread */
        if (r->address <= UINT16_MAX) {
            uint64_t time = t->time, unseen = t->unseen;
            library = top->library;
            au_opaque_thread *child = thread_at(d, (uint32_t)r->address);
            child->time = time;
            child->unseen = unseen;
            if (library && r->value)
                child->call.at[0].library = library;
        }
        return NOWHERE;
    case AU_OP_JOIN:
        if (r->address <= UINT16_MAX) {
            const au_opaque_thread *child = thread_at(d, (uint32_t)r->address);
            uint64_t time = child->time, unseen = child->unseen;
            t = thread_at(d, r->thread);
            t->time = time > t->time ? time : t->time;
            t->unseen = unseen > t->unseen ? unseen : t->unseen;
        }
        return NOWHERE;
    default:
        return NOWHERE;
    }
}

/* ---- chains ------------------------------------------------------------------------------------ */

static void survey_place(au_recording *d, uint16_t thread, au_opaque_chain *c) {
    uint32_t me = thread + 1u;
    if (c->last && c->last != me)
        au_vec_push(&c->moves, c->places);
    c->places++;
    c->last = me;
    c->time = thread_at(d, thread)->time = ++d->opaque.time;
}

static void tell_place(au_recording *d, uint16_t thread, uint32_t library) {
    au_opaque_chain *c = &d->opaque.chain.at[library - 1];
    uint64_t place = c->places++;
    au_opaque_thread *t = thread_at(d, thread);
    c->last = thread + 1u;
    c->time = t->time = ++d->opaque.time;
    if (c->next < c->moves.n && c->moves.at[c->next] == place) {
        au_recording_tell(d, AU_OP_ONCE, c->once);
        c->next++;
    }
    bool moves = c->next < c->moves.n && c->moves.at[c->next] == place + 1;
    if (!moves && !au_ahead_is_last(d, library, place))
        return;
    char name[160];
    snprintf(name, sizeof name, "order of %.80s (T%u) %u", name_of(d, library), thread, ++t->told);
    c->once = au_name_once(d, name, true);
    au_recording_tell(d, AU_OP_ONCE, c->once);
}

void au_opaque_survey(au_recording *d, const au_stream_record *r, const au_place *p) {
    uint32_t library = place_of(d, r, p);
    if (library)
        survey_place(d, r->thread, &d->opaque.chain.at[library - 1]);
}

uint32_t au_opaque_event(au_recording *d, const au_stream_record *r, const au_place *p) {
    uint32_t library = place_of(d, r, p);
    if (library && !d->opts.words)
        tell_place(d, r->thread, library);
    return library;
}

au_libc_reply au_opaque_foreign(const au_recording *d, uint16_t thread) {
    return thread < d->opaque.thread.n ? (au_libc_reply)d->opaque.thread.at[thread].foreign
                                       : AU_REPLY_UNSTATED;
}

/* ---- memory that changed ------------------------------------------------------------------------- */

void au_opaque_patch(au_recording *d, const au_stream_record *r) {
    for (size_t i = 0; i < r->n && !d->opaque.patched; i++)
        d->opaque.patched = !r->before || r->before[i] != r->data[i];
}

/* Wrappers that end with such an event tell before it what they themselves wrote (rt_patch). */
static bool is_own_word(const au_stream_record *r) {
    return r->op == AU_OP_FORK || r->op == AU_OP_JOIN || r->op == AU_OP_XRET;
}

/* Who reads what code without hooks wrote comes after whoever was in it since this thread was itself: it is a place of
 * these chains. */
void au_opaque_read(au_recording *d, const au_stream_record *r) {
    const au_opaque_thread *t = thread_at(d, r->thread);
    uint64_t since = t->time;
    d->opaque.patched = false;
    if (is_own_word(r))
        return;
    if (d->surveyed &&
        (d->opaque.unseen > t->unseen || au_mappings_have(&d->mapped, r->address, 1)))
        au_recording_reply(d, r->thread, AU_REPLY_PATCHED);
    for (uint32_t i = 0; i < d->opaque.chain.n; i++) {
        au_opaque_chain *c = &d->opaque.chain.at[i];
        if (!c->last || c->last == r->thread + 1u || c->time <= since)
            continue;
        if (!d->surveyed)
            survey_place(d, r->thread, c);
        else if (!d->opts.words)
            tell_place(d, r->thread, i + 1);
    }
}

uint32_t au_opaque_name(au_recording *d, au_place *p, uint32_t library) {
    if (p->tables && p->tables->site[p->site].name)
        return au_place_func(d, p);
    char name[160];
    int n = snprintf(name, sizeof name, "a function of %.80s", name_of(d, library));
    return au_intern_add(&d->names->block, name, (size_t)n);
}
