/* verify/main.c: augur-verify, the program behind 'augur verify'. It checks what 'augur check --certify' wrote, with
 * clauses that it makes by itself; nothing of src/solve is in it.
 *
 * Exit status: 0 every refutation is certified, 1 a certificate is wrong, 2 usage or input, 3 some are not certified. */
#include "base/alloc.h"
#include "base/in.h"
#include "base/worker.h"
#include "model/ctp.h"
#include "verify/reason.h"
#include "verify/rup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RIGHT, WRONG, BAD_INPUT, INCOMPLETE };
#define LARGEST ((size_t)8 << 30)

typedef struct {
    const char *dir;
    au_refuted_list all;
    au_ref *r;         /* of the model at hand */
    uint32_t model;    /* its number */
    au_ref_list proof; /* numbers of its proofs */
    char **why;        /* by proof of the model: what is wrong, "" if nothing is */
    bool *holds;       /* by refuted question */
    size_t wrong;
    uint64_t lines, clauses; /* of all proofs */
} verifier;

/* --- a proof, in a process of its own --------------------------------------------------------- */

static bool same_list(const au_ref_list *a, const au_ref_list *b) {
    return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n * sizeof *a->at));
}

static bool same_question(const au_ref_question *a, const au_ref_question *b) {
    return a->kind == b->kind && !memcmp(a->step, b->step, sizeof a->step) && a->var == b->var &&
           a->obj == b->obj && a->writer == b->writer && a->write == b->write &&
           a->at_end == b->at_end && a->atomic == b->atomic;
}

/* Every question that is said to be refuted by the proof is one of its own. */
static bool has_questions(const verifier *v, const au_certificate *c, uint32_t number) {
    for (size_t i = 0; i < v->all.refuted.n; i++) {
        const au_refuted *x = &v->all.refuted.at[i];
        if (x->how != AU_HOW_PROOF || x->number != number)
            continue;
        bool found = x->model == c->model;
        size_t k = 0;
        while (found && k < c->question.n && !same_question(&x->q, &c->question.at[k]))
            k++;
        if (!found || k == c->question.n)
            return false;
    }
    return true;
}

/* The clauses of the certificate, in v->r. */
static au_status make_clauses(verifier *v, const au_certificate *c, uint32_t number,
                              au_error *err) {
    au_ref_list lock = {0}, fold = {0};
    au_certificate_rules(v->r, &lock, &fold);
    bool same = same_list(&lock, &c->lock) && same_list(&fold, &c->fold);
    au_vec_release(&lock);
    au_vec_release(&fold);
    if (c->model != v->model || !has_questions(v, c, number))
        return au_error_set(err, AU_EFORMAT, "it is about other questions");
    if (!same)
        return au_error_set(
            err, AU_EFORMAT,
            "the model does not have the sections or commuting stores that it names");
    if (!au_ref_any(v->r, c->question.at, c->question.n, err))
        return err->status;
    for (size_t i = 0; i < c->lemma.n; i++)
        if (!au_ref_add(v->r, &c->lemma.at[i]))
            return au_error_set(err, AU_EFORMAT, "lemma %zu is no instance of its rule", i + 1);
    return AU_OK;
}

static au_status check_proof(verifier *v, uint32_t number, au_rup_result *r, au_error *err) {
    char *cert = au_sprintf("%s/%u.cert", v->dir, number);
    char *cnf = au_sprintf("%s/%u.cnf", v->dir, number);
    char *drat = au_sprintf("%s/%u.drat", v->dir, number);
    char *proof = NULL;
    size_t n = 0;
    au_certificate c = {0};
    au_status st = au_certificate_read(&c, cert, err);
    if (st == AU_OK)
        st = au_certificate_compare(&c, cert, err);
    if (st == AU_OK)
        st = make_clauses(v, &c, number, err);
    if (st == AU_OK)
        st = au_cnf_compare(&v->r->cnf, cnf, err);
    if (st == AU_OK)
        st = au_in_whole(drat, LARGEST, "proof", &proof, &n, err);
    if (st == AU_OK && (n != c.size || au_hash_bytes(proof, n) != c.hash))
        st = au_error_set(err, AU_EFORMAT, "its proof is not the one that was written");
    if (st == AU_OK && !au_rup_check(&v->r->cnf, (const unsigned char *)proof, n, r))
        st = au_error_set(err, AU_EFORMAT, "line %" PRIu64 " of its proof: %s", r->line, r->why);
    au_certificate_release(&c);
    free(cert);
    free(cnf);
    free(drat);
    free(proof);
    return st;
}

