/* model/check.c: the invariants of a program model.
 *
 * M1  variables: width 1 … 64, initial value inside it; names unique within the
 *     kind (locals: within their thread); locals have an owner, shared ones none.
 * M2  objects: their state variables are there and are SYNC.
 * M3  threads: entry and exit are different nodes, nothing leaves the exit;
 *     'started' is there exactly if some step forks it, 'done' exactly if some step
 *     joins it, and then exactly the steps into the exit set it to 1.
 * M4  steps: id is the place; nodes in range; in its node's list exactly once.
 * M5  terms: guard and cond of width 1, cond true except in an ASSERT, updates of
 *     their variable's width, no variable assigned twice; only own locals.
 * M6  accesses: shared variables only; at most one unless indivisible; reads
 *     before writes; every shared variable in a term is read by one, exactly the
 *     assigned ones are written.
 * M7  kinds: obj, obj2, choice, havoc, blocking and spurious as the kind says.
 * M8  nodes with several steps out: two BRANCHes with opposite guards, a signal's
 *     edges, the two WAKEs (the second one spurious, or by its time), or an acquisition and a BRANCH with its guard negated (a try).
 * M9  atomic blocks, labels and files in range.
 * M10 has_loops tells the truth.
 * M11 the observed run follows each thread's graph from its entry.
 * M12 memory orders: of a NOP, which is a fence then, or of an indivisible step that accesses one
 *     variable; acquire of what reads, release of what writes. */
#include "base/hash.h"
#include "model/model.h"

#include <stdio.h>

typedef struct {
    const au_model *m;
    const char *wrong;
    const au_step *step; /* the one being looked at */
} checker;

static _Thread_local char text[256];

static bool fail(checker *c, const char *what) {
    if (c->wrong)
        return false;
    if (c->step)
        snprintf(text, sizeof text, "step %u ('%s', line %u): %s", c->step->id,
                 au_step_label(c->m, c->step), c->step->line, what);
    else
        snprintf(text, sizeof text, "%s", what);
    c->wrong = text;
    return false;
}
#define REQUIRE(c, cond, what)                                                                     \
    do {                                                                                           \
        if (!(cond))                                                                               \
            fail((c), (what));                                                                     \
    } while (0)

static void check_vars(checker *c) {
    const au_model *m = c->m;
    au_intern names;
    au_intern_init(&names);
    for (size_t i = 0; i < m->var.n; i++) {
        const au_var_info *v = &m->var.at[i];
        REQUIRE(c, v->width >= 1 && v->width <= 64, "a variable's width is not 1 … 64");
        REQUIRE(c, v->width >= 64 || v->init >> v->width == 0, "an initial value is too wide");
        if (v->kind == AU_VAR_SHARED)
            REQUIRE(c, v->thread == AU_NONE, "a shared variable has an owner");
        else
            REQUIRE(c, v->thread < m->thread.n || (v->kind == AU_VAR_SYNC && v->thread == AU_NONE),
                    "a variable's owner is not a thread");
        char *key =
            au_sprintf("%d %u %s", v->kind, v->kind == AU_VAR_LOCAL ? v->thread : 0, v->name);
        size_t before = names.n;
        au_intern_add(&names, key, strlen(key));
        free(key);
        REQUIRE(c, names.n > before, "two variables have one name");
    }
    au_intern_release(&names);
}

static bool is_sync(const au_model *m, uint32_t v) {
    return v < m->var.n && m->var.at[v].kind == AU_VAR_SYNC;
}

static void check_objects(checker *c) {
    const au_model *m = c->m;
    static const uint8_t states[] = {1, 2, 2, 1, 0, 2}; /* by au_obj_kind */
    for (size_t i = 0; i < m->obj.n; i++) {
        const au_sync_obj *o = &m->obj.at[i];
        if ((unsigned)o->kind > AU_OBJ_BARRIER) {
            fail(c, "an object's kind is unknown");
            continue;
        }
        for (unsigned k = 0; k < 2; k++)
            REQUIRE(c, k < states[o->kind] ? is_sync(m, o->var[k]) : o->var[k] == AU_NONE,
                    "an object's state variables are not those of its kind");
        REQUIRE(c, o->per.n <= m->thread.n, "an object knows a thread that is not there");
        for (size_t t = 0; t < o->per.n; t++)
            REQUIRE(c, o->per.at[t] == AU_NONE || is_sync(m, o->per.at[t]),
                    "an object's variable of a thread is not a SYNC variable");
    }
}

