// What the user keeps in containers and shared pointers, by the names that it has in the source.
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

struct Entry {
    std::string name;
    int hits = 0;
};
struct Config {
    std::string name;
    struct {
        int reads = 0;
    } stats;
};
static std::map<int, Entry> table;
static std::unordered_map<int, Entry> hashed;
static std::list<Entry> order;
static std::shared_ptr<Config> config;

static void use() {
    table.begin()->second.hits++;
    hashed.begin()->second.hits++;
    order.front().hits++;
    config->stats.reads++;
}

int main() {
    table[1].name = "a";
    hashed[2].name = "b";
    order.emplace_back();
    config = std::make_shared<Config>();
    std::thread one(use), two(use);
    one.join();
    two.join();
    return 0;
}
