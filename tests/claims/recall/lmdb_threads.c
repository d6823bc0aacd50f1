// Two threads write, one reads, through liblmdb (its sources are compiled in).
#include "lmdb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static MDB_env *env;
static MDB_dbi dbi;

static void ok(int status) {
    if (status) {
        fprintf(stderr, "%s\n", mdb_strerror(status));
        exit(2);
    }
}

static void *put(void *arg) {
    for (int k = 0; k < 2; k++) {
        MDB_txn *txn;
        int number = (int)(long)arg * 10 + k;
        MDB_val key = {sizeof number, &number}, data = {4, "data"};
        ok(mdb_txn_begin(env, NULL, 0, &txn));
        ok(mdb_put(txn, dbi, &key, &data, 0));
        ok(mdb_txn_commit(txn));
    }
    return arg;
}

static void *get(void *arg) {
    for (int k = 0; k < 2; k++) {
        MDB_txn *txn;
        int number = 10;
        MDB_val key = {sizeof number, &number}, data;
        ok(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
        mdb_get(txn, dbi, &key, &data);
        mdb_txn_abort(txn);
    }
    return arg;
}

int main(void) {
    MDB_txn *txn;
    pthread_t t[3];
    char name[] = "lmdbXXXXXX";
    if (!mkdtemp(name))
        return 2;
    ok(mdb_env_create(&env));
    ok(mdb_env_open(env, name, MDB_NOSYNC, 0600));
    ok(mdb_txn_begin(env, NULL, 0, &txn));
    ok(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi));
    ok(mdb_txn_commit(txn));
    pthread_create(&t[0], NULL, put, (void *)1);
    pthread_create(&t[1], NULL, put, (void *)2);
    pthread_create(&t[2], NULL, get, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    mdb_env_close(env);
    return 0;
}
