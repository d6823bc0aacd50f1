/* explore/tree_build.c: the trees of ways as a branching model, with a goal wherever nobody has
 * been (tree.h). */
#include "explore/tree.h"

#include "model/sync.h"

typedef struct {
    au_tree *t;
    au_model *m;
    au_tree_model *into;
    uint32_t *var, *obj, *thread; /* of the tree: in the model, AU_NONE */
    uint32_t *built;              /* by item: its first step */
    bool goals;                   /* else threads just stop there */
    bool *on_way;                 /* by item: the run goes there; NULL: all are wanted */
    au_map memo;
    au_arena scratch;
    AU_VEC(au_taken) of_step;
    AU_VEC(uint32_t) goal_spot;
    AU_VEC(struct work {
        uint32_t spot;
        uint32_t node;
        bool woken; /* on the way here a wait may have ended by itself */
    })
    todo;
} builder;

static au_renaming words(builder *b) {
    return (au_renaming){b->t->terms, b->m->terms, b->var,  b->obj,
                         b->thread,   &b->scratch, &b->memo};
}

static au_term bring(builder *b, au_term x) {
    au_renaming r = words(b);
    return au_rename_term(&r, x);
}

/* Steps from 'first' on stand for this item; part: of the first of them. */
static void dress(builder *b, const au_item *it, uint32_t id, uint32_t first) {
    const char *file = it ? au_intern_str(&b->t->strings, it->file) : "";
    uint32_t loc = *file ? au_intern_add(&b->m->strings, file, strlen(file)) : AU_NONE;
    for (size_t k = first; k < b->m->step.n; k++) {
        au_step *s = &b->m->step.at[k];
        if (it) {
            s->block = it->does.block;
            s->line = it->line;
            s->loc = loc;
        }
        uint32_t part = s->kind == AU_STEP_WAKE    ? 1 + s->spurious
                        : s->kind == AU_STEP_LEAVE ? 1
                                                   : 0; /* before 'spurious' is taken off */
        au_vec_push(&b->of_step, ((au_taken){id, part, AU_NONE}));
    }
}

/* Where nobody went that the model is of: the thread ends there, and nobody asks what is beyond. */
static void build_dead(builder *b, uint32_t thread, uint32_t node) {
    uint32_t first = (uint32_t)b->m->step.n;
    au_step *s =
        au_model_add_step(b->m, thread, node, b->m->thread.at[thread].exit, AU_STEP_ASSUME);
    s->guard = au_term_bool(b->m->terms, false);
    dress(b, NULL, AU_NONE, first);
}

/* ---- goals ----------------------------------------------------------------------------------- */

static void add_goal(builder *b, uint32_t thread, uint32_t node, uint32_t spot, const au_item *like,
                     au_goal_kind kind, uint64_t key, const char *text) {
    au_model *m = b->m;
    if (!b->goals) {
        build_dead(b, thread, node);
        return;
    }
    uint32_t first = (uint32_t)m->step.n, exit = m->thread.at[thread].exit;
    au_step *s = au_model_add_step(m, thread, node, exit, AU_STEP_ASSERT);
    s->cond = au_term_bool(m->terms, false);
    dress(b, like, AU_NONE, first);
    au_goal g = {
        .kind = kind,
        .step = first,
        .key = key,
        .site = like ? au_hash_join(like->site, !like->side) : 0,
        .run = like ? like->run : AU_NONE,
        .file = like ? au_intern_str(&b->t->strings, like->file) : "",
        .line = like ? like->line : 0,
        .text = au_intern_str(&b->t->strings, au_intern_add(&b->t->strings, text, strlen(text)))};
    au_vec_push(&b->into->goal, g);
    au_vec_push(&b->goal_spot, spot);
}

/* ---- one spot ------------------------------------------------------------------------------ */

/* Who tries and does not get it is a way of its own: the step itself waits. */
static void build_action(builder *b, uint32_t thread, uint32_t src, uint32_t dst,
                         const au_action *of) {
    au_renaming r = words(b);
    au_mark mark = au_arena_mark(&b->scratch);
    au_action a = au_action_rename(&r, of);
    a.blocking |= au_action_is_sync(&a);
    au_action_build(b->m, thread, src, dst, &a);
    au_arena_rewind(&b->scratch, mark);
}

