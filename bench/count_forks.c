/* bench/count_forks.c: preloaded into what runs under valgrind (part_growth.sh). A forked process inherits what its
 * parent had counted; without this, what was done before a fork would count once for every child. */
#include <pthread.h>
#include <stddef.h>
#include <valgrind/callgrind.h>

static void begin_at_zero(void) {
    CALLGRIND_ZERO_STATS;
}

__attribute__((constructor)) static void install(void) {
    pthread_atfork(NULL, NULL, begin_at_zero);
}
