/* trace/recording_decode.c: a recording as a trace.
 *
 * Two passes over the file. The first one, the survey, finds out what lies where, which
 * memory is shared and how accesses divide it (cells.h), and what the run was like
 * (recording.h), and of a long recording which accesses tell something (thin.h). The second makes the events. Each hook of the program is one event of the
 * trace, in the order of the run, but for accesses of several cells (hooks.h). */
#include "base/limits.h"
#include "trace/recording_priv.h"

/* The next record of the recording; PAD at its end. */
static au_status next_record(au_recording *d, au_stream_record *r, au_error *err) {
    au_status st;
    bool end = false;
    if (__builtin_expect(d->asked++ == d->look, 0) &&
        ((st = au_recording_look(d, &end, err)) != AU_OK || end)) {
        *r = (au_stream_record){.tag = AU_TAG_PAD};
        return st;
    }
    while ((st = au_stream_next(d->stream, r, err)) == AU_OK && r->tag == AU_TAG_PAD) {
        au_frame f;
        if ((st = au_frames_next(&d->frames, &f, err)) != AU_OK || !f.kind)
            return st;
        switch (f.kind) {
        case AU_WIRE_STREAM:
            au_stream_feed(d->stream, f.p, f.n);
            break;
        case AU_WIRE_TABLES:
            if (!d->surveyed && (st = au_places_tables(d, &f, err)) != AU_OK)
                return st;
            break;
        case AU_WIRE_META:
        case AU_WIRE_STDIN:
        case AU_WIRE_END:
            break;
        default:
            if (!(f.kind & 0x80))
                return au_frames_bad(&d->frames, err, "a recording has no frames of kind %u",
                                     f.kind);
        }
    }
    if (__builtin_expect(st == AU_OK && !d->opts.limit && !d->opts.longest, 1))
        return AU_OK;
    if (st == AU_OK && d->opts.limit && au_stream_events(d->stream) > d->opts.limit)
        st = au_error_set(err, AU_EUNSUPPORTED, "more than %llu hooks",
                          (unsigned long long)d->opts.limit);
    if (st == AU_OK && d->opts.longest && r->tag == AU_TAG_EV && r->len > d->opts.longest)
        st = au_error_set(err, AU_EUNSUPPORTED, "an event of more than %llu bytes",
                          (unsigned long long)d->opts.longest);
    if (st != AU_OK)
        au_error_note(err, "%s", au_in_name(d->frames.in));
    return st;
}

/* ---- facts ------------------------------------------------------------------------------ */

static void note_module(au_recording *d, const au_stream_record *r) {
    for (size_t i = 0; i < d->facts.module.n; i++)
        if (d->facts.module.at[i].id == r->value)
            return; /* told again: more predictors */
    struct au_facts_module m = {.id = r->value, .sites = r->n_sites, .globals = r->n_globals};
    const char *source = "";
    for (size_t i = 0; i < d->places.tables.n; i++)
        if (d->places.tables.at[i]->module == r->value) {
            const au_tables *t = d->places.tables.at[i];
            m.tables = true;
            source = au_tables_text(t, t->head.source);
        }
    m.source = au_strdup(source);
    m.path = au_strndup((const char *)r->data, r->n);
    au_vec_push(&d->facts.module, m);
}

/* Which thread gets a name by this note, and which; UINT32_MAX: none does. */
static uint32_t named_by(const au_stream_record *r, const char **name, size_t *n) {
    uint32_t thread = UINT32_MAX;
    *name = (const char *)r->data;
    *n = r->n;
    if (r->kind == AU_NOTE_THREAD_NAME) {
        thread = r->thread;
    } else if (r->kind == AU_NOTE_NAMED && r->n >= sizeof thread) {
        memcpy(&thread, r->data, sizeof thread);
        *name += sizeof thread;
        *n -= sizeof thread;
    }
    return thread;
}

static void note_text(au_recording *d, const au_stream_record *r) {
    au_recording_facts *f = &d->facts;
    const char *name;
    size_t n;
    uint32_t thread = named_by(r, &name, &n);
    if (thread < f->thread.n) {
        free(f->thread.at[thread].name);
        f->thread.at[thread].name = au_strndup(name, n);
    } else if (thread != UINT32_MAX || r->kind == AU_NOTE_NAMED) {
        return; /* of a thread that is not there */
    } else if (r->kind == AU_NOTE_CODE) {
        au_opaque_code(d, r);
    } else if (r->kind == AU_NOTE_MAPPED) {
        au_mappings_note(&d->mapped, r->data, r->n);
    } else if (r->kind != AU_NOTE_BLOCK && r->kind != AU_NOTE_MADE &&
               f->notes++ < AU_LIMIT_RECORDING_NOTES) {
        char *text = au_strndup((const char *)r->data, r->n);
        au_vec_push(&f->note, text);
    }
}

