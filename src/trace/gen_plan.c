/* trace/gen_plan.c: traces whose accesses are laid down before they are
 * interleaved, for shapes that fix how often each variable is read and written
 * (which fixes the number of nondeterminism witnesses, see count.h).
 *
 * A thread's part is a list of items, each a few steps: an access or several of
 * one variable, perhaps in a critical section, perhaps in atomic blocks; or one
 * side of a wait. In this order:
 *
 *   meet      waits and notifies, in one order over all threads
 *   publish   writes of cold variables, by the variable's number
 *   work      bursts on hot variables: a write and the reads that see it
 *   collect   reads of cold variables after their last write, by number
 *
 * What that does to the witnesses (w, r, c) (docs/gen.md has the argument):
 * publish comes before collect in every thread, so read-couples of cold
 * variables order no work, and work of different threads stays concurrent; there
 * r follows its w in its own thread, so of the three witnesses of a challenger in
 * another thread only w c r is possible, of one in the same thread none.
 *
 * Interleaving: thread switches are random; a step waits until
 *   P1: the lock it acquires is free;
 *   P2: the variable of the item that it begins is in no unfinished item (so that
 *       the reads of a burst see its write);
 *   P3: the last write of the cold variable that it collects is done;
 *   P4: a notify has its waiter waiting, a wake has had its notify.
 * Some thread can always move: items take at most one lock, whose holder never
 * waits for P2 to P4; meetings come first and in one order. */
#include "trace/gen_priv.h"

enum gate { FREE, CLAIM, WRITTEN, WAITING, NOTIFIED };
enum after { NOTHING, UNCLAIM, WAITS, NOTIFIES };
enum phase { MEET, PUBLISH, WORK, COLLECT };

struct step {
    au_op op;
    uint8_t gate, after;
    bool glued; /* the next step follows without a switch */
    uint32_t obj;
    uint32_t arg; /* of gate and after: a variable or a meeting */
};

struct item {
    uint16_t thread;
    uint8_t phase;
    au_op op;    /* MEET: AU_OP_WAIT or what notifies */
    bool writes; /* begins with a write */
    uint16_t reads;
    uint16_t blocks;  /* atomic blocks around it */
    uint32_t var;     /* MEET: the condition */
    uint32_t lock;    /* UINT32_MAX: none */
    uint32_t meeting; /* MEET: its number, UINT32_MAX for a notify that wakes nobody */
};
typedef AU_VEC(struct item) item_vec;
typedef AU_VEC(struct step) step_vec;

struct planned {
    au_gen_source source;
    au_rng rng;
    uint32_t threads, locks, joined, forked;
    step_vec *part; /* by thread */
    size_t *pos;
    uint64_t left; /* steps of all parts */
    uint32_t now, run;
    uint8_t *taken;    /* by lock */
    uint8_t *claimed;  /* by variable */
    uint32_t *to_come; /* by variable: writes */
    uint8_t *meeting;  /* by meeting: 1 waits, 2 notified */
};

/* ---- items ---- */

static void add_item(item_vec *items, uint32_t thread, enum phase phase, uint32_t var, bool writes,
                     uint32_t reads) {
    au_vec_push(items, ((struct item){.thread = (uint16_t)thread,
                                      .phase = (uint8_t)phase,
                                      .writes = writes,
                                      .reads = (uint16_t)reads,
                                      .var = var,
                                      .lock = UINT32_MAX}));
}

/* Part i of n when 'total' is dealt out as equally as possible. */
static uint32_t part_of(uint32_t total, uint32_t n, uint32_t i) {
    return (uint32_t)((uint64_t)total * (i + 1) / n - (uint64_t)total * i / n);
}

static void add_hot(item_vec *items, const au_gen_vars *c, uint32_t var) {
    uint32_t n = c->hi - c->lo;
    for (uint32_t i = 0; i < c->writes; i++)
        add_item(items, c->lo + (var + i) % n, WORK, var, true, part_of(c->reads, c->writes, i));
}

/* With one write all reads are by others; with more each writer reads its own. */
static void add_cold(item_vec *items, const au_gen_vars *c, uint32_t var, uint32_t threads) {
    uint32_t own = c->writes > 1, writer = var;
    for (uint32_t i = 0; i < c->writes; i++, writer++)
        add_item(items, writer % threads, PUBLISH, var, true, own);
    uint32_t reads = c->reads - own * c->writes;
    for (uint32_t i = 0; i < c->readers; i++)
        add_item(items, (writer + i) % threads, COLLECT, var, false, part_of(reads, c->readers, i));
}

