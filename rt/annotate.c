/* SPDX-License-Identifier: MIT
 *
 * rt/annotate.c: what augur.h expands to. All without effect when nothing is recorded. */
#include "rt/policy.h"
#include "rt/stream.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void __augur_atomic_begin(const char *name) {
    if (!rt_enter())
        return;
    rt_point();
    rt_log_block(name);
    rt_event(AU_OP_BEGIN, name, 0);
    rt_self->block = name;
    rt_leave(0);
}

EXPORT void __augur_atomic_end(void) {
    if (!rt_enter())
        return;
    rt_point();
    rt_event(AU_OP_END, rt_self->block, 0);
    rt_leave(0);
}

EXPORT void __augur_assert(int holds, const char *what, const char *file, int line) {
    if (holds || !rt_enter())
        return;
    char text[600];
    rt_point();
    rt_event(AU_SOP_FAIL, NULL, AU_FAIL_ASSERT);
    snprintf(text, sizeof text, "%s:%d: assertion '%.400s' failed", file, line, what);
    rt_note(AU_NOTE_TEXT, text);
    rt_finish(AU_END_ASSERT, SIGABRT);
    rt_real.abort();
}

EXPORT void __augur_ignore_begin(void) {
    struct rt_thread *t = rt_self;
    if (!rt_on || !t || t != rt_hot.self)
        return;
    t->ignore++;
    rt_cover();
}

EXPORT void __augur_ignore_end(void) {
    struct rt_thread *t = rt_self;
    if (!rt_on || !t || t != rt_hot.self)
        return;
    if (t->ignore)
        t->ignore--;
    rt_cover();
}
