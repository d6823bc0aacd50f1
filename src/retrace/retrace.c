/* retrace/retrace.c: the recording is read once more, its records are followed (retrace.h). */
#include "retrace/retrace_priv.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "wire/channel.h"
#include "wire/libc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- ends --------------------------------------------------------------------------------------- */

static const char *op_text(uint8_t op) {
    static const char *const more[] = {"range read", "range write", "set",    "copy",
                                       "frame",      "land",        "failure"};
    if (op < AU_OPS)
        return au_op_name(op);
    return op >= AU_SOP_RREAD && op <= AU_SOP_FAIL ? more[op - AU_SOP_RREAD] : "?";
}

/* "bank.c:12" of the record's site. */
static void place(au_retracer *x, char *out, size_t room) {
    const au_stream_record *r = x->r;
    snprintf(out, room, "unknown place");
    if (r->tag != AU_TAG_EV || r->site >= x->site.n)
        return;
    const au_rsite *s = &x->site.at[r->site];
    if (!s->module || !s->module->code)
        return;
    const au_code *c = s->module->code;
    uint32_t insn = c->site_insn[s->site];
    if (insn < c->n_insns)
        snprintf(out, room, "%.200s:%u", au_code_text(c, c->file[insn]), c->line[insn]);
}

/* What threads do from here on is not known to follow from what they read before: it was as it was. */
static void stop(au_retracer *x, const char *why) {
    x->over = true;
    for (size_t i = 0; x->sym && i < x->thread.n; i++)
        if (x->thread.at[i]) {
            x->spot.thread = x->thread.at[i]->number;
            x->spot.after = x->thread.at[i]->after;
            x->spot.code = NULL;
            au_sym_stand(x->sym, &x->spot);
            au_sym_pin_all(x->sym, why);
        }
    if (x->symbolic) {
        x->symbolic->none = why;
        x->symbolic->until = (uint32_t)x->first;
    }
}

void au_retrace_wrong(au_retracer *x, const au_rthread *t, const char *format, ...) {
    if (x->over)
        return;
    char where[260], text[260];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    place(x, where, sizeof where);
    const au_stream_record *r = x->r;
    snprintf(x->facts->what, sizeof x->facts->what,
             "T%u event %" PRIu64 " (%s, %s at 0x%" PRIx64 " = 0x%" PRIx64 "): %s", t->number,
             r->index, where, op_text(r->op), r->address, r->value, text);
    x->facts->mismatch = true;
    stop(x, "the run could not be followed any further");
}

void au_retrace_cut(au_retracer *x, const char *why) {
    if (x->over)
        return;
    snprintf(x->facts->what, sizeof x->facts->what, "not followed to the end: %s", why);
    stop(x, why);
}

/* ---- records ------------------------------------------------------------------------------------ */

/* The argument that a new thread's function gets. */
static void note_fork(au_retracer *x, au_rthread *t) {
    if (!t->frame.n || !au_vec_last(&t->frame).in_call || x->r->address > UINT16_MAX)
        return;
    au_rframe *f = &au_vec_last(&t->frame);
    const au_code *code = f->module->code;
    const struct au_code_call *c = &code->call[code->insn[f->pc].aux];
    const au_libc *l = au_libc_find(au_code_text(code, c->name));
    const char *given = l && l->sync == AU_SYNC_CREATE ? strchr(l->args, 'a') : NULL;
    uint32_t k = given ? (uint32_t)(given - l->args) : 0; /* the function stands before it */
    if (!k || c->n_args <= k)
        return;
    au_val v = au_retrace_get(x, t, f, code->arg[c->arg + k].at);
    au_rthread *child = au_retrace_thread(x, (uint32_t)x->r->address);
    child->has_entry = v.m != AU_UNKNOWN && !child->frame.n;
    child->entry = v.v; /* a term was pinned by the call */
    child->entered = au_retrace_get(x, t, f, code->arg[c->arg + k - 1].at);
}

/* Hooks of a module that is not known. */
static void unknown_hook(au_retracer *x, au_rthread *t) {
    const au_stream_record *r = x->r;
    x->facts->unknown_events++;
    if (r->op == AU_OP_CALL)
        t->depth++;
    else if (r->op == AU_OP_RET && t->depth)
        t->depth--;
    else if (r->op == AU_SOP_LAND)
        t->depth = (uint32_t)r->value;
}

