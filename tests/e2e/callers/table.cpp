// A map that one thread fills while another asks for its size (callers.sh).
#include <cstdio>
#include <map>
#include <thread>

static std::map<int, int> table;

static void fill(int n) {
    table[n] = n; /* fill */
}

int main() {
    fill(1);
    std::thread other([] { fill(2); });
    int size = static_cast<int>(table.size());
    other.join();
    std::printf("%d\n", size > 0);
}
