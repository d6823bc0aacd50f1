// LINK: -lsqlite3
// A connection in serialized mode, used by two threads without a lock of their own.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
static sqlite3 *db;
static int row(void *n, int c, char **v, char **k) {
    (void)c;
    (void)v;
    (void)k;
    ++*(int *)n;
    return 0;
}
static void *w(void *a) {
    int n = 0;
    char *e = 0;
    if (sqlite3_exec(db, a, 0, 0, &e)) {
        fprintf(stderr, "%s\n", e);
        return a;
    }
    sqlite3_exec(db, "select * from t", row, &n, 0);
    return n < 1 ? a : 0;
}
int main(void) {
    pthread_t t, u;
    void *r, *q;
    if (sqlite3_open_v2(":memory:", &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, 0))
        return 2;
    sqlite3_exec(db, "create table t(x)", 0, 0, 0);
    pthread_create(&t, 0, w, "insert into t values(1)");
    pthread_create(&u, 0, w, "insert into t values(2)");
    pthread_join(t, &r);
    pthread_join(u, &q);
    sqlite3_close(db);
    return r || q;
}
