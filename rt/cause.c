/* SPDX-License-Identifier: MIT
 *
 * rt/cause.c: see cause.h. Digests, and those that there were before, are in the table of objects under keys
 * that are no addresses of objects: these are divisible by 4. */
#include "rt/cause.h"
#include "rt/stream.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *key_of(uint64_t peer, uint64_t digest, unsigned kind) {
    uint64_t k = (peer * UINT64_C(0x9e3779b97f4a7c15) + digest) * UINT64_C(0xbf58476d1ce4e5b9);
    return (const void *)(uintptr_t)((k ^ k >> 29) << 2 | kind);
}

static bool tells_of_us(int fd) {
    char path[40], to[64], *end;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, to, sizeof to - 1);
    to[n > 0 ? n : 0] = 0;
    return !rt_real.strncmp(to, "/proc/", 6) && rt_real.strtol(to + 6, &end, 10) == rt_process();
}

uint64_t rt_peer(int fd) {
    struct stat st;
    if (rt_has_children() && rt_fd_timed(fd) == RT_KIN)
        return RT_OTHERS;
    if (rt_fd_side(fd) == RT_INSIDE || rt_real.fstat(fd, &st))
        return 0;
    if (S_ISSOCK(st.st_mode))
        return (uint64_t)st.st_ino << 1;
    if (S_ISREG(st.st_mode) && tells_of_us(fd))
        return RT_KERNEL;
    if (S_ISFIFO(st.st_mode) && fd > STDERR_FILENO)
        return RT_OTHERS;
    return 0;
}

uint32_t rt_cause(uint64_t peer) {
    if (peer == RT_KERNEL)
        return ((uint32_t)rt_way() ^ (uint32_t)(rt_way() >> 32)) & 0x7fffffffu;
    return peer ? (uint32_t)rt_table_get(key_of(peer, 0, 2)) & 0x7fffffffu : 0;
}

void rt_cause_sent(uint64_t peer, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    if (!peer)
        return;
    uint32_t digest = rt_cause(peer);
    for (size_t i = 0; i < n; i++) /* FNV-1a; how the bytes were divided is not to be seen */
        digest = (digest ^ p[i]) * 16777619u + 1;
    digest &= 0x7fffffffu;
    rt_table_set(key_of(peer, 0, 2), digest);
    if (rt_living())
        rt_table_set(key_of(peer, (uint64_t)digest + 1, 3), 1);
}

void rt_cause_forked(void) {
    uint64_t told[2] = {rt_way(), rt_now(rt_hot.self)};
    rt_cause_sent(RT_OTHERS, told, sizeof told);
}

void rt_cause_pieces(uint64_t peer, const struct iovec *v, size_t n, int64_t sent) {
    for (size_t i = 0; i < n && sent > 0; i++) {
        size_t k = v[i].iov_len < (size_t)sent ? v[i].iov_len : (size_t)sent;
        rt_cause_sent(peer, v[i].iov_base, k);
        sent -= (int64_t)k;
    }
}

void rt_cause_fed(uint64_t peer, uint32_t then) {
    if (peer == RT_KERNEL && then == rt_cause(peer))
        return;
    if (peer && then && !rt_table_get(key_of(peer, (uint64_t)then + 1, 3)))
        rt_rests(AU_RESTS_OUTSIDE);
}

void rt_cause_answered(const struct rt_call *c, uint8_t kind, const void *bytes, size_t n) {
    const char *p = bytes;
    size_t piece;
    if (!rt_living() || !c->inside || c->peer != RT_OTHERS || c->result < 0)
        return;
    n = c->alike && c->alike < n ? c->alike : n;
    do { /* as it was logged */
        piece = n < RT_DATA_MAX ? n : RT_DATA_MAX;
        if (rt_input_then(kind, c->result, rt_cause(c->peer), p, piece) == RT_OTHERWISE)
            rt_rests(AU_RESTS_OUTSIDE);
        n -= piece;
        p += piece;
    } while (n);
}
