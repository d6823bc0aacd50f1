// assert: UNKNOWN FALSE
// Who writes is told that it would wait for itself.
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
    pthread_rwlock_wrlock(&l);
    assert(pthread_rwlock_wrlock(&l) == 0);
    return 0;
}
