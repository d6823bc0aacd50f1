/* SPDX-License-Identifier: MIT
 *
 * rt/state.c: states of the C library as words of memory. The value of a word counts its changes; it is kept in
 * the shadow alone: at AU_STATE_BASE nothing is mapped, and an object's own memory is the library's. */
#include "rt/state.h"
#include "rt/bytes.h"
#include "rt/policy.h"
#include "rt/stream.h"

static void event(uint64_t at, uint8_t op, uint64_t value) {
    rt_log(rt_call_site(rt_hot.self), op, sizeof value, at, value, 0, NULL);
}

/* Before there is a second thread nobody else can have changed anything. */
static bool is_told(void) {
    return rt_hot.on && rt_thread_of(1);
}

static uint64_t *shadow_of(uint64_t at) {
    return (uint64_t *)(uintptr_t)rt_shadow((const void *)(uintptr_t)at);
}

static void tell(uint64_t word, bool changes) {
    if (!is_told())
        return;
    uint64_t at = AU_STATE_BASE + 8 * word;
    event(at, changes ? AU_OP_RMW : AU_OP_AREAD, *shadow_of(at) += changes);
}

static void tell_bare(uint64_t at) {
    if (!is_told())
        return;
    event(at, AU_OP_READ, *shadow_of(at));
    event(at, AU_OP_WRITE, ++*shadow_of(at));
}

/* Objects that meet in one word keep an order that they need not keep: nothing worse. */
static uint64_t word_of(const void *object) {
    uint64_t h = ((uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15)) >> 40;
    return AU_STATES + h % (AU_STATE_WORDS - AU_STATES);
}

void rt_state(au_libc_state which, bool changes) {
    tell(which, changes);
}
void rt_state_bare(au_libc_state which) {
    tell_bare(AU_STATE_BASE + 8 * (uint64_t)which);
}
void rt_state_of(const void *object, bool changes) {
    tell(word_of(object), changes);
}
void rt_state_bare_of(const void *object) {
    tell_bare((uint64_t)(uintptr_t)object);
    tell(word_of(object), true);
}
