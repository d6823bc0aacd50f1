/* A spin lock round the ticket counter; the name of the last customer is noted outside. The spin lock
 * orders them by accident. In the other order: a data race on the note, which is lost. */
#include <pthread.h>

static pthread_spinlock_t spin;
static int tickets, last;

static int ticket(void) {
    pthread_spin_lock(&spin);
    int n = ++tickets;
    pthread_spin_unlock(&spin);
    return n;
}

static void *walk_in(void *unused) {
    last = 1; // bug
    ticket();
    return unused;
}

static void *booked(void *unused) {
    int n = ticket();
    last = n + 100; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, walk_in, NULL);
    pthread_create(&b, NULL, booked, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
