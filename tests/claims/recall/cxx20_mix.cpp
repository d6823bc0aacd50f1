// C++20 threads in many ways, each with something unordered: what ThreadSanitizer sees here, augur says, too.
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

static long hits, misses, peak;
static std::string label = "idle";
static std::vector<int> log_lines;
static std::map<int, int> table;
static std::shared_mutex table_lock;
static std::mutex log_lock;
static std::counting_semaphore<4> slots(2);

static void count(long n) {
    hits += n; // unordered
    if (hits > peak)
        peak = hits; // unordered
}

static void worker(std::latch &ready, int id) {
    ready.count_down();
    slots.acquire();
    count(id);
    {
        std::lock_guard hold(log_lock);
        log_lines.push_back(id);
    }
    {
        std::shared_lock read(table_lock);
        if (table.find(id) == table.end())
            misses++; // unordered
    }
    slots.release();
}

int main() {
    std::latch ready(2);
    {
        std::jthread a(worker, std::ref(ready), 1), b(worker, std::ref(ready), 2);
        ready.wait();
        label = "busy";
    }
    auto text = std::make_shared<std::string>("shared");
    auto f = std::async(std::launch::async, [text] { return text->size(); });
    std::jthread c([] { label = "done"; });
    long size = (long)label.size(); // unordered
    std::barrier both(2);
    std::jthread d([&] {
        peak = 0; // before the barrier: unordered with nobody
        both.arrive_and_wait();
        hits++; // unordered
    });
    both.arrive_and_wait();
    hits++; // unordered
    return (long)f.get() + size > 0 ? 0 : 1;
}
