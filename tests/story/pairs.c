/* Six fields, each with two causes: two lines, or two pairs of lines, that nothing orders. Twelve findings, never fewer. */
#include <pthread.h>
#include <stdio.h>

static struct { long twice, apart, reader, branch, other; } s;
static struct { long twice; } t;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* The same text twice in one function: each thread takes one of them. */
static void same_text(int which) {
    if (which) {
        s.twice++;
        return;
    }
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    s.twice++;
}

/* The same text in two functions. */
static void left(void) {
    s.apart = 1;
}
static void right(void) {
    s.apart = 1;
}

static void *one(void *p) {
    same_text(1);
    left();
    s.reader = 1;
    s.branch = 1;
    s.other = 1;
    t.twice = 1;
    return p;
}
static void *two(void *p) {
    same_text(1);
    same_text(0);
    left();
    right();
    long x = s.reader; /* first */
    x += s.reader;     /* second */
    x += s.branch;
    s.branch = 2;
    s.other = 2;
    s.other = 3;
    t.twice = 2;
    t.twice = x ? 3 : 4;
    return p;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld %ld\n", s.twice, t.twice);
    return 0;
}
