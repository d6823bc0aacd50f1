/* Races in which one side, or both, is a function of libc. Each case: two threads, T1 does LEFT and T2 does RIGHT
 * with no lock between them; tests/e2e/libc_memory.sh asks for a race between the two marked lines. ThreadSanitizer
 * reports every one of them, but those that say so. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char text[64] = "hello", other[64] = "world", number[16] = "12";
static int array[4] = {4, 3, 2, 1}, value;
static wchar_t wide[16] = L"abc";
static FILE *file;
static struct tm when;
static char *made;
static struct sigaction action;
static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
static void use(long x) {
    static _Thread_local volatile long sink;
    sink = x;
}

#if defined CASE_strcpy_strlen
#define LEFT strcpy(text, "bye")
#define RIGHT use((long)strlen(text))
#elif defined CASE_strcat_store
#define LEFT strcat(text, "x")
#define RIGHT text[5] = 'y'
#elif defined CASE_snprintf_store
#define LEFT                                                                                       \
    char to[32];                                                                                   \
    snprintf(to, sizeof to, "<%s>", text)
#define RIGHT text[1] = 'y'
#elif defined CASE_snprintf_buffer
#define LEFT snprintf(text, sizeof text, "%d", 77)
#define RIGHT use(text[1])
#elif defined CASE_printf_store
#define LEFT printf("%s\n", text)
#define RIGHT text[1] = 'y'
#elif defined CASE_asprintf
#define LEFT                                                                                       \
    if (asprintf(&made, "%d", 5) < 0)                                                              \
    abort()
#define RIGHT use(made != NULL)
#elif defined CASE_memcpy_overlap
#define LEFT memcpy(text, other, (size_t)(array[3] + 9))
#define RIGHT memset(text + 4, 'x', (size_t)array[0])
#elif defined CASE_memmove_store
#define LEFT memmove(text + 1, text, (size_t)array[0])
#define RIGHT text[2] = 'x'
#elif defined CASE_qsort_store
#define LEFT qsort(array, 4, sizeof *array, compare)
#define RIGHT array[2] = 9
#elif defined CASE_fgets_buffer
#define LEFT use(fgets(text, sizeof text, file) != NULL)
#define RIGHT use(text[0])
#elif defined CASE_fread_buffer
#define LEFT use((long)fread(text, 1, 3, file))
#define RIGHT text[1] = 'x'
#elif defined CASE_sscanf_target
#define LEFT use(sscanf(number, "%d", &value))
#define RIGHT use(value)
#elif defined CASE_sscanf_text /* TSan does not look at the text */
#define LEFT                                                                                       \
    int to;                                                                                        \
    use(sscanf(number, "%d", &to))
#define RIGHT number[0] = '7'
#elif defined CASE_strtol_store
#define LEFT use(strtol(number, NULL, 10))
#define RIGHT number[1] = '7'
#elif defined CASE_atoi_store
#define LEFT use(atoi(number))
#define RIGHT number[1] = '7'
#elif defined CASE_strdup_store
#define LEFT free(strdup(text))
#define RIGHT text[1] = 'y'
#elif defined CASE_strcmp_store
#define LEFT use(strcmp(text, other))
#define RIGHT text[0] = 'y'
#elif defined CASE_strstr_store
#define LEFT use(strstr(text, "lo") != NULL)
#define RIGHT text[0] = 'y'
#elif defined CASE_strncpy_store
#define LEFT strncpy(text, "abc", 16)
#define RIGHT text[12] = 'y'
#elif defined CASE_localtime /* the static result; TSan sees the reads of the program only */
#define LEFT                                                                                       \
    time_t t = 0;                                                                                  \
    use(localtime(&t)->tm_year)
#define RIGHT                                                                                      \
    time_t u = 99999;                                                                              \
    use(gmtime(&u)->tm_year)
#elif defined CASE_mktime_store
#define LEFT use(mktime(&when))
#define RIGHT when.tm_mday = 3
#elif defined CASE_strtok /* where it stands; TSan does not know */
#define LEFT use(strtok(text, "l") != NULL)
#define RIGHT use(strtok(other, "l") != NULL)
#elif defined CASE_strtok_r_store
#define LEFT                                                                                       \
    char *rest;                                                                                    \
    use(strtok_r(text, "l", &rest) != NULL)
#define RIGHT use(text[2])
#elif defined CASE_wcscpy_wcslen
#define LEFT wcscpy(wide, L"abcd")
#define RIGHT use((long)wcslen(wide))
#elif defined CASE_sigaction_old
#define LEFT sigaction(SIGUSR1, NULL, &action)
#define RIGHT use(action.sa_flags)
#elif defined CASE_fputc_unlocked /* TSan does not know */
#define LEFT putc_unlocked('a', file)
#define RIGHT putc_unlocked('b', file)
#endif

static void *left(void *nothing) {
    (void)nothing;
    { LEFT; } /* LEFT */
    return NULL;
}
static void *right(void *nothing) {
    (void)nothing;
    { RIGHT; } /* RIGHT */
    return NULL;
}

int main(void) {
    pthread_t a, b;
    file = tmpfile();
    fputs("one\ntwo\n", file);
    rewind(file);
    when.tm_year = 100;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
