#include "base/in.h"

#include "base/pack.h"
#include "base/vec.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { RAW = 256 * 1024, BUFFER = 1 << 20 };

typedef enum { PLAIN, GZIP, ZSTANDARD } packing;

struct au_in {
    char *name;
    int fd; /* -1: memory */
    packing pack;
    bool live; /* a pipe, a terminal, a socket: bytes come when they come */
    bool stopped;
    bool
        seeks; /* a regular file: read by position, since the descriptor may be shared (au_in_again) */
    off_t pos;
    uint64_t stored_size, offset;

    /* What was read but not yet unpacked; for memory sources, all of it. */
    const char *raw;
    char *raw_buf;
    size_t raw_at, raw_n;
    bool raw_end;

    /* Unpacked bytes [at, n) wait for the caller. A plain memory source has no
     * buffer of its own: 'view' is the source. */
    char *buf;
    size_t at, n, cap;
    bool end;

    z_stream gz;
    bool gz_open;
    ZSTD_DCtx *zstd;
    bool in_member; /* inside a gzip member or a zstd frame: an end here is a cut file */
};

static au_in *new_in(const char *name) {
    au_in *in = AU_NEW(au_in);
    in->name = au_strdup(strcmp(name, "-") ? name : "<stdin>");
    in->fd = -1;
    return in;
}

void au_in_close(au_in *in) {
    if (!in)
        return;
    if (in->gz_open)
        inflateEnd(&in->gz);
    ZSTD_freeDCtx(in->zstd);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->raw_buf);
    free(in->buf);
    free(in->name);
    free(in);
}

/* Bytes that may never come are not waited for when the command is to end. */
static bool come(au_in *in) {
    enum { A_LOOK_MS = 50 };
    struct pollfd p = {in->fd, POLLIN, 0};
    while (in->live) {
        int k = poll(&p, 1, A_LOOK_MS);
        if (k > 0 || (k < 0 && errno != EINTR))
            break;
        if (au_deadline_over())
            return !(in->stopped = true);
    }
    return true;
}

static ssize_t get(au_in *in, void *to, size_t n) {
    ssize_t k;
    do
        k = in->seeks ? pread(in->fd, to, n, in->pos) : read(in->fd, to, n);
    while (k < 0 && errno == EINTR);
    in->pos += k > 0 ? k : 0;
    return k;
}

static au_status fill_raw(au_in *in, au_error *err) {
    if (in->raw_at < in->raw_n || in->raw_end)
        return AU_OK;
    if (in->fd < 0 || !come(in)) {
        in->raw_end = true;
        return AU_OK;
    }
    ssize_t k = get(in, in->raw_buf, RAW);
    if (k < 0)
        return au_error_errno(err, "cannot read '%s'", in->name);
    in->raw_at = 0;
    in->raw_n = (size_t)k;
    in->raw_end = k == 0;
    return AU_OK;
}

static bool raw_starts(const au_in *in, const void *magic, size_t n) {
    return in->raw_n - in->raw_at >= n && !memcmp(in->raw + in->raw_at, magic, n);
}

/* Looks at the first bytes and sets up the unpacking. */
static au_status start(au_in *in, au_error *err) {
    au_status st = fill_raw(in, err);
    if (st)
        return st;
    /* A pipe may hand over fewer bytes than a magic number has. */
    while (in->fd >= 0 && in->raw_n && in->raw_n < 4) {
        ssize_t k = get(in, in->raw_buf + in->raw_n, RAW - in->raw_n);
        if (k < 0)
            return au_error_errno(err, "cannot read '%s'", in->name);
        if (!k)
            break;
        in->raw_n += (size_t)k;
    }
    if (raw_starts(in, "\x1f\x8b", 2)) {
        in->pack = GZIP;
        int z = inflateInit2(&in->gz, 15 + 16);
        if (z == Z_MEM_ERROR)
            au_out_of_memory(0);
        if (z != Z_OK)
            return au_error_set(err, AU_EINTERNAL, "cannot start zlib");
        in->gz_open = true;
    } else if (raw_starts(in, "\x28\xb5\x2f\xfd", 4)) {
        in->pack = ZSTANDARD;
        in->zstd = ZSTD_createDCtx();
        if (!in->zstd)
            au_out_of_memory(0);
    }
    if (in->pack != PLAIN || in->fd >= 0) {
        in->cap = BUFFER;
        in->buf = au_alloc(in->cap);
    }
    return AU_OK;
}

au_in *au_in_open(const char *path, au_error *err) {
    au_in *in = new_in(path);
    in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    struct stat st;
    if (in->fd < 0 || fstat(in->fd, &st)) {
        au_error_errno(err, "cannot open '%s'", path);
        goto fail;
    }
    if (S_ISDIR(st.st_mode)) {
        au_error_set(err, AU_EIO, "cannot read '%s': it is a directory", path);
        goto fail;
    }
    in->stored_size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    in->live = !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode);
    in->seeks = S_ISREG(st.st_mode) && in->fd != STDIN_FILENO; /* that one may stand anywhere */
    in->raw = in->raw_buf = au_alloc(RAW);
    if (start(in, err))
        goto fail;
    return in;
