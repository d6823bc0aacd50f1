/* linear/misuse.c: wrong uses of synchronisation objects. */
#include "linear/misuse.h"

#include "base/hash.h"

typedef struct {
    uint32_t lock;
    au_event_ref at;
} taken;

typedef struct {
    uint64_t events;
    AU_VEC(taken) taken;  /* the locks it holds, where the outermost hold began */
    au_event_ref req;     /* its last request */
    au_event_ref stopped; /* wait or arrive that it is in; index 0: none */
    uint32_t waits_with;  /* the lock it gave up for that wait */
    uint32_t released;    /* its last rel */
    bool ended, detached;
} user;

typedef struct {
    uint32_t holders;  /* threads that hold it */
    uint32_t waiting;  /* threads stopped at it */
    uint32_t requests; /* threads whose last lock event was a request for it */
    bool made, destroyed, recursive;
} object;

struct au_misuse {
    const au_names *names;
    au_findings *out;
    au_found_fn *found;
    void *ctx;
    au_held *held;
    AU_VEC(user) thread;
    AU_VEC(object) object;
    au_map told;
};

/* What is not a wrong use but a thread that waits for good. */
static const char waits_for_ended[] = "lock requested that an ended thread holds";
static const char destroyed_held[] = "lock destroyed while held";

/* "…: 'T1' acquired it (12)" */
static const char *with_other(au_misuse *m, const char *what, const au_event_ref *other) {
    const char *verb = "acquired it";
    if (other->op == AU_OP_REQ)
        verb = "asked for it";
    else if (other->op == AU_OP_WAIT || other->op == AU_OP_ARRIVE)
        verb = "waits";
    char *s =
        au_sprintf("%s: '%s' %s", what, au_intern_str(&m->names->thread, other->thread), verb);
    if (other->loc != AU_NONE) {
        char *t = other->loc < AU_LOC_NAMED
                      ? au_sprintf("%s (%u)", s, other->loc)
                      : au_sprintf("%s (%s)", s,
                                   au_intern_str(&m->names->loc, other->loc - AU_LOC_NAMED));
        free(s);
        s = t;
    }
    const char *own = au_arena_strndup(&m->out->arena, s, strlen(s));
    free(s);
    return own;
}

static void tell(au_misuse *m, const char *what, const au_event_ref *e, const au_event_ref *other,
                 uint32_t obj, au_why why) {
    uint64_t key = au_hash_join(au_hash_join(au_hash_bytes(what, strlen(what)), obj),
                                au_key2(e->thread, e->loc));
    bool fresh;
    au_map_put(&m->told, key, &fresh);
    if (!fresh)
        return;
    au_finding *f =
        au_findings_add(m->out, what == waits_for_ended ? AU_KIND_DEADLOCK : AU_KIND_MISUSE, 1);
    f->event[0] = *e;
    f->obj = obj;
    f->detail = other ? with_other(m, what, other) : what;
    au_finding_because(f, why);
    if (m->found)
        m->found(m->ctx, f);
}

static taken *find_taken(user *u, uint32_t lock) {
    for (size_t i = u->taken.n; i-- > 0;)
        if (u->taken.at[i].lock == lock)
            return &u->taken.at[i];
    return NULL;
}

static void drop(user *u, taken *t) {
    *t = au_vec_pop(&u->taken);
}

/* Someone's event with which the object is in use, or NULL. */
static const au_event_ref *holder_of(au_misuse *m, uint32_t obj) {
    for (size_t t = 0; m->object.at[obj].holders && t < m->thread.n; t++) {
        taken *k = find_taken(&m->thread.at[t], obj);
        if (k)
            return &k->at;
    }
    return NULL;
}

static const au_event_ref *stopped_at(const au_misuse *m, uint32_t obj) {
    for (size_t t = 0; m->object.at[obj].waiting && t < m->thread.n; t++) {
        const user *u = &m->thread.at[t];
        if (u->stopped.index && u->stopped.obj == obj)
            return &u->stopped;
    }
    return NULL;
}

