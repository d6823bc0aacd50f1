/* Ends in the way its argument says. */
#include "hook.h"

#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int x;

static void at_exit(void) {
    __augur_enter(&site[0]);
    ST(1, x, 42);
    __augur_leave(&site[2]);
}

static int overflow(int n) {
    volatile char big[4096];
    big[0] = (char)n;
    return n ? overflow(n + 1) + big[0] : 0;
}

static void *crash(void *a) {
    __augur_enter(&site[3]);
    ST(4, x, 1);
    if (a)
        overflow(1);
    int *bad = (int *)16;
    LD(5, *bad);
    return NULL;
}

static void *joins(void *a) {
    __augur_enter(&site[6]);
    CALL(7, pthread_join, *(pthread_t *)a, NULL);
    return NULL;
}

static pthread_t first, second;

int main(int argc, char **argv) {
    __augur_enter(&site[10]);
    const char *how = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 10; i++)
        ST(11, x, i);
    if (!strcmp(how, "return"))
        return 7;
    if (!strcmp(how, "atexit")) {
        atexit(at_exit);
        CALLV(12, exit, 8);
    }
    if (!strcmp(how, "_exit"))
        CALLV(14, _exit, 9);
    if (!strcmp(how, "abort"))
        CALLV(16, abort);
    if (!strcmp(how, "assert"))
        assert(x == 0);
    if (!strcmp(how, "augur"))
        __augur_assert(x == 0, "x == 0", "end.c", 1);
    if (!strcmp(how, "segv"))
        crash(NULL);
    if (!strcmp(how, "thread-segv") || !strcmp(how, "overflow")) {
        CALL(18, pthread_create, &first, NULL, crash, *how == 'o' ? &x : NULL);
        CALL(20, pthread_join, first, NULL);
    }
    if (!strcmp(how, "kill"))
        CALL(22, kill, getpid(), SIGKILL);
    if (!strcmp(how, "deadlock")) {
        static pthread_t this;
        this = pthread_self(); /* a ring: nobody is joined by two */
        CALL(24, pthread_create, &first, NULL, joins, &second);
        CALL(26, pthread_create, &second, NULL, joins, &this);
        CALL(28, pthread_join, first, NULL);
    }
    if (!strcmp(how, "fork")) {
        pid_t pid = CALL(30, fork);
        if (pid == 0) {
            for (int i = 0; i < 1000; i++)
                ST(32, x, i);
            _exit(x == 999 ? 5 : 6);
        }
        int status = 0;
        if (waitpid(pid, &status, 0) == pid)
            return WEXITSTATUS(status);
    }
    if (!strcmp(how, "exec"))
        CALL(34, execl, "/bin/echo", "echo", "replaced", (char *)NULL);
    if (!strcmp(how, "free"))
        for (void *volatile p = malloc(10);;)
            CALLV(36, free, p);
    return 0;
}
