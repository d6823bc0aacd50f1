/* explore/queue.c: the goals of a family, the most promising first.
 *
 * A goal is first asked about in the model of the run alone with which it came: that is
 * small, and says yes for most that can be reached. What is left is asked about in the model of all
 * runs; not only when nothing else is left to do, because loops may bring new goals for ever: rounds about
 * all runs get as much time as those about one, as long as they have goals of a better class. */
#include "explore/explore_priv.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    GOOD = 2, /* classes up to this one are worth a question about all runs at any time */
    LAZY = 6, /* needs a wake-up that nobody gave */
    NONE = 100
};

static bool is_covered(const au_exploration *s, const au_aim *a) {
    return a->seen || au_map_find(&s->sites, a->site);
}

bool au_queue_left_out(const au_exploration *s, const au_aim *a) {
    return a->lazy && !s->o->spurious && a->kind != AU_GOAL_ASSERT && is_covered(s, a);
}

unsigned au_queue_class(const au_exploration *s, const au_aim *a) {
    bool old = is_covered(s, a);
    if (a->lazy)
        return LAZY;
    switch (a->kind) {
    case AU_GOAL_ASSERT:
        return 0;
    case AU_GOAL_BRANCH:
    case AU_GOAL_TRY:
    case AU_GOAL_FIRST:
        return old ? 3 : 1;
    case AU_GOAL_VALUE:
    case AU_GOAL_TIMEOUT:
        return old ? 4 : 2;
    case AU_GOAL_END:
        return 4;
    case AU_GOAL_SPURIOUS:
        break;
    }
    return old ? 5 : 3;
}

bool au_queue_told(const au_exploration *s, const au_aim *a) {
    return a->kind == AU_GOAL_ASSERT && au_map_find(&s->failed, a->site);
}

au_aim *au_queue_aim(const au_circle *c, uint64_t key) {
    uint64_t *at = au_map_find(&c->by_key, key);
    return at ? &c->aim.at[*at] : NULL;
}

void au_queue_refresh(au_circle *c) {
    const au_goal *g;
    size_t n = au_family_goals(c->f, &g);
    for (size_t i = 0; i < c->aim.n; i++)
        c->aim.at[i].waits = false;
    for (size_t i = 0; i < n; i++) {
        bool fresh;
        uint64_t *at = au_map_put(&c->by_key, g[i].key, &fresh);
        if (fresh) {
            *at = c->aim.n;
            au_aim a = {.key = g[i].key, .site = g[i].site, .kind = g[i].kind, .run = g[i].run};
            a.where = *g[i].file ? au_sprintf("%s:%" PRIu32 ": %s", g[i].file, g[i].line, g[i].text)
                                 : au_strdup(g[i].text);
            a.text = au_strdup(g[i].text);
            au_vec_push(&c->aim, a);
        }
        c->aim.at[*at].waits = true;
        c->aim.at[*at].seen = g[i].seen;
    }
    for (size_t i = 0; i < c->aim.n; i++)
        if (!c->aim.at[i].waits)
            c->aim.at[i].state = AU_AIM_DONE;
}

void au_queue_release(au_circle *c) {
    for (size_t i = 0; i < c->aim.n; i++) {
        free(c->aim.at[i].text);
        free(c->aim.at[i].where);
    }
    au_vec_release(&c->aim);
    au_map_release(&c->by_key);
}

/* ---- order ---- */

static const au_exploration *sorted_of; /* qsort has no context */
static const au_circle *sorted_in;

static int by_promise(const void *x, const void *y) {
    const au_aim *a = &sorted_in->aim.at[*(const uint32_t *)x];
    const au_aim *b = &sorted_in->aim.at[*(const uint32_t *)y];
    unsigned k = au_queue_class(sorted_of, a), l = au_queue_class(sorted_of, b);
    if (k != l)
        return k < l ? -1 : 1;
    const uint64_t *m = au_map_find(&sorted_of->sites, a->site);
    const uint64_t *n = au_map_find(&sorted_of->sites, b->site);
    if ((m ? *m : 0) != (n ? *n : 0))
        return (m ? *m : 0) < (n ? *n : 0) ? -1 : 1;
    return a < b ? -1 : a > b;
}

