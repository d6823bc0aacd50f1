// C++: exceptions, virtual calls, atomics, lambdas, coroutines, initialisation once.
// FLAGS: -std=c++20 -pthread
#include <atomic>
#include <coroutine>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct base {
    virtual ~base() = default;
    virtual int f(int x) = 0;
};
struct derived final : base {
    int k = 3;
    int f(int x) override {
        return x * k;
    }
};
// EXPECT: CALL\.32 indirect
int virtual_call(base &b) {
    return b.f(3);
}
// EXPECT: LANDINGPAD
// EXPECT: EV_LAND site
// EXPECT: UNMODELLED\.32 'llvm\.eh\.typeid\.for
// EXPECT: RESUME
std::string work(int x) {
    std::string s = "a";
    try {
        if (x > 3)
            throw std::runtime_error("too much");
        s += std::to_string(x);
    } catch (std::runtime_error &e) {
        s = e.what();
    }
    return s;
}
std::atomic<long> n;
std::atomic<std::shared_ptr<int>> p;
std::mutex m;
std::map<int, std::vector<double>> table;
// EXPECT: RMW\.64 atomic @n #1 from 1 site
void count() {
    n++;
    n.fetch_xor(5);
    long want = 3;
    n.compare_exchange_weak(want, 4);
    p.store(std::make_shared<int>(3));
    std::lock_guard<std::mutex> g(m);
    table[3].push_back(2.5);
}
// EXPECT: foreign __cxa_guard_acquire
int once() {
    static std::string s = work(2);
    return (int)s.size();
}
struct task {
    struct promise_type {
        int value = 0;
        task get_return_object() {
            return {};
        }
        std::suspend_never initial_suspend() {
            return {};
        }
        std::suspend_never final_suspend() noexcept {
            return {};
        }
        void return_value(int v) {
            value = v;
        }
        void unhandled_exception() {
        }
    };
};
// EXPECT: function _Z9coroutinei\.resume
task coroutine(int x) {
    co_await std::suspend_never{};
    co_return x + 1;
}
typedef int i4 __attribute__((vector_size(16)));
// EXPECT: WIDE SELECT
i4 least(i4 a, i4 b) {
    return a < b ? a : b;
}
thread_local std::string mine = "t";
int in[] = {3, 2, 5, 7}, out[16];
int main() {
    derived d;
    std::thread t([&] { count(); });
    t.join();
    coroutine(in[0]);
    out[0] = virtual_call(d);
    out[1] = once() + (int)mine.size();
    out[2] = (int)work(in[0]).size() + (int)work(in[2]).size();
    i4 v = least((i4){in[0], in[1], in[2], in[3]}, (i4){in[3], in[2], in[1], in[0]});
    for (int k = 0; k < 4; k++)
        out[4 + k] = v[k];
    return 0;
}
