/* SPDX-License-Identifier: MIT
 *
 * rt/omp.c: where libomp is, who is in it, and its quiet waits (omp.h). */
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/stream.h"
#include "rt/sync.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

uintptr_t rt_omp_low, rt_omp_size;
static int has_libgomp;

extern const char __start_augur_text[], __stop_augur_text[];

/* The executable part of the library that has the address in *data. */
static int find(struct dl_phdr_info *info, size_t size, void *data) {
    uintptr_t wanted = (uintptr_t)data;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || wanted - low >= p->p_memsz)
            continue;
        rt_omp_low = low;
        rt_omp_size = p->p_memsz;
        return 1;
    }
    return 0;
}

/* Before anything is recorded: dlsym allocates the text of its error. */
void rt_omp_start(void) {
    Dl_info info;
    void *fork_call = dlsym(RTLD_NEXT, "__kmpc_fork_call");
    if (!fork_call || !dl_iterate_phdr(find, fork_call)) {
        void *parallel = dlsym(RTLD_NEXT, "GOMP_parallel");
        has_libgomp = parallel && dladdr(parallel, &info) && info.dli_fname &&
                      strstr(info.dli_fname, "libgomp");
        return;
    }
    /* Its threads sleep where they would spin. */
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("KMP_BLOCKTIME", "0", 1);
    setenv("OMP_TOOL", "enabled", 1);
}

void rt_omp_tell(void) {
    if (has_libgomp)
        rt_note(
            AU_NOTE_TEXT,
            "OpenMP code in this program runs on libgomp, which tells no tool what it does: what "
            "its threads do is not predicted (libomp is: docs/openmp.md)");
}

static int called_by_libomp(void) {
    void **frame = __builtin_frame_address(0);
    for (unsigned i = 0; i < 8; i++) {
        const char *from = frame[1];
        if (from < __start_augur_text || from >= __stop_augur_text)
            return rt_omp_has(from);
        frame = frame[0];
    }
    return 0;
}

int rt_omp_calls(const struct rt_thread *t) {
    return t->omp || called_by_libomp();
}

/* ---- quiet waits ---- */

/* Into the runtime, without a word to the stream; 0: nothing is recorded here. */
static int begin(void) {
    struct rt_thread *t = rt_self;
    if (!rt_on || !t || t->inside || t->state == RT_DEAD || !rt_omp_calls(t))
        return 0;
    t->inside = 1;
    t->was_away = t->away != RT_HERE;
    __atomic_store_n(&t->away, RT_HERE, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&t->stolen, __ATOMIC_RELAXED))
        rt_attach();
    return 1;
}

/* Others may have written to the stream: the thread's next hook looks whether they did. */
static int end(int result) {
    struct rt_thread *t = rt_self;
    t->inside = 0;
    t->stolen = 1;
    if (t->was_away)
        rt_go_away(t);
    return result;
}

static int take(pthread_mutex_t *m) {
    int e = rt_real.pthread_mutex_trylock(m);
    while (e == EBUSY && rt_self->state == RT_RUNNING) {
        rt_yield_quietly();
        e = rt_real.pthread_mutex_trylock(m);
    }
    return e == EBUSY ? rt_real.pthread_mutex_lock(m) : e;
}

int rt_omp_mutex_lock(pthread_mutex_t *m) {
    if (!begin())
        return rt_real.pthread_mutex_lock(m);
    return end(take(m));
}

int rt_omp_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    if (!begin())
        return rt_real.pthread_cond_wait(c, m);
    rt_real.pthread_mutex_unlock(m);
    rt_wait_quietly(c);
    return end(take(m));
}

int rt_omp_cond_wake(pthread_cond_t *c, unsigned most) {
    if (!begin())
        return most == 1 ? rt_real.pthread_cond_signal(c) : rt_real.pthread_cond_broadcast(c);
    rt_wake(c, most);
    return end(0);
}

int rt_omp_yield(void) {
    if (!begin())
        return rt_real.sched_yield();
    rt_yield_quietly();
    return end(0);
}

/* libomp's end: what the C library frees of its threads is not the program's. */
int rt_omp_join(pthread_t thread, void **result) {
    struct rt_thread *t = rt_self;
    uint8_t was = t ? t->omp : 0;
    if (t && rt_omp_calls(t))
        t->omp = 1;
    int e = rt_real.pthread_join(thread, result);
    if (t)
        t->omp = was;
    return e;
}