fail:
    au_in_close(in);
    return NULL;
}

au_in *au_in_again(const au_in *from, au_error *err) {
    if (!from->seeks)
        return NULL;
    au_in *in = new_in(from->name);
    in->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
    in->stored_size = from->stored_size;
    in->seeks = true;
    in->raw = in->raw_buf = au_alloc(RAW);
    if (in->fd >= 0 && start(in, err) == AU_OK)
        return in;
    if (in->fd < 0)
        au_error_errno(err, "cannot read '%s' again", from->name);
    au_in_close(in);
    return NULL;
}

au_in *au_in_memory(const void *p, size_t n, const char *name) {
    au_in *in = new_in(name);
    in->raw = p;
    in->raw_n = n;
    in->stored_size = n;
    start(in, NULL);
    return in;
}

static au_status unpack_gzip(au_in *in, au_error *err) {
    in->gz.next_in = (Bytef *)(uintptr_t)(in->raw + in->raw_at);
    in->gz.avail_in = (uInt)(in->raw_n - in->raw_at < 1u << 30 ? in->raw_n - in->raw_at : 1u << 30);
    in->gz.next_out = (Bytef *)in->buf + in->n;
    in->gz.avail_out = (uInt)(in->cap - in->n);
    uInt before_in = in->gz.avail_in, before_out = in->gz.avail_out;
    int z = inflate(&in->gz, Z_NO_FLUSH);
    in->raw_at += before_in - in->gz.avail_in;
    in->n += before_out - in->gz.avail_out;
    in->in_member = z != Z_STREAM_END;
    if (z == Z_STREAM_END)
        inflateReset(&in->gz); /* gzip files may hold several members */
    else if (z != Z_OK && z != Z_BUF_ERROR)
        return au_error_set(err, AU_EFORMAT, "%s: the gzip data is damaged: %s", in->name,
                            in->gz.msg ? in->gz.msg : "bad data");
    return AU_OK;
}

static au_status unpack_zstd(au_in *in, au_error *err) {
    ZSTD_inBuffer from = {in->raw + in->raw_at, in->raw_n - in->raw_at, 0};
    ZSTD_outBuffer to = {in->buf + in->n, in->cap - in->n, 0};
    size_t left = au_zstd(ZSTD_decompressStream(in->zstd, &to, &from));
    if (ZSTD_isError(left))
        return au_error_set(err, AU_EFORMAT, "%s: the zstd data is damaged: %s", in->name,
                            ZSTD_getErrorName(left));
    in->raw_at += from.pos;
    in->n += to.pos;
    in->in_member = left != 0;
    return AU_OK;
}

/* Adds bytes to the buffer, or sets end. */
static au_status fill(au_in *in, au_error *err) {
    if (in->pack == PLAIN) {
        /* Straight into the buffer, past raw_buf, once its first bytes are used up. */
        if (in->raw_at < in->raw_n) {
            size_t k = in->raw_n - in->raw_at;
            if (k > in->cap - in->n)
                k = in->cap - in->n;
            memcpy(in->buf + in->n, in->raw + in->raw_at, k);
            in->raw_at += k;
            in->n += k;
            return AU_OK;
        }
        if (!come(in)) {
            in->end = true;
            return AU_OK;
        }
        ssize_t k = get(in, in->buf + in->n, in->cap - in->n);
        if (k < 0)
            return au_error_errno(err, "cannot read '%s'", in->name);
        in->n += (size_t)k;
        in->end = k == 0;
        return AU_OK;
    }
    au_status st = fill_raw(in, err);
    if (st)
        return st;
    if (in->raw_at == in->raw_n) {
        /* zlib and zstd may still hold output back: ask once more. */
        size_t before = in->n;
        if (in->in_member) {
            st = in->pack == GZIP ? unpack_gzip(in, err) : unpack_zstd(in, err);
            if (st || in->n > before)
                return st;
            if (in->in_member && !in->stopped)
                return au_error_set(err, AU_EFORMAT, "%s: the compressed data is cut short",
                                    in->name);
        }
        in->end = true;
        return AU_OK;
    }
    if (in->pack == GZIP && !in->in_member && !raw_starts(in, "\x1f", 1)) {
        in->raw_at = in->raw_n; /* padding after the last member, as gzip itself treats it */
        return AU_OK;
    }
    return in->pack == GZIP ? unpack_gzip(in, err) : unpack_zstd(in, err);
}

const char *au_in_peek(au_in *in, size_t want, size_t *have, au_error *err) {
    if (!in->buf) { /* plain memory: no copy */
        *have = in->raw_n - in->raw_at;
        return in->raw_n ? in->raw + in->raw_at : "";
    }
    if (in->n - in->at < want && !in->end) {
        if (in->at) {
            memmove(in->buf, in->buf + in->at, in->n - in->at);
            in->n -= in->at;
            in->at = 0;
        }
        if (want > in->cap) {
            AU_BUG_IF(want > (64u << 20));
            in->buf = au_realloc_array(in->buf, want, 1);
            in->cap = want;
        }
        while (in->n < want && !in->end)
            if (fill(in, err))
                return NULL;
    }
    *have = in->n - in->at;
    return in->buf + in->at;
}

