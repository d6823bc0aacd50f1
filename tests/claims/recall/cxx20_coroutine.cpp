// A coroutine that goes on in another thread at each co_await: what it writes between is unordered with main.
#include <atomic>
#include <coroutine>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

static std::vector<std::jthread> threads;
static std::binary_semaphore finished(0);
static int progress, total;

struct Elsewhere {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        threads.emplace_back([h] { h.resume(); });
    }
    void await_resume() const noexcept {}
};

static Task work(int sum) {
    co_await Elsewhere{};
    progress = sum; // unordered
    sum += 2;
    total = sum;
    finished.release();
}

int main() {
    threads.reserve(1);
    work((int)threads.capacity());
    int seen = progress; // unordered
    finished.acquire();
    threads.clear();
    return total >= seen ? 0 : 1;
}
