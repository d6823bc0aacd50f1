/* tests/random/gen_c.c: see gen_c.h. */
#include "gen_c.h"

#include "base/rng.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LOCALS = 3, MOST_SHARED = 4, KINDS_OF_SHARED = 17, LOCKS = 4 };

/* Which of a program's synchronisation objects are held: taken in one order, mostly. */
enum { M0 = 1, M1 = 2, SEM = 4, RW = 8 };

typedef struct {
    au_rng r;
    gen_text *out;
    uint32_t n;                     /* number of the program */
    uint32_t shared[MOST_SHARED];   /* what it plays with */
    uint32_t n_shared, threads, me; /* me: the thread that is being written; threads: main */
    uint32_t statement, depth, indent;
    unsigned held;
    bool in_function; /* no locals but a and b */
    bool hands;       /* threads wait for each other by a condition variable */
    bool posts;       /* … by a semaphore */
    bool meets;       /* … at a barrier */
    bool nested;      /* thread 0 makes a thread and waits for it */
    const gen_c_plan *plan;
} gen;

static void put(gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(gen *g, const char *fmt, ...) {
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    for (int i = 0; i < n && i < (int)sizeof line - 1; i++)
        au_vec_push(g->out, line[i]);
}

static uint32_t pick(gen *g, uint32_t n) {
    return au_rng_below(&g->r, n);
}
static bool one_in(gen *g, uint32_t n) {
    return pick(g, n) == 0;
}

static void begin_line(gen *g) {
    put(g, "%*s", (int)(4 * (g->indent + 1)), "");
}

/* --- expressions ------------------------------------------------------------------------- */

static void expr(gen *g, uint32_t depth);

static void local(gen *g) {
    if (g->in_function)
        put(g, "%s", one_in(g, 2) ? "a" : "b");
    else
        put(g, "x%u", pick(g, LOCALS));
}

/* A place in shared memory; integers of every kind. */
static void shared(gen *g) {
    uint32_t n = g->n;
    switch (g->shared[pick(g, g->n_shared)]) {
    case 0:
    case 1:
        put(g, "p%u_i", n);
        break;
    case 2:
        put(g, "p%u_j", n);
        break;
    case 3:
        put(g, "p%u_short", n);
        break;
    case 4:
        put(g, "p%u_byte", n);
        break;
    case 5:
        put(g, "p%u_long", n);
        break;
    case 6:
        put(g, "p%u_u", n);
        break;
    case 7:
        put(g, "p%u_array[%u]", n, pick(g, 3));
        break;
    case 8:
        put(g, "p%u_array[(unsigned)", n);
        local(g);
        put(g, " %% 3]");
        break;
    case 9:
        put(g, "p%u_s.a", n);
        break;
    case 10:
        put(g, "p%u_s.b", n);
        break;
    case 11:
        put(g, "p%u_s.f", n);
        break;
    case 12:
        put(g, "p%u_s.k", n);
        break;
    case 13:
        put(g, "p%u_s.in.%s", n, one_in(g, 2) ? "l" : "c");
        break;
    case 14:
        put(g, "p%u_t.a", n);
        break;
    case 15:
        put(g, "p%u_t.v[%u]", n, pick(g, 2));
        break;
    default:
        put(g, "p%u_p->a", n); /* a pointer that threads turn round */
        break;
    }
}

static void atomic(gen *g) {
    put(g, "p%u_at%u", g->n, pick(g, 2));
}

static void leaf(gen *g) {
    switch (pick(g, 8)) {
    case 0:
    case 1:
        put(g, "%d", (int)pick(g, 8) - 1);
        break;
    case 2:
    case 3:
        local(g);
        break;
    case 4:
        if (one_in(g, 3)) {
            put(g, "(int)atomic_load(&");
            atomic(g);
            put(g, ")");
            break;
        }
        /* fall through */
    default:
        put(g, "(int)");
        shared(g);
        break;
    }
}

static void binary(gen *g, uint32_t depth, const char *op) {
    put(g, "(");
    expr(g, depth);
    put(g, " %s ", op);
    expr(g, depth);
    put(g, ")");
}

static void expr(gen *g, uint32_t depth) {
    static const char *const ops[] = {"+", "-", "*", "^", "&", "|", "+", "-"};
    static const char *const compare[] = {"<", "<=", "==", "!=", ">", ">="};
    static const char *const casts[] = {"short", "unsigned char", "signed char", "unsigned short"};
    if (depth == 0) {
        leaf(g);
        return;
    }
    switch (pick(g, 14)) {
    case 0:
        binary(g, depth - 1, compare[pick(g, 6)]);
        break;
    case 1:
        put(g, "(");
        expr(g, depth - 1);
        put(g, one_in(g, 2) ? " << " : " >> ");
        put(g, "%u)", pick(g, 5));
        break;
    case 2:
        put(g, "(int)((unsigned)");
        expr(g, depth - 1);
        put(g, " %c ((unsigned)", one_in(g, 2) ? '/' : '%');
        expr(g, depth - 1);
        put(g, " %% 7 + 1))");
        break;
    case 3:
        put(g, "(");
        expr(g, depth - 1);
        put(g, " ? ");
        expr(g, depth - 1);
        put(g, " : ");
        expr(g, depth - 1);
        put(g, ")");
        break;
    case 4:
        put(g, "(int)(%s)(", casts[pick(g, 4)]);
        expr(g, depth - 1);
        put(g, ")");
        break;
    case 5:
        put(g, "(int)((long)(");
        expr(g, depth - 1);
        put(g, ") * %u >> %u)", pick(g, 9) + 1, pick(g, 3));
        break;
    case 6:
        put(g, one_in(g, 2) ? "-(" : "~(");
        expr(g, depth - 1);
        put(g, ")");
        break;
    case 7:
        if (!g->in_function) {
            put(g, "p%u_f%u(", g->n, pick(g, 2));
            expr(g, depth - 1);
            put(g, ", ");
            expr(g, depth - 1);
            put(g, ")");
            break;
        }
        /* fall through */
    default:
        binary(g, depth - 1, ops[pick(g, 8)]);
        break;
    }
}

/* --- statements -------------------------------------------------------------------------- */

static void statements(gen *g, uint32_t most);

static void block(gen *g, uint32_t most) {
    put(g, "{\n");
    g->indent++;
    statements(g, most);
    g->indent--;
    begin_line(g);
    put(g, "}\n");
}

/* What only C++ has (plan.cxx): locks that are let go at the end of a scope or by an exception, threads that
 * run a closure, containers. */
static void cxx_statement(gen *g) {
    uint32_t n = g->n, x = pick(g, LOCALS), y = pick(g, LOCALS);
    begin_line(g);
    switch (pick(g, 6)) {
    case 0:
        put(g, "{ std::lock_guard<std::mutex> own_(p%u_std); p%u_j += 2; x%u = p%u_j; }\n", n, n, x,
            n);
        break;
    case 1:
        put(g,
            "try { std::unique_lock<std::mutex> l(p%u_std); if (x%u & 1) throw x%u; p%u_i++; } "
            "catch (int e) { x%u = e + 1; }\n",
            n, x, y, n, y);
        break;
    case 2:
        put(g, "{ std::thread t([] { p%u_heap->a += 2; }); x%u = p%u_heap->%s; t.join(); }\n", n, x,
            n, one_in(g, 3) ? "a" : "b");
        break;
    case 3:
        put(g, "{ std::vector<int> v(%u, x%u); v.push_back(p%u_i); x%u = v.back(); }\n", pick(g, 5),
            x, n, y);
        break;
    case 4:
        put(g, "std::call_once(p%u_flag, [] { p%u_j = 3; });\n", n, n);
        break;
    default:
        put(g, "x%u = p%u_at.fetch_add(x%u) + p%u_at.load();\n", x, n, y, n);
        break;
    }
}

/* Memory that comes and goes, and the primitives that plain programs do without (plan.wide). */
static void wide_statement(gen *g) {
    if (g->plan->cxx && one_in(g, 2)) {
        cxx_statement(g);
        return;
    }
    uint32_t n = g->n, x = pick(g, LOCALS);
    begin_line(g);
    switch (pick(g, 7)) {
    case 0:
        put(g, "p%u_heap->a = x%u, x%u = p%u_heap->v[%u];\n", n, x, pick(g, LOCALS), n, pick(g, 2));
        break;
    case 1:
        put(g, "{ int *mine = (int *)malloc(%u); mine[1] = x%u; x%u = mine[1] + 1; free(mine); }\n",
            8u << pick(g, 6), x, pick(g, LOCALS));
        break;
    case 2: /* a list that grows; pushed under a lock, mostly */
        put(g, "{ struct node *e = (struct node *)calloc(1, sizeof *e); e->value = x%u; ", x);
        if (one_in(g, 6))
            put(g, "e->next = p%u_list, p%u_list = e; }\n", n, n);
        else
            put(g,
                "pthread_spin_lock(&p%u_spin); e->next = p%u_list, p%u_list = e; "
                "pthread_spin_unlock(&p%u_spin); }\n",
                n, n, n, n);
        break;
    case 3:
        put(g,
            "pthread_spin_lock(&p%u_spin); p%u_i++; x%u = p%u_i; pthread_spin_unlock(&p%u_spin);\n",
            n, n, x, n, n);
        break;
    case 4:
        put(g, "pthread_once(&p%u_once, p%u_first);\n", n, n);
        break;
    case 5: /* longer than one run of the recorder's predictor */
        put(g, "for (int r = 0; r < %u; r++) x%u = x%u * 5 + p%u_heap->in.c;\n", 20 + pick(g, 200),
            x, x, n);
        break;
    default:
        put(g,
            "pthread_mutex_lock(&p%u_deep); pthread_mutex_lock(&p%u_deep); p%u_heap->b++; "
            "pthread_mutex_unlock(&p%u_deep); pthread_mutex_unlock(&p%u_deep);\n",
            n, n, n, n, n);
        break;
    }
}

static void section(gen *g) {
    uint32_t which = pick(g, LOCKS);
    unsigned bit = 1u << which;
    if (g->held & bit || (g->held > bit && !one_in(g, 8))) {
        begin_line(g);
        shared(g);
        put(g, " += 1;\n");
        return;
    }
    g->held |= bit;
    begin_line(g);
    if (which < 2 && one_in(g, 5)) {
        put(g, "if (!pthread_mutex_trylock(&p%u_m%u)) {\n", g->n, which);
        g->indent++;
        statements(g, 2);
        begin_line(g);
        put(g, "pthread_mutex_unlock(&p%u_m%u);\n", g->n, which);
        g->indent--;
        begin_line(g);
        put(g, "}\n");
    } else if (which < 2) {
        put(g, "pthread_mutex_lock(&p%u_m%u);\n", g->n, which);
        statements(g, 2);
        begin_line(g);
        put(g, "pthread_mutex_unlock(&p%u_m%u);\n", g->n, which);
    } else if (which == 2) {
        put(g, "sem_wait(&p%u_sem);\n", g->n);
        statements(g, 2);
        begin_line(g);
        put(g, "sem_post(&p%u_sem);\n", g->n);
    } else {
        bool reader = one_in(g, 2);
        put(g, "pthread_rwlock_%slock(&p%u_rw);\n", reader ? "rd" : "wr", g->n);
        if (reader) {
            begin_line(g);
            put(g, "x%u = ", pick(g, LOCALS));
            expr(g, 1);
            put(g, ";\n");
        } else {
            statements(g, 2);
        }
        begin_line(g);
        put(g, "pthread_rwlock_unlock(&p%u_rw);\n", g->n);
    }
    g->held &= ~bit;
}

static void do_atomic(gen *g) {
    begin_line(g);
    switch (pick(g, 5)) {
    case 0:
        put(g, "x%u = atomic_fetch_add(&", pick(g, LOCALS));
        atomic(g);
        put(g, ", ");
        expr(g, 1);
        put(g, ");\n");
        break;
    case 1:
        put(g, "atomic_store(&");
        atomic(g);
        put(g, ", ");
        expr(g, 1);
        put(g, ");\n");
        break;
    case 2:
        put(g, "x%u = atomic_exchange(&", pick(g, LOCALS));
        atomic(g);
        put(g, ", ");
        expr(g, 1);
        put(g, ");\n");
        break;
    case 3: {
        uint32_t x = pick(g, LOCALS), y = pick(g, LOCALS);
        put(g, "x%u = atomic_compare_exchange_strong(&", x);
        atomic(g);
        put(g, ", &x%u, ", y);
        expr(g, 1);
        put(g, ");\n");
        break;
    }
    default:
        put(g, "atomic_fetch_%s(&", one_in(g, 2) ? "xor" : "or");
        atomic(g);
        put(g, ", ");
        expr(g, 1);
        put(g, ");\n");
        break;
    }
}

static void move_structure(gen *g) {
    uint32_t n = g->n;
    begin_line(g);
    switch (pick(g, 5)) {
    case 0:
        put(g, "p%u_s = p%u_t;\n", n, n);
        break;
    case 1:
        put(g, "memcpy(&p%u_t, &p%u_s, sizeof p%u_t);\n", n, n, n);
        break;
    case 2:
        put(g, "own = p%u_s;\n", n);
        break;
    case 3:
        put(g, "own.a += x%u, p%u_t = own;\n", pick(g, LOCALS), n);
        break;
    default:
        put(g, "memset(&p%u_t.in, %u, sizeof p%u_t.in);\n", n, pick(g, 3), n);
        break;
    }
}

static void do_assert(gen *g) {
    static const char *const compare[] = {"!=", "<=", ">=", "!=", "!="};
    begin_line(g);
    put(g, "assert(");
    expr(g, 1);
    uint32_t which = pick(g, 5);
    int k = which == 1 ? (int)pick(g, 40) : which == 2 ? -(int)pick(g, 40) : (int)pick(g, 9) - 2;
    put(g, " %s %d);\n", compare[which], k);
}

static void statement(gen *g) {
    uint32_t n = g->n;
    bool simple = g->depth >= 2;
    if (g->plan->wide && one_in(g, 4)) {
        wide_statement(g);
        return;
    }
    switch (pick(g, simple ? 9 : 14)) {
    case 0:
        begin_line(g);
        put(g, "x%u = ", pick(g, LOCALS));
        expr(g, 2);
        put(g, ";\n");
        break;
    case 1:
        do_atomic(g);
        break;
    case 2:
        if (one_in(g, 2)) {
            move_structure(g);
            break;
        }
        /* fall through */
    case 3:
        do_assert(g);
        break;
    case 4:
        begin_line(g);
        if (one_in(g, 3))
            put(g, "p%u_p = &p%u_%c;\n", n, n, one_in(g, 2) ? 's' : 't');
        else
            put(g, "held[%u] = x%u, x%u = held[(unsigned)x%u %% 3];\n", pick(g, 3), pick(g, LOCALS),
                pick(g, LOCALS), pick(g, LOCALS));
        break;
    case 9:
    case 10:
        section(g);
        break;
    case 11:
        begin_line(g);
        put(g, "if (");
        expr(g, 1);
        put(g, ") ");
        block(g, 2);
        break;
    case 12:
        begin_line(g);
        if (one_in(g, 2)) {
            put(g, "switch (");
            expr(g, 1);
            put(g, " & 3) {\n");
            begin_line(g);
            put(g, "case 1:\n");
            g->indent++;
            statements(g, 1);
            begin_line(g);
            put(g, "break;\n");
            g->indent--;
            begin_line(g);
            put(g, "case 3:\n");
            g->indent++;
            statements(g, 1);
            g->indent--;
            begin_line(g);
            put(g, "default:\n");
            g->indent++;
            begin_line(g);
            put(g, "x%u++;\n", pick(g, LOCALS));
            g->indent--;
            begin_line(g);
            put(g, "}\n");
            break;
        }
        put(g, "if (");
        expr(g, 1);
        put(g, ") ");
        block(g, 1);
        begin_line(g);
        put(g, "else ");
        block(g, 1);
        break;
    case 13: {
        begin_line(g);
        uint32_t k = g->indent;
        put(g, "for (int i%u = 0; i%u < 2", k, k);
        if (one_in(g, 3)) {
            put(g, " && ");
            expr(g, 1);
        }
        put(g, "; i%u++) ", k);
        block(g, 1);
        break;
    }
    default:
        begin_line(g);
        shared(g);
        put(g, " %s ", one_in(g, 3) ? "+=" : "=");
        expr(g, 2);
        put(g, ";\n");
        break;
    }
}

static void statements(gen *g, uint32_t most) {
    uint32_t n = 1 + pick(g, most);
    g->depth++;
    for (uint32_t i = 0; i < n; i++) {
        size_t before = g->out->n;
        uint32_t which = g->statement++;
        statement(g);
        if (g->plan->drop && which < g->plan->n_drop && g->plan->drop[which])
            g->out->n = before;
    }
    g->depth--;
}

/* --- programs ----------------------------------------------------------------------------- */

static void function(gen *g, uint32_t which, bool pure) {
    put(g, "static int p%u_f%u(int a, int b) {\n", g->n, which);
    g->in_function = true;
    if (!pure) {
        put(g, "    ");
        shared(g);
        put(g, " += a;\n");
    }
    if (one_in(g, 2))
        put(g, "    for (int i = 0; i < 2; i++)\n        a = a * 3 + b;\n");
    put(g, "    return a ^ ");
    if (pure) {
        put(g, "(b %s %u)", one_in(g, 2) ? "*" : ">>", pick(g, 4) + 1);
    } else {
        expr(g, 1);
    }
    put(g, ";\n}\n");
    g->in_function = false;
}

static void variables(gen *g) {
    uint32_t n = g->n;
    put(g, "static int p%u_i = %u, p%u_j, p%u_array[3] = {%u, %u};\n", n, pick(g, 4), n, n,
        pick(g, 3), pick(g, 3));
    put(g, "static short p%u_short = %d;\nstatic unsigned char p%u_byte = %u;\n", n,
        (int)pick(g, 5) - 2, n, pick(g, 2) * 250);
    put(g, "static long p%u_long;\nstatic unsigned p%u_u = %u;\n", n, n, pick(g, 3));
    put(g,
        "static struct gen p%u_s = {.a = %u, .k = -%u}, p%u_t = {.a = 2, .b = 5}, *p%u_p = "
        "&p%u_t;\n",
        n, pick(g, 3), pick(g, 4), n, n, n);
    put(g, "static atomic_int p%u_at0, p%u_at1 = %u;\n", n, n, pick(g, 3));
    put(g,
        "static pthread_mutex_t p%u_m0 = PTHREAD_MUTEX_INITIALIZER, p%u_m1 = "
        "PTHREAD_MUTEX_INITIALIZER;\n",
        n, n);
    put(g, "static pthread_rwlock_t p%u_rw = PTHREAD_RWLOCK_INITIALIZER;\n", n);
    put(g, "static sem_t p%u_sem, p%u_told;\nstatic int p%u_ready;\n", n, n, n);
    put(g, "static pthread_cond_t p%u_cond = PTHREAD_COND_INITIALIZER;\n", n);
}

static void wide_variables(gen *g) {
    uint32_t n = g->n;
    put(g, "static struct gen *p%u_heap;\nstatic struct node *p%u_list;\n", n, n);
    put(g, "static pthread_spinlock_t p%u_spin;\nstatic pthread_barrier_t p%u_barrier;\n", n, n);
    put(g, "static pthread_mutex_t p%u_deep = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n", n);
    put(g,
        "static pthread_once_t p%u_once = PTHREAD_ONCE_INIT;\n"
        "static void p%u_first(void) { p%u_j = %u; }\n",
        n, n, n, 1 + pick(g, 5));
    put(g,
        "static void *p%u_child(void *arg) { p%u_heap->a += %u; atomic_fetch_add(&p%u_at0, 1); "
        "return arg; }\n",
        n, n, pick(g, 3), n);
}

static void cxx_variables(gen *g) {
    put(g, "static std::mutex p%u_std;\nstatic std::once_flag p%u_flag;\n", g->n, g->n);
    put(g, "static std::atomic<int> p%u_at{%u};\n", g->n, pick(g, 3));
}

static void wide_begin(gen *g) {
    put(g,
        "    p%u_heap = (struct gen *)calloc(1, sizeof *p%u_heap);\n    p%u_heap->a = %u;\n"
        "    pthread_spin_init(&p%u_spin, 0);\n    pthread_barrier_init(&p%u_barrier, NULL, %u);\n",
        g->n, g->n, g->n, pick(g, 4), g->n, g->n, g->threads);
}

static void wide_end(gen *g) {
    put(g,
        "    for (struct node *e = p%u_list, *next; e; e = next)\n"
        "        next = e->next, free(e);\n    free(p%u_heap);\n",
        g->n, g->n);
}

/* Thread 1 gives the signs that thread 0 waits for; it itself waits for nothing but locks. */
static void hand_over(gen *g) {
    uint32_t n = g->n;
    if (g->hands && g->me == 0)
        put(g,
            "    pthread_mutex_lock(&p%u_m0);\n    %s (!p%u_ready)\n"
            "        pthread_cond_wait(&p%u_cond, &p%u_m0);\n    pthread_mutex_unlock(&p%u_m0);\n",
            n, one_in(g, 4) ? "if" : "while", n, n, n, n);
    if (g->hands && g->me == 1)
        put(g,
            "    pthread_mutex_lock(&p%u_m0);\n    p%u_ready = 1;\n"
            "    pthread_cond_%s(&p%u_cond);\n    pthread_mutex_unlock(&p%u_m0);\n",
            n, n, one_in(g, 2) ? "signal" : "broadcast", n, n);
    if (g->posts && g->me == 0)
        put(g, "    sem_wait(&p%u_told);\n", n);
    if (g->posts && g->me == 1)
        put(g, "    sem_post(&p%u_told);\n", n);
}

static void body(gen *g, uint32_t most) {
    put(g, "    int held[3] = {%u, 1, 2};\n    struct gen own = {0};\n", pick(g, 3));
    put(g, "    int x0 = %u, x1 = 0, x2 = %s;\n", pick(g, 4),
        g->me < g->threads ? "*(int *)arg" : "3");
    put(g, "    (void)held, (void)own, (void)x0, (void)x1, (void)x2;\n");
    if (g->me >= g->threads)
        return;
    if (g->nested && g->me == 0)
        put(g,
            "    pthread_t child;\n    pthread_create(&child, NULL, p%u_child, NULL);\n"
            "    x1 = p%u_heap->a;\n    pthread_join(child, NULL);\n",
            g->n, g->n);
    if (g->meets)
        put(g, "    p%u_array[%u] += %u;\n    pthread_barrier_wait(&p%u_barrier);\n", g->n,
            g->me % 3, pick(g, 3), g->n);
    if (one_in(g, 2))
        hand_over(g);
    else
        g->me += 100; /* after the first statements */
    statements(g, most);
    if (g->me >= 100) {
        g->me -= 100;
        hand_over(g);
        statements(g, 1);
    }
}

uint32_t gen_c_program(gen_text *out, uint32_t number, const gen_c_plan *p) {
    gen g = {.out = out, .n = number, .plan = p};
    au_rng_init(&g.r, p->seed);
    g.threads = 2 + one_in(&g, 4);
    g.n_shared = 1 + pick(&g, MOST_SHARED);
    for (uint32_t i = 0; i < g.n_shared; i++)
        g.shared[i] = pick(&g, KINDS_OF_SHARED);
    g.hands = one_in(&g, 8);
    g.posts = one_in(&g, 8);
    g.meets = p->wide && one_in(&g, 3);
    g.nested = p->wide && one_in(&g, 3);
    put(&g, "\n/* seed %llu */\n", (unsigned long long)p->seed);
    variables(&g);
    if (p->wide)
        wide_variables(&g);
    if (p->wide && p->cxx)
        cxx_variables(&g);
    function(&g, 0, true);
    function(&g, 1, one_in(&g, 2));
    for (g.me = 0; g.me < g.threads; g.me++) {
        put(&g, "static void *p%u_thread%u(void *arg) {\n", number, g.me);
        body(&g, p->size);
        put(&g, "    return arg;\n}\n");
    }
    put(&g, "static int p%u_main(void) {\n", number);
    put(&g, "    pthread_t t[%u];\n    int number[%u];\n", g.threads, g.threads);
    body(&g, 1);
    if (p->wide)
        wide_begin(&g);
    put(&g, "    sem_init(&p%u_sem, 0, 1);\n    sem_init(&p%u_told, 0, 0);\n", number, number);
    for (uint32_t i = 0; i < g.threads; i++)
        put(&g,
            "    number[%u] = %u;\n    pthread_create(&t[%u], NULL, p%u_thread%u, &number[%u]);\n",
            i, i, i, number, i, i);
    if (one_in(&g, 3))
        statements(&g, 1);
    for (uint32_t i = 0; i < g.threads; i++)
        put(&g, "    pthread_join(t[%u], NULL);\n", i);
    if (!one_in(&g, 3)) {
        size_t before = out->n;
        uint32_t which = g.statement++;
        do_assert(&g);
        if (p->drop && which < p->n_drop && p->drop[which])
            out->n = before;
    }
    if (p->wide)
        wide_end(&g);
    put(&g, "    return 0;\n}\n");
    return g.statement;
}

static void put_text(gen_text *out, const char *text) {
    for (; *text; text++)
        au_vec_push(out, *text);
}

void gen_c_head(gen_text *out) {
    static const char *const headers[] = {"assert.h",    "pthread.h", "semaphore.h",
                                          "stdatomic.h", "stdlib.h",  "string.h"};
    put_text(out, "#ifdef __cplusplus\n"
                  "#include <atomic>\n#include <mutex>\n#include <thread>\n#include <vector>\n"
                  "#else\n#define _GNU_SOURCE\n#endif\n");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        put_text(out, "#include <");
        put_text(out, headers[i]);
        put_text(out, ">\n");
    }
    put_text(out, "struct gen {\n"
                  "    int a;\n"
                  "    short b;\n"
                  "    unsigned f : 3;\n"
                  "    signed k : 5;\n"
                  "    struct {\n"
                  "        signed char c;\n"
                  "        long l;\n"
                  "    } in;\n"
                  "    int v[2];\n"
                  "};\n"
                  "struct node {\n"
                  "    struct node *next;\n"
                  "    int value;\n"
                  "};\n");
}

void gen_c_main(gen_text *out, uint32_t n) {
    char line[80];
    put_text(out, "\nint main(int argc, char **argv) {\n"
                  "    switch (argc > 1 ? atoi(argv[1]) : 0) {\n");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, "    case %u:\n        return p%u_main();\n", i, i);
        put_text(out, line);
    }
    put_text(out, "    }\n    return 2;\n}\n");
}
