# tests/explore: in each program an assertion fails in another interleaving than the first, through something
# that is hard to follow: a pipe, a state inside libc, an address, who was the last at a barrier, ….
# Exploration finds it, or at least does not say that every interleaving was covered.
. "$(dirname "$0")/../e2e/lib.sh"

printf ab >input
for source in "$SRC"/tests/explore/*.c; do
    name=$(basename "$source" .c)
    # The sanitizers make it ten times slower: what is claimed does not depend on them.
    [ -z "$SANITIZED" ] || [[ " copied main_ends pipe_order serial " = *" $name "* ]] || continue
    check "$name: found, or not claimed to be covered"
    augur_cc -w -g -O1 -pthread "$source" -o "$name" || fail "does not compile"
    run_with input timeout 1200 "$AUGUR" explore --quiet --no-check --first --budget 2 "./$name"
    case $status in
    1) expect_out "^[A-Z]1 +confirmed" ;;
    0 | 3) expect_out "Not every interleaving of this input was covered" ;;
    *) expect_status 1 ;;
    esac
    rm -rf "$name" "$name.explored"
done

check "who comes first at a pthread_once is explored"
augur_cc -w -g -O1 -pthread "$SRC/tests/explore/once.c" -o once || fail "does not compile"
run "$AUGUR" explore --quiet --no-check --first --budget 1200 ./once
expect_status 1
expect_out "^A1 +confirmed"

check "a block that another thread frees stands against nothing"
augur_cc -g -O1 -pthread "$SRC/tests/explore/calm/reused.c" -o reused || fail "does not compile"
run "$AUGUR" explore --quiet --no-check --budget 1200 ./reused
expect_status 0
expect_out "Every interleaving of this input was covered"

check "calls that cannot hear each other stand against nothing"
cat >calm.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *text) {
    char *mine = malloc(20);
    snprintf(mine, 20, "%s", (char *)text);
    pthread_mutex_lock(&m);
    if (n++ == 0)
        printf("first %zu\n", strlen(mine));
    pthread_mutex_unlock(&m);
    free(mine);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    FILE *f = tmpfile(); // nobody else runs yet
    pthread_create(&a, NULL, work, "a");
    pthread_create(&b, NULL, work, "bb");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return f ? fclose(f) : 1;
}
END
"$AUGUR" cc -g -O1 -pthread calm.c -o calm || fail "does not compile"
run "$AUGUR" explore --quiet --no-check --budget 1200 ./calm
expect_status 0
expect_out "Every interleaving of this input was covered"