static void add_meeting(item_vec *items, uint32_t thread, au_op op, uint32_t cond, uint32_t lock,
                        uint32_t number) {
    au_vec_push(items, ((struct item){.thread = (uint16_t)thread,
                                      .phase = MEET,
                                      .op = op,
                                      .var = cond,
                                      .lock = lock,
                                      .meeting = number}));
}

/* Two conditions are enough where two threads take turns, because at most one of
 * them waits; otherwise each meeting has its own. The last one nobody waits on. */
static uint32_t conditions(const au_gen_plan *p) {
    return (p->wait_hi - p->wait_lo == 2 ? 2 : p->waits) + 1;
}

static void add_meetings(item_vec *items, const au_gen_plan *p) {
    if (!p->waits)
        return;
    uint32_t n = p->wait_hi - p->wait_lo, own = conditions(p) - 1;
    uint32_t idle = p->notifies - p->waits;
    for (uint32_t i = 0; i < p->waits; i++) {
        uint32_t a = p->wait_lo + i % n, b = p->wait_lo + (i + 1) % n, c = i % own;
        add_meeting(items, a, AU_OP_WAIT, p->locks + c, c % p->locks, i);
        add_meeting(items, b, i % 5 == 4 ? AU_OP_BROADCAST : AU_OP_SIGNAL, p->locks + c,
                    c % p->locks, i);
        for (uint32_t k = part_of(idle, p->waits, i); k > 0; k--)
            add_meeting(items, k % 2 ? a : b, k % 2 ? AU_OP_SIGNAL : AU_OP_BROADCAST,
                        p->locks + own, own % p->locks, UINT32_MAX);
    }
}

static void shuffle(au_rng *rng, uint32_t *at, size_t n) {
    for (size_t i = n; i > 1; i--) {
        uint32_t j = au_rng_below(rng, (uint32_t)i), x = at[j];
        at[j] = at[i - 1];
        at[i - 1] = x;
    }
}

static uint32_t accesses(const struct item *it) {
    return (uint32_t)it->reads + it->writes;
}

/* Puts 'sections' of the items from 'first' on under locks, so that every lock
 * is used, and gives them 'blocks' atomic blocks. A variable has one lock. */
static void dress(item_vec *items, size_t first, uint32_t sections, uint32_t locks, uint32_t blocks,
                  au_rng *rng) {
    size_t n = items->n - first;
    uint32_t *order = au_alloc_array(n, sizeof *order);
    uint8_t *used = au_alloc_array(locks, 1);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)(first + i);
    shuffle(rng, order, n);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n && sections; i++) {
            struct item *it = &items->at[order[i]];
            uint32_t l = it->var % locks;
            if (it->lock != UINT32_MAX || (pass == 0 && used[l]))
                continue;
            it->lock = l;
            used[l] = 1;
            sections--;
        }
    AU_BUG_IF(sections);
    shuffle(rng, order, n);
    for (bool more = true; blocks;) {
        AU_BUG_IF(!more);
        more = false;
        for (size_t i = 0; i < n && blocks; i++) {
            struct item *it = &items->at[order[i]];
            if (it->blocks >= accesses(it))
                continue;
            it->blocks++;
            blocks--;
            more = true;
        }
    }
    free(order);
    free(used);
}

/* ---- steps ---- */

static void add_step(step_vec *part, au_op op, uint32_t obj) {
    au_vec_push(part, ((struct step){.op = op, .obj = obj}));
}

static void add_meet_steps(step_vec *part, const struct item *it) {
    size_t first = part->n;
    add_step(part, AU_OP_ACQ, it->lock);
    if (it->op != AU_OP_WAIT) {
        add_step(part, it->op, it->var);
        add_step(part, AU_OP_REL, it->lock);
        if (it->meeting != UINT32_MAX) {
            part->at[first].gate = WAITING;
            part->at[first].arg = it->meeting;
            part->at[first + 1].after = NOTIFIES;
            part->at[first + 1].arg = it->meeting;
        }
        return;
    }
    add_step(part, AU_OP_REL, it->lock);
    part->at[first + 1].glued = true; /* rel and wait are one step of the program */
    add_step(part, AU_OP_WAIT, it->var);
    part->at[first + 2].after = WAITS;
    part->at[first + 2].arg = it->meeting;
    add_step(part, AU_OP_WAKE, it->var);
    part->at[first + 3].gate = NOTIFIED;
    part->at[first + 3].arg = it->meeting;
    add_step(part, AU_OP_ACQ, it->lock);
    add_step(part, AU_OP_REL, it->lock);
}

