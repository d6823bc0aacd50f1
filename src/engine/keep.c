/* engine/keep.c: see keep.h. */
#include "engine/keep.h"

#include "base/alloc.h"
#include "engine/gone.h"

#include <stdlib.h>
#include <string.h>

au_status au_keep_claim(au_keep *k, const au_opts *o, au_error *err) {
    const char *dir = au_opt_str(o, "store");
    au_store *store = au_store_open(dir, true, err);
    au_status st = store ? au_store_claim(store, &k->run, err) : err->status;
    au_store_close(store);
    k->omit = realpath(dir, NULL);
    return st;
}

au_status au_keep_mark(const au_opts *o, au_dossier *d, bool baseline, au_error *err) {
    au_store *store = au_store_open(au_opt_str(o, "store"), true, err);
    au_status st = store ? au_store_mark(store, d, baseline, err) : err->status;
    au_store_close(store);
    return st;
}

au_status au_keep_compare(const au_opts *o, au_dossier *d, au_error *err) {
    au_store *store = au_store_open(au_opt_str(o, "store"), true, err);
    au_status st = store ? au_gone_note(store, d, err) : err->status;
    au_store_close(store);
    return st;
}

au_status au_keep_store(au_keep *k, const au_opts *o, const au_dossier *d, au_error *err) {
    au_store *store = au_store_open(au_opt_str(o, "store"), true, err);
    if (!store)
        return err->status;
    au_status st = au_store_keep(store, &k->run, d, err);
    k->stored = st == AU_OK;
    if (st == AU_OK)
        st = au_store_prune(store, (uint64_t)au_opt_int(o, "keep"), err);
    au_store_close(store);
    return st;
}

void au_keep_release(au_keep *k) {
    au_store_leave(&k->run, k->stored);
    free(k->omit);
    *k = (au_keep)AU_KEEP_NONE;
}

void au_keep_put_when(au_dossier *d, time_t when) {
    char text[32];
    struct tm tm;
    gmtime_r(&when, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    d->when = au_dossier_text_copy(d, text);
}

void au_keep_put_replay(const au_opts *o, au_dossier *d, au_case *c) {
    const char *store = au_opt_str(o, "store");
    bool here = !strcmp(store, AU_STORE_DIR);
    char *text = au_sprintf("augur replay %s%s%s--finding %.8s", here ? "" : "--store ",
                            here ? "" : store, here ? "" : " ", c->fingerprint);
    c->replay_command = au_dossier_text_copy(d, text);
    free(text);
}
