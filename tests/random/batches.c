/* tests/random/batches.c: see batches.h. */
#include "batches.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 64, MOST_TOTALS = 32 };

char batches_dir[256];

static struct {
    pid_t pid;
    int from;
} worker[MOST_JOBS];

/* What a worker tells at its end. */
typedef struct {
    bool good;
    uint64_t total[MOST_TOTALS];
} answer;

int batches_command(const char *fmt, ...) {
    char text[1500], line[2000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(line, sizeof line, "cd %s && exec timeout -k 5 1200 %s >out 2>err </dev/null",
             batches_dir, text);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *batches_augur(void) {
    static char path[4096];
    const char *given = getenv("AUGUR");
    if (given && *given)
        return given;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "/augur");
    if (n <= 0)
        abort();
    path[n] = 0;
    for (int i = 0; i < 3 && strrchr(path, '/'); i++)
        *strrchr(path, '/') = 0;
    return strcat(path, "/augur");
}

void batches_options(batches *b, int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--count"))
            b->count = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            b->seed = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--size"))
            b->size = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--jobs"))
            b->jobs = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--keep"))
            b->keep = argv[i + 1];
        else if (!strcmp(argv[i], "--go-on"))
            b->go_on = !strcmp(argv[i + 1], "yes");
    }
}

static bool make_dir(const batches *b) {
    const char *tmp = getenv("TMPDIR");
    if (b->keep)
        snprintf(batches_dir, sizeof batches_dir, "%s", b->keep);
    else
        snprintf(batches_dir, sizeof batches_dir, "%.200s/%s-XXXXXX", tmp && *tmp ? tmp : "/tmp",
                 b->name);
    return b->keep || mkdtemp(batches_dir);
}

static void remove_dir(const batches *b) {
    char line[300];
    snprintf(line, sizeof line, "rm -rf %s", batches_dir);
    if (system(line))
        fprintf(stderr, "%s: cannot remove '%s'\n", b->name, batches_dir);
}

/* Every n-th batch, beginning with batch number k. */
static void start(const batches *b, uint64_t k, uint64_t n) {
    int pair[2];
    if (k >= MOST_JOBS || b->n_totals > MOST_TOTALS || pipe(pair))
        abort();
    fflush(stdout);
    worker[k].pid = fork();
    worker[k].from = pair[0];
    if (worker[k].pid) {
        close(pair[1]);
        return;
    }
    answer a = {.good = make_dir(b)};
    for (uint64_t at = k * b->batch; at < b->count && (a.good || b->go_on); at += n * b->batch)
        a.good &=
            b->test(b->seed + at, (uint32_t)(b->count - at < b->batch ? b->count - at : b->batch),
                    (uint32_t)b->size);
    if (!b->keep)
        remove_dir(b);
    memcpy(a.total, b->total, b->n_totals * sizeof *b->total);
    fflush(stdout);
    _exit(write(pair[1], &a, sizeof a) != sizeof a);
}

static bool finish(const batches *b, uint64_t k) {
    answer a;
    int status;
    bool told = read(worker[k].from, &a, sizeof a) == sizeof a;
    close(worker[k].from);
    waitpid(worker[k].pid, &status, 0);
    for (size_t i = 0; told && i < b->n_totals; i++)
        b->total[i] += a.total[i];
    return told && a.good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool batches_run(const batches *b) {
    uint64_t jobs = b->keep || b->count <= b->batch ? 1 : b->jobs;
    bool good = true;
    for (uint64_t i = 0; i < jobs; i++)
        start(b, i, jobs);
    for (uint64_t i = 0; i < jobs; i++)
        good &= finish(b, i);
    return good;
}
