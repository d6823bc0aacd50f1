// assert: UNKNOWN FALSE
#include <assert.h>
#include <limits.h>
#include <semaphore.h>
static sem_t s;
int main(void) {
    sem_init(&s, 0, INT_MAX);
    assert(!sem_post(&s));
    return 0;
}
