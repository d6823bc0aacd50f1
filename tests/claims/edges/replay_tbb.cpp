//! truth: no finding; the replay is identical (libtbb-dev)
#include <cstdio>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
int a[16];
int main() {
    tbb::global_control g(tbb::global_control::max_allowed_parallelism, 2);
    tbb::parallel_for(0, 16, [](int i) { a[i] = i; });
    int s = 0;
    for (int x : a)
        s += x;
    std::printf("%d\n", s);
}
