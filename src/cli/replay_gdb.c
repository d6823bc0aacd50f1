/* cli/replay_gdb.c: augur replay --gdb.
 *
 * gdb does not start the program (it would change its environment and turn off other things
 * than we do) but is attached to it where the schedule ended: every other thread sleeps
 * in a hook before its next event. When gdb lets go, or the user says 'continue', the program
 * goes on. Threads have the names of the report, and the frame is the user's (replay_gdb_script.c). To go to another turn of the
 * schedule the program is executed anew, up to there. */
#include "base/vec.h"
#include "cli/replay.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The process that traces this one; 0: none. */
static long tracer_of(pid_t pid) {
    char name[64], line[128];
    long tracer = 0;
    snprintf(name, sizeof name, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "TracerPid:", 10))
            tracer = strtol(line + 10, NULL, 10);
    if (f)
        fclose(f);
    return tracer;
}

/* gdb stops one thread after the other: that it traces the first does not say that it holds the one that waits for us. So
 * the script tells when gdb is done; without a script nobody does. */
static bool holds_program(const au_gdb *g) {
    struct stat st;
    if (!g->script)
        return tracer_of(g->child->pid);
    return !stat(g->request, &st) && st.st_size > 0;
}

static void let_go_on(au_gdb *g) {
    struct au_control *c = g->m->c;
    __atomic_store_n(&c->resume, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &c->resume, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static _Noreturn void become_gdb(const au_gdb *g) {
    AU_VEC(const char *) argv = {0};
    size_t n;
    char *const *command = au_opt_list(g->o, "gdb-command", &n);
    au_vec_push(&argv, "gdb");
    au_vec_push(&argv, "-q");
    au_vec_push(&argv, "-iex");
    au_vec_push(&argv, "set pagination off");
    au_vec_push(&argv, "-iex");
    au_vec_push(&argv, "set debuginfod enabled off");
    if (n)
        au_vec_push(&argv, "-batch");
    au_vec_push(&argv, "-p");
    au_vec_push(&argv, au_sprintf("%ld", (long)g->child->pid));
    if (g->script) {
        au_vec_push(&argv, "-x");
        au_vec_push(&argv, g->script);
    }
    for (size_t i = g->command; i < n; i++) {
        if (g->script) { /* a command that asks for another turn is not repeated there */
            au_vec_push(&argv, "-ex");
            au_vec_push(&argv, au_sprintf("python augur_command = %zu", i + 1));
        }
        au_vec_push(&argv, "-ex");
        au_vec_push(&argv, command[i]);
    }
    au_vec_push(&argv, NULL);
    signal(SIGINT, SIG_DFL);
    execvp("gdb", (char *const *)argv.at);
    fprintf(stderr, "augur: cannot start 'gdb': %s; install it (apt-get install gdb)\n",
            strerror(errno));
    _exit(127);
}

static void start_gdb(au_gdb *g) {
    if (g->turn == g->turns)
        au_cli_note(g->o,
                    "the program stands before the decisive event; starting gdb on process %ld",
                    (long)g->child->pid);
    fflush(NULL);
    au_gdb_write_script(g);
    g->pid = fork();
    if (!g->pid)
        become_gdb(g);
    if (g->pid < 0)
        g->failed = true;
}

/* Takes note of gdb's end. */
static void look_after_gdb(au_gdb *g, int flags) {
    int status;
    pid_t got;
    do
        got = waitpid(g->pid, &status, flags);
    while (got < 0 && errno == EINTR);
    if (!got)
        return;
    g->failed = got < 0 || !WIFEXITED(status) || WEXITSTATUS(status);
    g->pid = 0;
}

void au_gdb_tick(void *gdb) {
    au_gdb *g = gdb;
    if (!g->reached) {
        if (!__atomic_load_n(&g->m->c->stopped, __ATOMIC_SEQ_CST))
            return;
        g->reached = true;
        start_gdb(g);
    }
    if (g->pid > 0)
        look_after_gdb(g, WNOHANG);
    /* Once gdb holds the whole program, a 'continue' is to work. */
    if (!g->released && (g->pid <= 0 || holds_program(g))) {
        g->released = true;
        let_go_on(g);
    }
}

void au_gdb_wait(au_gdb *g) {
    if (g->pid > 0)
        look_after_gdb(g, 0);
}

bool au_gdb_asks(au_gdb *g) {
    unsigned long turn = 0, command = 0;
    FILE *f = g->request ? fopen(g->request, "r") : NULL;
    bool asked = f && fscanf(f, "%lu %lu", &turn, &command) == 2 && turn >= 1 && turn <= g->turns;
    if (f)
        fclose(f);
    au_gdb_release(g);
    if (!asked)
        return false;
    g->turn = turn;
    g->command = command;
    g->reached = g->released = g->failed = false;
    return true;
}

void au_gdb_release(au_gdb *g) {
    char **file[] = {&g->script, &g->request};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        if (*file[i])
            unlink(*file[i]);
        free(*file[i]);
        *file[i] = NULL;
    }
}
