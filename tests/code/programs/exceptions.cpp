// Unwinding: the landing pad tells the depth it came to; cleanups run under hooks.
#define CALLED __attribute__((noinline))
#include <stdexcept>
int log_[16], n_;
struct guard {
    int id;
    explicit guard(int i) : id(i) { log_[n_++] = id; }
    ~guard() { log_[n_++] = -id; }
};
CALLED static int deep(int n) {
    guard g(n);
    if (n == 0)
        throw 42;
    return deep(n - 1) + 1;
}
CALLED static int catches() {
    guard g(10);
    try {
        return deep(1);
    } catch (int x) {
        return x;
    }
}
CALLED static int passes_on() {
    guard g(20);
    try {
        return deep(0);
    } catch (const std::exception &) {
        return 1;
    }
}
struct base {
    virtual ~base() = default;
    virtual int get() const { return 1; }
};
struct derived : base {
    int value = 3;
    int get() const override { return value; }
};
int main() {
    int r = catches();
    try {
        r += passes_on();
    } catch (...) {
        r += 100;
    }
    derived d;
    const base &b = d;
    r += b.get();
    return r == 145 && n_ == 10 ? 0 : 1;
}
// LINK: -lstdc++
