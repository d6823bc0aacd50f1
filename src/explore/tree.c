/* explore/tree.c: runs become trees of ways (tree.h). */
#include "explore/tree.h"

#include "model/run.h"

#include <stdio.h>

void au_tree_init(au_tree *t) {
    *t = (au_tree){0};
    au_arena_init(&t->arena);
    t->terms = au_terms_new();
    au_intern_init(&t->strings);
    au_intern_init(&t->var_name);
    au_intern_init(&t->thread_name);
    au_intern_init(&t->obj_name);
}

void au_tree_release(au_tree *t) {
    au_arena_release(&t->arena);
    au_terms_free(t->terms);
    au_intern_release(&t->strings);
    au_intern_release(&t->var_name);
    au_intern_release(&t->thread_name);
    au_intern_release(&t->obj_name);
    au_vec_release(&t->var);
    au_vec_release(&t->obj);
    au_vec_release(&t->thread);
    au_vec_release(&t->spot);
    au_vec_release(&t->item);
    au_vec_release(&t->again);
    au_vec_release(&t->taken);
    au_vec_release(&t->taken_from);
    for (size_t i = 0; i < t->run.n; i++)
        free(t->run.at[i]);
    au_vec_release(&t->run);
}

/* ---- a run that is being added ------------------------------------------------------------- */

struct undo {
    enum { SPOT_ITEM, SPOT_FLAGS, ITEM_OTHER, ITEM_TIMED_OUT, ITEM_FAILED, ITEM_SPURIOUS } what;
    uint32_t at, was;
};

typedef struct {
    au_tree *t;
    const au_tree_run *run;
    au_error *err;
    au_status st;
    uint32_t *var, *obj, *thread, *block; /* numbers in the tree */
    au_map memo;                          /* terms brought over */
    uint64_t *value;                      /* by variable of the tree, at the moment */
    bool *open;                           /* by variable of the tree */
    struct place {
        uint32_t spot;
        uint32_t inside; /* item of the wait or barrier that it is in, AU_NONE */
        bool failed;
        AU_VEC(struct round {
            uint32_t number;
            uint32_t head; /* the spot where it began … */
            size_t from;   /* … and its items, in 'passed' */
        })
        round;                   /* that it is in, the innermost last */
        AU_VEC(uint32_t) passed; /* items, but for those of rounds that are over */
    } * at;                      /* by thread of m */
    AU_VEC(struct undo) undo;
    bool fresh;
} adder;

static uint32_t new_spot(au_tree *t, uint32_t thread, uint64_t hooks, uint64_t way) {
    au_vec_push(&t->spot, ((au_spot_at){.item = AU_NONE,
                                        .thread = thread,
                                        .hooks = hooks,
                                        .way = way,
                                        .waits = AU_STEP_KINDS,
                                        .waits_for = AU_NONE,
                                        .again = AU_NONE}));
    return (uint32_t)t->spot.n - 1;
}

static void note(adder *a, int what, uint32_t at, uint32_t was) {
    au_vec_push(&a->undo, ((struct undo){what, at, was}));
}

/* Spots stay, nothing leads to them; so do threads. */
static void undo_all(adder *a, size_t items) {
    au_tree *t = a->t;
    while (a->undo.n) {
        struct undo u = au_vec_pop(&a->undo);
        switch (u.what) {
        case SPOT_ITEM:
            t->spot.at[u.at].item = u.was;
            break;
        case SPOT_FLAGS:
            t->spot.at[u.at].flags = (uint8_t)u.was;
            break;
        case ITEM_OTHER:
            t->item.at[u.at].other = u.was;
            break;
        case ITEM_TIMED_OUT:
            t->item.at[u.at].next[1] = u.was;
            break;
        case ITEM_SPURIOUS:
            t->item.at[u.at].spurious = u.was;
            break;
        default:
            t->item.at[u.at].failed = u.was;
            break;
        }
    }
    t->item.n = items;
}

/* ---- names --------------------------------------------------------------------------------- */