typedef AU_VEC(uint32_t) numbers;

static void sort(const au_exploration *s, const au_circle *c, numbers *at) {
    sorted_of = s;
    sorted_in = c;
    if (at->n)
        qsort(at->at, at->n, sizeof *at->at, by_promise);
}

/* ---- what is due ---- */

static bool is_alive(const au_exploration *s, const au_aim *a) {
    return a->waits && !au_queue_told(s, a) && !au_queue_left_out(s, a) &&
           a->state != AU_AIM_DONE && a->state != AU_AIM_MISSED;
}

static bool is_due_alone(const au_exploration *s, const au_circle *c, const au_aim *a) {
    return is_alive(s, a) && !a->tried && a->state == AU_AIM_OPEN && a->run < c->member.n;
}

/* About all runs; again: those that were asked about a smaller family. */
static bool is_due(const au_exploration *s, const au_circle *c, const au_aim *a, bool again) {
    if (!is_alive(s, a) || a->asked != again || is_due_alone(s, c, a))
        return false;
    return a->state == AU_AIM_OPEN || a->version < c->version;
}

bool au_queue_better(const au_exploration *s, const au_circle *c, unsigned class) {
    for (size_t i = 0; i < c->aim.n; i++) {
        const au_aim *a = &c->aim.at[i];
        if (is_due_alone(s, c, a) && a->round != s->round && au_queue_class(s, a) < class)
            return true;
    }
    return false;
}

/* The run whose goals are the most promising ones, and all of them. Its class, or NONE. */
static unsigned choose_alone(au_exploration *s, au_circle *c, uint32_t *run, numbers *at) {
    for (uint32_t i = 0; i < c->aim.n; i++)
        if (is_due_alone(s, c, &c->aim.at[i]))
            au_vec_push(at, i);
    if (!at->n)
        return NONE;
    sort(s, c, at);
    *run = c->aim.at[at->at[0]].run;
    unsigned class = au_queue_class(s, &c->aim.at[at->at[0]]);
    size_t n = 0;
    for (size_t i = 0; i < at->n; i++)
        if (c->aim.at[at->at[i]].run == *run && (class == LAZY || !c->aim.at[at->at[i]].lazy))
            at->at[n++] = at->at[i];
    at->n = n;
    return class;
}

static void choose_whole(au_exploration *s, au_circle *c, unsigned most, numbers *at) {
    for (int again = 0; again < 2 && !at->n; again++)
        for (uint32_t i = 0; i < c->aim.n; i++)
            if (is_due(s, c, &c->aim.at[i], again) && au_queue_class(s, &c->aim.at[i]) <= most)
                au_vec_push(at, i);
    sort(s, c, at);
}

void au_queue_choose(au_exploration *s, au_circle *c, uint32_t *alone, au_vec_keys *key) {
    numbers at = {0}, whole = {0};
    *alone = AU_NONE;
    unsigned class = choose_alone(s, c, alone, &at);
    if (class > GOOD && s->whole_seconds <= s->alone_seconds)
        choose_whole(s, c, class == NONE ? NONE : GOOD, &whole);
    else if (class == NONE)
        choose_whole(s, c, NONE, &whole);
    bool all = whole.n || !at.n;
    if (all)
        *alone = AU_NONE;
    const numbers *take = all ? &whole : &at;
    for (size_t i = 0; i < take->n; i++) {
        c->aim.at[take->at[i]].round = s->round;
        au_vec_push(key, c->aim.at[take->at[i]].key);
    }
    if (all ? class == NONE && c->deadlock_version < c->version && !take->n
            : !c->deadlock_tried.at[*alone])
        au_vec_push(key, 0);
    au_vec_release(&at);
    au_vec_release(&whole);
}
