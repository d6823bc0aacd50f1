/* lower/kinds.c: which locks there are, before threads are built: those that every call knows the place of, what
 * kinds they are of, what they begin with; and what else of threads decides what calls may return. */
#include "lower/build.h"

#include <string.h>

bool au_bld_is_place(const src *s, uint32_t loc) {
    const au_src_loc *l = &s->loc.at[loc];
    const au_src_obj *o = &s->obj.at[l->obj];
    return !l->stride && !o->absorbed && !o->many && !o->collapsed && !o->vague &&
           (o->kind == OBJ_GLOBAL || o->kind == OBJ_STACK || o->kind == OBJ_HEAP);
}

static const au_libc *sync_call(const src *s, uint32_t frame, uint32_t insn,
                                const struct au_code_call **call) {
    uint32_t fn = s->frame.at[frame].fn;
    const au_code *c = s->fn.at[fn].code;
    const au_code_insn *i = &c->insn[insn];
    if (i->op != AU_C_CALL || !c->call[i->aux].name ||
        au_src_direct(s, fn, &c->call[i->aux]) != AU_NONE)
        return NULL;
    *call = &c->call[i->aux];
    const au_libc *l = au_src_library_find(au_code_text(c, (*call)->name));
    return l && l->does == AU_DOES_SYNC ? l : NULL;
}

static bool number(const au_code *c, au_operand o, uint64_t *n) {
    if (o >= 0 || c->pool[~o].kind != AU_CONST_NUMBER)
        return false;
    *n = c->pool[~o].value;
    return true;
}

static void mark_vague(bld *b, uint32_t obj, uint32_t loc) {
    src *s = b->s;
    /* All places of the object that this one may be. */
    for (uint32_t l = 0; l < s->loc.n; l++)
        if (s->loc.at[l].obj == obj && au_src_loc_meets(&s->loc.at[l], 1, &s->loc.at[loc], 1))
            au_map_put(&b->vague, l, NULL);
}

/* Static initialisers say in their bytes what kind of mutex it is (glibc: an int at 16): 0 plain, 1 recursive,
 * 2 checks, 3 plain; more bits: robust, priorities. A mutex that checks counts as 4 here. */
unsigned au_bld_static_type(const src *s, uint32_t loc) {
    const au_src_loc *l = &s->loc.at[loc];
    const au_src_obj *o = &s->obj.at[l->obj];
    if (o->kind != OBJ_GLOBAL)
        return 0;
    const au_code *c = s->code[o->module];
    const struct au_code_global *g = &c->global[o->place];
    if (g->zero || !g->defined || l->off < 0 || (uint64_t)l->off + 17 > g->size)
        return 0;
    unsigned type = c->bytes[g->data + (uint64_t)l->off + 16];
    return type == 2 ? 4 : type;
}

static bool is_mutex(const au_libc *l, uint32_t arg) {
    switch ((au_libc_sync)l->sync) {
    case AU_SYNC_LOCK:
    case AU_SYNC_UNLOCK:
    case AU_SYNC_TRYLOCK:
        return strncmp(l->name, "pthread_spin", 12) != 0;
    case AU_SYNC_WAIT:
    case AU_SYNC_TIMEDWAIT:
        return l->args[arg] == 'l';
    default:
        return false;
    }
}

/* What the program does at all decides what calls may return. */
static void look_at_kinds(bld *b, uint32_t frame, const au_code *code, const struct au_code_call *c,
                          const au_libc *l) {
    uint64_t n = 0;
    bool known = c->n_args > 1 && number(code, code->arg[c->arg + 1].at, &n);
    uint32_t thread = b->s->frame.at[frame].thread;
    if (l->sync == AU_SYNC_ATTR_SETTYPE)
        b->types |= !known || n == 2 || n > 3 ? AU_TYPE_CHECKED
                    : n == 1                  ? AU_TYPE_RECURSIVE
                                              : AU_TYPE_PLAIN;
    if (l->sync == AU_SYNC_WAIT || l->sync == AU_SYNC_TIMEDWAIT)
        b->cond_waits = true;
    if (l->sync == AU_SYNC_JOIN && b->joins != thread)
        b->joins = b->joins == AU_NONE ? thread : MANY;
    b->detaches |= !strcmp(l->name, "pthread_detach") || !strcmp(l->name, "thrd_detach") ||
                   (!strcmp(l->name, "pthread_attr_setdetachstate") && (!known || n));
}