static void map_threads(adder *a) {
    const au_model *m = a->run->m;
    au_tree *t = a->t;
    for (uint32_t i = 0; i < m->thread.n; i++) {
        const char *name = a->run->thread[i];
        uint32_t id = au_intern_add(&t->thread_name, name, strlen(name));
        if (id == t->thread.n) {
            uint32_t root = new_spot(t, id, 0, au_hash_bytes(name, strlen(name)));
            au_vec_push(&t->thread, ((struct au_tree_thread){.root = root}));
        }
        t->thread.at[id].forked |= m->thread.at[i].forked;
        a->thread[i] = id;
        a->at[i] = (struct place){.spot = t->thread.at[id].root, .inside = AU_NONE};
    }
}

static au_status map_vars(adder *a) {
    const au_model *m = a->run->m;
    au_tree *t = a->t;
    for (uint32_t i = 0; i < m->var.n; i++) {
        const au_var_info *v = &m->var.at[i];
        a->var[i] = AU_NONE;
        if (v->kind == AU_VAR_SYNC)
            continue;
        uint32_t owner = v->kind == AU_VAR_LOCAL ? a->thread[v->thread] : AU_NONE;
        char *key = v->kind == AU_VAR_LOCAL ? au_sprintf("%u %s", owner, v->name)
                                            : au_sprintf("x %s", v->name);
        uint32_t id = au_intern_add(&t->var_name, key, strlen(key));
        free(key);
        if (id == t->var.n) {
            au_var_info x = *v;
            x.name = strchr(au_intern_str(&t->var_name, id), ' ') + 1;
            x.thread = owner;
            au_vec_push(&t->var, x);
        }
        a->var[i] = id;
        au_status st = au_same_variable(v, &t->var.at[id], a->run->name,
                                        t->run.n ? t->run.at[0] : NULL, a->err);
        if (st != AU_OK)
            return st;
    }
    a->value = au_alloc_array(t->var.n, sizeof *a->value);
    for (size_t i = 0; i < t->var.n; i++)
        a->value[i] = t->var.at[i].init;
    a->open = au_alloc_array(t->var.n, sizeof *a->open);
    for (uint32_t i = 0; i < m->var.n; i++)
        if (a->var[i] != AU_NONE)
            a->open[a->var[i]] = a->run->open[i];
    return AU_OK;
}

/* AU_NONE: it is another kind of object in an earlier run. */
static uint32_t find_object(adder *a, const char *name, au_obj_kind kind, int32_t init) {
    au_tree *t = a->t;
    uint32_t id = au_intern_add(&t->obj_name, name, strlen(name));
    if (id == t->obj.n)
        au_vec_push(&t->obj, ((struct au_tree_obj){kind, init}));
    return t->obj.at[id].kind == kind && t->obj.at[id].init == init ? id : AU_NONE;
}

static au_status map_objects(adder *a) {
    const au_model *m = a->run->m;
    for (uint32_t i = 0; i < m->obj.n; i++) {
        const au_sync_obj *o = &m->obj.at[i];
        uint32_t id = find_object(a, o->name, o->kind, o->init);
        if (id == AU_NONE)
            return au_other_object(o->name, a->run->name, a->err);
        a->obj[i] = id;
    }
    return AU_OK;
}

/* ---- items ----------------------------------------------------------------------------------- */

static uint32_t keep_text(au_tree *t, const char *s) {
    return au_intern_add(&t->strings, s ? s : "", s ? strlen(s) : 0);
}

/* Not linked; what it updates is in the arena. */
static au_item read_item(adder *a, const au_step *s) {
    const au_run_step *more = &a->run->step[s->id];
    au_tree *t = a->t;
    au_renaming r = {a->run->m->terms, t->terms, a->var, a->obj, a->thread, &t->arena, &a->memo};
    au_item it = {.does =
                      more->fails ? au_action_read_kind(&r, s) : au_action_read(&r, a->run->m, s),
                  .tries = more->tries,
                  .fails = more->fails,
                  .timed = more->timed,
                  .second = more->second,
                  .next = {AU_NONE, AU_NONE},
                  .other = AU_NONE,
                  .hooks = more->hooks,
                  .hook = more->hook,
                  .site = more->site,
                  .file = keep_text(t, more->file),
                  .text = keep_text(t, more->text),
                  .line = more->line,
                  .goal = more->goal,
                  .side = more->side,
                  .run = (uint32_t)t->run.n};
    if (more->fails) {
        it.does.obj = a->obj[more->obj];
        it.tried = more->tried;
    }
    return it;
}