static const au_event_ref *requester_of(const au_misuse *m, uint32_t obj) {
    for (size_t t = 0; m->object.at[obj].requests && t < m->thread.n; t++) {
        const user *u = &m->thread.at[t];
        if (u->req.index && u->req.index == u->events && u->req.obj == obj)
            return &u->req;
    }
    return NULL;
}

static void destroy(au_misuse *m, const au_event_ref *e) {
    object *o = &m->object.at[e->obj];
    const au_event_ref *other;
    if (o->destroyed && o->made)
        tell(m, "object destroyed twice", e, NULL, e->obj, AU_WHY_HAPPENED);
    else if ((other = holder_of(m, e->obj)))
        tell(m, destroyed_held, e, other, e->obj, AU_WHY_HAPPENED);
    else if ((other = requester_of(m, e->obj)))
        tell(m, "lock destroyed while a thread waits for it", e, other, e->obj, AU_WHY_HAPPENED);
    else if ((other = stopped_at(m, e->obj)))
        tell(m,
             other->op == AU_OP_WAIT ? "condition destroyed while a thread waits"
                                     : "barrier destroyed while a thread waits",
             e, other, e->obj, AU_WHY_HAPPENED);
    o->destroyed = true;
}

static void make(au_misuse *m, const au_event_ref *e) {
    object *o = &m->object.at[e->obj];
    const au_event_ref *other = holder_of(m, e->obj);
    if (other && !o->destroyed)
        tell(m, "lock made anew while held", e, other, e->obj, AU_WHY_HAPPENED);
    for (size_t t = 0; o->holders && t < m->thread.n; t++) {
        taken *k = find_taken(&m->thread.at[t], e->obj);
        if (k)
            drop(&m->thread.at[t], k);
    }
    au_held_step(m->held, e->thread, e->op, e->obj);
    o->holders = 0;
    o->made = true;
    o->destroyed = false;
}

static void lock_event(au_misuse *m, user *u, const au_event_ref *e) {
    object *o = &m->object.at[e->obj];
    uint32_t before = au_held_set(m->held, e->thread);
    switch (au_held_step(m->held, e->thread, e->op, e->obj)) {
    case AU_HELD_TAKEN:
    case AU_HELD_TAKEN_SHARED:
        o->holders++;
        au_vec_push(&u->taken, ((taken){e->obj, *e}));
        break;
    case AU_HELD_GIVEN:
    case AU_HELD_GIVEN_SHARED: {
        taken *k = find_taken(u, e->obj);
        AU_BUG_IF(!k);
        drop(u, k);
        o->holders--;
        break;
    }
    case AU_HELD_SAME:
        if (e->op == AU_OP_ACQ && before != AU_HELD_NONE && find_taken(u, e->obj))
            o->recursive = true;
        break;
    }
    if (e->op == AU_OP_REL)
        u->released = e->obj;
}

/* A thread has ended: what does it hold? Robust mutexes are for threads that do. */
static void ends(au_misuse *m, user *u, const au_event_ref *e) {
    if (u->ended)
        return;
    u->ended = true;
    for (size_t i = 0; i < u->taken.n; i++)
        if (!m->object.at[u->taken.at[i].lock].destroyed &&
            !au_sync_is_robust(au_names_sync(m->names, u->taken.at[i].lock)))
            tell(m, "lock held at thread exit", e, &u->taken.at[i].at, u->taken.at[i].lock,
                 AU_WHY_HAPPENED);
}

static void wait(au_misuse *m, user *u, const au_event_ref *e) {
    if (find_taken(u, u->released))
        tell(m, "recursive lock held through a condition wait", e, NULL, u->released,
             AU_WHY_HAPPENED);
    for (size_t t = 0; m->object.at[e->obj].waiting && t < m->thread.n; t++) {
        const user *v = &m->thread.at[t];
        if (v->stopped.index && v->stopped.obj == e->obj && v->waits_with != u->released)
            tell(m, "condition used with two locks at once", e, &v->stopped, e->obj,
                 AU_WHY_HAPPENED);
    }
    u->waits_with = u->released;
}

