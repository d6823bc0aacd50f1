/* funnel/certify.c: questions into groups, groups to workers, what came of them into the list. */
#include "funnel/certify.h"

#include "base/clock.h"
#include "base/worker.h"
#include "model/ctp.h"
#include "solve/certify.h"
#include "solve/memory.h"
#include "verify/reason.h"

#include <stdio.h>
#include <string.h>

/* Questions that one proof refutes together: the clauses of a model are written once for so many. */
enum { GROUP = 64 };

typedef struct {
    AU_VEC(uint32_t) item; /* of the list */
    uint32_t number;       /* of the proof */
} group;

typedef struct {
    const au_plan *plan;
    au_refuted_list all;
    size_t first; /* of this model, in all.refuted */
    au_ref *r;
    uint32_t model, proofs;
    AU_VEC(group) now, next;
} certifier;

static au_status write_list(const char *dir, const au_refuted_list *all, au_error *err) {
    char *path = au_sprintf("%s/refuted.txt", dir);
    au_out *o = au_out_open(path, err);
    free(path);
    if (!o)
        return err->status;
    au_refuted_list_write(all, o);
    return au_out_commit(o, err);
}

static au_status read_list(const char *dir, au_refuted_list *all, au_error *err) {
    char *path = au_sprintf("%s/refuted.txt", dir);
    au_refuted_list_init(all);
    au_status st = au_refuted_list_read(all, path, err);
    if (st == AU_OK && all->altered)
        st = au_error_set(err, AU_EFORMAT, "'%s' was changed meanwhile", path);
    free(path);
    return st;
}

au_status au_certify_begin(const char *dir, au_error *err) {
    au_refuted_list none;
    au_refuted_list_init(&none);
    none.unfinished = true;
    au_status st = write_list(dir, &none, err);
    au_refuted_list_release(&none);
    return st;
}

au_status au_certify_finish(const char *dir, au_error *err) {
    au_refuted_list all;
    au_status st = read_list(dir, &all, err);
    all.unfinished = false;
    if (st == AU_OK)
        st = write_list(dir, &all, err);
    au_refuted_list_release(&all);
    return st;
}

/* --- the model as text ------------------------------------------------------------------------ */

/* The numbers of another model's variables, objects, steps and blocks: text has them in an order of its own,
 * steps by thread. */
typedef struct {
    uint32_t *var, *obj, *step, *block;
} renumbering;

static uint32_t find_var(const au_model *m, const au_var_info *x) {
    for (uint32_t v = 0; v < m->var.n; v++) {
        const au_var_info *y = &m->var.at[v];
        if (x->kind == y->kind && x->width == y->width && x->init == y->init &&
            x->thread == y->thread && !strcmp(x->name, y->name))
            return v;
    }
    return AU_NONE;
}

static uint32_t find_obj(const au_model *m, const au_sync_obj *x) {
    for (uint32_t i = 0; i < m->obj.n; i++)
        if (m->obj.at[i].kind == x->kind && m->obj.at[i].init == x->init &&
            !strcmp(m->obj.at[i].name, x->name))
            return i;
    return AU_NONE;
}

static void pair(renumbering *n, uint32_t a, uint32_t b) {
    if (a != AU_NONE)
        n->var[a] = b;
}

/* The state of objects and threads has names of its own. */
static void pair_states(const au_model *a, const au_model *b, renumbering *n) {
    for (size_t i = 0; i < a->obj.n; i++) {
        const au_sync_obj *x = &a->obj.at[i], *y = &b->obj.at[n->obj[i]];
        pair(n, x->var[0], y->var[0]);
        pair(n, x->var[1], y->var[1]);
        for (size_t t = 0; t < x->per.n && t < y->per.n; t++)
            pair(n, x->per.at[t], y->per.at[t]);
    }
    for (size_t t = 0; t < a->thread.n; t++) {
        pair(n, a->thread.at[t].started, b->thread.at[t].started);
        pair(n, a->thread.at[t].done, b->thread.at[t].done);
    }
}