static bool same(const au_item *a, const au_item *b) {
    return au_action_alike(&a->does, &b->does) && au_term_same(a->does.guard, b->does.guard) &&
           a->tries == b->tries && a->fails == b->fails && a->tried == b->tried &&
           a->timed == b->timed && a->second == b->second && a->hooks == b->hooks;
}

static uint64_t item_hash(const au_item *it) {
    const au_action *a = &it->does;
    uint64_t h = au_hash_join(au_hash_join((uint64_t)a->kind, a->obj), a->guard.n);
    h = au_hash_join(au_hash_join(h, a->cond.n), it->fails + 2u * it->tries);
    for (uint32_t i = 0; i < a->n_updates; i++)
        h = au_hash_join(au_hash_join(h, a->update[i].var), a->update[i].value.n);
    return h;
}

static au_status differs(adder *a, const au_step *s, const au_item *old, const char *how) {
    const au_tree *t = a->t;
    const char *file = a->run->step[s->id].file;
    au_step_kind kind = old ? old->does.kind : AU_STEP_NOP;
    return a->st = au_error_set(
               a->err, AU_EUNSUPPORTED,
               "'%s' at %s:%u: the step of thread '%s' (%s) conflicts with '%s' at %s:%u (%s): %s",
               a->run->name, file && *file ? file : "?", a->run->step[s->id].line,
               a->run->thread[s->thread], au_step_kind_name(s->kind),
               !old                  ? "an earlier run"
               : old->run < t->run.n ? t->run.at[old->run]
                                     : a->run->name,
               old && *au_intern_str(&t->strings, old->file) ? au_intern_str(&t->strings, old->file)
                                                             : "?",
               old ? old->line : 0, old ? au_step_kind_name(kind) : "the end", how);
}

/* May the thread do several things here, by a condition that only it looks at? */
static bool parts(const au_item *it) {
    return it->does.kind == AU_STEP_ASSUME && !it->does.blocking && !it->fails;
}

static bool holds_now(const adder *a, const au_item *it) {
    return au_term_eval(a->t->terms, it->does.guard, a->value) != 0;
}

/* An update that asks for something which could be otherwise on the same way. */
struct guard {
    const adder *a;
    bool open;
};

static void look_at(void *ctx, uint32_t var) {
    struct guard *g = ctx;
    g->open |= g->a->t->var.at[var].kind == AU_VAR_LOCAL || g->a->open[var];
}

static bool may_fail(const adder *a, const au_item *it) {
    struct guard g = {a, false};
    au_term_each_var(a->t->terms, it->does.guard, look_at, &g);
    return g.open;
}

static uint32_t put_item(adder *a, struct place *p, au_item *it, uint32_t last) {
    au_tree *t = a->t;
    uint32_t id = (uint32_t)t->item.n;
    if (it->does.block != AU_NONE) {
        if (a->block[it->does.block] == AU_NONE)
            a->block[it->does.block] = t->blocks++;
        it->does.block = a->block[it->does.block];
    }
    it->next[0] = new_spot(t, t->spot.at[p->spot].thread, it->hooks,
                           au_hash_join(t->spot.at[p->spot].way, item_hash(it)));
    au_vec_push(&t->item, *it);
    if (last == AU_NONE) {
        note(a, SPOT_ITEM, p->spot, AU_NONE);
        t->spot.at[p->spot].item = id;
    } else {
        note(a, ITEM_OTHER, last, AU_NONE);
        t->item.at[last].other = id;
    }
    if (it->does.kind == AU_STEP_ASSIGN && may_fail(a, it))
        t->guarded = true;
    a->fresh = true;
    return id;
}

