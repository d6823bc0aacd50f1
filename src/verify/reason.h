/* verify/reason.h: reasons that need no proof.
 *
 * A path s0 s1 … sn of steps: when the thread of s(i+1) stands at s(i+1), that of s(i) has gone past s(i). So when the
 * thread of sn is at sn, s0 is neither next nor still to come. Each link is one of
 *   program    both of one thread, s(i) on every path to s(i+1) that gets that far, by place
 *   fork       s(i) is the only fork of the thread of s(i+1)
 *   join       s(i+1) comes after a join of s(i)'s thread that every path to s(i+1) passes
 * A lock that two threads hold alone, or one alone and the other with readers, keeps them apart. */
#ifndef AU_VERIFY_REASON_H
#define AU_VERIFY_REASON_H

#include "verify/file.h"

/* Does the reason rule the question out? */
bool au_reason_holds(au_ref *r, const au_refuted *x);
/* Finds one: fills how, number, path. False: it has none. */
bool au_reason_find(au_ref *r, au_refuted *x);

#endif
