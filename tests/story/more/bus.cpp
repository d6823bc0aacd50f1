// A broker with a pool of threads. A subscriber is deleted while a message is delivered to it: the destructor that the
// compiler made and the free stand in one line.
//
// BUG detach use-after-free bus::Summing
// BUG total race broker.published_.total_
// BUG quota lost-update broker.quota_
//
// RUN --runs 8 --no-explore
// Lines of a bug end in its name behind an @. -DRIGHT: none of them.
#include <atomic>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
namespace bus {
class Metric {
  public:
    explicit Metric(std::string name) : name_(std::move(name)) {}
    virtual ~Metric() = default;
    void add(int n) {
#ifdef RIGHT
        std::lock_guard<std::mutex> g(m_);
#endif
        total_ += n; // @total
    }
    int total() const { return total_; }
    const std::string &name() const { return name_; }

  protected:
    std::mutex m_;
    int total_ = 0;
    std::string name_;
};
template <typename T> class Gauge : public Metric {
  public:
    using Metric::Metric;
    void set(T v) {
        std::lock_guard<std::mutex> g(m_);
        last_ = v;
    }
    T last_{};
};
class ThreadPool {
  public:
    explicit ThreadPool(int n) {
        for (int i = 0; i < n; i++)
            threads_.emplace_back([this] { loop(); });
    }
    ~ThreadPool() {
        {
            std::lock_guard<std::mutex> g(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (auto &t : threads_)
            t.join();
    }
    template <typename F> auto submit(F f) -> std::future<decltype(f())> {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> g(mutex_);
            queue_.emplace_back([task] { (*task)(); });
        }
        wake_.notify_one();
        return result;
    }

  private:
    void loop() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> g(mutex_);
                wake_.wait(g, [this] { return stop_ || !queue_.empty(); });
                if (queue_.empty())
                    return;
                job = std::move(queue_.front());
                queue_.pop_front();
            }
            job();
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    std::vector<std::thread> threads_;
    bool stop_ = false;
};
struct Message {
    std::string topic;
    int weight;
};
class Subscriber {
  public:
    explicit Subscriber(std::string id) : id_(std::move(id)) {}
    virtual ~Subscriber() = default;
    virtual void deliver(const Message &m) = 0;
    const std::string &id() const { return id_; }

  protected:
    std::string id_;
};
class Summing : public Subscriber {
  public:
    using Subscriber::Subscriber;
    void deliver(const Message &m) override {
        std::lock_guard<std::mutex> g(lock_);
        sum_ += m.weight;
    }
    ~Summing() override { std::printf("%s: %d\n", id_.c_str(), sum_); }

  private:
    std::mutex lock_;
    int sum_ = 0;
};
class Broker {
  public:
    explicit Broker(int quota) : published_("published"), depth_("depth"), quota_(quota) {}
    ~Broker() {
        for (auto &e : routes_)
            for (auto *s : e.second)
                delete s;
    }
    void attach(const std::string &topic, Subscriber *s) {
        std::lock_guard<std::mutex> g(routes_lock_);
        routes_[topic].push_back(s);
    }
    void detach(const std::string &topic, const std::string &id) {
        std::lock_guard<std::mutex> g(routes_lock_);
        auto &list = routes_[topic];
        auto at = std::find_if(list.begin(), list.end(), [&](Subscriber *s) { return s->id() == id; });
        if (at == list.end())
            return;
        Subscriber *gone = *at;
        list.erase(at);
        delete gone; // @detach
    }
    bool publish(const Message &m) {
        int left;
        {
            std::lock_guard<std::mutex> g(quota_lock_);
            left = quota_; // @quota
        }
        if (left <= 0)
            return false;
        std::vector<Subscriber *> to;
        {
            std::lock_guard<std::mutex> g(routes_lock_);
            to = routes_[m.topic];
#ifdef RIGHT
            for (auto *s : to)
                s->deliver(m);
#endif
        }
#ifndef RIGHT
        for (auto *s : to)
            s->deliver(m); // @detach
#endif
        published_.add(1);
        depth_.set(static_cast<double>(to.size()));
        {
            std::lock_guard<std::mutex> g(quota_lock_);
#ifdef RIGHT
            left = quota_;
#endif
            quota_ = left - 1; // @quota
        }
        return true;
    }
    int published() const { return published_.total(); }

  private:
    std::mutex routes_lock_;
    std::map<std::string, std::vector<Subscriber *>> routes_;
    Metric published_;
    Gauge<double> depth_;
    std::mutex quota_lock_;
    int quota_;
};
class Latch {
  public:
    void open() {
        std::lock_guard<std::mutex> g(mutex_);
        open_.store(true);
        opened_.notify_all();
    }
    void pass() {
        std::unique_lock<std::mutex> g(mutex_);
        while (!open_.load())
            opened_.wait(g);
    }

  private:
    std::mutex mutex_;
    std::condition_variable opened_;
    std::atomic<bool> open_{false};
};
} // namespace bus
int main() {
    bus::Broker broker(10);
    bus::Latch latch;
    broker.attach("a", new bus::Summing("one"));
    broker.attach("a", new bus::Summing("two"));
    int ok = 0;
    {
        bus::ThreadPool pool(2);
        auto waits = std::thread([&] { latch.pass(); });
        auto f = pool.submit([&] { return broker.publish({"a", 1}); });
        auto g = pool.submit([&] { return broker.publish({"a", 2}); });
        latch.open();
        broker.detach("a", "two");
        ok = f.get() + g.get();
        waits.join();
    }
    std::printf("%d published, %d\n", ok, broker.published());
}
