/* tests/rt/run.h: runs a program with the runtime inside, as `augur record` and
 * `augur replay` do, and decodes its stream. A decoder of its own, so that it checks the
 * encoder without the tool's reader. */
#ifndef AU_TESTS_RT_RUN_H
#define AU_TESTS_RT_RUN_H

#include "wire/control.h"
#include "wire/stream.h"
#include "wire/wire.h"

#include <stddef.h>

struct rt_ev {
    uint32_t thread, site;
    uint64_t n; /* hook count in its thread */
    uint8_t op, size;
    uint64_t address, value; /* reads: the value the stream implies */
    uint64_t len;
};

struct rt_run {
    /* in */
    struct au_control options; /* mode, policy, seed … */
    struct au_wire_turn *turns;
    const uint8_t *inputs;
    int skip; /* do not decode, for measuring */
    /* out */
    struct rt_ev *ev;
    size_t n_ev;
    struct au_wire_turn *made; /* the turns of this run; caller frees (rt_run_release) */
    size_t n_made;
    uint8_t *fed; /* its INPUT records, each behind its thread */
    size_t n_fed;
    size_t bytes, records, patches, bits, notes, runs;
    uint8_t bit[4096];
    int has_end;
    uint8_t end_why;
    int64_t end_status;
    int wait_status, stops, stolen;
    char message[1024];
    char *out;                 /* standard output */
    char error[256];           /* why the stream could not be decoded; empty: fine */
    struct au_control control; /* as the runtime left it */
};

/* 0: it ran and the stream was decoded. argv[0] is the program. */
int rt_run(struct rt_run *r, char *const argv[]);
void rt_run_release(struct rt_run *r);
/* Events as such: not the place in memory. */
int rt_ev_equal(const struct rt_ev *a, const struct rt_ev *b);
void rt_run_print(const struct rt_run *r);

#endif
