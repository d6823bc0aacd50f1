/* SPDX-License-Identifier: MIT
 *
 * rt/start.c: how a recorded program begins. The start runs from .preinit_array: before
 * the constructors of every library, so that no wrapper meets an empty table and nothing
 * of the program runs unseen. Without the control memory it only fills that table. */
#include "rt/start.h"
#include "rt/hooks.h"
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/stream.h"
#include "rt/sync.h"
#include "rt/times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

__attribute__((visibility("default"))) uint32_t __augur_on;

static struct rt_thread *main_thread;

_Noreturn void rt_die(const char *format, ...) {
    char text[800];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!rt_control)
        dprintf(2, "augur: %s\n", text);
    else if (!rt_control->message[0]) /* the tool says it */
        snprintf(rt_control->message, sizeof rt_control->message, "%s", text);
    if (rt_self && rt_self == rt_hot.self)
        rt_finish(AU_END_LIMIT, 125);
    rt_quit(125);
}

/* The control memory, if this process was started by augur. */
static struct au_control *find_control(void) {
    struct stat st;
    if (rt_real.fstat(AU_CONTROL_FD, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size < (off_t)sizeof(struct au_control))
        return NULL;
    char magic[8];
    if (rt_real.pread(AU_CONTROL_FD, magic, 8, 0) != 8 || memcmp(magic, AU_CONTROL_MAGIC, 8) != 0)
        return NULL;
    void *p = mmap((void *)(uintptr_t)RT_CONTROL_BASE, (size_t)st.st_size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE, AU_CONTROL_FD, 0);
    if (p == MAP_FAILED)
        rt_die("cannot map the control memory: %s", strerror(errno));
    close(AU_CONTROL_FD); /* children must not find it */
    struct au_control *c = p;
    if (c->version != AU_CONTROL_VERSION)
        rt_die("started by another version of augur (control %u, runtime %u); build the program "
               "again",
               c->version, AU_CONTROL_VERSION);
    if (c->ended || c->threads)
        return NULL; /* it belongs to another process, which handed it on */
    return c;
}

/* Shadow of what programs use: below 2^40, PIE, libraries, arena and stacks. The rest is
 * mapped when the first access faults (crash.c). */
static const struct {
    uint64_t from, size;
} part[] = {{RT_SHADOW_XOR, UINT64_C(1) << 40},
            {UINT64_C(0x050000000000), UINT64_C(1) << 41},
            {UINT64_C(0x200000000000), UINT64_C(1) << 44}};

int rt_is_shadow(uint64_t address) {
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        if (address - part[i].from < part[i].size)
            return 1;
    return 0;
}

static void map_shadow(void) {
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        void *p = mmap((void *)(uintptr_t)part[i].from, part[i].size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED || (uint64_t)(uintptr_t)p != part[i].from)
            rt_die("cannot reserve the shadow memory at 0x%llx: %s (a limit of 'ulimit -v' that "
                   "cannot "
                   "be lifted, or vm.overcommit_memory=2?)",
                   (unsigned long long)part[i].from, strerror(errno));
        madvise(p, part[i].size, MADV_DONTDUMP);
        madvise(p, part[i].size, MADV_DONTFORK); /* children have no use for it */
        madvise(p, part[i].size, MADV_NOHUGEPAGE);
    }
}

static void on_exit_of_program(int status, void *nothing) {
    (void)nothing;
    rt_finish(AU_END_EXIT, status);
}

static void start(int argc, char **argv, char **envp) {
    rt_real_init();
    rt_cmocka_start(envp);
    struct au_control *c = find_control();
    if (!c) {
        rt_suite_start(argc, argv, envp);
        return;
    }
    rt_thread_start();
    rt_control = c;
    map_shadow();
    rt_omp_start();
    rt_module_start();
    rt_policy_start();
    rt_times_start();
    rt_table_start();
    main_thread = rt_thread_new();
    struct rlimit limit;
    size_t size = 8u << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        size = limit.rlim_cur;
    uintptr_t top = ((uintptr_t)argv | 0xfff) + 1;
    main_thread->stack = (void *)(top - size);
    main_thread->stack_size = size;
    main_thread->handle = pthread_self();
    main_thread->tid = rt_real.getpid();
    main_thread->detached = 0;
    rt_self = main_thread;
    rt_stream_start();
    rt_log_thread(main_thread);
    rt_on = 1;
    __augur_on = 1;
    rt_sched_start(main_thread);
    rt_commit();
    rt_signal_start();
    pthread_atfork(NULL, NULL, rt_in_child); /* before handlers of the program */
    on_exit(on_exit_of_program, NULL);
    rt_process_start(envp);
    rt_omp_tell();
    rt_watch_start();
    c->asked = AU_ASKED_NOTHING; /* of the program */
}

static int (*program_main)(int, char **, char **);

static int run_main(int argc, char **argv, char **envp) {
    rt_main_runs = 1;
    int status = program_main(argc, argv, envp);
    rt_main_runs = 0;
    return status;
}

/* Between _start and main, so that the runtime knows main from what runs before and behind it. */
RT_EXPORT int __libc_start_main(int (*run)(int, char **, char **), int argc, char **argv,
                                void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                                void *stack_end) {
    rt_real_init();
    program_main = run;
    return rt_real.__libc_start_main(run_main, argc, argv, init, fini, loader_fini, stack_end);
}

__attribute__((section(".preinit_array"), used,
               retain)) static void (*const preinit)(int, char **, char **) = start;