/* A node for what follows at this spot: the exit if the thread ends there. */
static uint32_t node_of(builder *b, uint32_t thread, uint32_t spot, bool woken) {
    const au_spot_at *s = &b->t->spot.at[spot];
    if (s->item == AU_NONE && s->flags & AU_SPOT_ENDED)
        return b->m->thread.at[thread].exit;
    uint32_t node = au_model_add_node(b->m, thread);
    au_vec_push(&b->todo, ((struct work){spot, node, woken}));
    return node;
}

static void goal_behind(builder *b, uint32_t thread, uint32_t node, uint32_t spot,
                        const au_item *it, uint64_t key) {
    char *text =
        au_sprintf(it->goal == AU_GOAL_VALUE ? "another value: %s" : "the other outcome of a %s",
                   au_intern_str(&b->t->strings, it->text));
    add_goal(b, thread, node, spot, it, it->goal, key, text);
    free(text);
}

static bool wanted(const builder *b, uint32_t item) {
    return !b->on_way || b->on_way[item];
}

/* What other runs do there is left out: none of these conditions holds. */
static uint32_t build_not(builder *b, uint32_t thread, uint32_t src, au_term *none) {
    if (au_term_is_true(b->m->terms, *none))
        return src;
    uint32_t first = (uint32_t)b->m->step.n, to = au_model_add_node(b->m, thread);
    au_model_add_step(b->m, thread, src, to, AU_STEP_ASSUME)->guard = *none;
    dress(b, NULL, AU_NONE, first);
    *none = au_term_bool(b->m->terms, true);
    return to;
}

/* if (c1) … else if (c2) … else goal */
static void build_branches(builder *b, uint32_t thread, const struct work *w) {
    au_tree *t = b->t;
    au_model *m = b->m;
    uint32_t src = w->node, exit = m->thread.at[thread].exit;
    uint64_t key = au_hash_join(t->spot.at[w->spot].way, 7);
    au_term rest = au_term_bool(m->terms, true), none = rest;
    for (uint32_t k = t->spot.at[w->spot].item; k != AU_NONE; k = t->item.at[k].other) {
        const au_item it = t->item.at[k];
        au_term yes = bring(b, it.does.guard), no = au_term_not(m->terms, yes);
        rest = au_term_and(m->terms, rest, no);
        key = au_hash_join(key, it.does.guard.n);
        bool whole = au_term_is_false(m->terms, rest); /* nobody else can come here */
        if (!wanted(b, k)) {
            none = au_term_and(m->terms, none, no);
            if (it.other == AU_NONE && whole) {
                build_dead(b, thread, src);
                return;
            }
            if (it.other == AU_NONE)
                goal_behind(b, thread, build_not(b, thread, src, &none), w->spot, &it, key);
            continue;
        }
        src = build_not(b, thread, src, &none);
        uint32_t first = (uint32_t)m->step.n, to = node_of(b, thread, it.next[0], w->woken);
        b->built[k] = first;
        if (whole && it.other == AU_NONE) {
            au_step *s = au_model_add_step(m, thread, src, to, AU_STEP_ASSUME);
            s->guard = yes;
            dress(b, &it, k, first);
            return;
        }
        uint32_t middle = au_model_add_node(m, thread);
        au_model_add_step(m, thread, src, to, AU_STEP_BRANCH)->guard = yes;
        dress(b, &it, k, first);
        au_model_add_step(m, thread, src, middle, AU_STEP_BRANCH)->guard = no;
        dress(b, &it, AU_NONE, first + 1);
        m->thread.at[thread].node.at[src].kind = AU_NODE_IF;
        m->thread.at[thread].node.at[src].merge = exit;
        src = middle;
        if (it.other == AU_NONE)
            goal_behind(b, thread, src, w->spot, &it, key);
    }
}