/* The steps of each thread, one by one; blocks as they come with them. */
static bool pair_steps(const au_model *a, const au_model *b, renumbering *n) {
    for (uint32_t t = 0; t < a->thread.n; t++) {
        size_t k = 0;
        for (size_t i = 0; i < a->step.n; i++) {
            if (a->step.at[i].thread != t)
                continue;
            while (k < b->step.n && b->step.at[k].thread != t)
                k++;
            if (k == b->step.n)
                return false;
            uint32_t block = a->step.at[i].block;
            if (block != AU_NONE && n->block[block] == AU_NONE)
                n->block[block] = b->step.at[k].block;
            n->step[i] = (uint32_t)k++;
        }
    }
    return true;
}

/* False: something has no counterpart. */
static bool renumber(const au_model *a, const au_model *b, renumbering *n, au_error *err) {
    bool good = a->var.n == b->var.n && a->obj.n == b->obj.n && a->thread.n == b->thread.n;
    const char *what = "a variable";
    n->var = au_alloc_array(a->var.n + 1, sizeof *n->var);
    n->obj = au_alloc_array(a->obj.n + 1, sizeof *n->obj);
    n->step = au_alloc_array(a->step.n + 1, sizeof *n->step);
    n->block = au_alloc_array(a->n_blocks + 1, sizeof *n->block);
    memset(n->var, 0xff, (a->var.n + 1) * sizeof *n->var);
    memset(n->block, 0xff, (a->n_blocks + 1) * sizeof *n->block);
    good = good && a->step.n == b->step.n && a->n_blocks == b->n_blocks && pair_steps(a, b, n);
    for (size_t i = 0; i < a->obj.n && good; i++) {
        n->obj[i] = find_obj(b, &a->obj.at[i]);
        good = n->obj[i] != AU_NONE;
        what = a->obj.at[i].name;
    }
    if (good)
        pair_states(a, b, n);
    for (size_t v = 0; v < a->var.n && good; v++) {
        if (n->var[v] == AU_NONE)
            n->var[v] = find_var(b, &a->var.at[v]);
        good = n->var[v] != AU_NONE && a->var.at[v].width == b->var.at[n->var[v]].width &&
               a->var.at[v].init == b->var.at[n->var[v]].init;
        what = a->var.at[v].name;
    }
    if (!good)
        au_error_set(err, AU_EUNSUPPORTED, "the model is not the same when it is read again: '%s'",
                     what);
    return good;
}

static uint32_t numbered(const uint32_t *number, uint32_t i) {
    return i == AU_NONE ? AU_NONE : number[i];
}

/* Of one thread: its nodes in the other model. Steps lead from node to node, so pairs of steps tell it. */
static bool pair_nodes(const au_model *a, const au_model *b, const renumbering *n, uint32_t t,
                       uint32_t *node) {
    const au_thread *x = &a->thread.at[t], *y = &b->thread.at[t];
    uint32_t *back = au_alloc_array(y->node.n + 1, sizeof *back);
    memset(back, 0xff, (y->node.n + 1) * sizeof *back);
    memset(node, 0xff, (x->node.n + 1) * sizeof *node);
    node[x->entry] = y->entry;
    back[y->entry] = x->entry;
    bool same = x->node.n == y->node.n;
    for (size_t s = 0; same && s < a->step.n; s++) {
        const au_step *p = &a->step.at[s], *q = &b->step.at[n->step[s]];
        const uint32_t from[2] = {p->src, p->dst}, to[2] = {q->src, q->dst};
        for (int i = 0; same && i < 2 && p->thread == t; i++) {
            if (node[from[i]] == AU_NONE && back[to[i]] == AU_NONE) {
                node[from[i]] = to[i];
                back[to[i]] = from[i];
            }
            same = node[from[i]] == to[i] && back[to[i]] == from[i];
        }
    }
    same = same && (node[x->exit] == y->exit || (x->entry == x->exit && y->entry == y->exit));
    free(back);
    return same;
}

