/* SPDX-License-Identifier: MIT
 *
 * rt/mem.c: ranges as events, and the memory functions of <string.h>.
 *
 * memcpy, memmove and memset are mostly not calls of the program: compilers make them of
 * intrinsics, whose hooks have told the accesses already. They are told here only if the
 * thread is in a call into code without hooks (the program's own call through its name or a
 * pointer, or a library's). */
#include "rt/mem.h"
#include "rt/bytes.h"
#include "rt/policy.h"
#include "rt/stream.h"

#include <string.h>
#include <strings.h>

#define PIECE (1u << 30)

void rt_tell(uint8_t op, const void *p, size_t n) {
    struct rt_thread *t = rt_hot.self;
    if (!rt_hot.on)
        return;
    if (!n) {
        rt_log(rt_call_site(t), op, 0, (uint64_t)(uintptr_t)p, 0, 0, NULL);
        return;
    }
    size_t most = op == AU_SOP_RWRITE ? RT_DATA_MAX : PIECE;
    for (const char *at = p; n;) {
        size_t piece = n < most ? n : most;
        if (op == AU_SOP_RWRITE)
            rt_copy_bytes((void *)(uintptr_t)rt_shadow(at), at, piece);
        else
            rt_patch(at, piece);
        rt_log(rt_call_site(t), op, 0, (uint64_t)(uintptr_t)at, 0, (uint32_t)piece,
               op == AU_SOP_RWRITE ? at : NULL);
        at += piece;
        n -= piece;
    }
}

void rt_tell_copy(void *to, const void *from, size_t n) {
    if (!rt_hot.on)
        return;
    rt_move_bytes((void *)(uintptr_t)rt_shadow(to), (const void *)(uintptr_t)rt_shadow(from), n);
    for (size_t done = 0; done < n;) {
        size_t piece = n - done < PIECE ? n - done : PIECE;
        rt_log(rt_call_site(rt_hot.self), AU_SOP_RCOPY, 0, (uint64_t)(uintptr_t)to + done,
               (uint64_t)(uintptr_t)from + done, (uint32_t)piece, NULL);
        done += piece;
    }
}

void rt_tell_set(void *p, int byte, size_t n) {
    if (!rt_hot.on)
        return;
    rt_set_bytes((void *)(uintptr_t)rt_shadow(p), byte, n);
    for (size_t done = 0; done < n;) {
        size_t piece = n - done < PIECE ? n - done : PIECE;
        rt_log(rt_call_site(rt_hot.self), AU_SOP_RSET, 0, (uint64_t)(uintptr_t)p + done,
               (uint8_t)byte, (uint32_t)piece, NULL);
        done += piece;
    }
}

void rt_tell_atomic(uint8_t op, const void *p, size_t n) {
    if (!rt_hot.on)
        return;
    struct rt_thread *t = rt_hot.self;
    if (n > 8) {
        rt_tell(op == AU_OP_AREAD ? AU_SOP_RREAD : AU_SOP_RWRITE, p, n);
        return;
    }
    uint64_t v = 0;
    if (op == AU_OP_AREAD) {
        rt_patch(p, n);
    } else {
        rt_copy_bytes(&v, p, n);
        rt_copy_bytes((void *)(uintptr_t)rt_shadow(p), p, n);
    }
    rt_log(rt_call_site(t), op, (uint8_t)n, (uint64_t)(uintptr_t)p, v, 0, NULL);
}

/* ---- for the runtime itself: what it calls memcpy is this (pack.sh) ---- */

void *rt_memcpy(void *to, const void *from, size_t n) {
    return rt_copy_bytes(to, from, n);
}
void *rt_memmove(void *to, const void *from, size_t n) {
    return rt_move_bytes(to, from, n);
}
void *rt_memset(void *p, int byte, size_t n) {
    return rt_set_bytes(p, byte, n);
}
int rt_memcmp(const void *a, const void *b, size_t n) {
    return rt_real.memcmp(a, b, n);
}

/* ---- memcpy and kin ---- */

RT_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    if (n && rt_string_enter()) {
        rt_tell(AU_SOP_RREAD, from, n);
        rt_tell_copy(to, from, n);
        rt_leave(0);
    }
    return rt_copy_bytes(to, from, n);
}
RT_EXPORT void *memmove(void *to, const void *from, size_t n) {
    if (n && rt_string_enter()) {
        rt_tell(AU_SOP_RREAD, from, n);
        rt_tell_copy(to, from, n);
        rt_leave(0);
    }
    return rt_move_bytes(to, from, n);
}
RT_EXPORT void *memset(void *p, int byte, size_t n) {
    if (n && rt_string_enter()) {
        rt_tell_set(p, byte, n);
        rt_leave(0);
    }
    return rt_set_bytes(p, byte, n);
}
RT_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n) {
    return (char *)memcpy(to, from, n) + n;
}
RT_EXPORT void bcopy(const void *from, void *to, size_t n) {
    memmove(to, from, n);
}
