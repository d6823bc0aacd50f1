// Structures by value, unions, arrays, copies between private and shared memory, overlapping
// accesses, thread-local variables, strings.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int a;
    char text[20];
    double d;
    int tail[6];
} big;
typedef struct {
    short x, y, z;
} small;

big one = {1, "one", 1.5, {1, 2, 3, 4, 5, 6}}, two;
small tiny = {1, 2, 3};
char buffer[200];
static _Thread_local int own = 3;
_Thread_local int seen = 4;
static _Thread_local char scratch[16] = "scratch";
int *cells[4];

static int take(big b, small s, int n) {
    b.tail[n % 6] += s.y;
    b.text[0] ^= 1;
    int r = b.tail[n % 6] + b.text[0] + (int)b.d;
    return r;
}
static int take_address(big b) {
    int *p = &b.tail[2];
    cells[0] = p;
    *cells[0] += 1;
    return b.tail[2];
}
static big give(int n) {
    big b = one;
    b.a = n;
    b.tail[n % 6] = n;
    return b;
}
static small make(int n) {
    return (small){(short)n, (short)(n + 1), (short)(n * n)};
}

static void *worker(void *p) {
    int n = *(int *)p;
    big mine = give(n);
    char local[64];
    for (int i = 0; i < n; i++) {
        own += i;
        seen += own;
        scratch[i & 15] = (char)(scratch[(i + 1) & 15] + 1);
        two = mine;
        mine.a += take(two, make(i), i) + take_address(mine);
        memcpy(local, buffer + i, 20);
        memmove(local + 3, local, 17);
        memset(local + 40, i, (size_t)(i % 9));
        memcpy(buffer + 100, local, (size_t)(i % 33));
        tiny = make(mine.a);
        uint32_t word;
        memcpy(&word, buffer + i, sizeof word);
        mine.tail[0] += (int)word + scratch[3];
        memcpy(buffer + i, &mine.tail[1], 4);
        ((uint16_t *)(void *)buffer)[i] ^= 0x55aa;
        *(uint64_t *)(void *)(buffer + 8) += (uint64_t)i;
    }
    char *s = strdup("copied");
    strcat(strcpy(buffer + 60, s), "!");
    cells[1] = malloc(sizeof(int));
    *cells[1] = mine.a + own + seen + (int)strlen(buffer + 60);
    own = *cells[1];
    free(cells[1]);
    free(s);
    return (void *)(long)own;
}

int main(void) {
    pthread_t t[2];
    int n[2] = {7, 12};
    void *r[2];
    for (int i = 0; i < 200; i++)
        buffer[i] = (char)(i * 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &n[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &r[i]);
    int *p = n[0] == 7 ? &n[1] : &tiny.x == NULL ? NULL : &two.a;
    *p += 5; /* a pointer that may be a local variable's or a global's */
    printf("%d %d %d %s\n", two.a, tiny.z, *p, buffer + 60);
    return 0;
}
