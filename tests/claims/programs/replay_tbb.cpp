// Work that a library deals out to threads of its own.
#include <cstdio>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
static int a[16];
int main() {
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    tbb::parallel_for(0, 16, [](int i) { a[i] = i; });
    int sum = 0;
    for (int x : a)
        sum += x;
    std::printf("%d\n", sum);
}