/* --- one step ------------------------------------------------------------------ */

static bool reads(const au_step *s, uint32_t v) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == v && !s->access[i].write)
            return true;
    return false;
}

static void check_term_var(void *ctx, uint32_t v) {
    checker *c = ctx;
    const au_model *m = c->m;
    if (v >= m->var.n) {
        fail(c, "a term has a variable that is not there");
        return;
    }
    const au_var_info *info = &m->var.at[v];
    if (info->kind == AU_VAR_LOCAL)
        REQUIRE(c, info->thread == c->step->thread, "a term has another thread's local");
    if (info->kind == AU_VAR_SHARED)
        REQUIRE(c, reads(c->step, v), "a shared variable is used without an access");
}

static void check_term(checker *c, au_term x, unsigned width) {
    if (x.n >= au_terms_count(c->m->terms)) {
        fail(c, "a term is not there");
        return;
    }
    REQUIRE(c, au_term_width(c->m->terms, x) == width, "a term has the wrong width");
    au_term_each_var(c->m->terms, x, check_term_var, c);
}

static void check_target(checker *c, uint32_t v) {
    const au_model *m = c->m;
    const au_step *s = c->step;
    if (v >= m->var.n) {
        fail(c, "it assigns a variable that is not there");
        return;
    }
    if (m->var.at[v].kind == AU_VAR_LOCAL)
        REQUIRE(c, m->var.at[v].thread == s->thread, "it assigns another thread's local");
    if (m->var.at[v].kind != AU_VAR_SHARED)
        return;
    unsigned writes = 0;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        writes += s->access[i].var == v && s->access[i].write;
    REQUIRE(c, writes == 1, "a shared variable is assigned without one write access");
}

static bool assigns(const au_step *s, uint32_t v) {
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (s->update[i].var == v)
            return true;
    return s->havoc == v;
}

static void check_terms(checker *c) {
    const au_model *m = c->m;
    const au_step *s = c->step;
    check_term(c, s->guard, 1);
    check_term(c, s->cond, 1);
    if (c->wrong)
        return;
    REQUIRE(c, s->kind == AU_STEP_ASSERT || au_term_is_true(m->terms, s->cond),
            "a condition that is not an assert's");
    for (uint32_t i = 0; i < s->n_updates; i++) {
        uint32_t v = s->update[i].var;
        check_target(c, v);
        if (c->wrong)
            return;
        check_term(c, s->update[i].value, m->var.at[v].width);
        for (uint32_t k = 0; k < i; k++)
            REQUIRE(c, s->update[k].var != v, "a variable is assigned twice");
        REQUIRE(c, s->havoc != v, "a variable is assigned twice");
    }
    if (s->havoc != AU_NONE)
        check_target(c, s->havoc);
}

static void check_accesses(checker *c) {
    const au_model *m = c->m;
    const au_step *s = c->step;
    bool written = false;
    REQUIRE(c, s->n_accesses <= 1 || s->indivisible, "more than one access in a divisible step");
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        const au_access *a = &s->access[i];
        REQUIRE(c, a->var < m->var.n && m->var.at[a->var].kind == AU_VAR_SHARED,
                "an access of something that is not a shared variable");
        REQUIRE(c, a->write || !written, "a read after a write");
        REQUIRE(c, !a->write || assigns(s, a->var), "a write access without an assignment");
        written |= a->write;
    }
}

