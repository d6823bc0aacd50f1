// LINK: -lsqlite3
// A connection without locks, used under a mutex.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
static sqlite3 *db;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
static int row(void *n, int c, char **v, char **k) {
    (void)c;
    (void)v;
    (void)k;
    ++*(int *)n;
    return 0;
}
static void *w(void *a) {
    int n = 0;
    pthread_mutex_lock(&m);
    sqlite3_exec(db, a, 0, 0, 0);
    sqlite3_exec(db, "select * from t", row, &n, 0);
    total += n;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t, u;
    if (sqlite3_open_v2(":memory:", &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0))
        return 2;
    sqlite3_exec(db, "create table t(x)", 0, 0, 0);
    pthread_create(&t, 0, w, "insert into t values(1)");
    pthread_create(&u, 0, w, "insert into t values(2)");
    pthread_join(t, 0);
    pthread_join(u, 0);
    sqlite3_close(db);
    printf("%d\n", total);
    return 0;
}
