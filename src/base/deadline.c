/* base/deadline.c: see deadline.h. */
#include "base/deadline.h"

#include "base/clock.h"

#include <signal.h>
#include <stddef.h>

/* After a recording that was cut short: time for the stages that find most in a moment, so that the report is
 * there within two seconds. */
#define MOMENT 0.8

static double until; /* by au_now; 0: no end */
static void (*end_at_once)(int sig);
static volatile sig_atomic_t recording, ends, stopped; /* the last two: signals */
static volatile double told;                           /* when 'ends' or 'stopped' was set first */
static bool hurry;                    /* stopped while it recorded: there is a moment left */
static uint64_t ends_at = UINT64_MAX; /* au_deadline_end_after: in steps */

struct au_deadline_steps au_deadline_steps;

void au_deadline_set(double seconds) {
    double now = au_now();
    until = seconds > 0 ? now + seconds : 0;
    if (stopped && !until)
        until = now + MOMENT;
    else if (stopped && until > now + MOMENT)
        until = now + MOMENT;
}

void au_deadline_last(double seconds) {
    if (stopped) {
        seconds = seconds < MOMENT ? seconds : MOMENT;
        hurry = true;
    }
    until = until > 0 || stopped ? au_now() + seconds : 0;
}

bool au_deadline_over(void) {
    return (stopped && !hurry) || (until > 0 && au_now() >= until) ||
           au_deadline_steps.done >= ends_at;
}

bool au_deadline_look(void) {
    if (au_deadline_over())
        return true;
    uint64_t next = au_deadline_steps.done + AU_DEADLINE_STEPS;
    au_deadline_steps.look = next;
    return false;
}

void au_deadline_end_after(uint64_t steps) {
    uint64_t done = au_deadline_steps.done;
    ends_at = steps > UINT64_MAX - done ? UINT64_MAX : done + steps;
    au_deadline_steps.look = done;
}

uint64_t au_deadline_late_steps(void) {
    return au_deadline_steps.done > ends_at ? au_deadline_steps.done - ends_at : 0;
}

double au_deadline_left(void) {
    if ((stopped && !hurry) || au_deadline_steps.done >= ends_at)
        return 0;
    if (until <= 0)
        return AU_FOREVER;
    double left = until - au_now();
    return left > 0 ? left : 0;
}

double au_deadline_cap(double seconds) {
    double left = au_deadline_left();
    if (seconds > 0 && seconds < left)
        return seconds;
    return left >= AU_FOREVER ? 0 : left > 0.001 ? left : 0.001;
}

double au_deadline_narrow(double seconds) {
    double before = until, to = au_now() + seconds;
    if (seconds < AU_FOREVER / 2 && (until <= 0 || to < until))
        until = to;
    return before;
}

void au_deadline_widen(double before) {
    until = before;
}

const char *au_deadline_why(void) {
    return stopped ? "interrupted" : "time limit reached (--budget)";
}

const char *au_deadline_remedy(void) {
    return stopped ? "it again" : "a larger --budget";
}

/* ---- signals ---- */

void au_deadline_hear(int sig) {
    if (recording && sig == SIGINT && !ends) {
        told = au_now();
        ends = sig;
    } else if (stopped) {
        end_at_once(sig);
    } else {
        told = au_now();
        hurry = recording;
        stopped = ends = sig;
    }
}

static void on_signal(int sig) {
    au_deadline_hear(sig);
}

void au_deadline_listen(void (*at_once)(int sig)) {
    static const int heard[] = {SIGINT, SIGTERM};
    struct sigaction old, now = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    end_at_once = at_once;
    sigemptyset(&now.sa_mask);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
        if (!sigaction(heard[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(heard[i], &now, NULL);
}

bool au_deadline_listens(void) {
    return end_at_once;
}

void au_deadline_recording(bool on) {
    if (on && !stopped)
        ends = 0;
    recording = on;
}

bool au_deadline_records(void) {
    return recording;
}

int au_deadline_ends_recording(double *since) {
    if (since)
        *since = told;
    return ends;
}

int au_deadline_signal(void) {
    return stopped;
}
