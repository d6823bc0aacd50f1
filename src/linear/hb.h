/* linear/hb.h: happens-before races with epochs (Flanagan, Freund: FastTrack).
 *
 * A pass: feed every block, findings come as it goes. Memory by variables, threads and
 * locks (and findings), not by the length of the trace.
 *
 *   happens before           edges
 *   lock                     release -> next acquire
 *   read-write lock          exclusive release -> any acquire; shared ones -> exclusive
 *   semaphore                up -> every later down
 *   condition                signal, broadcast -> every later wake
 *   barrier                  arrive -> leave of the same round
 *   once                     the first -> the others
 *   fork, join               fork -> child -> join
 *   atomics                  each access -> later conflicting ones, like a read-write
 *                            lock (sequentially consistent); two atomics never race,
 *                            an atomic and a plain access may
 *   init, destroy            operations before -> it -> operations after
 *   alloc                    nothing before it races with what comes after it
 *
 * These are observed orders: more than must hold. So each pair reported can be reordered
 * to be simultaneous as far as synchronisation goes, and some pairs are missed. That
 * the reads before it keep their values is certain only for the pairs of the first
 * racing event of the whole run (AU_WHY_HB_FIRST): there, everything before is race-free
 * (and no try of a lock has failed: a failed try has seen an order that is no edge).
 * The first race of a *variable* can rest on a read that an earlier race on another
 * variable decided.
 *
 * Compared are each access with the last write and the reads since then: every variable
 * with such a race gets at least one finding, not all pairs. */
#ifndef AU_LINEAR_HB_H
#define AU_LINEAR_HB_H

#include "linear/race.h"

typedef struct au_hb au_hb;

/* names: tells semaphores that are used through acq and rel; may be NULL. Findings are added to
 * 'out' (borrowed) as they are made; schedules are not (see au_race_probe). */
au_hb *au_hb_new(const au_names *names, const au_race_options *o, au_findings *out);
void au_hb_free(au_hb *h);
/* AU_EUNSUPPORTED if a thread synchronises more than 2^32 - 2 times. */
au_status au_hb_block(au_hb *h, const au_block *b, au_error *err);

/* Pairs seen racing, before those with known locations were left out. */
uint64_t au_hb_pairs(const au_hb *h);
/* Variables with a race. */
uint64_t au_hb_racy(const au_hb *h);
/* For each finding in 'out' that au_hb added, in order: is it the first of its variable? */
bool au_hb_first_of_variable(const au_hb *h, size_t finding);

#endif