static void job(void *ctx, uint32_t i, au_out *out) {
    verifier *v = ctx;
    au_error err = AU_ERROR_NONE;
    au_rup_result r = {.why = ""};
    au_status st = check_proof(v, v->proof.at[i], &r, &err);
    uint64_t size[2] = {r.added, v->r->cnf.n_clauses};
    au_out_write(out, size, sizeof size);
    if (st != AU_OK)
        au_out_str(out, err.text);
}

static bool done(void *ctx, const au_job_result *r) {
    verifier *v = ctx;
    uint64_t size[2];
    if (r->end != AU_JOB_DONE || r->size < sizeof size) {
        v->why[r->index] = au_strdup(*r->detail ? r->detail : "it was not checked to its end");
        return true;
    }
    memcpy(size, r->data, sizeof size);
    v->lines += size[0];
    v->clauses += size[1];
    v->why[r->index] = au_sprintf("%.*s", (int)(r->size - sizeof size), r->data + sizeof size);
    return true;
}

/* --- a model -------------------------------------------------------------------------------------- */

static void note_proofs(verifier *v) {
    au_vec_clear(&v->proof);
    for (size_t i = 0; i < v->all.refuted.n; i++) {
        const au_refuted *x = &v->all.refuted.at[i];
        if (x->model != v->model || x->how != AU_HOW_PROOF)
            continue;
        size_t k = 0;
        while (k < v->proof.n && v->proof.at[k] != x->number)
            k++;
        if (k == v->proof.n)
            au_vec_push(&v->proof, x->number);
    }
}

static void say_wrong(verifier *v, const char *what, uint32_t number, const char *why) {
    printf("wrong: %s %u: %s\n", what, number, why);
    v->wrong++;
}

/* Has the model anything to check? If not, it may not be there. */
static bool is_needed(const verifier *v) {
    for (size_t i = 0; i < v->all.refuted.n; i++)
        if (v->all.refuted.at[i].model == v->model && v->all.refuted.at[i].how != AU_HOW_NONE)
            return true;
    return false;
}

static au_status check_model(verifier *v, unsigned jobs, au_error *err) {
    if (!is_needed(v))
        return AU_OK;
    char *path = au_sprintf("%s/model-%u.ctp", v->dir, v->model);
    char *text = NULL;
    size_t size = 0;
    au_model *m = NULL;
    bool same = true;
    if (au_in_whole(path, LARGEST, "model", &text, &size, err) == AU_OK) {
        m = au_ctp_read(text, size, path, NULL, err);
        same = au_hash_bytes(text, size) == v->all.model.at[v->model - 1].hash;
        if (!same)
            say_wrong(v, "model", v->model, "it is not the one that was written");
        free(text);
    }
    if (m && au_model_is_weak(m)) {
        au_error_set(err, AU_EUNSUPPORTED,
                     "'%s' has memory orders weaker than seq_cst: proofs are about interleavings",
                     path);
        au_model_free(m);
        m = NULL;
    }
    v->r = m ? au_ref_new(m, v->all.model.at[v->model - 1].whole, err) : NULL;
    free(path);
    if (!v->r) {
        au_model_free(m);
        return same ? err->status : AU_OK; /* what is wrong has been said */
    }
    note_proofs(v);
    v->why = au_alloc_array(v->proof.n + 1, sizeof *v->why);
    au_status st = AU_OK;
    if (v->proof.n)
        st = au_pool_run((uint32_t)v->proof.n, &(au_pool_limits){.jobs = jobs}, job, done, v, err);
    for (size_t k = 0; k < v->proof.n && st == AU_OK; k++)
        if (*v->why[k])
            say_wrong(v, "proof", v->proof.at[k], v->why[k]);
    for (size_t i = 0; i < v->all.refuted.n && st == AU_OK; i++) {
        const au_refuted *x = &v->all.refuted.at[i];
        if (x->model != v->model)
            continue;
        for (size_t k = 0; k < v->proof.n && x->how == AU_HOW_PROOF; k++)
            v->holds[i] |= v->proof.at[k] == x->number && !*v->why[k];
        if (x->how == AU_HOW_PATH || x->how == AU_HOW_LOCK) {
            v->holds[i] = au_reason_holds(v->r, x);
            if (!v->holds[i])
                say_wrong(v, "question", (uint32_t)i + 1,
                          x->how == AU_HOW_PATH ? "the path does not order it"
                                                : "the lock does not keep it apart");
        }
    }
    for (size_t k = 0; k < v->proof.n; k++)
        free(v->why[k]);
    free(v->why);
    au_ref_free(v->r);
    au_model_free(m);
    return st;
}

