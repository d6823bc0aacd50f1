// A queue with a mutex and a condition, called through virtual functions; compiled without hooks.
#include <condition_variable>
#include <deque>
#include <mutex>
struct Queue { virtual void push(void*)=0; virtual void *pop()=0; virtual ~Queue(){} };
struct Real : Queue { std::mutex m; std::condition_variable c; std::deque<void*> d; void push(void*p) override { std::lock_guard<std::mutex> g(m); d.push_back(p); c.notify_one(); } void *pop() override { std::unique_lock<std::mutex> g(m); c.wait(g,[&]{return !d.empty();}); void*p=d.front(); d.pop_front(); return p; } };
Queue *make_queue(){ return new Real; }
