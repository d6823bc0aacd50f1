/* tests/random/gen_twin.c: see gen_twin.h. */
#include "gen_twin.h"

#include "base/rng.h"

#include <stdarg.h>
#include <stdio.h>

typedef enum {
    LOCAL,  /* x = e */
    READ,   /* x = shared */
    WRITE,  /* shared = e */
    ADD,    /* x = atomic, atomic += constant */
    CAS,    /* x = atomic == constant, if so atomic = constant2 */
    IF,     /* e, a, b */
    LOOP,   /* constant times a */
    ASSERT, /* e */
    LOCK,   /* lock 'shared' around a */
    TRY,    /* taken: a and unlock; else b */
    WAIT,   /* the semaphore */
    POST,
    SPIN, /* on the atomic integer: one of SPIN_… */
} kind;

enum {
    SPIN_READ,  /* until it is constant; x = it */
    SPIN_TWO,   /* until it is constant, and then g0 constant2 */
    SPIN_LOCAL, /* until it is x */
    SPIN_CAS,   /* until it was constant; it is constant2 then */
    SPIN_SET,   /* until it was 0; it is 1 then, and after each round */
    SPIN_COUNT, /* twice at most, until it is constant: x = rounds. No waiting */
    SPIN_FORMS
};

typedef struct expr {
    char op; /* 'x': local, 'n': number, else the operator; '=' '!' 'l' for == != <= */
    int32_t value;
    const struct expr *a, *b;
} expr;

struct twin_statement {
    kind kind;
    uint32_t number, local, shared;
    int32_t constant, constant2;
    const expr *e;
    uint8_t back; /* SPIN: what a failed round does besides */
    twin_statement *a, *b, *next;
    bool out; /* left out */
};

typedef struct {
    au_rng r;
    twin *t;
    const twin_plan *plan;
    uint32_t depth, loops, budget; /* budget: shared accesses that the thread may still have */
    unsigned held;
    bool branches; /* the thread has decided something already */
} gen;

static uint32_t pick(gen *g, uint32_t n) {
    return au_rng_below(&g->r, n);
}
static bool one_in(gen *g, uint32_t n) {
    return pick(g, n) == 0;
}

/* --- making ------------------------------------------------------------------------------- */

static const expr *make_expr(gen *g, char op, int32_t value, const expr *a, const expr *b) {
    expr *e = au_arena_alloc(&g->t->arena, sizeof *e);
    *e = (expr){op, value, a, b};
    return e;
}

static const expr *leaf(gen *g) {
    if (one_in(g, 3))
        return make_expr(g, 'n', (int32_t)pick(g, 4), NULL, NULL);
    return make_expr(g, 'x', (int32_t)pick(g, TWIN_LOCALS), NULL, NULL);
}

static const expr *value(gen *g) {
    static const char ops[] = "+-*&|^";
    const expr *a = leaf(g);
    if (one_in(g, 2))
        return a;
    return make_expr(g, ops[pick(g, sizeof ops - 1)], 0, a, leaf(g));
}

/* Something that a thread decides by. */
static const expr *condition(gen *g, uint32_t local) {
    static const char ops[] = "<>l=!";
    const expr *a = make_expr(g, 'x', (int32_t)local, NULL, NULL);
    if (one_in(g, 4))
        a = make_expr(g, '+', 0, a, leaf(g));
    return make_expr(g, ops[pick(g, sizeof ops - 1)], 0, a,
                     one_in(g, 4) ? leaf(g) : make_expr(g, 'n', (int32_t)pick(g, 4), NULL, NULL));
}

static twin_statement *make(gen *g, kind k) {
    twin_statement *s = au_arena_alloc(&g->t->arena, sizeof *s);
    *s = (twin_statement){.kind = k, .number = g->t->statements++};
    s->out = g->plan->drop && s->number < g->plan->n_drop && g->plan->drop[s->number];
    return s;
}

