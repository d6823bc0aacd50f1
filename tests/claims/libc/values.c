/* What a function of libc gives depends on what it reads. Each case: B does CHANGE, and A does LOOK, which says
 * whether B came before it; both under one lock.
 *   -DNONE     y is written by B before CHANGE, and by A only if B came before: no finding is true
 *   -DASSERTS  A asserts that B did not come before: found, or not called covered
 * tests/e2e/libc_memory.sh builds both of every case. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int y;
static char text[16] = "5", list[16] = "a,b", *rest = list;
static wchar_t wide[8] = L"5";
static int array[3] = {3, 1, 2};
static struct tm when;
static time_t start;
static FILE *file;
static char *line;
static size_t room;
static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
static void handler(int sig) {
    (void)sig;
}

static int through_memory(int c) {
    char *to;
    size_t n;
    FILE *f = open_memstream(&to, &n);
    fprintf(f, "%c", c);
    fclose(f);
    c = to[0];
    free(to);
    return c;
}

#define CHANGE text[0] = '7'
#if defined CASE_atoi
#define LOOK atoi(text) == 7
#elif defined CASE_strtol
#define LOOK strtol(text, NULL, 10) == 7
#elif defined CASE_strtod
#define LOOK strtod(text, NULL) == 7.0
#elif defined CASE_sscanf
#define LOOK sscanf(text, "%d", &x) == 1 && x == 7
#elif defined CASE_strcmp
#define LOOK !strcmp(text, "7")
#elif defined CASE_strdup
#define LOOK *(to = strdup(text)) == '7'
#elif defined CASE_snprintf
#define LOOK (snprintf(buffer, sizeof buffer, "<%s>", text), buffer[1] == '7')
#elif defined CASE_positions
#define LOOK (snprintf(buffer, sizeof buffer, "%2$s %1$s", "x", text), buffer[0] == '7')
#elif defined CASE_asprintf
#define LOOK asprintf(&to, "<%s>", text) == 3 && to[1] == '7'
#elif defined CASE_memmem
#define LOOK memmem(text, 8, "7", 1) != NULL
#elif defined CASE_strcasestr
#define LOOK strcasestr(text, "7") != NULL
#elif defined CASE_wcscmp
#undef CHANGE
#define CHANGE wide[0] = L'7'
#define LOOK !wcscmp(wide, L"7")
#elif defined CASE_wcslen
#undef CHANGE
#define CHANGE wide[1] = L'7'
#define LOOK wcslen(wide) == 2
#elif defined CASE_qsort
#undef CHANGE
#define CHANGE array[0] = 0
#define LOOK (qsort(array, 3, sizeof *array, compare), array[0] == 0)
#elif defined CASE_strtok
#undef CHANGE
#define CHANGE list[1] = 'x'
#define LOOK strtok(list, ",")[1] == 'x'
#elif defined CASE_strtok_r
#undef CHANGE
#define CHANGE list[1] = 'x'
#define LOOK strtok_r(list, ",", &to)[1] == 'x'
#elif defined CASE_strsep
#undef CHANGE
#define CHANGE list[1] = 'x'
#define LOOK strsep(&rest, ",")[1] == 'x'
#elif defined CASE_strftime
#undef CHANGE
#define CHANGE when.tm_year = 100
#define LOOK strftime(buffer, sizeof buffer, "%Y", &when) && buffer[0] == '2'
#elif defined CASE_gmtime_r
#undef CHANGE
#define CHANGE start = 100000
#define LOOK gmtime_r(&start, &mine)->tm_mday == 2
#elif defined CASE_getenv
#undef CHANGE
#define CHANGE setenv("AUGUR_CASE", "1", 1)
#define LOOK getenv("AUGUR_CASE") != NULL
#elif defined CASE_putenv
#undef CHANGE
#define CHANGE putenv((char *)"AUGUR_CASE=1")
#define LOOK secure_getenv("AUGUR_CASE") != NULL
#elif defined CASE_rand
#undef CHANGE
#define CHANGE srand(7)
#define LOOK rand() != 1804289383
#elif defined CASE_random
#undef CHANGE
#define CHANGE (void)random()
#define LOOK random() != 1804289383
#elif defined CASE_drand48
#undef CHANGE
#define CHANGE srand48(77)
#define LOOK drand48() > 0.1
#elif defined CASE_signal
#undef CHANGE
#define CHANGE signal(SIGUSR1, handler)
#define LOOK signal(SIGUSR1, SIG_IGN) == handler
#elif defined CASE_sigaction
#undef CHANGE
#define CHANGE signal(SIGUSR1, handler)
#define LOOK sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == handler
#elif defined CASE_key_create
#undef CHANGE
#define CHANGE pthread_key_create(&(pthread_key_t){0}, NULL)
#define LOOK pthread_key_create(&key, NULL) == 0 && key == 1
#elif defined CASE_fgets
#undef CHANGE
#define CHANGE fgetc(file)
#define LOOK fgets(buffer, sizeof buffer, file) && buffer[0] == '\n'
#elif defined CASE_fscanf
#undef CHANGE
#define CHANGE fgetc(file)
#define LOOK fscanf(file, "%d", &x) == 1 && x == 2
#elif defined CASE_getline
#undef CHANGE
#define CHANGE getline(&line, &room, file)
#define LOOK getline(&line, &room, file) > 0 && line[0] == '2'
#elif defined CASE_stream_back
#define LOOK fputs(text, file) >= 0 && fseek(file, -1, SEEK_CUR) == 0 && fgetc(file) == '7'
#elif defined CASE_letter_back
#define LOOK fputc(text[0], file) != EOF &&fseek(file, -1, SEEK_CUR) == 0 && fgetc(file) == '7'
#elif defined CASE_memstream
#define LOOK through_memory(text[0]) == '7'
#elif defined CASE_ftell
#undef CHANGE
#define CHANGE fputs("abc", file)
#define LOOK ftell(file) == 3
#endif

static void *B(void *nothing) {
#ifdef NONE
    y++;
#endif
    pthread_mutex_lock(&m);
    CHANGE;
    pthread_mutex_unlock(&m);
    return nothing;
}
static void *A(void *nothing) {
    char buffer[16] = "", *to = NULL;
    struct tm mine;
    struct sigaction action;
    pthread_key_t key = 0;
    int x = 0;
    pthread_mutex_lock(&m);
    int after = LOOK;
    pthread_mutex_unlock(&m);
    (void)buffer, (void)mine, (void)action, (void)key, (void)x, (void)to;
#ifdef NONE
    if (after)
        y++;
#else
    assert(!after);
#endif
    return nothing;
}

int main(void) {
    pthread_t a, b;
    unsetenv("AUGUR_CASE");
    file = tmpfile();
    fputs("1\n2\n", file);
    rewind(file);
#ifdef NONE
    pthread_create(&b, NULL, B, NULL);
    pthread_create(&a, NULL, A, NULL);
#else
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
