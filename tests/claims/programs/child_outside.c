/* A race beside a child, BY which call it is heard. What it answers comes from outside: is it the first to make a file? */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { WAITPID, WAITID, READ, SYSTEM };
static int x, to[2];
static void *add(void *a) {
    x++;
    return a;
}
static void be_child(void) {
    int is = open("once", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
    if (BY == READ && write(to[1], is ? "1" : "0", 1) == 1)
        is = 1;
    _exit(!is);
}
static void ask(void) {
    siginfo_t info;
    char c;
    if (BY == SYSTEM) {
        system("set -C; : >once");
        return;
    }
    pid_t child = pipe(to) ? -1 : fork();
    if (!child)
        be_child();
    if (BY == READ)
        read(to[0], &c, 1);
    if (BY == WAITID)
        waitid(P_PID, (id_t)child, &info, WEXITED);
    else
        waitpid(child, NULL, 0);
}
int main(void) {
    pthread_t t, u;
    ask();
    pthread_create(&t, NULL, add, NULL);
    pthread_create(&u, NULL, add, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
