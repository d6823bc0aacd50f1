/* Static variables of functions, made when first needed: C++ makes them once, and everybody sees them made.
 * -DFORM=n picks one. With -DBUG something beside them is shared without a lock. */
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static int beside;

struct thing {
    int a, b;
    thing() : a(3), b(4) {}
    int sum() const { return a + b; }
};

static int make() { return 7; }

#if FORM == 1
static int get() {
    static int v = make();
    return v;
}
static void use() { assert(get() == 7); }
#elif FORM == 2
static thing &get() {
    static thing t;
    return t;
}
static void use() { assert(get().sum() == 7); }
#elif FORM == 3
static std::string &name() {
    static std::string s = std::string("seven") + "th of them all, on the heap";
    return s;
}
static void use() { assert(name()[0] == 's'); }
#elif FORM == 4 /* one inside of another's, and a pointer */
static thing *inner() {
    static thing *t = new thing;
    return t;
}
static int outer() {
    static int s = inner()->sum();
    return s;
}
static void use() { assert(outer() == 7 && inner()->a == 3); }
#elif FORM == 5 /* the first attempt throws */
static int tries;
static std::mutex m;
static int risky() {
    std::lock_guard<std::mutex> l(m);
    if (++tries == 1)
        throw 1;
    return 7;
}
static int get() {
    static int v = risky();
    return v;
}
static void use() {
    try {
        assert(get() == 7);
    } catch (int) {
    }
}
#endif

static void work(bool second) {
#ifdef BUG
    beside += second ? 1 : 2;
#endif
    (void)second;
    use();
    use();
}

int main() {
    std::thread a(work, false), b(work, true);
    a.join();
    b.join();
    return beside > 3;
}
