// Calls that may throw: the result is told where they return, the depth where they land.
#include <atomic>
struct name {
    const char *text;
    unsigned long length;
};
int may_throw(int);
name named(int);
struct base {
    virtual int get(int) = 0;
    virtual ~base();
};
base *make();
int seen;
struct at_exit {
    ~at_exit() { seen++; }
};
static std::atomic<int> ready{0};
static int tries(base *b, int n) {
    at_exit cleanup;
    int r = 0;
    try {
        r = n == 2 ? may_throw(n) : b->get(n);
        if (r == 7)
            r += may_throw(0);
    } catch (int x) {
        r = x;
    }
    return r + static_cast<int>(named(n).length);
}
static int once() {
    static int first = may_throw(3);
    return first;
}
int main() {
    base *b = make();
    int r = 0;
    for (int n = 1; n < 4; n++)
        r += tries(b, n);
    ready.fetch_add(r);
    int want = 0;
    ready.compare_exchange_strong(want, 1);
    r += once() + once();
    return ready.load() + r == 60 && seen == 3 ? 0 : r;
}
// WITH: invoke_ext.cpp
// LINK: -lstdc++