static twin_statement *make_block(gen *g, uint32_t most);

static twin_statement *make_access(gen *g) {
    twin *t = g->t;
    if (t->atomic && one_in(g, 3)) {
        twin_statement *s = make(g, one_in(g, 2) ? ADD : CAS);
        s->local = pick(g, TWIN_LOCALS);
        s->constant = (int32_t)pick(g, 3) + (s->kind == ADD);
        s->constant2 = (int32_t)pick(g, 4);
        return s;
    }
    twin_statement *s = make(g, one_in(g, 3) ? READ : WRITE);
    s->shared = pick(g, t->shared + (t->atomic ? 1 : 0));
    if (s->shared == t->shared)
        s->shared = TWIN_SHARED; /* the atomic one */
    s->local = pick(g, TWIN_LOCALS);
    s->e = value(g);
    return s;
}

/* A read and a branch on what it saw: 'if' alone would mostly be decided already. */
static twin_statement *make_if(gen *g) {
    twin_statement *r = make_access(g);
    r->kind = r->kind == WRITE ? READ : r->kind;
    twin_statement *s = make(g, IF);
    r->next = s;
    s->e = condition(g, r->local);
    g->depth++;
    s->a = make_block(g, 2);
    s->b = one_in(g, 3) ? NULL : make_block(g, 2);
    g->depth--;
    return r;
}

static twin_statement *make_assert(gen *g) {
    twin_statement *r = make_access(g);
    r->kind = r->kind == WRITE ? READ : r->kind;
    twin_statement *s = make(g, ASSERT);
    s->shared = g->t->asserts++;
    /* One that mostly holds: a run that fails at once tells nothing about what comes later. */
    s->e = make_expr(g, '!', 0, make_expr(g, 'x', (int32_t)r->local, NULL, NULL),
                     one_in(g, 4) ? value(g) : make_expr(g, 'n', (int32_t)pick(g, 7), NULL, NULL));
    s->out |= r->out;
    r->next = s;
    return r;
}

static twin_statement *make_lock(gen *g) {
    twin_statement *s = make(g, LOCK);
    s->shared = pick(g, 2);
    if (!g->t->lock[s->shared])
        s->shared = !s->shared;
    unsigned bit = 1u << s->shared;
    if (g->held & bit)
        return NULL;
    /* Taken in one order, mostly. */
    if (s->shared == 0 && (g->held & 2) && !one_in(g, 3))
        return NULL;
    g->held |= bit;
    g->depth++;
    s->a = make_block(g, 3);
    g->depth--;
    g->held &= ~bit;
    return s;
}

static twin_statement *make_try(gen *g) {
    if (g->held & 4)
        return NULL;
    twin_statement *s = make(g, TRY);
    g->depth++;
    g->held |= 4;
    s->a = make_block(g, 2);
    g->held &= ~4u;
    s->b = make_block(g, 1);
    g->depth--;
    return s;
}

static twin_statement *make_loop(gen *g) {
    twin_statement *s = make(g, LOOP);
    s->constant = 2;
    g->loops++;
    g->depth++;
    uint32_t budget = g->budget / 2;
    g->budget = budget;
    s->a = make_block(g, 2);
    g->budget = g->budget > budget ? 0 : 2 * g->budget;
    g->depth--;
    g->loops--;
    return s;
}

static twin_statement *make_spin(gen *g) {
    twin_statement *s = make(g, SPIN);
    s->shared = pick(g, SPIN_FORMS);
    s->local = pick(g, TWIN_LOCALS);
    s->constant = one_in(g, 2) ? g->t->initial[TWIN_SHARED] : (int32_t)pick(g, 3);
    s->constant2 = s->shared == SPIN_TWO && one_in(g, 2) ? g->t->initial[0] : (int32_t)pick(g, 4);
    s->back = (uint8_t)pick(g, 3);
    return s;
}

