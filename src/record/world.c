/* record/world.c: see world.h. */
#include "record/world.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "base/vec.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    char *name;
    char *held; /* where it is while an execution goes on; NULL: it was not there */
} made;

static struct {
    AU_VEC(made) made; /* by the recorded runs, in the order in which they made them */
    struct timespec entered;
} world;

void au_world_made(const char *name, size_t n) {
    while (n > 1 && name[n - 1] == '/')
        n--;
    if (n < 2 || *name != '/')
        return;
    for (size_t i = 0; i < world.made.n; i++)
        if (!strncmp(world.made.at[i].name, name, n) && !world.made.at[i].name[n])
            return;
    au_vec_push(&world.made, ((made){au_strndup(name, n), NULL}));
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

void au_world_enter(void) {
    for (size_t i = 0; i < world.made.n; i++) {
        made *m = &world.made.at[i];
        const char *base = strrchr(m->name, '/') + 1;
        m->held =
            au_sprintf("%.*s.augur-held-%d-%zu", (int)(base - m->name), m->name, (int)getpid(), i);
        if (rename(m->name,
                   m->held)) { /* the run removed it itself, or it went with its directory */
            free(m->held);
            m->held = NULL;
        }
    }
    clock_gettime(CLOCK_REALTIME_COARSE, &world.entered);
}

/* Was it made since? If the file system does not know: was it changed since? */
static bool is_new(const char *name) {
    struct statx s;
    if (statx(AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_CTIME, &s))
        return false;
    const struct statx_timestamp *t = s.stx_mask & STATX_BTIME ? &s.stx_btime : &s.stx_ctime;
    return t->tv_sec != world.entered.tv_sec ? t->tv_sec > world.entered.tv_sec
                                             : (long)t->tv_nsec >= world.entered.tv_nsec;
}

/* Is it, or is it in, what will be put back? */
static bool comes_back(const char *name) {
    for (size_t i = 0; i < world.made.n; i++) {
        const made *m = &world.made.at[i];
        size_t n = strlen(m->name);
        if (m->held && !strncmp(m->name, name, n) && (!name[n] || name[n] == '/'))
            return true;
    }
    return false;
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
    for (size_t i = world.made.n; i-- > 0;) {
        made *m = &world.made.at[i];
        if (m->held && rename(m->held, m->name))
            fprintf(stderr, "augur: cannot give '%s' its name back; it is '%s' now\n", m->name,
                    m->held);
        free(m->held);
        m->held = NULL;
    }
}
