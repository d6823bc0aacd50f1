# Code of the C++ library that becomes the program's own: std::string, trees and lists.
. "$(dirname "$0")/../e2e/lib.sh"

check "trees and lists keep their rules, tables grow as the library's do"
g++ -O1 "$SRC/tests/programs/containers.cpp" -o plain
run "$AUGUR" c++ -O1 "$SRC/tests/programs/containers.cpp" -o containers
expect_status 0
for seed in 1 2 3 4; do
    run ./containers "$seed" 1200
    expect_status 0
    expect_out '^ok$'
    ./plain "$seed" 1200 >plain.out
    expect_same plain.out .lib/out
done
expect_true "they are the program's, and nobody else's" \
    test "$(nm containers | grep -cE ' [tT] _ZSt2[89]_Rb_tree_.*\.recorded$')" -eq 2
expect_true "the library's are not called" \
    test "$(nm -D containers | grep -cE 'Rb_tree|List_node_base|rehash_policy|basic_string.*(compare|_M_dispose)')" -eq 0

cat >names.cpp <<'C'
#include <cassert>
#include <cstdio>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::map<std::string, int> ids;
static std::list<std::string> order;
static std::mutex lock;

static int id_of(const std::string &name) {
    {
        std::lock_guard<std::mutex> held(lock);
        auto at = ids.find(name);
        if (at != ids.end())
            return at->second;
    }
    std::lock_guard<std::mutex> held(lock);
    assert(ids.count(name) == 0); // another thread may have been quicker
    order.push_back(name);
    return ids[name] = (int)order.size();
}

int main() {
    std::thread a([] { id_of("left"); }), b([] { id_of("left"); id_of("right"); });
    a.join();
    b.join();
    printf("%zu names\n", order.size());
    return 0;
}
C

check "a check of std::map that another thread overtakes is found behind its lock"
run "$AUGUR" c++ -g -std=c++17 -pthread names.cpp -o names
expect_status 0
run ./names
expect_status 0
run "$AUGUR" run --budget 1200 ./names
expect_status 1
expect_out "^A1 +confirmed "
expect_out "names.cpp:$(grep -n 'assert(ids' names.cpp | cut -d: -f1)"
expect_out "an assertion failed in a run of the exploration"
expect_out "^ +T2 .* writes" # what the other thread did is among the lines
expect_true "no write of the library was missed" test -z "$(grep 'code without hooks' <<<"$out")"
