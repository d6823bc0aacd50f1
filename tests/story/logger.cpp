// A logger's thread uses a sink that main deletes too early; and a counter without a lock. -DRIGHT: neither.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace logging {

struct Sink {
    virtual ~Sink() = default;
    virtual void write(const std::string &line) = 0;
};

struct Buffer : Sink {
    std::vector<std::string> lines;
    int marks = 0;

    ~Buffer() override {
        marks = -1;
    }
    void write(const std::string &line) override {
        marks++;
        lines.push_back(line);
    }
};

class Logger {
  public:
    explicit Logger(Sink *sink) : sink_(sink), thread_([this] { run(); }) {}
    void log(const std::string &line) {
        std::lock_guard<std::mutex> hold(lock_);
        queue_.push(line);
        more_.notify_one();
    }
    void stop() {
        {
            std::lock_guard<std::mutex> hold(lock_);
            stopped_ = true;
        }
        more_.notify_one();
    }
    void join() {
        thread_.join();
    }
    int written() {
        return written_;
    }

  private:
    void run() {
        for (;;) {
            std::unique_lock<std::mutex> hold(lock_);
            more_.wait(hold, [this] { return stopped_ || !queue_.empty(); });
            if (queue_.empty())
                return;
            std::string line = queue_.front();
            queue_.pop();
            hold.unlock();
            sink_->write(line);
            written_++;
        }
    }

    std::mutex lock_;
    std::condition_variable more_;
    std::queue<std::string> queue_;
    bool stopped_ = false;
    int written_ = 0;
    Sink *sink_;
    std::thread thread_;
};

} // namespace logging

int main() {
    logging::Sink *sink = new logging::Buffer;
    logging::Logger log(sink);
    log.log("one");
    log.log("two");
    log.stop();
#ifdef RIGHT
    log.join();
#endif
    int n = log.written();
    delete sink;
#ifndef RIGHT
    log.join();
#endif
    return n > 2;
}