static bool is_signal(const au_stream_record *r) {
    return (r->kind & ~AU_INPUT_INSIDE) == AU_INPUT_SIGNAL;
}

void au_recording_fact(au_recording *d, const au_stream_record *r) {
    au_recording_facts *f = &d->facts;
    switch (r->tag) {
    case AU_TAG_MODULE:
        note_module(d, r);
        au_places_module(d, r);
        break;
    case AU_TAG_THREAD:
        while (f->thread.n <= r->thread)
            au_vec_push(&f->thread, ((struct au_facts_thread){0, au_strdup("")}));
        au_epochs_begin(&d->epochs, &d->survey, r->address, r->extent);
        au_survey_begin(&d->survey, r->address, r->extent);
        break;
    case AU_TAG_TURN:
        f->turns++;
        f->turns_by[r->kind <= AU_TURN_YIELD ? r->kind : AU_TURN_START]++;
        break;
    case AU_TAG_INPUT:
        f->inputs++;
        f->input_bytes += r->n;
        if (is_signal(r))
            au_talk_survey_hears(d);
        break;
    case AU_TAG_PATCH:
        f->patches++;
        f->patch_bytes += r->n;
        au_opaque_patch(d, r);
        break;
    case AU_TAG_BITS:
        f->branches += r->value;
        if (d->watching)
            au_watching_bits(d, r);
        break;
    case AU_TAG_NOTE:
        note_text(d, r);
        break;
    case AU_TAG_END:
        f->ended = true;
        f->end = r->kind;
        f->end_thread = r->thread;
        f->status = (int64_t)r->value;
        break;
    default:
        break;
    }
}

static au_status survey(au_recording *d, au_error *err) {
    au_stream_record r;
    au_status st;
    au_recording_late_begin(d);
    au_stream_be_blind(d->stream);
    while ((st = next_record(d, &r, err)) == AU_OK && r.tag != AU_TAG_PAD) {
        if (r.tag == AU_TAG_EV) {
            if (r.op == AU_OP_ALLOC || r.op == AU_OP_FREE || r.op == AU_SOP_FRAME)
                au_again_settle(d);
            au_recording_survey(d, &r);
            au_again_survey(d, &r);
        } else {
            if (r.tag == AU_TAG_TURN || r.tag == AU_TAG_THREAD)
                au_again_settle(d);
            au_recording_fact(d, &r);
        }
    }
    au_again_settle(d);
    if (st == AU_OK)
        au_recording_surveyed(d);
    return st;
}

void au_recording_surveyed(au_recording *d) {
    au_channels_surveyed(d);
    au_recording_thin(d);
    au_recording_facts *f = &d->facts;
    f->bytes = au_stream_bytes(d->stream);
    f->records = au_stream_records(d->stream);
    f->hooks = au_stream_events(d->stream);
    for (size_t i = 0; i < f->thread.n; i++)
        f->thread.at[i].hooks = au_stream_index(d->stream, (uint32_t)i);
}

/* Everything as before the first record, but for what the survey found. */
static au_status begin_again(au_recording *d, au_error *err) {
    au_stream_free(d->stream);
    d->stream = au_stream_new();
    au_objects_release(&d->objects);
    au_objects_init(&d->objects);
    au_map_clear(&d->locals);
    au_places_again(&d->places);
    au_again_forget(d);
    if (d->surveyed)
        au_cells_release(&d->cells);
    au_cells_init(&d->cells, &d->survey);
    d->cells.words = d->opts.words;
    au_vec_clear(&d->path);
    au_opaque_again(&d->opaque);
    au_vec_clear(&d->mapped);
    d->surveyed = true;
    if (d->thin) /* its accesses have no values */
        au_stream_be_blind(d->stream);
    au_recording_late_begin(d);
    return au_frames_rewind(&d->frames, err);
}

/* ---- events ------------------------------------------------------------------------------- */

