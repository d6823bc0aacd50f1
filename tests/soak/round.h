/* tests/soak/round.h: one file of random programs through everything, with and without faults. */
#ifndef SOAK_ROUND_H
#define SOAK_ROUND_H

#include "command.h"

enum { SOAK_PROGRAMS = 6, SOAK_KINDS = 16 };

/* Added to by all workers: shared memory. */
typedef struct {
    uint64_t programs, runs, findings, confirmed, faults, fired, divergences, lost;
    uint64_t same, honest; /* of the faults: how they ended */
    uint64_t kind[SOAK_KINDS];
} soak_sums;
/* Names of kind[], NULL after the last. */
extern const char *const soak_kinds[SOAK_KINDS];

typedef struct {
    const char *augur; /* absolute */
    const char *self;  /* this program, for the command that repeats a failure */
    const char *preload;
    const char *keep; /* failures go there */
    const char *log;  /* what came of every fault; NULL: nowhere */
    soak_sums *sums;
    soak_can can;
    bool sanitized;
    uint32_t faults;        /* a program */
    const soak_fault *only; /* these faults and no others */
    uint32_t n_only;
    int32_t only_program; /* … on this program of the round; -1: on all */
    double until;         /* au_now(): begin no program after it; 0: none */
} soak_how_to;

/* dir: the worker's own, empty. */
void soak_round(const soak_how_to *how, const char *dir, uint64_t seed);

#endif
