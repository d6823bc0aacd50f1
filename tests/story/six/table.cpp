// Connections of a server in a table: clients use them, a reaper closes those that are idle.
//
// BUG closed double-free net::TlsConnection
// BUG seen race last_seen_
//
// RUN --max-runs 6
// Lines of a bug end in its name behind an @. -DRIGHT: none of them.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace net {

using Id = int;
using Tick = std::int64_t;

// ---- the clock of the server ----

class Clock {
  public:
    Tick now() const {
        return now_.load();
    }
    void advance(Tick by) {
        now_.fetch_add(by);
    }

  private:
    std::atomic<Tick> now_{0};
};

Clock ticks;

// ---- connections ----

struct Traffic {
    std::size_t in = 0, out = 0;
};

class Connection {
  public:
    explicit Connection(Id id) : id_(id), last_seen_(ticks.now()) {}
    virtual ~Connection() = default;

    Id id() const {
        return id_;
    }
    // Somebody sent or got something.
    void touch() {
#ifdef RIGHT
        std::lock_guard<std::mutex> hold(seen_lock_);
#endif
        last_seen_ = ticks.now(); // @seen
    }
    bool is_idle(Tick most) {
#ifdef RIGHT
        std::lock_guard<std::mutex> hold(seen_lock_);
#endif
        return ticks.now() - last_seen_ > most; // @seen
    }
    void send(std::size_t bytes) {
        std::lock_guard<std::mutex> hold(traffic_lock_);
        traffic_.out += bytes + overhead();
    }
    void receive(std::size_t bytes) {
        std::lock_guard<std::mutex> hold(traffic_lock_);
        traffic_.in += bytes + overhead();
    }
    Traffic traffic() {
        std::lock_guard<std::mutex> hold(traffic_lock_);
        return traffic_;
    }

  protected:
    virtual std::size_t overhead() const = 0;

  private:
    const Id id_;
    std::mutex traffic_lock_;
    Traffic traffic_;
    std::mutex seen_lock_;
    Tick last_seen_;
};

class PlainConnection : public Connection {
  public:
    using Connection::Connection;

  protected:
    std::size_t overhead() const override {
        return 0;
    }
};

class TlsConnection : public Connection {
  public:
    TlsConnection(Id id, std::size_t record) : Connection(id), record_(record) {}

  protected:
    std::size_t overhead() const override {
        return record_;
    }

  private:
    const std::size_t record_;
};

// ---- the table ----

template <typename T, std::size_t Shards> class Table {
  public:
    void add(T *item) {
        Shard &s = shard(item->id());
        std::lock_guard<std::mutex> hold(s.lock);
        s.items[item->id()] = item;
    }

    // NULL: there is none.
    T *find(Id id) {
        Shard &s = shard(id);
        std::lock_guard<std::mutex> hold(s.lock);
        auto at = s.items.find(id);
        return at == s.items.end() ? nullptr : at->second; // @closed
    }

    // Takes it out of the table; NULL: somebody else did.
    T *take(Id id) {
        Shard &s = shard(id);
        std::lock_guard<std::mutex> hold(s.lock);
        auto at = s.items.find(id);
        if (at == s.items.end())
            return nullptr;
        T *item = at->second;
        s.items.erase(at);
        return item;
    }

    std::vector<Id> ids() {
        std::vector<Id> all;
        for (Shard &s : shards_) {
            std::lock_guard<std::mutex> hold(s.lock);
            for (auto &entry : s.items)
                all.push_back(entry.first);
        }
        return all;
    }

    std::size_t size() {
        return ids().size();
    }

  private:
    struct Shard {
        std::mutex lock;
        std::unordered_map<Id, T *> items;
    };

    Shard &shard(Id id) {
        return shards_[static_cast<std::size_t>(id) % Shards];
    }

    std::array<Shard, Shards> shards_;
};

// ---- the server ----

class Server {
  public:
    void accept(Connection *c) {
        table_.add(c);
        std::lock_guard<std::mutex> hold(count_lock_);
        accepted_++;
    }

    // What a client does: some messages, and then it hangs up.
    void serve(Id id, int messages) {
        for (int i = 0; i < messages; i++) {
            Connection *c = table_.find(id);
            if (!c)
                return;
            c->receive(10);
            c->send(100);
            c->touch();
        }
    }

    // Closes one; who calls knows that nobody uses it any more.
    bool close(Id id) {
#ifdef RIGHT
        Connection *c = table_.take(id);
        if (!c)
            return false;
#else
        Connection *c = table_.find(id);
        if (!c)
            return false;
        table_.take(id);
#endif
        delete c; // @closed
        std::lock_guard<std::mutex> hold(count_lock_);
        closed_++;
        return true;
    }

    // Looks at those of the table; how many are idle?
    int count_idle(Tick most) {
        int n = 0;
        for (Id id : table_.ids()) {
            Connection *c = table_.find(id);
            if (c && c->is_idle(most))
                n++;
        }
        return n;
    }

    std::size_t open() {
        return table_.size();
    }
    Traffic traffic(Id id) {
        Connection *c = table_.find(id);
        return c ? c->traffic() : Traffic{};
    }
    void report() {
        std::lock_guard<std::mutex> hold(count_lock_);
        std::printf("%d accepted, %d closed\n", accepted_, closed_);
    }

  private:
    Table<Connection, 2> table_;
    std::mutex count_lock_;
    int accepted_ = 0, closed_ = 0;
};

} // namespace net

namespace {

net::Server server;

void clients() {
    std::thread one([] { server.serve(1, 2); });
    std::thread two([] { server.serve(2, 1); });
    std::thread idle([] {
        net::ticks.advance(3);
        if (server.count_idle(100) != 0)
            std::puts("already?");
    });
    one.join();
    two.join();
    idle.join();
}

// Both ends hang up.
void hang_up() {
    std::thread here([] { server.close(2); });
    std::thread there([] { server.close(2); });
    here.join();
    there.join();
}

void print_traffic(net::Id id) {
    net::Traffic t = server.traffic(id);
    std::printf("%d: %zu in, %zu out\n", id, t.in, t.out);
}

} // namespace

int main() {
    server.accept(new net::PlainConnection(1));
    server.accept(new net::TlsConnection(2, 5));
    clients();
    print_traffic(1);
    print_traffic(2);
    hang_up();
    server.close(1);
    if (server.open() != 0)
        std::puts("something is open");
    server.report();
    return 0;
}