/* The item that step s is at *p: there already, or new. AU_NONE: error. */
static uint32_t find_item(adder *a, struct place *p, const au_step *s) {
    au_tree *t = a->t;
    if (s->kind == AU_STEP_BRANCH || s->kind == AU_STEP_HAVOC) {
        differs(a, s, NULL, "a run has no step with a branch or any value");
        return AU_NONE;
    }
    au_item it = read_item(a, s);
    uint32_t last = AU_NONE, k = t->spot.at[p->spot].item;
    if (t->spot.at[p->spot].flags & AU_SPOT_SPINS) {
        differs(a, s, NULL, "a loop that only waits in one run goes on otherwise in this one");
        return AU_NONE;
    }
    if (t->spot.at[p->spot].flags & (AU_SPOT_ENDED | AU_SPOT_OVER)) {
        differs(a, s, NULL, "the thread ended here");
        return AU_NONE;
    }
    for (; k != AU_NONE; last = k, k = t->item.at[k].other) {
        au_item *old = &t->item.at[k];
        if (same(old, &it))
            break;
        bool try =
            old->does.obj == it.does.obj && ((old->tries && it.fails) || (old->fails && it.tries));
        if (try)
            continue;
        if (!parts(old) || !parts(&it)) {
            differs(a, s, old, "no condition tells the two apart");
            return AU_NONE;
        }
        if (holds_now(a, old)) {
            differs(a, s, old, "its condition holds in both");
            return AU_NONE;
        }
    }
    if (k == AU_NONE)
        return put_item(a, p, &it, last);
    const au_item *old = &t->item.at[k];
    if (it.does.block != AU_NONE) {
        if (a->block[it.does.block] != AU_NONE && a->block[it.does.block] != old->does.block) {
            differs(a, s, old, "it is in another atomic block");
            return AU_NONE;
        }
        a->block[it.does.block] = old->does.block;
    }
    return k;
}

/* ---- rounds that left no trace --------------------------------------------------------------------- */

typedef struct {
    adder *a;
    AU_VEC(uint32_t) var; /* that threads share */
} lookers;

static void look_for_shared(void *ctx, uint32_t var) {
    lookers *l = ctx;
    if (l->a->t->var.at[var].kind == AU_VAR_SHARED)
        au_vec_push(&l->var, var);
}

/* That a round would go this way now: the conditions on the way, over what the variables hold where it read them. */
static au_term same_way(adder *a, const struct place *p) {
    au_tree *t = a->t;
    au_term cond = au_term_bool(t->terms, true);
    au_term *now = au_alloc_array(t->var.n, sizeof *now), *next = NULL;
    memset(now, 0xff, t->var.n * sizeof *now);
    for (size_t k = au_vec_last(&p->round).from; k < p->passed.n; k++) {
        const au_action *x = &t->item.at[p->passed.at[k]].does;
        cond = au_term_and(t->terms, cond, au_term_substitute(t->terms, x->guard, now, t->var.n));
        next = au_realloc_array(next, x->n_updates + 1, sizeof *next);
        for (uint32_t i = 0; i < x->n_updates; i++)
            next[i] = au_term_substitute(t->terms, x->update[i].value, now, t->var.n);
        for (uint32_t i = 0; i < x->n_updates; i++)
            if (t->var.at[x->update[i].var].kind == AU_VAR_LOCAL) /* others keep what they held */
                now[x->update[i].var] = next[i];
    }
    free(now);
    free(next);
    return cond;
}

/* Until another round would go another way. */
static uint32_t add_again(adder *a, const struct place *p) {
    au_tree *t = a->t;
    au_action x = {.kind = AU_STEP_ASSUME,
                   .blocking = true,
                   .indivisible = true,
                   .havoc = AU_NONE,
                   .obj = AU_NONE,
                   .obj2 = AU_NONE,
                   .block = AU_NONE,
                   .guard = au_term_not(t->terms, same_way(a, p)),
                   .cond = au_term_bool(t->terms, true)};
    lookers l = {.a = a};
    au_term_each_var(t->terms, x.guard, look_for_shared, &l);
    x.n_accesses = (uint32_t)l.var.n;
    x.access = au_arena_alloc(&t->arena, (l.var.n + 1) * sizeof *x.access);
    for (size_t i = 0; i < l.var.n; i++)
        x.access[i] = (au_access){l.var.at[i], false};
    au_vec_release(&l.var);
    au_vec_push(&t->again, x);
    return (uint32_t)t->again.n - 1;
}

/* The thread is where it was before the round. */
static bool end_round(adder *a, struct place *p) {
    au_tree *t = a->t;
    au_spot_at *at = &t->spot.at[p->spot];
    struct round of = au_vec_last(&p->round);
    bool any = p->passed.n > of.from;
    if (any && at->item != AU_NONE) {
        const au_item *old = &t->item.at[at->item];
        a->st =
            au_error_set(a->err, AU_EUNSUPPORTED,
                         "'%s': a loop that only waits here goes on otherwise in '%s', at %s:%u",
                         a->run->name, old->run < t->run.n ? t->run.at[old->run] : a->run->name,
                         au_intern_str(&t->strings, old->file), old->line);
        return false;
    }
    if (any && !(at->flags & AU_SPOT_SPINS)) {
        note(a, SPOT_FLAGS, p->spot, at->flags);
        at->flags |= AU_SPOT_SPINS;
        a->fresh = true;
        at->again = add_again(a, p);
    }
    p->spot = of.head;
    p->passed.n = of.from;
    p->round.n--;
    return true;
}

