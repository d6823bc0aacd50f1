/* tests/code/source_follow.c: is a recorded run a run of the static model (lower/source.h)?
 *
 * Every thread of the recording is followed through the graph of its thread in the model: each access of
 * memory that several threads touch and somebody writes must be a step of the model at the same line,
 * reading or writing as it did; what it read goes into the model's local, what it wrote must be what the model
 * writes there; guards that can be evaluated decide which way a branch goes. Locals that were havocked are
 * not known, and both ways of a branch on them are followed. If no way is left, a run of the program is
 * not one of the model: a bug.
 *
 * usage: source_follow RECORDING PROGRAM [--entry F]... */
#include "lower/source.h"
#include "trace/trace.h"
#include "wire/libc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 20000 };

typedef struct {
    uint32_t node;
    uint64_t *value; /* by local of the thread */
    uint8_t *known;
} state;
typedef AU_VEC(state) states;

typedef struct {
    uint32_t model; /* its thread there; AU_NONE: not followed */
    bool bound, lost;
    states now;
} follower;

static const au_source *src;
static const au_model *m;
static const au_trace *trace;
static uint32_t *local_at; /* by variable: its place among its thread's locals */
static uint32_t *n_locals; /* by thread */
static uint64_t *argument; /* by variable: of $argument */
static uint8_t *argument_known;
static bool too_many;

/* --- values ---------------------------------------------------------------------- */

typedef struct {
    const state *s;
    bool known;
    uint64_t *value; /* by variable */
} reading;

static void read_var(void *ctx, uint32_t v) {
    reading *r = ctx;
    switch (m->var.at[v].kind) {
    case AU_VAR_LOCAL:
        r->known &= r->s->known[local_at[v]];
        r->value[v] = r->s->value[local_at[v]];
        break;
    case AU_VAR_SYNC:
        r->known &= argument_known[v];
        r->value[v] = argument[v];
        break;
    default:
        r->known = false;
    }
}

static bool eval(const state *s, au_term x, uint64_t *out) {
    static uint64_t *scratch;
    if (!scratch)
        scratch = au_alloc_array(m->var.n + 1, sizeof *scratch);
    reading r = {.s = s, .known = true, .value = scratch};
    if (au_term_kind(m->terms, x) == AU_T_ITE) {
        uint64_t c;
        if (eval(s, au_term_kid(m->terms, x, 0), &c))
            return eval(s, au_term_kid(m->terms, x, c ? 1 : 2), out);
    }
    au_term_each_var(m->terms, x, read_var, &r);
    if (r.known)
        *out = au_term_eval(m->terms, x, scratch);
    return r.known;
}

/* --- states ---------------------------------------------------------------------- */

static state copy_of(const state *s, uint32_t thread) {
    uint32_t n = n_locals[thread];
    state c = {.node = s->node,
               .value = au_alloc_array(n + 1u, sizeof *c.value),
               .known = au_alloc_array(n + 1u, 1)};
    memcpy(c.value, s->value, n * sizeof *c.value);
    memcpy(c.known, s->known, n);
    return c;
}

static void drop(state *s) {
    free(s->value);
    free(s->known);
}

static void drop_all(states *s) {
    for (size_t i = 0; i < s->n; i++)
        drop(&s->at[i]);
    au_vec_release(s);
}

static uint64_t hash_of(const state *s, uint32_t thread) {
    uint32_t n = n_locals[thread];
    uint64_t h = au_hash_u64(s->node + 1);
    h = au_hash_join(h, au_hash_bytes(s->known, n));
    for (uint32_t i = 0; i < n; i++)
        if (s->known[i])
            h = au_hash_join(h, s->value[i]);
    return h;
}

/* Takes s over; false if it is there already. */
static bool put(states *all, au_map *seen, state s, uint32_t thread) {
    bool fresh;
    au_map_put(seen, hash_of(&s, thread), &fresh);
    if (!fresh || all->n >= MOST_STATES) {
        too_many |= fresh;
        drop(&s);
        return false;
    }
    au_vec_push(all, s);
    return true;
}

