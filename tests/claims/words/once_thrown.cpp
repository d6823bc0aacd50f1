//! right
/* An initialisation that ends by an exception comes before the next attempt at it. */
#include <mutex>
#include <stdexcept>
#include <thread>
static std::once_flag once;
static int tries, value, made;
struct object {
    object() {
        if (made++ == 0)
            throw std::runtime_error("not yet");
    }
};
static void call() {
    try {
        std::call_once(once, [] {
            if (tries++ == 0)
                throw std::runtime_error("not yet");
            value = 7;
        });
    } catch (const std::runtime_error &) {
    }
    try {
        static object o;
    } catch (const std::runtime_error &) {
    }
}
int main() {
    std::thread a(call), b(call), c(call);
    a.join();
    b.join();
    c.join();
    return 0;
}