/* A wait: a run that nobody woke is only in the model if some run was one, or it ended by its
 * time; else it is a goal, once on a way: there is no end to waking up and waiting again. */
static void build_wait(builder *b, uint32_t thread, const struct work *w, uint32_t id) {
    au_tree *t = b->t;
    au_model *m = b->m;
    const au_item it = t->item.at[id];
    uint32_t first = (uint32_t)m->step.n;
    uint32_t to = node_of(b, thread, it.next[0], w->woken || it.spurious);
    b->built[id] = first;
    build_action(b, thread, w->node, to, &it.does);
    dress(b, &it, id, first);
    au_step *alone = &m->step.at[first + 2];
    if (!it.timed && (it.spurious || !b->goals))
        return;
    /* That its time is over needs no excuse: the solver keeps away from wake-ups that nobody gave. */
    alone->spurious &= !it.timed;
    if (it.timed && it.next[1] != AU_NONE) {
        uint32_t late = node_of(b, thread, it.next[1], w->woken);
        m->step.at[first + 2].dst = late;
        return;
    }
    if (w->woken && !it.timed) {
        alone->guard = au_term_bool(m->terms, false);
        return;
    }
    uint32_t node = au_model_add_node(m, thread);
    m->step.at[first + 2].dst = node;
    add_goal(b, thread, node, w->spot, &it, it.timed ? AU_GOAL_TIMEOUT : AU_GOAL_SPURIOUS,
             au_hash_join(t->spot.at[w->spot].way, it.timed ? 11 : 13),
             it.timed ? "the wait times out" : "spurious wake-up of the wait");
}

/* An acquisition that does not wait: taken if it is free, failed if it is not. */
static void build_try(builder *b, uint32_t thread, const struct work *w) {
    au_tree *t = b->t;
    au_model *m = b->m;
    uint32_t got = AU_NONE, lost = AU_NONE;
    for (uint32_t k = t->spot.at[w->spot].item; k != AU_NONE; k = t->item.at[k].other)
        *(t->item.at[k].fails ? &lost : &got) = k;
    au_item it = t->item.at[got != AU_NONE ? got : lost];
    uint64_t key = au_hash_join(t->spot.at[w->spot].way, 17);
    if (got == AU_NONE)
        it.does.kind = it.tried;
    uint32_t first = (uint32_t)m->step.n, goal = AU_NONE;
    uint32_t to = got != AU_NONE ? node_of(b, thread, it.next[0], w->woken)
                                 : (goal = au_model_add_node(m, thread));
    build_action(b, thread, w->node, to, &it.does);
    dress(b, &it, got != AU_NONE ? got : lost, first);
    if (got == AU_NONE)
        au_vec_last(&b->of_step).part = 3;
    else
        b->built[got] = first;
    to = lost != AU_NONE ? node_of(b, thread, t->item.at[lost].next[0], w->woken)
                         : (goal = au_model_add_node(m, thread));
    au_term no = au_term_not(m->terms, m->step.at[first].guard);
    au_model_add_step(m, thread, w->node, to, AU_STEP_BRANCH)->guard = no;
    dress(b, &it, lost != AU_NONE ? lost : got, first + 1);
    if (lost == AU_NONE)
        au_vec_last(&b->of_step).part = 3;
    else
        b->built[lost] = first + 1;
    if (goal != AU_NONE)
        add_goal(b, thread, goal, w->spot, &it, AU_GOAL_TRY, key,
                 got != AU_NONE ? "the try fails" : "the try succeeds");
}

/* pthread_once, where another thread had been first: it has done the work, or this one is the first
 * now. What it does then is not known, and such a run is not merged with these. (It may also come
 * while the other one is at work, and wait: that is as if it came later.) */
