// WITH: queue_without_hooks.cpp
// A queue of code without hooks waits inside: whether it waits depends on what it keeps, so it is no deadlock.
#include <thread>
#include <cstdio>
struct Queue { virtual void push(void*)=0; virtual void *pop()=0; virtual ~Queue(){} };
Queue *make_queue();
struct Item { int x; };
int main(){ Queue *q=make_queue(); std::thread t([q]{ Item *i=(Item*)q->pop(); i->x++; delete i; }); Item *i=new Item{5}; q->push(i); t.join(); delete q; }
