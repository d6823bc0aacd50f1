/* engine/suite.c: see suite.h. */
#include "engine/suite.h"

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/hash.h"
#include "base/in.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/temporary.h"
#include "record/replay.h"
#include "wire/stream.h"
#include "wire/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    CASE_BYTES = 4 << 20,
    LOCK_TRIES =
        40, /* of 50 ms: the processes of a command that was killed end a little after it, and hold its lock */
};

/* ---- the directory ---- */

static au_status make_link(const au_suite *s, au_error *err) {
    char *self = realpath("/proc/self/exe", NULL);
    char *link = au_sprintf("%s/" AU_SUITE_TOOL, s->dir);
    au_status st = AU_OK;
    if (!self || symlink(self, link))
        st = au_error_errno(err, "cannot create '%s'", link);
    free(link);
    free(self);
    return st;
}

static bool take_lock(int fd) {
    static const struct timespec pause = {.tv_nsec = 50000000};
    bool taken = !flock(fd, LOCK_EX | LOCK_NB);
    for (int i = 0; i < LOCK_TRIES && !taken; i++) {
        nanosleep(&pause, NULL);
        taken = !flock(fd, LOCK_EX | LOCK_NB);
    }
    return taken;
}

au_status au_suite_open(au_suite *s, const char *store, au_error *err) {
    *s = (au_suite){.lock = -1};
    char *full = realpath(store, NULL);
    if (!full)
        return au_error_errno(err, "cannot use the store '%s'", store);
    char *name = au_sprintf("%s/suite.lock", full);
    s->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    au_status st = AU_OK;
    if (s->lock < 0)
        st = au_error_errno(err, "cannot create '%s'", name);
    else if (!take_lock(s->lock))
        st = au_error_set(err, AU_EUSAGE,
                          "another 'augur test' uses the store '%s'; name another with --store",
                          store);
    free(name);
    if (st == AU_OK) {
        s->dir = au_sprintf("%s/suite", full);
        au_remove_all(s->dir);
        if (mkdir(s->dir, 0700))
            st = au_error_errno(err, "cannot create '%s'", s->dir);
        else
            st = make_link(s, err);
    }
    free(full);
    return st;
}

au_status au_suite_put_known(const au_suite *s, uint64_t begin, const au_suite_numbers *known,
                             au_error *err) {
    char *path = au_sprintf("%s/" AU_SUITE_KNOWN, s->dir);
    au_out *out = au_out_open(path, err);
    free(path);
    if (!out)
        return err->status;
    au_out_write(out, (const char *)&begin, sizeof begin);
    if (known->n)
        au_out_write(out, (const char *)known->at, known->n * sizeof *known->at);
    return au_out_commit(out, err);
}

void au_suite_end(au_suite *s) {
    char *link = au_sprintf("%s/" AU_SUITE_TOOL, s->dir);
    unlink(link);
    free(link);
}

void au_suite_close(au_suite *s) {
    if (s->dir)
        au_remove_all(s->dir);
    if (s->lock >= 0)
        close(s->lock);
    free(s->dir);
    *s = (au_suite){.lock = -1};
}

/* ---- a process of it ---- */

/* "TIME-PID.trace" with another ending. Caller frees. */
static char *beside(const char *trace, const char *ending) {
    return au_sprintf("%.*s%s", (int)(strlen(trace) - strlen(".trace")), trace, ending);
}

static void put_name(au_out *out, const au_program *p) {
    const char *slash = strrchr(p->path, '/');
    au_out_str(out, slash ? slash + 1 : p->path);
    for (char **a = p->argv + 1; *p->argv && *a; a++)
        au_out_printf(out, " %s", *a);
    for (char **e = p->envp; *e; e++) { /* what says which part of the program it is */
        static const char *const part[] = {AU_CHILD_VARIABLE "=", AU_CMOCKA_VARIABLE "=",
                                           "CK_RUN_SUITE=", "CK_RUN_CASE="};
        for (size_t i = 0; i < sizeof part / sizeof *part; i++)
            if (!strncmp(*e, part[i], strlen(part[i])))
                au_out_printf(out, i ? " [%s]" : " [child %s]", *e + strlen(part[i]));
    }
}

char *au_suite_claim(const char *dir, const au_program *p) {
    struct timespec t;
    au_error err = AU_ERROR_NONE;
    clock_gettime(CLOCK_MONOTONIC, &t);
    char *trace = au_sprintf("%s/%010" PRIu64 "%09ld-%d.trace", dir, (uint64_t)t.tv_sec, t.tv_nsec,
                             (int)getpid());
    char *begun = beside(trace, ".begun");
    au_out *out = au_out_open(begun, &err);
    if (out) {
        put_name(out, p);
        au_out_commit(out, &err);
    }
    free(begun);
    return trace;
}

