#include "record/record.h"
#include "record/world.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/vec.h"
#include "program/elf.h"
#include "record/replay.h"
#include "wire/stream.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STDIN_FRAME = 4 << 20 };

au_status au_stdin_copy(char **bytes, size_t *n, bool *cut, au_error *err) {
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    AU_VEC(char) v = {0};
    *cut = false;
    for (;;) {
        if (v.n == (size_t)AU_LIMIT_STDIN) {
            char one;
            *cut = pread(STDIN_FILENO, &one, 1, at + (off_t)v.n) > 0;
            break;
        }
        size_t want =
            (size_t)AU_LIMIT_STDIN - v.n < STDIN_FRAME ? (size_t)AU_LIMIT_STDIN - v.n : STDIN_FRAME;
        au_vec_reserve(&v, v.n + want);
        ssize_t k = pread(STDIN_FILENO, v.at + v.n, want, at + (off_t)v.n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            au_error_errno(err, "cannot read standard input");
            au_vec_release(&v);
            return AU_EIO;
        }
        if (!k)
            break;
        v.n += (size_t)k;
    }
    *bytes = v.at;
    *n = v.n;
    return AU_OK;
}

/* A file of its own with these bytes, so that the program may seek in it. -1: errno. */
static int file_of(const au_feed *f) {
    int fd = memfd_create("stdin", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < f->size;) {
        ssize_t k = write(fd, f->bytes + done, f->size - done);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            close(fd);
            return -1;
        }
        done += (size_t)k;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* ---- streams ---- */

static au_status plan_streams(const au_program *p, const au_feed *feed, bool exact,
                              bool discard_output, au_launch *l, au_error *err) {
    for (int i = 1; i <= 2; i++) {
        if (l->said[i])
            l->stream[i].kind = p->terminal[i] ? AU_STREAM_PTY_NULL : AU_STREAM_PIPE_NULL;
        else if (discard_output) /* buffers depend on what it is */
            l->stream[i].kind = exact && p->terminal[i] ? AU_STREAM_PTY_NULL : AU_STREAM_NULL;
        else if (exact && p->terminal[i] != !!isatty(i))
            l->stream[i].kind = p->terminal[i] ? AU_STREAM_PTY : AU_STREAM_PIPE;
    }
    switch (p->stdin_kind) {
    case AU_STDIN_PIPE:
        l->stream[0].kind = AU_STREAM_PIPE;
        if (feed) {
            l->feed = feed->bytes ? feed->bytes : "";
            l->feed_size = feed->size;
        }
        break;
    case AU_STDIN_FILE:
        if (!feed)
            break;
        l->stream[0].kind = AU_STREAM_FD;
        l->stream[0].fd = file_of(feed);
        if (l->stream[0].fd < 0)
            return au_error_errno(err, "cannot keep standard input for the program");
        break;
    default:
        if (exact || feed)
            l->stream[0].kind = AU_STREAM_NULL;
    }
    return AU_OK;
}

static void close_streams(const au_launch *l) {
    if (l->stream[0].kind == AU_STREAM_FD)
        close(l->stream[0].fd);
}

/* ---- the recording ---- */

struct sink {
    const au_run *run;
    au_run_result *r;
    au_recording_out *w; /* NULL: not written */
    const au_child *child;
    double gone;         /* since when nobody reads what is written; 0: somebody does */
    bool loads;          /* the program may load modules while it runs */
    AU_VEC(char) tables; /* records, one after the other … */
    AU_VEC(size_t) table_size;
};

static void put(struct sink *s, uint8_t kind, uint32_t count, const void *p, size_t n) {
    au_run_result *r = s->r;
    if (s->w && r->write_status == AU_OK)
        r->write_status = au_recording_put(s->w, kind, count, p, n, &r->write_error);
}

static void put_stdin(struct sink *s, const char *p, size_t n, bool cut) {
    s->r->stdin_bytes = n;
    s->r->stdin_cut = cut;
    for (size_t done = 0; done < n || (cut && !done);) {
        size_t k = n - done < STDIN_FRAME ? n - done : STDIN_FRAME;
        put(s, AU_WIRE_STDIN, cut && done + k == n, p + done, k);
        done += k;
        if (!k)
            break;
    }
}

/* Names and lines that a recording will lack: the first reason is told. */
static void lacks(struct sink *s, const au_error *why) {
    if (!s->r->nameless.status)
        s->r->nameless = *why;
}

/* The names and lines of the modules in a file. */
static au_status take_tables(struct sink *s, const char *path, au_error *err) {
    au_elf e;
    struct au_embed head;
    const unsigned char *record;
    au_status st = au_elf_open(&e, path, err);
    if (st != AU_OK)
        return st;
    for (size_t at = 0; (record = au_elf_record(&e, AU_EMBED_TABLES, &at, &head));) {
        s->loads |= e.loads;
        if (head.total <= AU_WIRE_MAX_RAW) {
            au_vec_append(&s->tables, (const char *)record, head.total);
            au_vec_push(&s->table_size, head.total);
        } else {
            au_error big = AU_ERROR_NONE;
            au_error_set(&big, AU_EUNSUPPORTED, "'%s' has a module with too many of them", path);
            lacks(s, &big);
        }
    }
    au_elf_close(&e);
    return AU_OK;
}

/* Before the program runs: who cannot read it now can record it later, but findings without names and lines
 * would be others than those of every other run. A library of a replayed run that is gone is no such trouble. */
static au_status take_all_tables(struct sink *s, au_error *err) {
    const au_program *p = s->run->program;
    au_status st = take_tables(s, p->exe, err);
    for (size_t i = 0; st == AU_OK && p->libraries[i]; i++) {
        errno = 0;
        st = take_tables(s, au_library_path(p->libraries[i]), err);
        if (st != AU_OK && errno == ENOENT) {
            lacks(s, err);
            *err = (au_error)AU_ERROR_NONE;
            st = AU_OK;
        }
    }
    return st;
}

static void put_tables(struct sink *s) {
    size_t at = 0;
    for (size_t i = 0; i < s->table_size.n; at += s->table_size.at[i++])
        put(s, AU_WIRE_TABLES, 0, s->tables.at + at, s->table_size.at[i]);
    s->tables.n = s->table_size.n = 0;
}

/* Modules that came by dlopen are known only from the stream. Decoding it takes time, so it is done
 * only for programs that call dlopen, and not after very long runs. */

static bool is_known(const au_program *p, const char *path) {
    if (!strcmp(path, p->exe))
        return true;
    for (size_t i = 0; p->libraries[i]; i++)
        if (!strcmp(path, au_library_path(p->libraries[i])))
            return true;
    return false;
}

static void put_loaded_tables(struct sink *s) {
    AU_VEC(char *) found = {0};
    au_error why = AU_ERROR_NONE;
    s->r->loads = s->loads;
    if (!s->loads || s->r->write_status != AU_OK)
        return;
    if (s->r->launch.last.events > AU_LIMIT_LOADED_EVENTS) {
        au_error_set(&why, AU_EUNSUPPORTED, "%s", au_limit_of(AU_AT_LOADED_EVENTS)->words);
        lacks(s, &why);
        return;
    }
    if (!au_recording_path(s->w)) {
        au_error_set(
            &why, AU_EUNSUPPORTED,
            "of a recording that goes into a pipe, libraries that were loaded while the program "
            "ran are not known");
        lacks(s, &why);
        return;
    }
    au_walk *w = au_walk_open(au_recording_path(s->w), NULL, NULL, &why);
    if (!w)
        lacks(s, &why);
    au_stream_record r = {.tag = AU_TAG_EV};
    while (w && r.tag != AU_TAG_PAD && au_walk_next(w, &r, &why) == AU_OK) {
        if (r.tag != AU_TAG_MODULE)
            continue;
        char *path = au_strndup((const char *)r.data, r.n);
        bool known = is_known(s->run->program, path);
        for (size_t i = 0; i < found.n; i++)
            known = known || !strcmp(found.at[i], path);
        if (known)
            free(path);
        else
            au_vec_push(&found, path);
    }
    au_walk_free(w);
    for (size_t i = 0; i < found.n; i++) {
        if (take_tables(s, found.at[i], &why) != AU_OK)
            lacks(s, &why);
        put_tables(s);
        free(found.at[i]);
    }
    au_vec_release(&found);
}

static bool take_chunk(void *ctx, const unsigned char *chunk, size_t n) {
    struct sink *s = ctx;
    uint64_t before = s->w ? au_recording_bytes(s->w) : 0;
    put(s, AU_WIRE_STREAM, 0, chunk, n);
    if (s->w)
        s->r->stream_bytes += au_recording_bytes(s->w) - before;
    return s->w && s->r->write_status == AU_OK;
}

/* Who read the stream is gone: the program has as long to end as after a signal. */
static void leave(struct sink *s) {
    static const double TO_END = 5;
    double now = au_now();
    if (!s->gone) {
        s->gone = now;
        kill(s->child->pid, SIGTERM);
    } else if (now - s->gone > TO_END) {
        kill(s->child->pid, SIGKILL);
    }
}

static void tick(void *ctx) {
    struct sink *s = ctx;
    if (s->run->live && s->r->write_status != AU_OK)
        leave(s);
    if (s->run->tick)
        s->run->tick(s->run->tick_ctx);
}

/* A program that was killed could not say so itself. */
static void put_missing_end(struct sink *s) {
    const au_launch_result *l = &s->r->launch;
    if (l->ended || !l->attached)
        return;
    bool killed = WIFSIGNALED(l->status);
    uint8_t text[12] = {AU_TAG_END, killed ? AU_END_SIGNAL : AU_END_EXIT};
    int64_t code = killed ? WTERMSIG(l->status) : WEXITSTATUS(l->status);
    uint8_t *end = au_put_v(text + 2, au_zigzag(code));
    put(s, AU_WIRE_STREAM, 0, text, (size_t)(end - text));
}

static void put_facts(struct sink *s, const au_child *child) {
    au_program p = *s->run->program;
    p.plan.no_randomize = child->no_randomize;
    if (!s->w)
        return;
    au_program_put(&p, s->w);
    put_tables(s);
}

static struct au_control control_of(const au_run *run) {
    struct au_control c = run->plan;
    const struct au_control *p = &run->program->plan;
    c.policy = p->policy;
    c.seed = p->seed;
    c.switch_every = p->switch_every;
    c.pct_depth = p->pct_depth;
    c.max_events = p->max_events;
    return c;
}

static void close_recording(struct sink *s) {
    au_run_result *r = s->r;
    if (!s->w)
        return;
    put_loaded_tables(s);
    put_missing_end(s);
    struct au_wire_end end = {.events = r->launch.last.events, .threads = r->launch.last.threads};
    bool whole = r->write_status == AU_OK && !r->launch.broken;
    r->file_bytes = au_recording_bytes(s->w);
    if (whole)
        r->file_bytes += sizeof(struct au_wire_frame) + sizeof end;
    au_status st = au_recording_close(s->w, whole ? &end : NULL, &r->write_error);
    if (r->write_status == AU_OK)
        r->write_status = st;
}

au_status au_run_program(const au_run *run, au_control_map *m, au_child *child, au_run_result *r,
                         au_error *err) {
    const au_program *p = run->program;
    struct sink s = {.run = run, .r = r, .child = child};
    struct au_control plan = control_of(run);
    plan.live = run->live;
    *r = (au_run_result){.tee = {.limit = (size_t)AU_LIMIT_STDIN}};
    r->said[1].limit = r->said[2].limit = (size_t)AU_LIMIT_SAID;
    au_launch l = {.path = p->path,
                   .argv = p->argv,
                   .envp = p->envp,
                   .cwd = run->cwd ? run->cwd : p->cwd,
                   .tee = run->feed ? NULL : &r->tee,
                   .gives_fds = run->gives_fds,
                   .exact_fds = run->exact,
                   .fds = p->fds,
                   .n_fds = p->n_fds,
                   .stack_limit = run->exact ? p->stack_limit : 0,
                   .traceable = run->traceable};
    for (int i = 1; i <= 2 && run->keep_output; i++)
        l.said[i] = &r->said[i];
    au_status st = plan_streams(p, run->feed, run->exact, run->discard_output, &l, err);
    if (st != AU_OK)
        return st;
    if (run->output_aside)
        l.stream[1].kind = AU_STREAM_FD, l.stream[1].fd = STDERR_FILENO;
    st = au_control_make(m, &plan, &run->script, err);
    if (st == AU_OK && run->output && !(s.w = au_recording_create(run->output, err)))
        st = err->status;
    if (st == AU_OK && s.w)
        st = take_all_tables(&s, err);
    char *before = NULL;
    size_t n_before = 0;
    bool cut = run->feed && !run->whole_input;
    if (st == AU_OK && s.w && !run->feed && p->stdin_kind == AU_STDIN_FILE)
        st = au_stdin_copy(&before, &n_before, &cut, err);
    l.control_fd = m->fd;
    l.own_ipc = plan.other || (run->again && !run->keeps);
    bool entered = st == AU_OK && run->again;
    if (entered)
        au_world_enter();
    if (st == AU_OK)
        st = au_launch_start(&l, m, child, err);
    if (st == AU_OK) {
        put_facts(&s, child);
        if (run->feed)
            put_stdin(&s, run->feed->bytes, run->feed->size, cut);
        else if (p->stdin_kind == AU_STDIN_FILE)
            put_stdin(&s, before, n_before, cut);
        au_drain(m, child, take_chunk, tick, &s, &r->launch);
        au_launch_signals(&r->signal);
        if (!run->feed && p->stdin_kind == AU_STDIN_PIPE)
            put_stdin(&s, r->tee.at, r->tee.n, r->tee.seen > r->tee.n);
        close_recording(&s);
    } else {
        au_recording_abandon(s.w);
    }
    if (m->c && (m->c->made_offset > m->size || m->c->made_size > m->size - m->c->made_offset))
        m->c->made = 0; /* the program overwrote it: no name in it is one */
    if (run->keep_output && st == AU_OK)
        au_world_left(m->c, &r->left);
    if (entered)
        au_world_leave(m->c, run->keeps);
    else if (st == AU_OK)
        au_world_recorded(m->c);
    free(before);
    au_vec_release(&s.tables);
    au_vec_release(&s.table_size);
    close_streams(&l);
    au_control_release(m);
    return st;
}

void au_run_release(au_run_result *r) {
    free(r->tee.at);
    r->tee = (au_tee){0};
    for (int i = 1; i <= 2; i++) {
        free(r->said[i].at);
        r->said[i] = (au_tee){0};
    }
    au_left_files_release(&r->left);
}

double au_run_natively(const au_program *p, const char *path, const au_feed *feed, au_error *err) {
    au_launch l = {.path = path ? path : p->path,
                   .argv = p->argv,
                   .envp = p->envp,
                   .cwd = p->cwd,
                   .control_fd = -1};
    au_child child;
    if (plan_streams(p, feed, false, true, &l, err) != AU_OK)
        return -1;
    double begun = au_now();
    bool started = au_launch_start(&l, NULL, &child, err) == AU_OK;
    if (started)
        au_launch_wait(&child);
    close_streams(&l);
    return started ? au_now() - begun : -1;
}
