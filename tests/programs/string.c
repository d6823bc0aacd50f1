/* String and memory functions read and write what they should.
 *
 * EXIT 0
 * SHOWS T1 .* w +text .*string.c:[0-9]+ +25185$
 * SHOWS T1 .* r +text .*string.c:[0-9]+ +25185$
 * SHOWS T1 .* w +other .*string.c:[0-9]+ +133562636007801$
 * SHOWS T1 .* w +text\[6\] .* 0$
 * OUT abcabcx 6 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char text[64], other[64];
static int bad;

static void *work(void *unused) {
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    void *(*volatile fill)(void *, int, size_t) = memset;
    fill(other, 'y', 8);
    strcpy(text, "abc");
    strcat(text, text + 3);
    strncat(text, "abcdef", 3);
    copy(other, text, strlen(text) + 1);
    memmove(other + 6, "x", 2);
    bad |= strcmp(text, "abcabc") != 0 || strncmp(text, "abcd", 3) != 0;
    bad |= strcasecmp("ABC", "abc") != 0 || strncasecmp("ABx", "aby", 2) != 0;
    bad |= strchr(text, 'c') != text + 2 || strrchr(text, 'c') != text + 5;
    bad |= strstr(other, "bcx") != other + 4 || memchr(text, 'b', 3) != text + 1;
    bad |= strspn(text, "ab") != 2 || strcspn(text, "c") != 2 || strpbrk(text, "cb") != text + 1;
    char small[6];
    strncpy(small, "ab", sizeof small);
    bad |= small[5] != 0 || memcmp(small, "ab\0\0\0", 6) != 0;
    bad |= stpcpy(small, "xyz") != small + 3 || strnlen(small, 2) != 2;
    char *d = strdup(text), *e = strndup(text, 2);
    bad |= strcmp(d, text) != 0 || strcmp(e, "ab") != 0;
    free(d);
    free(e);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("%s %zu\n", other, strlen(text));
    return bad;
}