void au_recording_control(au_recording *d, const au_stream_record *r) {
    const char *name;
    uint32_t thread;
    size_t n;
    switch (r->tag) {
    case AU_TAG_MODULE:
        au_places_module(d, r);
        break;
    case AU_TAG_THREAD:
        for (uint32_t t = 0; t <= r->thread; t++) /* in the order of their numbers */
            au_name_thread(d, t);
        au_again_birth(d);
        au_cells_begin(&d->cells, r->address, r->extent, au_name_sync_gone, d);
        break;
    case AU_TAG_TURN:
        if (d->thin) /* who cannot go on stands before the first event of a step, or behind its wait */
            au_thin_turn(d->thin, d->running, r->thread,
                         r->kind == AU_TURN_BUDGET || r->kind == AU_TURN_BLOCKED ||
                             r->kind == AU_TURN_EXIT);
        d->running = r->thread;
        break;
    case AU_TAG_PATCH:
        au_opaque_patch(d, r);
        break;
    case AU_TAG_INPUT:
        if ((r->kind & ~(AU_INPUT_INSIDE | AU_INPUT_MORE)) == AU_INPUT_CLOCK)
            au_recording_reply(d, r->thread, AU_REPLY_TIME);
        if (is_signal(r) && r->thread < d->thread.n)
            d->thread.at[r->thread].signalled = true;
        break;
    case AU_TAG_OBJ:
        au_name_sync_kind(d, r->address, r->kind, (int32_t)r->value);
        break;
    case AU_TAG_NOTE:
        if ((thread = named_by(r, &name, &n)) < d->thread.n)
            au_names_call(d->names, au_name_thread(d, thread), name, n);
        if (r->kind == AU_NOTE_BLOCK && r->n > 8) {
            uint64_t at;
            memcpy(&at, r->data, 8);
            *au_map_put(&d->blocks, at, NULL) =
                au_intern_add(&d->names->block, (const char *)r->data + 8, r->n - 8);
        } else if (r->kind == AU_NOTE_ASKED && r->n == 4) {
            memcpy(&thread, r->data, 4);
            if (thread < d->thread.n)
                au_recording_reply(d, (uint16_t)thread, AU_REPLY_STATE);
        } else if (r->kind == AU_NOTE_MAPPED) {
            au_mappings_note(&d->mapped, r->data, r->n);
        }
        break;
    default:
        break;
    }
}

/* As the loop of 'next', but events come out when it is clear which are kept. */
static au_status next_thinned(au_recording *d, au_columns *c, au_error *err) {
    au_stream_record r;
    au_status st;
    d->c = &d->hook;
    while (!d->over || au_thin_has(d->thin)) {
        if (au_thin_has(d->thin) && au_thin_take(d->thin, c, &d->hooks, AU_DECODE_EVENTS))
            break;
        if (d->over)
            break;
        if ((st = next_record(d, &r, err)) != AU_OK)
            return st;
        if (r.tag == AU_TAG_EV && au_recording_plain(d, &r)) {
            au_again_thin(d, &r);
            continue;
        }
        d->repeats.fresh = 0;
        au_columns_clear(&d->hook);
        d->hook.any_value = true;
        if (r.tag == AU_TAG_EV) {
            au_recording_event(d, &r);
        } else if (r.tag == AU_TAG_PAD) {
            d->over = true;
            au_thin_end(d->thin);
        } else {
            au_recording_control(d, &r);
        }
    }
    d->hooks.thinned = au_thin_left_out(d->thin);
    return AU_OK;
}

static au_status next(au_decoder *base, au_columns *c, au_names *names, au_error *err) {
    au_recording *d = (au_recording *)base;
    au_stream_record r;
    au_status st;
    d->c = c;
    d->names = names;
    if (!d->surveyed && ((st = survey(d, err)) != AU_OK || (st = begin_again(d, err)) != AU_OK))
        return st;
    for (uint32_t t = 0; !d->events && t < d->facts.thread.n;
         t++) /* whoever reads knows it at once */
        au_names_call(names, t, d->facts.thread.at[t].name, strlen(d->facts.thread.at[t].name));
    d->first = d->events;
    au_columns_reserve(c, AU_DECODE_EVENTS);
    c->any_value = true; /* both columns are written from the first event on */
    c->all_value = false;
    if (d->thin && (st = next_thinned(d, c, err)) != AU_OK)
        return st;
    while (!d->thin && !d->over && c->n < AU_DECODE_EVENTS) {
        size_t before = c->n;
        if ((st = next_record(d, &r, err)) != AU_OK)
            return st;
        if (r.tag == AU_TAG_EV)
            au_recording_event(d, &r);
        else if (r.tag == AU_TAG_PAD)
            d->over = true;
        else
            au_recording_control(d, &r);
        if (d->watching && !d->over)
            d->over = !au_watching_record(d, &r, d->events + before, c->n - before);
    }
    d->events += c->n;
    base->incomplete = d->frames.incomplete;
    return AU_OK;
}