static void follow(au_retracer *x, uint64_t n) {
    const au_stream_record *r = x->r;
    au_rthread *t = au_retrace_thread(x, r->thread);
    const au_rsite *s = r->site < x->site.n ? &x->site.at[r->site] : NULL;
    bool hook = r->site >= AU_FIRST_SITE && (!s || !s->kind);
    if (x->n_parts && x->symbolic)
        au_retrace_first_values(x);
    if (hook) {
        x->facts->events++;
        if (s && s->module && s->module->code) {
            au_retrace_hook(x, t, s);
            au_vec_clear(&t->note);
            if (n)
                t->after = (uint32_t)(x->first + n - 1);
            return;
        }
        unknown_hook(x, t);
    }
    au_rframe *f = t->frame.n ? &au_vec_last(&t->frame) : NULL;
    if (f && f->in_call) {
        if (r->op == AU_OP_FORK)
            note_fork(x, t);
        f->channel |= f->fresh && r->op == AU_SOP_RREAD && !r->len && au_channel_is(r->address);
        au_retrace_call_used(x, t, f);
        f->fresh = false;
    }
    if (x->sym && r->op == AU_OP_FREE)
        au_sym_freed(x->sym, (uint32_t)x->first, (uint32_t)n);
    au_retrace_outside(x, t);
    if (!n)
        return;
    if (f && !f->in_call) /* an annotation: its instruction has not been reached yet */
        au_vec_push(&t->note, (uint32_t)(x->first + n - 1));
    else
        t->after = (uint32_t)(x->first + n - 1);
}

/* Memory changed behind the hooks' back: only bytes that really changed. */
static void patched(au_retracer *x) {
    const au_stream_record *r = x->r;
    if (!x->sym)
        return;
    for (size_t k = 0; k < r->n; k++)
        if (!r->before || r->before[k] != r->data[k])
            au_sym_forget(x->sym, r->address + k, 1);
}

/* The thread that ended the run goes as far as it can: what it checked last has no event after
 * it. Who asks where it stood wants it where it is. */
static void end(au_retracer *x) {
    const au_stream_record *r = x->r;
    x->facts->ended = true;
    x->facts->end = r->kind;
    x->facts->end_thread = (uint16_t)r->thread;
    if ((r->kind != AU_END_ASSERT && r->kind != AU_END_SIGNAL) || x->callers)
        return;
    au_rthread *t = au_retrace_thread(x, r->thread);
    if (t->frame.n && !au_vec_last(&t->frame).in_call)
        au_retrace_run(x, t, au_vec_last(&t->frame).module, AU_NONE);
}

