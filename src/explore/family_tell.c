/* explore/family_tell.c: findings of the merged model as findings of the program. */
#include "explore/family_priv.h"
#include "funnel/closed.h"

#include <stdio.h>

/* The hook that a step is, and the last one of the same step of the program. */
static uint64_t hook_of(const au_family *f, uint32_t step, uint64_t *until) {
    const au_taken *x = &f->built.of_step[step];
    if (x->item == AU_NONE)
        return *until = 0;
    const au_item *it = &f->tree.item.at[x->item];
    uint64_t end = f->tree.spot.at[it->next[0]].hooks;
    bool second = x->part && (it->does.kind == AU_STEP_WAIT || it->does.kind == AU_STEP_ARRIVE);
    *until = second ? end : it->hooks;
    return second ? end : it->hook;
}

/* Values are told by the number of a step within its thread. */
static void tell_seen(const au_family *f, const au_family_teller *k, au_finding *x) {
    const au_model *m = f->built.m;
    AU_VEC(uint64_t) *hook = (void *)au_alloc_array(m->thread.n, sizeof *hook);
    uint64_t until;
    for (uint32_t i = 0; i < x->n_steps; i++)
        au_vec_push(&hook[m->step.at[x->step[i]].thread], hook_of(f, x->step[i], &until));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->n_seen; i++) {
        au_access_seen s = x->seen[i];
        if (!s.index || s.index > hook[s.thread].n || k->number[s.thread] == AU_NONE)
            continue;
        s.index = hook[s.thread].at[s.index - 1];
        s.thread = (uint16_t)k->number[s.thread];
        x->seen[kept++] = s;
    }
    x->n_seen = kept;
    for (uint32_t i = 0; i < m->thread.n; i++)
        au_vec_release(&hook[i]);
    free(hook);
}

static void tell_events(const au_family *f, au_family_teller *k, au_finding *x, au_arena *arena) {
    x->until = AU_ARENA_ARRAY(arena, uint64_t, x->n_events + 1);
    for (uint32_t i = 0; i < x->n_events; i++) {
        au_event_ref *e = &x->event[i];
        uint32_t who = e->thread;
        e->index = hook_of(f, x->at_step[i], &x->until[i]);
        if (k->number[who] == AU_NONE)
            continue;
        if (x->kind != AU_KIND_ATOMICITY && x->kind != AU_KIND_ASSERTION && e->index)
            au_family_add_turn(k, who, e->index - 1, AU_MARK_NONE); /* it comes next */
        e->thread = (uint16_t)k->number[who];
    }
}

/* What fails, as the program says it. */
static void tell_assertion(const au_family *f, au_finding *x, au_arena *arena) {
    const au_taken *of = x->n_events ? &f->built.of_step[x->at_step[0]] : NULL;
    if (!of || of->item == AU_NONE || f->tree.item.at[of->item].does.kind != AU_STEP_ASSERT)
        return;
    const au_item *it = &f->tree.item.at[of->item];
    char text[512];
    snprintf(text, sizeof text, "assertion '%.400s' fails",
             au_intern_str(&f->tree.strings, it->text));
    x->detail = au_arena_strndup(arena, text, strlen(text));
    snprintf(text, sizeof text, "%.400s:%u", au_intern_str(&f->tree.strings, it->file), it->line);
    x->text[0] = (au_event_text){
        .label = "", .op = "assert", .place = au_arena_strndup(arena, text, strlen(text))};
}

static void tell(const au_family *f, au_finding *x, au_arena *arena) {
    au_turns turns = {0};
    au_family_teller k;
    au_family_teller_init(&k, f, &turns);
    bool own = x->kind == AU_KIND_ASSERTION;
    size_t n = own ? au_family_needed(f, x->step, x->n_steps) : x->n_steps;
    au_status st = AU_OK;
    for (size_t i = 0; i < n && !st; i++)
        st = au_family_go(&k, &f->built.m->step.at[x->step[i]], NULL);
    AU_BUG_IF(st);
    if (x->kind == AU_KIND_DEADLOCK && x->standing == AU_IS_PROVED &&
        au_deadlock_closed(f->built.m, x->step, x->n_steps, x->at_step, x->n_events) != AU_CLOSED) {
        x->standing = AU_IS_POSSIBLE;
        au_finding_because(x, AU_WHY_OTHER_WAY);
    }
    if (own)
        tell_assertion(f, x, arena);
    tell_seen(f, &k, x);
    tell_events(f, &k, x, arena);
    x->schedule = (au_schedule){AU_ARENA_ARRAY(arena, au_turn, turns.n + 1), 0};
    for (size_t i = 0; i < turns.n; i++) {
        if (turns.at[i].mark == AU_MARK_TIMEOUT)
            turns.at[i].mark = AU_MARK_NONE; /* findings tell of spurious wake-ups only */
        x->schedule.turn[x->schedule.n++] = turns.at[i];
    }
    au_vec_release(&turns);
    au_family_teller_release(&k);
}

/* The same statements, on another way to them. */
static bool alike(const au_finding *a, const au_finding *b) {
    if (a->kind != b->kind || a->obj != b->obj || a->n_events != b->n_events ||
        a->standing != b->standing || strcmp(a->detail, b->detail))
        return false;
    for (uint32_t i = 0; i < a->n_events; i++)
        if (a->event[i].loc != b->event[i].loc || a->event[i].op != b->event[i].op ||
            a->event[i].obj != b->event[i].obj)
            return false;
    return true;
}

static void drop_alike(au_findings *x) {
    size_t kept = 0;
    for (size_t i = 0; i < x->finding.n; i++) {
        bool told = false;
        for (size_t k = 0; k < kept && !told; k++)
            told = alike(&x->finding.at[k], &x->finding.at[i]);
        if (!told)
            x->finding.at[kept++] = x->finding.at[i];
    }
    x->finding.n = kept;
}

void au_family_tell(const au_family *f, au_findings *findings, au_names *names) {
    for (size_t i = 0; i < findings->finding.n; i++)
        if (findings->finding.at[i].step && findings->finding.at[i].at_step)
            tell(f, &findings->finding.at[i], &findings->arena);
    drop_alike(findings);
    au_intern_release(&names->thread);
    au_intern_init(&names->thread);
    for (size_t i = 0; i < f->built.m->thread.n; i++) {
        char name[24];
        int n = snprintf(name, sizeof name, "T%zu", i);
        au_intern_add(&names->thread, name, (size_t)n);
    }
}
