/* engine/find_again.c: see find_again.h. The recording is checked as 'augur check' does. */
#include "engine/find_again.h"

#include "base/vec.h"
#include "confirm/confirm.h"
#include "engine/check_options.h"
#include "engine/inputs.h"
#include "funnel/check_run.h"
#include "report/dossier.h"

#include <stdlib.h>
#include <string.h>

typedef AU_VEC(char *) words;

/* The options of 'augur check' as if they had been given there. Caller frees both. */
static au_opts *check_options(const au_opts *o, const char *trace, bool nondet, words *argv,
                              au_error *err) {
    const au_command *check = au_command_by_name("check");
    AU_BUG_IF(!check);
    static const char *const same[] = {"checks", "library"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        size_t n;
        char *const *list = au_opt_list(o, same[k], &n);
        for (size_t i = 0; i < n; i++)
            au_vec_push(argv, au_sprintf("--%s=%s", same[k], list[i]));
    }
    if (nondet)
        au_vec_push(argv, au_strdup("--prop=nondet"));
    au_vec_push(argv, au_strdup("--partial"));
    au_vec_push(argv, au_strdup("--"));
    au_vec_push(argv, au_strdup(trace));
    return au_opts_parse(check, (int)argv->n, argv->at, err);
}

au_status au_find_again(const au_opts *o, const char *trace, const char *id, au_dossier *d,
                        au_error *err) {
    bool nondet = *id == 'N'; /* only looked for where it is asked for */
    au_plan p;
    au_read_options how;
    au_check_run c;
    words argv = {0};
    au_opts *given = check_options(o, trace, nondet, &argv, err);
    au_status st = given ? au_check_options(given, false, &p, err) : err->status;
    if (st == AU_OK)
        st = au_input_options(given, &how, err);
    if (st == AU_OK)
        st = au_check_run_open(&c, &p, trace, &how, err);
    if (st == AU_OK) {
        st = au_check_run_go(&c, err);
        au_dossier all;
        au_dossier_init(&all);
        if (st == AU_OK)
            au_check_run_dossier(&c, &all, &(au_dossier_options){.input = &trace, .n_inputs = 1});
        if (au_dossier_is_in_library(&all))
            au_dossier_find_callers(&all);
        au_dossier_fold(&all);
        const au_case *found = au_dossier_called(&all, id);
        if (found)
            au_dossier_copy(d, found);
        else if (st == AU_OK)
            st = au_error_set(err, AU_EUSAGE, "'augur check %s%s' has no finding '%s'",
                              nondet ? "--prop nondet " : "", trace, id);
        au_dossier_release(&all);
        au_check_run_release(&c);
    }
    au_opts_free(given);
    for (size_t i = 0; i < argv.n; i++)
        free(argv.at[i]);
    au_vec_release(&argv);
    return st;
}
