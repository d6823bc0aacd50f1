/* tests/lib/gen_model.c: see gen_model.h.
 *
 * A thread is a list of small idioms rather than of single statements: a critical
 * section, a check before a wait, a hand-over through a semaphore, a read and a
 * write with something between them. Statements at random would hardly ever get
 * past their first lock. */
#include "gen_model.h"

#include "base/hash.h"
#include "base/out.h"
#include "base/rng.h"
#include "base/vec.h"

#include <stdio.h>

enum { LOCK, RLOCK, RWLOCK, SEM, COND, BARRIER, KINDS };
#define LOCALS 3

typedef struct {
    au_rng r;
    au_gen_ctp_options o;
    au_out *out;
    unsigned threads, vars, n[KINDS];
    bool hand_over[8]; /* SEM: begins at 0 and carries a message */
    unsigned thread;   /* the one being written */
    unsigned indent;
    unsigned label;
    int room;       /* statements this thread may still have */
    unsigned known; /* locals of the thread that were assigned, as a bit set */
    unsigned held;  /* locks held, as a bit set over LOCK then RLOCK */
    bool in_atomic;
    bool forked[8];
    uint8_t width[32];           /* of shared variables */
    uint8_t local_width[LOCALS]; /* of the thread */
} gen;

au_gen_ctp_options au_gen_ctp_defaults(unsigned size) {
    return (au_gen_ctp_options){.threads = size < 3 ? 2 : 3,
                                .statements = 1 + 3 * size,
                                .vars = 2 + size / 3,
                                .locks = 2,
                                .rlocks = 1,
                                .rwlocks = 1,
                                .sems = 1,
                                .conds = 1,
                                .barriers = 1,
                                .depth = 2,
                                .arithmetic = 2,
                                .branches = true,
                                .blocks = true,
                                .asserts = true,
                                .assumes = true,
                                .forks = true,
                                .indivisible = true};
}

static unsigned below(gen *g, unsigned n) {
    return n ? au_rng_below(&g->r, n) : 0;
}
static bool chance(gen *g, unsigned of_100) {
    return below(g, 100) < of_100;
}

/* --- lines ------------------------------------------------------------------------- */

static void begin_line(gen *g) {
    for (unsigned i = 0; i < g->indent; i++)
        au_out_str(g->out, "  ");
}