static twin_statement *make_statement(gen *g) {
    twin *t = g->t;
    bool deep = g->depth >= 2;
    if (t->spins && one_in(g, 6))
        return make_spin(g);
    switch (pick(g, 16)) {
    case 0:
    case 1:
    case 2:
        return deep ? make_access(g) : make_if(g);
    case 3:
        return t->asserts < TWIN_ASSERTS - 1 ? make_assert(g) : NULL;
    case 4:
    case 5:
        return deep || !(t->lock[0] || t->lock[1]) ? NULL : make_lock(g);
    case 6:
        return deep || !t->try_lock ? NULL : make_try(g);
    case 7:
        return deep || g->loops ? NULL : make_loop(g);
    case 8:
        return t->sem ? make(g, one_in(g, 2) ? WAIT : POST) : NULL;
    case 9: {
        twin_statement *s = make(g, LOCAL);
        s->local = pick(g, TWIN_LOCALS);
        s->e = value(g);
        return s;
    }
    default:
        return make_access(g);
    }
}

static uint32_t accesses(const twin_statement *s) {
    uint32_t n = 0;
    for (; s; s = s->next) {
        uint32_t a = accesses(s->a), b = accesses(s->b);
        switch (s->kind) {
        case IF:
            n += a > b ? a : b;
            break;
        case LOOP:
            n += (uint32_t)s->constant * a;
            break;
        case LOCK:
            n += 2 + a;
            break;
        case TRY:
            n += 2 + (a > b ? a : b);
            break;
        case LOCAL:
        case ASSERT:
            break;
        case SPIN:
            n += s->shared == SPIN_SET ? 3 : 2;
            break;
        default:
            n++;
        }
    }
    return n;
}

static twin_statement *make_block(gen *g, uint32_t most) {
    twin_statement *first = NULL, **to = &first;
    uint32_t n = 1 + pick(g, most);
    for (uint32_t i = 0, tries = 0; i < n && g->budget && tries < 8; tries++) {
        uint32_t before = g->budget;
        twin_statement *s = make_statement(g);
        i += s != NULL;
        uint32_t used = accesses(s);
        g->budget = before > used ? before - used : 0;
        *to = s;
        while (*to)
            to = &(*to)->next;
    }
    return first;
}

twin *twin_make(const twin_plan *p) {
    twin *t = au_alloc(sizeof *t);
    *t = (twin){0};
    au_arena_init(&t->arena);
    gen g = {.t = t, .plan = p};
    au_rng_init(&g.r, p->seed);
    t->threads = one_in(&g, 3) ? 4 : 3;
    t->shared = one_in(&g, 4) ? 3 : 1 + pick(&g, 2);
    t->atomic = one_in(&g, 2);
    t->lock[0] = one_in(&g, 2);
    t->lock[1] = t->lock[0] && one_in(&g, 2);
    t->try_lock = one_in(&g, 3);
    t->sem = one_in(&g, 3);
    t->count = pick(&g, 2);
    t->looks = one_in(&g, 2);
    t->spins = t->atomic && one_in(&g, 2);
    for (uint32_t i = 0; i <= TWIN_SHARED; i++)
        t->initial[i] = (int32_t)pick(&g, 3);
    for (uint32_t i = 1; i < t->threads; i++) {
        g.budget = t->threads == 4 ? 4 + p->size : 6 + p->size;
        if (one_in(&g, 4)) {
            t->body[i] = make_block(&g, p->size + 1);
        } else { /* something to see for the others, and something to decide */
            twin_statement *w = make_access(&g), *d = make_if(&g);
            bool first = one_in(&g, 2);
            t->body[i] = first ? w : d;
            twin_statement *last = t->body[i];
            while (last->next)
                last = last->next;
            last->next = first ? d : w;
            while (last->next)
                last = last->next;
            uint32_t used = accesses(t->body[i]);
            g.budget = g.budget > used ? g.budget - used : 0;
            last->next = make_block(&g, p->size);
        }
    }
    g.budget = 2;
    t->body[0] = make_assert(&g); /* of the main thread, when all others have ended */
    return t;
}

