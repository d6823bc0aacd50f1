#include "base/progress.h"

#include "base/clock.h"
#include "base/deadline.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { PLAIN_SECONDS = 30 };

static bool enabled = true, shown;
static au_progress_kind how;
static double last;
static uint64_t found;

void au_progress_enable(bool on) {
    enabled = on;
}

void au_progress_as(au_progress_kind kind) {
    how = kind;
    last =
        kind == AU_PROGRESS_PLAIN ? au_now() : 0; /* the first line after as long as all others */
}

static bool on_terminal(void) {
    static int terminal = -1;
    if (terminal < 0)
        terminal = isatty(STDERR_FILENO);
    return terminal && how == AU_PROGRESS_AUTO;
}

bool au_progress_is_seen(void) {
    return enabled && (how == AU_PROGRESS_PLAIN || on_terminal());
}

void au_progress_found(uint64_t findings) {
    found = findings;
}

static void put(const char *stage, uint64_t done, uint64_t total) {
    double left = au_deadline_left();
    fputs(stage, stderr);
    if (total)
        fprintf(stderr, " %" PRIu64 " of %" PRIu64 " (%.0f %%)", done, total,
                100.0 * (double)done / (double)total);
    else if (done)
        fprintf(stderr, " %" PRIu64, done);
    if (found)
        fprintf(stderr, ", %" PRIu64 " finding%s", found, found == 1 ? "" : "s");
    if (left < AU_FOREVER)
        fprintf(stderr, ", %.0f s left", left);
}

void au_progress(const char *stage, uint64_t done, uint64_t total) {
    if (!au_progress_is_seen())
        return;
    bool plain = how == AU_PROGRESS_PLAIN;
    double now = au_now();
    if (now - last < (plain ? PLAIN_SECONDS : 0.1))
        return;
    last = now;
    shown = !plain;
    fputs(plain ? "augur: " : "\r", stderr);
    put(stage, done, total);
    fputs(plain ? "\n" : "\033[K", stderr);
    fflush(stderr);
}

void au_progress_end(void) {
    if (shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    shown = false;
}
