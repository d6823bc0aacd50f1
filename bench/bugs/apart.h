/* bench/bugs/apart.h: included before every program, for every tool: whoever starts a thread pauses. In a plain
 * run the threads then come one after the other, and no bug shows, whatever the machine; without it
 * a quarter of the programs fail now and then on some machines. Sleeping orders nothing, for no tool. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <unistd.h>

static inline int start_and_pause(pthread_t *thread, const pthread_attr_t *how,
                                  void *(*run)(void *), void *with) {
    int failure = pthread_create(thread, how, run, with);
    usleep(20 * 1000);
    return failure;
}
#define pthread_create start_and_pause
