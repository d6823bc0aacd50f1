#include "trace/recording_write.h"

#include "base/out.h"
#include "base/vec.h"
#include "trace/binary_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The drainer has a core of its own but must keep up with the program: level 1 packs several
 * hundred MB/s, and the predictor has left little that a higher level would find. */
enum { LEVEL = 1 };

struct au_recording_out {
    int fd;
    char *name;      /* for messages, and what it is called in the end */
    char *temporary; /* NULL: written directly */
    uint64_t good;   /* bytes up to the end of the last whole frame */
    bool headed;
    au_meta_bytes meta;
    uint32_t meta_count;
    au_framer framer;
    au_error err; /* the first failure */
};

static bool is_direct(const char *path, au_error *err, bool *bad) {
    struct stat st;
    *bad = false;
    if (stat(path, &st))
        return false;
    if (S_ISDIR(st.st_mode)) {
        au_error_set(err, AU_EIO, "cannot write '%s': it is a directory", path);
        *bad = true;
    } else if (S_ISREG(st.st_mode) && access(path, W_OK)) {
        au_error_errno(err, "cannot write '%s'", path);
        *bad = true;
    }
    return !S_ISREG(st.st_mode);
}

static au_recording_out *new_out(int fd, const char *name, char *temporary) {
    au_recording_out *w = AU_NEW(au_recording_out);
    w->fd = fd;
    w->name = au_strdup(name);
    w->temporary = temporary;
    au_framer_init(&w->framer, true, LEVEL);
    return w;
}

/* Our own descriptor stays open: it is closed at our end, when everybody's is. */
static au_recording_out *to_stdout(au_error *err) {
    int fd = -1;
    if (isatty(STDOUT_FILENO))
        au_error_set(
            err, AU_EUSAGE,
            "a recording is not text, and standard output is a terminal: pipe it into 'augur "
            "check --stream -', or name a file");
    else if ((fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) < 0)
        au_error_errno(err, "cannot write standard output");
    return fd < 0 ? NULL : new_out(fd, "<stdout>", NULL);
}

au_recording_out *au_recording_create(const char *path, au_error *err) {
    if (!strcmp(path, "-"))
        return to_stdout(err);
    bool bad, direct = is_direct(path, err, &bad);
    if (bad)
        return NULL;
    char *temporary = direct ? NULL : au_sprintf("%s.part-%ld", path, (long)getpid());
    if (temporary)
        au_out_unfinished(temporary);
    int fd = direct ? open(path, O_WRONLY | O_CLOEXEC)
                    : open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        au_error_errno(err, "cannot write '%s'", path);
        if (temporary)
            au_out_finished(temporary);
        free(temporary);
        return NULL;
    }
    return new_out(fd, path, temporary);
}

static void put_bytes(au_recording_out *w, const void *p, size_t n) {
    const char *s = p;
    while (n && !w->err.status) {
        ssize_t k = write(w->fd, s, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            au_error_errno(&w->err, "cannot write '%s'", w->name);
            break;
        }
        s += k;
        n -= (size_t)k;
    }
}

/* What follows the last whole frame goes away, so that readers need not puzzle over it. */
static void cut_back(au_recording_out *w) {
    if (w->temporary && ftruncate(w->fd, (off_t)w->good))
        return; /* a reader stops at the torn frame all the same */
}

static void put_frame(au_recording_out *w, uint8_t kind, uint32_t count, const void *raw,
                      size_t n) {
    struct au_wire_frame f;
    AU_BUG_IF(n > AU_WIRE_MAX_RAW);
    if (w->err.status)
        return;
    const void *payload = au_framer_make(&w->framer, kind, count, raw, n, &f);
    put_bytes(w, &f, sizeof f);
    put_bytes(w, payload, f.stored);
    if (w->err.status)
        cut_back(w);
    else
        w->good += sizeof f + f.stored;
}

static void put_head(au_recording_out *w) {
    if (w->headed)
        return;
    w->headed = true;
    struct au_wire_head h = {.version = AU_WIRE_VERSION, .features = AU_WIRE_FEATURE_STREAM};
    memcpy(h.magic, AU_WIRE_MAGIC, sizeof h.magic);
    put_bytes(w, &h, sizeof h);
    if (!w->err.status)
        w->good = sizeof h;
    if (w->meta_count)
        put_frame(w, AU_WIRE_META, w->meta_count, w->meta.at, w->meta.n);
}

void au_recording_meta(au_recording_out *w, const char *key, const char *value) {
    AU_BUG_IF(w->headed);
    if (strlen(key) + strlen(value) + 8 > AU_WIRE_MAX_RAW - w->meta.n) {
        if (!w->err.status)
            au_error_set(&w->err, AU_EUNSUPPORTED,
                         "the program's arguments and environment do not fit into a recording");
        return;
    }
    au_meta_add(&w->meta, key, value);
    w->meta_count++;
}

static au_status told(const au_recording_out *w, au_error *err) {
    if (w->err.status && err)
        *err = w->err;
    return w->err.status;
}

au_status au_recording_put(au_recording_out *w, uint8_t kind, uint32_t count, const void *raw,
                           size_t n, au_error *err) {
    put_head(w);
    put_frame(w, kind, count, raw, n);
    return told(w, err);
}

const char *au_recording_path(const au_recording_out *w) {
    return w->temporary;
}

uint64_t au_recording_bytes(const au_recording_out *w) {
    return w->good;
}

static void free_out(au_recording_out *w) {
    if (w->temporary)
        au_out_finished(w->temporary);
    if (w->fd >= 0)
        close(w->fd);
    free(w->name);
    free(w->temporary);
    au_vec_release(&w->meta);
    au_framer_release(&w->framer);
    free(w);
}

au_status au_recording_close(au_recording_out *w, const struct au_wire_end *end, au_error *err) {
    put_head(w);
    if (end)
        put_frame(w, AU_WIRE_END, 0, end, sizeof *end);
    if (w->temporary) {
        int fd = w->fd;
        w->fd = -1;
        /* Some file systems report a full disk only here. */
        if (close(fd) && !w->err.status)
            au_error_errno(&w->err, "cannot write '%s'", w->name);
        if (w->good <= sizeof(struct au_wire_head))
            unlink(w->temporary);
        else if (rename(w->temporary, w->name) && !w->err.status)
            au_error_errno(&w->err, "cannot rename '%s' to '%s'", w->temporary, w->name);
    }
    au_status st = told(w, err);
    free_out(w);
    return st;
}

void au_recording_abandon(au_recording_out *w) {
    if (!w)
        return;
    if (w->temporary)
        unlink(w->temporary);
    free_out(w);
}