static uint64_t where(const au_decoder *base, size_t i) {
    return ((const au_recording *)base)->first + i + 1;
}

static const char *meta(const au_decoder *base, const char *key) {
    return au_frames_meta(&((const au_recording *)base)->frames, key);
}

static void free_facts(au_recording_facts *f) {
    for (size_t i = 0; i < f->module.n; i++) {
        free(f->module.at[i].source);
        free(f->module.at[i].path);
    }
    for (size_t i = 0; i < f->thread.n; i++)
        free(f->thread.at[i].name);
    for (size_t i = 0; i < f->note.n; i++)
        free(f->note.at[i]);
    au_vec_release(&f->module);
    au_vec_release(&f->thread);
    au_vec_release(&f->note);
    au_map_release(&f->freed);
}

/* What is large and nobody asks for after the last event: memory, where things lie and what of them is kept. */
static void leave(au_decoder *base) {
    au_recording *d = (au_recording *)base;
    if (d->ahead) /* one pass: the front's is shared */
        return;
    d->over = true;
    au_objects_release(&d->objects);
    au_survey_release(&d->survey);
    if (d->surveyed)
        au_cells_release(&d->cells);
    d->surveyed = false;
    au_stream_free(d->stream);
    d->stream = NULL;
    au_vec_release(&d->repeats.at);
    au_vec_release(&d->repeats.untold);
    au_recording_thin_release(d);
}

void au_recording_free(au_decoder *base) {
    au_recording *d = (au_recording *)base;
    leave(base);
    au_ahead_free(d);
    free_facts(&d->facts);
    au_frames_release(&d->frames);
    au_places_release(&d->places);
    au_objects_release(&d->objects);
    au_survey_release(&d->survey);
    if (d->surveyed)
        au_cells_release(&d->cells);
    au_hooks_release(&d->hooks);
    au_stream_free(d->stream);
    au_vec_release(&d->thread);
    au_map_release(&d->sync);
    au_vec_release(&d->object);
    au_vec_release(&d->lock);
    au_map_release(&d->readers);
    au_map_release(&d->holder);
    au_map_release(&d->exited);
    au_map_release(&d->robust);
    au_map_release(&d->blocks);
    au_map_release(&d->locals);
    au_vec_release(&d->path);
    au_map_release(&d->again);
    au_map_release(&d->talk.heard);
    au_opaque_release(&d->opaque);
    au_vec_release(&d->mapped);
    au_ordered_release(&d->ordered);
    au_channels_release(&d->channels);
    au_watching_release(d);
    au_vec_release(&d->repeats.at);
    au_vec_release(&d->repeats.untold);
    au_recording_thin_release(d);
    free(d);
}

au_decoder *au_decode_recording(au_frames *f, const au_read_options *opts, au_error *err) {
    (void)err;
    return &au_recording_new(f, opts)->base;
}

au_recording *au_recording_new(const au_frames *f, const au_read_options *opts) {
    au_recording *d = AU_NEW(au_recording);
    d->base = (au_decoder){.next = next,
                           .where = where,
                           .free = au_recording_free,
                           .leave = leave,
                           .meta = meta,
                           .in = f->in,
                           .opts = opts};
    d->base.facts = &d->facts;
    d->base.hooks = &d->hooks;
    d->opts = *opts;
    d->repeats.time = 1;
    d->frames = *f;
    d->stream = au_stream_new();
    au_objects_init(&d->objects);
    au_survey_init(&d->survey);
    au_hooks_init(&d->hooks);
    au_epochs_init(&d->epochs);
    d->epochs.on = au_recording_may_be_thinned(d);
    au_columns_init(&d->hook);
    au_map_init(&d->sync);
    au_map_init(&d->readers);
    au_map_init(&d->holder);
    au_map_init(&d->exited);
    au_map_init(&d->robust);
    au_map_init(&d->blocks);
    au_map_init(&d->locals);
    au_map_init(&d->again);
    au_map_init(&d->talk.heard);
    au_opaque_init(&d->opaque);
    au_map_init(&d->ordered.object);
    au_map_init(&d->ordered.waited);
    au_map_init(&d->channels.window);
    if (opts->watch)
        au_watching_init(d);
    return d;
}
