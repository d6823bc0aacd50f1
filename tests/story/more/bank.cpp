// Accounts with a lock each, and a configuration that is replaced: a shared pointer, what it points to and its count are one
// thing. Who waits for an account of the deadlock is no second deadlock.
//
// BUG order deadlock mutex_
// BUG config race bank.config_
//
// RUN --runs 8 --no-explore
// Lines of a bug end in its name behind an @. -DRIGHT: none of them.
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>
namespace bank {
using Cents = long;
class Audit {
  public:
    static Audit *get() {
#ifdef RIGHT
        std::lock_guard<std::mutex> g(make_);
#endif
        if (!instance_) {
#ifndef RIGHT
            std::lock_guard<std::mutex> g(make_);
            if (!instance_)
#endif
                instance_ = new Audit;
        }
        return instance_;
    }
    void note(const char *what, Cents n) {
        std::lock_guard<std::mutex> g(lock_);
        lines_.push_back(std::string(what) + " " + std::to_string(n));
    }
    std::size_t size() {
        std::lock_guard<std::mutex> g(lock_);
        return lines_.size();
    }

  private:
    static Audit *instance_;
    static std::mutex make_;
    std::mutex lock_;
    std::vector<std::string> lines_;
};
Audit *Audit::instance_ = nullptr;
std::mutex Audit::make_;
class Account {
  public:
    Account(int id, Cents c) : id_(id), balance_(c) {}
    virtual ~Account() = default;
    virtual bool may_overdraw() const { return false; }
    int id() const { return id_; }
    std::mutex &mutex() { return mutex_; }
    Cents balance_locked() const { return balance_; }
    Cents balance() {
        std::lock_guard<std::mutex> g(mutex_);
        return balance_;
    }
    bool withdraw(Cents c) {
        if (balance_ < c && !may_overdraw())
            return false;
        balance_ -= c;
        return true;
    }
    void deposit(Cents c) { balance_ += c; }

  private:
    int id_;
    std::mutex mutex_;
    Cents balance_;
};
class Credit final : public Account {
  public:
    using Account::Account;
    bool may_overdraw() const override { return true; }
};
struct Config {
    std::string name = "first name of the bank";
    int fee = 1;
};
class Bank {
  public:
    Bank() : config_(std::make_shared<Config>()) {
        accounts_.push_back(std::make_unique<Account>(0, 100));
        accounts_.push_back(std::make_unique<Credit>(1, 50));
        accounts_.push_back(std::make_unique<Account>(2, 10));
    }
    bool transfer(int from, int to, Cents c) {
        Account &a = *accounts_[from], &b = *accounts_[to];
#ifdef RIGHT
        std::scoped_lock both(a.mutex(), b.mutex());
#else
        std::unique_lock<std::mutex> first(a.mutex()); // @order
        std::unique_lock<std::mutex> second(b.mutex()); // @order
#endif
        if (!a.withdraw(c))
            return false;
        b.deposit(c);
        Audit::get()->note("transfer", c);
        return true;
    }
    Cents total() {
#ifdef RIGHT
        std::scoped_lock all(accounts_[0]->mutex(), accounts_[1]->mutex(), accounts_[2]->mutex());
        return std::accumulate(accounts_.begin(), accounts_.end(), Cents{0},
                               [](Cents n, const auto &a) { return n + a->balance_locked(); });
#else
        return std::accumulate(accounts_.begin(), accounts_.end(), Cents{0},
                               [](Cents n, const auto &a) { return n + a->balance(); });
#endif
    }
    void rename(const std::string &name) {
        auto next = std::make_shared<Config>(*current());
        next->name = name;
#ifdef RIGHT
        std::lock_guard<std::mutex> g(config_lock_);
#endif
        config_ = next; // @config
    }
    std::shared_ptr<Config> current() {
#ifdef RIGHT
        std::lock_guard<std::mutex> g(config_lock_);
#endif
        return config_; // @config
    }

  private:
    std::vector<std::unique_ptr<Account>> accounts_;
    std::shared_ptr<Config> config_;
    std::mutex config_lock_;
};
} // namespace bank
int main() {
    bank::Bank bank;
    bank::Cents seen = 0;
    std::thread one([&] { bank.transfer(0, 1, 30); });
    std::thread two([&] { bank.transfer(1, 0, 10); });
    std::thread three([&] {
        bank.rename("another and longer name");
        seen = bank.total();
    });
    auto c = bank.current();
    int fee = c->fee;
    one.join();
    two.join();
    three.join();
    seen += fee;
    std::printf("fee %d, %zu lines\n", fee, bank::Audit::get()->size());
    return 0;
}