static bool record(void *ctx, const au_stream_record *r, const au_part *part, size_t n_parts,
                   uint64_t first, uint64_t n) {
    au_retracer *x = ctx;
    x->r = r;
    x->part = part;
    x->n_parts = n_parts;
    x->first = first;
    switch (r->tag) {
    case AU_TAG_EV:
        follow(x, n);
        if (x->callers)
            au_retrace_callers_note(x, au_retrace_thread(x, r->thread));
        break;
    case AU_TAG_MODULE:
        au_retrace_module(x, r);
        break;
    case AU_TAG_THREAD: {
        au_rthread *made = au_retrace_thread(x, r->thread);
        made->stack = r->address;
        made->stack_end = r->address + r->extent;
        break;
    }
    case AU_TAG_PATCH:
        patched(x);
        break;
    case AU_TAG_INPUT:
        if ((r->kind & ~AU_INPUT_INSIDE) == AU_INPUT_SIGNAL)
            au_retrace_thread(x, r->thread)->signal = true;
        break;
    case AU_TAG_NOTE:
        if (r->kind == AU_NOTE_MAPPED && x->sym)
            au_sym_mapped(x->sym, r->data, r->n);
        break;
    case AU_TAG_END:
        end(x);
        break;
    default:
        break;
    }
    if (x->sym && !x->over) {
        const char *wrong = au_sym_wrong(x->sym);
        if (wrong)
            au_retrace_wrong(x, au_retrace_thread(x, r->thread), "%s", wrong);
    }
    return !x->over;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void init(au_retracer *x) {
    au_map_init(&x->told);
    au_map_init(&x->last);
    au_map_init(&x->names);
    au_map_init(&x->functions);
    au_map_init(&x->made_names);
    au_shadow_init(&x->memory);
    au_shadow_init(&x->tag);
    x->made = AU_MADE_BASE + 64;
    x->watch.record = record;
    x->watch.ctx = x;
}

static void release(au_retracer *x) {
    for (size_t i = 0; i < x->module.n; i++)
        au_retrace_unload(x->module.at[i]);
    for (size_t i = 0; i < x->thread.n; i++)
        au_retrace_thread_free(x->thread.at[i]);
    au_vec_release(&x->module);
    au_vec_release(&x->thread);
    au_vec_release(&x->site);
    au_vec_release(&x->init);
    au_vec_release(&x->seen);
    au_vec_release(&x->wanted);
    au_map_release(&x->told);
    au_map_release(&x->last);
    au_map_release(&x->names);
    au_map_release(&x->functions);
    au_map_release(&x->made_names);
    au_shadow_release(&x->memory);
    au_shadow_release(&x->tag);
}

/* A thread's handle lies in its stack. */
static uint32_t thread_of(const au_retracer *x, uint64_t handle) {
    for (size_t i = 0; i < x->thread.n; i++)
        if (x->thread.at[i] && handle >= x->thread.at[i]->stack &&
            handle < x->thread.at[i]->stack_end)
            return x->thread.at[i]->number;
    return AU_NONE;
}

/* What a call of this function waits for: one thing, and without end. */
static bool wait_of(const au_libc *l, uint8_t *op) {
    switch (l ? (au_libc_sync)l->sync : AU_SYNC_NONE) {
    case AU_SYNC_LOCK:
        *op = AU_OP_ACQ;
        return true;
    case AU_SYNC_RDLOCK:
        *op = AU_OP_RDACQ;
        return true;
    case AU_SYNC_WRLOCK:
        *op = AU_OP_WRACQ;
        return true;
    case AU_SYNC_SEM_WAIT:
        *op = AU_OP_DOWN;
        return true;
    case AU_SYNC_JOIN:
        *op = AU_OP_JOIN;
        return *l->args == 'h'; /* the handle itself, not what holds one */
    default:
        return false;
    }
}

/* What a thread waits for that did not come back from its call. */
static void waits(au_retracer *x, au_rthread *t) {
    const au_rframe *f = t->frame.n ? &au_vec_last(&t->frame) : NULL;
    if (!f || !f->in_call || !f->module->code || x->over)
        return;
    const au_code *code = f->module->code;
    const struct au_code_call *c = &code->call[code->insn[f->pc].aux];
    uint8_t op;
    if (!wait_of(au_libc_find(au_code_text(code, c->name)), &op) || !c->n_args)
        return;
    au_val v = au_retrace_get(x, t, f, code->arg[c->arg].at);
    uint32_t obj = v.m == AU_UNKNOWN  ? AU_NONE
                   : op == AU_OP_JOIN ? thread_of(x, v.v)
                                      : au_watch_sync(&x->watch, v.v);
    if (obj != AU_NONE)
        au_vec_push(&x->symbolic->waiting, ((struct au_waiting){t->number, op, obj}));
}

static void count(const au_symbolic *s, au_retrace_facts *facts) {
    facts->facts = s->fact.n;
    facts->symbolic_reads = au_bitset_count(&s->symbolic);
    for (size_t i = 0; i < s->pinned.n; i++)
        facts->pinned += s->pinned.at[i].times;
}

au_status au_retrace(const char *path, const au_codes *codes, const au_retrace_options *o,
                     const au_bitset *open, au_symbolic *s, au_retrace_facts *facts,
                     au_error *err) {
    au_retracer *x = AU_NEW(au_retracer);
    au_read_options read = o->read;
    double begun = au_now();
    memset(facts, 0, sizeof *facts);
    x->codes = codes;
    x->facts = facts;
    init(x);
    x->most_events = o->most_events;
    if (o->n_callers)
        au_retrace_callers_begin(x, o->callers, o->n_callers);
    if (!o->values_only) {
        x->symbolic = s;
        x->rounds = o->rounds;
        x->sym = au_sym_new(s, open, o->checks, o->split, &x->watch);
        au_sym_stand(x->sym, &x->spot);
    }
    read.watch = &x->watch;
    read.late = AU_LATE_FAIL;
    au_reader *reader =
        o->from ? au_reader_again(o->from, &read, err) : au_reader_open(path, &read, err);
    au_status st = reader ? AU_OK : err ? err->status : AU_EIO;
    for (au_block b = {.n = 1}; st == AU_OK && b.n;)
        if (au_deadline_over()) {
            st = au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
        } else if (x->sym && au_sym_terms(x->sym) > au_limit_value(AU_AT_RETRACE_TERMS)) {
            au_limit_reached(AU_AT_RETRACE_TERMS, 1);
            st = au_error_set(err, AU_EUNSUPPORTED, "too many values depend on what threads read");
        } else {
            st = au_reader_next(reader, &b, err);
        }
    if (x->callers && st == AU_OK)
        au_retrace_callers_end(x);
    for (size_t i = 0; x->symbolic && st == AU_OK && i < x->thread.n; i++)
        if (x->thread.at[i])
            waits(x, x->thread.at[i]);
    if (x->sym) {
        au_sym_finish(x->sym);
        au_sym_free(x->sym);
    }
    if (reader)
        au_reader_free(reader);
    if (x->symbolic)
        au_symbolic_sort_rounds(s);
    if (st == AU_OK && x->symbolic)
        count(s, facts);
    release(x);
    free(x);
    facts->seconds = au_now() - begun;
    return st;
}
