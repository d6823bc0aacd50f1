/* report/outcome.c: see outcome.h. */
#include "report/outcome.h"

#include "base/deadline.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void au_check_outcome_init(au_check_outcome *c) {
    memset(c, 0, sizeof *c);
    au_findings_init(&c->findings);
    au_arena_init(&c->arena);
    for (int k = 0; k < AU_KINDS; k++)
        au_funnel_init(&c->funnel[k]);
}

void au_check_outcome_release(au_check_outcome *c) {
    au_findings_release(&c->findings);
    au_vec_release(&c->inconclusive);
    au_vec_release(&c->note);
    au_arena_release(&c->arena);
}

static const char *keep_text(au_check_outcome *c, const char *fmt, va_list ap) {
    char buf[1024];
    vsnprintf(buf, sizeof buf, fmt, ap);
    return au_arena_strndup(&c->arena, buf, strlen(buf));
}

void au_check_note(au_check_outcome *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    au_vec_push(&c->note, keep_text(c, fmt, ap));
    va_end(ap);
}

void au_check_inconclusive(au_check_outcome *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    au_vec_push(&c->inconclusive, keep_text(c, fmt, ap));
    va_end(ap);
}

void au_check_cut(au_check_outcome *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *what = keep_text(c, fmt, ap);
    va_end(ap);
    c->cut = true;
    au_check_inconclusive(c, "%s: %s", au_deadline_why(), what);
}

void au_check_limit(au_check_outcome *c, au_limit l, uint64_t n, uint64_t of) {
    char text[AU_LIMIT_TEXT];
    au_limit_say(l, n, of, text);
    if (au_limit_of(l)->told == AU_TOLD_OPEN)
        au_check_inconclusive(c, "%s", text);
    else
        au_check_note(c, "%s", text);
}

void au_check_limits(au_check_outcome *c) {
    for (au_limit l = 0; l < AU_LIMITS; l++) {
        uint64_t n = au_limit_taken(l);
        if (n)
            au_check_limit(c, l, n, 0);
    }
}
