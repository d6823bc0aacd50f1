/* record/replay_load.c: what a replay needs from a recording. */
#include "base/deadline.h"
#include "program/elf.h"
#include "record/replay.h"
#include "record/world.h"
#include "trace/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/* ---- walking ---- */

struct au_walk {
    au_in *in;
    au_frames frames;
    au_stream *stream;
    au_walk_frame_fn *other;
    void *ctx;
    bool ended;
    bool ends;        /* with the time of the command */
    au_frame pending; /* the first frame behind META */
};

/* To the first frame that is not META, so that META is known from the start. */
static au_status start(au_walk *w, const char *path, au_error *err) {
    uint32_t features;
    au_status st =
        au_frames_start(&w->frames, w->in, true, false, AU_WIRE_FEATURE_STREAM, &features, err);
    if (st == AU_OK && features != AU_WIRE_FEATURE_STREAM)
        st = au_error_set(err, AU_EUNSUPPORTED, "'%s' is a trace, but no recording of a program",
                          path);
    do {
        if (st == AU_OK)
            st = au_frames_next(&w->frames, &w->pending, err);
    } while (st == AU_OK && w->pending.kind == AU_WIRE_META);
    return st;
}

au_walk *au_walk_open(const char *path, au_walk_frame_fn *other, void *ctx, au_error *err) {
    au_in *in = au_in_open(path, err);
    if (!in)
        return NULL;
    au_walk *w = AU_NEW(au_walk);
    w->in = in;
    w->stream = au_stream_new();
    w->other = other;
    w->ctx = ctx;
    if (start(w, path, err) != AU_OK) {
        au_walk_free(w);
        return NULL;
    }
    return w;
}

void au_walk_free(au_walk *w) {
    if (!w)
        return;
    au_stream_free(w->stream);
    au_frames_release(&w->frames);
    au_in_close(w->in);
    free(w);
}

static au_status next_frame(au_walk *w, au_frame *f, au_error *err) {
    *f = w->pending;
    w->pending.kind = 0;
    return f->kind ? AU_OK : au_frames_next(&w->frames, f, err);
}

void au_walk_ends(au_walk *w) {
    w->ends = true;
}

au_status au_walk_next(au_walk *w, au_stream_record *r, au_error *err) {
    *r = (au_stream_record){0};
    if (w->ends && au_deadline_step(1))
        return au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
    while (!w->ended) {
        au_status st = au_stream_next(w->stream, r, err);
        if (st != AU_OK)
            return au_error_note(err, "%s", au_in_name(w->in));
        if (r->tag != AU_TAG_PAD)
            return AU_OK;
        au_frame f;
        st = next_frame(w, &f, err);
        if (st != AU_OK)
            return st;
        if (!f.kind || f.kind == AU_WIRE_END)
            w->ended = true;
        else if (f.kind == AU_WIRE_STREAM && !au_stream_ended(w->stream))
            au_stream_feed(w->stream, f.p, f.n);
        else if (f.kind != AU_WIRE_STREAM && w->other)
            w->other(w->ctx, f.kind, f.count, f.p, f.n);
    }
    return AU_OK;
}

const char *au_walk_meta(const au_walk *w, const char *key) {
    return au_frames_meta(&w->frames, key);
}
bool au_walk_cut(const au_walk *w) {
    return w->frames.incomplete;
}
au_stream *au_walk_stream(au_walk *w) {
    return w->stream;
}

/* ---- loading ---- */

static void other_frame(void *ctx, uint8_t kind, uint32_t count, const char *at, size_t n) {
    au_replay *r = ctx;
    if (kind != AU_WIRE_STDIN)
        return;
    au_vec_append(&r->input, at, n);
    if (count)
        r->input_whole = false;
}

static void add_input(au_replay *r, const au_stream_record *x) {
    uint8_t head[48], *p = au_put_v(head, x->thread);
    *p++ = AU_TAG_INPUT;
    *p++ = x->kind;
    p = au_put_v(p, au_zigzag((int64_t)x->value));
    p = au_put_v(p, x->extent);
    p = au_put_v(p, x->n);
    au_vec_append(&r->inputs, head, (size_t)(p - head));
    au_vec_append(&r->inputs, x->data, x->n);
}

/* Turns are told by the events: one in which nothing happened is none. */
static void add_event(au_replay *r, const au_stream_record *x, uint8_t why) {
    r->events++;
    while (r->length.n <= x->thread)
        au_vec_push(&r->length, 0);
    r->length.at[x->thread] = x->index;
    if (r->turns.n && au_vec_last(&r->turns).thread == x->thread)
        au_vec_last(&r->turns).upto = x->index;
    else
        au_vec_push(&r->turns,
                    ((au_turn){.thread = x->thread, .why = (uint16_t)(1 + why), .upto = x->index}));
}