void au_suite_refuse(const char *trace, const au_program *p, const char *why) {
    au_error err = AU_ERROR_NONE;
    char *path = beside(trace, ".refused");
    au_out *out = au_out_open(path, &err);
    if (out) {
        au_out_char(out, '\'');
        put_name(out, p);
        au_out_printf(out, "' is not recorded: %s", why);
        au_out_commit(out, &err);
    }
    free(path);
    au_suite_withdraw(trace);
}

void au_suite_withdraw(const char *trace) {
    char *begun = beside(trace, ".begun");
    unlink(begun);
    unlink(trace);
    free(begun);
}

/* Nothing is said if it cannot be written: then the process is none of the suite's cases. */
void au_suite_put(const char *trace, const au_program *p, int status, double seconds,
                  const struct au_control *last, uint64_t number) {
    au_error err = AU_ERROR_NONE;
    char *path = beside(trace, ".case");
    au_out *out = au_out_open(path, &err);
    if (out) {
        au_out_printf(out, "%d %.6f %u %" PRIu64, status, seconds, last ? last->forks : 0, number);
        for (size_t i = 0; i < AU_BECAME / 32; i++)
            au_out_printf(out, " %" PRIx32, last ? last->became[i] : 0);
        au_out_printf(out, "\n%s\n", p->exe);
        put_name(out, p);
        au_out_commit(out, &err);
    }
    free(path);
}

/* ---- all of them ---- */

static bool hash_of(const char *path, uint64_t *hash) {
    static char block[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    XXH3_state_t *x = XXH3_createState();
    XXH3_64bits_reset(x);
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) > 0)
        XXH3_64bits_update(x, block, (size_t)n);
    *hash = XXH3_64bits_digest(x);
    XXH3_freeState(x);
    close(fd);
    return n == 0;
}

/* What a process did, put into one number. Numbers of processes are told by the order in which it heard of them. */
typedef struct {
    XXH3_state_t *x;
    au_map process;
    bool outside; /* something came from there, besides times and numbers of processes */
} likeness;

/* Frames beside the stream: names, what was on standard input. */
static void hash_frame(void *ctx, uint8_t kind, uint32_t count, const char *at, size_t n) {
    likeness *l = ctx;
    uint32_t head[2] = {kind, count};
    l->outside |= kind == AU_WIRE_STDIN && n;
    XXH3_64bits_update(l->x, head, sizeof head);
    XXH3_64bits_update(l->x, at, n);
}

/* What it did and what it was given, but for times, numbers of processes, and values that follow from them. */
static void hash_record(likeness *l, const au_stream_record *r) {
    bool input = r->tag == AU_TAG_INPUT, id = input && r->kind == AU_INPUT_ID;
    uint64_t value = r->value;
    const uint64_t *known = input && value ? au_map_find(&l->process, value) : NULL;
    struct {
        uint8_t tag, op, size, kind;
        uint32_t thread, site, len;
    } head = {r->tag, r->op, r->size, r->kind, r->thread, r->site, r->len};
    if (r->tag != AU_TAG_EV && r->tag != AU_TAG_BITS && r->tag != AU_TAG_END && !input)
        return;
    uint8_t from = r->kind & (uint8_t) ~(AU_INPUT_MORE | AU_INPUT_INSIDE);
    l->outside |= input && from != AU_INPUT_ID && from != AU_INPUT_CLOCK;
    XXH3_64bits_update(l->x, &head, sizeof head);
    if (id && value && !known)
        *au_map_put(&l->process, value, NULL) = 1 + l->process.n;
    if (known)
        value = *known;
    if (r->tag != AU_TAG_EV && !id && !(input && r->kind == AU_INPUT_CLOCK)) {
        XXH3_64bits_update(l->x, &value, sizeof value);
        XXH3_64bits_update(l->x, r->data, r->n);
    }
}

/* A list, an item a line; of the environment without what is new each time. */
static void hash_list(likeness *l, const char *text) {
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (!au_suite_is_passing(text))
            XXH3_64bits_update(l->x, text, n + 1);
    }
}

/* False: the recording cannot be read to its end. */
static bool likeness_of(const char *path, uint64_t *number, bool *outside) {
    static const char *const key[] = {"exe-hash", "libraries", "argv", "env", "cwd", "stdin"};
    au_error err = AU_ERROR_NONE;
    au_stream_record r = {.tag = AU_TAG_END};
    likeness l = {.x = XXH3_createState()};
    XXH3_64bits_reset(l.x);
    au_map_init(&l.process);
    au_walk *w = au_walk_open(path, hash_frame, &l, &err);
    bool good = w != NULL;
    if (good)
        au_stream_be_blind(au_walk_stream(w));
    for (size_t i = 0; good && i < sizeof key / sizeof *key; i++) {
        const char *text = au_walk_meta(w, key[i]);
        XXH3_64bits_update(l.x, key[i], strlen(key[i]) + 1);
        hash_list(&l, text ? text : "");
    }
    while (good && (good = au_walk_next(w, &r, &err) == AU_OK) && r.tag != AU_TAG_PAD)
        hash_record(&l, &r);
    *number = XXH3_64bits_digest(l.x);
    *outside = l.outside || !good;
    XXH3_freeState(l.x);
    au_map_release(&l.process);
    au_walk_free(w);
    return good;
}