static bool same_nodes(const au_model *a, const au_model *b, const renumbering *n) {
    bool same = true;
    for (uint32_t t = 0; t < a->thread.n && same; t++) {
        uint32_t *node = au_alloc_array(a->thread.at[t].node.n + 1, sizeof *node);
        same = pair_nodes(a, b, n, t, node);
        free(node);
    }
    return same;
}

static bool same_step(const au_step *a, const au_step *b, const renumbering *n) {
    bool of_thread = a->kind == AU_STEP_FORK || a->kind == AU_STEP_JOIN;
    return a->thread == b->thread && a->kind == b->kind && a->n_updates == b->n_updates &&
           a->n_accesses == b->n_accesses &&
           b->obj == (of_thread ? a->obj : numbered(n->obj, a->obj)) &&
           b->obj2 == numbered(n->obj, a->obj2) && b->havoc == numbered(n->var, a->havoc) &&
           a->choice == b->choice && a->blocking == b->blocking &&
           b->block == numbered(n->block, a->block) && a->spurious == b->spurious &&
           a->timed == b->timed;
}

/* Terms of two models in one table. */
typedef struct {
    const au_model *a, *b;
    const renumbering *n;
    au_terms *t;
    uint32_t *own;
} both;

static bool same_term(const both *c, au_term x, au_term y) {
    return au_term_same(au_term_import(c->t, c->a->terms, x, c->n->var),
                        au_term_import(c->t, c->b->terms, y, c->own));
}

/* Updates happen at once: their order means nothing. */
static bool same_updates(const both *c, const au_step *x, const au_step *y) {
    bool same = true;
    for (uint32_t i = 0; same && i < x->n_updates; i++) {
        uint32_t k = 0, var = c->n->var[x->update[i].var];
        while (k < y->n_updates && y->update[k].var != var)
            k++;
        same = k < y->n_updates && same_term(c, x->update[i].value, y->update[k].value);
    }
    return same;
}

/* Are the steps of the two the same, but for the numbers of variables, objects and nodes? */
static bool same_model(const au_model *a, const au_model *b, const renumbering *n, au_error *err) {
    both c = {a, b, n, au_terms_new(), au_alloc_array(b->var.n + 1, sizeof *c.own)};
    bool same = same_nodes(a, b, n);
    for (uint32_t v = 0; v < b->var.n; v++)
        c.own[v] = v;
    for (size_t s = 0; same && s < a->step.n; s++) {
        const au_step *x = &a->step.at[s], *y = &b->step.at[n->step[s]];
        same = same_step(x, y, n) && same_term(&c, x->guard, y->guard) &&
               same_term(&c, x->cond, y->cond) && same_updates(&c, x, y);
        for (uint32_t i = 0; same && i < x->n_accesses; i++)
            same = n->var[x->access[i].var] == y->access[i].var &&
                   x->access[i].write == y->access[i].write;
    }
    free(c.own);
    au_terms_free(c.t);
    if (!same)
        au_error_set(err, AU_EUNSUPPORTED, "the model is not the same when it is read again");
    return same;
}

/* The model as whoever verifies will read it; NULL: it cannot be written so. The text is written to the directory. */
static au_model *write_model(certifier *k, const au_model *m, renumbering *number, au_error *err) {
    char *path = au_sprintf("%s/model-%u.ctp", k->plan->certify, k->model);
    au_out *text = au_out_memory();
    au_model *again = NULL;
    if (au_ctp_print(m, text, err) == AU_OK) {
        size_t n;
        const char *data = au_out_memory_data(text, &n);
        again = au_ctp_read(data, n, path, NULL, err);
        if (again && !(renumber(m, again, number, err) && same_model(m, again, number, err))) {
            au_model_free(again);
            again = NULL;
        }
        au_out *o = again ? au_out_open(path, err) : NULL;
        if (o)
            au_out_write(o, data, n);
        if (!o || au_out_commit(o, err) != AU_OK) {
            au_model_free(again);
            again = NULL;
        } else {
            au_vec_last(&k->all.model).hash = au_hash_bytes(data, n);
        }
    }
    au_out_abandon(text);
    free(path);
    return again;
}

