// A race between two threads that use a library each: no library orders them.
// LINK: -lz -lsqlite3
#include <pthread.h>
#include <sqlite3.h>
#include <zlib.h>
static int shared;
static unsigned long sum;
static void *one(void *a) {
    shared++;
    sum = crc32(0, (const unsigned char *)"abc", 3);
    return a;
}
static void *two(void *a) {
    sqlite3_free(sqlite3_malloc(8));
    shared++;
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return sum == 0;
}