static void check_order(checker *c) {
    const au_step *s = c->step;
    bool reads = false, writes = false, one = s->n_accesses > 0;
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        *(s->access[i].write ? &writes : &reads) = true;
        one &= s->access[i].var == s->access[0].var;
    }
    if (s->order == AU_MO_NONE)
        return;
    REQUIRE(c, s->order < AU_MO_COUNT, "a memory order that there is not");
    if (s->kind == AU_STEP_NOP && !s->n_accesses) {
        REQUIRE(c, s->order != AU_MO_RLX, "a relaxed fence");
        return;
    }
    REQUIRE(c, one && s->indivisible && s->order != AU_MO_SC,
            "a memory order of what is no atomic access of one variable");
    REQUIRE(c, reads || (s->order != AU_MO_ACQ && s->order != AU_MO_ACQ_REL),
            "a write that acquires");
    REQUIRE(c, writes || (s->order != AU_MO_REL && s->order != AU_MO_ACQ_REL),
            "a read that releases");
}

static bool is_obj(const au_model *m, uint32_t i, unsigned kinds) {
    return i < m->obj.n && kinds >> m->obj.at[i].kind & 1;
}

static void check_kind(checker *c) {
    enum {
        LOCK = 1 << AU_OBJ_LOCK,
        RLOCK = 1 << AU_OBJ_RLOCK,
        RWLOCK = 1 << AU_OBJ_RWLOCK,
        SEM = 1 << AU_OBJ_SEM,
        COND = 1 << AU_OBJ_COND,
        BARRIER = 1 << AU_OBJ_BARRIER
    };
    const au_model *m = c->m;
    const au_step *s = c->step;
    bool ok = true, blocking = false;
    unsigned kinds = 0;
    switch (s->kind) {
    case AU_STEP_ASSIGN:
    case AU_STEP_ASSERT:
    case AU_STEP_BRANCH:
    case AU_STEP_NOP:
    case AU_STEP_HAVOC:
        break;
    case AU_STEP_ASSUME:
        blocking = s->blocking && s->indivisible;
        break;
    case AU_STEP_ACQ:
        blocking = s->blocking;
        kinds = LOCK | RLOCK | SEM;
        break;
    case AU_STEP_REL:
        kinds = LOCK | RLOCK | RWLOCK | SEM;
        break;
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        blocking = s->blocking;
        kinds = RWLOCK;
        break;
    case AU_STEP_WAKE:
        blocking = true;
        kinds = COND;
        break;
    case AU_STEP_WAIT:
    case AU_STEP_SIGNAL:
    case AU_STEP_BROADCAST:
        kinds = COND;
        break;
    case AU_STEP_LEAVE:
        blocking = true;
        kinds = BARRIER;
        break;
    case AU_STEP_ARRIVE:
        kinds = BARRIER;
        break;
    case AU_STEP_JOIN:
        blocking = true;
        ok = s->obj < m->thread.n;
        break;
    case AU_STEP_FORK:
        ok = s->obj < m->thread.n;
        break;
    default:
        ok = false;
    }
    bool of_thread = s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN;
    bool through = s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE;
    if (!of_thread)
        ok &= kinds ? is_obj(m, s->obj, kinds) : s->obj == AU_NONE;
    REQUIRE(c, ok, "its object is not one for this kind of step");
    REQUIRE(c, through ? is_obj(m, s->obj2, LOCK | RLOCK | SEM) : s->obj2 == AU_NONE,
            "the lock of a wait is wrong");
    REQUIRE(c, s->blocking == blocking, "it blocks although it must not, or the other way round");
    REQUIRE(c, !s->spurious || s->kind == AU_STEP_WAKE, "spurious and not a wake-up");
    REQUIRE(c, (s->havoc != AU_NONE) == (s->kind == AU_STEP_HAVOC), "havoc without its variable");
    REQUIRE(c, s->choice == AU_NONE || (s->kind == AU_STEP_SIGNAL && s->choice < m->thread.n),
            "a choice that is not a signal's");
    REQUIRE(c, s->block == AU_NONE || s->block < m->n_blocks, "its atomic block is not there");
    REQUIRE(c, s->label == AU_NONE || s->label < m->strings.n, "its label is not there");
    REQUIRE(c, s->loc == AU_NONE || s->loc < m->strings.n, "its file is not there");
}

