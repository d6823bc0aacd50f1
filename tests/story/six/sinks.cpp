// A logger: threads put records into a queue, a thread of its own takes them out and gives them to sinks.
//
// BUG removed use-after-free logging::MemorySink
// BUG order deadlock backend.sinks_lock_
//
// RUN --max-runs 6
// Lines of a bug end in its name behind an @. -DRIGHT: none of them.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace logging {

enum class Level { debug, info, warning, error };

const char *name_of(Level level) {
    switch (level) {
    case Level::debug:
        return "debug";
    case Level::info:
        return "info";
    case Level::warning:
        return "warning";
    case Level::error:
        break;
    }
    return "error";
}

struct Record {
    Level level;
    int number;
    const char *text;
};

// ---- sinks ----

class Sink {
  public:
    explicit Sink(Level least) : least_(least) {}
    virtual ~Sink() = default;

    void give(const Record &record) {
        if (record.level >= least_) // @removed
            write(record);
    }
    virtual void flush() {}

  protected:
    virtual void write(const Record &record) = 0;

  private:
    const Level least_;
};

// Keeps what it gets, for tests.
class MemorySink : public Sink {
  public:
    using Sink::Sink;

    std::size_t size() const {
        return kept_;
    }

  protected:
    void write(const Record &record) override {
        last_ = record.number;
        kept_++;
    }

  private:
    int last_ = 0;
    std::size_t kept_ = 0;
};

// Counts the records of each level.
class CountingSink : public Sink {
  public:
    using Sink::Sink;

    int count(Level level) const {
        return count_[static_cast<int>(level)];
    }
    void flush() override {
        flushed_++;
    }

  protected:
    void write(const Record &record) override {
        count_[static_cast<int>(record.level)]++;
    }

  private:
    int count_[4] = {0, 0, 0, 0};
    int flushed_ = 0;
};

// ---- a queue with an end ----

template <typename T> class BoundedQueue {
  public:
    explicit BoundedQueue(std::size_t most) : most_(most) {}

    // false: the queue is closed.
    bool push(T item) {
        std::unique_lock<std::mutex> hold(lock_);
        not_full_.wait(hold, [this] { return items_.size() < most_ || closed_; });
        if (closed_)
            return false;
        items_.push_back(std::move(item));
        not_empty_.notify_one();
        return true;
    }

    // false: it is closed and empty.
    bool pop(T &item) {
        std::unique_lock<std::mutex> hold(lock_);
        not_empty_.wait(hold, [this] { return !items_.empty() || closed_; });
        if (items_.empty())
            return false;
        item = std::move(items_.front());
        items_.pop_front();
        not_full_.notify_one();
        return true;
    }

    void close() {
        std::lock_guard<std::mutex> hold(lock_);
        closed_ = true;
        not_empty_.notify_all();
        not_full_.notify_all();
    }

  private:
    const std::size_t most_;
    std::mutex lock_;
    std::condition_variable not_empty_, not_full_;
    std::deque<T> items_;
    bool closed_ = false;
};

// ---- who gives records to sinks ----

class Backend {
  public:
    explicit Backend(std::size_t most) : queue_(most) {}

    void start() {
        thread_ = std::thread([this] { run(); });
    }
    void stop() {
        queue_.close();
        thread_.join();
    }
    bool post(const Record &record) {
        return queue_.push(record);
    }

    void add(Sink *sink) {
        std::lock_guard<std::mutex> hold(sinks_lock_);
        sinks_.push_back(sink);
    }

    // From here on the sink gets nothing more.
    void remove(Sink *sink) {
        std::lock_guard<std::mutex> hold(sinks_lock_);
        for (std::size_t i = 0; i < sinks_.size(); i++) {
            if (sinks_[i] == sink) {
                sinks_.erase(sinks_.begin() + static_cast<std::ptrdiff_t>(i)); // @removed
                return;
            }
        }
    }

    // Changes the level below which nothing is given to anybody; nobody reads old records with the new one.
    void set_level(Level level) {
#ifdef RIGHT
        std::lock_guard<std::mutex> sinks(sinks_lock_);
        std::lock_guard<std::mutex> config(config_lock_);
#else
        std::lock_guard<std::mutex> config(config_lock_); // @order
        std::lock_guard<std::mutex> sinks(sinks_lock_);   // @order
#endif
        level_ = level;
        for (Sink *sink : sinks_)
            sink->flush();
    }

    int given() const {
        return given_;
    }

  private:
    void run() {
        Record record{Level::debug, 0, ""};
        while (queue_.pop(record)) {
            deliver(record);
            given_++;
        }
        flush_all();
    }

    void deliver(const Record &record) {
#ifdef RIGHT
        std::lock_guard<std::mutex> hold(sinks_lock_);
        for (Sink *sink : sinks_)
            sink->give(record);
#else
        std::vector<Sink *> now = copy();
        for (Sink *sink : now)
            sink->give(record);
#endif
    }

#ifndef RIGHT
    // Without the lock, so that a slow sink holds up nobody.
    std::vector<Sink *> copy() {
        std::lock_guard<std::mutex> hold(sinks_lock_);
        return sinks_; // @removed
    }
#endif

    void flush_all() {
        std::lock_guard<std::mutex> sinks(sinks_lock_);   // @order
        std::lock_guard<std::mutex> config(config_lock_); // @order
        if (level_ == Level::error)
            return;
        for (Sink *sink : sinks_)
            sink->flush();
    }

    BoundedQueue<Record> queue_;
    std::mutex sinks_lock_;
    std::vector<Sink *> sinks_; // under sinks_lock_
    std::mutex config_lock_;
    Level level_ = Level::debug; // under config_lock_
    std::thread thread_;
    int given_ = 0; // of the thread, until it is joined
};

// ---- what programs see ----

class Logger {
  public:
    Logger(Backend &backend, const char *name) : backend_(backend), name_(name) {}

    void log(Level level, const char *text) {
        if (backend_.post(Record{level, ++number_, text}))
            logged_++;
    }
    void report() const {
        std::printf("%s logged %d of %d\n", name_, logged_, number_);
    }

  private:
    Backend &backend_;
    const char *name_;
    int number_ = 0, logged_ = 0;
};

} // namespace logging

namespace {

logging::Backend backend(4);
logging::CountingSink counting(logging::Level::info);

void client(const char *name) {
    logging::Logger log(backend, name);
    log.log(logging::Level::info, "begin");
    log.log(logging::Level::warning, "end");
    log.report();
}

// A test listens for a while.
void listen() {
    auto sink = std::make_unique<logging::MemorySink>(logging::Level::debug);
    backend.add(sink.get());
    logging::Logger log(backend, "listener");
    log.log(logging::Level::error, "is anybody there?");
    backend.remove(sink.get());
    sink.reset(); // @removed
}

} // namespace

int main() {
    backend.add(&counting);
    backend.start();
    std::thread worker(client, "worker");
    listen();
    worker.join();
    std::thread config([] { backend.set_level(logging::Level::warning); });
    backend.stop();
    config.join();
    std::printf("%d given, %d of %s\n", backend.given(), counting.count(logging::Level::info),
                logging::name_of(logging::Level::info));
    return 0;
}
