/* An initialisation that throws is tried again: by call_once, and by a local static.
 *
 * EXIT 0
 * OUT 2 2 */
#include <cstdio>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int tries, made;
static std::mutex m;

struct Fails {
    Fails() {
        std::lock_guard<std::mutex> l(m);
        if (++made == 1)
            throw 1;
    }
};

static void work() {
    try {
        std::call_once(flag, [] {
            std::lock_guard<std::mutex> l(m);
            if (++tries == 1)
                throw 1;
        });
    } catch (int) {
    }
    try {
        static Fails f;
    } catch (int) {
    }
}

int main() {
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
    std::printf("%d %d\n", tries, made);
    return 0;
}
