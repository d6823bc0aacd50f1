/* engine/whole.c: see whole.h. */
#include "engine/whole.h"

#include "engine/gone.h"

#include <string.h>

/* Of one run: the cases that were last seen in it, with the lines of source that they speak of. */
static au_status add_run(au_store *s, uint64_t run, const au_store_rows *rows, au_dossier *d,
                         au_error *err) {
    au_dossier one;
    au_dossier_init(&one);
    au_status st = au_store_load(s, run, &one, err);
    size_t all = one.at.n;
    for (size_t i = 0; i < rows->at.n && st == AU_OK; i++)
        for (size_t k = 0; k < all && rows->at.at[i].last_run == run; k++)
            if (!strcmp(one.at.at[k].fingerprint, rows->at.at[i].fingerprint)) {
                au_dossier_copy(&one, &one.at.at[k]);
                break;
            }
    if (st == AU_OK) {
        au_dossier_drop_first(&one, all);
        au_vec_clear(&one.note); /* and coverage: of that run alone */
        au_vec_clear(&one.inconclusive);
        au_vec_clear(&one.funnel);
        one.claim = one.explored = "";
        au_dossier_join(d, &one);
    }
    au_dossier_release(&one);
    return st;
}

static const au_store_row *row_of(const au_store_rows *rows, const char *fingerprint) {
    for (size_t i = 0; i < rows->at.n; i++)
        if (!strcmp(rows->at.at[i].fingerprint, fingerprint))
            return &rows->at.at[i];
    return NULL;
}

static void put_state(au_store *s, const au_store_runs *past, const au_store_row *r, bool baseline,
                      au_case *c) {
    const char *word = au_finding_state_of(s, past, r).word;
    const char *began = past->at.n ? past->at.at[0].began : "";
    bool is_new = baseline ? !r->baseline : strcmp(r->first_seen, began) >= 0;
    if (!strcmp(word, "known") && r->baseline && !*r->triage)
        word = "open";
    c->state = strcmp(word, "open") ? word : is_new ? "new" : "open";
    c->known |= !strcmp(word, "fixed") && strcmp(r->triage, "fixed") != 0;
}

au_status au_whole_store(au_store *s, const char *name, au_dossier *d, au_error *err) {
    au_store_rows rows;
    au_store_runs past;
    bool baseline = false;
    au_status st = au_store_list(s, &rows, err);
    if (st != AU_OK)
        return st;
    st = au_store_past_runs(s, &past, err);
    if (st != AU_OK) {
        au_store_rows_release(&rows);
        return st;
    }
    for (size_t i = 0; i < rows.at.n && st == AU_OK; i++) {
        bool done = false;
        for (size_t k = 0; k < i; k++)
            done |= rows.at.at[k].last_run == rows.at.at[i].last_run;
        baseline |= rows.at.at[i].baseline;
        if (!done)
            st = add_run(s, rows.at.at[i].last_run, &rows, d, err);
    }
    if (st == AU_OK)
        st = au_store_mark(s, d, true, err);
    for (size_t i = 0; i < d->at.n && st == AU_OK; i++) {
        const au_store_row *r = row_of(&rows, d->at.at[i].fingerprint);
        if (r)
            put_state(s, &past, r, baseline, &d->at.at[i]);
        st = au_store_tests(s, d->at.at[i].fingerprint, d, &d->at.at[i], err);
    }
    d->program = au_dossier_text_copy(d, name);
    au_vec_clear(&d->arg);
    d->when = past.at.n ? au_dossier_text_copy(d, past.at.at[0].began) : "";
    au_dossier_number(d);
    au_store_past_release(&past);
    au_store_rows_release(&rows);
    return st;
}
