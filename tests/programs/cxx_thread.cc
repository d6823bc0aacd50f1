/* C++: threads, mutexes, conditions, call_once, futures, local statics.
 *
 * EXIT 0
 * OUT 55 10 1 1 boom */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> made;
struct Once {
    Once() {
        std::this_thread::yield();
        made++;
    }
};
static int use() {
    static Once once; /* __cxa_guard_acquire */
    return made;
}

static std::mutex m;
static std::shared_mutex sm;
static std::condition_variable cv;
static std::once_flag flag;
static int sum, ready, tries, ran;

static void work(int i) {
    use();
    std::call_once(flag, [] {
        if (tries++ == 0) /* only one thread is here at a time */
            ran = 0;
        ran++;
    });
    {
        std::unique_lock<std::mutex> l(m);
        cv.wait(l, [] { return ready != 0; });
        sum += i;
    }
    std::shared_lock<std::shared_mutex> r(sm);
}

int main() {
    std::vector<std::thread> t;
    for (int i = 1; i <= 10; i++)
        t.emplace_back(work, i);
    {
        std::lock_guard<std::mutex> l(m);
        ready = 1;
    }
    cv.notify_all();
    { std::unique_lock<std::shared_mutex> w(sm); }
    for (auto &x : t)
        x.join();
    std::string text;
    std::future<int> f =
        std::async(std::launch::async, []() -> int { throw std::runtime_error("boom"); });
    try {
        f.get();
    } catch (const std::exception &e) {
        text = e.what();
    }
    std::printf("%d %zu %d %d %s\n", sum, t.size(), made.load(), ran, text.c_str());
    return 0;
}