/* --- all of them ------------------------------------------------------------------------------------ */

/* Why some are not certified, each reason once with its number. */
typedef struct {
    const char *why;
    uint64_t n;
} reason;
typedef AU_VEC(reason) reasons;

static void count_reason(reasons *r, const char *why, uint64_t n) {
    size_t k = 0;
    while (k < r->n && strcmp(r->at[k].why, why) != 0)
        k++;
    if (k == r->n)
        au_vec_push(r, ((reason){why, 0}));
    r->at[k].n += n;
}

static void tell_rest(const verifier *v) {
    reasons r = {0};
    for (size_t i = 0; i < v->all.refuted.n; i++)
        if (v->all.refuted.at[i].how == AU_HOW_NONE)
            count_reason(&r, v->all.refuted.at[i].why, 1);
    for (size_t i = 0; i < v->all.more.n; i++)
        count_reason(&r, v->all.more.at[i].why, v->all.more.at[i].n);
    for (size_t k = 0; k < r.n; k++)
        printf("not certified: %s (%" PRIu64 ")\n", r.at[k].why, r.at[k].n);
    au_vec_release(&r);
}

static int tell(const verifier *v) {
    uint64_t n[AU_BY_STAGES] = {0}, certified[AU_BY_STAGES] = {0}, all = 0, good = 0;
    for (size_t i = 0; i < v->all.refuted.n; i++) {
        n[v->all.refuted.at[i].stage]++;
        certified[v->all.refuted.at[i].stage] += v->holds[i];
    }
    for (size_t i = 0; i < v->all.more.n; i++)
        n[v->all.more.at[i].stage] += v->all.more.at[i].n;
    printf("%-10s %9s %9s\n", "stage", "refuted", "certified");
    for (int s = 0; s < AU_BY_STAGES; s++) {
        if (n[s])
            printf("%-10s %9" PRIu64 " %9" PRIu64 "\n", au_by_stage_name((au_by_stage)s), n[s],
                   certified[s]);
        all += n[s];
        good += certified[s];
    }
    tell_rest(v);
    printf("certified %" PRIu64 " of %" PRIu64 " refutations (%" PRIu64 " clauses, %" PRIu64
           " lines of proof)\n",
           good, all, v->clauses, v->lines);
    return v->wrong ? WRONG : good < all ? INCOMPLETE : RIGHT;
}

static int verify(verifier *v, unsigned jobs) {
    au_error err = AU_ERROR_NONE;
    char *path = au_sprintf("%s/refuted.txt", v->dir);
    au_refuted_list_init(&v->all);
    au_status st = au_refuted_list_read(&v->all, path, &err);
    free(path);
    if (st == AU_OK && v->all.unfinished)
        st = au_error_set(
            &err, AU_EFORMAT,
            "'%s': the check that wrote it has not come to its end, and may have refuted more: "
            "check again",
            v->dir);
    if (st == AU_OK && v->all.altered) {
        printf("wrong: the list of refutations: it is not the one that was written\n");
        v->wrong++;
    }
    v->holds = au_alloc_array(v->all.refuted.n + 1, sizeof *v->holds);
    for (v->model = 1; v->model <= v->all.model.n && st == AU_OK; v->model++)
        st = check_model(v, jobs, &err);
    int status = BAD_INPUT;
    if (st == AU_OK)
        status = tell(v);
    else
        fprintf(stderr, "augur: verify: %s\n", err.text);
    free(v->holds);
    au_vec_release(&v->proof);
    au_refuted_list_release(&v->all);
    return status;
}

int main(int argc, char **argv) {
    unsigned jobs = 0;
    int at = 1;
    if (argc > 2 && !strcmp(argv[1], "--jobs")) {
        jobs = (unsigned)strtoul(argv[2], NULL, 10);
        at = 3;
    }
    if (argc != at + 1) {
        fprintf(stderr, "usage: augur-verify [--jobs N] DIRECTORY\n");
        return BAD_INPUT;
    }
    verifier v = {.dir = argv[at]};
    return verify(&v, jobs);
}