static au_ref_question question_of(const au_query *q) {
    static const au_ref_ask kind[AU_ASK_KINDS] = {
        [AU_ASK_ASSERT] = AU_REF_ASSERT,       [AU_ASK_RACE] = AU_REF_RACE,
        [AU_ASK_ATOMICITY] = AU_REF_ATOMICITY, [AU_ASK_DEADLOCK] = AU_REF_DEADLOCK,
        [AU_ASK_MISUSE] = AU_REF_MISUSE,       [AU_ASK_NONDET] = AU_REF_NONDET,
        [AU_ASK_REACH] = AU_REF_REACH};
    uint32_t write = 0;
    for (unsigned i = 0; i < 3; i++)
        write |= (uint32_t)q->write[i] << i;
    return (au_ref_question){.kind = kind[q->kind],
                             .step = {q->step[0], q->step[1], q->step[2]},
                             .var = q->var,
                             .obj = q->obj,
                             .writer = q->writer,
                             .write = write,
                             .at_end = q->at_end,
                             .atomic = q->atomic};
}

/* --- a group, in a worker ----------------------------------------------------------------------- */

static au_status write_files(const certifier *k, const group *g, au_certificate *c, au_error *err) {
    char *path[2] = {au_sprintf("%s/%u.cert", k->plan->certify, g->number),
                     au_sprintf("%s/%u.cnf", k->plan->certify, g->number)};
    au_status st = AU_OK;
    for (int i = 0; i < 2 && st == AU_OK; i++) {
        au_out *o = au_out_open(path[i], err);
        if (o && !i)
            au_certificate_write(c, o);
        else if (o)
            au_cnf_write(&k->r->cnf, o);
        st = o ? au_out_commit(o, err) : err->status;
    }
    free(path[0]);
    free(path[1]);
    return st;
}

/* The answer: one byte how it ended, then a byte for each question, whether the encoding says that it can be. */
static void work(void *ctx, uint32_t job, au_out *out) {
    certifier *k = ctx;
    const group *g = &k->now.at[job];
    au_certificate c = {.model = k->model};
    au_error err = AU_ERROR_NONE;
    au_solve_on_no_memory(au_job_no_memory);
    au_certificate_rules(k->r, &c.lock, &c.fold);
    for (size_t i = 0; i < g->item.n; i++)
        au_vec_push(&c.question, k->all.refuted.at[g->item.at[i]].q);
    bool *true_of = au_alloc_array(g->item.n + 1, sizeof *true_of);
    char *proof = au_sprintf("%s/%u.drat", k->plan->certify, g->number);
    double seconds = k->plan->seconds;
    au_certify_end end = AU_CERTIFY_FAILED;
    if (au_ref_any(k->r, c.question.at, c.question.n, &err))
        end = au_certify(k->r, proof, seconds > 0 ? au_now() + seconds : 0, &c.lemma, true_of);
    if (end == AU_CERTIFY_PROVED &&
        (au_certificate_seal(&c, proof, &err) != AU_OK || write_files(k, g, &c, &err) != AU_OK))
        end = AU_CERTIFY_FAILED;
    if (end != AU_CERTIFY_PROVED)
        remove(proof);
    au_out_char(out, (char)end);
    au_out_write(out, true_of, g->item.n);
    if (end == AU_CERTIFY_FAILED)
        au_out_str(out, err.text);
    au_certificate_release(&c);
    free(true_of);
    free(proof);
}

static void drop(certifier *k, uint32_t item, const char *why) {
    au_refuted *x = &k->all.refuted.at[item];
    x->how = AU_HOW_NONE;
    x->why = au_arena_strndup(&k->all.arena, why, strlen(why));
}

