/* A buffer is handed to the sender through an atomic mailbox, and its maker writes the checksum into it
 * afterwards: the sender may send it without. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct packet {
    int data, checksum;
};
static struct packet *_Atomic mailbox;
static int sent;

static void *maker(void *unused) {
    struct packet *p = calloc(1, sizeof *p);
    p->data = 5;
    mailbox = p;
    p->checksum = p->data ^ 0x55; // bug
    return unused;
}

static void *sender(void *unused) {
    struct packet *p = mailbox;
    if (p) {
        assert(p->checksum == (p->data ^ 0x55)); // bug
        sent++;
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, maker, NULL);
    pthread_create(&b, NULL, sender, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(mailbox);
    return 0;
}
