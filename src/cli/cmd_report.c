/* cli/cmd_report.c: augur report. */
#include "cli/dossier_out.h"
#include "engine/whole.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>

/* Only these cases; of the last run by id, of any by fingerprint. */
static au_status pick(const au_opts *o, au_store *s, au_dossier *d, au_error *err) {
    size_t n, all = d->at.n;
    char *const *id = au_opt_list(o, "finding", &n);
    if (!n)
        return AU_OK;
    au_status st = AU_OK;
    for (size_t i = 0; i < n && st == AU_OK; i++) {
        char fingerprint[AU_FINGERPRINT + 1];
        size_t k = 0;
        while (k < all && strcmp(d->at.at[k].id, id[i]))
            k++;
        if (k < all) { /* of this run */
            au_dossier_copy(d, &d->at.at[k]);
            continue;
        }
        st = au_store_find(s, id[i], fingerprint, err);
        for (k = 0; st == AU_OK && k < all && strcmp(d->at.at[k].fingerprint, fingerprint);)
            k++;
        if (st == AU_OK && k < all)
            au_dossier_copy(d, &d->at.at[k]);
        else if (st == AU_OK)
            st = au_store_case(s, fingerprint, d, err); /* another run showed it */
    }
    if (st == AU_OK)
        au_dossier_drop_first(d, all);
    return st;
}

static au_status load(const au_opts *o, au_store *s, au_dossier *d, au_error *err) {
    if (au_opt_flag(o, "whole")) {
        au_status st = au_opt_given(o, "run")
                           ? au_error_set(err, AU_EUSAGE,
                                          "'--whole' is about all runs: it conflicts "
                                          "with '--run'")
                           : au_whole_store(s, au_opt_str(o, "store"), d, err);
        return st == AU_OK ? pick(o, s, d, err) : st;
    }
    uint64_t run = (uint64_t)au_opt_int(o, "run");
    au_status st = run ? AU_OK : au_store_last_run(s, &run, err);
    if (st == AU_OK && !run)
        st = au_error_set(err, AU_EUSAGE, "there is no run in '%s' yet", au_opt_str(o, "store"));
    if (st == AU_OK)
        st = au_store_load(s, run, d, err);
    if (st == AU_OK)
        st = pick(o, s, d, err);
    if (st == AU_OK)
        st = au_store_mark(s, d, false, err);
    return st;
}

int au_cmd_report(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_dossier d;
    au_dossier_init(&d);
    au_store *s = au_store_open(au_opt_str(o, "store"), false, &err);
    au_status st = s ? load(o, s, &d, &err) : err.status;
    if (st == AU_OK)
        st = au_cli_dossier(o, &d, au_opt_str(o, "format"), au_opt_str(o, "output"), &err);
    au_store_close(s);
    au_dossier_release(&d);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