void twin_free(twin *t) {
    if (!t)
        return;
    au_arena_release(&t->arena);
    free(t);
}

/* --- printing ----------------------------------------------------------------------------- */

typedef struct {
    twin *t;
    twin_text *out;
    uint32_t number, thread, indent;
    uint32_t *line;     /* of C */
    char round[40];     /* of .ctp: "_0_1" */
    uint32_t temporary; /* of .ctp */
} printer;

static void put_args(twin_text *out, const char *fmt, va_list ap) {
    char line[512];
    int n = vsnprintf(line, sizeof line, fmt, ap);
    if (n > (int)sizeof line - 1)
        abort();
    au_vec_append(out, line, (size_t)n);
}

static void put(printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(printer *p, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    put_args(p->out, fmt, ap);
    va_end(ap);
}

/* A whole line. */
static void say(printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(printer *p, const char *fmt, ...) {
    put(p, "%*s", (int)(4 * p->indent), "");
    va_list ap;
    va_start(ap, fmt);
    put_args(p->out, fmt, ap);
    va_end(ap);
    put(p, "\n");
    if (p->line)
        ++*p->line;
}

typedef struct {
    char text[200];
} phrase;

/* The same in both languages. */
static phrase in_words(const expr *e) {
    phrase w;
    char op[3] = {e->op, 0, 0};
    if (e->op == 'x') {
        snprintf(w.text, sizeof w.text, "x%d", e->value);
    } else if (e->op == 'n') {
        snprintf(w.text, sizeof w.text, "%d", e->value);
    } else {
        if (e->op == 'l')
            op[0] = '<', op[1] = '=';
        else if (e->op == '=' || e->op == '!')
            op[1] = '=';
        phrase a = in_words(e->a), b = in_words(e->b);
        snprintf(w.text, sizeof w.text, "(%.90s %s %.90s)", a.text, op, b.text);
    }
    return w;
}

static phrase shared_name(const printer *p, uint32_t shared) {
    phrase w;
    if (p->line)
        snprintf(w.text, sizeof w.text, shared == TWIN_SHARED ? "p%u_a" : "p%u_g%u", p->number,
                 shared);
    else
        snprintf(w.text, sizeof w.text, shared == TWIN_SHARED ? "a" : "g%u", shared);
    return w;
}

static void c_block(printer *p, const twin_statement *s);

static void c_side(printer *p, const twin_statement *s, int side) {
    p->indent++;
    say(p, "way = 2 * way + %d;", side);
    say(p, "p%u_way[%u] = way;", p->number, p->thread);
    c_block(p, s);
    p->indent--;
}

static void c_spin(printer *p, const twin_statement *s) {
    static const char *const backs[] = {";", "sched_yield();", "__asm__ volatile(\"pause\");"};
    const char *back = backs[s->back];
    uint32_t n = p->number, x = s->local;
    switch (s->shared) {
    case SPIN_READ:
        say(p, "while ((x%u = atomic_load(&p%u_a)) != %d) { %s }", x, n, s->constant, back);
        break;
    case SPIN_TWO:
        say(p, "while (atomic_load(&p%u_a) != %d || *(volatile int *)&p%u_g0 != %d) { %s }", n,
            s->constant, n, s->constant2, back);
        break;
    case SPIN_LOCAL:
        say(p, "while (atomic_load(&p%u_a) != x%u) { %s }", n, x, back);
        break;
    case SPIN_CAS:
        say(p, "expected = %d;", s->constant);
        say(p, "while (!atomic_compare_exchange_strong(&p%u_a, &expected, %d)) { %s", n,
            s->constant2, back);
        say(p, "    expected = %d; }", s->constant);
        break;
    case SPIN_SET:
        say(p, "while (atomic_exchange(&p%u_a, 1)) { %s }", n, back);
        break;
    default:
        say(p, "x%u = 0;", x);
        say(p, "while (x%u < 2 && atomic_load(&p%u_a) != %d) { x%u++; %s }", x, n, s->constant, x,
            back);
        break;
    }
}

static void c_statement(printer *p, const twin_statement *s) {
    uint32_t n = p->number, x = s->local;
    phrase e = {""}, v = shared_name(p, s->shared);
    if (s->e)
        e = in_words(s->e);
    switch (s->kind) {
    case LOCAL:
        say(p, "x%u = %s;", x, e.text);
        break;
    case READ:
        say(p, "x%u = %s;", x, v.text);
        break;
    case WRITE:
        say(p, "%s = %s;", v.text, e.text);
        break;
    case ADD:
        say(p, "x%u = atomic_fetch_add(&p%u_a, %d);", x, n, s->constant);
        break;
    case CAS:
        say(p, "expected = %d;", s->constant);
        say(p, "x%u = atomic_compare_exchange_strong(&p%u_a, &expected, %d);", x, n, s->constant2);
        break;
    case IF:
        say(p, "if (%s) {", e.text);
        c_side(p, s->a, 1);
        say(p, "} else {");
        c_side(p, s->b, 0);
        say(p, "}");
        break;
    case LOOP:
        say(p, "for (int i = 0; i < %d; i++) {", s->constant);
        p->indent++;
        c_block(p, s->a);
        p->indent--;
        say(p, "}");
        break;
    case ASSERT:
        p->t->line[s->shared] = *p->line;
        say(p, "assert(%s);", e.text);
        break;
    case LOCK:
        say(p, "pthread_mutex_lock(&p%u_m%u);", n, s->shared);
        c_block(p, s->a);
        say(p, "pthread_mutex_unlock(&p%u_m%u);", n, s->shared);
        break;
    case TRY:
        say(p, "if (pthread_mutex_trylock(&p%u_t) == 0) {", n);
        c_side(p, s->a, 1);
        p->indent++;
        say(p, "pthread_mutex_unlock(&p%u_t);", n);
        p->indent--;
        say(p, "} else {");
        c_side(p, s->b, 0);
        say(p, "}");
        break;
    case WAIT:
        say(p, "sem_wait(&p%u_s);", n);
        break;
    case POST:
        say(p, "sem_post(&p%u_s);", n);
        break;
    case SPIN:
        c_spin(p, s);
        break;
    }
}

static void c_block(printer *p, const twin_statement *s) {
    for (; s; s = s->next)
        if (!s->out)
            c_statement(p, s);
}

static void c_locals(printer *p) {
    say(p, "int x0 = %u, x1 = 1, x2 = 2, expected = 0, way = 1;", p->thread);
    say(p, "(void)x0, (void)x1, (void)x2, (void)expected, (void)way;");
}

void twin_c(twin *t, uint32_t number, twin_text *out, uint32_t *line) {
    printer p = {.t = t, .out = out, .number = number, .line = line};
    for (uint32_t i = 0; i < t->shared; i++)
        say(&p, "static int p%u_g%u = %d;", number, i, t->initial[i]);
    say(&p, "static int p%u_way[%u];", number, t->threads);
    say(&p, "static atomic_int p%u_a = %d;", number, t->initial[TWIN_SHARED]);
    say(&p, "static pthread_mutex_t p%u_m0 = PTHREAD_MUTEX_INITIALIZER;", number);
    say(&p, "static pthread_mutex_t p%u_m1 = PTHREAD_MUTEX_INITIALIZER;", number);
    say(&p, "static pthread_mutex_t p%u_t = PTHREAD_MUTEX_INITIALIZER;", number);
    say(&p, "static sem_t p%u_s;", number);
    for (uint32_t i = 1; i < t->threads; i++) {
        p.thread = i;
        say(&p, "static void *p%u_t%u(void *unused) {", number, i);
        p.indent++;
        c_locals(&p);
        c_block(&p, t->body[i]);
        say(&p, "return unused;");
        p.indent--;
        say(&p, "}");
    }
    p.thread = 0;
    say(&p, "static void p%u_main(void) {", number);
    p.indent++;
    c_locals(&p);
    say(&p, "pthread_t t[%u];", t->threads);
    if (t->sem)
        say(&p, "sem_init(&p%u_s, 0, %u);", number, t->count);
    for (uint32_t i = 1; i < t->threads; i++)
        say(&p, "pthread_create(&t[%u], NULL, p%u_t%u, NULL);", i, number, i);
    for (uint32_t i = 1; t->looks && i < t->threads; i++)
        say(&p, "x0 = p%u_way[%u];", number, i);
    if (t->spins) { /* what nobody else ever writes is not followed, and who waits for it is stopped */
        say(&p, "x0 = atomic_fetch_add(&p%u_a, 0);", number);
        say(&p, "x0 = p%u_g0;", number);
        say(&p, "p%u_g0 = x0;", number);
    }
    for (uint32_t i = 1; i < t->threads; i++)
        say(&p, "pthread_join(t[%u], NULL);", i);
    c_block(&p, t->body[0]);
    p.indent--;
    say(&p, "}");
}

void twin_c_head(twin_text *out, uint32_t *line) {
    *line = 1;
    printer p = {.out = out, .line = line};
    say(&p, "#include <assert.h>");
    say(&p, "#include <pthread.h>");
    say(&p, "#include <sched.h>");
    say(&p, "#include <semaphore.h>");
    say(&p, "#include <stdatomic.h>");
    say(&p, "#include <stdlib.h>");
}

void twin_c_main(twin_text *out, uint32_t n) {
    printer p = {.out = out};
    put(&p, "int main(int argc, char **argv) {\n"
            "    static void (*const program[])(void) = {\n");
    for (uint32_t i = 0; i < n; i++)
        put(&p, "        p%u_main,\n", i);
    put(&p, "    };\n    program[argc > 1 ? atoi(argv[1]) : 0]();\n    return 0;\n}\n");
}

static void ctp_block(printer *p, const twin_statement *s);

static void ctp_side(printer *p, const twin_statement *s, int side) {
    p->indent++;
    say(p, "way := 2 * way + %d", side);
    say(p, "way%u := way", p->thread);
    ctp_block(p, s);
    p->indent--;
}

static void ctp_loop(printer *p, const twin_statement *s) {
    char round[sizeof p->round];
    memcpy(round, p->round, sizeof round);
    for (int i = 0; i < s->constant; i++) {
        snprintf(p->round, sizeof p->round, "%.24s_%d", round, i);
        ctp_block(p, s->a);
    }
    memcpy(p->round, round, sizeof round);
}

/* A failed round may be left out; so the loop is its last one, which comes when it does not fail. The exchange
 * also changes something where it is neither 0 nor 1: more often than that nobody can write in these programs. */
static void ctp_spin(printer *p, const twin_statement *s) {
    enum { MOST_SETS = 8 };
    uint32_t x = s->local;
    switch (s->shared) {
    case SPIN_READ:
        say(p, "[ assume a == %d; x%u := a ]", s->constant, x);
        break;
    case SPIN_TWO:
        say(p, "[ assume a == %d ]", s->constant);
        say(p, "[ assume g0 == %d ]", s->constant2);
        break;
    case SPIN_LOCAL:
        say(p, "[ assume a == x%u ]", x);
        break;
    case SPIN_CAS:
        say(p, "[ assume a == %d; a := %d ]", s->constant, s->constant2);
        break;
    case SPIN_SET:
        say(p, "[ assume a != 1; got := a; a := 1 ]");
        for (int i = 1; i < MOST_SETS; i++)
            say(p, "if (got != 0) { [ assume a != 1; got := a; a := 1 ] }");
        break;
    default:
        say(p, "x%u := 0", x);
        say(p, "[ got := a != %d ]", s->constant);
        say(p, "if (got) {");
        say(p, "    x%u := 1", x);
        say(p, "    [ got := a != %d ]", s->constant);
        say(p, "    if (got) { x%u := 2 }", x);
        say(p, "}");
        break;
    }
}

static void ctp_statement(printer *p, const twin_statement *s) {
    uint32_t x = s->local;
    phrase e = {""}, v = shared_name(p, s->shared);
    if (s->e)
        e = in_words(s->e);
    switch (s->kind) {
    case LOCAL:
        say(p, "x%u := %s", x, e.text);
        break;
    case READ:
        say(p, s->shared == TWIN_SHARED ? "[ x%u := %s ]" : "x%u := %s", x, v.text);
        break;
    case WRITE:
        say(p, s->shared == TWIN_SHARED ? "[ %s := %s ]" : "%s := %s", v.text, e.text);
        break;
    case ADD:
        say(p, "[ x%u := a; a := x%u + %d ]", x, x, s->constant);
        break;
    case CAS:
        say(p, "[ x%u := a == %d; a := x%u ? %d : a ]", x, s->constant, x, s->constant2);
        break;
    case IF:
        say(p, "if (%s) {", e.text);
        ctp_side(p, s->a, 1);
        say(p, "} else {");
        ctp_side(p, s->b, 0);
        say(p, "}");
        break;
    case LOOP:
        ctp_loop(p, s);
        break;
    case ASSERT:
        say(p, "a%u%s: assert %s", s->shared, p->round, e.text);
        break;
    case LOCK:
        say(p, "acq m%u", s->shared);
        ctp_block(p, s->a);
        say(p, "rel m%u", s->shared);
        break;
    case TRY:
        say(p, "[ got := t == 0; t := 1 ]");
        say(p, "if (got) {");
        ctp_side(p, s->a, 1);
        p->indent++;
        say(p, "[ t := 0 ]");
        p->indent--;
        say(p, "} else {");
        ctp_side(p, s->b, 0);
        say(p, "}");
        break;
    case WAIT:
        say(p, "acq s");
        break;
    case POST:
        say(p, "rel s");
        break;
    case SPIN:
        ctp_spin(p, s);
        break;
    }
}

static void ctp_block(printer *p, const twin_statement *s) {
    for (; s; s = s->next)
        if (!s->out)
            ctp_statement(p, s);
}

void twin_ctp(const twin *t, twin_text *out) {
    printer p = {.t = (twin *)(uintptr_t)t, .out = out};
    for (uint32_t i = 0; i < t->shared; i++)
        say(&p, "shared g%u = %d", i, t->initial[i]);
    for (uint32_t i = 0; i < t->threads; i++)
        say(&p, "shared way%u", i);
    say(&p, "shared a = %d, t", t->initial[TWIN_SHARED]);
    say(&p, "lock m0, m1");
    say(&p, "sem s = %u", t->sem ? t->count : 0);
    for (uint32_t i = 0; i < t->threads; i++) {
        p.thread = i;
        say(&p, "thread T%u {", i);
        p.indent++;
        say(&p, "local x0 = %u, x1 = 1, x2 = 2, got, way = 1", i);
        for (uint32_t k = 1; i == 0 && k < t->threads; k++)
            say(&p, "fork T%u", k);
        for (uint32_t k = 1; i == 0 && t->looks && k < t->threads; k++)
            say(&p, "x0 := way%u", k);
        if (i == 0 && t->spins) {
            say(&p, "[ x0 := a; a := x0 + 0 ]");
            say(&p, "x0 := g0");
            say(&p, "g0 := x0");
        }
        for (uint32_t k = 1; i == 0 && k < t->threads; k++)
            say(&p, "join T%u", k);
        ctp_block(&p, t->body[i]);
        p.indent--;
        say(&p, "}");
    }
}
