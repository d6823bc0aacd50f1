/* Coroutines: their frames lie on the heap, and they may go on in another thread. -DFORM=n picks one. With -DBUG
 * something is used that may be gone or is not locked. */
#include <cassert>
#include <coroutine>
#include <mutex>
#include <thread>

static int shared;
static std::mutex m;

struct task {
    struct promise_type {
        int value = 0;
        bool failed = false;
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { failed = true; }
    };
    std::coroutine_handle<promise_type> h;
};

static void add(int n) {
#ifndef BUG
    std::lock_guard<std::mutex> l(m);
#endif
    shared += n;
}

#if FORM == 1 /* a generator in each thread */
static task count(int from) {
    for (int i = from; i < from + 3; i++)
        co_yield i;
}
static void work(int n) {
    task t = count(n);
    t.h.resume();
    int sum = 0;
    while (!t.h.done()) {
        sum += t.h.promise().value;
        t.h.resume();
    }
    t.h.destroy();
    add(sum);
}
#elif FORM == 2 /* an exception through it */
static task fails(int n) {
    co_yield n;
    add(n);
    throw n;
}
static void work(int n) {
    task t = fails(n);
    t.h.resume();
    t.h.resume();
    assert(t.h.done() && t.h.promise().failed);
    t.h.destroy();
}
#elif FORM == 3 /* one goes on where another ends, without growing the stack */
struct transfer {
    std::coroutine_handle<> to;
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>) { return to; }
    void await_resume() {}
};
static task second(int n) {
    add(n);
    co_return;
}
static task first(std::coroutine_handle<> to) { co_await transfer{to}; }
static void work(int n) {
    task b = second(n), a = first(b.h);
    a.h.resume();
    assert(b.h.done());
    a.h.destroy();
    b.h.destroy();
}
#endif

#if FORM < 4
int main() {
    std::thread a(work, 1), b(work, 10);
    a.join();
    b.join();
    assert(shared > 10);
}
#elif FORM == 4 /* begun here, goes on there; who waits for it sees what it did */
struct elsewhere {
    std::thread *on;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        std::thread *to = on; /* the frame may be gone once it runs */
        std::thread t([h] { h.resume(); });
#ifdef BUG
        *on = std::move(t);
        (void)to;
#else
        *to = std::move(t);
#endif
    }
    void await_resume() {}
};
struct detached {
    struct promise_type {
        detached get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
static detached run(std::thread &t, int n) {
    int mine = n;
    co_await elsewhere{&t};
    shared = mine + 1;
}
int main() {
    std::thread t;
    run(t, 4);
    t.join();
    assert(shared == 5);
}
#endif
