/* record/launch_signal.c: signals while a program is being recorded. The tool must outlive the
 * program, or the recording is not closed; so it only passes signals on. Where a report is to follow
 * (base/deadline.h), a program that is only executed is ended at once, and whoever records one looks after its end. */
#include "base/deadline.h"
#include "record/launch_priv.h"

#include <errno.h>
#include <signal.h>

static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { PASSED = sizeof passed / sizeof *passed };

static volatile sig_atomic_t target, first, count;
static struct sigaction before[PASSED];

static void pass_on(int sig, siginfo_t *info, void *context) {
    (void)context;
    int keep = errno;
    count = count + 1;
    if (!first)
        first = sig;
    bool heard = au_deadline_listens() && (sig == SIGINT || sig == SIGTERM);
    if (heard)
        au_deadline_hear(sig);
    /* Asked three times it is killed: what was recorded until then is kept. */
    if ((count >= 3 || (heard && count >= 2) || (heard && !au_deadline_records())) && target)
        kill(target, SIGKILL);
    /* From a terminal it came to the whole group, and the program has it already. */
    else if (info->si_code <= 0 && target)
        kill(target, sig);
    errno = keep;
}

void au_signals_forward(pid_t pid) {
    target = pid;
    first = count = 0;
    struct sigaction now = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&now.sa_mask);
    for (int i = 0; i < PASSED; i++) {
        sigaction(passed[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* nohup */
            sigaction(passed[i], &now, NULL);
    }
}

void au_signals_restore(void) {
    for (int i = 0; i < PASSED; i++)
        sigaction(passed[i], &before[i], NULL);
    target = 0;
}

unsigned au_launch_signals(int *which) {
    if (which)
        *which = first;
    return (unsigned)count;
}
