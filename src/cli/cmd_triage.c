/* cli/cmd_triage.c: augur triage. */
#include "cli/cli.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>

static au_status usage(const au_opts *o, au_error *err) {
    if (au_opt_flag(o, "set-baseline")) {
        if (au_operands(o) || au_opt_given(o, "as") || au_opt_given(o, "note"))
            return au_error_set(
                err, AU_EUSAGE,
                "'--set-baseline' takes all findings: it conflicts with ID, --as and --note");
        return AU_OK;
    }
    if (!au_operands(o))
        return au_error_set(err, AU_EUSAGE, "no finding given: 'augur list' prints them");
    if (!au_opt_given(o, "as"))
        return au_error_set(
            err, AU_EUSAGE,
            "no verdict given: '--as false-positive', 'wontfix', 'fixed' or 'open'");
    return AU_OK;
}

static au_status one(const au_opts *o, au_store *s, const char *id, au_error *err) {
    char fingerprint[AU_FINGERPRINT + 1];
    const char *as = au_opt_str(o, "as");
    au_status st = au_store_find(s, id, fingerprint, err);
    if (st == AU_OK)
        st = au_store_triage(s, fingerprint, strcmp(as, "open") ? as : "", au_opt_str(o, "note"),
                             err);
    if (st == AU_OK)
        au_cli_note(o, "%s is '%s'", fingerprint, as);
    return st;
}

int au_cmd_triage(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_store *s = NULL;
    au_status st = usage(o, &err);
    if (st == AU_OK && !(s = au_store_open(au_opt_str(o, "store"), false, &err)))
        st = err.status;
    if (st == AU_OK && au_opt_flag(o, "set-baseline")) {
        size_t n;
        st = au_store_set_baseline(s, &n, &err);
        if (st == AU_OK)
            au_cli_note(o, "%zu finding%s in the stored baseline", n, n == 1 ? "" : "s");
    }
    for (size_t i = 0; i < au_operands(o) && st == AU_OK; i++)
        st = one(o, s, au_operand(o, i), &err);
    au_store_close(s);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
