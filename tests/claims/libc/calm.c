/* Functions of libc that threads may call at the same time, on memory of their own: no finding is true.
 * tests/e2e/libc_memory.sh builds every case. */
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE *file;
static int counted;
static const char shared[] = "shared, and never written";
static void handler(int sig) {
    (void)sig;
}

#if defined CASE_signal /* what is set is kept by the runtime, in memory of its own */
#define DO signal(SIGUSR1, which ? handler : SIG_IGN)
#elif defined CASE_sigaction
#define DO                                                                                         \
    struct sigaction new = {.sa_handler = handler}, old;                                           \
    sigaction(SIGUSR1, &new, &old);                                                                \
    sigaction(SIGUSR1, &old, NULL)
#elif defined CASE_rand
#define DO (void)rand(), (void)random(), (void)drand48()
#elif defined CASE_getenv
#define DO (void)getenv("PATH")
#elif defined CASE_printf
#define DO printf("%s %d\n", shared, which)
#elif defined CASE_stream
#define DO                                                                                         \
    char line[16];                                                                                 \
    if (fgets(line, sizeof line, file))                                                            \
    fputs(line, stdout)
#elif defined CASE_lock_of_stream
#define DO                                                                                         \
    flockfile(stdout);                                                                             \
    counted++;                                                                                     \
    putc_unlocked('x', stdout);                                                                    \
    funlockfile(stdout)
#elif defined CASE_own_memory
#define DO                                                                                         \
    char to[64], *p, *q = to;                                                                      \
    int x;                                                                                         \
    struct tm t;                                                                                   \
    snprintf(to, sizeof to, "%s", shared);                                                         \
    strtok_r(to, ",", &p);                                                                         \
    strsep(&q, "d");                                                                               \
    sscanf("7", "%d", &x);                                                                         \
    gmtime_r(&(time_t){0}, &t);                                                                    \
    strftime(to, sizeof to, "%Y", &t)
#elif defined CASE_neighbours /* the ends of two texts in one array */
#define DO                                                                                         \
    static char both[32] = "abc\0............abc";                                                 \
    char *mine = both + 16 * which;                                                                \
    strcpy(mine, "ab");                                                                            \
    strcat(mine, "cdefghijklmno");                                                                 \
    counted_by_each[which] = (int)strlen(mine) + atoi(mine)
static int counted_by_each[2];
#elif defined CASE_found_early /* a search stops at what it finds: behind it others write */
#define DO                                                                                         \
    static char text[] = "needle in hay";                                                          \
    if (which)                                                                                     \
        text[12] = 'x';                                                                            \
    else                                                                                           \
        (void)(strstr(text, "in") && memchr(text, 'd', 13) && strncmp(text, "needs", 5) &&         \
               memmem(text, 9, "dl", 2) && strtol("5", NULL, 10))
#endif

static void *work(void *argument) {
    int which = argument != NULL;
    { DO; }
    (void)which;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    file = tmpfile();
    fputs("one\ntwo\n", file);
    rewind(file);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)counted, (void)handler, (void)shared;
    return 0;
}
