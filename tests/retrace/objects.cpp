// Classes, virtual functions, exceptions through several frames, threads of the library.
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual int area() const = 0;
};
struct box : shape {
    int a, b;
    box(int x, int y) : a(x), b(y) {
    }
    int area() const override {
        return a * b;
    }
};
struct odd : shape {
    int n;
    explicit odd(int x) : n(x) {
    }
    int area() const override {
        if (n % 3 == 0)
            throw std::runtime_error("odd");
        return n;
    }
};
struct guard {
    int &n;
    explicit guard(int &x) : n(x) {
        n++;
    }
    ~guard() {
        n--;
    }
};

std::mutex m;
std::vector<std::unique_ptr<shape>> shapes;
std::map<std::string, int> found;
int depth, caught;
std::atomic<int> done{0};
std::atomic<long> sum{0};

static int measure(const shape &s, int n) {
    guard g(depth);
    if (n)
        return measure(s, n - 1) + 1;
    return s.area();
}

static void work(int n) {
    for (int i = 0; i < n; i++) {
        std::lock_guard<std::mutex> l(m);
        shapes.push_back(i % 2 ? std::unique_ptr<shape>(new box(i, 2))
                               : std::unique_ptr<shape>(new odd(i)));
        try {
            sum += measure(*shapes.back(), i % 4);
            found["good"]++;
        } catch (const std::exception &e) {
            caught++;
            found[e.what()] += i;
        }
    }
    done++;
}

int main() {
    std::vector<std::thread> t;
    for (int i = 0; i < 2; i++)
        t.emplace_back(work, 5 + i);
    for (auto &x : t)
        x.join();
    std::printf("%d %d %ld %d\n", caught, depth, sum.load(), found["good"]);
    return done == 2 ? 0 : 1;
}