static void check_steps(checker *c) {
    const au_model *m = c->m;
    for (size_t i = 0; i < m->step.n && !c->wrong; i++) {
        const au_step *s = c->step = &m->step.at[i];
        if (s->id != i || s->thread >= m->thread.n) {
            fail(c, "its id or its thread is wrong");
            break;
        }
        const au_thread *t = &m->thread.at[s->thread];
        if (s->src >= t->node.n || s->dst >= t->node.n) {
            fail(c, "its nodes are not there");
            break;
        }
        const au_node *from = &t->node.at[s->src];
        unsigned listed = 0;
        for (size_t k = 0; k < from->out.n; k++)
            listed += from->out.at[k] == i;
        REQUIRE(c, listed == 1, "it is not once in its node's list");
        check_terms(c);
        check_accesses(c);
        check_order(c);
        check_kind(c);
        if (t->done != AU_NONE) {
            bool sets = false;
            for (uint32_t k = 0; k < s->n_updates; k++)
                sets |=
                    s->update[k].var == t->done && au_term_is_true(m->terms, s->update[k].value);
            REQUIRE(c, sets == (s->dst == t->exit), "it does not set 'done' as its target asks");
        }
    }
    c->step = NULL;
}

/* --- nodes and threads ------------------------------------------------------------ */

static void check_node(checker *c, uint32_t thread, uint32_t id) {
    const au_model *m = c->m;
    const au_node *n = &m->thread.at[thread].node.at[id];
    for (size_t k = 0; k < n->out.n; k++) {
        uint32_t s = n->out.at[k];
        if (s >= m->step.n || m->step.at[s].thread != thread || m->step.at[s].src != id) {
            fail(c, "a node lists a step that does not leave it");
            return;
        }
    }
    REQUIRE(c, n->kind == AU_NODE_PLAIN || n->merge < m->thread.at[thread].node.n,
            "an if or a loop without the node after it");
    if (!n->out.n)
        return;
    const au_step *a = c->step = &m->step.at[n->out.at[0]];
    if (a->kind == AU_STEP_BRANCH) {
        if (n->out.n != 2 || m->step.at[n->out.at[1]].kind != AU_STEP_BRANCH)
            fail(c, "a branch without its other side");
        else /* m->terms only grows by this: handles stay what they are */
            REQUIRE(c,
                    au_term_same(au_term_not(m->terms, a->guard), m->step.at[n->out.at[1]].guard),
                    "the sides of a branch are not opposite");
    } else if (a->kind == AU_STEP_WAKE) {
        const au_step *b = n->out.n == 2 ? &m->step.at[n->out.at[1]] : a;
        REQUIRE(c,
                b != a && b->kind == AU_STEP_WAKE && !a->spurious && a->obj == b->obj &&
                    a->obj2 == b->obj2,
                "a wake-up without its spurious one");
    } else if (a->kind == AU_STEP_SIGNAL) {
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *b = &m->step.at[n->out.at[k]];
            REQUIRE(c,
                    b->kind == AU_STEP_SIGNAL && b->obj == a->obj && b->dst == a->dst &&
                        (k == 0) == (b->choice == AU_NONE),
                    "the edges of a signal do not belong together");
        }
    } else if (n->out.n == 2 &&
               (a->kind == AU_STEP_ACQ || a->kind == AU_STEP_RDACQ || a->kind == AU_STEP_WRACQ)) {
        const au_step *b = &m->step.at[n->out.at[1]];
        REQUIRE(
            c, b->kind == AU_STEP_BRANCH && au_term_same(au_term_not(m->terms, a->guard), b->guard),
            "a try without its other side");
    } else {
        REQUIRE(c, n->out.n == 1, "several steps leave a node that does not branch");
    }
    c->step = NULL;
}

