//! fails: the second to create a named semaphore gets none
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t *s[2];
static void *A(void *x) {
    s[0] = sem_open("/augur-claims", O_CREAT | O_EXCL, 0600, 0);
    return x;
}
static void *B(void *x) {
    s[1] = sem_open("/augur-claims", O_CREAT | O_EXCL, 0600, 0);
    return x;
}
int main(void) {
    pthread_t a, b;
    sem_unlink("/augur-claims");
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_unlink("/augur-claims");
    assert(s[0] != SEM_FAILED);
    return 0;
}
