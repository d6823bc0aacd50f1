/* SPDX-License-Identifier: MIT
 *
 * rt/map.c: files and segments that are mapped to be shared: the same memory may have another address, and functions
 * that read and write files see it, too. The recording is told where they lie (AU_NOTE_MAPPED). No point and no event.
 *
 * The runtime's own memory comes from here as well, long before rt_real is there: the kernel is asked directly. */
#include "rt/policy.h"
#include "rt/real.h"
#include "rt/stream.h"
#include "rt/sync.h"
#include "wire/stream.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define A_FILE (UINT64_C(1) << 63)
#define A_SEGMENT (UINT64_C(1) << 62)

/* file 0: it lies there no more. */
static void tell(const void *p, uint64_t size, uint64_t file, uint64_t offset) {
    uint64_t note[4] = {(uint64_t)(uintptr_t)p, size, file, offset};
    if (rt_enter()) {
        if (rt_hot.on)
            rt_log_text(AU_NOTE_MAPPED, (const char *)note, sizeof note);
        rt_leave(0);
    }
}

static int any; /* something was told */

RT_EXPORT void *mmap(void *p, size_t n, int protection, int flags, int fd, off_t offset) {
    long at = syscall(SYS_mmap, p, n, protection, flags, fd, offset);
    struct stat s;
    int shared = (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
    if (at == -1 || (flags & MAP_ANONYMOUS) || !shared || !rt_real.fstat ||
        rt_real.fstat(fd, &s) != 0) {
        if (at != -1 && __atomic_load_n(&any, __ATOMIC_RELAXED) && (flags & MAP_FIXED))
            tell((void *)at, n, 0, 0);
        return (void *)at;
    }
    __atomic_store_n(&any, 1, __ATOMIC_RELAXED);
    tell((void *)at, n, A_FILE | ((s.st_ino ^ s.st_dev << 40) & (A_SEGMENT - 1)), (uint64_t)offset);
    return (void *)at;
}
RT_EXPORT void *mmap64(void *p, size_t n, int protection, int flags, int fd, off_t offset) {
    return mmap(p, n, protection, flags, fd, offset);
}

RT_EXPORT int munmap(void *p, size_t n) {
    if (__atomic_load_n(&any, __ATOMIC_RELAXED))
        tell(p, n, 0, 0);
    return (int)syscall(SYS_munmap, p, n);
}

RT_EXPORT void *shmat(int id, const void *p, int flags) {
    struct shmid_ds d;
    long at = syscall(SYS_shmat, id, p, flags);
    if (at != -1 && shmctl(id, IPC_STAT, &d) == 0) {
        __atomic_store_n(&any, 1, __ATOMIC_RELAXED);
        tell((void *)at, d.shm_segsz, A_SEGMENT | (uint64_t)(unsigned)id, 0);
    }
    return (void *)at;
}
