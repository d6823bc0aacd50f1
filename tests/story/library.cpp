/* Two lines change one vector without a lock: many accesses in the library's headers, one cause. */
#include <cstdio>
#include <thread>
#include <vector>

struct Cache {
    std::vector<int> values;
};
static Cache cache;

int main() {
    std::thread a([] {
        cache.values.push_back(1);
    });
    std::thread b([] {
        cache.values.push_back(2);
    });
    a.join();
    b.join();
    std::printf("%zu\n", cache.values.size());
}
