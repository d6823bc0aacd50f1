/* The page allocator of figure 1: one thread allocates, one gives back. */
#include <pthread.h>
#include <stdlib.h>

#define LIMIT 3

static pthread_mutex_t plk = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pg_lim = PTHREAD_COND_INITIALIZER;
static int pg_count, sh, sh1;

static void Alloc_Page(void) {
    pthread_mutex_lock(&plk);
    if (pg_count >= LIMIT) { // race: real count
        pthread_cond_wait(&pg_lim, &plk);
        pg_count++;
        pthread_mutex_unlock(&plk);
        sh1 = sh; // race: real sh
    } else {
        pthread_mutex_lock(&count_lock);
        pthread_mutex_unlock(&plk);
        void *page = malloc(1);
        sh = 5; // race: bogus1 a12_b3
        if (page)
            pg_count++; // race: bogus1 a14_b4
        pthread_mutex_unlock(&count_lock);
        free(page);
    }
}

static void Dealloc_Page(void) {
    pthread_mutex_lock(&plk);
    if (pg_count == LIMIT) {
        sh = 2;     // race: bogus1 a12_b3
        pg_count--; // race: bogus1 a14_b4
        sh1 = sh;
        pthread_cond_signal(&pg_lim);
        pthread_mutex_unlock(&plk);
    } else {
        pthread_mutex_lock(&count_lock);
        pthread_mutex_unlock(&plk);
        if (pg_count > 0) // integers wrap: the paper's do not
            pg_count--;   // race: real count
        sh = 4;           // race: real sh
        pthread_mutex_unlock(&count_lock);
    }
}

static void *allocates(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        Alloc_Page();
    return NULL;
}

static void *gives_back(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        Dealloc_Page();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 4);
    pthread_t a, b;
    pthread_create(&a, NULL, allocates, rounds);
    pthread_create(&b, NULL, gives_back, rounds);
#ifdef TWO
    pthread_t c;
    pthread_create(&c, NULL, allocates, rounds);
    pthread_join(c, NULL);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
