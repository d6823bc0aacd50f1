/* tests/random/certified.c: see certified.h. */
#include "certified.h"

#include "base/alloc.h"
#include "base/in.h"
#include "model/ctp.h"
#include "solve/certify.h"
#include "verify/reason.h"
#include "verify/rup.h"

#include <stdlib.h>
#include <unistd.h>

static au_ref_question question_of(const au_query *q) {
    uint32_t write = 0;
    for (unsigned i = 0; i < 3; i++)
        write |= (uint32_t)q->write[i] << i;
    return (au_ref_question){(au_ref_ask)q->kind,
                             {q->step[0], q->step[1], q->step[2]},
                             q->var,
                             q->obj,
                             q->writer,
                             write,
                             q->at_end,
                             q->atomic};
}

/* The proof of the one encoding, checked on another one that is made anew. */
static bool check(au_model *m, bool whole, const au_ref_question *q, const au_ref_lemmas *lemmas,
                  const char *proof, certified_counts *c, au_out *out) {
    au_error err = AU_ERROR_NONE;
    au_ref *r = au_ref_new(m, whole, &err);
    char *text = NULL;
    size_t n = 0;
    au_rup_result result = {.why = "no file"};
    bool good = r && au_ref_any(r, q, 1, &err);
    for (size_t i = 0; good && i < lemmas->n; i++)
        good = au_ref_add(r, &lemmas->at[i]);
    if (good && au_in_whole(proof, SIZE_MAX, "proof", &text, &n, &err) == AU_OK)
        good = au_rup_check(&r->cnf, (const unsigned char *)text, n, &result);
    if (!good)
        au_out_printf(out, "the proof is not accepted: %s\n", result.why);
    c->lines += result.added;
    free(text);
    au_ref_free(r);
    return good;
}

bool au_certified(const au_model *m, bool whole, const au_query *query, au_answer answer,
                  certified_counts *c, au_out *out) {
    au_ref_question q = question_of(query);
    return au_certified_question(m, whole, &q, answer, c, out);
}

bool au_certified_question(const au_model *model, bool whole, const au_ref_question *q,
                           au_answer answer, certified_counts *c, au_out *out) {
    au_error err = AU_ERROR_NONE;
    au_model *m = (au_model *)model; /* its terms may grow */
    au_refuted x = {.q = *q, .model = 1, .why = ""};
    au_ref_lemmas lemmas = {0};
    char proof[] = "/tmp/certifiedXXXXXX";
    int fd = mkstemp(proof);
    AU_BUG_IF(fd < 0);
    close(fd);
    au_ref *r = au_ref_new(m, whole, &err);
    bool can = false, good = true;
    au_certify_end end = AU_CERTIFY_FAILED;
    if (r) {
        bool reason = !whole && au_reason_find(r, &x);
        c->reasons += reason;
        if (reason && (answer == AU_SAT || !au_reason_holds(r, &x))) {
            au_out_printf(out, "a %s against what can happen\n",
                          x.how == AU_HOW_PATH ? "path" : "lock");
            good = false;
        }
        if (au_ref_any(r, q, 1, &err))
            end = au_certify(r, proof, 0, &lemmas, &can);
    }
    if (end == AU_CERTIFY_FAILED) {
        au_out_printf(out, "no certificate: %s\n", err.text);
        good = false;
    } else if (answer == AU_SAT && end == AU_CERTIFY_PROVED) {
        au_out_str(out, "a certificate against what can happen\n");
        good = false;
    } else if (answer == AU_UNSAT && end != AU_CERTIFY_PROVED) {
        au_out_str(out, "refuted, and the reference encoding does not exclude it\n");
        c->weak++;
        good = false;
    } else if (end == AU_CERTIFY_PROVED) {
        c->proofs++;
        good = check(m, whole, q, &lemmas, proof, c, out) && good;
    }
    au_vec_release(&x.path);
    au_vec_release(&lemmas);
    au_ref_free(r);
    unlink(proof);
    return good;
}