static void build_once(builder *b, uint32_t thread, const struct work *w, uint32_t id) {
    au_model *m = b->m;
    const au_item it = b->t->item.at[id];
    uint32_t first = (uint32_t)m->step.n, to = node_of(b, thread, it.next[0], w->woken);
    uint32_t goal = au_model_add_node(m, thread);
    au_term yes = bring(b, it.does.guard), no = au_term_not(m->terms, yes);
    b->built[id] = first;
    for (int side = 0; side < 2; side++) {
        uint32_t s = au_model_add_step(m, thread, w->node, side ? goal : to, AU_STEP_BRANCH)->id;
        m->step.at[s].guard = side ? no : yes;
        m->step.at[s].indivisible = true;
        for (uint32_t i = 0; i < it.does.n_accesses; i++)
            au_step_add_access(m, &m->step.at[s], b->var[it.does.access[i].var],
                               it.does.access[i].write);
    }
    dress(b, &it, id, first);
    au_vec_last(&b->of_step).part = 3;
    m->thread.at[thread].node.at[w->node].kind = AU_NODE_IF;
    m->thread.at[thread].node.at[w->node].merge = m->thread.at[thread].exit;
    add_goal(b, thread, goal, w->spot, &it, AU_GOAL_FIRST,
             au_hash_join(b->t->spot.at[w->spot].way, 19), "it is the first");
}

/* It is where it was before: what it does from there is in the model. Here it waits until that would be something else. */
static void build_again(builder *b, uint32_t thread, const struct work *w) {
    const au_action *a = &b->t->again.at[b->t->spot.at[w->spot].again];
    uint32_t first = (uint32_t)b->m->step.n, node = au_model_add_node(b->m, thread);
    build_action(b, thread, w->node, node, a);
    dress(b, NULL, AU_NONE, first);
    au_vec_last(&b->of_step).part = 4;
    build_dead(b, thread, node);
}

/* Nobody went on from here. */
static void build_end(builder *b, uint32_t thread, const struct work *w) {
    const au_spot_at *at = &b->t->spot.at[w->spot];
    uint32_t node = w->node;
    if (at->flags & AU_SPOT_SPINS) {
        build_again(b, thread, w);
        return;
    }
    if (at->flags & AU_SPOT_OVER) { /* the program is over; nobody can join it */
        uint32_t first = (uint32_t)b->m->step.n;
        au_model_add_step(b->m, thread, node, b->m->thread.at[thread].exit, AU_STEP_ASSUME)->guard =
            au_term_bool(b->m->terms, false);
        dress(b, NULL, AU_NONE, first);
        return;
    }
    if (at->waits != AU_STEP_KINDS) {
        au_action a = {.kind = at->waits, .havoc = AU_NONE, .obj = at->waits_for, .obj2 = AU_NONE};
        uint32_t first = (uint32_t)b->m->step.n;
        node = au_model_add_node(b->m, thread);
        build_action(b, thread, w->node, node, &a);
        dress(b, NULL, AU_NONE, first);
        au_vec_last(&b->of_step).part = 4;
    }
    add_goal(b, thread, node, w->spot, NULL, AU_GOAL_END,
             au_hash_join(b->t->spot.at[w->spot].way, 3), "a thread that was cut off goes on");
}

static void build_spot(builder *b, uint32_t thread, const struct work *w) {
    au_tree *t = b->t;
    uint32_t k = t->spot.at[w->spot].item;
    if (k == AU_NONE) {
        build_end(b, thread, w);
        return;
    }
    const au_item it = t->item.at[k];
    bool any = false;
    for (uint32_t i = k; i != AU_NONE; i = t->item.at[i].other)
        any |= wanted(b, i);
    if (!any) {
        build_dead(b, thread, w->node);
        return;
    }
    if (it.tries || it.fails) {
        build_try(b, thread, w);
        return;
    }
    if (it.does.kind == AU_STEP_ASSUME && !it.does.blocking && !it.fails) {
        build_branches(b, thread, w);
        return;
    }
    if (it.does.kind == AU_STEP_WAIT) {
        build_wait(b, thread, w, k);
        return;
    }
    if (it.second && b->goals) {
        build_once(b, thread, w, k);
        return;
    }
    uint32_t first = (uint32_t)b->m->step.n, to = node_of(b, thread, it.next[0], w->woken);
    b->built[k] = first;
    build_action(b, thread, w->node, to, &it.does);
    dress(b, &it, k, first);
    if (it.does.kind == AU_STEP_ASSERT && !it.failed && b->goals) {
        au_goal g = {.kind = AU_GOAL_ASSERT,
                     .step = first,
                     .key = au_hash_join(t->spot.at[w->spot].way, 5),
                     .site = au_hash_join(it.site, 2),
                     .run = it.run,
                     .file = au_intern_str(&t->strings, it.file),
                     .line = it.line,
                     .text = au_intern_str(&t->strings, it.text)};
        au_vec_push(&b->into->goal, g);
        au_vec_push(&b->goal_spot, w->spot);
    }
}