bool au_in_would_wait(const au_in *in, size_t want) {
    if (!in->live || in->end || in->n - in->at >= want || in->raw_at < in->raw_n)
        return false;
    struct pollfd p = {in->fd, POLLIN, 0};
    return poll(&p, 1, 0) == 0;
}

bool au_in_stopped(const au_in *in) {
    return in->stopped;
}

bool au_in_is_live(const au_in *in) {
    return in->live;
}

/* What is there already goes into the buffer; a failure is found again by the peek. */
static bool has_bytes(au_in *in, size_t want) {
    while (au_in_would_wait(in, want) == false) {
        if (!in->live || in->end || in->n - in->at >= want || !in->buf)
            return true;
        size_t have, before = in->n - in->at;
        if (!au_in_peek(in, before + 1, &have, NULL))
            return true;
    }
    return false;
}

bool au_in_await(au_in *in, size_t want, double seconds) {
    enum { A_LOOK_MS = 50 };
    double until = au_now() + seconds;
    while (!has_bytes(in, want)) {
        if (au_deadline_over() || au_now() >= until)
            return false;
        struct pollfd p = {in->fd, POLLIN, 0};
        poll(&p, 1, A_LOOK_MS);
    }
    return true;
}

void au_in_skip(au_in *in, size_t n) {
    if (in->buf) {
        AU_BUG_IF(n > in->n - in->at);
        in->at += n;
    } else {
        AU_BUG_IF(n > in->raw_n - in->raw_at);
        in->raw_at += n;
    }
    in->offset += n;
}

static au_status write_all(int fd, const char *p, size_t n, au_error *err) {
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return au_error_errno(err, "cannot keep the input in a temporary file");
        p += k;
        n -= (size_t)k;
    }
    return AU_OK;
}

static int nameless_file(void) {
    const char *dir = getenv("TMPDIR");
    dir = dir && *dir ? dir : "/tmp";
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char *name = au_sprintf("%s/augur-XXXXXX", dir);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

au_status au_in_spool(au_in *in, au_error *err) {
    if (!in->live)
        return AU_OK;
    AU_BUG_IF(in->offset);
    int fd = nameless_file();
    if (fd < 0)
        return au_error_errno(err, "cannot make a temporary file");
    for (;;) {
        size_t have;
        const char *p = au_in_peek(in, 1, &have, err);
        au_status st = p ? AU_OK : err ? err->status : AU_EIO;
        if (st == AU_OK && have)
            st = write_all(fd, p, have, err);
        if (st != AU_OK) {
            close(fd);
            return st;
        }
        if (!have)
            break;
        au_in_skip(in, have);
    }
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    in->fd = fd;
    in->pack = PLAIN;
    in->live = false;
    return au_in_rewind(in, err);
}

au_status au_in_rewind(au_in *in, au_error *err) {
    if (in->live)
        return au_error_set(err, AU_EUNSUPPORTED, "%s: a pipe can be read only once", in->name);
    if (in->fd >= 0) {
        in->pos = 0;
        if (!in->seeks && lseek(in->fd, 0, SEEK_SET) < 0)
            return au_error_errno(err, "cannot read '%s' again", in->name);
        in->raw_n = 0;
    }
    in->raw_at = in->at = in->n = 0;
    in->raw_end = in->end = in->in_member = false;
    in->offset = 0;
    if (in->pack == GZIP)
        inflateReset(&in->gz);
    if (in->pack == ZSTANDARD)
        ZSTD_DCtx_reset(in->zstd, ZSTD_reset_session_only);
    return AU_OK;
}

uint64_t au_in_offset(const au_in *in) {
    return in->offset;
}

uint64_t au_in_stored_size(const au_in *in) {
    return in->stored_size;
}

bool au_in_is_packed(const au_in *in) {
    return in->pack != PLAIN;
}

const char *au_in_name(const au_in *in) {
    return in->name;
}

au_status au_in_whole(const char *path, size_t most, const char *what, char **text, size_t *n,
                      au_error *err) {
    au_in *in = au_in_open(path, err);
    if (!in)
        return err->status;
    AU_VEC(char) v = {0};
    au_status st = AU_OK;
    for (;;) {
        size_t have;
        const char *p = au_in_peek(in, 1, &have, err);
        if (!p)
            st = err->status;
        else if (v.n + have > most)
            st = au_error_set(err, AU_EFORMAT, "'%s' is too long for %s", path, what);
        if (st != AU_OK || !have)
            break;
        au_vec_append(&v, p, have);
        au_in_skip(in, have);
    }
    au_in_close(in);
    if (st != AU_OK) {
        au_vec_release(&v);
        return st;
    }
    *n = v.n;
    au_vec_push(&v, 0);
    *text = v.at;
    return AU_OK;
}