/* Depth first with an explicit stack: an edge to a node on the stack is a loop. */
static bool thread_loops(const au_model *m, const au_thread *t) {
    enum { NEW, OPEN, DONE };
    uint8_t *state = au_alloc_array(t->node.n, 1);
    AU_VEC(struct {
        uint32_t node;
        uint32_t next;
    })
    stack = {0};
    bool loop = false;
    for (uint32_t root = 0; root < t->node.n && !loop; root++) {
        if (state[root] != NEW)
            continue;
        state[root] = OPEN;
        au_vec_reserve(&stack, stack.n + 1);
        stack.at[stack.n].node = root;
        stack.at[stack.n++].next = 0;
        while (stack.n && !loop) {
            uint32_t at = au_vec_last(&stack).node;
            if (au_vec_last(&stack).next == t->node.at[at].out.n) {
                state[at] = DONE;
                stack.n--;
                continue;
            }
            uint32_t to = m->step.at[t->node.at[at].out.at[au_vec_last(&stack).next++]].dst;
            if (state[to] == OPEN) {
                loop = true;
            } else if (state[to] == NEW) {
                state[to] = OPEN;
                au_vec_reserve(&stack, stack.n + 1);
                stack.at[stack.n].node = to;
                stack.at[stack.n++].next = 0;
            }
        }
    }
    au_vec_release(&stack);
    free(state);
    return loop;
}

static void check_threads(checker *c) {
    const au_model *m = c->m;
    bool *forked = au_alloc_array(m->thread.n, sizeof *forked);
    bool *joined = au_alloc_array(m->thread.n, sizeof *joined);
    for (size_t i = 0; i < m->step.n; i++) {
        if (m->step.at[i].kind == AU_STEP_FORK)
            forked[m->step.at[i].obj] = true;
        if (m->step.at[i].kind == AU_STEP_JOIN)
            joined[m->step.at[i].obj] = true;
    }
    bool loops = false;
    for (uint32_t i = 0; i < m->thread.n && !c->wrong; i++) {
        const au_thread *t = &m->thread.at[i];
        if (t->entry >= t->node.n || t->exit >= t->node.n || t->entry == t->exit) {
            fail(c, "a thread's entry or exit is wrong");
            break;
        }
        REQUIRE(c, t->node.at[t->exit].out.n == 0, "a step leaves a thread's exit");
        REQUIRE(c, t->forked == forked[i] && (t->started != AU_NONE) == forked[i],
                "'started' of a thread does not go with its forks");
        REQUIRE(c, (t->done != AU_NONE) == joined[i],
                "'done' of a thread does not go with its joins");
        REQUIRE(c, t->started == AU_NONE || is_sync(m, t->started),
                "'started' is no SYNC variable");
        REQUIRE(c, t->done == AU_NONE || is_sync(m, t->done), "'done' is no SYNC variable");
        for (uint32_t k = 0; k < t->node.n && !c->wrong; k++)
            check_node(c, i, k);
        if (!c->wrong)
            loops |= thread_loops(m, t);
    }
    REQUIRE(c, loops == m->has_loops, "has_loops does not tell the truth");
    free(forked);
    free(joined);
}

static void check_observed(checker *c) {
    const au_model *m = c->m;
    uint32_t *at = au_alloc_array(m->thread.n, sizeof *at);
    for (size_t i = 0; i < m->thread.n; i++)
        at[i] = m->thread.at[i].entry;
    for (size_t i = 0; i < m->observed.n && !c->wrong; i++) {
        if (m->observed.at[i] >= m->step.n) {
            fail(c, "the observed run has a step that is not there");
            break;
        }
        c->step = &m->step.at[m->observed.at[i]];
        REQUIRE(c, at[c->step->thread] == c->step->src, "the observed run jumps to it");
        at[c->step->thread] = c->step->dst;
        c->step = NULL;
    }
    free(at);
}

const char *au_model_check(const au_model *m) {
    checker c = {m, NULL, NULL};
    check_vars(&c);
    check_objects(&c);
    if (!c.wrong)
        check_steps(&c);
    if (!c.wrong)
        check_threads(&c);
    if (!c.wrong)
        check_observed(&c);
    return c.wrong;
}
