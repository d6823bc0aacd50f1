/* verify/file.h: a directory of certificates (docs/certificates.md).
 *
 *   refuted.txt    the models and every refuted question, with what certifies it; its last line has the hash of the others
 *   model-M.ctp    a model
 *   N.cert         questions that proof N refutes together, the rules and lemmas it uses
 *   N.cnf, N.drat  its clauses (DIMACS) and the proof (DRAT, binary) */
#ifndef AU_VERIFY_FILE_H
#define AU_VERIFY_FILE_H

#include "base/out.h"
#include "verify/ref.h"

typedef enum {
    AU_BY_MUST_HB,
    AU_BY_LOCKSET,
    AU_BY_GRAPH,
    AU_BY_INTERVAL,
    AU_BY_SOLVER,
    AU_BY_STAGES
} au_by_stage;
typedef enum {
    AU_HOW_NONE,  /* nothing: 'why' */
    AU_HOW_PROOF, /* proof 'number' */
    AU_HOW_PATH,  /* 'path': steps, each behind its thread before the next one (verify/reason.h) */
    AU_HOW_LOCK   /* object 'number' is held by both */
} au_how;

typedef struct {
    au_ref_question q;
    uint32_t model; /* from 1 */
    au_by_stage stage;
    au_how how;
    uint32_t number;
    au_ref_list path;
    const char *why; /* in the arena */
} au_refuted;

typedef struct {
    uint32_t whole; /* --no-prefix */
    uint64_t hash;  /* of its text; 0: it could not be written */
} au_refuted_model;

/* Refutations that are not listed one by one, and why they have no certificate. */
typedef struct {
    au_by_stage stage;
    uint64_t n;
    const char *why; /* in the arena */
} au_refuted_more;

typedef struct {
    au_arena arena;
    AU_VEC(au_refuted_model) model;
    AU_VEC(au_refuted) refuted;
    AU_VEC(au_refuted_more) more;
    bool unfinished; /* the check has not come to its end: there may be more */
    bool altered;    /* by reading: somebody changed it after it was written */
} au_refuted_list;

/* One proof. */
typedef struct {
    uint32_t model;
    AU_VEC(au_ref_question) question;
    au_ref_list lock, fold; /* objects under rule L, variables under rules S and B */
    au_ref_lemmas lemma;
    uint64_t size, hash; /* of the proof: it is there as it was written */
} au_certificate;

const char *au_by_stage_name(au_by_stage s);

void au_refuted_list_init(au_refuted_list *l);
void au_refuted_list_release(au_refuted_list *l);
void au_refuted_list_write(const au_refuted_list *l, au_out *o);
au_status au_refuted_list_read(au_refuted_list *l, const char *path, au_error *err);

void au_certificate_release(au_certificate *c);
/* Size and hash of the proof in this file. */
au_status au_certificate_seal(au_certificate *c, const char *proof, au_error *err);
void au_certificate_write(const au_certificate *c, au_out *o);
au_status au_certificate_read(au_certificate *c, const char *path, au_error *err);
/* The rules that the encoding applies, in the order of their numbers. */
void au_certificate_rules(const au_ref *r, au_ref_list *lock, au_ref_list *fold);

void au_cnf_write(const au_cnf *c, au_out *o);
/* The certificate that was read from the file is all that the file has, to the letter. */
au_status au_certificate_compare(const au_certificate *c, const char *path, au_error *err);
/* Are these the clauses of the file, in this order? AU_EFORMAT: no. */
au_status au_cnf_compare(const au_cnf *c, const char *path, au_error *err);

#endif
