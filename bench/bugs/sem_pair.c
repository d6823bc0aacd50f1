/* A scanner and a printer, each guarded by a semaphore. Who copies takes the scanner first, who
 * prints a scan preview takes the printer first. Deadlock: each has one of them. */
#include <pthread.h>
#include <semaphore.h>

static sem_t scanner, printer;
static int pages, previews;

static void *copy(void *unused) {
    sem_wait(&scanner);
    sem_wait(&printer); // bug
    pages++;
    sem_post(&printer);
    sem_post(&scanner);
    return unused;
}

static void *preview(void *unused) {
    sem_wait(&printer);
    sem_wait(&scanner); // bug
    previews++;
    sem_post(&scanner);
    sem_post(&printer);
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&scanner, 0, 1);
    sem_init(&printer, 0, 1);
    pthread_create(&a, NULL, copy, NULL);
    pthread_create(&b, NULL, preview, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
