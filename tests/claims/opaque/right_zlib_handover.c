// LINK: -lz
// A stream of zlib, used by two threads under a mutex.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static z_stream s;
static unsigned char out[4096];
static int parts;
static void *w(void *a) {
    char text[64];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s %d", (char *)a, i);
        pthread_mutex_lock(&m);
        s.next_in = (unsigned char *)text;
        s.avail_in = (unsigned)strlen(text);
        if (deflate(&s, Z_NO_FLUSH) != Z_OK)
            return a;
        parts++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t, u;
    deflateInit(&s, 6);
    s.next_out = out;
    s.avail_out = sizeof out;
    pthread_create(&t, 0, w, "one");
    pthread_create(&u, 0, w, "two");
    pthread_join(t, 0);
    pthread_join(u, 0);
    s.avail_in = 0;
    if (deflate(&s, Z_FINISH) != Z_STREAM_END)
        return 1;
    deflateEnd(&s);
    printf("%d\n", parts);
    return 0;
}
