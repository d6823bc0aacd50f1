/* A bank: accounts with a lock each, transfers, a journal, an auditor.
 *
 * BUG cycle deadlock accounts
 * BUG audit output exits
 * BUG refused lock-misuse bank.journal.lock
 *
 * RUN --max-runs 6
 * Lines of a bug end in its name behind an @. -DRIGHT: none of them. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACCOUNTS = 3, START = 100, LINES = 32, NAME = 12 };

typedef struct {
    char owner[NAME];
    long balance;
    pthread_mutex_t lock;
} account;

typedef enum { ENTRY_TRANSFER, ENTRY_FEE, ENTRY_REFUSED } entry_kind;

typedef struct {
    entry_kind kind;
    int from, to;
    long amount;
} entry;

typedef struct {
    entry line[LINES];
    size_t n;
    size_t refused;
    pthread_mutex_t lock;
} journal;

typedef struct {
    account accounts[ACCOUNTS];
    journal journal;
    long fees; /* under fees_lock */
    pthread_mutex_t fees_lock;
} ledger;

static ledger bank;

/* ---- the journal ---- */

static void journal_init(journal *j) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&j->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    j->n = j->refused = 0;
}

/* false: it is full. */
static bool journal_write(journal *j, entry_kind kind, int from, int to, long amount) {
    bool room;
    pthread_mutex_lock(&j->lock);
    room = j->n < LINES;
    if (room)
        j->line[j->n++] = (entry){kind, from, to, amount};
    pthread_mutex_unlock(&j->lock);
    return room;
}

/* A transfer that was refused is counted, and written if there is room. */
static void journal_refuse(journal *j, int from, int to, long amount) {
    pthread_mutex_lock(&j->lock);
    j->refused++;
    if (j->n == LINES) {
        pthread_mutex_unlock(&j->lock);
        return;
    }
    pthread_mutex_unlock(&j->lock);
    journal_write(j, ENTRY_REFUSED, from, to, amount);
#ifndef RIGHT
    pthread_mutex_unlock(&j->lock); /* @refused */
#endif
}

static void journal_print(journal *j) {
    static const char *const word[] = {"transfer", "fee", "refused"};
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; i < j->n; i++)
        printf("%-8s %d -> %d %5ld\n", word[j->line[i].kind], j->line[i].from, j->line[i].to,
               j->line[i].amount);
    pthread_mutex_unlock(&j->lock);
}

/* ---- accounts ---- */

static void account_init(account *a, const char *owner, long balance) {
    memset(a->owner, 0, sizeof a->owner);
    strncpy(a->owner, owner, NAME - 1);
    a->balance = balance;
    pthread_mutex_init(&a->lock, NULL);
}

static void account_lock(account *a) {
    pthread_mutex_lock(&a->lock); /* @cycle */
}

static void account_unlock(account *a) {
    pthread_mutex_unlock(&a->lock);
}

/* Its lock is held. */
static int account_take(account *a, long amount) {
    if (amount <= 0)
        return EINVAL;
    if (a->balance < amount)
        return ERANGE;
    a->balance -= amount; /* @audit */
    return 0;
}

static void account_put(account *a, long amount) {
    a->balance += amount;
}

static long account_balance(account *a) {
    account_lock(a);
    long balance = a->balance;
    account_unlock(a);
    return balance;
}

/* ---- transfers ---- */

static void lock_both(account *from, account *to) {
#ifdef RIGHT
    account_lock(from < to ? from : to);
    account_lock(from < to ? to : from);
#else
    account_lock(from);
    account_lock(to); /* @cycle */
#endif
}

static void unlock_both(account *from, account *to) {
    account_unlock(from);
    account_unlock(to);
}

static int transfer(ledger *l, int from, int to, long amount) {
    account *a = &l->accounts[from], *b = &l->accounts[to];
    int failed;
    if (from == to)
        return EINVAL;
    lock_both(a, b);
    failed = account_take(a, amount);
    if (!failed)
        account_put(b, amount);
    unlock_both(a, b);
    if (failed)
        journal_refuse(&l->journal, from, to, amount);
    else
        journal_write(&l->journal, ENTRY_TRANSFER, from, to, amount);
    return failed;
}

static int take_fee(ledger *l, int from, long amount) {
    account *a = &l->accounts[from];
    int failed;
    account_lock(a);
#ifdef RIGHT
    pthread_mutex_lock(&l->fees_lock);
#endif
    failed = account_take(a, amount);
#ifndef RIGHT
    account_unlock(a);
    pthread_mutex_lock(&l->fees_lock);
#endif
    if (!failed)
        l->fees += amount; /* @audit */
    pthread_mutex_unlock(&l->fees_lock);
#ifdef RIGHT
    account_unlock(a);
#endif
    if (!failed)
        journal_write(&l->journal, ENTRY_FEE, from, -1, amount);
    return failed;
}

/* ---- the auditor ---- */

/* What belongs to everybody, at one moment. */
static long total(ledger *l) {
    long sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        account_lock(&l->accounts[i]);
    pthread_mutex_lock(&l->fees_lock);
    sum += l->fees; /* @audit */
    for (int i = 0; i < ACCOUNTS; i++)
        sum += l->accounts[i].balance;
    pthread_mutex_unlock(&l->fees_lock);
    for (int i = ACCOUNTS; i-- > 0;)
        account_unlock(&l->accounts[i]);
    return sum;
}

static void *audit(void *arg) {
    ledger *l = arg;
    long sum = total(l);
    if (sum != ACCOUNTS * START) {
        fprintf(stderr, "%ld is missing\n", ACCOUNTS * START - sum);
        exit(1);
    }
    return NULL;
}

/* ---- clients ---- */

typedef struct {
    int from, to;
    long amount;
    int failed;
} order;

static void *client(void *arg) {
    order *o = arg;
    o->failed = transfer(&bank, o->from, o->to, o->amount);
    return NULL;
}

static void *collector(void *arg) {
    (void)arg;
    if (take_fee(&bank, 2, 5))
        puts("no fee");
    return NULL;
}

static void run_two(void *(*one)(void *), void *a, void *(*other)(void *), void *b) {
    pthread_t x, y;
    if (pthread_create(&x, NULL, one, a) || pthread_create(&y, NULL, other, b))
        abort();
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}

static void ledger_init(ledger *l) {
    static const char *const owner[ACCOUNTS] = {"Ada", "Grace", "Edsger"};
    for (int i = 0; i < ACCOUNTS; i++)
        account_init(&l->accounts[i], owner[i], START);
    journal_init(&l->journal);
    pthread_mutex_init(&l->fees_lock, NULL);
    l->fees = 0;
}

static void ledger_print(ledger *l) {
    for (int i = 0; i < ACCOUNTS; i++)
        printf("%-8s %5ld\n", l->accounts[i].owner, account_balance(&l->accounts[i]));
    printf("%-8s %5ld\n", "fees", l->fees);
}

int main(void) {
    order first = {0, 1, 30, 0}, second = {1, 0, 20, 0}, large = {2, 0, 5000, 0};
    ledger_init(&bank);
    run_two(client, &first, client, &second);
    run_two(collector, NULL, audit, &bank);
    client(&large);
    if (!large.failed)
        puts("somebody is rich");
    journal_print(&bank.journal);
    ledger_print(&bank);
    return 0;
}
