/* Children are not recorded; the parent is told the same number and state of them in a
 * replay, and waits for them there too.
 *
 * EXIT 0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *number) {
    pid_t p = fork();
    if (p == 0)
        _exit(*(int *)number);
    int status = 0;
    pid_t q = waitpid(p, &status, 0);
    printf("%ld %d\n", (long)p, status);
    if (q != p || WEXITSTATUS(status) != *(int *)number)
        abort();
    return NULL;
}

int main(void) {
    pthread_t t[2];
    static int number[2] = {3, 4};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return system("exit 5") != 5 << 8;
}