static void add_steps(step_vec *part, const struct item *it, au_rng *rng) {
    if (it->phase == MEET) {
        add_meet_steps(part, it);
        return;
    }
    size_t first = part->n;
    uint32_t block = au_rng_below(rng, AU_GEN_BLOCK_NAMES);
    uint32_t groups = it->blocks > 1 ? it->blocks : 1, done = 0;
    if (it->blocks == 1)
        add_step(part, AU_OP_BEGIN, block);
    if (it->lock != UINT32_MAX)
        add_step(part, AU_OP_ACQ, it->lock);
    for (uint32_t i = 0; i < groups; i++) {
        if (groups > 1)
            add_step(part, AU_OP_BEGIN, block);
        for (uint32_t k = part_of(accesses(it), groups, i); k > 0; k--, done++)
            add_step(part, done == 0 && it->writes ? AU_OP_WRITE : AU_OP_READ, it->var);
        if (groups > 1)
            add_step(part, AU_OP_END, block);
    }
    if (it->lock != UINT32_MAX)
        add_step(part, AU_OP_REL, it->lock);
    if (it->blocks == 1)
        add_step(part, AU_OP_END, block);
    part->at[first].gate = it->phase == COLLECT ? WRITTEN : CLAIM;
    part->at[first].arg = it->var;
    au_vec_last(part).after = it->phase == COLLECT ? NOTHING : UNCLAIM;
    au_vec_last(part).arg = it->var;
}

/* Sorts the items into the threads' parts: by phase, WORK in random order. */
static void lay_out(struct planned *s, const item_vec *items) {
    uint32_t *work = au_alloc_array(items->n + 1, sizeof *work);
    size_t n = 0;
    for (size_t i = 0; i < items->n; i++)
        if (items->at[i].phase == WORK)
            work[n++] = (uint32_t)i;
    shuffle(&s->rng, work, n);
    for (int phase = MEET; phase <= COLLECT; phase++) {
        for (size_t i = 0; phase == WORK && i < n; i++) {
            const struct item *it = &items->at[work[i]];
            add_steps(&s->part[it->thread], it, &s->rng);
        }
        for (size_t i = 0; phase != WORK && i < items->n; i++) {
            const struct item *it = &items->at[i];
            if (it->phase == phase)
                add_steps(&s->part[it->thread], it, &s->rng);
        }
    }
    free(work);
}

/* ---- interleaving ---- */

static bool enabled(const struct planned *s, const struct step *p) {
    switch (p->gate) {
    case CLAIM:
        if (s->claimed[p->arg])
            return false;
        break;
    case WRITTEN:
        if (s->to_come[p->arg])
            return false;
        break;
    case WAITING:
        if (s->meeting[p->arg] != 1)
            return false;
        break;
    case NOTIFIED:
        if (s->meeting[p->arg] != 2)
            return false;
        break;
    default:
        break;
    }
    return p->op != AU_OP_ACQ || !s->taken[p->obj];
}

static void run_step(au_gen *g, struct planned *s, uint32_t t, const struct step *p) {
    au_gen_put(g, p->op, (uint16_t)t, p->obj);
    s->pos[t]++;
    s->left--;
    if (p->gate == CLAIM)
        s->claimed[p->arg] = 1;
    if (p->op == AU_OP_ACQ)
        s->taken[p->obj] = 1;
    if (p->op == AU_OP_REL)
        s->taken[p->obj] = 0;
    if (p->op == AU_OP_WRITE)
        s->to_come[p->obj]--;
    if (p->after == UNCLAIM)
        s->claimed[p->arg] = 0;
    if (p->after == WAITS)
        s->meeting[p->arg] = 1;
    if (p->after == NOTIFIES)
        s->meeting[p->arg] = 2;
}

static bool can_move(const struct planned *s, uint32_t t) {
    return s->pos[t] < s->part[t].n && enabled(s, &s->part[t].at[s->pos[t]]);
}

/* A thread that can move; the more steps it has left the likelier, so that all
 * end at about the same time. */
static uint32_t choose(struct planned *s) {
    uint64_t r = au_rng_next(&s->rng) % s->left;
    uint32_t t = 0;
    while (r >= s->part[t].n - s->pos[t]) {
        r -= s->part[t].n - s->pos[t];
        t++;
    }
    for (uint32_t i = 0; i < s->threads; i++, t++) {
        if (t == s->threads)
            t = 0;
        if (can_move(s, t))
            return t;
    }
    AU_BUG_IF("no thread of a planned trace can move");
    return 0;
}

static void fill(au_gen *g, au_gen_source *source) {
    struct planned *s = (struct planned *)source;
    for (; s->forked < s->threads && !au_gen_full(g); s->forked++)
        au_gen_put(g, AU_OP_FORK, 0, s->forked);
    while (s->left && g->col.n + 1 < AU_GEN_BLOCK) { /* room for two glued steps */
        if (!s->run || !can_move(s, s->now)) {
            s->now = choose(s);
            s->run = 1 + au_rng_below(&s->rng, 8);
        }
        s->run--;
        const struct step *p = &s->part[s->now].at[s->pos[s->now]];
        run_step(g, s, s->now, p);
        if (p->glued)
            run_step(g, s, s->now, p + 1);
    }
    for (; !s->left && s->joined < s->threads && !au_gen_full(g); s->joined++)
        au_gen_put(g, AU_OP_JOIN, 0, s->joined);
}

