//! truth: use after free of the coroutine's frame (-std=c++20); and the run can be followed
#include <coroutine>
#include <cstdio>
#include <thread>
struct task {
    struct promise_type {
        task get_return_object() {
            return {};
        }
        std::suspend_never initial_suspend() {
            return {};
        }
        std::suspend_never final_suspend() noexcept {
            return {};
        }
        void return_void() {
        }
        void unhandled_exception() {
        }
    };
};
struct on_thread {
    bool await_ready() {
        return false;
    }
    std::thread *out;
    void await_suspend(std::coroutine_handle<> h) {
        *out = std::thread([h] { h.resume(); }); // bug: 'out' is read after the frame may be gone
    }
    void await_resume() {
    }
};
int co_val;
task co(std::thread &o) {
    co_val = 1;
    co_await on_thread{&o};
    co_val++;
}
int main() {
    std::thread o;
    co(o);
    int x = co_val;
    o.join();
    std::printf("co %d\n", co_val + 0 * x);
}
