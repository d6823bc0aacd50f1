/* base/deadline.h: when this command is to end: at its time (--budget), or because it was told to (SIGINT,
 * SIGTERM).
 *
 * A process has one. The command sets it; every stage that may take long asks now and then whether it is
 * over, leaves what it has not done, and says so (report/outcome.h, au_check_cut). A stage's share of the time
 * is a nearer deadline for as long as it lasts. Forked workers inherit it, and are ended when it is over
 * (base/worker.h). Without a budget and without a signal nothing is ever over, and answers do not depend on time. */
#ifndef AU_BASE_DEADLINE_H
#define AU_BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#define AU_FOREVER 1e9 /* seconds */

/* From now on so many seconds; 0: no end. Whoever was told to stop while it recorded has a moment. */
void au_deadline_set(double seconds);
/* Everything is done that is to be done: what the report needs may take so long, or less if we were told to
 * stop. */
void au_deadline_last(double seconds);
/* Costs as much as looking at the clock. */
bool au_deadline_over(void);
/* Seconds, never negative; AU_FOREVER without an end. */
double au_deadline_left(void);
/* The smaller of this limit (0: none) and what is left; 0: neither has an end. */
double au_deadline_cap(double seconds);
/* What follows has so many seconds at most, until the time before, which is returned, is given back. */
double au_deadline_narrow(double seconds);
void au_deadline_widen(double before);
/* Why it is over, and what helps against that: "time limit reached (--budget)", "a larger --budget". */
const char *au_deadline_why(void);
const char *au_deadline_remedy(void);

/* ---- in loops ---- */

/* A loop that may be long says what it has done, in steps (what takes some nanoseconds: an event, a pair, a place in a
 * clock), and hears whether it is to end: then within STEPS steps nothing more is begun. Costs an addition; looks at
 * the clock now and then. */
enum { AU_DEADLINE_STEPS = 1 << 14 };
extern struct au_deadline_steps {
    uint64_t done, look; /* so many in this process; when to look at the clock */
} au_deadline_steps;
bool au_deadline_look(void);

static inline bool au_deadline_step(uint64_t n) {
    au_deadline_steps.done += n;
    return au_deadline_steps.done >= au_deadline_steps.look && au_deadline_look();
}

/* For tests: as if a signal came after so many steps from now (UINT64_MAX: none comes), and how many were done since. */
void au_deadline_end_after(uint64_t steps);
uint64_t au_deadline_late_steps(void);

/* ---- signals ---- */

/* SIGINT and SIGTERM end what is being done, and a report follows; at one more, 'at_once' is called, in
 * the handler. Signals that are ignored stay so. */
void au_deadline_listen(void (*at_once)(int sig));
bool au_deadline_listens(void);
/* A handler of somebody else got one of them. Async-signal-safe. */
void au_deadline_hear(int sig);
/* While the user's program is recorded, SIGINT ends that and nothing else, once. */
void au_deadline_recording(bool on);
bool au_deadline_records(void);
/* The recording is to end: the signal, and since when by au_now (may be NULL); 0: it is not. */
int au_deadline_ends_recording(double *since);
/* We were told to stop, by this signal; 0: no. */
int au_deadline_signal(void);

#endif
