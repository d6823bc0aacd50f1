/* SPDX-License-Identifier: MIT
 *
 * rt/real.h: the C library's own versions of what the runtime wraps or calls, found with
 * dlsym(RTLD_NEXT) before any constructor runs (real.c). Which they are says the column 'runtime'
 * of wire/libc.def: WRAPS, TELLS and REAL. Each needs a declaration, so its header is included here. A
 * function that the C library lacks is NULL. */
#ifndef AUGUR_RT_REAL_H
#define AUGUR_RT_REAL_H

#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <locale.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* Names without a public declaration. */
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
int __vasprintf_chk(char **to, int flag, const char *format, va_list ap);
int __vprintf_chk(int flag, const char *format, va_list ap);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);
int __isoc99_vsscanf(const char *restrict from, const char *restrict format, va_list ap);
int __isoc99_vfscanf(FILE *restrict from, const char *restrict format, va_list ap);
int __isoc99_vscanf(const char *restrict format, va_list ap);
int _IO_getc(FILE *f);
int __libc_start_main(int (*run)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);
int __xpg_strerror_r(int error, char *to, size_t n);
char *__fgets_chk(char *to, size_t room, int n, FILE *f);
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);

/* GLib's, without its headers (glib.c). */
void g_cond_broadcast(void *c);
void g_cond_clear(void *l);
void g_cond_init(void *l);
void g_cond_signal(void *c);
void g_cond_wait(void *c, void *m);
int g_cond_wait_until(void *c, void *m, int64_t when);
void g_mutex_clear(void *l);
void g_mutex_init(void *l);
void g_mutex_lock(void *l);
int g_mutex_trylock(void *l);
void g_mutex_unlock(void *l);
int g_once_init_enter(volatile void *where);
void g_once_init_leave(volatile void *where, size_t result);
void g_rec_mutex_clear(void *l);
void g_rec_mutex_init(void *l);
void g_rec_mutex_lock(void *l);
int g_rec_mutex_trylock(void *l);
void g_rec_mutex_unlock(void *l);
void g_rw_lock_clear(void *l);
void g_rw_lock_init(void *l);
void g_rw_lock_reader_lock(void *l);
int g_rw_lock_reader_trylock(void *l);
void g_rw_lock_reader_unlock(void *l);
void g_rw_lock_writer_lock(void *l);
int g_rw_lock_writer_trylock(void *l);
void g_rw_lock_writer_unlock(void *l);

/* Of libomp; without OpenMP they are NULL, and nobody calls them. */
void *__kmpc_omp_task_alloc(void *place, int32_t thread, int32_t flags, size_t size, size_t shared,
                            void *entry);
int32_t __kmpc_omp_task(void *place, int32_t thread, void *task);
int32_t __kmpc_omp_task_with_deps(void *place, int32_t thread, void *task, int32_t n, void *list,
                                  int32_t m, void *no_alias);
int32_t __kmpc_reduce(void *place, int32_t thread, int32_t n, size_t size, void *data,
                      void (*combine)(void *, void *), void *lock);
int32_t __kmpc_reduce_nowait(void *place, int32_t thread, int32_t n, size_t size, void *data,
                             void (*combine)(void *, void *), void *lock);
void __kmpc_end_reduce(void *place, int32_t thread, void *lock);
void __kmpc_end_reduce_nowait(void *place, int32_t thread, void *lock);

#define RT_REAL__(name)
#define RT_REAL_STANDS(name)
#define RT_REAL_WRAPS(name) __typeof__(name) *name;
#define RT_REAL_REAL(name) __typeof__(name) *name;
#define RT_REAL_TELLS(name) __typeof__(name) *name;
#define F(name, runtime, ...) RT_REAL_##runtime(name)
#define S(name, runtime, ...) RT_REAL_##runtime(name)
#define B(...)
struct rt_real {
#include "wire/libc.def"
};
#undef RT_REAL_WRAPS
#undef RT_REAL_REAL
#undef RT_REAL_TELLS
extern struct rt_real rt_real __attribute__((visibility("hidden")));

/* Fills the table; called once, before anything else of the program runs. */
void rt_real_init(void);

#endif