/* Mutexes with attributes that check, or of which that is not known. */
static void settle_kinds(bld *b) {
    for (size_t m = 0; m < b->s->n_codes; m++) {
        const au_code *c = b->s->code[m];
        for (uint32_t k = 0; k < c->n_calls; k++) {
            const char *name = c->call[k].name ? au_code_text(c, c->call[k].name) : "";
            if (!strcmp(name, "pthread_mutexattr_setrobust") ||
                !strcmp(name, "pthread_mutexattr_setprotocol") ||
                !strcmp(name, "pthread_mutexattr_setprioceiling"))
                b->types |= AU_TYPE_CHECKED;
        }
    }
    bool mixed = (b->types & AU_TYPE_PLAIN) && (b->types & AU_TYPE_RECURSIVE);
    if (!mixed && !(b->types & AU_TYPE_CHECKED))
        return;
    b->checked = true;
    size_t n = b->s->loc.n;
    for (uint32_t loc = 0; loc < n; loc++) {
        const uint64_t *init = au_map_find(&b->recursive, loc);
        if (init && *init == 1)
            mark_vague(b, b->s->loc.at[loc].obj, loc);
    }
}

static void look_at(bld *b, uint32_t frame, uint32_t insn) {
    src *s = b->s;
    const struct au_code_call *c;
    const au_libc *l = sync_call(s, frame, insn, &c);
    if (!l)
        return;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    const au_code *code = f->code;
    if (l->sync == AU_SYNC_ATOMIC_BEGIN && b->atomic == AU_NONE)
        b->atomic = au_model_add_sync(b->m, "atomic", AU_OBJ_LOCK, 0);
    uint64_t n;
    look_at_kinds(b, frame, code, c, l);
    for (uint32_t k = 0; l->args[k] && k < c->n_args; k++) {
        if (l->args[k] != 'l' && l->args[k] != 'c')
            continue;
        au_src_set set = au_src_points(s, frame, code->arg[c->arg + k].at);
        bool good = set.n > 0 && set.n <= 16;
        for (size_t i = 0; i < set.n; i++)
            good &= au_bld_is_place(s, set.at ? set.at[i] : set.one);
        for (size_t i = 0; i < set.n; i++) {
            uint32_t loc = set.at ? set.at[i] : set.one;
            if (!good)
                mark_vague(b, s->loc.at[loc].obj, loc);
            if (l->sync == AU_SYNC_LOCK && !strncmp(l->name, "pthread_spin", 12))
                *au_map_put(&b->recursive, loc, NULL) = 3;
            else if (is_mutex(l, k) && au_bld_static_type(s, loc) & ~3u) {
                b->checked = true;
                mark_vague(b, s->loc.at[loc].obj, loc);
            }
            bool counts = l->sync == AU_SYNC_SEM_INIT || l->sync == AU_SYNC_BARRIER_INIT;
            if (counts) {
                bool fresh;
                uint64_t *at = au_map_put(&b->count, loc, &fresh);
                bool fine = c->n_args > 2 && number(code, code->arg[c->arg + 2].at, &n) &&
                            n <= INT32_MAX && set.n == 1 && !s->frame.at[frame].again &&
                            !f->cyclic[insn - f->f->first];
                if (!fine || (!fresh && *at != n + 1))
                    mark_vague(b, s->loc.at[loc].obj, loc);
                *at = fine ? n + 1 : 1;
                b->large |= l->sync == AU_SYNC_SEM_INIT && (!fine || n > INT32_MAX / 2);
            }
            if (l->sync == AU_SYNC_MUTEX_INIT && c->n_args > 1) {
                bool typed = l->args[1] == 'k';
                bool known = number(code, code->arg[c->arg + 1].at, &n);
                if (typed ? !known || (n & 1) : !known || n)
                    *au_map_put(&b->recursive, loc, NULL) = typed ? 2 : 1;
            }
        }
        if (!good)
            au_src_over(s, frame, insn,
                        "%s that may be one of several objects or an array element protects only "
                        "what is reached the same way",
                        l->args[k] == 'c' ? "a condition" : "a lock");
    }
}

void au_bld_sync_find(bld *b) {
    src *s = b->s;
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t k = 0; k < g->f->n; k++)
            if (g->live[k] && g->code->insn[g->f->first + k].op == AU_C_CALL)
                look_at(b, f, g->f->first + k);
    }
    settle_kinds(b);
    for (size_t i = 0; i < s->fn.n && b->atomic == AU_NONE; i++)
        if (!strncmp(au_code_text(s->fn.at[i].code, s->fn.at[i].f->name), "__VERIFIER_atomic_", 18))
            b->atomic = au_model_add_sync(b->m, "atomic", AU_OBJ_LOCK, 0);
}