/* Asks again without those that cannot be certified; in two halves if time was short. */
static void ask_again(certifier *k, const group *g, const char *without, size_t parts) {
    for (size_t p = 0; p < parts; p++) {
        group part = {.number = 0};
        for (size_t i = p * g->item.n / parts; i < (p + 1) * g->item.n / parts; i++)
            if (!without || !without[i])
                au_vec_push(&part.item, g->item.at[i]);
        if (part.item.n)
            au_vec_push(&k->next, part);
    }
}

static bool done(void *ctx, const au_job_result *r) {
    certifier *k = ctx;
    const group *g = &k->now.at[r->index];
    bool answered = r->end == AU_JOB_DONE && r->size > g->item.n;
    int end = answered ? r->data[0] : AU_CERTIFY_OPEN;
    if (end == AU_CERTIFY_PROVED) {
        for (size_t i = 0; i < g->item.n; i++) {
            k->all.refuted.at[g->item.at[i]].how = AU_HOW_PROOF;
            k->all.refuted.at[g->item.at[i]].number = g->number;
        }
    } else if (end == AU_CERTIFY_WEAK) {
        for (size_t i = 0; i < g->item.n; i++)
            if (r->data[1 + i])
                drop(k, g->item.at[i], "the reference encoding does not exclude it");
        ask_again(k, g, r->data + 1, 1);
    } else if (end == AU_CERTIFY_OPEN && g->item.n > 1 && r->end != AU_JOB_CANCELLED) {
        ask_again(k, g, NULL, 2);
    } else {
        size_t head = 1 + g->item.n;
        char *why = end == AU_CERTIFY_FAILED
                        ? au_sprintf("%.*s", (int)(r->size - head), r->data + head)
                        : au_strdup("no proof within the limits");
        for (size_t i = 0; i < g->item.n; i++)
            drop(k, g->item.at[i], why);
        free(why);
    }
    return true;
}

/* Rounds until every question has its proof or its reason. */
static au_status prove(certifier *k, au_error *err) {
    au_status st = AU_OK;
    while (k->next.n && st == AU_OK) {
        k->now.n = 0;
        for (size_t i = 0; i < k->next.n; i++) {
            k->next.at[i].number = ++k->proofs;
            au_vec_push(&k->now, k->next.at[i]);
        }
        k->next.n = 0;
        double seconds = k->plan->seconds > 0 ? k->plan->seconds * 1.25 + 1 : 0;
        au_pool_limits limits = {.jobs = k->plan->jobs ? k->plan->jobs : au_cores(),
                                 .seconds = seconds,
                                 .memory_bytes = k->plan->memory};
        st = au_pool_run((uint32_t)k->now.n, &limits, work, done, k, err);
        for (size_t i = 0; i < k->now.n; i++)
            au_vec_release(&k->now.at[i].item);
    }
    return st;
}

static void make_groups(certifier *k) {
    group g = {.number = 0};
    for (size_t i = k->first; i < k->all.refuted.n; i++) {
        au_refuted *x = &k->all.refuted.at[i];
        if (*x->why || (x->stage <= AU_BY_GRAPH && au_reason_find(k->r, x)))
            continue;
        au_vec_push(&g.item, (uint32_t)i);
        if (g.item.n == GROUP) {
            au_vec_push(&k->next, g);
            g = (group){.number = 0};
        }
    }
    if (g.item.n)
        au_vec_push(&k->next, g);
}

/* Proofs are numbered through all models. */
static uint32_t last_proof(const au_refuted_list *all) {
    uint32_t last = 0;
    for (size_t i = 0; i < all->refuted.n; i++)
        if (all->refuted.at[i].how == AU_HOW_PROOF && all->refuted.at[i].number > last)
            last = all->refuted.at[i].number;
    return last;
}

static void tell(const certifier *k, au_check_outcome *c) {
    size_t good = 0, n = k->all.refuted.n - k->first;
    for (size_t i = k->first; i < k->all.refuted.n; i++)
        good += k->all.refuted.at[i].how != AU_HOW_NONE;
    au_check_note(c, "certificates of %zu of %zu refutations in '%s': augur verify %s", good, n,
                  k->plan->certify, k->plan->certify);
}

