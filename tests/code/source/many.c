#include <pthread.h>
#include <stdlib.h>
struct job {
    pthread_mutex_t m;
    int x;
    struct job *next;
};
static struct job *list;
static pthread_mutex_t lm = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *w(void *a) {
    struct job *j = a;
    pthread_mutex_lock(&j->m);
    j->x++;
    pthread_mutex_unlock(&j->m);
    pthread_mutex_lock(&lm);
    j->next = list;
    list = j;
    done++;
    pthread_mutex_unlock(&lm);
    return 0;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t *t = malloc(sizeof *t * n);
    for (int i = 0; i < n; i++) {
        struct job *j = calloc(1, sizeof *j);
        pthread_mutex_init(&j->m, 0);
        pthread_create(&t[i], 0, w, j);
    }
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    int s = 0;
    for (struct job *j = list; j;) {
        struct job *k = j->next;
        s += j->x;
        free(j);
        j = k;
    }
    free(t);
    return s != n || done != n;
}