/* The state after a step; read: the value of the shared variable, if known. */
static bool take(const state *from, const au_step *p, const uint64_t *read, state *to) {
    uint64_t v;
    if (eval(from, p->guard, &v) && !v && p->kind != AU_STEP_ACQ)
        return false;
    if (p->kind == AU_STEP_ASSERT && eval(from, p->cond, &v) && !v)
        return false;
    *to = copy_of(from, p->thread);
    to->node = p->dst;
    if (p->havoc != AU_NONE && m->var.at[p->havoc].kind == AU_VAR_LOCAL)
        to->known[local_at[p->havoc]] = 0;
    for (uint32_t k = 0; k < p->n_updates; k++) {
        uint32_t var = p->update[k].var;
        bool known = eval(from, p->update[k].value, &v);
        if (m->var.at[var].kind == AU_VAR_SYNC && !strncmp(m->var.at[var].name, "$argument", 9)) {
            argument[var] = v;
            argument_known[var] = known;
        }
        if (m->var.at[var].kind != AU_VAR_LOCAL)
            continue;
        /* What is read, or part of it. */
        if (!known && read && p->n_accesses && !p->access[0].write &&
            au_term_kind(m->terms, p->update[k].value) == AU_T_VAR &&
            au_term_var(m->terms, p->update[k].value) == p->access[0].var) {
            known = true;
            v = *read;
            unsigned w = m->var.at[var].width;
            if (w < 64)
                v &= (UINT64_C(1) << w) - 1;
        }
        to->known[local_at[var]] = known;
        to->value[local_at[var]] = known ? v : 0;
    }
    return true;
}

static bool is_visible(const au_step *p) {
    switch (p->kind) {
    case AU_STEP_FORK:
        return true;
    case AU_STEP_ACQ:
    case AU_STEP_REL:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ: /* those that both call by the same name */
        return au_intern_find(&trace->names.lock, m->obj.at[p->obj].name,
                              strlen(m->obj.at[p->obj].name)) != AU_NONE;
    default:
        return p->n_accesses > 0;
    }
}

/* All that can be reached without anything that an event would tell of. */
static void close_states(states *all, uint32_t thread) {
    au_map seen;
    au_map_init(&seen);
    states out = {0};
    for (size_t i = 0; i < all->n; i++)
        put(&out, &seen, all->at[i], thread);
    all->n = 0;
    /* Loops that nothing tells of: after some rounds their locals are taken to be anything. */
    uint32_t *visits = au_alloc_array(m->thread.at[thread].node.n + 1, sizeof *visits);
    for (size_t i = 0; i < out.n; i++) {
        const au_node *n = &m->thread.at[thread].node.at[out.at[i].node];
        bool any = n_locals[thread] && memchr(out.at[i].known, 1, n_locals[thread]);
        if (++visits[out.at[i].node] > 64 && any) { /* else it is such a one, put there once */
            memset(out.at[i].known, 0, n_locals[thread]);
            bool fresh;
            au_map_put(&seen, hash_of(&out.at[i], thread), &fresh);
            if (!fresh)
                continue;
        }
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *p = &m->step.at[n->out.at[k]];
            state to;
            if (!is_visible(p) && take(&out.at[i], p, NULL, &to))
                put(&out, &seen, to, thread);
        }
    }
    free(visits);
    au_vec_release(all);
    memcpy(all, &out, sizeof out);
    au_map_release(&seen);
}

/* --- events ---------------------------------------------------------------------- */

static void place_of(uint32_t loc, char *file, size_t size, uint32_t *line) {
    *line = 0;
    *file = 0;
    if (loc == AU_NONE || loc < AU_LOC_NAMED)
        return;
    const char *text = au_intern_str(&trace->names.loc, loc - AU_LOC_NAMED);
    const char *colon = strchr(text, ':');
    if (!colon)
        return;
    *line = (uint32_t)strtoul(colon + 1, NULL, 10);
    const char *slash = colon;
    while (slash > text && slash[-1] != '/')
        slash--;
    snprintf(file, size, "%.*s", (int)(colon - slash), slash);
}

