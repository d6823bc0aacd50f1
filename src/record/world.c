/* record/world.c: see world.h. */
#include "record/world.h"
#include "base/alloc.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    const char *name; /* interned */
    char *held;       /* where it is while an execution goes on; NULL: it was not there */
} made;

static struct {
    au_intern names; /* all zeroes: an empty one */
    AU_VEC(made)
    made; /* by the recorded runs, in the order in which they made them; numbered as the names */
    struct timespec entered;
    pid_t keeper; /* 0: none */
} world;

void au_world_made(const char *name, size_t n) {
    while (n > 1 && name[n - 1] == '/')
        n--;
    if (n < 2 || *name != '/')
        return;
    uint32_t id = au_intern_add(&world.names, name, n);
    if (id == world.made.n)
        au_vec_push(&world.made, ((made){au_intern_str(&world.names, id), NULL}));
}

/* The program may have overwritten them: no name is taken for more than a name. */
static const char *next_name(const struct au_control *c, size_t *at) {
    const char *from = (const char *)c + c->made_offset;
    uint64_t size = c->made < c->made_size ? c->made : c->made_size;
    while (*at < size) {
        const char *name = from + *at;
        size_t n = strnlen(name, size - *at);
        *at += n + 1;
        if (n && *at <= size)
            return name;
    }
    return NULL;
}

static void count_lost(const struct au_control *c) {
    if (c->made > c->made_size)
        au_limit_reached(AU_AT_MADE_BYTES, c->made - c->made_size);
}

void au_world_recorded(const struct au_control *c) {
    size_t at = 0;
    for (const char *name; (name = next_name(c, &at));)
        au_world_made(name, strlen(name));
    count_lost(c);
}

static void put_back(bool tell) {
    for (size_t i = world.made.n; i-- > 0;) {
        made *m = &world.made.at[i];
        if (m->held && rename(m->held, m->name) && tell)
            fprintf(stderr, "augur: cannot give '%s' its name back; it is '%s' now\n", m->name,
                    m->held);
    }
}

/* If this process is killed, nobody would put them back: a child waits for that. It has no file open and is in a session
 * of its own, so that nothing waits for it and what ends the command's processes together leaves it. */
static void start_keeper(void) {
    sigset_t all, end, before;
    pid_t parent = getpid();
    sigfillset(&all);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    world.keeper = fork();
    if (world.keeper) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return; /* without one if there is no room for a process */
    }
    setsid();
    close_range(0, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (int got; getppid() == parent;)
        sigwait(&end, &got);
    put_back(false);
    _exit(0);
}

static void end_keeper(void) {
    if (world.keeper <= 0)
        return;
    kill(world.keeper, SIGKILL);
    while (waitpid(world.keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    world.keeper = 0;
}

void au_world_enter(void) {
    for (size_t i = 0; i < world.made.n; i++) {
        made *m = &world.made.at[i];
        const char *base = strrchr(m->name, '/') + 1;
        m->held =
            au_sprintf("%.*s.augur-held-%d-%zu", (int)(base - m->name), m->name, (int)getpid(), i);
    }
    if (world.made.n)
        start_keeper();
    for (size_t i = 0; i < world.made.n; i++) {
        made *m = &world.made.at[i];
        if (rename(m->name,
                   m->held)) { /* the run removed it itself, or it went with its directory */
            free(m->held);
            m->held = NULL;
        }
    }
    clock_gettime(CLOCK_REALTIME_COARSE, &world.entered);
}

/* Was it made since? If the file system does not know, or it is another name of a file: was it changed since? */
static bool is_new(const char *name) {
    struct statx s;
    if (statx(AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &s))
        return false;
    bool born = s.stx_mask & STATX_BTIME && (s.stx_nlink == 1 || S_ISDIR(s.stx_mode));
    const struct statx_timestamp *t = born ? &s.stx_btime : &s.stx_ctime;
    return t->tv_sec != world.entered.tv_sec ? t->tv_sec > world.entered.tv_sec
                                             : (long)t->tv_nsec >= world.entered.tv_nsec;
}

/* Is it, or is it in, what will be put back? */
static bool comes_back(const char *name) {
    for (const char *end = name + strlen(name); end > name; end--) {
        if (*end && *end != '/')
            continue;
        uint32_t id = au_intern_find(&world.names, name, (size_t)(end - name));
        if (id != AU_NONE && world.made.at[id].held)
            return true;
    }
    return false;
}

/* ---- what is in the files that it made ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const au_left_file *)a)->name, ((const au_left_file *)b)->name);
}

/* False: it is none, or it cannot be read. */
static bool read_left(const char *name, au_left_file *f) {
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool good = !fstat(fd, &st) && S_ISREG(st.st_mode);
    if (good) {
        uint64_t size = (uint64_t)st.st_size, most = AU_LIMIT_SAID;
        *f = (au_left_file){.name = au_strdup(name), .size = size};
        f->at = au_alloc_array((size < most ? size : most) + 1, 1);
        for (ssize_t k = 1; k > 0 && f->n < size && f->n < most;) {
            k = read(fd, f->at + f->n, (size < most ? size : most) - f->n);
            f->n += k > 0 ? (size_t)k : 0;
            if (k < 0 && errno == EINTR)
                k = 1;
        }
    }
    close(fd);
    return good;
}

void au_world_left(const struct au_control *c, au_left_files *into) {
    au_intern seen = {0};
    size_t at = 0;
    for (const char *s; (s = next_name(c, &at)) && into->n < AU_LIMIT_LEFT_FILES;) {
        uint32_t before = seen.n;
        au_left_file f;
        if (au_intern_add(&seen, s, strlen(s)) == before && read_left(s, &f))
            au_vec_push(into, f);
    }
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_name);
    au_intern_release(&seen);
}

void au_left_files_release(au_left_files *f) {
    for (size_t i = 0; i < f->n; i++) {
        free(f->at[i].name);
        free(f->at[i].at);
    }
    au_vec_release(f);
}

void au_world_leave(const struct au_control *c, bool keep) {
    AU_VEC(const char *) name = {0};
    size_t at = 0;
    for (const char *s; (s = next_name(c, &at));)
        au_vec_push(&name, s);
    count_lost(c);
    while (name.n) {
        const char *s = au_vec_pop(&name);
        if ((!keep || comes_back(s)) && is_new(s) && unlink(s))
            rmdir(s);
    }
    au_vec_release(&name);
    end_keeper();
    put_back(true);
    for (size_t i = 0; i < world.made.n; i++) {
        free(world.made.at[i].held);
        world.made.at[i].held = NULL;
    }
}