/* A recording is data: only where programs make files by themselves is a name of it taken (world.h). */
static bool is_below(const char *dir, const char *name, size_t n) {
    size_t k = strlen(dir);
    return k > 1 && n > k && !strncmp(dir, name, k) && name[k] == '/';
}
static void add_made(const au_replay *r, const char *name, size_t n) {
    static const char *const usual[] = {"/tmp", "/var/tmp", "/dev/shm"};
    bool taken = is_below(r->program.cwd, name, n);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        taken |= is_below(usual[i], name, n);
    if (taken && !memmem(name, n, "/../", 4))
        au_world_made(name, n);
}

/* One thread's children have the same order in every run. */
static void forget_plain_births(au_replay *r) {
    for (size_t i = 1; i < r->births.n; i++)
        if (r->births.at[i].parent != r->births.at[0].parent)
            return;
    au_vec_clear(&r->births);
}

static const char *get_meta(void *ctx, const char *key) {
    return au_walk_meta(ctx, key);
}

au_status au_replay_load(au_replay *r, const char *path, au_error *err) {
    *r = (au_replay){.input_whole = true, .end_why = UINT8_MAX};
    au_walk *w = au_walk_open(path, other_frame, r, err);
    if (!w)
        return err->status;
    au_walk_ends(w);
    au_status st = au_program_get(&r->program, get_meta, w, err);
    if (st != AU_OK)
        au_error_note(err, "%s", path);
    else
        au_program_distrust(&r->program, r->ignored, sizeof r->ignored);
    au_stream_record x = {.tag = AU_TAG_END};
    uint8_t why = AU_TURN_START;
    while (st == AU_OK && x.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &x, err);
        if (st != AU_OK)
            break;
        if (x.tag == AU_TAG_EV) {
            add_event(r, &x, why);
            if (x.op == AU_OP_FORK)
                au_vec_push(&r->births, ((struct au_birth){x.thread, (uint32_t)x.address}));
        } else if (x.tag == AU_TAG_TURN) {
            why = x.kind;
        } else if (x.tag == AU_TAG_INPUT) {
            add_input(r, &x);
        } else if (x.tag == AU_TAG_NOTE && x.kind == AU_NOTE_MADE) {
            add_made(r, (const char *)x.data, x.n);
        } else if (x.tag == AU_TAG_END) {
            r->end_why = x.kind;
            r->end_status = (int64_t)x.value;
        }
    }
    forget_plain_births(r);
    r->cut = au_walk_cut(w);
    au_walk_free(w);
    if (st != AU_OK)
        au_replay_release(r);
    return st;
}

void au_replay_release(au_replay *r) {
    au_program_release(&r->program);
    au_vec_release(&r->turns);
    au_vec_release(&r->births);
    au_vec_release(&r->inputs);
    au_vec_release(&r->input);
    au_vec_release(&r->length);
}

/* ---- is it all still there? ---- */

/* What is started is the program whose contents were compared. */
static au_status is_named(const au_program *p, au_error *err) {
    struct stat a, b;
    char *full = *p->path == '/' ? au_strdup(p->path) : au_sprintf("%s/%s", p->cwd, p->path);
    bool same =
        !stat(full, &a) && !stat(p->exe, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    free(full);
    return same ? AU_OK
                : au_error_set(err, AU_EUNSUPPORTED,
                               "the recording starts '%s', which is not the program that it is of, "
                               "'%s'",
                               p->path, p->exe);
}

au_status au_replay_same_program(const au_replay *r, au_error *err) {
    au_elf e;
    au_status st = au_elf_open(&e, r->program.exe, err);
    if (st != AU_OK)
        return au_error_note(err, "the recorded program");
    bool same = e.hash == r->program.exe_hash;
    st = au_elf_recordable(&e, r->program.exe, err);
    au_elf_close(&e);
    if (!same)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' has changed since it was recorded: record it again",
                            r->program.exe);
    return st == AU_OK ? is_named(&r->program, err) : st;
}

void au_replay_differences(const au_replay *r, char *text, size_t size) {
    au_program now;
    size_t n = 0;
    *text = 0;
    if (*r->ignored)
        n += (size_t)snprintf(text, size, "%s of the recording is ignored; ", r->ignored);
    au_program_init_here(&now);
    for (size_t i = 0; r->program.libraries[i] && n < size; i++) {
        const char *item = r->program.libraries[i], *path = au_library_path(item);
        au_elf e;
        if (au_elf_open(&e, path, NULL) != AU_OK) {
            n += (size_t)snprintf(text + n, size - n, "'%s' cannot be read; ", path);
            continue;
        }
        if (e.hash != strtoull(item, NULL, 16))
            n += (size_t)snprintf(text + n, size - n, "'%s' has changed; ", path);
        au_elf_close(&e);
    }
    if (n < size && strcmp(now.kernel, r->program.kernel))
        n += (size_t)snprintf(text + n, size - n, "the kernel was %s; ", r->program.kernel);
    if (n < size && now.cpus != r->program.cpus)
        n += (size_t)snprintf(text + n, size - n, "there were %u processors; ", r->program.cpus);
    if (n >= 2 && n < size)
        text[n - 2] = 0;
    au_program_release(&now);
}
