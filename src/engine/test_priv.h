/* engine/test_priv.h: between the files of 'augur test'. */
#ifndef AU_ENGINE_TEST_PRIV_H
#define AU_ENGINE_TEST_PRIV_H

#include "engine/test.h"

/* Tells the suite what need not be recorded again.
 * requires: suite; fills: options */
au_status au_test_put_known(au_engine_test *t, au_error *err);

/* The suite has ended: from here on the time of --budget is used up. */
void au_test_begin_time(const au_engine_test *t);

/* Children of fork are recorded; what no earlier suite had is analysed in the time of --budget.
 * requires: cases, killed; fills: dossier, children, n_children, same, undecided */
void au_test_analyse(au_engine_test *t);

#endif
