/* SPDX-License-Identifier: MIT
 *
 * augur.h: remarks for augur in a program's source. In a build by `augur cc` or `augur c++`
 * they become events of the recording; in every other build they are nothing, and nothing
 * has to be linked. C99 and later, C++11 and later.
 *
 *     AUGUR_ATOMIC_BEGIN("transfer");     what follows is meant to happen at once, up to
 *     …                                   the end in the same thread; blocks may be nested
 *     AUGUR_ATOMIC_END();
 *
 *     AUGUR_ASSERT(balance >= 0);         must hold in every interleaving. Like assert(), but
 *                                         a failure is recorded and the program goes on;
 *                                         in ordinary builds the condition is not evaluated
 *
 *     AUGUR_IGNORE(statistics++);         accesses in here are not recorded: races that
 *                                         are meant to be. One or more statements; no
 *                                         return, break, continue or goto out of them
 *     AUGUR_IGNORE_BEGIN(); … AUGUR_IGNORE_END();
 *                                         the same over more lines
 *
 *     AUGUR_HAPPENS_BEFORE(object);       what this thread did so far comes before what another does
 *     AUGUR_HAPPENS_AFTER(object);        behind a later HAPPENS_AFTER of the same address: for hand-overs
 *                                         that augur cannot see, through a device, say. The order of the
 *                                         run is kept. ThreadSanitizer's __tsan_release, __tsan_acquire
 *                                         and __tsan_mutex_… are obeyed, too */
#ifndef AUGUR_H
#define AUGUR_H

#ifdef __AUGUR__

#ifdef __cplusplus
extern "C" {
#endif
void __augur_atomic_begin(const char *name);
void __augur_atomic_end(void);
void __augur_assert(int holds, const char *what, const char *file, int line);
void __augur_ignore_begin(void);
void __augur_ignore_end(void);
void __augur_happens_before(const volatile void *object);
void __augur_happens_after(const volatile void *object);
#ifdef __cplusplus
}
#endif

#define AUGUR_ATOMIC_BEGIN(name) __augur_atomic_begin(name)
#define AUGUR_ATOMIC_END() __augur_atomic_end()
#define AUGUR_ASSERT(...) __augur_assert((__VA_ARGS__) ? 1 : 0, #__VA_ARGS__, __FILE__, __LINE__)
#define AUGUR_IGNORE_BEGIN() __augur_ignore_begin()
#define AUGUR_IGNORE_END() __augur_ignore_end()
#define AUGUR_HAPPENS_BEFORE(object) __augur_happens_before(object)
#define AUGUR_HAPPENS_AFTER(object) __augur_happens_after(object)
#define AUGUR_IGNORE(...)                                                                          \
    do {                                                                                           \
        __augur_ignore_begin();                                                                    \
        __VA_ARGS__;                                                                               \
        __augur_ignore_end();                                                                      \
    } while (0)

#else

#define AUGUR_ATOMIC_BEGIN(name) ((void)0)
#define AUGUR_ATOMIC_END() ((void)0)
/* The condition is compiled, so that it stays right, but never evaluated. */
#define AUGUR_ASSERT(...) ((void)(0 && (__VA_ARGS__)))
#define AUGUR_IGNORE_BEGIN() ((void)0)
#define AUGUR_IGNORE_END() ((void)0)
#define AUGUR_HAPPENS_BEFORE(object) ((void)(object))
#define AUGUR_HAPPENS_AFTER(object) ((void)(object))
#define AUGUR_IGNORE(...)                                                                          \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
    } while (0)

#endif

#endif
