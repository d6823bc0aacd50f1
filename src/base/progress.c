#include "base/progress.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static bool enabled = true, shown;
static double last;

void au_progress_enable(bool on) {
    enabled = on;
}

void au_progress(const char *stage, uint64_t done, uint64_t total) {
    static int terminal = -1;
    if (terminal < 0)
        terminal = isatty(STDERR_FILENO);
    if (!enabled || !terminal)
        return;
    double now = au_now();
    if (now - last < 0.1)
        return;
    last = now;
    shown = true;
    if (total)
        fprintf(stderr, "\r%s %" PRIu64 " of %" PRIu64 " (%.0f %%)\033[K", stage, done, total,
                100.0 * (double)done / (double)total);
    else
        fprintf(stderr, "\r%s %" PRIu64 "\033[K", stage, done);
    fflush(stderr);
}

void au_progress_end(void) {
    if (shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    shown = false;
}
