#include "ctp_text.h"

#include "base/alloc.h"
#include "model/ctp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void au_expect_error_with(const char *text, uint32_t unroll, const char *want) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options opts = {.unroll = unroll};
    assert_null(au_ctp_read(text, strlen(text), "m.ctp", &opts, &err));
    assert_int_equal(err.status, AU_EFORMAT);
    assert_string_equal(err.text, want);
}

void au_expect_error(const char *line, unsigned column, const char *message) {
    char *want = au_sprintf("m.ctp:1:%u: %s\n%s\n%*s^", column, message, line, (int)column - 1, "");
    au_expect_error_with(line, 0, want);
    free(want);
}

uint32_t au_find_var(const au_model *m, const char *name) {
    for (uint32_t i = 0; i < m->var.n; i++)
        if (strcmp(m->var.at[i].name, name) == 0)
            return i;
    fail_msg("no variable '%s'", name);
    return 0;
}
