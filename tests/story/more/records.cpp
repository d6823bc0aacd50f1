// A logger whose ring has a lock that one of its two users takes; a library's container is one thing, whatever of it races.
//
// BUG ids lost-update logger.ids_.last_
// BUG threshold race logger.threshold_
// BUG names race logger.names_.names_
// BUG push race logger.ring_.records_
//
// RUN --runs 8 --no-explore
// Lines of a bug end in its name behind an @. -DRIGHT: none of them.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
namespace log {
enum class Level { debug, info, error };
struct Record {
    unsigned id;
    Level level;
    std::string text;
};
class Formatter {
  public:
    virtual ~Formatter() = default;
    virtual std::string format(const Record &r) const = 0;
};
class Plain : public Formatter {
  public:
    std::string format(const Record &r) const override { return std::to_string(r.id) + " " + r.text; }
};
template <class Mutex> class Guarded {
  protected:
    Mutex mutex_;
};
template <class Mutex> class Ring : public Guarded<Mutex> {
  public:
    explicit Ring(std::size_t n) : records_() { records_.reserve(n); }
    void push(Record r) {
#ifdef RIGHT
        std::lock_guard<Mutex> g(this->mutex_);
#endif
        records_.push_back(std::move(r)); // @push
    }
    std::vector<Record> drain() {
        std::lock_guard<Mutex> g(this->mutex_);
        std::vector<Record> out;
        out.swap(records_);
        return out;
    }
    std::size_t size() {
        std::lock_guard<Mutex> g(this->mutex_);
        return records_.size();
    }

  private:
    std::vector<Record> records_;
};
class Names {
  public:
    const std::string &of(int thread) {
        std::shared_lock<std::shared_mutex> g(lock_);
        auto at = names_.find(thread);
        if (at != names_.end())
            return at->second;
#ifdef RIGHT
        g.unlock();
        std::unique_lock<std::shared_mutex> w(lock_);
#endif
        return names_.emplace(thread, "thread " + std::to_string(thread)).first->second; // @names
    }

  private:
    std::shared_mutex lock_;
    std::unordered_map<int, std::string> names_;
};
class Ids {
  public:
    unsigned next() {
#ifdef RIGHT
        return last_.fetch_add(1);
#else
        unsigned n = last_.load(); // @ids
        last_.store(n + 1);        // @ids
        return n;
#endif
    }

  private:
    std::atomic<unsigned> last_{1};
};
class Logger {
  public:
    Logger() : ring_(8), format_(std::make_unique<Plain>()) {}
    void write(int thread, Level level, const std::string &text) {
        if (level < threshold_) // @threshold
            return;
        ring_.push({ids_.next(), level, names_.of(thread) + ": " + text});
        {
            std::lock_guard<std::mutex> g(wake_lock_);
            pending_++;
        }
        wake_.notify_one();
    }
    int flush(int wanted) {
        int n = 0;
        while (n < wanted) {
            {
                std::unique_lock<std::mutex> g(wake_lock_);
                wake_.wait(g, [this] { return pending_ > 0; });
                pending_--;
            }
            for (auto &r : ring_.drain())
                lines_.push_back(format_->format(r));
            n++;
        }
        return n;
    }
    void set_threshold(Level l) {
        threshold_ = l; // @threshold
    }
    std::size_t lines() const { return lines_.size(); }

  private:
    Ring<std::mutex> ring_;
    std::unique_ptr<Formatter> format_;
    Names names_;
    Ids ids_;
#ifdef RIGHT
    std::atomic<Level> threshold_{Level::info};
#else
    Level threshold_ = Level::info;
#endif
    std::mutex wake_lock_;
    std::condition_variable wake_;
    int pending_ = 0;
    std::vector<std::string> lines_;
};
} // namespace log
int main() {
    log::Logger logger;
    std::thread flusher([&] { logger.flush(2); });
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([&logger, i] { logger.write(i, log::Level::error, "hello"); });
    logger.set_threshold(log::Level::debug);
    for (auto &t : threads)
        t.join();
    flusher.join();
    std::printf("%zu lines\n", logger.lines());
}