static bool is_in(const adder *a, uint32_t round, uint32_t other) {
    while (round && round != other)
        round = a->run->parent[round];
    return round != 0;
}

static void begin_rounds(adder *a, struct place *p, uint32_t round) {
    if (!round || (p->round.n && au_vec_last(&p->round).number == round))
        return;
    begin_rounds(a, p, a->run->parent[round]);
    au_vec_push(&p->round, ((struct round){round, p->spot, p->passed.n}));
}

/* Out of the rounds that the thread's next step is not of, and into those that it is of. */
static bool change_round(adder *a, struct place *p, uint32_t round) {
    while (p->round.n && !is_in(a, round, au_vec_last(&p->round).number))
        if (!end_round(a, p))
            return false;
    begin_rounds(a, p, round);
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static void observe(adder *a, uint32_t item, uint32_t part, uint32_t wakes) {
    au_vec_push(&a->t->taken, ((au_taken){item, part, wakes}));
}

/* The second half of a wait or barrier. */
static bool go_on(adder *a, struct place *p, const au_step *s) {
    au_tree *t = a->t;
    au_item *it = &t->item.at[p->inside];
    const au_run_step *more = &a->run->step[s->id];
    bool late = more->timed_out;
    if (late && it->next[1] == AU_NONE) {
        uint32_t spot = new_spot(t, t->spot.at[p->spot].thread, more->hooks,
                                 au_hash_join(t->spot.at[it->next[0]].way, 1));
        note(a, ITEM_TIMED_OUT, p->inside, AU_NONE);
        it->next[1] = spot;
        a->fresh = true;
    }
    if (s->spurious && !late && !it->spurious) {
        note(a, ITEM_SPURIOUS, p->inside, false);
        it->spurious = a->fresh = true;
    }
    uint32_t to = it->next[late];
    if (t->spot.at[to].hooks == it->hooks) /* nobody came so far yet */
        t->spot.at[to].hooks = more->hooks;
    if (t->spot.at[to].hooks != more->hooks) {
        differs(a, s, it, "it counts other events");
        return false;
    }
    observe(a, p->inside, s->kind == AU_STEP_LEAVE ? 1 : 1 + s->spurious, AU_NONE);
    p->spot = to;
    p->inside = AU_NONE;
    return true;
}

static bool walk(void *ctx, const au_step *s, bool done, const uint64_t *value) {
    adder *a = ctx;
    struct place *p = &a->at[s->thread];
    if (done) {
        for (uint32_t i = 0; i < s->n_updates; i++)
            if (a->var[s->update[i].var] != AU_NONE)
                a->value[a->var[s->update[i].var]] = value[s->update[i].var];
        return true;
    }
    if (p->inside != AU_NONE)
        return go_on(a, p, s);
    if (!change_round(a, p, a->run->step[s->id].round))
        return false;
    if (s->kind == AU_STEP_NOP)
        return true;
    uint32_t id = find_item(a, p, s);
    if (id == AU_NONE)
        return false;
    if (p->round.n) { /* the run may as well have done without */
        au_vec_push(&p->passed, id);
        p->spot = a->t->item.at[id].next[0];
        return true;
    }
    observe(a, id, 0,
            s->kind == AU_STEP_SIGNAL && s->choice != AU_NONE ? a->thread[s->choice] : AU_NONE);
    if (s->kind == AU_STEP_ASSERT && !au_term_eval(a->run->m->terms, s->cond, value)) {
        if (!a->t->item.at[id].failed) {
            note(a, ITEM_FAILED, id, false);
            a->t->item.at[id].failed = a->fresh = true;
        }
        p->failed = true;
    }
    if (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_ARRIVE)
        p->inside = id;
    else
        p->spot = a->t->item.at[id].next[0];
    return true;
}

/* Where the thread stands at the end. */
static void end_thread(adder *a, uint32_t thread) {
    au_tree *t = a->t;
    struct place *p = &a->at[thread];
    if (!change_round(a, p, 0))
        return;
    if (p->inside != AU_NONE)
        p->spot = t->item.at[p->inside].next[0];
    au_spot_at *at = &t->spot.at[p->spot];
    bool there = p->inside == AU_NONE && !p->failed;
    uint8_t how = there ? a->run->ended[thread] : AU_SPOT_CUT, flags = at->flags | how;
    bool ended = how != AU_SPOT_CUT;
    if (ended && at->item != AU_NONE) {
        const au_item *old = &t->item.at[at->item];
        a->st = au_error_set(a->err, AU_EUNSUPPORTED,
                             "'%s': thread '%s' ends where it goes on in '%s', at %s:%u",
                             a->run->name, a->run->thread[thread], t->run.at[old->run],
                             au_intern_str(&t->strings, old->file), old->line);
        return;
    }
    if (ended && at->flags & (AU_SPOT_ENDED | AU_SPOT_OVER) &&
        at->length != a->run->length[thread]) {
        a->st = au_error_set(a->err, AU_EUNSUPPORTED,
                             "'%s': thread '%s' has another number of events than in an earlier "
                             "run on the same path",
                             a->run->name, a->run->thread[thread]);
        return;
    }
    if (flags != at->flags) {
        note(a, SPOT_FLAGS, p->spot, at->flags);
        a->fresh |= ended;
        at->flags = flags;
    }
    if (ended)
        at->length = a->run->length[thread];
    else if (there && flags == AU_SPOT_CUT &&
             at->length < a->run->length[thread] + a->run->can_go[thread])
        at->length = a->run->length[thread] + a->run->can_go[thread];
    au_step_kind waits = a->run->waits[thread];
    if (!ended && at->item == AU_NONE && at->waits == AU_STEP_KINDS && waits != AU_STEP_KINDS &&
        p->inside == AU_NONE && !p->failed) {
        const au_waited *of = &a->run->waits_for[thread];
        uint32_t obj = waits == AU_STEP_JOIN ? a->thread[of->thread]
                                             : find_object(a, of->name, of->kind, of->init);
        if (obj != AU_NONE) {
            at->waits = waits;
            at->waits_for = obj;
        }
    }
}

static au_status add_run(adder *a) {
    const au_model *m = a->run->m;
    map_threads(a);
    if (map_vars(a) != AU_OK || map_objects(a) != AU_OK)
        return a->err ? a->err->status : AU_EUNSUPPORTED;
    au_status st = au_model_follow(m, walk, a, NULL, a->err);
    for (uint32_t i = 0; i < m->thread.n && !st && !a->st; i++)
        end_thread(a, i);
    return st ? st : a->st;
}

au_status au_tree_add(au_tree *t, const au_tree_run *run, bool *fresh, au_error *err) {
    const au_model *m = run->m;
    adder a = {.t = t, .run = run, .err = err};
    a.var = au_alloc_array(m->var.n, sizeof *a.var);
    a.obj = au_alloc_array(m->obj.n, sizeof *a.obj);
    a.thread = au_alloc_array(m->thread.n, sizeof *a.thread);
    a.block = au_alloc_array(m->n_blocks, sizeof *a.block);
    memset(a.block, 0xff, m->n_blocks * sizeof *a.block);
    a.at = (void *)au_alloc_array(m->thread.n, sizeof *a.at);
    au_map_init(&a.memo);
    bool guarded = t->guarded;
    size_t items = t->item.n, taken = t->taken.n;
    uint32_t blocks = t->blocks;
    au_status st = add_run(&a);
    if (st) {
        undo_all(&a, items);
        t->guarded = guarded;
        t->blocks = blocks;
        t->taken.n = taken;
    } else {
        for (uint32_t i = 0; i < m->thread.n; i++)
            t->thread.at[a.thread[i]].there = true;
        au_vec_push(&t->run, au_strdup(run->name));
        au_vec_push(&t->taken_from, taken);
    }
    if (fresh)
        *fresh = a.fresh && !st;
    au_map_release(&a.memo);
    au_vec_release(&a.undo);
    free(a.var);
    free(a.obj);
    free(a.thread);
    free(a.block);
    for (uint32_t i = 0; i < m->thread.n; i++) {
        au_vec_release(&a.at[i].passed);
        au_vec_release(&a.at[i].round);
    }
    free(a.at);
    free(a.value);
    free(a.open);
    return st;
}
