/* engine/test_priv.h: between the files of 'augur test'. */
#ifndef AU_ENGINE_TEST_PRIV_H
#define AU_ENGINE_TEST_PRIV_H

#include "engine/test.h"

/* Children of fork are recorded; what no earlier suite had is analysed in the time of --budget.
 * requires: cases, killed; fills: dossier, children, n_children, same, undecided */
void au_test_analyse(au_engine_test *t);

#endif
