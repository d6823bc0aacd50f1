// Random operations on std::map, std::set, std::list, checked by rules and by an array.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>
struct B {
    int c;
    B *p, *l, *r;
};
static int black_height(B *n, B *up) {
    if (!n)
        return 0;
    assert(n->p == up);
    if (!n->c)
        assert((!n->l || n->l->c) && (!n->r || n->r->c));
    int a = black_height(n->l, n), b = black_height(n->r, n);
    assert(a == b);
    return a + (n->c != 0);
}
int main(int argc, char **argv) {
    unsigned seed = argc > 1 ? atoi(argv[1]) : 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 2000;
    srand(seed);
    std::multimap<int, int> m;
    std::vector<int> model;
    for (int i = 0; i < rounds; i++) {
        int k = rand() % 60;
        if (rand() % 100 < (i / 200 % 2 ? 35 : 65)) {
            m.emplace(k, i);
            model.push_back(k);
        } else {
            auto it = m.lower_bound(k);
            if (it != m.end()) {
                model.erase(std::find(model.begin(), model.end(), it->first));
                m.erase(it);
            }
        }
        std::sort(model.begin(), model.end());
        std::vector<int> got, back;
        for (auto &e : m)
            got.push_back(e.first);
        for (auto it = m.rbegin(); it != m.rend(); ++it)
            back.push_back(it->first);
        std::reverse(back.begin(), back.end());
        assert(got == model && back == model && m.size() == model.size());
        B *h = (B *)((char *)&m + 8);
        assert(!h->p || h->p->c);
        black_height(h->p, h);
    }
    std::list<int> a, b;
    std::vector<int> va, vb;
    for (int i = 0; i < rounds; i++) {
        switch (rand() % 7) {
        case 0:
            a.push_back(i);
            va.push_back(i);
            break;
        case 1:
            a.push_front(i);
            va.insert(va.begin(), i);
            break;
        case 2:
            if (!a.empty()) {
                a.pop_front();
                va.erase(va.begin());
            }
            break;
        case 3:
            a.reverse();
            std::reverse(va.begin(), va.end());
            break;
        case 4:
            a.swap(b);
            va.swap(vb);
            break;
        case 5: {
            size_t n = va.empty() ? 0 : rand() % va.size();
            auto it = a.begin();
            std::advance(it, n);
            b.splice(b.begin(), a, it, a.end());
            vb.insert(vb.begin(), va.begin() + n, va.end());
            va.erase(va.begin() + n, va.end());
        } break;
        case 6:
            a.sort();
            std::sort(va.begin(), va.end());
            break;
        }
        assert(std::vector<int>(a.begin(), a.end()) == va &&
               std::vector<int>(b.begin(), b.end()) == vb);
        std::vector<int> r(a.rbegin(), a.rend());
        std::reverse(r.begin(), r.end());
        assert(r == va);
    }
    std::unordered_map<int, int> h;
    std::unordered_multimap<long, int> dense;
    dense.max_load_factor(2.5f);
    dense.reserve(seed * 7);
    size_t last = 0;
    for (int i = 0; i < 40 * rounds; i++) {
        h[i * 7] = i;
        dense.emplace(i / 2, i);
        if (i % 3 == 0)
            h.erase(i / 2 * 7);
        if (h.bucket_count() + dense.bucket_count() != last)
            printf("%zu %zu %zu\n", h.size(), h.bucket_count(), dense.bucket_count());
        last = h.bucket_count() + dense.bucket_count();
    }
    printf("ok\n");
}
