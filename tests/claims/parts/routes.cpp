// Ways of C++: each part defines 'static long route(long v)', which gives v for 0 to 9.

//! exception
static long route(long v) {
    try {
        throw v + 1;
    } catch (long e) {
        return e - 1;
    }
}

//! exception_object
#include <stdexcept>
#include <string>
static long route(long v) {
    try {
        throw std::runtime_error(std::string(1, (char)('0' + v)));
    } catch (const std::exception &e) {
        return e.what()[0] - '0';
    }
}

//! unwound
struct keep {
    long *to, v;
    ~keep() {
        *to = v;
    }
};
static long route(long v) {
    long r = -1;
    try {
        keep k{&r, v};
        throw 1;
    } catch (int) {
    }
    return r;
}

//! string
#include <string>
static long route(long v) {
    std::string s = "value ";
    s += std::to_string(v);
    return std::stol(s.substr(6));
}

//! vector
#include <vector>
static long route(long v) {
    std::vector<long> a;
    for (long k = 0; k < 20; k++)
        a.push_back(k == 7 ? v : k);
    return a[7];
}

//! vector_size
#include <vector>
static long route(long v) {
    std::vector<char> a;
    for (long k = 0; k < v; k++)
        a.push_back('x');
    return (long)a.size();
}

//! map
#include <map>
static long route(long v) {
    std::map<long, long> m;
    for (long k = 0; k < 10; k++)
        m[k] = k;
    return m.find(v)->second;
}

//! unordered_map
#include <string>
#include <unordered_map>
static long route(long v) {
    std::unordered_map<std::string, long> m;
    m["a"] = 1;
    m["b"] = v;
    return m.at("b");
}

//! list_sort
#include <list>
static long route(long v) {
    std::list<long> l{50, v, -1};
    l.sort();
    return *++l.begin();
}

//! deque
#include <deque>
static long route(long v) {
    std::deque<long> d;
    d.push_back(v);
    d.push_back(1);
    long r = d.front();
    d.pop_front();
    return r;
}

//! sort
#include <algorithm>
static long route(long v) {
    long a[4] = {50, v, -1, 70};
    std::sort(a, a + 4);
    return a[1];
}

//! function
#include <functional>
static long route(long v) {
    std::function<long(long)> f = [v](long k) { return v + k; };
    return f(0);
}

//! virtual_call
struct base {
    virtual long get(long v) = 0;
    virtual ~base() = default;
};
struct even : base {
    long get(long v) override {
        return v;
    }
};
struct odd : base {
    long get(long v) override {
        return v;
    }
};
static long route(long v) {
    base *b = v & 1 ? (base *)new odd : (base *)new even;
    long r = b->get(v);
    delete b;
    return r;
}

//! dynamic_cast
struct root {
    virtual ~root() = default;
};
struct left : root {};
struct right : root {};
static long route(long v) {
    root *b = v & 1 ? (root *)new left : (root *)new right;
    long r = (v & ~1L) | (dynamic_cast<left *>(b) != nullptr);
    delete b;
    return r;
}

//! unique_ptr
#include <memory>
static long route(long v) {
    auto p = std::make_unique<long>(v);
    auto q = std::move(p);
    return *q;
}

//! shared_ptr
#include <memory>
static long route(long v) {
    auto p = std::make_shared<long>(v);
    std::shared_ptr<long> q = p;
    p.reset();
    return *q;
}

//! optional
#include <optional>
static long route(long v) {
    std::optional<long> o;
    if (v >= 0)
        o = v;
    return o.value_or(-1);
}

//! variant
#include <variant>
static long route(long v) {
    std::variant<int, long> x;
    if (v & 1)
        x = v;
    else
        x = (int)v;
    return std::visit([](auto a) { return (long)a; }, x);
}

//! any
#include <any>
static long route(long v) {
    std::any a = v;
    return std::any_cast<long>(a);
}

//! tuple
#include <tuple>
static long route(long v) {
    auto [a, b] = std::make_tuple(1, v);
    (void)a;
    return b;
}

//! string_stream
#include <sstream>
static long route(long v) {
    std::stringstream s;
    s << "x " << v;
    std::string w;
    long r = -1;
    s >> w >> r;
    return r;
}

//! from_chars
#include <charconv>
static long route(long v) {
    char b[8];
    auto e = std::to_chars(b, b + 8, v);
    long r = -1;
    std::from_chars(b, e.ptr, r);
    return r;
}

//! future
#include <future>
static long route(long v) {
    return std::async(std::launch::async, [v] { return v; }).get();
}

//! promise
#include <future>
static long route(long v) {
    std::promise<long> p;
    auto f = p.get_future();
    p.set_value(v);
    return f.get();
}

//! call_once
#include <mutex>
static long route(long v) {
    std::once_flag o;
    long r = -1;
    std::call_once(o, [&] { r = v; });
    return r;
}

//! atomic_heap
#include <atomic>
static long route(long v) {
    auto *a = new std::atomic<long>(0);
    a->fetch_add(v);
    long r = a->load();
    delete a;
    return r;
}

//! static_local
static long nine() {
    static long n = [] { return 9L; }();
    return n;
}
static long route(long v) {
    return v + nine() - 9;
}

//! placement
#include <new>
struct held {
    long v;
    explicit held(long a) : v(a) {
    }
};
static long route(long v) {
    alignas(held) char b[sizeof(held)];
    held *h = new (b) held(v);
    long r = h->v;
    h->~held();
    return r;
}

//! member_pointer
struct pair_of {
    long a, b;
};
static long route(long v) {
    pair_of p{v, v};
    long pair_of::*m = v & 1 ? &pair_of::a : &pair_of::b;
    return p.*m;
}

//! coroutine
#include <coroutine>
struct gen {
    struct promise_type {
        long v = 0;
        gen get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept {
            return {};
        }
        std::suspend_always final_suspend() noexcept {
            return {};
        }
        std::suspend_always yield_value(long a) {
            v = a;
            return {};
        }
        void return_void() {
        }
        void unhandled_exception() {
        }
    };
    std::coroutine_handle<promise_type> h;
};
static gen make(long v) {
    for (long k = 0; k <= v; k++)
        co_yield k;
}
static long route(long v) {
    gen g = make(v);
    long r = -1;
    while (g.h.resume(), !g.h.done())
        r = g.h.promise().v;
    g.h.destroy();
    return r;
}

//! chrono
#include <chrono>
static long route(long v) {
    using namespace std::chrono;
    return (long)duration_cast<minutes>(seconds(v * 60)).count();
}

//! steady_thread
#include <thread>
static long route(long v) {
    long r = -1;
    std::thread t([&] { r = v; });
    t.join();
    return r;
}