static bool at_place(const au_step *p, const char *file, uint32_t line) {
    if (p->line != line)
        return false;
    if (p->loc == AU_NONE || !*file)
        return true;
    const char *path = au_intern_str(&m->strings, p->loc), *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, file);
}

static bool matches(const au_step *p, au_op op) {
    bool reads = false, writes = false;
    for (uint32_t k = 0; k < p->n_accesses; k++)
        *(p->access[k].write ? &writes : &reads) = true;
    switch (op) {
    case AU_OP_READ:
    case AU_OP_AREAD:
        return reads;
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
        return writes;
    case AU_OP_RMW:
        return reads || writes;
    case AU_OP_ACQ:
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
        return p->kind == AU_STEP_ACQ || p->kind == AU_STEP_WRACQ || p->kind == AU_STEP_RDACQ;
    case AU_OP_REL:
    case AU_OP_UP:
        return p->kind == AU_STEP_REL;
    default:
        return false;
    }
}

static bool matches_sync(au_op op) {
    return op == AU_OP_ACQ || op == AU_OP_REL || op == AU_OP_RDACQ || op == AU_OP_WRACQ ||
           op == AU_OP_DOWN || op == AU_OP_UP;
}

/* "global 'x'" and "x.next[2]". */
static bool same_object(const char *object, const char *name) {
    if (strncmp(object, "global '", 8))
        return strstr(name, " in ") || strchr(name, '#');
    object += 8;
    size_t n = strcspn(object, "'");
    return !strncmp(object, name, n) && (!name[n] || strchr(".[+", name[n]));
}

static bool follow(follower *f, size_t e, bool optional, char *why, size_t size) {
    const au_columns *c = &trace->events;
    au_op op = c->op[e];
    char file[200];
    uint32_t line;
    place_of(c->loc[e], file, sizeof file, &line);
    bool has = c->any_value && (c->all_value || c->has_value[e]);
    uint64_t value = has ? (uint64_t)c->value[e] : 0;
    states next = {0};
    au_map seen;
    au_map_init(&seen);
    uint32_t thread = f->model, other = AU_NONE;
    bool wrong_value = false;
    for (size_t i = 0; i < f->now.n; i++) {
        const au_node *n = &m->thread.at[thread].node.at[f->now.at[i].node];
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *p = &m->step.at[n->out.at[k]];
            if (!matches(p, op) || !at_place(p, file, line))
                continue;
            uint32_t var = p->n_accesses ? p->access[0].var : AU_NONE;
            bool exact = var != AU_NONE && !src->var.at[var].summary;
            if (var != AU_NONE && !same_object(src->var.at[var].object,
                                               au_intern_str(&trace->names.var, c->obj[e]))) {
                other = var;
                continue;
            }
            unsigned w = var == AU_NONE ? 0 : m->var.at[var].width;
            bool number = has && exact && w <= 32; /* what is wider may be an address */
            uint64_t wrote;
            if (number && p->n_accesses == 1 && p->access[0].write && p->n_updates) {
                bool same = true;
                for (uint32_t u = 0; u < p->n_updates; u++)
                    if (p->update[u].var == var && eval(&f->now.at[i], p->update[u].value, &wrote))
                        same = wrote == (value & (w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1));
                if (!same) {
                    wrong_value = true;
                    continue;
                }
            }
            state to;
            /* of a read-modify-write the recording tells what was written */
            if (take(&f->now.at[i], p, number && op != AU_OP_RMW ? &value : NULL, &to))
                put(&next, &seen, to, thread);
        }
    }
    if (optional) {
        for (size_t i = 0; i < f->now.n; i++)
            put(&next, &seen, copy_of(&f->now.at[i], thread), thread);
    }
    au_map_release(&seen);
    if (!next.n) {
        int n = snprintf(
            why, size, "%s of '%s' at %s:%u%s; the model is at", au_op_name(op),
            au_intern_str(au_op_is_access(op) ? &trace->names.var : &trace->names.lock, c->obj[e]),
            file, line,
            wrong_value        ? " (with that value)"
            : other != AU_NONE ? " (of that variable)"
                               : "");
        for (size_t i = 0; i < f->now.n && i < 12; i++) {
            const au_node *at = &m->thread.at[thread].node.at[f->now.at[i].node];
            for (size_t k = 0; k < at->out.n && n < (int)size; k++) {
                const au_step *p = &m->step.at[at->out.at[k]];
                if (is_visible(p))
                    n += snprintf(why + n, size - (size_t)n, " %s:%u%s%s",
                                  au_step_kind_name(p->kind), p->line,
                                  p->n_accesses ? (p->access[0].write ? " W " : " R ") : "",
                                  p->n_accesses ? m->var.at[p->access[0].var].name : "");
            }
        }
        return false;
    }
    drop_all(&f->now);
    memcpy(&f->now, &next, sizeof next);
    close_states(&f->now, thread);
    return true;
}

