//! truth: none: function-local static with constant-free initialiser (magic static), C++11 guarantees one initialisation seen by all
#include <cassert>
#include <thread>
static int make() {
    return 7;
}
static int &get() {
    static int v = make();
    return v;
}
int main() {
    auto g = [] { assert(get() == 7); };
    std::thread a(g), b(g);
    a.join();
    b.join();
}
