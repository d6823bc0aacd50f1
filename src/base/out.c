#include "base/out.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024, ROOM = 64 * 1024, UNFINISHED = 16 };

struct au_out {
    int fd; /* -1: in memory */
    bool owns_fd;
    char *name;      /* for messages */
    char *final;     /* the name to get at commit, NULL if written directly */
    char *temporary; /* the name it has until then */
    char *buf;
    size_t used, cap;
    uint64_t flushed;
    au_packer *packer; /* NULL: plain */
    au_error err;      /* the first failure */
};

/* The unfinished files of this process, for the signal handler: a slot is
 * written before its file is created and cleared after it is gone. */
static char unfinished[UNFINISHED][PATH_MAX];
static volatile char unfinished_used[UNFINISHED];

void au_out_unfinished(const char *path) {
    if (strlen(path) >= PATH_MAX)
        return;
    for (int i = 0; i < UNFINISHED; i++) {
        if (unfinished_used[i])
            continue;
        strcpy(unfinished[i], path);
        unfinished_used[i] = 1;
        return;
    }
}

void au_out_finished(const char *path) {
    for (int i = 0; i < UNFINISHED; i++)
        if (unfinished_used[i] && !strcmp(unfinished[i], path))
            unfinished_used[i] = 0;
}

void au_out_remove_unfinished(void) {
    for (int i = 0; i < UNFINISHED; i++)
        if (unfinished_used[i])
            unlink(unfinished[i]);
}

static au_out *new_out(int fd, const char *name) {
    au_out *o = AU_NEW(au_out);
    o->fd = fd;
    o->name = au_strdup(name);
    o->cap = BUFFER;
    o->buf = au_alloc(o->cap);
    return o;
}

static void free_out(au_out *o) {
    if (o->owns_fd && o->fd >= 0)
        close(o->fd);
    free(o->name);
    free(o->final);
    free(o->temporary);
    free(o->buf);
    au_packer_free(o->packer);
    free(o);
}

au_out *au_out_fd(int fd, const char *name) {
    return new_out(fd, name);
}

au_out *au_out_memory(void) {
    return new_out(-1, "<memory>");
}

static au_out *open_directly(const char *path, au_error *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        au_error_errno(err, "cannot write '%s'", path);
        return NULL;
    }
    au_out *o = new_out(fd, path);
    o->owns_fd = true;
    return o;
}

au_out *au_out_open(const char *path, au_error *err) {
    if (!strcmp(path, "-"))
        return new_out(STDOUT_FILENO, "<stdout>");
    struct stat st;
    mode_t mode = 0666;
    char *target = NULL;
    if (!stat(path, &st)) {
        if (S_ISDIR(st.st_mode)) {
            au_error_set(err, AU_EIO, "cannot write '%s': it is a directory", path);
            return NULL;
        }
        if (!S_ISREG(st.st_mode))
            return open_directly(path, err);
        if (access(path, W_OK)) {
            au_error_errno(err, "cannot write '%s'", path);
            return NULL;
        }
        mode = st.st_mode & 0777;
        target = realpath(path, NULL); /* a symbolic link stays one */
    }
    au_out *o = new_out(-1, path);
    o->final = au_strdup(target ? target : path);
    free(target);
    o->temporary = au_sprintf("%s.tmp-%ld", o->final, (long)getpid());
    au_out_unfinished(o->temporary);
    /* O_EXCL: a left-over of the same name is someone else's. */
    o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (o->fd < 0) {
        au_error_errno(err, "cannot write '%s'", path);
        au_out_finished(o->temporary);
        free_out(o);
        return NULL;
    }
    o->owns_fd = true;
    return o;
}

static bool write_all(void *ctx, const void *p, size_t n) {
    au_out *o = ctx;
    const char *s = p;
    size_t done = 0;
    while (done < n && !o->err.status) {
        ssize_t k = write(o->fd, s + done, n - done);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            au_error_errno(&o->err, "cannot write '%s'", o->name);
        else
            done += (size_t)k;
    }
    return !o->err.status;
}

static void flush_buffer(au_out *o, bool end) {
    if (o->err.status)
        ;
    else if (o->packer)
        au_packer_run(o->packer, o->buf, o->used, end, write_all, o, &o->err);
    else
        write_all(o, o->buf, o->used);
    o->flushed += o->used;
    o->used = 0;
}

