/* engine/gone.c: see gone.h. */
#include "engine/gone.h"

#include "base/out.h"

#include <stdlib.h>
#include <string.h>

static bool same_call(const au_dossier *a, const au_dossier *b) {
    if (strcmp(a->program, b->program) || a->arg.n != b->arg.n)
        return false;
    for (size_t i = 0; i < a->arg.n; i++)
        if (strcmp(a->arg.at[i], b->arg.at[i]))
            return false;
    return true;
}

static bool is_it(const au_case *c, const char *fingerprint) {
    return !strcmp(c->fingerprint, fingerprint) || !strcmp(c->earlier, fingerprint);
}

static bool shows(const au_dossier *d, const char *fingerprint) {
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        if (is_it(c, fingerprint))
            return true;
        for (size_t k = 0; k < c->variant.n; k++)
            if (is_it(&c->variant.at[k], fingerprint))
                return true;
    }
    return false;
}

au_gone au_gone_of(const au_store_row *r, const au_dossier *then, const au_dossier *now) {
    if (strcmp(r->program, now->program) || shows(now, r->fingerprint))
        return AU_STILL_THERE;
    return then && *now->claim && now->covered && au_dossier_is_exhaustive(now) &&
                   same_call(then, now)
               ? AU_GONE
               : AU_NOT_SEEN;
}

typedef AU_VEC(const char *) ids;

static void put_note(au_dossier *d, const ids *id, bool gone) {
    au_out *out = au_out_memory();
    size_t n;
    if (gone)
        au_out_printf(out, "%zu earlier finding%s no longer happen%s: ", id->n,
                      id->n == 1 ? "" : "s", id->n == 1 ? "s" : "");
    else
        au_out_printf(out, "%zu earlier finding%s not seen this time: ", id->n,
                      id->n == 1 ? " was" : "s were");
    for (size_t i = 0; i < id->n; i++)
        au_out_printf(out, "%s%s", i ? ", " : "", id->at[i]);
    if (gone)
        au_out_str(out, " (every interleaving of this input was covered)");
    const char *text = au_out_memory_data(out, &n);
    au_vec_push(&d->note, au_arena_strndup(&d->arena, text, n));
    au_out_abandon(out);
}

au_status au_gone_note(au_store *s, au_dossier *now, au_error *err) {
    au_store_rows rows;
    ids gone = {0}, unseen = {0};
    au_status st = au_store_list(s, &rows, err);
    if (st != AU_OK)
        return st;
    for (size_t i = 0; i < rows.at.n; i++) {
        const au_store_row *r = &rows.at.at[i];
        au_error ignored = AU_ERROR_NONE; /* a run that was cleaned away: not seen, then */
        au_dossier then;
        if (*r->triage || r->baseline || strcmp(r->program, now->program))
            continue;
        au_dossier_init(&then);
        bool loaded = au_store_load(s, r->last_run, &then, &ignored) == AU_OK;
        au_gone state = au_gone_of(r, loaded ? &then : NULL, now);
        au_dossier_release(&then);
        if (state == AU_GONE)
            au_vec_push(&gone, r->id);
        else if (state == AU_NOT_SEEN)
            au_vec_push(&unseen, r->id);
    }
    if (gone.n)
        put_note(now, &gone, true);
    if (unseen.n)
        put_note(now, &unseen, false);
    au_vec_release(&gone);
    au_vec_release(&unseen);
    au_store_rows_release(&rows);
    return AU_OK;
}

au_finding_state au_finding_state_of(au_store *s, const au_store_runs *past,
                                     const au_store_row *r) {
    au_error ignored = AU_ERROR_NONE; /* a run that was cleaned away: nothing is known */
    bool unseen = false, gone = false;
    if (!strcmp(r->triage, "fixed"))
        return (au_finding_state){"fixed", false};
    if (*r->triage || r->baseline)
        return (au_finding_state){"known", false};
    au_dossier then;
    au_dossier_init(&then);
    for (size_t i = 0; i < past->at.n && !gone; i++) {
        const au_store_past *p = &past->at.at[i];
        if (p->number <= r->last_run || strcmp(p->program, r->program))
            continue;
        au_dossier now;
        au_dossier_init(&now);
        unseen = true;
        if (!*then.program)
            au_store_load(s, r->last_run, &then, &ignored);
        gone = au_store_load(s, p->number, &now, &ignored) == AU_OK &&
               au_gone_of(r, *then.program ? &then : NULL, &now) == AU_GONE;
        au_dossier_release(&now);
    }
    au_dossier_release(&then);
    return (au_finding_state){gone ? "fixed" : "open", unseen && !gone};
}