static void free_planned(au_gen_source *source) {
    struct planned *s = (struct planned *)source;
    for (uint32_t t = 0; t < s->threads; t++)
        au_vec_release(&s->part[t]);
    free(s->part);
    free(s->pos);
    free(s->taken);
    free(s->claimed);
    free(s->to_come);
    free(s->meeting);
    free(s);
}

static struct planned *new_planned(uint32_t threads, uint32_t locks, uint32_t vars,
                                   uint32_t meetings, uint64_t seed) {
    struct planned *s = AU_NEW(struct planned);
    s->source = (au_gen_source){fill, free_planned};
    au_rng_init(&s->rng, seed);
    s->threads = threads;
    s->joined = s->forked = 1;
    s->part = au_alloc_array(threads, sizeof *s->part);
    s->pos = au_alloc_array(threads, sizeof *s->pos);
    s->taken = au_alloc_array(locks + 1, 1);
    s->claimed = au_alloc_array(vars + 1, 1);
    s->to_come = au_alloc_array(vars + 1, sizeof *s->to_come);
    s->meeting = au_alloc_array(meetings + 1, 1);
    return s;
}

/* Everything is laid out: what the interleaving needs to know, and the names. */
static au_gen_source *ready(au_gen *g, struct planned *s, uint32_t locks, uint32_t conds,
                            uint32_t vars) {
    for (uint32_t t = 0; t < s->threads; t++) {
        s->left += s->part[t].n;
        for (size_t i = 0; i < s->part[t].n; i++)
            if (s->part[t].at[i].op == AU_OP_WRITE)
                s->to_come[s->part[t].at[i].obj]++;
    }
    g->events = s->left + 2 * ((uint64_t)s->threads - 1);
    au_gen_add_names(g, AU_WIRE_SPACE_THREAD, "T", s->threads);
    au_gen_add_names(g, AU_WIRE_SPACE_VAR, "x", vars);
    au_gen_add_names(g, AU_WIRE_SPACE_LOCK, "l", locks);
    au_gen_add_conds(g, conds);
    au_gen_add_names(g, AU_WIRE_SPACE_BLOCK, "f", AU_GEN_BLOCK_NAMES);
    return &s->source;
}

au_gen_source *au_gen_planned(au_gen *g, const au_gen_plan *p, uint64_t seed) {
    uint32_t vars = 0, total = 0;
    item_vec items = {0};
    add_meetings(&items, p);
    size_t first = items.n;
    for (size_t i = 0; i < p->n_vars; i++) {
        const au_gen_vars *c = &p->vars[i];
        total += (uint32_t)c->count * (c->reads + c->writes);
        for (uint32_t k = 0; k < c->count; k++, vars++)
            if (c->hot)
                add_hot(&items, c, vars);
            else
                add_cold(&items, c, vars, p->threads);
    }
    uint32_t sections = p->lock_events / 2 - 2 * p->waits - p->notifies;
    uint32_t rest =
        p->events - p->lock_events - total - 2 * p->waits - p->notifies - 2 * (p->threads - 1);
    struct planned *s = new_planned(p->threads, p->locks, vars, p->waits, seed);
    dress(&items, first, sections, p->locks, rest / 2, &s->rng);
    lay_out(s, &items);
    au_vec_release(&items);
    au_gen_source *source = ready(g, s, p->locks, p->waits ? conditions(p) : 0, vars);
    AU_BUG_IF(g->events != p->events);
    return source;
}

/* Each thread: one atomic block with a read and a write of the only variable,
 * under a lock of its own. In the run the blocks' accesses do not overlap. */
au_gen_source *au_gen_raytracer(au_gen *g, uint32_t threads, uint64_t seed) {
    struct planned *s = new_planned(threads, threads, 1, 0, seed);
    for (uint32_t t = 0; t < threads; t++) {
        step_vec *part = &s->part[t];
        add_step(part, AU_OP_BEGIN, 0);
        add_step(part, AU_OP_ACQ, t);
        add_step(part, AU_OP_READ, 0);
        part->at[2].gate = CLAIM;
        add_step(part, AU_OP_WRITE, 0);
        part->at[3].after = UNCLAIM;
        add_step(part, AU_OP_REL, t);
        add_step(part, AU_OP_END, 0);
    }
    return ready(g, s, threads, 0, 1);
}