au_status au_certify_add(const au_plan *plan, const au_model *m, const au_certify_items *items,
                         au_check_outcome *c, au_error *err) {
    certifier k = {.plan = plan};
    au_status st = read_list(plan->certify, &k.all, err);
    au_error why = AU_ERROR_NONE;
    k.first = k.all.refuted.n;
    k.proofs = last_proof(&k.all);
    au_vec_push(&k.all.model, ((au_refuted_model){plan->whole, 0}));
    k.model = (uint32_t)k.all.model.n;
    for (size_t i = 0; i < items->n; i++) {
        au_refuted x = {.q = question_of(&items->at[i].q),
                        .model = k.model,
                        .stage = items->at[i].stage,
                        .why = items->at[i].why};
        if (items->at[i].form)
            x.q.write = items->at[i].form;
        au_vec_push(&k.all.refuted, x);
    }
    renumbering number = {0};
    au_model *again = st == AU_OK ? write_model(&k, m, &number, &why) : NULL;
    for (size_t i = k.first; i < k.all.refuted.n && again; i++) {
        au_ref_question *q = &k.all.refuted.at[i].q;
        for (int side = 0; side < 3; side++)
            q->step[side] = numbered(number.step, q->step[side]);
        q->writer = numbered(number.step, q->writer);
        q->var = numbered(number.var, q->var);
        q->obj = numbered(number.obj, q->obj);
    }
    free(number.var);
    free(number.obj);
    free(number.step);
    free(number.block);
    k.r = again ? au_ref_new(again, plan->whole, &why) : NULL;
    if (k.r) {
        make_groups(&k);
        st = prove(&k, err);
    } else {
        for (size_t i = k.first; i < k.all.refuted.n; i++)
            drop(&k, (uint32_t)i, why.text);
    }
    if (st == AU_OK)
        st = write_list(plan->certify, &k.all, err);
    if (st == AU_OK)
        tell(&k, c);
    au_ref_free(k.r);
    au_model_free(again);
    au_vec_release(&k.now);
    au_vec_release(&k.next);
    au_refuted_list_release(&k.all);
    return st;
}

const char *au_certify_not(const au_plan *p, const au_query *q, bool any_bound) {
    if (q->changes[0] || q->changes[1] || q->changes[2])
        return "that a compare-and-exchange succeeds is not in the reference encoding";
    if (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE)
        return "lost updates and stale decisions are not in the reference encoding";
    if (p->semantics != AU_SEM_CTP)
        return "the reference encoding is that of --model ctp";
    return p->bound == AU_NONE || any_bound ? "" : "it is refuted for so many switches only";
}

au_status au_certify_count(const au_plan *plan, au_by_stage stage, uint64_t n, const char *why,
                           au_error *err) {
    if (!plan->certify || !n)
        return AU_OK;
    au_refuted_list all;
    au_status st = read_list(plan->certify, &all, err);
    au_vec_push(&all.more, ((au_refuted_more){stage, n, why}));
    if (st == AU_OK)
        st = write_list(plan->certify, &all, err);
    au_refuted_list_release(&all);
    return st;
}

au_status au_certify_answers(const au_exact *e, const au_certify_items *before, au_check_outcome *c,
                             au_error *err) {
    const au_plan *p = e->plan;
    au_certify_items items = {0};
    if (before && p->certify)
        au_vec_append(&items, before->at, before->n);
    for (size_t i = 0; i < e->query->n && p->certify; i++)
        if (e->answer[i].end == AU_EXACT_REFUTED)
            au_vec_push(&items,
                        ((au_certify_item){
                            e->query->at[i], AU_BY_SOLVER,
                            au_certify_not(p, &e->query->at[i], e->answer[i].any_bound), 0}));
    au_status st = items.n ? au_certify_add(p, e->m, &items, c, err) : AU_OK;
    au_vec_release(&items);
    return st;
}
