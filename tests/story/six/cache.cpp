// A cache with a limited number of entries, the least recently used goes first; loaders fill it.
//
// BUG evictions race cache.evictions_
// BUG budget lost-update cache.budget_
// BUG full assertion entries_.size()
//
// RUN --runs 8 --no-explore
// Lines of a bug end in its name behind an @. -DRIGHT: none of them.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace store {

// Where values come from.
template <typename Key, typename Value> class Source {
  public:
    virtual ~Source() = default;
    virtual Value load(const Key &key) = 0;
    virtual const char *name() const = 0;
};

class Squares : public Source<int, std::int64_t> {
  public:
    std::int64_t load(const int &key) override {
        return static_cast<std::int64_t>(key) * key;
    }
    const char *name() const override {
        return "squares";
    }
};

class Names : public Source<std::string, std::string> {
  public:
    std::string load(const std::string &key) override {
        return "Mx. " + key;
    }
    const char *name() const override {
        return "names";
    }
};

// What a cache counts. Printed at the end.
struct Counters {
    int hits = 0;
    int misses = 0;
};

class CacheBase {
  public:
    explicit CacheBase(std::size_t capacity) : capacity_(capacity) {}
    virtual ~CacheBase() = default;

    virtual void report(const char *what) const {
        std::printf("%s: %d hits, %d misses, %d evictions\n", what, counters_.hits,
                    counters_.misses, evictions_);
    }

  protected:
    void count_hit() {
        counters_.hits++; // lock_ is held
    }
    void count_miss() {
        counters_.misses++; // lock_ is held
    }
    void count_eviction() {
#ifdef RIGHT
        std::lock_guard<std::mutex> hold(count_lock_);
#endif
        evictions_++; // @evictions
    }

    const std::size_t capacity_;
    mutable std::mutex lock_;
    std::mutex count_lock_;
    Counters counters_;
    int evictions_ = 0;
};

template <typename Key, typename Value> class Cache : public CacheBase {
  public:
    Cache(std::size_t capacity, int budget, std::unique_ptr<Source<Key, Value>> source)
        : CacheBase(capacity), source_(std::move(source)), budget_(budget) {}

    // The value, from the cache or from the source.
    Value get(const Key &key) {
        {
            std::lock_guard<std::mutex> hold(lock_);
            auto at = entries_.find(key);
            if (at != entries_.end()) {
                count_hit();
                touch(key);
                return at->second;
            }
            count_miss();
        }
        Value value = source_->load(key);
        insert(key, value);
        return value;
    }

    // Drops an entry; false: there is none.
    bool drop(const Key &key) {
        std::lock_guard<std::mutex> hold(lock_);
        if (entries_.erase(key) == 0)
            return false;
        order_.remove(key);
        return true;
    }

    // Loads ahead, as long as somebody pays for it.
    bool prefetch(const Key &key) {
        {
            std::lock_guard<std::mutex> hold(pay_lock_);
#ifdef RIGHT
            int left = budget_.fetch_sub(1);
            if (left <= 0)
                return false;
#else
            int left = budget_.load(); // @budget
            if (left <= 0)
                return false;
            budget_.store(left - 1); // @budget
#endif
        }
        get(key);
        return true;
    }

    // Somebody pays for more.
    void pay(int more) {
        budget_.fetch_add(more); // @budget
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> hold(lock_);
        return entries_.size();
    }

    void each(const std::function<void(const Key &, const Value &)> &visit) const {
        std::lock_guard<std::mutex> hold(lock_);
        for (const auto &entry : entries_)
            visit(entry.first, entry.second);
    }

    void report(const char *what) const override {
        CacheBase::report(what);
        std::printf("%s: %zu entries from %s, budget %d\n", what, size(), source_->name(),
                    budget_.load());
    }

  private:
    // To the front; lock_ is held.
    void touch(const Key &key) {
        order_.remove(key);
        order_.push_front(key);
    }

    // Makes room for one entry, if there is none.
    void make_room() {
#ifndef RIGHT
        std::lock_guard<std::mutex> hold(lock_);
#endif
        if (entries_.size() < capacity_) // @full
            return;
        entries_.erase(order_.back());
        order_.pop_back();
    }

    void insert(const Key &key, const Value &value) {
#ifdef RIGHT
        std::lock_guard<std::mutex> hold(lock_);
        make_room();
#else
        make_room();
        std::lock_guard<std::mutex> hold(lock_);
#endif
        if (entries_.count(key))
            return;
        entries_.emplace(key, value);
        order_.push_front(key);
        assert(entries_.size() <= capacity_); // @full
    }

    std::map<Key, Value> entries_;
    std::list<Key> order_; // the most recently used first
    std::unique_ptr<Source<Key, Value>> source_;
    std::mutex pay_lock_;
    std::atomic<int> budget_;

  public:
    // Everything but the newest.
    void trim(std::size_t keep) {
        for (;;) {
            {
                std::lock_guard<std::mutex> hold(lock_);
                if (order_.size() <= keep)
                    return;
                entries_.erase(order_.back());
                order_.pop_back();
            }
            count_eviction();
        }
    }
};

} // namespace store

namespace {

store::Cache<int, std::int64_t> cache(2, 1, std::make_unique<store::Squares>());
store::Cache<std::string, std::string> people(2, 0, std::make_unique<store::Names>());

// Asks for a few numbers.
class Client {
  public:
    Client(int first, int step) : first_(first), step_(step) {}

    void operator()() {
        for (int i = 0; i < 1; i++)
            sum_ += cache.get(first_ + i * step_);
    }

  private:
    int first_, step_;
    std::int64_t sum_ = 0;
};

class Warmer {
  public:
    explicit Warmer(std::vector<int> keys) : keys_(std::move(keys)) {}

    void run() {
        for (int key : keys_)
            if (cache.prefetch(key))
                warmed_++;
    }
    int warmed() const {
        return warmed_;
    }

  private:
    std::vector<int> keys_;
    int warmed_ = 0;
};

void check_people() {
    people.get("Ada");
    people.get("Grace");
    people.get("Ada");
    people.drop("Grace");
    people.each([](const std::string &key, const std::string &value) {
        if (value != "Mx. " + key)
            std::printf("%s is called %s?\n", key.c_str(), value.c_str());
    });
}

void clients() {
    std::thread one(Client(2, 1)), two(Client(5, 1));
    one.join();
    two.join();
}

void payments() {
    Warmer warmer({8});
    std::thread loader([&warmer] { warmer.run(); });
    std::thread payer([] { cache.pay(2); });
    loader.join();
    payer.join();
    if (warmer.warmed() < 0)
        std::puts("impossible");
}

void trims() {
    std::thread one([] { cache.trim(1); });
    std::thread two([] { cache.trim(0); });
    one.join();
    two.join();
}

} // namespace

int main() {
    cache.get(1);
    clients();
    payments();
    trims();
    check_people();
    cache.report("cache");
    people.report("people");
    return 0;
}