static bool read_text(const char *path, char **text) {
    au_error err = AU_ERROR_NONE;
    size_t n;
    return au_in_whole(path, CASE_BYTES, "a case of a suite", text, &n, &err) == AU_OK;
}

/* Forks whose children became other programs; what is left of them is to be looked at. */
static bool read_became(const char *text, au_suite_case *c) {
    unsigned others = 0;
    for (size_t i = 0; i < AU_BECAME / 32; i++) {
        char *end;
        c->became[i] = (uint32_t)strtoul(text, &end, 16);
        if (end == text)
            return false;
        text = end;
        others += (unsigned)__builtin_popcount(c->became[i]);
    }
    if (others >= c->forks)
        c->forks = 0;
    return true;
}

static bool read_case(const char *path, au_suite_case *c) {
    char *text, *line;
    int n = 0;
    if (!read_text(path, &text))
        return false;
    bool good = sscanf(text, "%d %lf %u %" SCNu64 "%n", &c->status, &c->seconds, &c->forks,
                       &c->number, &n) == 4 &&
                read_became(text + n, c) && (line = strchr(text, '\n')) && strchr(line + 1, '\n');
    if (good) {
        char *name = strchr(line + 1, '\n') + 1;
        c->exe = au_strndup(line + 1, (size_t)(name - line - 2));
        c->name = au_strndup(name, strcspn(name, "\n"));
    }
    free(text);
    return good;
}

static int by_trace(const void *a, const void *b) {
    const au_suite_case *x = a, *y = b;
    return strcmp(x->trace, y->trace);
}

/* What it is, so that a later suite knows it again; a long recording takes longer to be read than it would be worth. */
static bool identify(au_suite_case *c) {
    struct stat st;
    bool outside;
    if (stat(c->trace, &st))
        return false;
    if (st.st_size >> 20 >= AU_LIMIT_SUITE_MIB || au_deadline_over()) {
        c->number = 0;
        return true;
    }
    if (!hash_of(c->trace, &c->hash))
        return false;
    if (!likeness_of(c->trace, &c->likeness, &outside))
        c->likeness = c->hash;
    c->number = outside ? 0 : c->number;
    return true;
}

static void release_case(au_suite_case *c) {
    free(c->trace);
    free(c->name);
    free(c->exe);
}

bool au_suite_read(const char *trace, au_suite_case *c) {
    char *path = beside(trace, ".case");
    *c = (au_suite_case){0};
    bool good = read_case(path, c);
    free(path);
    if (good) {
        c->trace = au_strdup(trace);
        good = identify(c);
        if (!good)
            release_case(c);
    }
    return good;
}

static void add(const char *begun, au_suite_cases *into, au_suite_names *killed) {
    au_suite_case c;
    char *name;
    char *trace = au_sprintf("%.*s.trace", (int)(strlen(begun) - strlen(".begun")), begun);
    if (au_suite_read(trace, &c))
        au_vec_push(into, c);
    else if (read_text(begun, &name))
        au_vec_push(killed, name);
    free(trace);
}

/* 'trace' of it is its own file, for the order. */
static void add_known(const char *path, au_suite_cases *known) {
    char *text;
    au_suite_case c = {0};
    int n = 0;
    if (!read_text(path, &text))
        return;
    if (sscanf(text, "%16" SCNx64 "%n", &c.number, &n) == 1 && n == 16 && text[16] == '\n') {
        c.trace = au_strdup(path);
        c.name = au_strdup(text + 17);
        c.exe = au_strdup("");
        au_vec_push(known, c);
    }
    free(text);
}

static bool ends_with(const char *name, const char *ending) {
    size_t n = strlen(name), k = strlen(ending);
    return n > k && !strcmp(name + n - k, ending);
}

void au_suite_list(const au_suite *s, au_suite_cases *into, au_suite_cases *known,
                   au_suite_names *killed, au_suite_names *refused) {
    DIR *d = opendir(s->dir);
    struct dirent *e;
    char *text;
    while (d && (e = readdir(d))) {
        char *path = au_sprintf("%s/%s", s->dir, e->d_name);
        if (ends_with(e->d_name, ".begun"))
            add(path, into, killed);
        else if (ends_with(e->d_name, ".known"))
            add_known(path, known);
        else if (ends_with(e->d_name, ".refused") && read_text(path, &text))
            au_vec_push(refused, text);
        free(path);
    }
    if (d)
        closedir(d);
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_trace);
    if (known->n)
        qsort(known->at, known->n, sizeof *known->at, by_trace);
}

void au_suite_cases_release(au_suite_cases *c) {
    for (size_t i = 0; i < c->n; i++)
        release_case(&c->at[i]);
    au_vec_release(c);
}

void au_suite_names_release(au_suite_names *n) {
    for (size_t i = 0; i < n->n; i++)
        free(n->at[i]);
    au_vec_release(n);
}
