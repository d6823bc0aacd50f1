/* lower/errors.c: what calls of locks and threads return: 0 where they cannot fail, an error where the model
 * can tell, any value elsewhere. Creating threads and locks succeeds. */
#include "lower/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_STACK = 16384 }; /* PTHREAD_STACK_MIN */

static bool number(const bld *b, const struct au_code_call *c, uint32_t arg, uint64_t *n) {
    const au_code *code = b->s->fn.at[b->s->frame.at[b->block->frame].fn].code;
    if (arg >= c->n_args)
        return false;
    au_operand o = code->arg[c->arg + arg].at;
    if (o >= 0 || code->pool[~o].kind != AU_CONST_NUMBER)
        return false;
    *n = code->pool[~o].value;
    return true;
}

static bool lock_known(bld *b, const struct au_code_call *c, uint32_t arg) {
    const au_code *code = b->s->fn.at[b->s->frame.at[b->block->frame].fn].code;
    return arg < c->n_args && au_bld_lock_known(b, b->block->frame, code->arg[c->arg + arg].at);
}

/* One that need not be followed. */
static bool nothing_fails(const bld *b, const struct au_code_call *c, const char *name) {
    static const struct {
        const char *name;
        uint64_t least, most; /* of its second argument; 1, 0: it may fail anyhow */
    } may[] = {{"pthread_attr_setdetachstate", 0, 1},
               {"pthread_attr_setstacksize", LEAST_STACK, UINT64_MAX},
               {"pthread_condattr_setclock", 0, 1},
               {"pthread_mutexattr_setpshared", 0, 1},
               {"pthread_detach", 1, 0},
               {"pthread_key_delete", 1, 0},
               {"pthread_mutex_destroy", 1, 0},
               {"thrd_detach", 1, 0}};
    uint64_t n;
    for (size_t i = 0; i < sizeof may / sizeof *may; i++)
        if (!strcmp(name, may[i].name))
            return !number(b, c, 1, &n) || n < may[i].least || n > may[i].most;
    return false;
}

bool au_bld_may_fail(bld *b, const struct au_code_call *c, const au_libc *l) {
    uint64_t n;
    switch ((au_libc_sync)l->sync) {
    case AU_SYNC_LOCK:
    case AU_SYNC_UNLOCK: /* a lock that checks is not in the model */
        return b->checked && !lock_known(b, c, 0);
    case AU_SYNC_WAIT:
        return b->checked && !lock_known(b, c, 1);
    case AU_SYNC_SEM_INIT:
        return !number(b, c, 2, &n) || n > INT32_MAX;
    case AU_SYNC_SEM_POST: /* beyond SEM_VALUE_MAX */
        return b->large;
    case AU_SYNC_BARRIER_INIT:
        return !number(b, c, 2, &n) || !n || n > INT32_MAX;
    case AU_SYNC_ATTR_SETTYPE:
        return !number(b, c, 1, &n) || n > 3;
    case AU_SYNC_COMPARE:
        return true;
    case AU_SYNC_NOTHING:
        return nothing_fails(b, c, l->name);
    default:
        return false;
    }
}

/* --- a result that depends on the way -------------------------------------------------- */

void au_bld_result_begin(bld *b, const au_code_insn *i, const struct au_code_call *c,
                         au_bld_result *r) {
    *r = (au_bld_result){.var = AU_NONE, .width = c->result_width ? c->result_width : 32};
    if (i->dst == AU_NONE || !c->result_used)
        return;
    r->var = au_bld_slot_var(b, b->block->frame, i->dst);
    r->cross = b->s->fn.at[b->s->frame.at[b->block->frame].fn].cross[i->dst];
}

void au_bld_result_is(bld *b, const au_bld_result *r, uint64_t value) {
    if (r->var != AU_NONE)
        au_bld_assign(b, r->var, au_term_const(b->t, r->width, value));
}

void au_bld_result_any(bld *b, const au_bld_result *r, bool error) {
    if (r->var == AU_NONE)
        return;
    au_bld_havoc(b, r->var, AU_OVER);
    b->how = AU_OVER;
    if (error)
        au_bld_step(b, AU_STEP_ASSUME)->guard =
            au_term_truth(b->t, au_model_var_term(b->m, r->var));
    b->how = AU_EXACT;
}

void au_bld_result_end(bld *b, const au_code_insn *i, const au_bld_result *r) {
    if (r->var != AU_NONE && !r->cross && b->node != AU_NONE)
        au_bld_set(b, i->dst, au_model_var_term(b->m, r->var));
}

/* --- a try that fails ------------------------------------------------------------------ */

void au_bld_try_fails(bld *b, const au_libc *l, uint32_t obj, const au_bld_result *r) {
    bool sem = !strncmp(l->name, "sem_", 4), c11 = !strncmp(l->name, "mtx_", 4);
    bool timed = strstr(l->name, "timed") || strstr(l->name, "clock");
    if (obj == AU_NONE && b->checked && !sem) {
        au_bld_result_any(b, r, true);
        return;
    }
    /* Taken by somebody; a time may be up although it is free by now, C11's may fail for no reason. */
    const au_sync_obj *o = obj == AU_NONE ? NULL : &b->m->obj.at[obj];
    if (o && !timed && !c11 && o->kind != AU_OBJ_RWLOCK) {
        au_term state = au_model_var_term(b->m, o->var[0]);
        unsigned w = b->m->var.at[o->var[0]].width;
        au_term zero = au_term_const(b->t, w, 0);
        b->how = AU_OVER;
        au_bld_step(b, AU_STEP_ASSUME)->guard =
            sem ? au_term_make(b->t, AU_T_SLE, state, zero)
                : au_term_not(b->t, au_term_eq(b->t, state, zero));
        b->how = AU_EXACT;
    }
    enum { THRD_BUSY = 1, THRD_TIMEDOUT = 4 };
    au_bld_result_is(b, r,
                     sem     ? UINT64_MAX >> (64 - r->width)
                     : c11   ? timed ? THRD_TIMEDOUT : THRD_BUSY
                     : timed ? ETIMEDOUT
                             : EBUSY);
}

/* --- a thread that was joined ---------------------------------------------------------- */

uint32_t au_bld_joined_flag(bld *b, uint32_t thread) {
    bool fresh;
    uint64_t *at = au_map_put(&b->joined, au_key2(b->thread, thread), &fresh);
    if (fresh) {
        char name[32];
        snprintf(name, sizeof name, "joined.%u", thread);
        uint32_t v = au_bld_new_local(b, name, 1);
        *au_map_find(&b->joined, au_key2(b->thread, thread)) = v;
        return v;
    }
    return (uint32_t)*at;
}