__attribute__((format(printf, 2, 3))) static void line(gen *g, const char *fmt, ...) {
    char text[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    begin_line(g);
    au_out_str(g->out, text);
    au_out_char(g->out, '\n');
}

/* A statement, with a label of its own. */
__attribute__((format(printf, 2, 3))) static void stmt(gen *g, const char *fmt, ...) {
    char text[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    line(g, "t%u: %s", ++g->label, text);
    g->room--;
}

static void open_block(gen *g, const char *head) {
    line(g, "%s {", head);
    g->indent++;
}
static void close_block(gen *g, const char *tail) {
    g->indent--;
    line(g, "}%s", tail);
    if (*tail)
        g->indent++;
}

/* --- names and expressions ------------------------------------------------------------ */

typedef struct {
    char s[500];
    unsigned width; /* its own; 0: it takes any */
} text;

__attribute__((format(printf, 1, 2))) static text say(const char *fmt, ...) {
    text t;
    t.width = 0;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t.s, sizeof t.s, fmt, ap);
    va_end(ap);
    return t;
}

static text typed(text t, unsigned width) {
    t.width = width;
    return t;
}

static unsigned some_width(gen *g) {
    static const uint8_t often[] = {1, 8, 8, 16, 32, 32, 64, 64};
    return !g->o.widths ? 32 : chance(g, 75) ? often[below(g, 8)] : 1 + below(g, 64);
}

/* A name of another width, made this wide. */
static text cast(gen *g, text t, unsigned width) {
    if (!t.width || t.width == width)
        return t;
    if (t.width > width)
        return typed(say("extract(%.200s, %u, %u)", t.s,
                         chance(g, 70) ? 0 : below(g, t.width - width + 1), width),
                     width);
    return typed(say("%s(%.200s, %u)", chance(g, 50) ? "zext" : "sext", t.s, width), width);
}

static text shared(gen *g) {
    unsigned v = below(g, g->vars);
    return typed(v < 3 ? say("%c", "xyz"[v]) : say("v%u", v), g->width[v]);
}
static text local_name(const gen *g, unsigned i) {
    return typed(say("%c%u", "pqu"[i], g -> thread), g->local_width[i]);
}
/* A local to assign. */
static text local(gen *g) {
    unsigned i = below(g, LOCALS);
    g->known |= 1u << i;
    return local_name(g, i);
}
/* A local that something was assigned to. */
static bool known_local(gen *g, text *out) {
    unsigned i = below(g, LOCALS);
    for (unsigned k = 0; k < LOCALS; k++, i = (i + 1) % LOCALS)
        if (g->known >> i & 1) {
            *out = local_name(g, i);
            return true;
        }
    return false;
}
/* Constants that the branches and assertions of other threads ask for, too. */
static text constant(gen *g, unsigned width) {
    if (g->o.arithmetic > 1 && chance(g, 6)) {
        static const char *const odd[] = {"2147483647", "-2147483648", "-1", "31", "255"};
        if (width == 32)
            return say("%s", odd[below(g, 5)]);
        uint64_t top = UINT64_C(1) << (width - 1), mask = top | (top - 1);
        const uint64_t ends[] = {top, top - 1, mask, width & mask};
        return say("0x%llx", (unsigned long long)ends[below(g, 4)]);
    }
    return say("%u", below(g, 4) & (width == 1 ? 1u : 3u));
}

static text operand(gen *g, unsigned shared_reads, unsigned width) {
    unsigned pick = below(g, 10);
    text a;
    if (pick >= 8 && shared_reads)
        return cast(g, shared(g), width);
    if (pick >= 4 && known_local(g, &a))
        return cast(g, a, width);
    return shared_reads && pick >= 4 ? cast(g, shared(g), width) : constant(g, width);
}

/* The names of one width are compared with each other more often than by chance. */
static text comparison(gen *g, unsigned shared_reads) {
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    text a, b;
    if (!g->o.widths)
        b = operand(g, 0, 32);
    if (shared_reads || !known_local(g, &a))
        a = shared(g);
    if (g->o.widths) {
        b = operand(g, 0, a.width);
        if (chance(g, 20))
            return chance(g, 50)
                       ? say("(%s(%.100s, %.100s))", chance(g, 50) ? "ult" : "ule", a.s, b.s)
                       : say("(%s(%.100s, %.100s))", chance(g, 50) ? "ult" : "ule", b.s, a.s);
    }
    return say("(%s %s %s)", a.s, ops[below(g, 6)], strcmp(a.s, b.s) ? b.s : "1");
}

static text condition(gen *g, bool may_read) {
    unsigned reads = may_read && chance(g, 60);
    text a = comparison(g, reads);
    if (g->o.arithmetic > 1 && chance(g, 20)) {
        text b = comparison(g, may_read && chance(g, 30));
        return say("(%s %s %s)", a.s, chance(g, 50) ? "&&" : "||", b.s);
    }
    if (g->o.arithmetic > 1 && chance(g, 10))
        return say("(!%s)", a.s);
    return a;
}

static text expression(gen *g, unsigned shared_reads, unsigned depth, unsigned width) {
    static const char *const ops[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
    static const char *const words[] = {"udiv", "urem", "shl", "lshr", "ashr"};
    if (g->o.arithmetic == 0 || depth == 0 || chance(g, 35))
        return operand(g, shared_reads, width);
    if (g->o.arithmetic == 1 || chance(g, 55)) {
        text a = expression(g, shared_reads, depth - 1, width), b = constant(g, width);
        return say("(%.180s + %s)", a.s, b.s);
    }
    if (chance(g, 12)) {
        text a = expression(g, shared_reads, depth - 1, width);
        return say("(%s%.180s)", chance(g, 50) ? "~" : "-", a.s);
    }
    if (chance(g, 12)) {
        text c = comparison(g, shared_reads), a = operand(g, 0, width), b = operand(g, 0, width);
        return say("(%.180s ? %.120s : %.120s)", c.s, a.s, b.s);
    }
    if (chance(g, 15))
        return comparison(g, shared_reads);
    if (g->o.widths && width > 1 && chance(g, 10)) { /* a word of two parts */
        unsigned low = 1 + below(g, width - 1);
        text a = cast(g, shared_reads ? shared(g) : local(g), width - low), b = local(g);
        b = cast(g, b, low);
        return say("concat(%.180s, %.180s)", a.s, b.s);
    }
    text a = expression(g, shared_reads, depth - 1, width), b = expression(g, 0, depth - 1, width);
    if (g->o.widths && chance(g, 25))
        return say("%s(%.180s, %.180s)", words[below(g, 5)], a.s, b.s);
    return say("(%.180s %s %.180s)", a.s, ops[below(g, 10)], b.s);
}

/* --- plain statements -------------------------------------------------------------------- */

static void copy(gen *g, text to, text from) {
    text e = cast(g, from, to.width);
    stmt(g, "%s := %s", to.s, e.s);
}

static void assignment(gen *g) {
    text x = shared(g), a, e;
    switch (below(g, g->o.arithmetic ? 6 : 3)) {
    case 0:
        a = local(g);
        copy(g, a, x);
        break;
    case 1:
        e = expression(g, 0, 1, x.width);
        stmt(g, "%s := %s", x.s, e.s);
        break;
    case 2:
        e = constant(g, x.width);
        stmt(g, "%s := %s", x.s, e.s);
        break;
    case 3:
        stmt(g, "%s := (%s + 1)", x.s, x.s);
        break;
    case 4:
        if (g->o.widths) {
            a = local(g);
            e = expression(g, 1, 2, a.width);
        } else {
            e = expression(g, 1, 2, 32);
            a = local(g);
        }
        stmt(g, "%s := %s", a.s, e.s);
        break;
    default:
        e = expression(g, 1, 2, x.width);
        stmt(g, "%s := %s", x.s, e.s);
    }
}

static void indivisible(gen *g) {
    text x = shared(g), a, e;
    switch (below(g, 4)) {
    case 0:
        stmt(g, "[%s := (%s + 1)]", x.s, x.s);
        break;
    case 1:
        a = local(g);
        x = cast(g, x, a.width);
        stmt(g, "[%s := %s]", a.s, x.s);
        break;
    case 2:
        e = expression(g, 1, 1, x.width);
        stmt(g, "[%s := %s]", x.s, e.s);
        break;
    default:
        if (g->in_atomic)
            stmt(g, "[%s := 1]", x.s);
        else
            stmt(g, "[assume (%s %s 0)]", x.s,
                 x.width == 1 ? "!=" : ">"); /* waits: another thread may never write it */
    }
}

static void assertion(gen *g) {
    text x = shared(g), c = constant(g, x.width), a;
    switch (below(g, known_local(g, &a) ? 4 : 2)) {
    case 0:
        stmt(g, "assert (%s >= 0)", x.s);
        break;
    case 1:
        stmt(g, "assert (%s != %s)", x.s, c.s);
        break;
    case 2:
        x = cast(g, x, a.width);
        stmt(g, "assert (%s == %s)", a.s, x.s);
        break;
    default: {
        text e = condition(g, true);
        stmt(g, "assert %s", e.s);
    }
    }
}

static void idiom(gen *g, unsigned depth);

static void some_idioms(gen *g, unsigned n, unsigned depth) {
    for (unsigned i = 0; i < n; i++)
        idiom(g, depth);
}

/* --- idioms ---------------------------------------------------------------------------------- */

static text lock_name(const gen *g, unsigned i) {
    return i < g->n[LOCK] ? say("m%u", i) : say("k%u", i - g->n[LOCK]);
}

/* "" or, now and then, "try " */
static const char *perhaps(gen *g) {
    return g->o.tries && chance(g, 25) ? "try " : "";
}

/* acq … rel, within another one in either order of the locks. */
static void critical_section(gen *g, unsigned depth) {
    unsigned all = g->n[LOCK] + g->n[RLOCK];
    if (!all) {
        assignment(g);
        return;
    }
    unsigned i = below(g, all);
    if (g->held >> i & 1 && i < g->n[LOCK]) { /* only an rlock may be taken twice */
        assignment(g);
        return;
    }
    bool again = g->held >> i & 1;
    text l = lock_name(g, i);
    bool drop_acq = g->o.misuse && chance(g, 6), drop_rel = g->o.misuse && chance(g, 6);
    if (!drop_acq)
        stmt(g, "%sacq %s", perhaps(g), l.s);
    if (g->o.misuse && chance(g, 4))
        stmt(g, "%sacq %s", perhaps(g), l.s);
    g->held |= 1u << i;
    some_idioms(g, 1 + below(g, 2), depth);
    if (!again)
        g->held &= ~(1u << i);
    if (!drop_rel)
        stmt(g, "rel %s", l.s);
    if (g->o.misuse && chance(g, 4))
        stmt(g, "rel %s", l.s);
}

static void rw_section(gen *g) {
    unsigned i = below(g, g->n[RWLOCK]);
    if (chance(g, 50)) {
        text x = shared(g), a = local(g);
        stmt(g, "%srdacq w%u", perhaps(g), i);
        copy(g, a, x);
        if (chance(g, 15))
            assignment(g); /* a write under a read lock */
    } else {
        stmt(g, "%swracq w%u", perhaps(g), i);
        assignment(g);
    }
    if (!(g->o.misuse && chance(g, 6)))
        stmt(g, "rel w%u", i);
}

static void semaphore(gen *g, unsigned depth) {
    unsigned i = below(g, g->n[SEM]);
    if (g->hand_over[i]) { /* one side gives, the other takes */
        if (chance(g, 55)) {
            assignment(g);
            stmt(g, "rel s%u", i);
        } else {
            stmt(g, "%sacq s%u", perhaps(g), i);
            assignment(g);
        }
        return;
    }
    stmt(g, "%sacq s%u", perhaps(g), i);
    some_idioms(g, 1, depth);
    if (!chance(g, 5))
        stmt(g, "rel s%u", i);
}

static void wait_or_signal(gen *g) {
    unsigned c = below(g, g->n[COND]);
    text x = shared(g), l = lock_name(g, 0);
    if (g->n[LOCK] + g->n[RLOCK] == 0 || g->held || g->in_atomic) {
        stmt(g, "%s c%u", chance(g, 70) ? "signal" : "broadcast", c);
        return;
    }
    stmt(g, "acq %s", l.s);
    if (chance(g, 50)) {
        unsigned how = below(g, 10);
        if (how < 2 || !g->o.branches) { /* without a look: a signal before it is lost */
            stmt(g, "wait c%u %s", c, l.s);
        } else {
            text a = local(g);
            copy(g, a, x);
            text head = say("if (%s == 0)", a.s);
            open_block(g, head.s);
            stmt(g, "wait c%u %s", c, l.s);
            close_block(g, "");
        }
    } else {
        unsigned value = 1 + below(g, 2);
        stmt(g, "%s := %u", x.s, x.width == 1 ? 1 : value);
        stmt(g, "%s c%u", chance(g, 70) ? "signal" : "broadcast", c);
    }
    stmt(g, "rel %s", l.s);
}

static void branch(gen *g, unsigned depth) {
    text e = condition(g, true), head = say("if %s", e.s);
    open_block(g, head.s);
    some_idioms(g, 1 + below(g, 2), depth);
    if (chance(g, 50)) {
        close_block(g, " else {");
        some_idioms(g, 1, depth);
    }
    close_block(g, "");
    g->room--;
}

static void loop(gen *g, unsigned depth) {
    text a = say("n%u", g->label + 1); /* a counter of its own: it ends */
    text head = say("while (%s < %u)", a.s, 1 + below(g, 2));
    stmt(g, "%s := 0", a.s);
    open_block(g, head.s);
    some_idioms(g, 1, depth);
    stmt(g, "%s := (%s + 1)", a.s, a.s);
    close_block(g, "");
}

static void atomic(gen *g, unsigned depth) {
    g->in_atomic = true;
    open_block(g, "atomic");
    if (chance(g, 50)) { /* a read and a write that belong together */
        text a = local(g), x = shared(g);
        copy(g, a, x);
        a = cast(g, a, x.width);
        stmt(g, "%s := (%s + 1)", x.s, a.s);
    } else {
        some_idioms(g, 2, depth);
    }
    close_block(g, "");
    g->in_atomic = false;
}

static void idiom(gen *g, unsigned depth) {
    if (g->room <= 0) {
        if (g->room > -3)
            assignment(g);
        return;
    }
    unsigned pick = below(g, 100);
    bool deeper = depth > 0 && g->room > 1;
    if (pick < 20 && deeper && g->n[LOCK] + g->n[RLOCK])
        critical_section(g, depth - 1);
    else if (pick < 27 && g->n[RWLOCK] && g->room > 2)
        rw_section(g);
    else if (pick < 36 && g->n[SEM] && deeper)
        semaphore(g, depth - 1);
    else if (pick < 45 && g->n[COND] && g->room > 2)
        wait_or_signal(g);
    else if (pick < 55 && g->o.branches && deeper)
        branch(g, depth - 1);
    else if (pick < 59 && g->o.loops && deeper)
        loop(g, depth - 1);
    else if (pick < 66 && g->o.blocks && deeper && !g->in_atomic)
        atomic(g, depth - 1);
    else if (pick < 71 && g->o.asserts)
        assertion(g);
    else if (pick < 74 && g->o.assumes) {
        text e = condition(g, true);
        stmt(g, "assume %s", e.s);
    } else if (pick < 81 && g->o.indivisible)
        indivisible(g);
    else if (pick < 83 && g->o.havoc) {
        text v = chance(g, 50) ? shared(g) : local(g);
        stmt(g, "havoc %s", v.s);
    } else if (pick < 84)
        stmt(g, "nop");
    else
        assignment(g);
}

/* --- threads ------------------------------------------------------------------------------------
 */

static void write_thread(gen *g, unsigned t) {
    g->thread = t;
    g->room = (int)(1 + g->o.statements / 2 + below(g, g->o.statements / 2 + 1));
    g->held = 0;
    g->known = 0;
    text head = say("thread T%u", t);
    open_block(g, head.s);
    for (unsigned i = 0; i < LOCALS; i++) {
        g->local_width[i] = (uint8_t)some_width(g);
        if (g->o.widths) {
            line(g, "local %c%u : %u", "pqu"[i], t, g -> local_width[i]);
            g->known |= 1u << i;
        }
    }
    unsigned arrive_at[4] = {0};
    for (unsigned b = 0; b < g->n[BARRIER]; b++) /* now and then somebody never comes */
        arrive_at[b] = chance(g, 88) ? 1 + below(g, (unsigned)g->room) : UINT32_MAX;
    if (t == 0) {
        for (unsigned k = 1; k < g->threads; k++)
            if (g->forked[k]) {
                if (chance(g, 30))
                    assignment(g);
                stmt(g, "fork T%u", k);
            }
    }
    for (unsigned i = 1; g->room > 0; i++) {
        for (unsigned b = 0; b < g->n[BARRIER]; b++)
            if (arrive_at[b] == i) {
                stmt(g, "arrive b%u", b);
                arrive_at[b] = 0;
            }
        idiom(g, g->o.depth);
    }
    for (unsigned b = 0; b < g->n[BARRIER]; b++)
        if (arrive_at[b] && arrive_at[b] != UINT32_MAX)
            stmt(g, "arrive b%u", b);
    if (t == 0)
        for (unsigned k = 1; k < g->threads; k++)
            if (g->forked[k] && chance(g, 75))
                stmt(g, "join T%u", k);
    if (g->o.asserts && chance(g, 35))
        assertion(g);
    close_block(g, "");
}

static unsigned up_to(gen *g, unsigned most, unsigned of_100) {
    return most && chance(g, of_100) ? 1 + below(g, most) : 0;
}

static void write_declarations(gen *g) {
    for (unsigned v = 0; v < g->vars; v++) {
        text name = v < 3 ? say("%c", "xyz"[v]) : say("v%u", v);
        g->width[v] = (uint8_t)some_width(g);
        unsigned init = chance(g, 80) ? 0 : below(g, 3);
        if (g->o.widths)
            line(g, "shared %s : %u = %u", name.s, g->width[v], g->width[v] == 1 ? init & 1 : init);
        else
            line(g, "shared %s = %u", name.s, init);
    }
    for (unsigned i = 0; i < g->n[LOCK]; i++)
        line(g, "lock m%u", i);
    for (unsigned i = 0; i < g->n[RLOCK]; i++)
        line(g, "rlock k%u", i);
    for (unsigned i = 0; i < g->n[RWLOCK]; i++)
        line(g, "rwlock w%u", i);
    for (unsigned i = 0; i < g->n[SEM]; i++) {
        g->hand_over[i] = chance(g, 40);
        line(g, "sem s%u = %u", i, g->hand_over[i] ? 0 : 1 + chance(g, 15));
    }
    for (unsigned i = 0; i < g->n[COND]; i++)
        line(g, "cond c%u", i);
    for (unsigned i = 0; i < g->n[BARRIER]; i++)
        line(g, "barrier b%u = %u", i, g->threads);
}

char *au_gen_ctp(uint64_t seed, const au_gen_ctp_options *o) {
    gen g = {.o = o ? *o : au_gen_ctp_defaults(2), .out = au_out_memory()};
    /* the state of au_rng moves by a constant: near seeds would give one stream, shifted */
    au_rng_init(&g.r, au_hash_join(seed, UINT64_C(0x5851f42d4c957f2d)));
    unsigned most = g.o.threads > 8 ? 8 : g.o.threads < 2 ? 2 : g.o.threads;
    g.threads = 2 + below(&g, most - 1);
    g.vars = 1 + below(&g, g.o.vars > 32 ? 32 : g.o.vars ? g.o.vars : 1);
    /* a model has few kinds of objects, so that its threads meet at them */
    g.n[LOCK] = up_to(&g, g.o.locks > 8 ? 8 : g.o.locks, 65);
    g.n[RLOCK] = up_to(&g, g.o.rlocks > 4 ? 4 : g.o.rlocks, 15);
    g.n[RWLOCK] = up_to(&g, g.o.rwlocks > 8 ? 8 : g.o.rwlocks, 20);
    g.n[SEM] = up_to(&g, g.o.sems > 8 ? 8 : g.o.sems, 30);
    g.n[COND] = g.n[LOCK] + g.n[RLOCK] ? up_to(&g, g.o.conds > 8 ? 8 : g.o.conds, 30) : 0;
    g.n[BARRIER] = up_to(&g, g.o.barriers > 4 ? 4 : g.o.barriers, 15);
    bool forks = g.o.forks && chance(&g, 35);
    for (unsigned t = 1; t < g.threads; t++)
        g.forked[t] = forks && chance(&g, 75);
    if (chance(&g, 40))
        g.o.asserts = false;
    if (chance(&g, 50))
        g.o.assumes = false;
    if (chance(&g, 50))
        g.o.indivisible = false;
    write_declarations(&g);
    for (unsigned t = 0; t < g.threads; t++)
        write_thread(&g, t);
    size_t n;
    const char *s = au_out_memory_data(g.out, &n);
    char *copy = au_strndup(s, n);
    au_out_abandon(g.out);
    return copy;
}