static bool passes(const au_step *p, bool writes) {
    bool passed = p->n_accesses > 0;
    for (uint32_t k = 0; k < p->n_accesses; k++)
        passed &= writes || !p->access[k].write;
    return passed;
}

/* Goes on by the accesses at this line, too: of some there is no event. */
static void pass_accesses(follower *f, const char *file, uint32_t line, bool writes) {
    au_map seen;
    au_map_init(&seen);
    states out = {0};
    for (size_t i = 0; i < f->now.n; i++)
        put(&out, &seen, f->now.at[i], f->model);
    for (size_t i = 0; i < out.n; i++) {
        const au_node *at = &m->thread.at[f->model].node.at[out.at[i].node];
        for (size_t k = 0; k < at->out.n; k++) {
            const au_step *p = &m->step.at[at->out.at[k]];
            state to;
            if ((!is_visible(p) || (passes(p, writes) && at_place(p, file, line))) &&
                take(&out.at[i], p, NULL, &to))
                put(&out, &seen, to, f->model);
        }
    }
    au_vec_release(&f->now);
    memcpy(&f->now, &out, sizeof out);
    au_map_release(&seen);
}

/* A copy of many bytes: its accesses in any order, but all of them must be the model's. */
static bool follow_copy(follower *f, size_t e, size_t n, const uint8_t *must, char *why,
                        size_t size) {
    const au_columns *c = &trace->events;
    char file[200];
    uint32_t line;
    place_of(c->loc[e], file, sizeof file, &line);
    for (size_t i = e; i < e + n; i++) {
        bool found = !au_op_is_access(c->op[i]) || !must[c->obj[i]];
        const char *name = found ? "" : au_intern_str(&trace->names.var, c->obj[i]);
        for (size_t k = 0; k < m->step.n && !found; k++) {
            const au_step *p = &m->step.at[k];
            found = p->thread == f->model && p->n_accesses && matches(p, c->op[i]) &&
                    at_place(p, file, line) &&
                    same_object(src->var.at[p->access[0].var].object, name);
        }
        if (!found) {
            snprintf(why, size, "%s of '%s' at %s:%u, part of a copy, is not in the model",
                     au_op_name(c->op[i]), name, file, line);
            return false;
        }
    }
    pass_accesses(f, file, line, true);
    return true;
}

/* What a function of a library touches through its arguments is in the model, but the recording tells nothing of
 * it if the runtime does not define the function (sigemptyset), and not of all that it reads if it does (sigwait). */
static void follow_call(follower *f, size_t e) {
    const au_columns *c = &trace->events;
    const au_libc *row = au_libc_find(au_intern_str(&trace->names.block, c->obj[e]));
    char file[200];
    uint32_t line;
    place_of(c->loc[e], file, sizeof file, &line);
    if (row && row->does == AU_DOES_MEMORY)
        pass_accesses(f, file, line, row->runtime == AU_RUNTIME_NO);
}

