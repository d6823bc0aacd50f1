/* Handlers around a fork have hooks too; those of the child must not reach the recording.
 * And memory: big blocks, never used and used again.
 *
 * EXIT 0
 * OUT 11 3 0 0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int x;

static void before(void) {
    x += 1;
}

static void in_parent(void) {
    x += 10;
}

static void in_child(void) {
    x += 100;
}

int main(void) {
    pthread_atfork(before, in_parent, in_child);
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 100000; i++)
            x++;
        _exit(x == 100101 ? 3 : 4);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    char *big =
        calloc(1, (size_t)3 << 30); /* nobody has so much: it is only touched here and there */
    if (!big)
        return 1;
    big[5] = 1;
    int untouched = big[12345678];
    free(big);
    char *used = malloc(1000000);
    for (int i = 0; i < 1000000; i += 1000)
        used[i] = 7;
    free(used);
    used = calloc(1000, 1000);
    printf("%d %d %d %d\n", x, WEXITSTATUS(status), untouched, used[77000]);
    free(used);
    return 0;
}
