/* tests/lib/ctp_text.h: what tests of .ctp texts share; failures are cmocka's. */
#ifndef AU_TESTS_CTP_TEXT_H
#define AU_TESTS_CTP_TEXT_H

#include "model/model.h"

/* Reading the text fails with this message. */
void au_expect_error_with(const char *text, uint32_t unroll, const char *want);
/* One line of input: the error is "m.ctp:1:COLUMN: MESSAGE", the line and a caret. */
void au_expect_error(const char *line, unsigned column, const char *message);
/* The number of the variable with this name. */
uint32_t au_find_var(const au_model *m, const char *name);

/* Short, for tables of cases. */
#define expect_error_with au_expect_error_with
#define expect_error au_expect_error
#define find_var au_find_var

#endif
