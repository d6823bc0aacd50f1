/* model/semantics.h: what "an interleaving of the model" means, and what is looked for.
 * Names that the exact stage, the oracle and the command line share; docs/oracle.md
 * says exactly what each of them stands for. */
#ifndef AU_MODEL_SEMANTICS_H
#define AU_MODEL_SEMANTICS_H

typedef enum {
    AU_SEM_CTP,  /* the model itself */
    AU_SEM_MCM,  /* maximal causal model: the observed run, reads see the values they saw */
    AU_SEM_CAM,  /* values ignored, synchronisation real */
    AU_SEM_LOCKS /* values and everything but locks ignored */
} au_semantics;

/* What reads may see. */
typedef enum {
    AU_MEMORY_SC,  /* interleavings */
    AU_MEMORY_TSO, /* x86: stores wait in buffers */
    AU_MEMORY_RC11 /* C11, as repaired by Lahav et al. (2017) */
} au_memory;

enum {
    AU_PROP_RACE = 1,
    AU_PROP_ATOMICITY = 2,
    AU_PROP_DEADLOCK = 4,
    AU_PROP_ASSERT = 8,
    AU_PROP_NONDET = 16,
    AU_PROP_LOCKS = 32,
    AU_PROP_LOST = 64,
    AU_PROP_OUTPUT = 128, /* of programs that are executed only */
    AU_PROP_ALL = 255
};

typedef enum {
    AU_ATOMIC_AUTO, /* what is marked; if nothing is, critical sections */
    AU_ATOMIC_MARKED,
    AU_ATOMIC_CRITICAL, /* outermost critical sections without a condition wait */
    AU_ATOMIC_NONE,
    AU_ATOMIC_GIVEN /* of a question: whoever asks knows that its accesses are in one block */
} au_atomic_blocks;

#endif
