/* SPDX-License-Identifier: MIT
 *
 * rt/annotate.c: what augur.h expands to, and the annotations of ThreadSanitizer that say how threads synchronise. All
 * without effect when nothing is recorded. */
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

/* ---- the program's word that something is ordered ------------------------------------------- */

static void tell(uint8_t op, const volatile void *object) {
    if (!rt_enter())
        return;
    rt_point();
    rt_event(op, (const void *)(uintptr_t)object, 0);
    rt_leave(0);
}

EXPORT void __augur_happens_before(const volatile void *object) {
    tell(AU_SOP_BEFORE, object);
}

EXPORT void __augur_happens_after(const volatile void *object) {
    tell(AU_SOP_AFTER, object);
}

/* <sanitizer/tsan_interface.h>, and the older dynamic annotations. */
void __tsan_acquire(void *object);
void __tsan_release(void *object);
void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);

EXPORT void __tsan_release(void *object) {
    tell(AU_SOP_BEFORE, object);
}

EXPORT void __tsan_acquire(void *object) {
    tell(AU_SOP_AFTER, object);
}

EXPORT void AnnotateHappensBefore(const char *file, int line, const volatile void *object) {
    (void)file, (void)line;
    tell(AU_SOP_BEFORE, object);
}

EXPORT void AnnotateHappensAfter(const char *file, int line, const volatile void *object) {
    (void)file, (void)line;
    tell(AU_SOP_AFTER, object);
}

/* ---- locks of the program's own ---------------------------------------------------------------- */

/* It is taken when the program says so, after it has got it, and given up before it gives it up. */
enum { WRITE_AGAIN = 2, READ_AGAIN = 4, READ = 8, TRY = 16, FAILED = 32 }; /* __tsan_mutex_* */

void __tsan_mutex_create(void *lock, unsigned flags);
void __tsan_mutex_destroy(void *lock, unsigned flags);
void __tsan_mutex_pre_lock(void *lock, unsigned flags);
void __tsan_mutex_post_lock(void *lock, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
void __tsan_mutex_post_unlock(void *lock, unsigned flags);
void __tsan_mutex_pre_signal(void *lock, unsigned flags);
void __tsan_mutex_post_signal(void *lock, unsigned flags);
void __tsan_mutex_pre_divert(void *lock, unsigned flags);
void __tsan_mutex_post_divert(void *lock, unsigned flags);

static uint8_t kind_of(unsigned flags) {
    return flags & (WRITE_AGAIN | READ_AGAIN) ? AU_WIRE_OBJ_RLOCK : AU_WIRE_OBJ_RWLOCK;
}

static void know(const void *lock, unsigned flags) {
    if (!rt_object_known(lock))
        rt_object(lock, kind_of(flags), 0);
}

EXPORT void __tsan_mutex_create(void *lock, unsigned flags) {
    if (!rt_enter())
        return;
    rt_point();
    rt_object_init(lock, kind_of(flags), 0);
    rt_event(AU_OP_INIT, lock, 0);
    rt_leave(0);
}

EXPORT void __tsan_mutex_destroy(void *lock, unsigned flags) {
    if (!rt_enter())
        return;
    rt_point();
    know(lock, flags);
    rt_event(AU_OP_DESTROY, lock, 0);
    rt_leave(0);
}

EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int depth) {
    (void)depth;
    if (!rt_enter())
        return;
    rt_point();
    know(lock, flags);
    if (flags & FAILED) {
        rt_event(AU_OP_TRYFAIL, lock, 0);
    } else {
        rt_owner(lock, 1);
        uint8_t write = kind_of(flags) == AU_WIRE_OBJ_RLOCK ? AU_OP_ACQ : AU_OP_WRACQ;
        rt_event(flags & READ ? AU_OP_RDACQ : write, lock, (flags & TRY) != 0);
    }
    rt_leave(0);
}

EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags) {
    if (!rt_enter())
        return 0;
    rt_point();
    know(lock, flags);
    rt_owner(lock, 0);
    rt_event(AU_OP_REL, lock, 0);
    rt_leave(0);
    return 1;
}

EXPORT void __tsan_mutex_pre_lock(void *lock, unsigned flags) {
    (void)lock, (void)flags;
}
EXPORT void __tsan_mutex_post_unlock(void *lock, unsigned flags) {
    (void)lock, (void)flags;
}
EXPORT void __tsan_mutex_pre_signal(void *lock, unsigned flags) {
    (void)lock, (void)flags;
}
EXPORT void __tsan_mutex_post_signal(void *lock, unsigned flags) {
    (void)lock, (void)flags;
}
EXPORT void __tsan_mutex_pre_divert(void *lock, unsigned flags) {
    (void)lock, (void)flags;
}
EXPORT void __tsan_mutex_post_divert(void *lock, unsigned flags) {
    (void)lock, (void)flags;
}
