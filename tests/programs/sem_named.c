/* A named semaphore, opened twice: one object.
 *
 * EXIT 0
 * T0 init [^ ,]*, fork T1, fork T2, join T1, join T2, destroy [^ ,]*
 * T1 (down [^ ,]*, up [^ ,]*, ){3}exit
 * T2 (down [^ ,]*, up [^ ,]*, ){3}exit */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *s;

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        sem_wait(s);
        sem_post(s);
    }
    return unused;
}

int main(void) {
    char name[64];
    snprintf(name, sizeof name, "/augur-test-%ld", (long)getpid());
    s = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
    if (s == SEM_FAILED)
        return 1;
    if (sem_open(name, 0) != s)
        return 2;
    sem_unlink(name);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int value = 0;
    sem_getvalue(s, &value);
    return value != 2 || sem_close(s) || sem_close(s);
}