static void stop_at(au_misuse *m, user *u, const au_event_ref *e) {
    u->stopped = *e;
    m->object.at[e->obj].waiting++;
}

static void go_on(au_misuse *m, user *u) {
    if (u->stopped.index)
        m->object.at[u->stopped.obj].waiting--;
    u->stopped.index = 0;
}

/* The recorder saw an operation that is an error; it had no effect. */
static void refused(au_misuse *m, const au_event_ref *e, int64_t what) {
    user *u = &m->thread.at[e->thread];
    const au_event_ref *other = NULL;
    const taken *own = find_taken(u, e->obj);
    switch (what) {
    case AU_LOCKERR_DOUBLE:
        tell(m, "lock acquired again by its holder", e, own ? &own->at : NULL, e->obj,
             AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_NOT_OWNER:
        other = holder_of(m, e->obj);
        tell(m, "unlock of a lock not held", e, other, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_WAIT:
        tell(m, "wait on a condition without its lock", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_DESTROY:
        other = holder_of(m, e->obj);
        if (!other)
            other = stopped_at(m, e->obj);
        tell(m, "object destroyed while in use", e, other, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_DESTROYED:
        tell(m, "use of a destroyed object", e, NULL, e->obj, AU_WHY_HAPPENED);
        m->object.at[e->obj].made = false; /* once is enough, as for other uses */
        break;
    case AU_LOCKERR_JOINED:
        tell(m, "join of a thread that was joined", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_JOIN_DETACHED:
        tell(m, "join of a detached thread", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_JOIN_ITSELF:
        tell(m, "join of a thread by itself", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_DETACHED:
        tell(m, "detach of a thread that was detached or joined", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    case AU_LOCKERR_CANCELLED:
        tell(m, "cancellation of a thread that is gone", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    default:
        tell(m, "lock operation that is an error", e, NULL, e->obj, AU_WHY_HAPPENED);
        break;
    }
}

static void event(au_misuse *m, const au_event_ref *e) {
    user *u = &m->thread.at[e->thread];
    bool of_object = au_op_space(e->op) == AU_WIRE_SPACE_LOCK;
    if (u->req.index) {
        m->object.at[u->req.obj].requests--;
        u->req.index = 0;
    }
    if (of_object && e->op != AU_OP_INIT && e->op != AU_OP_DESTROY) {
        object *o = &m->object.at[e->obj];
        if (o->destroyed && o->made) {
            tell(m, "use of a destroyed object", e, NULL, e->obj, AU_WHY_HAPPENED);
            o->made = false; /* once is enough, until it is made anew */
        }
    }
    switch (e->op) {
    case AU_OP_REQ:
        u->req = *e;
        m->object.at[e->obj].requests++;
        break;
    case AU_OP_DESTROY:
        destroy(m, e);
        break;
    case AU_OP_INIT:
        make(m, e);
        break;
    case AU_OP_WAIT:
        wait(m, u, e);
        stop_at(m, u, e);
        break;
    case AU_OP_ARRIVE:
        stop_at(m, u, e);
        break;
    case AU_OP_WAKE:
    case AU_OP_LEAVE:
        go_on(m, u);
        break;
    case AU_OP_EXIT:
        ends(m, u, e);
        break;
    case AU_OP_DETACH:
        m->thread.at[e->obj].detached = true;
        break;
    case AU_OP_JOIN:
        if (m->thread.at[e->obj].detached)
            tell(m, "join of a detached thread", e, NULL, AU_NONE, AU_WHY_HAPPENED);
        ends(m, &m->thread.at[e->obj], e);
        break;
    default:
        if (of_object)
            lock_event(m, u, e);
        break;
    }
}

au_misuse *au_misuse_new(const au_names *names, au_findings *f, au_found_fn *found, void *ctx) {
    au_misuse *m = AU_NEW(au_misuse);
    m->names = names;
    m->out = f;
    m->found = found;
    m->ctx = ctx;
    m->held = au_held_new(names);
    au_map_init(&m->told);
    return m;
}

void au_misuse_free(au_misuse *m) {
    if (!m)
        return;
    for (size_t t = 0; t < m->thread.n; t++)
        au_vec_release(&m->thread.at[t].taken);
    au_vec_release(&m->thread);
    au_vec_release(&m->object);
    au_map_release(&m->told);
    au_held_free(m->held);
    free(m);
}

void au_misuse_block(au_misuse *m, const au_block *b) {
    while (m->thread.n < m->names->thread.n)
        *au_vec_add(&m->thread) = (user){0};
    while (m->object.n < m->names->lock.n)
        *au_vec_add(&m->object) = (object){0};
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        uint64_t index = ++m->thread.at[b->thread[i]].events;
        if (au_op_is_access(op) || op == AU_OP_BEGIN || op == AU_OP_END || au_op_is_call(op))
            continue;
        au_event_ref e = {b->first + i, index, b->obj[i], b->loc[i], b->thread[i], op};
        if (op == AU_OP_LOCKERR)
            refused(m, &e, au_block_has_value(b, i) ? b->value[i] : 0);
        else
            event(m, &e);
    }
}

/* A request that nothing followed, for a lock that will not be given. */
static void last_request(au_misuse *m, user *u) {
    const taken *own = find_taken(u, u->req.obj);
    uint8_t kind = au_names_sync(m->names, u->req.obj).kind;
    if (own && !m->object.at[u->req.obj].recursive) {
        if (kind == AU_WIRE_OBJ_LOCK || kind == AU_WIRE_OBJ_SPIN)
            tell(m, "lock requested by its holder", &u->req, &own->at, u->req.obj, AU_WHY_HAPPENED);
        else if (kind == AU_WIRE_OBJ_UNKNOWN)
            tell(m, "lock requested by its holder", &u->req, &own->at, u->req.obj,
                 AU_WHY_RECURSIVE);
    }
    for (size_t t = 0; !own && m->object.at[u->req.obj].holders && t < m->thread.n; t++) {
        user *v = &m->thread.at[t];
        const taken *k = v->ended ? find_taken(v, u->req.obj) : NULL;
        /* a request has no mode, and a reader in the way of a writer may be none for it */
        if (k && k->at.op != AU_OP_RDACQ)
            tell(m, waits_for_ended, &u->req, &k->at, u->req.obj, AU_WHY_HAPPENED);
    }
}

void au_misuse_finish(au_misuse *m) {
    for (size_t t = 0; t < m->thread.n; t++) {
        user *u = &m->thread.at[t];
        if (u->req.index && u->req.index == u->events)
            last_request(m, u);
    }
}

/* What the checker knows to be shown by a schedule. */
static bool can_be_shown(const au_finding *f) {
    switch (f->event[0].op) {
    case AU_OP_DESTROY:
        return !strncmp(f->detail, destroyed_held, sizeof destroyed_held - 1);
    case AU_OP_EXIT:
    case AU_OP_REQ:
    case AU_OP_LOCKERR: /* a call that failed: only an execution shows it */
        return true;
    default:
        return false;
    }
}

void au_misuse_schedule(const au_trace *t, au_finding *f, au_arena *arena, uint32_t max_turns) {
    const uint16_t *thread = t->events.thread;
    uint64_t end = f->event[0].number;
    uint32_t turns = 0;
    f->schedule = (au_schedule){0};
    if (!can_be_shown(f))
        return;
    for (uint64_t i = 0; i < end; i++) {
        turns += !i || thread[i] != thread[i - 1];
        if (turns > max_turns)
            return;
    }
    au_turn *turn = AU_ARENA_ARRAY(arena, au_turn, turns);
    uint64_t *upto = au_alloc_array(t->names.thread.n, sizeof *upto);
    uint32_t n = 0;
    for (uint64_t i = 0; i < end; i++) {
        upto[thread[i]]++;
        if (i + 1 == end || thread[i + 1] != thread[i])
            turn[n++] = (au_turn){.upto = upto[thread[i]], .thread = thread[i]};
    }
    free(upto);
    f->schedule = (au_schedule){turn, n};
}