/* Does the model touch several things where this event is? */
static bool in_copy(const follower *f, size_t e) {
    char file[200];
    uint32_t line;
    place_of(trace->events.loc[e], file, sizeof file, &line);
    for (size_t k = 0; k < m->step.n; k++)
        for (size_t j = 0; j < k && m->step.at[k].thread == f->model; j++)
            if (m->step.at[j].thread == f->model && m->step.at[j].n_accesses &&
                m->step.at[k].n_accesses && src->at.at[j] == src->at.at[k] &&
                at_place(&m->step.at[k], file, line) &&
                m->step.at[j].access[0].var != m->step.at[k].access[0].var)
                return true;
    return false;
}

static void start(follower *f, uint32_t model) {
    f->bound = true;
    f->model = model;
    if (model == AU_NONE)
        return;
    uint32_t n = n_locals[model];
    state s = {.node = m->thread.at[model].entry,
               .value = au_alloc_array(n + 1u, sizeof *s.value),
               .known = au_alloc_array(n + 1u, 1)};
    memset(s.known, 1, n);
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_LOCAL && m->var.at[v].thread == model)
            s.value[local_at[v]] = m->var.at[v].init;
    au_vec_push(&f->now, s);
    close_states(&f->now, model);
}

/* Which thread of the model the new one is: one that is created here and not there yet. */
static bool fork_it(follower *all, uint32_t parent, uint32_t child, size_t e) {
    follower *f = &all[parent];
    char file[200];
    uint32_t line;
    place_of(trace->events.loc[e], file, sizeof file, &line);
    uint32_t chosen = AU_NONE;
    for (size_t i = 0; i < f->now.n && chosen == AU_NONE; i++) {
        const au_node *n = &m->thread.at[f->model].node.at[f->now.at[i].node];
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *p = &m->step.at[n->out.at[k]];
            if (p->kind != AU_STEP_FORK || !at_place(p, file, line))
                continue;
            bool taken = false;
            for (size_t t = 0; t < trace->names.thread.n; t++)
                taken |= all[t].bound && all[t].model == p->obj;
            if (!taken) {
                chosen = p->obj;
                break;
            }
        }
    }
    states next = {0};
    au_map seen;
    au_map_init(&seen);
    for (size_t i = 0; i < f->now.n; i++) {
        const au_node *n = &m->thread.at[f->model].node.at[f->now.at[i].node];
        state to;
        bool forks = false;
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *p = &m->step.at[n->out.at[k]];
            forks |= p->kind == AU_STEP_FORK;
            if (p->kind == AU_STEP_FORK && p->obj == chosen && at_place(p, file, line) &&
                take(&f->now.at[i], p, NULL, &to))
                put(&next, &seen, to, f->model);
        }
        if (!forks && chosen == AU_NONE)
            put(&next, &seen, copy_of(&f->now.at[i], f->model), f->model);
    }
    au_map_release(&seen);
    bool good = next.n > 0;
    drop_all(&f->now);
    memcpy(&f->now, &next, sizeof next);
    close_states(&f->now, f->model);
    start(&all[child], chosen);
    return good;
}

