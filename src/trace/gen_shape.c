/* trace/gen_shape.c: the sizes of published benchmarks (docs/gen.md). */
#include "trace/gen_priv.h"

#include <string.h>

/* Reads and writes are chosen such that the sum over the variables of
 * (reads + 1) * writes is a third of the published number of witnesses. */

/* 430 accesses of 42 variables, 472 triplets */
static const au_gen_vars account_vars[] = {
    {.count = 14, .reads = 12, .writes = 1, .readers = 4},
    {.count = 10, .reads = 12, .writes = 1, .readers = 3},
    {.count = 4, .reads = 11, .writes = 1, .readers = 3},
    {.count = 14, .reads = 3, .writes = 2, .readers = 1},
};

/* 2003 accesses of 45 variables, 127 669 triplets */
static const au_gen_vars daisy_vars[] = {
    {.count = 2, .reads = 260, .writes = 95, .hot = true, .lo = 0, .hi = 3},
    {.count = 3, .reads = 261, .writes = 99, .hot = true, .lo = 0, .hi = 3},
    {.count = 13, .reads = 4, .writes = 2, .readers = 1},
    {.count = 27, .reads = 4, .writes = 1, .readers = 2},
};

/* 8818 accesses of 519 variables, 159 714 triplets */
static const au_gen_vars thrift_vars[] = {
    {.count = 1, .reads = 414, .writes = 44, .hot = true, .lo = 0, .hi = 2},
    {.count = 2, .reads = 415, .writes = 65, .hot = true, .lo = 0, .hi = 2},
    {.count = 3, .reads = 415, .writes = 65, .hot = true, .lo = 2, .hi = 4},
    {.count = 49, .reads = 6, .writes = 2, .readers = 2},
    {.count = 464, .reads = 11, .writes = 1, .readers = 3},
};

#define VARS(a) .vars = (a), .n_vars = sizeof(a) / sizeof *(a)
static const au_gen_plan plans[] = {
    {.name = "account",
     .threads = 11,
     .events = 902,
     .lock_events = 146,
     .locks = 21,
     .waits = 4,
     .notifies = 6,
     .wait_lo = 1,
     .wait_hi = 11,
     VARS(account_vars)},
    {.name = "daisy",
     .threads = 3,
     .events = 2998,
     .lock_events = 422,
     .locks = 10,
     .waits = 6,
     .notifies = 9,
     .wait_lo = 0,
     .wait_hi = 3,
     VARS(daisy_vars)},
    {.name = "thrift",
     .threads = 6,
     .events = 20640,
     .lock_events = 1724,
     .locks = 158,
     .waits = 115,
     .notifies = 234,
     .wait_lo = 4,
     .wait_hi = 6,
     VARS(thrift_vars)},
};

/* The sizes of the largest and of the slowest run in Farzan et al. tsp: a matrix that
 * is written once and read all the time, ten variables of the search, locks
 * seldom taken. elevator: what a lock guards is accessed under it. */
static const struct {
    const char *name;
    au_gen_mix mix;
} mixes[] = {
    {"tsp",
     {.events = 11000000,
      .threads = 20,
      .locks = 2,
      .vars = 1510,
      .depth = 1,
      .constants = 1500,
      .shared_part = 65536,
      .constant_part = 65536 / 16 * 15,
      .acquire_part = 65536 / 512,
      .release_part = 65536 / 8,
      .blocks = 106}},
    {"elevator",
     {.events = 78000,
      .threads = 5,
      .locks = 50,
      .vars = 200,
      .depth = 3,
      .shared_part = 65536,
      .acquire_part = 65536 / 4,
      .release_part = 65536 / 4,
      .blocks = 273,
      .guarded = true}},
};

#define LEN(a) (sizeof(a) / sizeof *(a))

static const char raytracer[] = "raytracer";

const char *au_gen_shape_name(size_t i) {
    if (i == 0)
        return raytracer;
    i--;
    if (i < LEN(mixes))
        return mixes[i].name;
    i -= LEN(mixes);
    return i < LEN(plans) ? plans[i].name : NULL;
}

static au_status fixed(const au_gen_options *o, bool threads, bool events, au_error *err) {
    const char *bad = NULL;
    if (threads && o->threads != AU_GEN_DEFAULT)
        bad = "threads";
    if (events && o->events != AU_GEN_DEFAULT_EVENTS)
        bad = "events";
    if (o->locks != AU_GEN_DEFAULT)
        bad = "locks";
    if (o->vars != AU_GEN_DEFAULT)
        bad = "vars";
    if (o->depth != AU_GEN_DEFAULT)
        bad = "nesting";
    if (o->shared >= 0)
        bad = "shared-fraction";
    if (o->atomic)
        bad = "with-blocks";
    if (!bad)
        return AU_OK;
    return au_error_set(err, AU_EUSAGE, "shape '%s' does not take '%s': it is fixed by the shape",
                        o->shape, bad);
}

au_gen_source *au_gen_shape(au_gen *g, const au_gen_options *o, au_error *err) {
    if (strcmp(o->shape, raytracer) == 0) {
        uint32_t n = o->threads == AU_GEN_DEFAULT ? 10 : o->threads;
        if (fixed(o, false, true, err) != AU_OK)
            return NULL;
        if (n < 1 || n > AU_MAX_THREADS) {
            au_error_set(err, AU_EUSAGE, "%u threads: from 1 to %u are possible", n,
                         AU_MAX_THREADS);
            return NULL;
        }
        return au_gen_raytracer(g, n, o->seed);
    }
    for (size_t i = 0; i < LEN(mixes); i++)
        if (strcmp(o->shape, mixes[i].name) == 0) {
            au_gen_mix m = mixes[i].mix;
            if (fixed(o, true, false, err) != AU_OK)
                return NULL;
            if (o->events != AU_GEN_DEFAULT_EVENTS)
                m.events = o->events;
            m.seed = o->seed;
            return au_gen_stream(g, &m, err);
        }
    for (size_t i = 0; i < LEN(plans); i++)
        if (strcmp(o->shape, plans[i].name) == 0)
            return fixed(o, true, true, err) == AU_OK ? au_gen_planned(g, &plans[i], o->seed)
                                                      : NULL;
    au_error_set(err, AU_EUSAGE, "there is no shape '%s'", o->shape);
    return NULL;
}