void au_out_pack(au_out *o, au_pack how) {
    AU_BUG_IF(o->fd < 0 || o->packer || o->flushed || o->used);
    o->packer = au_packer_new(how);
}

static void make_room(au_out *o, size_t n) {
    if (o->cap - o->used >= n)
        return;
    if (o->fd >= 0) {
        flush_buffer(o, false);
    } else {
        size_t cap = o->cap * 2 > o->used + n ? o->cap * 2 : o->used + n;
        o->buf = au_realloc_array(o->buf, cap, 1);
        o->cap = cap;
    }
}

void au_out_write(au_out *o, const void *p, size_t n) {
    const char *s = p;
    while (n) {
        make_room(o, n < ROOM ? n : ROOM);
        size_t k = o->cap - o->used < n ? o->cap - o->used : n;
        memcpy(o->buf + o->used, s, k);
        o->used += k;
        s += k;
        n -= k;
    }
}

void au_out_str(au_out *o, const char *s) {
    au_out_write(o, s, strlen(s));
}

void au_out_shell(au_out *o, const char *s) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%";
    if (*s && strspn(s, plain) == strlen(s)) {
        au_out_str(o, s);
        return;
    }
    au_out_char(o, '\'');
    for (; *s; s++)
        if (*s == '\'')
            au_out_str(o, "'\\''");
        else
            au_out_char(o, *s);
    au_out_char(o, '\'');
}

void au_out_char(au_out *o, char c) {
    make_room(o, 1);
    o->buf[o->used++] = c;
}

void au_out_u64(au_out *o, uint64_t v) {
    char digit[20];
    size_t n = 0;
    do {
        digit[sizeof digit - ++n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    au_out_write(o, digit + sizeof digit - n, n);
}

void au_out_i64(au_out *o, int64_t v) {
    if (v < 0)
        au_out_char(o, '-');
    au_out_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void au_out_printf(au_out *o, const char *fmt, ...) {
    char small[512];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    AU_BUG_IF(n < 0);
    if ((size_t)n < sizeof small) {
        au_out_write(o, small, (size_t)n);
    } else {
        char *big = au_alloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, fmt, again);
        au_out_write(o, big, (size_t)n);
        free(big);
    }
    va_end(again);
}

char *au_out_room(au_out *o, size_t n) {
    AU_BUG_IF(n > ROOM);
    make_room(o, n);
    return o->buf + o->used;
}

void au_out_used(au_out *o, size_t n) {
    o->used += n;
}

bool au_out_failed(const au_out *o) {
    return o->err.status != AU_OK;
}

uint64_t au_out_bytes(const au_out *o) {
    return o->flushed + o->used;
}

const char *au_out_memory_data(au_out *o, size_t *n) {
    make_room(o, 1);
    o->buf[o->used] = 0;
    if (n)
        *n = o->used;
    return o->buf;
}

static au_status fail_with(au_out *o, au_error *err) {
    if (err)
        *err = o->err;
    return o->err.status;
}

au_status au_out_flush(au_out *o, au_error *err) {
    if (o->fd >= 0)
        flush_buffer(o, false);
    return fail_with(o, o->err.status ? err : NULL);
}

au_status au_out_commit(au_out *o, au_error *err) {
    if (o->fd >= 0)
        flush_buffer(o, true);
    if (!o->err.status && o->final) {
        /* Some file systems report a full disk only here. */
        int fd = o->fd;
        o->fd = -1;
        int e;
        while ((e = fsync(fd)) && errno == EINTR)
            continue;
        if (e && errno != EINVAL && errno != EROFS)
            au_error_errno(&o->err, "cannot write '%s'", o->name);
        if (close(fd) && !o->err.status)
            au_error_errno(&o->err, "cannot write '%s'", o->name);
        if (!o->err.status && rename(o->temporary, o->final))
            au_error_errno(&o->err, "cannot write '%s'", o->name);
    }
    au_status st = o->err.status;
    if (st && err)
        *err = o->err;
    if (o->temporary) {
        if (st)
            unlink(o->temporary);
        au_out_finished(o->temporary);
    }
    free_out(o);
    return st;
}

void au_out_abandon(au_out *o) {
    if (!o)
        return;
    if (o->temporary) {
        unlink(o->temporary);
        au_out_finished(o->temporary);
    }
    free_out(o);
}
