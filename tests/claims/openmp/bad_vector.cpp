//! truth: race: C++: push_back by all threads
#include <vector>
int main() {
    std::vector<int> v;
    v.reserve(16);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++)
        v.push_back(i);
    return v.empty();
}