static void build_thread(builder *b, uint32_t of) {
    au_model *m = b->m;
    uint32_t thread = b->thread[of], root = b->t->thread.at[of].root;
    m->thread.at[thread].exit = au_model_add_node(m, thread);
    uint32_t entry = m->thread.at[thread].entry;
    if (b->t->spot.at[root].item == AU_NONE && b->t->spot.at[root].flags & AU_SPOT_ENDED) {
        uint32_t first = (uint32_t)m->step.n;
        au_model_add_step(m, thread, entry, m->thread.at[thread].exit, AU_STEP_NOP);
        dress(b, NULL, AU_NONE, first);
        return;
    }
    au_vec_push(&b->todo, ((struct work){root, entry, false}));
    while (b->todo.n) {
        struct work w = au_vec_pop(&b->todo);
        build_spot(b, thread, &w);
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static size_t end_of(const au_tree *t, uint32_t run) {
    return run + 1 < t->run.n ? t->taken_from.at[run + 1] : t->taken.n;
}

/* Past what other runs do at this place: one step on the way to what this one does. */
static uint32_t way_round(const builder *b, uint32_t thread, uint32_t node) {
    const au_node *n = &b->m->thread.at[thread].node.at[node];
    for (size_t k = 0; k < n->out.n; k++)
        if (b->of_step.at[n->out.at[k]].item == AU_NONE &&
            b->m->step.at[n->out.at[k]].kind != AU_STEP_ASSERT)
            return n->out.at[k];
    AU_BUG_IF(true);
}

/* A thread without steps runs as soon as it is forked. */
static void run_empty(builder *b, uint32_t thread) {
    const au_thread *t = &b->m->thread.at[thread];
    const au_node *n = &t->node.at[t->entry];
    if (n->out.n == 1 && b->m->step.at[n->out.at[0]].kind == AU_STEP_NOP)
        au_vec_push(&b->m->observed, n->out.at[0]);
}

static void observe(builder *b, uint32_t run) {
    au_model *m = b->m;
    uint32_t *at = au_alloc_array(m->thread.n, sizeof *at);
    for (size_t i = 0; i < m->thread.n; i++)
        at[i] = m->thread.at[i].entry;
    for (size_t i = b->t->taken_from.at[run]; i < end_of(b->t, run); i++) {
        const au_taken *x = &b->t->taken.at[i];
        uint32_t step = b->built[x->item] + x->part;
        if (m->step.at[step].kind == AU_STEP_SIGNAL && x->wakes != AU_NONE) {
            const au_step *s = &m->step.at[step];
            const au_node *n = &m->thread.at[s->thread].node.at[s->src];
            uint32_t found = AU_NONE;
            for (size_t k = 0; k < n->out.n; k++)
                if (m->step.at[n->out.at[k]].choice == b->thread[x->wakes])
                    found = n->out.at[k];
            AU_BUG_IF(found == AU_NONE);
            step = found;
        }
        uint32_t who = m->step.at[step].thread;
        while (at[who] != m->step.at[step].src) {
            uint32_t round = way_round(b, who, at[who]);
            au_vec_push(&m->observed, round);
            at[who] = m->step.at[round].dst;
        }
        au_vec_push(&m->observed, step);
        at[who] = m->step.at[step].dst;
        if (m->step.at[step].kind == AU_STEP_FORK)
            run_empty(b, m->step.at[step].obj);
    }
    free(at);
}

/* Edges that au_sync_finish has added to signals. */
static void dress_signals(builder *b) {
    for (size_t k = b->of_step.n; k < b->m->step.n; k++) {
        const au_step *s = &b->m->step.at[k];
        const au_node *n = &b->m->thread.at[s->thread].node.at[s->src];
        au_vec_push(&b->of_step, b->of_step.at[n->out.at[0]]);
    }
}

static void add_names(builder *b) {
    au_tree *t = b->t;
    au_model *m = b->m;
    for (uint32_t i = 0; i < t->thread.n; i++) {
        b->thread[i] = AU_NONE;
        if (!t->thread.at[i].there)
            continue;
        b->thread[i] = au_model_add_thread(m, au_intern_str(&t->thread_name, i));
        b->into->thread[b->thread[i]] = i;
    }
    for (uint32_t i = 0; i < t->var.n; i++) {
        const au_var_info *v = &t->var.at[i];
        b->var[i] = AU_NONE;
        uint32_t owner = v->kind == AU_VAR_LOCAL ? b->thread[v->thread] : AU_NONE;
        if (v->kind == AU_VAR_SHARED || owner != AU_NONE)
            b->var[i] = au_model_add_var(m, v->name, v->kind, v->width, v->init, owner);
    }
    for (uint32_t i = 0; i < t->obj.n; i++)
        b->obj[i] = au_model_add_sync(m, au_intern_str(&t->obj_name, i), t->obj.at[i].kind,
                                      t->obj.at[i].init);
}

/* Which of the goals' sides were taken at the same place, on other ways? */
static void mark_seen(const au_tree *t, au_tree_model *into) {
    au_map taken;
    au_map_init(&taken);
    for (size_t i = 0; i < t->item.n; i++)
        if (t->item.at[i].does.kind == AU_STEP_ASSUME && t->item.at[i].goal == AU_GOAL_BRANCH)
            au_map_put(&taken, au_hash_join(t->item.at[i].site, t->item.at[i].side), NULL);
    for (size_t i = 0; i < into->goal.n; i++)
        into->goal.at[i].seen =
            into->goal.at[i].kind == AU_GOAL_BRANCH && au_map_find(&taken, into->goal.at[i].site);
    au_map_release(&taken);
}

void au_tree_build(au_tree *t, uint32_t only, uint32_t observed, bool goals, au_tree_model *into) {
    *into = (au_tree_model){.m = au_model_new(t->run.n ? t->run.at[0] : "runs")};
    builder b = {.t = t, .m = into->m, .into = into, .goals = goals};
    b.var = au_alloc_array(t->var.n, sizeof *b.var);
    b.obj = au_alloc_array(t->obj.n, sizeof *b.obj);
    b.thread = au_alloc_array(t->thread.n, sizeof *b.thread);
    b.built = au_alloc_array(t->item.n, sizeof *b.built);
    if (only != AU_NONE) {
        b.on_way = au_alloc_array(t->item.n, sizeof *b.on_way);
        for (size_t i = t->taken_from.at[only]; i < end_of(t, only); i++)
            b.on_way[t->taken.at[i].item] = true;
    }
    into->thread = au_alloc_array(t->thread.n, sizeof *into->thread);
    au_map_init(&b.memo);
    au_arena_init(&b.scratch);
    add_names(&b);
    for (uint32_t i = 0; i < t->thread.n; i++)
        if (b.thread[i] != AU_NONE)
            build_thread(&b, i);
    into->m->n_blocks = t->blocks;
    au_sync_finish(into->m);
    dress_signals(&b);
    if (t->run.n)
        observe(&b, observed);
    mark_seen(t, into);
    into->of_step = b.of_step.at;
    into->goal_spot = b.goal_spot.at;
    au_map_release(&b.memo);
    au_arena_release(&b.scratch);
    au_vec_release(&b.todo);
    free(b.var);
    free(b.obj);
    free(b.thread);
    free(b.built);
    free(b.on_way);
}

void au_tree_model_release(au_tree_model *x) {
    au_model_free(x->m);
    au_vec_release(&x->goal);
    free(x->of_step);
    free(x->thread);
    free(x->goal_spot);
    *x = (au_tree_model){0};
}
