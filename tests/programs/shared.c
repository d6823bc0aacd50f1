/* Objects that a child process uses too: the child is not recorded, its unlocks and posts
 * are seen all the same.
 *
 * EXIT 0
 * OUT 21 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct both {
    pthread_mutex_t m;
    sem_t s;
    int n;
};

int main(void) {
    struct both *b =
        mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&b->m, &a);
    sem_init(&b->s, 1, 0);
    pid_t p = fork();
    if (p == 0) {
        for (int i = 0; i < 10; i++) {
            pthread_mutex_lock(&b->m);
            b->n++;
            usleep(100);
            pthread_mutex_unlock(&b->m);
            sem_post(&b->s);
        }
        _exit(0);
    }
    for (int i = 0; i < 10; i++) {
        sem_wait(&b->s);
        pthread_mutex_lock(&b->m);
        b->n++;
        pthread_mutex_unlock(&b->m);
    }
    waitpid(p, NULL, 0);
    pthread_mutex_lock(&b->m);
    printf("%d\n", b->n + 1);
    return 0;
}
