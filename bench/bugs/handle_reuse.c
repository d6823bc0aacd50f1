/* Handles are numbers that are used again. One thread looks up its file's handle and writes to it in two
 * critical sections; another closes the file and opens one of its own between: the bytes go to the wrong
 * file. No data race. */
#include <assert.h>
#include <pthread.h>

enum { FREE, LETTER, SECRET };
static int file[2] = {LETTER, FREE}, bytes[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find(int name) {
    int handle = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2 && handle < 0; i++)
        if (file[i] == name) // bug
            handle = i;
    pthread_mutex_unlock(&lock);
    return handle;
}

static void *writer(void *unused) {
    int handle = find(LETTER);
    if (handle < 0)
        return unused;
    pthread_mutex_lock(&lock);
    bytes[file[handle]] += 5; // bug
    assert(file[handle] != SECRET);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *other(void *unused) {
    pthread_mutex_lock(&lock);
    file[0] = FREE; // bug
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    file[0] = SECRET; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
