/* tests/random/batches.h: random programs in batches, several worker processes, each in a directory of its
 * own; for the tests that compile and run what they generate. */
#ifndef BATCHES_H
#define BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The worker's directory. */
extern char batches_dir[256];

typedef struct {
    const char *name; /* of the test */
    uint64_t count, seed, size, jobs;
    const char
        *keep;  /* work here, in one process, and leave everything; NULL: a temporary directory */
    bool go_on; /* after a failure */
    uint32_t batch; /* programs at once */
    bool (*test)(uint64_t seed, uint32_t programs, uint32_t size);
    uint64_t *total; /* what a worker counted, n_totals numbers; at the end the sums */
    size_t n_totals; /* at most 32 */
} batches;

/* The program that is tested: $AUGUR, or that of the build in which the test lies. */
const char *batches_augur(void);
/* Executes a command in the worker's directory, output and errors to files 'out' and 'err' there; its status. */
int batches_command(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* From the arguments that all of these tests have; others are left alone. */
void batches_options(batches *b, int argc, char **argv);
/* Were all batches good? */
bool batches_run(const batches *b);

#endif
