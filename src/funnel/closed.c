/* funnel/closed.c: threads that wait for each other and for nobody else. */
#include "funnel/closed.h"

#include "base/hash.h"

typedef struct {
    const au_model *m;
    const uint32_t *next;
    size_t n;
} waiters;

static bool is_member(const waiters *w, uint32_t thread) {
    for (size_t i = 0; i < w->n; i++)
        if (w->m->step.at[w->next[i]].thread == thread)
            return true;
    return false;
}

/* Waits that only the holders of a lock, or the end of a thread, can end. */
static bool waits_for_threads(const waiters *w, const au_step *p) {
    if (p->kind == AU_STEP_JOIN)
        return is_member(w, p->obj);
    return (p->kind == AU_STEP_ACQ || p->kind == AU_STEP_RDACQ || p->kind == AU_STEP_WRACQ) &&
           w->m->obj.at[p->obj].kind <= AU_OBJ_RWLOCK;
}

/* Which threads hold a lock when the schedule ends: key object and thread of the model. */
static void follow_locks(const au_model *m, const uint32_t *step, size_t n, au_map *held) {
    for (size_t i = 0; i < n; i++) {
        const au_step *p = &m->step.at[step[i]];
        uint32_t obj = p->kind == AU_STEP_WAIT || p->kind == AU_STEP_WAKE ? p->obj2 : p->obj;
        uint64_t key = au_key2(obj, p->thread);
        switch (p->kind) {
        case AU_STEP_ACQ:
        case AU_STEP_RDACQ:
        case AU_STEP_WRACQ:
        case AU_STEP_WAKE:
            ++*au_map_put(held, key, NULL);
            break;
        case AU_STEP_REL:
        case AU_STEP_WAIT:
            --*au_map_put(held, key, NULL);
            break;
        default:
            break;
        }
    }
}

au_closed au_deadlock_closed(const au_model *m, const uint32_t *step, size_t n,
                             const uint32_t *next, size_t n_next) {
    waiters w = {m, next, n_next};
    for (size_t i = 0; i < n_next; i++)
        if (!waits_for_threads(&w, &m->step.at[next[i]]))
            return AU_CLOSED_NOT_LOCKS;
    au_map held = {0};
    bool others = false;
    follow_locks(m, step, n, &held);
    for (size_t i = 0; i < n_next; i++) {
        const au_step *p = &m->step.at[next[i]];
        for (uint32_t u = 0; u < m->thread.n && p->kind != AU_STEP_JOIN; u++) {
            const uint64_t *k = au_map_find(&held, au_key2(p->obj, u));
            others |= k && *k && !is_member(&w, u);
        }
    }
    au_map_release(&held);
    return others ? AU_CLOSED_OPEN : AU_CLOSED;
}