int main(int argc, char **argv) {
    au_error err = AU_ERROR_NONE;
    if (argc < 3) {
        fprintf(stderr, "usage: source_follow RECORDING PROGRAM\n");
        return 2;
    }
    au_read_options ro = {.partial = true};
    trace = au_trace_load(argv[1], &ro, &err);
    const char *files[] = {argv[2]};
    au_source_options o = {0};
    if (trace)
        src = au_source_read(files, 1, NULL, 0, &o, &err);
    if (!trace || !src) {
        fprintf(stderr, "source_follow: %s\n", err.text);
        return 2;
    }
    m = src->model;
    local_at = au_alloc_array(m->var.n + 1, sizeof *local_at);
    n_locals = au_alloc_array(m->thread.n + 1, sizeof *n_locals);
    argument = au_alloc_array(m->var.n + 1, sizeof *argument);
    argument_known = au_alloc_array(m->var.n + 1, 1);
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_LOCAL)
            local_at[v] = n_locals[m->var.at[v].thread]++;
    const au_columns *c = &trace->events;
    size_t n_vars = trace->names.var.n, n_threads = trace->names.thread.n;
    uint8_t *written = au_alloc_array(n_vars + 1, 1);
    uint32_t *who = au_alloc_array(n_vars + 1, sizeof *who);
    for (size_t e = 0; e < c->n; e++)
        if (au_op_is_access(c->op[e])) {
            written[c->obj[e]] |= c->op[e] != AU_OP_READ && c->op[e] != AU_OP_AREAD;
            who[c->obj[e]] = who[c->obj[e]] && who[c->obj[e]] != c->thread[e] + 1u
                                 ? UINT32_MAX
                                 : c->thread[e] + 1u;
        }
    follower *all = au_alloc_array(n_threads + 1, sizeof *all);
    start(&all[0], 0);
    size_t followed = 0, passed = 0;
    int status = 0;
    uint64_t *index = au_alloc_array(n_threads + 1, sizeof *index);
    uint8_t *must = au_alloc_array(n_vars + 1, 1);
    const char **allocated = au_alloc_array(n_threads + 1, sizeof *allocated);
    for (size_t v = 0; v < n_vars; v++)
        must[v] = written[v] && who[v] == UINT32_MAX;
    for (size_t e = 0; e < c->n && !status; e++) {
        follower *f = &all[c->thread[e]];
        size_t group = 1;
        index[c->thread[e]]++;
        while (e + group < c->n && c->thread[e + group] == c->thread[e] &&
               au_op_is_access(c->op[e]) && au_op_is_access(c->op[e + group]) &&
               au_hooks_goes_on(&trace->hooks, c->thread[e], index[c->thread[e]] + 1)) {
            group++;
            index[c->thread[e]]++;
        }
        /* Memory that is zeroed when it is allocated is nobody's yet. */
        const char *block = allocated[c->thread[e]];
        bool fresh = block && strchr(block, '#') && c->op[e] == AU_OP_WRITE &&
                     !strncmp(block, au_intern_str(&trace->names.var, c->obj[e]), strlen(block));
        allocated[c->thread[e]] =
            c->op[e] == AU_OP_ALLOC ? au_intern_str(&trace->names.var, c->obj[e]) : NULL;
        if (!f->bound || f->model == AU_NONE || (fresh && au_op_is_access(c->op[e]))) {
            e += group - 1;
            continue;
        }
        char why[1500];
        bool access = au_op_is_access(c->op[e]);
        if (group > 1) {
            if (!follow_copy(f, e, group, must, why, sizeof why)) {
                printf("event %zu of %s: %s\n", e + 1,
                       au_intern_str(&trace->names.thread, c->thread[e]), why);
                status = 1;
            }
            followed += group;
            e += group - 1;
        } else if (c->op[e] == AU_OP_FORK) {
            if (!fork_it(all, c->thread[e], c->obj[e], e)) {
                printf("event %zu: fork of %s cannot be followed\n", e + 1,
                       au_intern_str(&trace->names.thread, c->obj[e]));
                status = 1;
            }
        } else if (c->op[e] == AU_OP_XCALL && c->obj[e] != AU_NONE) {
            follow_call(f, e);
        } else if (access || matches_sync(c->op[e])) {
            bool optional = !access || !must[c->obj[e]];
            bool good = follow(f, e, optional, why, sizeof why);
            if (access && in_copy(f, e)) /* others of the same copy are not told of */
                good = follow_copy(f, e, 1, must, why, sizeof why);
            if (!good) {
                printf("event %zu of %s: %s\n", e + 1,
                       au_intern_str(&trace->names.thread, c->thread[e]), why);
                status = 1;
            }
            followed += !optional;
            passed += optional;
        }
        if (too_many) {
            printf("too many states at event %zu\n", e + 1);
            status = 3;
        }
    }
    if (!status)
        printf("followed %zu accesses (%zu more events)\n", followed, passed);
    for (size_t t = 0; t < n_threads; t++)
        drop_all(&all[t].now);
    free(all);
    free(written);
    free(who);
    free(index);
    free(must);
    free(allocated);
    return status;
}
