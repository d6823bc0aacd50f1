/* Any text as a schedule or as findings to execute. */
#include "confirm/judge.h"
#include "report/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void execute(const au_case *c) {
    au_turns turns;
    au_error err = AU_ERROR_NONE;
    AU_BUG_IF(au_case_turns(c, &turns, &err) != AU_OK);
    AU_BUG_IF(turns.n != c->schedule.n);
    for (size_t k = 0; k < turns.n; k++)
        AU_BUG_IF(!turns.at[k].upto);
    au_turns_complete(&turns, c);
    au_turns_stop_before(&turns, c);
    au_vec_release(&turns);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    char *text = au_strndup((const char *)p, n);
    for (int i = 0; i < 2; i++) {
        au_dossier d;
        au_error err = AU_ERROR_NONE;
        au_dossier_init(&d);
        if (au_schedule_parse(&d, text, strlen(text), "f", i ? "R1" : NULL, &err) != AU_OK) {
            AU_BUG_IF(!*err.text);
        } else {
            const au_case *c = &d.at.at[0];
            AU_BUG_IF(d.at.n != 1 || !c->schedule.n || (au_case_is_finding(c) && !c->event.n));
            execute(c);
        }
        au_dossier_release(&d);
    }
    free(text);
    return 0;
}
