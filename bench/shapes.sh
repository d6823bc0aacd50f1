#!/usr/bin/env bash
# bench/shapes.sh NAME N: a correct program whose threads wait by looking, as C on standard output. The shapes are those of
# the programs that model checkers are compared on; N threads, or N rounds where two threads take turns.
set -euo pipefail
name=$1 n=$2
head() {
    printf '#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <stdint.h>\n'
    printf 'enum { N = %d };\nstatic atomic_int l, m, flag, x;\nstatic int sum, seen[N + 2];\n' "$n"
}
# tail FUNCTION [OTHER]: N threads of the function, and one of the other
tail() {
    printf 'int main(void) {\n    pthread_t t[N + 1];\n    int n = 0;\n'
    printf '    for (intptr_t i = 0; i < %s; i++)\n' "${3:-N}"
    printf '        pthread_create(&t[n++], NULL, %s, (void *)i);\n' "$1"
    [ -z "${2:-}" ] || printf '    pthread_create(&t[n++], NULL, %s, NULL);\n' "$2"
    printf '    for (int i = 0; i < n; i++)\n        pthread_join(t[i], NULL);\n'
    printf '%s    return 0;\n}\n' "${4:-}"
}
head
case $name in
lock) # a test-and-set lock
    cat <<'C'
static void *adds(void *u) {
    while (atomic_exchange(&l, 1))
        while (atomic_load(&l))
            sched_yield();
    sum++;
    atomic_store(&l, 0);
    return u;
}
C
    tail adds '' N '    assert(sum == N);
' ;;
ticket) # first come, first served
    cat <<'C'
static void *adds(void *u) {
    int mine = atomic_fetch_add(&l, 1);
    while (atomic_load(&m) != mine) {
    }
    sum++;
    atomic_store(&m, mine + 1);
    return u;
}
C
    tail adds '' N '    assert(sum == N);
' ;;
barrier_lock) # two threads meet, then take a lock; N rounds
    cat <<'C'
static pthread_barrier_t b;
static void *rounds(void *id) {
    for (int i = 0; i < N; i++) {
        pthread_barrier_wait(&b);
        int free = 0;
        while (!atomic_compare_exchange_strong(&l, &free, 1))
            free = 0;
        seen[(intptr_t)id] = ++sum;
        atomic_store(&l, 0);
    }
    return NULL;
}
C
    tail rounds '' 2 '    assert(sum == 2 * N && seen[0] != seen[1]);
' | sed 's/^    int n = 0;/&\n    pthread_barrier_init(\&b, NULL, 2);/' ;;
barrier_beside) # some meet, others take a lock
    cat <<'C'
static pthread_barrier_t b;
static void *takes(void *u) {
    int free = 0;
    while (!atomic_compare_exchange_strong(&l, &free, 1))
        free = 0;
    atomic_store(&l, 0);
    pthread_barrier_wait(&b);
    return u;
}
C
    tail takes '' N | sed 's/^    int n = 0;/&\n    pthread_barrier_init(\&b, NULL, N);/' ;;
rwlock) # readers and a writer, by one number
    cat <<'C'
enum { FREE = 0x1000 };
static void *reads(void *id) {
    while (atomic_fetch_sub(&x, 1) <= 0) {
        atomic_fetch_add(&x, 1);
        while (atomic_load(&x) <= 0) {
        }
    }
    seen[(intptr_t)id] = sum;
    atomic_fetch_add(&x, 1);
    return NULL;
}
static void *writes(void *u) {
    while (atomic_fetch_sub(&x, FREE) != FREE) {
        atomic_fetch_add(&x, FREE);
        while (atomic_load(&x) != FREE) {
        }
    }
    sum = 42;
    atomic_fetch_add(&x, FREE);
    return u;
}
C
    tail reads writes N | sed 's/^    int n = 0;/&\n    atomic_store(\&x, FREE);/' ;;
chain) # each waits for the one before
    cat <<'C'
static void *passes(void *id) {
    while (atomic_load(&flag) != (int)(intptr_t)id)
        sched_yield();
    sum++;
    atomic_store(&flag, (int)(intptr_t)id + 1);
    return NULL;
}
C
    tail passes '' N '    assert(sum == N);
' ;;
writers) # N write, one reads
    cat <<'C'
static void *writes(void *id) {
    atomic_store(&x, (int)(intptr_t)id + 1);
    return NULL;
}
static void *reads(void *u) {
    seen[0] = atomic_load(&x);
    return u;
}
C
    tail writes reads N ;;
*)
    echo "usage: shapes.sh lock|ticket|barrier_lock|barrier_beside|rwlock|chain|writers N" >&2
    exit 2
    ;;
esac
