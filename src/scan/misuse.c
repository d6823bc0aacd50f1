/* scan/misuse.c: see misuse.h. */
#include "scan/misuse.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORK = 200000000 }; /* nodes looked at, all in all */

static bool takes(const au_step *s, uint32_t obj) {
    return ((s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ) &&
            s->obj == obj) ||
           (s->kind == AU_STEP_WAKE && s->obj2 == obj);
}

static bool gives(const au_step *s, uint32_t obj) {
    return (s->kind == AU_STEP_REL && s->obj == obj) || (s->kind == AU_STEP_WAIT && s->obj2 == obj);
}

typedef struct {
    const au_model *m;
    uint8_t *held; /* by node of the thread: it may hold the lock there */
    AU_VEC(uint32_t) todo;
    uint64_t work;
} looker;

static void reach(looker *k, uint32_t node) {
    if (!k->held[node])
        au_vec_push(&k->todo, node);
    k->held[node] = 1;
}

/* What the thread does with this lock. */
static const char *look(looker *k, uint32_t thread, uint32_t obj, const uint32_t *step, size_t n) {
    const au_model *m = k->m;
    const au_thread *t = &m->thread.at[thread];
    memset(k->held, 0, t->node.n);
    for (size_t i = 0; i < n; i++)
        if (takes(&m->step.at[step[i]], obj))
            reach(k, m->step.at[step[i]].dst);
    while (k->todo.n) {
        const au_node *node = &t->node.at[au_vec_pop(&k->todo)];
        k->work++;
        for (size_t i = 0; i < node->out.n; i++) {
            const au_step *s = &m->step.at[node->out.at[i]];
            if (!gives(s, obj) || m->obj.at[obj].kind == AU_OBJ_RLOCK) /* one level of several */
                reach(k, s->dst);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const au_step *s = &m->step.at[step[i]];
        if (gives(s, obj) && !k->held[s->src])
            return "a lock is given back by a thread that does not hold it";
        if (m->obj.at[obj].kind == AU_OBJ_RWLOCK && takes(s, obj) && k->held[s->src])
            return "a read-write lock may be taken by a thread that holds it: it returns an error";
    }
    return NULL;
}

typedef struct {
    uint64_t of; /* thread << 32 | lock */
    uint32_t step;
} use;

static int by_lock(const void *x, const void *y) {
    const use *a = x, *b = y;
    if (a->of != b->of)
        return a->of < b->of ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

const char *au_scan_misuse(const au_model *m) {
    looker k = {.m = m};
    const char *what = NULL;
    size_t most = 1;
    AU_VEC(use) all = {0};
    AU_VEC(uint32_t) step = {0};
    for (size_t t = 0; t < m->thread.n; t++)
        most = m->thread.at[t].node.n > most ? m->thread.at[t].node.n : most;
    k.held = au_alloc_array(most, 1);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        uint32_t obj = s->kind == AU_STEP_WAKE || s->kind == AU_STEP_WAIT ? s->obj2 : s->obj;
        if (obj != AU_NONE && (takes(s, obj) || gives(s, obj)) &&
            m->obj.at[obj].kind <= AU_OBJ_RWLOCK)
            au_vec_push(&all, ((use){au_key2(s->thread, obj), i}));
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_lock);
    for (size_t i = 0, n; i < all.n && !what; i += n) {
        au_vec_clear(&step);
        for (n = 0; i + n < all.n && all.at[i + n].of == all.at[i].of; n++)
            au_vec_push(&step, all.at[i + n].step);
        what = look(&k, (uint32_t)(all.at[i].of >> 32), (uint32_t)all.at[i].of, step.at, step.n);
        if (k.work > MOST_WORK)
            what = "the program is too large to see whether locks are given back by who holds them";
    }
    free(k.held);
    au_vec_release(&k.todo);
    au_vec_release(&all);
    au_vec_release(&step);
    return what;
}
